#' Draws from the posterior predictive distribution, and pointwise log likelihoods
#'
#' Normal loadings, which sampling integrates out, are drawn here from their normal conditional, for
#' every draw of Z used; nonnegative ones, and those of `noise = "column"` or of the sampler
#' `"parallel"`, are those of the draw. A
#' fit by optimisation has one Z, or probabilities to draw it from, and one `sigma_x`; its loadings
#' are drawn from their posterior, anew for each draw.
#' The weights and biases of [fit_logistic()], and the weights and loadings of [fit_nmf()], are
#' those of the draw, and so are the activations of [fit_cascade()]; of a fit by [method_icm()],
#' which has one draw, `log_lik()` gives one row.
#'
#' @param object A fit by [fit_gaussian()], [fit_logistic()], [fit_factor()], [fit_nmf()] or [fit_cascade()], whose
#'   `simulate()` is [another][simulate.fit_cascade].
#' @param newdata `NULL` for the rows of the data, or new rows, as [predict()][predict.buffet_fit]
#'   takes them, with its errors; see New rows.
#' @param ndraws (positive integer, `Inf` or `NULL`) How many evenly spaced draws to use. `NULL`: 200,
#'   for `log_lik()` 1000; `Inf`: all of a fit by sampling. See [ndraws].
#' @param nsim (positive integer) Number of simulated data sets.
#' @param by (string) What a column of `log_lik()` is: an observed `"entry"` of the data, or a
#'   `"row"`.
#' @param seed (whole number or `NULL`) As in [stats::simulate()].
#' @param ... Must be empty.
#' @return
#' * `posterior_predict()`: array of draws x N x D, replicated data with the same features; of
#'   binary data 0 and 1. With `newdata` N is the number of its rows.
#' * `posterior_epred()`: an array like that of the means of the data given all of each draw, without
#'   the noise; of binary data probabilities of a 1.
#' * `simulate()`: list of `nsim` N x D matrices of the same kind.
#' * `log_lik()`: matrix of draws x observed entries (in column-major order) or draws x N, log
#'   density of each given its row's features, the loadings and `sigma_x`, or log probability given
#'   the features, weights and biases; [loo::loo()][loo.fit_mcmc] takes the fit itself, see Leaving
#'   one out. Loadings that a fit does not hold are drawn anew at every call, from R's generator:
#'   `set.seed()` governs.
#' * `logLik()`: the `log_lik` of the point estimate [features()], of
#'   [as_draws()][as_draws.fit_mcmc]; for a fit by [method_meibp()] that at its mean loadings and
#'   noise. A `logLik` object whose degrees of freedom are `NA`: the number of parameters is not
#'   fixed.
#' @section New rows:
#' Each draw gives a new row features, or factors, weights or activations, that are drawn given
#' its entries that are not `NA`, those that only this row has included; from these come its means
#' and, with noise, a replicate of all its entries. So over the draws missing entries have their
#' posterior predictive distribution, and [predict()][predict.buffet_fit] is the mean of either.
#' Features climb five times from none, and are then drawn ten times. Normal loadings of data without
#' missing entries are integrated out, so that what the row says of them counts; other loadings are
#' those of a draw. A fit by optimisation has the features that `predict()` finds, or draws them from
#' their probabilities; of one by [method_icm()] weights are modes.
#'
#' New rows are refused where `predict()` refuses them, and for `sparse = "factors"` of
#' [fit_factor()] and for [fit_topics()], of which `predict()` has the means alone.
#' Random numbers are R's: `set.seed()` governs.
#' @section Leaving one out:
#' What `loo::loo()` makes of `log_lik()` can be relied on for those points whose Pareto k is at most
#' 0.7, and on continuous data these are too few: of scaled `USArrests`, `swiss`, `iris`, `mtcars`
#' and `trees` k was above 0.7 for 38, 34, 43, 26 and 42 % of the entries, and for 78, 81, 84, 66
#' and 81 % of the rows. A row's features are its own parameters: without the row nothing is known
#' of them, and without one of few entries too little. With dozens of columns that features
#' explain well, as in images, entries do better.
#'
#' Look at `loo::pareto_k_table()`. Where k is large for more than a few per cent of the points,
#' compare models by K-fold instead: set a tenth of the entries to `NA` at random, fit, ask
#' [heldout_density()] how probable they were, and so on for the other tenths. Rows as a whole are left
#' out by fitting to the others. `vignette("comparing-fits")` does both.
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' dim(posterior_predict(fit, ndraws = 10))
#' new <- block_images(2)
#' new[, 19:36] <- NA
#' dim(posterior_predict(fit, newdata = new, ndraws = 10))
#' logLik(fit)
#' @name posterior_predict.buffet_fit
#' @aliases posterior_predict.fit_gaussian posterior_predict.fit_logistic
NULL

