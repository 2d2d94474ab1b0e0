test_that("every argument of simulate() on a prior is checked", {
  expect_refusals(\(x) simulate(prior_ibp(), nsim = x, rows = 2), "nsim", not_counts)
  expect_refusals(\(x) simulate(prior_ibp(), seed = x, rows = 2), "seed", not_seeds)
  for (prior in list(prior_ibp(), prior_beta_bernoulli(2))) {
    expect_refusals(\(x) simulate(prior, rows = x), "rows", not_counts)
  }
})

test_that("a seed gives the same matrices and leaves R's generator where it was", {
  set.seed(5)
  before <- .Random.seed
  one <- simulate(prior_ibp(), nsim = 3, seed = 1, rows = 4)
  expect_identical(.Random.seed, before)
  expect_identical(simulate(prior_ibp(), nsim = 3, seed = 1, rows = 4), one)
  expect_false(identical(simulate(prior_ibp(), nsim = 3, seed = 2, rows = 4), one))
  expect_identical(as.integer(attr(one, "seed")), 1L)
  expect_identical(attr(attr(one, "seed"), "kind"), as.list(RNGkind()))
})

test_that("without a seed the generator's state is kept, and set.seed() governs", {
  set.seed(5)
  before <- .Random.seed
  one <- simulate(prior_beta_bernoulli(3), nsim = 2, rows = 4)
  expect_identical(attr(one, "seed"), before)
  set.seed(5)
  expect_identical(simulate(prior_beta_bernoulli(3), nsim = 2, rows = 4), one)
  expect_false(identical(simulate(prior_beta_bernoulli(3), nsim = 2, rows = 4), one))
})

test_that("a failing draw leaves R's generator where it was", {
  set.seed(5)
  before <- .Random.seed
  expect_error(simulate(prior_ibp(), seed = 1, rows = -1))
  expect_identical(.Random.seed, before)
})

test_that("each matrix carries the hyperparameters it was drawn with", {
  z <- simulate(prior_ibp(2, concentration = 3), nsim = 2, seed = 1, rows = 4)
  expect_identical(lapply(z, attr, "alpha"), list(2, 2))
  expect_identical(lapply(z, attr, "concentration"), list(3, 3))
  z <- simulate(prior_beta_bernoulli(6), nsim = 2, seed = 1, rows = 4)
  expect_identical(lapply(z, dim), list(c(4L, 6L), c(4L, 6L)))
})

test_that("learned hyperparameters are drawn from their gamma prior for every matrix", {
  prior <- prior_ibp(gamma_prior(2, 3), gamma_prior(4, 5))
  z <- simulate(prior, nsim = 4000, seed = 1, rows = 3)
  alpha <- vapply(z, attr, 1, "alpha")
  concentration <- vapply(z, attr, 1, "concentration")
  expect_gt(ks.test(alpha, "pgamma", 2, 3)$p.value, 1e-4)
  expect_gt(ks.test(concentration, "pgamma", 4, 5)$p.value, 1e-4)
  expect_lt(abs(cor(alpha, concentration)), 0.07)
  first <- vapply(z, \(z) sum(z[1, ]), 1)
  expect_law(first, \(k) dnbinom(k, 2, 3 / (3 + 1)))
})

test_that("learned alpha of the finite prior governs its matrices", {
  z <- simulate(prior_beta_bernoulli(1, gamma_prior(2, 3), 2), nsim = 4000, seed = 1, rows = 1)
  odds <- function(a) a / (1 + a) * dgamma(a, 2, 3)
  p <- integrate(odds, 0, Inf)$value
  expect_mean(vapply(z, sum, 1L), p, sqrt(p * (1 - p)))
})
