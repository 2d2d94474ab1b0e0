# Where rounding errors or the priors' own scale have led chains astray.

test_that("with little noise a chain that starts at the truth stays near it", {
  # 16 features that overlap, in 8 columns: a hundredth of the loadings' size in noise tells all.
  for (seed in c(2, 6, 7)) {
    x <- withr::with_seed(seed, draw_gaussian(draw_buffet(30, 3), 8, 0.01, 1))
    z <- attr(x, "features")
    truth <- naive_log_lik(x, z, 0.01, 1) + dibp(z, 3, log = TRUE)
    fit <- within(60, quick_fit(
      x, sigma_x = 0.01, sigma_a = 1, prior = prior_ibp(3), init = z,
      method = method_gibbs(chains = 2, iter = 50, warmup = 0)
    ))
    # A draw of the posterior may be worse than the truth, but not by a hundred nats.
    expect_gt(min(scalars_of(fit)[, "log_joint"]), truth - 100)
  }
})

test_that("a row far from all others does not take ever more features of its own", {
  for (seed in 1:3) {
    x <- withr::with_seed(seed, sim_images(50))
    x[3, 3] <- 1e4
    fit <- within(20, quick_fit(x, method = method_gibbs(chains = 2, iter = 300)))
    expect_lt(max(scalars_of(fit)[, "n_features"]), 50)
  }
})

test_that("nonnegative loadings may be fitted with very little noise", {
  z <- matrix(c(1, 1, 1, 0, 0, 0, 0, 1, 1, 1), 5)
  x <- z %*% matrix(c(3, 1, 0.5, 2), 2)
  for (sampler in c("uncollapsed", "slice")) {
    fit <- within(60, quick_fit(
      x, loadings = "nonnegative", sigma_x = 5e-4, sigma_a = 1,
      method = method_gibbs(chains = 2, iter = 100, sampler = sampler)
    ))
    expect_true(all(is.finite(scalars_of(fit))))
  }
  expect_error(quick_fit(x, sigma_x = 5e-4, sigma_a = 1), "^`sigma_x` must .* a thousandth of ")
})

# Under gamma priors of small shape most draws are below what doubles hold.

vague <- list(gamma_prior(0.001, 0.001), gamma_prior(0.01, 0.01))
noise <- withr::with_seed(1, matrix(rnorm(20), 10))
short_run <- method_gibbs(chains = 2, iter = sized(300, 2000))

expect_finite <- function(fit) {
  draws <- scalars_of(fit)
  expect_true(all(is.finite(draws)))
  expect_true(all(is.finite(scalar(fit, "log_joint"))))
  # A fit is a start, too, whatever it has drawn.
  again <- suppressWarnings(suppressMessages(update(fit, init = fit, iter = 4)))
  expect_s3_class(again, "buffet_fit")
}

test_that("every draw and density is a number", {
  for (prior in vague) {
    of_alpha <- prior_ibp(prior)
    for (sampler in c("collapsed", "uncollapsed", "slice")) {
      method <- method_gibbs(chains = 2, iter = short_run$iter, sampler = sampler)
      expect_finite(quick_fit(noise, sigma_a = prior, prior = of_alpha, method = method))
    }
    expect_finite(quick_fit(noise, prior = prior_ibp(1, prior), method = short_run))
    expect_finite(suppressWarnings(quick_fit(
      noise, "nonnegative", sigma_a = prior, prior = of_alpha, method = short_run
    )))
    expect_finite(suppressWarnings(fit_choice(
      celebrities, prior, prior = prior_ibp(1), method = short_run, seed = 1, verbose = FALSE
    )))
    expect_finite(suppressWarnings(fit_factor(
      noise, prior = of_alpha, method = short_run, seed = 1, verbose = FALSE
    )))
    expect_finite(suppressWarnings(fit_logistic(
      noise > 0, prior = of_alpha, method = short_run, seed = 1, verbose = FALSE
    )))
  }
})

# What becomes of features where columns have other units than the model supposes.

# Fits without features say so, and look for some first; fits with too many say that, too.

quiet <- function(x, ...) fit_gaussian(x, ..., seed = 1, verbose = FALSE)
last <- function(fit) objective(fit)[length(objective(fit))]

test_that("methods that end with no feature try the halves of the first principal component", {
  x <- scale(as.matrix(attitude))
  # Without features the bound is that of noise alone, whatever the start: that of random data of
  # the same size and the same columns' sums of squares in which no method finds a feature.
  set.seed(3)
  noise <- scale(matrix(rnorm(length(x)), nrow(x)))
  for (method in list(method_variational(), method_variational(form = "finite"), method_power_ep())) {  # nolint: line_length_linter.
    fit <- quiet(x, method = method)
    none <- suppressWarnings(quiet(noise, method = method))
    expect_identical(ncol(features(none)), 0L)
    expect_gt(ncol(features(fit)), 0)
    expect_gt(last(fit), last(none))
  }
})

test_that("a fit without features warns and says what to change", {
  set.seed(3)
  noise <- matrix(rnorm(120), 20)
  expect_warning(fit <- quiet(noise, method = method_variational()), "no features.*`scale = TRUE`")
  expect_warning(
    quiet(noise, scale = TRUE, method = method_variational()), "better. A smaller fixed"
  )
  expect_identical(ncol(features(fit)), 0L)
  expect_warning(
    quiet(abs(noise), "nonnegative", method = method_meibp(), sigma_x = 5), "no features were found"
  )
  expect_no_warning(quiet(sim_images(40), method = method_variational()))
})

test_that("signed data under nonnegative loadings are told", {
  x <- scale(as.matrix(attitude))
  expect_warning(
    quiet(x, "nonnegative", method = method_gibbs(1, 20)),
    "of the sum of squares of `x` is negative"
  )
  expect_no_warning(quiet(sim_images(40), "nonnegative", method = method_gibbs(1, 20)))
  expect_warning(
    fit_nmf(-as.matrix(swiss), 2, method = method_icm(), seed = 1, verbose = FALSE),
    "100 % of the sum of squares of `x` is negative"
  )
  expect_no_warning(quiet(x, method = method_gibbs(1, 20)))
})

test_that("more features than can be read are told, with what to do", {
  set.seed(1)
  x <- matrix(rnorm(240, sd = 3), 24)
  fit <- quiet(x, sigma_x = 0.5, sigma_a = 1, method = method_gibbs(2, 60))
  expect_gt(mean(as_draws(fit)[, , "n_features"]), 8)
  lines <- format(fit)
  told <- "Too many features to interpret. Try `noise = \"column\"` or `fit_factor()`."
  expect_true(told %in% lines)
  # The advice can be followed: neither sparse data nor other samplers have noise of each column.
  sliced <- quiet(x, sigma_x = 0.5, sigma_a = 1, method = method_gibbs(2, 60, sampler = "slice"))
  told <- "Too many features to interpret. Try `max_features` or `fit_factor()`."
  expect_true(told %in% format(sliced))
  expect_null(other_noise(sliced))
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  sparse <- quiet(sparse, sigma_x = 0.5, sigma_a = 1, method = method_gibbs(2, 60))
  expect_true("Too many features to interpret. Try `max_features`." %in% format(sparse))
  few <- quiet(sim_images(40), method = method_gibbs(1, 60))
  expect_no_match(format(few), "Too many features")
  # It speaks of the point estimate, as all else does, whatever the mean is.
  few$internal$scalars[, , "n_features"] <- 40
  expect_no_match(format(few), "Too many features")
})
