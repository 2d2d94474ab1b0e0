#' Coefficients and noise of a fit, as stats names them
#'
#' @param object A fit.
#' @param ... Must be empty.
#' @return
#' * `coef()`: what [loadings_of()] gives, K x D: what each of the [features()] adds to each column.
#'   `stats::loadings()`, and `fit$loadings`, are the same.
#' * `sigma()`: one number, the posterior mean of `sigma_x`, the standard deviation of the noise, of
#'   models that have one: [fit_gaussian()], [fit_factor()] and [fit_nmf()]. Where every column has
#'   noise of its own it is the root mean square over columns, and with `scale = TRUE` it is that of
#'   the scaled columns; the attribute `"sigma_x"` of
#'   [loadings_of()] has that of each.
#' @details Other generics of stats refuse, and say what to call instead: `deviance()`, `AIC()`,
#'   `BIC()`, `df.residual()` and `anova()`, since the number of parameters is not fixed;
#'   `confint()`; `vcov()` but of [fit_factor()]; `formula()`, `terms()`, `model.frame()` and
#'   `model.matrix()`, since models have no formula.
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' dim(coef(fit))
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

# Generics whose answer a fit does not have.

#' @param instead What to call.
#' @noRd
stop_unanswered <- function(call, instead) {
  stop(call, " has no answer for a fit by buffet: ", instead, ".", call. = FALSE)
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
#' @noRd
AIC.buffet_fit <- function(object, ..., k = 2) stop_no_criterion("AIC()")

#' @importFrom stats BIC
#' @export
#' @noRd
BIC.buffet_fit <- function(object, ...) stop_no_criterion("BIC()")

#' @importFrom stats deviance
#' @export
#' @noRd
deviance.buffet_fit <- function(object, ...) {
  stop_unanswered("deviance()", "log_lik() has log densities, loo::loo() compares fits")
}

#' @importFrom stats df.residual
#' @export
#' @noRd
df.residual.buffet_fit <- function(object, ...) stop_no_criterion("df.residual()")

#' @importFrom stats anova
#' @export
#' @noRd
anova.buffet_fit <- function(object, ...) stop_no_criterion("anova()")

#' @importFrom stats confint
#' @export
#' @noRd
confint.buffet_fit <- function(object, parm, level = 0.95, ...) {
  stop_unanswered("confint()", "posterior_interval() and tidy() have posterior intervals")
}

#' @export
#' @noRd
vcov.buffet_fit <- function(object, ...) {
  stop_unanswered("vcov()", "only fit_factor() has a covariance matrix, that of the columns")
}

#' @importFrom stats weights
#' @export
#' @noRd
weights.buffet_fit <- function(object, ...) {
  instead <- "weights_of() has those of fit_nmf() and fit_factor()"
  stop_unanswered("weights()", paste0("rows have none; ", instead))
}

#' @importFrom stats formula
#' @export
#' @noRd
formula.buffet_fit <- function(x, ...) stop_no_formula("formula()")

#' @importFrom stats terms
#' @export
#' @noRd
terms.buffet_fit <- function(x, ...) stop_no_formula("terms()")

#' @importFrom stats model.frame
#' @export
#' @noRd
model.frame.buffet_fit <- function(formula, ...) stop_no_formula("model.frame()")

#' @importFrom stats model.matrix
#' @export
#' @noRd
model.matrix.buffet_fit <- function(object, ...) stop_no_formula("model.matrix()")

#' @export
#' @noRd
mean.buffet_fit <- function(x, ...) {
  stop_unanswered("mean()", "tidy() has posterior means of scalars, fitted() of data")
}

#' min(), max(), range(), sum() and their kin
#' @export
#' @noRd
Summary.buffet_fit <- function(..., na.rm = FALSE) { # nolint: object_name_linter.
  stop_unanswered(paste0(.Generic, "()"), "as.matrix() has the draws of its scalars")
}
