# method_beam(), a beam search for the most probable features.

quick_beam <- function(x, ..., method = method_beam(5, 8, 2)) {
  fit_gaussian(x, ..., method = method, verbose = FALSE)
}
images <- withr::with_seed(1, sim_images(60, sigma = 0.2))
x <- bare(images)
beam_fit <- function() once("beam", quick_beam(x))
beam_holes <- function() once("beam holes", quick_beam(with_holes(small_data(), 5)))

test_that("the features and the standard deviations of easy data are found", {
  fit <- beam_fit()
  expect_s3_class(fit, c("fit_gaussian", "fit_point", "buffet_fit"), exact = TRUE)
  expect_equal(sorted_columns(features(fit)), sorted_columns(attr(images, "features")))
  expect_equal(tidy(fit)$estimate[2], 0.2, tolerance = 0.1)
  expect_false(is.unsorted(objective(fit)))
  expect_identical(objective(fit)[length(objective(fit))], glance(fit)$bound)
  expect_match(format(fit), "^Log joint density: -", all = FALSE)
})

test_that("without a limit, the result and its joint density agree with enumeration", {
  small <- matrix(c(1.9, -0.4, 1.2, 0.3, 1.6, -1.1), 3)
  counts <- class_counts(3, 4)
  lik <- spectral_log_lik(spectra(small, shared_counts(counts, 3)), 0.7, 1.3)
  check <- function(prior, log_prior) {
    fit <- quick_beam(
      small, sigma_x = 0.7, sigma_a = 1.3, prior = prior, method = method_beam(Inf, 4)
    )
    best <- which.max(log_prior + lik)
    expect_equal(objective(fit), (log_prior + lik)[best], tolerance = 1e-10)
    expected <- histories(3)[, rep(seq_len(7), counts[best, ]), drop = FALSE]
    expect_equal(sorted_columns(features(fit)), sorted_columns(expected))
  }
  check(prior_ibp(1.4), log_prior_ibp(counts, 3, 1.4))
  check(prior_ibp(0.8, 2.5), log_prior_ibp(counts, 3, 0.8, 2.5))
  check(prior_ibp(1.1, 0.6, 0.4), log_prior_ibp(counts, 3, 1.1, 0.6, 0.4))
  check(prior_beta_bernoulli(4, 1.7, 1.5), log_prior_finite(counts, 3, 4, 1.7, 1.5))
})

test_that("the objective is the joint density, which includes the log precisions if learned", {
  x <- small_data()
  prior_x <- gamma_prior(2, 0.7)
  prior_a <- gamma_prior(1.5, 3)
  joint <- function(z, tau_x, tau_a) {
    covariance <- diag(nrow(x)) / tau_x + tcrossprod(z) / tau_a
    root <- chol(covariance)
    whitened <- backsolve(root, x, transpose = TRUE)
    log_lik <- -0.5 * sum(whitened^2) - ncol(x) * (sum(log(diag(root))) + nrow(x) * log(2 * pi) / 2)
    # The density of log(tau) is the density of tau multiplied by tau.
    dibp(z, 1.3, log = TRUE) + log_lik + stats::dgamma(tau_x, 2, 0.7, log = TRUE) + log(tau_x) +
      stats::dgamma(tau_a, 1.5, 3, log = TRUE) + log(tau_a)
  }
  fit <- quick_beam(x, prior = prior_ibp(1.3), sigma_x = prior_x, sigma_a = prior_a)
  sigma <- tidy(fit)$estimate[match(c("sigma_x", "sigma_a"), tidy(fit)$term)]
  z <- features(fit)
  expect_gt(ncol(z), 0)
  best <- joint(z, sigma[1]^-2, sigma[2]^-2)
  expect_equal(glance(fit)$bound, best, tolerance = 1e-8)
  for (by in c(0.99, 1.01)) {
    expect_lt(joint(z, (sigma[1] * by)^-2, sigma[2]^-2), best)
    expect_lt(joint(z, sigma[1]^-2, (sigma[2] * by)^-2), best)
  }
})

