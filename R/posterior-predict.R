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
#' @param ndraws (positive integer) How many evenly spaced draws to use; of a variational posterior
#'   as many as one likes, independent.
#' @param nsim (positive integer) Number of simulated data sets.
#' @param by (string) What a column of `log_lik()` is: an observed `"entry"` of the data, or a
#'   `"row"`.
#' @param seed (whole number or `NULL`) As in [stats::simulate()].
#' @param ... Must be empty.
#' @return
#' * `posterior_predict()`: array of draws x N x D, replicated data with the same features; of
#'   binary data 0 and 1.
#' * `posterior_epred()`: an array like that of the means of the data given all of each draw, without
#'   the noise; of binary data probabilities of a 1.
#' * `simulate()`: list of `nsim` N x D matrices of the same kind.
#' * `log_lik()`: matrix of draws x observed entries (in column-major order) or draws x N, log
#'   density of each given its row's features, the loadings and `sigma_x`, or log probability given
#'   the features, weights and biases; [loo::loo()][loo.fit_mcmc] takes the fit itself. Loadings
#'   that a fit does not hold are drawn anew at every call, from R's generator: `set.seed()` governs. By
#'   entry its estimates are usually sound, as its Pareto k show: a row's features hardly depend on
#'   one entry. By row they are not: a row's features are its own parameters, and without the row
#'   nothing is known of them. See `vignette("comparing-fits")`.
#' * `logLik()`: the `log_lik` of the point estimate [features()], of
#'   [as_draws()][as_draws.fit_mcmc]; for a fit by [method_meibp()] that at its mean loadings and
#'   noise. A `logLik` object whose degrees of freedom are `NA`: the number of parameters is not
#'   fixed.
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' dim(posterior_predict(fit, ndraws = 10))
#' logLik(fit)
#' @name posterior_predict.buffet_fit
#' @aliases posterior_predict.fit_gaussian posterior_predict.fit_logistic
NULL

#' @rdname posterior_predict.buffet_fit
#' @export
posterior_predict.buffet_fit <- function(object, ndraws = most_draws(object, 100), ...) {
  check_no_more(...)
  stack_draws(object, ndraws, draw_data)
}

#' @rdname posterior_predict.buffet_fit
#' @importFrom rstantools posterior_epred
#' @export
posterior_epred.buffet_fit <- function(object, ndraws = most_draws(object, 100), ...) {
  check_no_more(...)
  stack_draws(object, ndraws, draw_mean)
}

#' What a function of a fit and a draw, an N x D matrix, gives for some draws: draws x N x D
#' @noRd
stack_draws <- function(fit, ndraws, of_draw) {
  which <- check_ndraws(check_count(ndraws, "ndraws"), fit)
  size <- dim(fit$model$data$x)
  values <- vapply(which, function(draw) of_draw(fit, draw), matrix(0, size[1], size[2]))
  dim(values) <- c(size, length(which))
  dimnames(values) <- c(data_names(fit) %||% list(NULL, NULL), list(NULL))
  aperm(values, c(3, 1, 2))
}

#' @rdname posterior_predict.buffet_fit
#' @export
log_lik.buffet_fit <- function(object, by = c("entry", "row"), ndraws = most_draws(object, 1000),
                               ...) {
  check_no_more(...)
  by <- check_choice(by, c("entry", "row"), "by")
  pointwise_log_lik(object, check_ndraws(ndraws, object), by)
}

#' What log_lik() gives for some draws, draws x observed entries or rows
#' @noRd
pointwise_log_lik <- function(fit, which, by) UseMethod("pointwise_log_lik")

#' @exportS3Method
#' @noRd
pointwise_log_lik.buffet_fit <- function(fit, which, by) {
  x <- as.matrix(in_memory(fit, "log_lik()"))
  observed <- which(!is.na(x))
  pointwise <- vapply(which, function(draw) {
    densities <- log_densities(fit, x, draw)
    if (by == "entry") densities[observed] else rowSums(densities, na.rm = TRUE)
  }, numeric(if (by == "entry") length(observed) else nrow(x)))
  names <- if (by == "row") rownames(x)
  matrix(pointwise, length(which), byrow = TRUE, dimnames = list(NULL, names))
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

#' As many draws as there are, up to a number
#' @noRd
most_draws <- function(fit, n) UseMethod("most_draws")

#' @exportS3Method
#' @noRd
most_draws.fit_mcmc <- function(fit, n) min(n, length(fit$draws))

#' @exportS3Method
#' @noRd
most_draws.fit_point <- function(fit, n) n

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
