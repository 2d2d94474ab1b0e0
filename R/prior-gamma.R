#' Gamma prior of a hyperparameter
#'
#' A *hyperparameter* is a parameter of a prior distribution, or the standard deviation of the
#' noise. Wherever a model has one, a number fixes it, and a `gamma_prior()` learns it together with
#' everything else. What the prior is a prior of depends on the argument:
#'
#' * `alpha`, `concentration`, and `gamma` and `eta` of [fit_topics()]: the hyperparameter itself;
#' * `sigma_x`, `sigma_a`, `sigma_w`, and `bias` of [fit_logistic()]: the precision 1/sigma^2, not
#'   the standard deviation sigma;
#' * `weights` of [fit_choice()]: each of the weights, which are parameters.
#'
#' @param shape,rate (positive numbers) Shape and rate, as in [stats::dgamma()]. The mean is
#'   `shape / rate` and the variance `shape / rate^2`. Neither has a default.
#' @return An object of class `gamma_prior`, with methods for `format()` and `print()`.
#' @seealso [prior_ibp()], [prior_pibp()], [prior_beta_bernoulli()], [prior_summary.buffet_fit()]
#' @examples
#' gamma_prior(2, 1)
#' # alpha is learned, with mean 2 and variance 2
#' prior_ibp(alpha = gamma_prior(2, 1))
#' # the noise is learned: a precision around 4, so a standard deviation around 0.5
#' sigma_x <- gamma_prior(8, 2)
#' fit <- fit_gaussian(block_images(40), sigma_x = sigma_x, method = method_beam())
#' prior_summary(fit)
#' @export
gamma_prior <- function(shape, rate) {
  check_given(shape, "shape")
  check_given(rate, "rate")
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

# False for malformed objects
is_gamma_prior <- function(x) {
  parts <- unclass(x)
  inherits(x, "gamma_prior") && is.list(parts) && is_positive(parts$shape) &&
    is_positive(parts$rate)
}

stop_hyper <- function(name, must, x) {
  by_hand <- inherits(x, "gamma_prior")
  stop_argument(name, must, was = if (by_hand) "one made by hand" else describe_value(x))
}

is_learned <- function(hyper) {
  inherits(hyper, "gamma_prior") && is.numeric(unclass(hyper)$shape)
}

prior_mean <- function(hyper) if (is_learned(hyper)) hyper$shape / hyper$rate else hyper

# Range of the core's draws from gamma priors: extreme shapes and rates would leave the range of
# doubles
held_range <- c(1e-150, 1e150)

hyper_spec <- function(hyper) {
  if (!is_learned(hyper)) return(list(value = hyper, learned = FALSE, shape = 1, rate = 1))
  list(value = 1, learned = TRUE, shape = hyper$shape, rate = hyper$rate)
}

# A standard deviation, or the prior of its precision; by default its square and inverse must be
# finite
check_sigma <- function(x, name, lower = 1e-100, upper = 1e100) {
  x <- check_hyper(x, name)
  if (is.numeric(x) && (x < lower || x > upper)) {
    stop_argument(name, sprintf("be between %g and %g", lower, upper), x)
  }
  x
}

precision_spec <- function(sigma) {
  if (is_learned(sigma)) return(hyper_spec(sigma))
  hyper_spec(1 / sigma^2)
}
