# Expected numbers of layers and units, compared with tables, with values computed in high
# precision, with plain linear algebra, and with draws.

#' Depths computed by solve(), with widths of at most `states`
depth_by_solve <- function(k, alpha, c, states) {
  means <- vapply(1:states, \(n) sum(c / (c + 0:(n - 1))), 1)
  row <- function(n, j) {
    if (!is.list(alpha)) return(dpois(j, alpha * means[n]))
    dnbinom(j, alpha$shape, alpha$rate / (alpha$rate + means[n]))
  }
  p <- outer(1:states, 1:states, row)
  solve(diag(states) - p, cbind(layers = 1, units = 1:states))[k, ] - c(1, k)
}

test_that("depths agree with known values", {
  alphas <- c(0.25, 0.5, 1, 1.5, 2, 2.5, 3)
  depth <- function(k) vapply(alphas, \(alpha) cascade_depth(k, alpha), double(2))
  above_3 <- rbind(
    c(0.48, 1.08, 3.19, 9.02, 31.4, 147, 907), c(0.59, 1.57, 6.32, 25.3, 129, 860, 7167)
  )
  above_70 <- rbind(
    c(0.96, 1.81, 4.36, 10.8, 34.1, 151, 915), c(1.5, 3.7, 11.8, 36.1, 148.5, 898, 7249)
  )
  expect_lt(max(abs(depth(3) / above_3 - 1)), 0.01)
  expect_lt(max(abs(depth(70) / above_70 - 1)), 0.01)
  expect_identical(dimnames(depth(3))[[1]], c("layers", "units"))
})

test_that("depths agree with solutions of linear equations if these are accurate", {
  same <- function(k, alpha, c, states = 200) {
    got <- cascade_depth(k, alpha, c)
    expect_lt(max(abs(got / depth_by_solve(k, alpha, c, states) - 1)), 1e-10)
  }
  for (k in c(1, 2, 40, 100)) same(k, 1.3, 1)
  for (c in c(0.01, 0.4, 5)) same(7, 1.1, c)
  same(150, 0.8, 60, 400)
  for (alpha in list(gamma_prior(3, 2), gamma_prior(1, 1))) same(20, alpha, 1, 400)
  same(9, gamma_prior(0.5, 1), 2, 700)
})

test_that("tiny values of alpha do not reduce the accuracy", {
  expect_equal(unname(cascade_depth(1, 1e-9)), c(1, 1) * 1e-9, tolerance = 1e-8)
  expect_equal(unname(cascade_depth(3, 1e-200)), c(1, 1) * 11 / 6 * 1e-200, tolerance = 1e-12)
})

test_that("chains that are too long are rejected", {
  must <- "^`alpha` must be small enough for at most 1500 states and a finite depth, "
  refused <- function(alpha, ...) {
    within(60, expect_error(cascade_depth(70, alpha, ...), must))
  }
  for (alpha in list(1000, 1e10, 1e300, gamma_prior(0.1, 0.1), gamma_prior(1e300, 1e-300))) {
    refused(alpha)
  }
  expect_error(cascade_depth(70, 1000), "not 1000\\.$")
  expect_error(cascade_depth(70, gamma_prior(1, 0.1)), "not Gamma\\(shape = 1, rate = 0.1\\)\\.$")
  endless <- list(gamma_prior(1e-300, 1e-300), gamma_prior(1e-10, 1e-10), gamma_prior(1e-4, 1e-5))
  for (alpha in endless) within(60, expect_error(cascade_depth(5, alpha), "^`alpha` must be small"))
  skip_on_cran()
  refused(100)
  # Here the number of layers fits a double, but the probability that they are empty does not.
  refused(720, 1e-10)
})

test_that("cascade_width() is alpha times the sum of c / (c + i - 1)", {
  sums <- function(k, c) vapply(k, \(n) sum(c / (c + (seq_len(n) - 1))), 1)
  k <- c(7, 0, 1, 300)
  for (c in c(1e-8, 0.3, 1, 4, 1e12)) {
    expect_equal(cascade_width(k, 1.7, c), 1.7 * sums(k, c), tolerance = 1e-13)
  }
  expect_equal(cascade_width(k, gamma_prior(3, 2)), 1.5 * sums(k, 1), tolerance = 1e-13)
  expect_identical(cascade_width(numeric(), 2), numeric())
  expect_equal(cascade_width(1e6, 1), log(1e6) - digamma(1) + 0.5e-6, tolerance = 1e-12)
})