test_that("loadings have their posterior given the features and the observed entries", {
  fit <- beam_holes()
  x <- with_holes(small_data(), 5)
  z <- features(fit)
  sigma <- tidy(fit)$estimate[2:3]
  for (d in 1:3) {
    seen <- !is.na(x[, d])
    precision <- crossprod(z[seen, ]) / sigma[1]^2 + diag(ncol(z)) / sigma[2]^2
    mean <- solve(precision, crossprod(z[seen, ], x[seen, d])) / sigma[1]^2
    expect_equal(loadings_of(fit)[, d], mean[, 1], tolerance = 1e-8)
    expect_equal(attr(loadings_of(fit), "sd")[, d], sqrt(diag(solve(precision))), tolerance = 1e-8)
  }
  expect_equal(as.vector(fitted(fit)), as.vector(z %*% bare(loadings_of(fit))), tolerance = 1e-10)
  expect_true(all(is.finite(heldout_density(fit, small_data()))))
})

test_that("the result depends neither on the order of rows and columns nor on the seed", {
  same <- function(a, b) {
    expect_equal(objective(a), objective(b), tolerance = 1e-8)
    expect_equal(features(a), features(b), ignore_attr = TRUE)
  }
  x <- small_data()
  fit <- quick_beam(x)
  same(quick_beam(x[, 3:1]), fit)
  wide <- cbind(x, matrix(0, 8, 8))
  same(quick_beam(wide), quick_beam(Matrix::Matrix(wide, sparse = TRUE)))
  expect_equal(objective(quick_beam(x[8:1, ])), objective(fit), tolerance = 1e-8)
  same(quick_beam(x, seed = 7), fit)
  same(quick_beam(x, init = matrix(0, 8, 2)), fit)
  same(quick_beam(x + 3, center = TRUE), quick_beam(x, center = TRUE))
})

test_that("a fit respects the limit on the number of features", {
  for (most in 1:3) {
    expect_identical(glance(quick_beam(x, method = method_beam(3, most)))$n_features, most)
  }
  expect_lte(glance(quick_beam(x, prior = prior_beta_bernoulli(2, 1)))$n_features, 2)
  noise <- withr::with_seed(12, matrix(stats::rnorm(12), 4))
  none <- quick_beam(noise, sigma_x = 1, sigma_a = 1, prior = prior_ibp(1e-9))
  expect_identical(ncol(features(none)), 0L)
  expect_true(all(fitted(none) == 0))
  expect_true(all(is.finite(posterior_predict(none, ndraws = 2))))
})

test_that("method_beam() is described in one line", {
  expect_identical(format(method_beam(7, 9, 0)), "beam search: width 7, at most 9 features")
  expect_identical(
    format(method_beam(Inf)),
    "beam search: width Inf, at most 20 features, looking 5 rows ahead"
  )
})

test_that("models without a beam search are rejected", {
  x <- small_data()
  refused <- function(name, ...) {
    expect_error(quick_beam(x, ...), sprintf("^`%s` must [^\n]+, not [^\n]+\\.$", name))
  }
  refused("loadings", loadings = "nonnegative")
  refused("method", noise = "column")
  refused("prior", prior = prior_pibp(caterpillar(8, rownames(x))))
  refused("prior", prior = prior_fixed(diag(8)))
  refused("concentration", prior = prior_ibp(concentration = gamma_prior(1, 1)))
  refused("alpha", prior = prior_beta_bernoulli(3))
  refused("init", init = diag(8))
  refused("init", init = list(alpha = 2))
  refused("init", init = list(list(alpha = 2)))
  expect_error(quick_beam(row_blocks(function(i) x, 1)), "^`method` must")
})

test_that("`init` gives the initial standard deviations", {
  fit <- quick_beam(x, init = list(sigma_x = 0.2, sigma_a = 0.5))
  expect_equal(objective(fit)[length(objective(fit))], glance(beam_fit())$bound, tolerance = 1e-4)
  expect_lt(length(objective(fit)), length(objective(beam_fit())))
})
