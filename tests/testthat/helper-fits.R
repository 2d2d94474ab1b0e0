# Fits that several tests use, each made once per process. tools/test.R makes the fits that many
# files use before it starts a process for each file.

kept_fits <- getOption("buffet.kept_fits") %||% new.env()
options(buffet.kept_fits = kept_fits)

#' Runs in tests are short, so warnings that their chains do not agree are correct. Only tests that
#' need these warnings receive them. The original function is saved next to its replacement, because
#' all files may be read in one process.
hush_rhat_warnings <- function() {
  plain <- utils::getFromNamespace("with_warning", "buffet")
  if (!is.null(attr(plain, "plain"))) return(invisible())
  utils::assignInNamespace("with_warning", structure(function(fit) fit, plain = plain), "buffet")
}
hush_rhat_warnings()

local_rhat_warnings <- function(frame = parent.frame()) {
  quiet <- utils::getFromNamespace("with_warning", "buffet")
  local_function("with_warning", attr(quiet, "plain"), frame)
}

#' Removes the elements of a fit that record how it was requested, because a fit with a different
#' number of cores, or from a file, is the same fit. In a list of fits, removes them from every fit.
drawn <- function(x) {
  if (inherits(x, "buffet_fit")) {
    kept <- setdiff(names(x), c("call", "data", "args"))
    return(c(class = list(class(x)), unclass(x)[kept]))
  }
  if (is.list(x) && !is.object(x)) return(lapply(x, drawn))
  x
}
expect_identical <- function(object, expected, ...) {
  testthat::expect_identical(drawn(object), drawn(expected), ...)
}

#' The value of `code`, which is evaluated only the first time
once <- function(name, code) {
  if (!exists(name, kept_fits, inherits = FALSE)) assign(name, code, kept_fits)
  get(name, kept_fits)
}

#' A fit with two chains to eight named rows and three named columns, with everything learned
small_data <- function() {
  z <- matrix(c(1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0), 8)
  withr::with_seed(11, {
    x <- draw_gaussian(z, 3, 0.3, 1.5)
  })
  matrix(x, 8, dimnames = list(paste0("row", 1:8), c("p", "q", "r")))
}
small_fit <- function() {
  once("small", quick_fit(small_data(), method = method_gibbs(chains = 2, iter = 600)))
}

#' A fit with more columns than rows, with a learned concentration, and without names
wide_fit <- function() {
  once("wide", quick_fit(
    unname(t(small_data())), prior = prior_ibp(gamma_prior(2, 3), gamma_prior(2, 2)),
    method = method_gibbs(chains = 2, iter = 300)
  ))
}

finite_fit <- function() {
  once("finite", quick_fit(
    small_data(), sigma_x = 0.4, prior = prior_beta_bernoulli(4, 1.5, gamma_prior(3, 3)),
    method = method_gibbs(chains = 2, iter = 300, thin = 2), center = TRUE
  ))
}

#' A fit to noise under a prior that allows no feature
empty_fit <- function() {
  once("empty", {
    x <- withr::with_seed(12, matrix(stats::rnorm(12), 4))
    quick_fit(x, sigma_x = 1, sigma_a = 1, prior = prior_ibp(1e-9))
  })
}

#' Chains for data with so little noise that a sweep changes nothing
still_features <- function() withr::with_seed(1, matrix(stats::rbinom(240, 1, 0.4), 60))
still_fit <- function(init, chains = 1, iter = 1, warmup = 0, ...) {
  x <- withr::with_seed(2, draw_gaussian(still_features(), 10, 0.05, 1))
  quick_fit(
    x, sigma_x = 0.05, sigma_a = 1, prior = prior_beta_bernoulli(4, 2), init = init,
    method = method_gibbs(chains, iter, warmup), ...
  )
}

all_fits <- function() {
  list(small = small_fit(), wide = wide_fit(), finite = finite_fit(), empty = empty_fit())
}

#' The three fits that learn features, with their data, which may be centred
fits_with_data <- function() {
  x <- small_data()
  list(
    list(fit = small_fit(), x = x), list(fit = wide_fit(), x = unname(t(x))),
    list(fit = finite_fit(), x = sweep(x, 2, colMeans(x)))
  )
}

#' Expects all functions of a fit to return finite numbers without a warning
expect_usable <- function(fit, diagnosed = FALSE, pictures = TRUE) {
  n <- nobs(fit)
  seen <- !is.na(as.matrix(model_data(fit)))
  new <- if (inherits(fit, "fit_logistic")) round(fitted(fit)) else fitted(fit)
  # Warnings about short runs are correct, so they are ignored.
  silently <- if (diagnosed) expect_no_warning else suppressWarnings
  expect_gt(length(capture.output(print(fit))), 3)
  silently(capture.output(print(summary(fit))))
  numbers <- list(
    as_draws(fit), features(fit), coassignment(fit), fitted(fit), residuals(fit)[seen],
    posterior_predict(fit, ndraws = 3), log_lik(fit, ndraws = 3), simulate(fit, 1, seed = 1)[[1]],
    logLik(fit), predict(fit), loadings_of(fit), predict(fit, type = "features")
  )
  if (!inherits(fit$internal$model$prior, c("prior_pibp", "prior_attraction", "prior_fixed"))) {
    numbers <- c(numbers, list(
      predict(fit, new, ndraws = 2), predict(fit, replace(new, 1, NA), ndraws = 2),
      predict(fit, new[1, , drop = FALSE], type = "features")
    ))
  }
  for (value in numbers) expect_true(all(is.finite(value)))
  expect_identical(dim(fitted(fit)), dim(residuals(fit)))
  expect_identical(nrow(features(fit)), n)
  expect_s3_class(tidy(fit), "tbl_df")
  expect_identical(nrow(tidy(fit, "features")), as.integer(sum(features(fit))))
  expect_identical(nrow(tidy(fit, "loadings")), length(loadings_of(fit)))
  expect_identical(nrow(silently(glance(fit))), 1L)
  augmented <- augment(fit)
  expect_identical(nrow(augmented), n)
  expect_identical(".resid" %in% names(augmented), !has_families(fit$internal$model))
  if (".resid" %in% names(augmented)) {
    expect_identical(is.finite(augmented$.resid), unname(rowSums(seen) > 0))
  }
  if (!pictures) return(invisible())
  columns <- ncol(fitted(fit))
  for (type in plot_types) {
    build_plot(plot(fit, type))
    if (!is_quick() || type %in% c("loadings", "fit")) {
      build_plot(plot(fit, type, dim = c(1, columns)))
    }
  }
}

plot_types <- c("features", "loadings", "trace", "n_features", "coassignment", "fit")

#' Repeated predictions of one new row, as rows of a matrix, each with its own random numbers: the
#' mean response over `takes` repetitions of some draws of the fit, or the features
predict_anew <- function(fit, row, times, takes = 1, draws = seq_along(fit$feature_draws),
                         type = "response") {
  rows <- new_row_data(fit, row)
  which <- rep(draws, takes)
  one <- function(seed) {
    fit$seed <- seed
    if (type == "features") return(as.vector(new_features(fit, rows)))
    as.vector(from_model_units(fit, new_response(fit, rows, which)))
  }
  do.call(rbind, lapply(seq_len(times), one))
}
