#' Coefficients, noise and covariances of a fit
#'
#' Methods for stats generics. They return the loadings of a fit, its residual standard deviation,
#' and the covariance matrix of the columns of a factor model.
#'
#' @param object A fit; for `vcov()` one by [fit_factor()] with sparse loadings, its default. A fit
#'   with `sparse = "factors"` raises an error.
#' @param ... Must be empty.
#' @return
#' * `coef()` returns the matrix that [loadings_of()] returns, features x columns for most models:
#'   how much each of the [features()] adds to each column. `stats::loadings()` and `fit$loadings`
#'   return the same matrix; [stats::varimax()] needs its transpose, `t(coef(fit))`.
#' * `sigma()` returns one number, the posterior mean of the standard deviation of the noise,
#'   `sigma_x`. If every column has its own standard deviation, it is the posterior mean of their
#'   root mean square; the attribute `"sigma_x"` of [loadings_of()] contains the standard deviation
#'   of each column. With `scale = TRUE`, `sigma()` refers to the scaled columns and the attribute
#'   to the units of the data. Only fits by [fit_gaussian()], [fit_factor()] and [fit_nmf()] have
#'   noise; other fits raise an error.
#' * `vcov()` returns the posterior mean, over all saved draws, of the covariance matrix that the
#'   model implies, \eqn{G G' + \Psi}{G G' + Psi}, where G contains the loadings of factors scaled
#'   to variance 1, and \eqn{\Psi} is the diagonal matrix of the variances of the noise. It is a
#'   symmetric, positive definite D x D matrix in the units of the data. Its rows and columns have
#'   the names of the columns of the data.
#' @details Stats generics that are not defined for fits raise an error that names the function to
#'   call instead. `deviance()`, `AIC()`, `BIC()`, `df.residual()` and `anova()` need a fixed number
#'   of parameters, which these models do not have; [compare_heldout()] compares fits. `formula()`,
#'   `terms()`, `model.frame()` and `model.matrix()` need a formula. The others are `confint()`,
#'   `weights()`, `vcov()` (except for [fit_factor()]), `image()` and, from rstantools,
#'   `posterior_linpred()` and `predictive_error()`.
#' @examples
#' fit <- fit_gaussian(sim_images(30), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # features x pixels
#' dim(coef(fit))
#' # the images have noise with standard deviation 0.5
#' sigma(fit)
#' fit <- fit_factor(scale(swiss), method = method_gibbs(chains = 1, iter = 500), seed = 1)
#' # the differences from the sample covariances are small
#' round(vcov(fit) - cor(swiss), 2)
#' @importFrom stats coef sigma weights
#' @export
coef.buffet_fit <- function(object, ...) {
  check_no_more(...)
  loadings_of(object)
}

#' @rdname coef.buffet_fit
#' @export
sigma.buffet_fit <- function(object, ...) {
  check_no_more(...)
  check_format(object)
  if (!"sigma_x" %in% scalar_names(object)) {
    must <- "be a fit with noise `sigma_x`, by fit_gaussian(), fit_factor() or fit_nmf()"
    stop_argument("object", must, was = sprintf("one by %s()", class(object)[1]))
  }
  mean(scalar(object, "sigma_x"))
}

stop_unanswered <- function(generic, instead) {
  abort(generic, "() is not defined for buffet fits: ", instead, ".")
}

no_criterion <- paste(
  "it needs a fixed number of parameters; leave entries out and compare fits with",
  "`compare_heldout(fit1, fit2, actual = x)`"
)
no_formula <- "models have no formula; features() are the design, prior_summary() has the priors"

# Generics that are not defined for fits, by package, with advice on what to use instead
unanswered <- list(
  stats = list(
    AIC = no_criterion, BIC = no_criterion, df.residual = no_criterion, anova = no_criterion,
    deviance = "log_lik() returns log densities, compare_heldout() compares fits",
    confint = "posterior_interval() and tidy() return posterior intervals",
    vcov = "only fit_factor() has a covariance matrix of the columns",
    formula = no_formula, terms = no_formula, model.frame = no_formula, model.matrix = no_formula
  ),
  rstantools = list(
    posterior_linpred = "posterior_epred() returns the means on the scale of the data",
    predictive_error =
      "residuals() returns the data minus their means, posterior_predict() returns replicates"
  ),
  graphics = list(image = "plot() draws the fit")
)

.onLoad <- function(libname, pkgname) {
  for (package in names(unanswered)) {
    Map(function(generic, instead) {
      method <- function(...) stop_unanswered(generic, instead)
      registerS3method(generic, "buffet_fit", method, asNamespace(package))
    }, names(unanswered[[package]]), unanswered[[package]])
  }
}

#' @export
weights.buffet_fit <- function(object, ...) {
  # In other fits, the argument `weights` is a prior or a distribution.
  given <- if (inherits(object, c("fit_mixed", "fit_logistic"))) object$args$weights
  given %||%
    stop_unanswered("weights", "its rows have no weights; weights_of() has the weights of factors")
}

# Each feature or its complement, whichever is closer to a feature of `like`. If neither is close,
# returns whichever has fewer rows. With biases the two are equivalent: adding the weights of the
# feature to the biases and changing the sign of the weights leaves the likelihood unchanged.
coded_like <- function(z, like = z[, 0, drop = FALSE]) {
  flipped <- complements_cpp(z, like)
  z[, flipped] <- 1L - z[, flipped]
  z
}
