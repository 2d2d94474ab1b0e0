#' Draws from the posterior predictive distribution, and pointwise log likelihoods
#'
#' The loadings, which sampling integrates out, are drawn here from their normal conditional, for
#' every draw of Z used.
#'
#' @param object A fit by [fit_gaussian()].
#' @param ndraws (positive integer) How many evenly spaced draws to use.
#' @param nsim (positive integer) Number of simulated data sets.
#' @param seed (whole number or `NULL`) As in [stats::simulate()].
#' @param ... Ignored.
#' @return
#' * `posterior_predict()`: array of draws x N x D, replicated data with the same features.
#' * `simulate()`: list of `nsim` N x D matrices of the same kind.
#' * `log_lik()`: matrix of draws x N, log density of each row given its features, the loadings and
#'   `sigma_x`. A row's features are parameters of its own, so leave-one-out estimates by importance
#'   sampling (loo) are unreliable here; compare fits by entries held out instead.
#' * `logLik()`: log p(X | Z) of the point estimate [features()], the loadings integrated out; a
#'   `logLik` object whose degrees of freedom are `NA`: the number of parameters is not fixed.
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' dim(posterior_predict(fit, ndraws = 10))
#' logLik(fit)
#' @name posterior_predict.fit_gaussian
NULL

#' @rdname posterior_predict.fit_gaussian
#' @export
posterior_predict.fit_gaussian <- function(object, ndraws = 100, ...) {
  check_no_more(...)
  which <- check_ndraws(check_count(ndraws, "ndraws"), object)
  x <- object$data$x
  replicates <- vapply(which, function(draw) {
    model <- draw_model(object, draw)
    model$mean + stats::rnorm(length(x), sd = model$sigma_x)
  }, x)
  dim(replicates) <- c(dim(x), length(which))
  dimnames(replicates) <- c(dimnames(x) %||% list(NULL, NULL), list(NULL))
  aperm(replicates, c(3, 1, 2))
}

#' @rdname posterior_predict.fit_gaussian
#' @export
log_lik.fit_gaussian <- function(object, ndraws = length(feature_draws(object)), ...) {
  check_no_more(...)
  which <- check_ndraws(ndraws, object)
  x <- object$data$x
  rows <- vapply(which, function(draw) {
    model <- draw_model(object, draw)
    rowSums(stats::dnorm(x, model$mean, model$sigma_x, log = TRUE))
  }, numeric(nrow(x)))
  matrix(rows, length(which), nrow(x), byrow = TRUE, dimnames = list(NULL, rownames(x)))
}

#' @rdname posterior_predict.fit_gaussian
#' @export
simulate.fit_gaussian <- function(object, nsim = 1, seed = NULL, ...) {
  check_no_more(...)
  nsim <- check_count(nsim, "nsim")
  seed <- check_seed(seed)
  seeded(seed, {
    which <- sample.int(length(object$draws), nsim, replace = TRUE)
    lapply(which, function(draw) {
      model <- draw_model(object, draw)
      model$mean + stats::rnorm(length(model$mean), sd = model$sigma_x)
    })
  })
}

#' @rdname posterior_predict.fit_gaussian
#' @importFrom stats logLik
#' @export
logLik.fit_gaussian <- function(object, ...) {
  check_no_more(...)
  structure(
    scalar(object, "log_lik")[object$point],
    df = NA_integer_, nobs = nobs(object), class = "logLik"
  )
}

#' One draw of the whole model: Z A on the data's scale, with A drawn given Z, and sigma_x
#' @noRd
draw_model <- function(fit, draw) {
  z <- fit$draws[[draw]]
  sigma_x <- scalar(fit, "sigma_x")[draw]
  loadings <- loadings_mean(z, centred(fit$data), sigma_x, scalar(fit, "sigma_a")[draw])
  mean <- z %*% draw_loadings(loadings) + rep(fit$data$means, each = nrow(z))
  dimnames(mean) <- dimnames(fit$data$x)
  list(mean = mean, sigma_x = sigma_x)
}

draw_loadings <- function(loadings) {
  if (nrow(loadings$mean) == 0) return(loadings$mean)
  noise <- matrix(stats::rnorm(length(loadings$mean)), nrow(loadings$mean))
  loadings$mean + crossprod(chol(loadings$covariance), noise)
}
