#' Draws from the posterior predictive distribution, and pointwise log likelihoods
#'
#' `posterior_predict()` and `simulate()` draw replicates of the data, `posterior_epred()` returns
#' their means without noise, and `log_lik()` and `logLik()` return log likelihoods.
#'
#' @details
#' ## Which parameters are used
#' All functions use the features and parameters of each draw. Normal loadings of [fit_gaussian()]
#' that the sampler integrates out are drawn given the features of the draw and the data. A fit by
#' optimisation has one estimate of Z (with [method_variational()] and [method_power_ep()]
#' probabilities of features) and of `sigma_x`, and loadings are drawn from their posterior.
#'
#' ## New rows
#' Given each draw, a new row gets features (or factors, weights or activations) that are drawn
#' given its observed entries, as [predict()][predict.buffet_fit] samples them, including features
#' that only this row has. `log_lik()` takes no new rows; use [heldout_density()].
#'
#' @param object A fit. Separate pages describe [data frames][predict.fit_mixed],
#'   [choices][predict.fit_choice] and `simulate()` of [cascades][simulate.fit_cascade].
#' @param newdata (as in [predict()][predict.buffet_fit], or `NULL`) New rows. `NULL`, the default:
#'   the rows of the data.
#' @param ndraws (positive integer, `Inf` or `NULL`) Number of evenly spaced draws. `NULL`, the
#'   default, means all, or at most 1000 for `log_lik()` and fits by optimisation. See [ndraws].
#' @param nsim (positive integer) Number of simulated data sets, each from a random draw.
#' @param by (string) What a column of `log_lik()` represents: an observed `"entry"` (default) or a
#'   `"row"`.
#' @param seed (whole number or `NULL`) Seed of this call, as in [stats::simulate()].
#' @param ... Must be empty.
#' @return
#' * `posterior_predict()`: an array, draws x N x D, of replicated data. Replicates of binary data
#'   are 0 or 1.
#' * `posterior_epred()`: an array of the same size with the mean of every entry given the draw: for
#'   binary data the probability of a 1.
#' * `simulate()`: a list of `nsim` N x D matrices.
#' * `log_lik()`: a matrix, draws x observed entries (in column-major order) or draws x N, of log
#'   densities given the features, loadings and `sigma_x` of the draw. For a document, an entry is
#'   the count of a word times its log probability.
#' * `logLik()`: the log likelihood of the point estimate [features()]: for a fit by sampling, the
#'   variable `log_lik` of [as_draws()][as_draws.fit_mcmc] in that draw; for a fit by optimisation,
#'   the log density at the mean features and loadings, or at the mode ([method_icm()]). Its degrees
#'   of freedom are `NA`.
#'
#' @seealso [pp_check()][pp_check.buffet_fit] plots replicates next to the data.
#' @examples
#' set.seed(1)
#' x <- sim_images(30)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' c(data = sd(x), replicates = mean(apply(posterior_predict(fit, ndraws = 100), 1, sd)))
#' # a new image whose lower half is missing: 90 % intervals for its last pixels
#' new <- sim_images(1)
#' new[, 19:36] <- NA
#' drawn <- posterior_predict(fit, newdata = new, ndraws = 100)
#' round(apply(drawn[, 1, 31:36], 2, quantile, c(0.05, 0.5, 0.95)), 1)
#' @name posterior_predict.buffet_fit
#' @aliases posterior_predict.fit_gaussian posterior_predict.fit_logistic
NULL

#' @rdname posterior_predict.buffet_fit
#' @export
posterior_predict.buffet_fit <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  stack_draws(object, newdata, ndraws, "data")
}

#' @rdname posterior_predict.buffet_fit
#' @importFrom rstantools posterior_epred
#' @export
posterior_epred.buffet_fit <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  stack_draws(object, newdata, ndraws, "mean")
}

# Draws of the `"mean"` or the `"data"` of rows, as an array, draws x rows x columns
stack_draws <- function(fit, newdata, ndraws, what) {
  which <- check_ndrawn(ndraws, fit)
  rows <- if (is.null(newdata)) model_data(fit) else new_row_data(fit, newdata)
  columns <- drawn_columns(fit, what)
  of_draw <- row_drawer(fit, if (!is.null(newdata)) rows, what, apart = TRUE)
  values <- over_draws(which, of_draw, matrix(0, nrow(rows), columns$n))
  # vapply() drops the dimensions of a single number.
  size <- c(nrow(rows), columns$n, length(which))
  aperm(array(values, size, list(rownames(rows), columns$names, NULL)), c(3, 1, 2))
}

# Returns a function of a draw that gives the `"mean"` or the `"data"` of new rows, or of the rows
# of the data if `rows` is NULL
row_drawer <- function(fit, rows, what, apart) {
  if (!is.null(rows)) {
    drawer <- new_row_drawer(fit, rows, apart)
    return(function(draw) drawer(draw)[[what]])
  }
  function(draw) if (what == "mean") draw_mean(fit, draw) else draw_data(fit, draw)
}

