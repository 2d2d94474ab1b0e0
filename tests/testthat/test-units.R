# Fits do not depend on the units of the data, because default priors are scaled by the data.

unit_sets <- function() {
  list(
    trees = as.matrix(datasets::trees), air = as.matrix(datasets::airquality[1:40, 1:4]),
    images = withr::with_seed(1, sim_images(25))
  )
}

quiet_fit <- function(by, x, ..., method = method_gibbs(2, 60)) {
  suppressMessages(suppressWarnings(by(x, ..., method = method, seed = 1, verbose = FALSE)))
}

#' Compares fits to x and to c x, which must have the same features. In units of c, the standard
#' deviations and the density of all observed entries must be the same.
expect_same_in_units <- function(fit, scaled, c) {
  expect_identical(scaled$feature_draws, fit$feature_draws)
  sizes <- intersect(c("sigma_x", "sigma_a"), dimnames(fit$internal$scalars)[[3]])
  expect_equal(
    scaled$internal$scalars[, , sizes] / c, fit$internal$scalars[, , sizes], tolerance = 1e-5
  )
  if (!"log_lik" %in% dimnames(fit$internal$scalars)[[3]]) return(invisible())
  shift <- count_observed(model_data(fit)) * log(c)
  expect_equal(
    scaled$internal$scalars[, , "log_lik"] + shift, fit$internal$scalars[, , "log_lik"],
    tolerance = 1e-8
  )
}

expect_no_units <- function(by, ..., sets = unit_sets()[sized(1:2, 1:3)],
                            units = sized(c(2^10, 1e-6), c(2^-10, 2^10, 1e-6))) {
  for (x in sets) {
    fit <- quiet_fit(by, x, ...)
    for (c in units) expect_same_in_units(fit, quiet_fit(by, c * x, ...), c)
  }
}

test_that("the features that chains draw do not depend on the units of the data", {
  sampler <- function(sampler) method_gibbs(2, 60, sampler = sampler)
  expect_no_units(fit_gaussian)
  expect_no_units(fit_gaussian, center = TRUE, method = sampler("uncollapsed"))
  expect_no_units(fit_gaussian, method = sampler("parallel"))
  expect_no_units(fit_gaussian, "nonnegative", method = sampler("slice"))
  expect_no_units(fit_gaussian, noise = "column")
  expect_no_units(fit_factor)
  expect_no_units(fit_factor, sparse = "factors")
  expect_no_units(fit_nmf, rank = 2)
  # With 272 rows and large numbers, the product of the precisions underflows to 0.
  many <- list(as.matrix(datasets::faithful))
  expect_no_units(fit_factor, weights = "nonnegative", sets = many, units = c(2^-10, 2^10))
})

test_that("the features from methods that do not sample do not depend on the units of the data", {
  for (method in list(method_variational(6), method_power_ep(6), method_beam())) {
    expect_no_units(fit_gaussian, method = method, units = c(2^-10, 1e6))
  }
  expect_no_units(fit_gaussian, "nonnegative", method = method_meibp(8), units = c(2^-10, 1e6))
  for (x in unit_sets()) {
    fits <- lapply(c(1, 2^10, 2^-20), function(c) {
      fitted(quiet_fit(fit_nmf, c * x, 2, method = method_icm())) / c
    })
    expect_equal(fits[[2]], fits[[1]], tolerance = 1e-6)
    expect_equal(fits[[3]], fits[[1]], tolerance = 1e-6)
  }
})

test_that("the unit of a cascade is the range of the data", {
  x <- datasets::trees
  run <- function(c) quiet_fit(fit_cascade, c * x, method = method_gibbs(1, 40))
  expect_equal(fitted(run(2^-20)) * 2^20, fitted(run(1)), tolerance = 1e-8)
})

rates_of <- function(fit) vapply(fit$internal$model$sigma, function(s) s$rate[1], 0)

test_that("default rates are variances of the observed entries, for data in any form", {
  x <- withr::with_seed(3, matrix(stats::rpois(60, 0.4) * 3, 12))
  variance <- stats::var(as.vector(x))
  for (form in list(x, Matrix::Matrix(x, sparse = TRUE), in_blocks(x, c(4, 7, 12)))) {
    fit <- quiet_fit(fit_gaussian, form, "nonnegative", method = method_meibp(2))
    expect_equal(unname(rates_of(fit)), rep(variance, 2))
  }
  fit <- quiet_fit(fit_gaussian, x, noise = "column")
  expect_equal(fit$internal$model$sigma$sigma_x$rate, apply(x, 2, stats::var))
  holes <- replace(x, 3:9, NA)
  scaled <- scale(holes)
  expect_equal(
    rates_of(quiet_fit(fit_gaussian, holes, scale = TRUE))[["sigma_a"]],
    stats::var(as.vector(scaled), na.rm = TRUE)
  )
  factors <- quiet_fit(fit_factor, x)
  centred <- as.vector(sweep(x, 2, colMeans(x)))
  expect_equal(factors$internal$model$sigma$sigma_a$rate, stats::var(centred))
  nmf <- quiet_fit(fit_nmf, x, 2)
  expect_equal(nmf$internal$model$rate_w, 1)
  expect_equal(nmf$internal$model$rate_a, 1 / stats::sd(x))
  # Equal entries have variance 0, so the rate is their square, or 1 if they are 0.
  expect_equal(unname(rates_of(quiet_fit(fit_gaussian, matrix(5, 3, 2)))), c(25, 25))
  expect_equal(unname(rates_of(quiet_fit(fit_gaussian, matrix(0, 3, 2)))), c(1, 1))
})

