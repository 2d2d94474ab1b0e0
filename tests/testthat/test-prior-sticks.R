test_that("sticks are n decreasing probabilities", {
  set.seed(1)
  for (alpha in c(0.2, 5)) {
    mu <- ribp_sticks(20, alpha)
    expect_length(mu, 20)
    expect_true(all(mu > 0 & mu < 1) && all(diff(mu) < 0))
  }
})

test_that("stick k has the moments of a product of k Beta(alpha, 1) variables", {
  set.seed(1)
  for (alpha in c(0.7, 3)) {
    mu <- replicate(10000, ribp_sticks(4, alpha))
    for (k in 1:4) {
      mean <- (alpha / (1 + alpha))^k
      square <- (alpha / (2 + alpha))^k
      fourth <- (alpha / (4 + alpha))^k
      expect_mean(mu[k, ], mean, sqrt(square - mean^2))
      expect_mean(mu[k, ]^2, square, sqrt(fourth - square^2))
    }
  }
})

test_that("the mean sum of the sticks is alpha, the mean number of features per row", {
  set.seed(1)
  total <- replicate(3000, sum(ribp_sticks(60, 2)))
  expect_mean(total, 2, sd(total))
})

test_that("sticks use the random numbers of rexp(), and drawing many sticks can be interrupted", {
  plain <- withr::with_seed(3, exp(-cumsum(stats::rexp(500)) / 2.5))
  expect_identical(withr::with_seed(3, ribp_sticks(500, 2.5)), plain)
  expect_lt(processor_until_stopped(ribp_sticks(2e8, 1e9)), 4)
})
