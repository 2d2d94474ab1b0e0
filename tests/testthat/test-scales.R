# Cases in which rounding errors or the scale of the priors have led chains astray.

test_that("with little noise, a chain that starts at the truth stays close to it", {
  # There are 16 overlapping features in 8 columns, which are identified because the noise is only a
  # hundredth of the size of the loadings.
  for (seed in c(2, 6, 7)) {
    x <- withr::with_seed(seed, draw_gaussian(draw_buffet(30, 3), 8, 0.01, 1))
    z <- attr(x, "features")
    truth <- naive_log_lik(x, z, 0.01, 1) + dibp(z, 3, log = TRUE)
    fit <- within(60, quick_fit(
      x, sigma_x = 0.01, sigma_a = 1, prior = prior_ibp(3), init = z,
      method = method_gibbs(chains = 2, iter = 50, warmup = 0)
    ))
    # A draw from the posterior may be less probable than the truth, but not by a hundred nats.
    expect_gt(min(scalars_of(fit)[, "log_joint"]), truth - 100)
  }
})

test_that("a row far from all others does not accumulate singletons", {
  for (seed in 1:3) {
    x <- withr::with_seed(seed, sim_images(50))
    x[3, 3] <- 1e4
    fit <- within(20, quick_fit(x, method = method_gibbs(chains = 2, iter = 300)))
    expect_lt(max(scalars_of(fit)[, "n_features"]), 50)
  }
})

