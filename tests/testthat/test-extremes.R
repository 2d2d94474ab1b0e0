# Data and hyperparameters at the limits of their ranges, and output during runs.

x <- small_data()
easy <- bare(easy_data())

#' Expects fits with hyperparameters at the limits of their ranges to be finite
#' @param alpha The value of alpha if it is not at a limit of its range.
#' @param most The largest concentration.
expect_finite_at_ends <- function(finite, alpha, most) {
  for (sigma_x in c(1, 1e10, 1e100)) finite(sigma_x = sigma_x, sigma_a = 1)
  finite(sigma_x = 1e100, sigma_a = 1e100)
  for (value in c(1e-300, 1, most)) {
    finite(prior = prior_ibp(alpha, concentration = value))
    finite(prior = prior_beta_bernoulli(3, alpha, concentration = value))
    finite(prior = prior_beta_bernoulli(3, alpha = value))
  }
  finite(prior = prior_ibp(1e-300))
  finite(prior = prior_beta_bernoulli(.Machine$integer.max, alpha))
  for (prior in list(gamma_prior(1e-300, 1), gamma_prior(1, 1e-300), gamma_prior(1, 1e300))) {
    finite(sigma_x = prior)
    finite(sigma_a = prior)
    law <- if (is.numeric(alpha)) prior_ibp(prior) else prior_beta_bernoulli(3, prior)
    finite(prior = law)
  }
}

test_that("hyperparameters at the limits of their ranges give finite draws", {
  short <- method_gibbs(chains = 1, iter = 2)
  finite <- function(...) expect_true(all(is.finite(scalars_of(quick_fit(x, ..., method = short)))))
  expect_finite_at_ends(finite, gamma_prior(1, 1), 1e300)
})

test_that("topic models with extreme priors have finite draws", {
  few <- as.matrix(topic_corpus())[1:6, ]
  for (lengths in c("given", "model")) {
    run <- function(...) {
      draws <- as_draws(suppressMessages(quick_topics(few, lengths, ...)))
      expect_true(all(is.finite(draws)))
    }
    for (prior in list(gamma_prior(1e-3, 1e-3), gamma_prior(1, 1e6), gamma_prior(100, 1))) {
      run(gamma = prior)
      run(eta = prior)
      run(prior = prior_ibp(prior))
    }
  }
})

test_that("method_meibp() with extreme hyperparameters returns a finite fit", {
  finite <- function(...) {
    fit <- quick_point(easy, ...)
    expect_true(is.finite(bound_of(fit)))
    expect_true(all(is.finite(fitted(fit))))
  }
  expect_finite_at_ends(finite, 1, 1e10)
  finite(sigma_a = 1e100)
  finite(sigma_a = 1e-100)
  finite(prior = prior_ibp(1e300))
})

test_that("if an entry is enormous, the noise is not smaller than the rounding error", {
  for (size in c(1e10, 1e99)) {
    fit <- quick_point(replace(easy, 3, size))
    expect_true(is.finite(bound_of(fit)))
    # The relative error of the residual sum of squares is 1e-12 of the sum of squares.
    expect_gte(glance(fit)$sigma_x, 0.99 * size * 1e-6 / sqrt(length(easy) + 2))
  }
})

test_that("having too many cores, threads or features does no harm", {
  run <- function(...) quick_fit(x, method = method_gibbs(chains = 2, iter = 20, ...))
  expect_identical(run(cores = .Machine$integer.max), run())
  expect_identical(quick_point(easy, method = method_meibp(cores = 1000)), easy_point())
  many <- quick_point(easy, method = method_meibp(.Machine$integer.max))
  expect_identical(features(many), features(easy_point()))
  expect_bound(many)
})

test_that("method_meibp() and method_icm() print a description and have the documented defaults", {
  expect_identical(method_meibp(10, 1, 1e-7, "climb", 1, "sweep"), method_meibp(10L))
  expect_identical(method_icm(1, 1e-6, 10000, 1), method_icm())
  expect_output(print(method_meibp()), "^MEIBP: at most 20 features, tolerance 1e-07$")
  expect_output(
    print(method_meibp(5, 3, 1e-4, "double_greedy", update = "row")),
    "^MEIBP: .*, 3 restarts, tolerance 0.0001, double greedy search, loadings updated row by row$"
  )
})

test_that("runs print nothing without a terminal, or with verbose = FALSE", {
  brief <- method_gibbs(chains = 1, iter = 30, refresh = 1)
  for (verbose in c(TRUE, FALSE)) {
    expect_silent(fit_gaussian(x, method = brief, seed = 1, verbose = verbose))
    expect_silent(fit_gaussian(easy, "nonnegative", method = method_meibp(), verbose = verbose))
    expect_silent(fit_nmf(nmf_data(), 2, seed = 1, verbose = verbose))
    expect_silent(fit_nmf(nmf_data(), 2, seed = 1, method = brief, verbose = verbose))
    expect_silent(fit_cascade(cascade_data(20), seed = 1, method = brief, verbose = verbose))
    expect_silent(fit_topics(topic_corpus(), seed = 1, method = brief, verbose = verbose))
  }
})
