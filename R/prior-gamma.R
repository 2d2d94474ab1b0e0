#' Learn a hyperparameter under a gamma prior
#'
#' A *hyperparameter* is a parameter of a prior distribution. Wherever a model has one, a number
#' fixes it and a `gamma_prior()` learns it with everything else. For `alpha` and
#' `concentration` the prior is on the parameter itself, for `sigma_x` and `sigma_a`, and for the
#' `bias` of [fit_logistic()], on the precision 1/sigma^2. It is also the prior of the `weights` of
#' [fit_choice()], each of them.
#'
#' @param shape,rate One positive number each. The mean is `shape / rate`, the variance
#'   `shape / rate^2`.
#' @return An object of class `gamma_prior`.
#' @seealso [prior_ibp()], [prior_pibp()], [prior_beta_bernoulli()].
#' @examples
#' gamma_prior(2, 1)
#' prior_ibp(alpha = gamma_prior(2, 1))
#' @export
#' @srrstats {BS1.0} Says what a hyperparameter is, as README.md and `?buffet` do.
gamma_prior <- function(shape, rate) {
  new_gamma_prior(check_positive(shape, "shape"), check_positive(rate, "rate"))
}

new_gamma_prior <- function(shape, rate) {
  structure(list(shape = shape, rate = rate), class = "gamma_prior")
}

#' @export
format.gamma_prior <- function(x, ...) {
  rates <- paste(unique(short(range(x$rate))), collapse = " to ")
  sprintf("Gamma(shape = %s, rate = %s)", short(x$shape), rates)
}

#' @export
print.gamma_prior <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' Is a hyperparameter learned, or a number?
#' @noRd
is_learned <- function(hyper) inherits(hyper, "gamma_prior")

#' A hyperparameter as the compiled core reads it
#' @noRd
hyper_spec <- function(hyper) {
  if (!is_learned(hyper)) return(list(value = hyper, learned = FALSE, shape = 1, rate = 1))
  list(value = 1, learned = TRUE, shape = hyper$shape, rate = hyper$rate)
}

#' A standard deviation, or the prior of its precision; by default such that its square and the
#' inverse of that are numbers
#' @noRd
#' @srrstats {BS2.5} Standard deviations are positive and within 1e-100 and 1e100; shapes and rates
#'   are positive.
check_sigma <- function(x, name, lower = 1e-100, upper = 1e100) {
  x <- check_hyper(x, name)
  if (is.numeric(x) && (x < lower || x > upper)) {
    stop_argument(name, sprintf("be between %g and %g", lower, upper), x)
  }
  x
}

#' The precision of a standard deviation, for the core
#' @noRd
precision_spec <- function(sigma) {
  if (is_learned(sigma)) return(hyper_spec(sigma))
  hyper_spec(1 / sigma^2)
}