#' @rdname posterior_predict.buffet_fit
#' @export
log_lik.buffet_fit <- function(object, by = c("entry", "row"), ndraws = NULL, ...) {
  check_no_new_rows(...)
  by <- check_choice(by, c("entry", "row"), "by")
  pointwise_log_lik(object, check_ndrawn(ndraws, object, tail_ndraws), by)
}

# In other packages, log_lik() has an argument `newdata`.
check_no_new_rows <- function(...) {
  if ("newdata" %in% names(list(...))) {
    why <- "log_lik() is conditional on features, which are drawn with the data"
    instead <- "heldout_density() returns log densities of left-out entries"
    abort_argument("`newdata` must be left out: ", why, "; ", instead, ".")
  }
  check_no_more(...)
}

# Log likelihoods, as a matrix with one row per draw and one column per observed entry, row or pair
pointwise_log_lik <- function(fit, which, by) {
  if (inherits(fit, "fit_choice")) {
    return(log_probabilities(fit, model_data(fit), observed_pairs(fit), which))
  }
  x <- as.matrix(in_memory(fit, "log_lik()"))
  observed <- which(!is.na(x))
  pointwise <- over_draws(which, function(draw) {
    densities <- log_densities(fit, x, draw)
    if (by == "entry") densities[observed] else rowSums(densities, na.rm = TRUE)
  }, numeric(if (by == "entry") length(observed) else nrow(x)))
  names <- if (by == "row") rownames(x)
  matrix(pointwise, length(which), byrow = TRUE, dimnames = list(NULL, names))
}

# vapply() over draws, with a progress bar
over_draws <- function(which, of_draw, value) {
  tick <- draws_ticker(length(which))
  vapply(which, function(draw) {
    out <- of_draw(draw)
    tick()
    out
  }, value)
}

#' @rdname posterior_predict.buffet_fit
#' @export
simulate.buffet_fit <- function(object, nsim = 1, seed = NULL, ...) {
  check_no_more(...)
  check_format(object)
  simulate_from(object, nsim, seed, function(draw) draw_data(object, draw))
}

# Simulates data sets, each from a randomly chosen draw
simulate_from <- function(fit, nsim, seed, of_draw) {
  nsim <- check_count(nsim, "nsim")
  seed <- check_seed(seed)
  seeded(seed, {
    lapply(sample.int(length(fit$feature_draws), nsim, replace = TRUE), of_draw)
  })
}

#' @rdname posterior_predict.buffet_fit
#' @importFrom stats logLik
#' @export
logLik.buffet_fit <- function(object, ...) {
  check_no_more(...)
  check_format(object)
  value <- if (!inherits(object, "fit_gaussian") || samples(object$method)) {
    scalar(object, "log_lik")[object$internal$point]
  } else {
    # The log likelihood at the posterior means of the loadings and of the precision.
    x <- in_memory(object, "logLik()")
    sigma_x <- rep(column_sigmas(object, 1), each = nrow(x))
    sum(stats::dnorm(as.matrix(x), fitted(object), sigma_x, log = TRUE), na.rm = TRUE)
  }
  structure(value, df = NA_integer_, nobs = nobs(object), class = "logLik")
}

# Replicated data, N x D, given a draw
draw_data <- function(fit, draw) UseMethod("draw_data")

# Mean of the data, N x D, given a draw
draw_mean <- function(fit, draw) UseMethod("draw_mean")

# Log densities of the data, N x D, given a draw
log_densities <- function(fit, x, draw) UseMethod("log_densities")

# Mean and standard deviation of every normal entry in a draw, in the units of the data, and
# `items`, the columns with families (fit_factor() only)
normal_entries <- function(fit, draw) {
  if (inherits(fit, "fit_gaussian")) return(draw_model(fit, draw))
  if (inherits(fit, "fit_factor")) return(factor_entries(fit, draw))
  factors <- nmf_factors(fit, draw)
  mean <- factors$weights %*% factors$loadings
  dimnames(mean) <- data_names(fit)
  list(mean = mean, sigma_x = scalar(fit, "sigma_x")[draw])
}

#' @exportS3Method
draw_data.buffet_fit <- function(fit, draw) {
  model <- normal_entries(fit, draw)
  drawn <- model$mean + stats::rnorm(length(model$mean), sd = model$sigma_x)
  cut_items(model$items, drawn, model)
}

#' @exportS3Method
draw_mean.buffet_fit <- function(fit, draw) {
  model <- normal_entries(fit, draw)
  expect_items(model$items, model$mean)
}

#' @exportS3Method
log_densities.buffet_fit <- function(fit, x, draw) {
  model <- normal_entries(fit, draw)
  wide <- widen(fit$internal$model$data, x)
  densities <- stats::dnorm(wide, model$mean, model$sigma_x, log = TRUE)
  weigh_items(model$items, densities, x, model)
}