test_that("nonnegative loadings can be fitted with very little noise", {
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

# Under gamma priors with a small shape, most draws are below the range of doubles.

vague <- list(gamma_prior(0.001, 0.001), gamma_prior(0.01, 0.01))
noise <- withr::with_seed(1, matrix(rnorm(20), 10))
short_run <- method_gibbs(chains = 2, iter = sized(300, 2000))

expect_finite <- function(fit) {
  draws <- scalars_of(fit)
  expect_true(all(is.finite(draws)))
  expect_true(all(is.finite(scalar(fit, "log_joint"))))
  # Any fit can be used as a start, whatever its draws are.
  again <- suppressWarnings(suppressMessages(update(fit, init = fit, iter = 4)))
  expect_s3_class(again, "buffet_fit")
}

test_that("all draws and densities are finite", {
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

# Features of columns whose units do not suit the model.

# Fits without features are reported after a search, and so are fits with too many features.

quiet <- function(x, ...) fit_gaussian(x, ..., seed = 1, verbose = FALSE)
last <- function(fit) objective(fit)[length(objective(fit))]

test_that("methods that find no feature try the halves along the first principal component", {
  x <- scale(as.matrix(attitude))
  # Without features, the bound is the bound of pure noise, whatever the start is. It is therefore
  # equal to the bound of random data with the same size and the same sums of squares of columns, in
  # which no method finds a feature.
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

test_that("a fit without features gives a warning that says what to change", {
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

test_that("negative data under nonnegative loadings are reported", {
  x <- scale(as.matrix(attitude))
  expect_warning(
    quiet(x, "nonnegative", method = method_gibbs(1, 20)),
    "of the sum of squares of `x` comes from negative entries"
  )
  expect_no_warning(quiet(sim_images(40), "nonnegative", method = method_gibbs(1, 20)))
  expect_warning(
    fit_nmf(-as.matrix(swiss), 2, method = method_icm(), seed = 1, verbose = FALSE),
    "100 % of the sum of squares of `x` comes from negative entries"
  )
  expect_no_warning(quiet(x, method = method_gibbs(1, 20)))
})

misfit_of <- function(fit) {
  said <- gsub("\n *", " ", paste(format(fit), collapse = "\n"))
  regmatches(said, regexpr("Presence or absence may not [^)]*\\): try [^.]*\\.", said))
}

test_that("for data that vary in degree, a hint names other models", {
  set.seed(1)
  x <- matrix(rnorm(240, sd = 3), 24)
  short <- method_gibbs(2, 60)
  fit_noise <- function(x, ...) quiet(x, sigma_x = 0.5, sigma_a = 1, ...)
  fit <- fit_noise(x, method = short)
  n <- ncol(features(fit))
  expect_gte(n, 10)
  text <- "describe these data well (%d features for 10 columns): try %s."
  text <- sprintf(text, n, "`fit_factor()` or `noise = \"column\"`")
  expect_identical(misfit_of(fit), paste("Presence or absence may not", text))
  # Sparse data and other samplers do not support noise = "column", so it is not suggested.
  sliced <- fit_noise(x, method = method_gibbs(2, 60, sampler = "slice"))
  expect_match(misfit_of(sliced), "try `fit_factor()`.", fixed = TRUE)
  expect_null(other_noise(sliced))
  sparse <- fit_noise(Matrix::Matrix(x, sparse = TRUE), method = short)
  expect_match(misfit_of(sparse), "try `max_features`.", fixed = TRUE)
  # There is a hint if there are as many features as columns, unless features are few or known.
  fit$internal$model$data$x <- matrix(0, 24, n + 1)
  fit$internal$shares[] <- 1
  expect_length(misfit_of(fit), 0)
  fit$internal$model$data$x <- matrix(0, 24, n)
  expect_length(misfit_of(fit), 1)
  fit$prior$z <- features(fit)
  expect_length(misfit_of(fit), 0)
})

test_that("features that differ between draws give a hint in every model with binary features", {
  kinds <- kinds_of_fits()
  with <- function(name, shares) {
    fit <- kinds[[name]]
    chains <- nchains(fit)
    n <- ncol(features(fit))
    fit$internal$shares <- matrix(rep_len(shares, n), n, chains)
    fit$internal$model$data$x <- cbind(model_data(fit), matrix(0, nrow(model_data(fit)), 50))
    misfit_of(fit)
  }
  tries <- c(
    gaussian = "`fit_factor()` or `noise = \"column\"`", nonnegative = "`fit_nmf()`",
    logistic = "`fit_factor()` with `families = \"ordinal\"`",
    mixed = "`fit_factor()`"
  )
  for (name in names(tries)) {
    n <- ncol(features(kinds[[name]]))
    if (n < 2) next
    said <- with(name, 0.89)
    text <- sprintf("(features in at least 90 %% of the draws: 0 of %d)", n)
    expect_match(said, text, fixed = TRUE)
    expect_match(said, sprintf("try %s.", tries[[name]]), fixed = TRUE)
    expect_length(with(name, 0.91), 0)
    # Enough of the features recur: one of two, two of three or four, and so on.
    expect_length(with(name, c(0.95, 0.1)), 0)
  }
  expect_length(with("choice", 0), 0)
})

test_that("unstable features of few rows are ignored if another feature recurs", {
  fit <- quiet(sim_images(40), method = method_gibbs(2, 20))
  z <- outer(1:40, c(20, 15, 2, 2, 2), `<=`) + 0L
  fit$features <- z
  fit$feature_draws <- new_feature_draws(40L, rep(5L, 20), rep(raw(40), 20), NULL)
  hint <- function(...) {
    fit$internal$shares <- cbind(c(...), c(...))
    misfit_of(fit)
  }
  expect_length(hint(1, 0, 0, 0, 0), 0)
  expect_length(hint(0, 0, 0, 0, 0), 1)
  # Of the features with few rows, only those that recur count.
  expect_length(hint(0, 0, 1, 0, 0), 1)
  expect_length(hint(0, 0, 1, 1, 0), 0)
  # If chains disagree, only the best chain counts.
  fit$internal$scalars[, 2, "log_joint"] <- 10 + fit$internal$scalars[, 2, "log_joint"]
  fit$internal$scalars[, 1, "log_joint"] <- -10 + fit$internal$scalars[, 1, "log_joint"]
  expect_length(hint(1, 0, 0, 0, 0), 0)
  fit$internal$shares <- cbind(rep(0, 5), rep(1, 5))
  expect_length(misfit_of(fit), 0)
  fit$internal$shares <- cbind(rep(1, 5), rep(0, 5))
  expect_length(misfit_of(fit), 1)
  fit$features[3, 3] <- 1L
  expect_length(hint(1, 0, 0, 0, 0), 1)
})

test_that("data generated from features give no hint, but data generated from an ability do", {
  set.seed(1)
  expect_length(misfit_of(quiet(sim_images(40), method = method_gibbs(2, 600))), 0)
  expect_length(
    misfit_of(quiet(sim_images(40), "nonnegative", method = method_gibbs(2, 600))), 0
  )
  p <- plogis(outer(rnorm(100, 0, 1.5), seq(-2, 2, length = 16), `-`))
  items <- matrix(rbinom(1600, 1, p), 100)
  fit_items <- function(y) {
    suppressMessages(fit_logistic(y, method = method_gibbs(2, 1000), seed = 1, verbose = FALSE))
  }
  expect_length(misfit_of(fit_items(items)), 1)
  blocs <- cbind(rep(0:1, c(110, 90)), rbinom(200, 1, 0.3))
  w <- cbind(rep(c(4, -4, 0), c(6, 6, 4)), rep(c(0, 3, -3), c(8, 4, 4)))
  votes <- matrix(rbinom(3200, 1, plogis(sweep(tcrossprod(blocs, w), 2, rowSums(w) / 2))), 200)
  expect_length(misfit_of(fit_items(votes)), 0)
  expect_length(misfit_of(quiet(scale(USArrests), method = method_gibbs(2, 1000))), 1)
})