test_that("given priors are not scaled, and update() recomputes priors that were not given", {
  x <- unit_sets()$trees
  fit <- quiet_fit(fit_gaussian, x, sigma_a = gamma_prior(2, 3))
  expect_identical(fit$internal$model$sigma$sigma_a, gamma_prior(2, 3))
  again <- suppressMessages(update(fit, x = 10 * x, verbose = FALSE))
  expect_identical(again$internal$model$sigma$sigma_a, gamma_prior(2, 3))
  expect_equal(again$internal$model$sigma$sigma_x$rate, 100 * fit$internal$model$sigma$sigma_x$rate)
  literal <- suppressMessages(update(fit, sigma_x = gamma_prior(1, 1), verbose = FALSE))
  expect_identical(literal$internal$model$sigma$sigma_x, gamma_prior(1, 1))
  factors <- quiet_fit(fit_factor, x)
  again <- suppressMessages(update(factors, x = 10 * x, verbose = FALSE))
  before <- factors$internal$model$sigma
  after <- again$internal$model$sigma
  expect_equal(after$sigma_a$rate, 100 * before$sigma_a$rate)
  expect_equal(after$sigma_x$rate, 100 * before$sigma_x$rate)
  nmf <- quiet_fit(fit_nmf, x, 2, rate_w = 3)
  again <- suppressMessages(update(nmf, x = 10 * x, verbose = FALSE))
  expect_equal(again$internal$model$rate_w, 3)
  expect_equal(again$internal$model$rate_a, nmf$internal$model$rate_a / 10)
})

test_that("prior_summary() shows every prior with its numbers", {
  short <- method_gibbs(1, 4)
  shown <- function(fit) {
    table <- prior_summary(fit)
    stats::setNames(table$prior, table$parameter)
  }
  x <- unit_sets()$trees
  of <- shown(quiet_fit(fit_gaussian, x, method = method_gibbs(1, 4, max_features = 7)))
  law <- sprintf("Gamma(shape = 1, rate = %s) on 1/sigma^2", format(stats::var(c(x)), digits = 4))
  # In src/gaussian/gaussian_scales.h, least_rho is 1e-6, the square of 1 / 1000.
  expect_identical(of[["sigma_x"]], paste0(law, ", sigma_x at least sigma_a / 1000"))
  others <- unname(of[c("sigma_a", "loadings", "max_features")])
  expect_identical(others, c(law, "N(0, sigma_a^2)", "7"))
  data <- withr::with_seed(1, data.frame(
    a = stats::rnorm(20), b = factor(sample(3, 20, TRUE), ordered = TRUE),
    c = stats::rpois(20, 3), d = stats::rpois(20, 3)
  ))
  families <- c(c = "negative_binomial", d = "poisson")
  of <- shown(quiet_fit(fit_mixed, data, families, method = short))
  # The bounds `least` and `most` in src/likelihood/logistic_scales.h are 1 / 30^2 and 1e4.
  sigma <- "Gamma(shape = 1, rate = 1) on 1/sigma^2, sigma within [0.01, 30]"
  # In src/mixed/ordinal_family.h, the first cut point is 0 if there is a bias, gaps are
  # exponential.
  cuts <- "first 0, gaps between them Exponential(1)"
  expect_identical(
    unname(of[c("sigma_w", "sigma_b", "weights", "biases", "cut_points")]),
    c(sigma, sigma, "N(0, sigma_w^2)", "N(0, sigma_b^2)", cuts)
  )
  # In src/mixed/negative_binomial_family.h, log size is N(1, 2^2), within exp(-7) and exp(7).
  expect_match(of[["size"]], "log(size) ~ N(1, 2^2), size within [exp(-7), exp(7)]", fixed = TRUE)
  times <- paste(format(100 * mean(data$d), digits = 4), "(100 times the mean)")
  expect_identical(of[["size_poisson"]], times)
  of <- shown(quiet_fit(fit_mixed, data[2:1], bias = FALSE, method = short))
  expect_identical(of[["cut_points"]], "first N(0, 1), gaps between them Exponential(1)")
  expect_false(any(c("biases", "sigma_b", "size") %in% names(of)))
  of <- shown(quiet_fit(fit_logistic, x > 20, method = short))
  laws <- unname(of[c("sigma_a", "sigma_b", "loadings")])
  expect_identical(laws, c(sigma, sigma, "N(0, sigma_a^2)"))
  of <- shown(quiet_fit(fit_factor, x, weights = "laplace", method = short))
  expect_identical(of[["loadings"]], "Laplace(0, 1)")
  expect_match(of[["sigma_a"]], "times Gamma(shape = 1, rate = 1) of each feature", fixed = TRUE)
  of <- shown(quiet_fit(fit_nmf, x, 2))
  rate <- sprintf("Exponential(%s)", format(1 / stats::sd(x), digits = 4))
  expect_identical(unname(of[c("weights", "loadings")]), c("Exponential(1)", rate))
})