#' @rdname posterior_predict.buffet_fit
#' @export
posterior_predict.buffet_fit <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  if (is.null(newdata)) return(stack_draws(object, ndraws, draw_data))
  stack_new_rows(object, newdata, ndraws, "data")
}

#' @rdname posterior_predict.buffet_fit
#' @importFrom rstantools posterior_epred
#' @export
posterior_epred.buffet_fit <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  if (is.null(newdata)) return(stack_draws(object, ndraws, draw_mean))
  stack_new_rows(object, newdata, ndraws, "mean")
}

#' What a function of a fit and a draw, an N x D matrix, gives for some draws: draws x N x D
#' @noRd
stack_draws <- function(fit, ndraws, of_draw) {
  which <- check_ndrawn(ndraws, fit)
  size <- dim(fit$model$data$x)
  values <- over_draws(which, function(draw) of_draw(fit, draw), matrix(0, size[1], size[2]))
  dim(values) <- c(size, length(which))
  dimnames(values) <- c(data_names(fit) %||% list(NULL, NULL), list(NULL))
  aperm(values, c(3, 1, 2))
}

#' @rdname posterior_predict.buffet_fit
#' @export
log_lik.buffet_fit <- function(object, by = c("entry", "row"), ndraws = NULL, ...) {
  check_no_more(...)
  by <- check_choice(by, c("entry", "row"), "by")
  pointwise_log_lik(object, check_ndrawn(ndraws, object, tail_ndraws), by)
}

#' What log_lik() gives for some draws, draws x observed entries or rows
#' @noRd
pointwise_log_lik <- function(fit, which, by) UseMethod("pointwise_log_lik")

#' @exportS3Method
#' @noRd
pointwise_log_lik.buffet_fit <- function(fit, which, by) {
  x <- as.matrix(in_memory(fit, "log_lik()"))
  observed <- which(!is.na(x))
  pointwise <- over_draws(which, function(draw) {
    densities <- log_densities(fit, x, draw)
    if (by == "entry") densities[observed] else rowSums(densities, na.rm = TRUE)
  }, numeric(if (by == "entry") length(observed) else nrow(x)))
  names <- if (by == "row") rownames(x)
  matrix(pointwise, length(which), byrow = TRUE, dimnames = list(NULL, names))
}

#' As vapply(), with a bar where it takes long
#' @noRd
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
  nsim <- check_count(nsim, "nsim")
  seed <- check_seed(seed)
  seeded(seed, {
    which <- sample.int(length(object$draws), nsim, replace = TRUE)
    lapply(which, function(d) draw_data(object, d))
  })
}

#' @rdname posterior_predict.buffet_fit
#' @importFrom stats logLik
#' @export
logLik.buffet_fit <- function(object, ...) {
  check_no_more(...)
  structure(
    point_log_lik(object),
    df = NA_integer_, nobs = nobs(object), class = "logLik"
  )
}

#' Log likelihood of the point estimate
#' @noRd
point_log_lik <- function(fit) UseMethod("point_log_lik")

#' @exportS3Method
#' @noRd
point_log_lik.buffet_fit <- function(fit) scalar(fit, "log_lik")[fit$point]

#' Data, N x D, from the model of one draw
#' @noRd
draw_data <- function(fit, draw) UseMethod("draw_data")

#' Mean of the data given all of one draw, N x D: without the noise
#' @noRd
draw_mean <- function(fit, draw) UseMethod("draw_mean")

#' Log densities, N x D, of data under the model of one draw
#' @noRd
log_densities <- function(fit, x, draw) UseMethod("log_densities")

#' Data drawn from, and log densities under, a model of every entry: its mean and sigma_x
#' @noRd
draw_normal_entries <- function(model) {
  model$mean + stats::rnorm(length(model$mean), sd = model$sigma_x)
}

normal_log_densities <- function(model, x) {
  stats::dnorm(x, model$mean, model$sigma_x, log = TRUE)
}
