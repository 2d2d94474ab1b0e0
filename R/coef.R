#' Coefficients and noise of a fit
#'
#' The functions of stats for the loadings of a fit and for its residual standard deviation.
#'
#' @param object A fit.
#' @param ... Must be empty.
#' @return
#' * `coef()` returns the matrix that [loadings_of()] returns, features x columns for most models:
#'   how much each of the [features()] adds to each column. `stats::loadings()` and `fit$loadings`
#'   return the same matrix.
#' * `sigma()` returns one number, the posterior mean of the standard deviation of the noise,
#'   `sigma_x`. If every column has its own, it is the posterior mean of their root mean square; the
#'   attribute `"sigma_x"` of [loadings_of()] has the standard deviation of each column. With
#'   `scale = TRUE`, `sigma()` refers to the scaled columns and that attribute to the units of the
#'   data. Only fits by [fit_gaussian()], [fit_factor()] and [fit_nmf()] have noise; other fits are
#'   an error.
#' @details Other generics of stats stop with an error that names the function to call instead.
#'   `deviance()`, `AIC()`, `BIC()`, `df.residual()` and `anova()` need a fixed number of
#'   parameters, which these models do not have. `formula()`, `terms()`, `model.frame()` and
#'   `model.matrix()` need a formula. The others are `confint()`, `weights()`, `mean()`, `median()`,
#'   `quantile()` and their relatives such as `max()` and `sum()`, and `vcov()`, except for
#'   [fit_factor()]. So do `image()` and, of rstantools, `posterior_linpred()` and
#'   `predictive_error()`.
#' @examples
#' fit <- fit_gaussian(sim_images(30), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # features x pixels
#' dim(coef(fit))
#' # the images have noise of standard deviation 0.5
#' sigma(fit)
#' @importFrom stats coef
#' @export
coef.buffet_fit <- function(object, ...) {
  check_no_more(...)
  loadings_of(object)
}

#' @rdname coef.buffet_fit
#' @importFrom stats sigma
#' @export
sigma.buffet_fit <- function(object, ...) {
  check_no_more(...)
  if (!"sigma_x" %in% scalar_names(object)) {
    must <- "be a fit with noise `sigma_x`, by fit_gaussian(), fit_factor() or fit_nmf()"
    stop_argument("object", must, was = sprintf("one by %s()", class(object)[1]))
  }
  mean(scalar(object, "sigma_x"))
}

# Generics that are not defined for fits.

stop_unanswered <- function(call, instead) {
  abort(call, " has no answer for a fit by buffet: ", instead, ".")
}

stop_no_criterion <- function(call) {
  stop_unanswered(call, "it needs a fixed number of parameters; compare fits by loo::loo()")
}

stop_no_formula <- function(call) {
  instead <- "features() are the design, prior_summary() has the priors"
  stop_unanswered(call, paste0("models have no formula; ", instead))
}

#' @importFrom stats AIC
#' @export
AIC.buffet_fit <- function(object, ..., k = 2) stop_no_criterion("AIC()")

#' @importFrom stats BIC
#' @export
BIC.buffet_fit <- function(object, ...) stop_no_criterion("BIC()")

#' @importFrom stats deviance
#' @export
deviance.buffet_fit <- function(object, ...) {
  stop_unanswered("deviance()", "log_lik() has log densities, loo::loo() compares fits")
}

#' @importFrom stats df.residual
#' @export
df.residual.buffet_fit <- function(object, ...) stop_no_criterion("df.residual()")

#' @importFrom stats anova
#' @export
anova.buffet_fit <- function(object, ...) stop_no_criterion("anova()")

#' @importFrom stats confint
#' @export
confint.buffet_fit <- function(object, parm, level = 0.95, ...) {
  stop_unanswered("confint()", "posterior_interval() and tidy() have posterior intervals")
}

#' @export
vcov.buffet_fit <- function(object, ...) {
  stop_unanswered("vcov()", "only fit_factor() has a covariance matrix, that of the columns")
}

#' @importFrom stats weights
#' @export
weights.buffet_fit <- function(object, ...) {
  # Others have a prior or a law of this name.
  given <- if (inherits(object, c("fit_mixed", "fit_logistic"))) object$args$weights
  if (is.null(given)) {
    stop_unanswered("weights()", "its rows have none; weights_of() has those of factors")
  }
  given
}

#' @exportS3Method rstantools::posterior_linpred
posterior_linpred.buffet_fit <- function(object, transform = FALSE, ...) {
  instead <- "posterior_epred() has the means, on the scale of the data"
  stop_unanswered("posterior_linpred()", instead)
}

#' @exportS3Method rstantools::predictive_error
predictive_error.buffet_fit <- function(object, ...) {
  instead <- "residuals() has the data less their means, posterior_predict() has replicates"
  stop_unanswered("predictive_error()", instead)
}

#' @importFrom stats formula
#' @export
formula.buffet_fit <- function(x, ...) stop_no_formula("formula()")

#' @importFrom stats model.frame
#' @export
model.frame.buffet_fit <- function(formula, ...) stop_no_formula("model.frame()")

#' @importFrom stats model.matrix
#' @export
model.matrix.buffet_fit <- function(object, ...) stop_no_formula("model.matrix()")

# Matrix makes image() an S4 generic, for which roxygen does not register methods.
#' @rawNamespace S3method(graphics::image, buffet_fit)
image.buffet_fit <- function(x, ...) stop_unanswered("image()", "plot() has its pictures")

# Complements: with biases a feature can be replaced by its complement. If the biases absorb its
# weights and these change sign, the likelihood is the same.

# Each feature or its complement, whichever is nearer to a feature of `like`; if neither is near,
# whichever fewer rows have
coded_like <- function(z, like = z[, 0, drop = FALSE]) flip_columns(z, complements_cpp(z, like))

flip_columns <- function(z, which) {
  z[, which] <- 1L - z[, which]
  z
}
