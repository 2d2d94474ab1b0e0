#' The Indian buffet process as a prior over features
#'
#' A prior on binary matrices with a row per object and an unbounded number of columns, called
#' *features*. How many features there are is learned from the data.
#'
#' @details
#' In the metaphor of the buffet, rows are customers who arrive one after the other, and features
#' are dishes. Customer n takes a dish that m earlier customers took with probability (m - d) / (n -
#' 1 + c). The customer then takes a Poisson number of new dishes, whose mean is
#' \deqn{\alpha \frac{\Gamma(1 + c) \, \Gamma(n - 1 + c + d)}{\Gamma(n + c) \, \Gamma(c + d)},}{
#' alpha G(1 + c) G(n - 1 + c + d) / (G(n + c) G(c + d)), G the gamma function,}
#' where c is the `concentration` and d the `discount`. Three cases are usual.
#'
#' * c = 1 and d = 0 (default): the process of Griffiths and Ghahramani. The probability of an old
#'   dish is m / n, and the mean number of new dishes is alpha / n.
#' * d = 0: the two-parameter process of Ghahramani, Griffiths and Sollich. The probability of an
#'   old dish is m / (n - 1 + c), and the mean number of new dishes is alpha c / (n - 1 + c).
#' * d > 0: the three-parameter process of Teh and Gorur. The number of features grows as a power of
#'   the number of rows.
#'
#' The order of the rows does not matter, and every row has Poisson(alpha) features.
#'
#' @param alpha (positive number or [gamma_prior()]) Mean number of features in a row. A number
#'   fixes it, a `gamma_prior()` learns it (default `gamma_prior(1, 1)`).
#' @param concentration (number above `-discount`, or [gamma_prior()]) A number fixes the
#'   concentration (default 1), a `gamma_prior()` learns it. Small values make rows share their
#'   features, large values keep them apart.
#' @param discount (number in \[0, 1)) The exponent of the power law (default 0: there is none). It
#'   is not learned.
#' @return An object of class `prior_ibp`, for the `prior` argument of all `fit_*()` functions
#'   except [fit_nmf()] and [fit_cascade()]. [fit_topics()] needs `concentration = 1` and
#'   `discount = 0`. [method_variational()] and [method_power_ep()] need `discount = 0`, and all
#'   methods of optimisation need a number as `concentration`. The object has methods for
#'   `format()`, `print()` and [simulate()][simulate.buffet_prior].
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224, sections 4 and 7.1.
#'
#' Ghahramani, Z., Griffiths, T. L. and Sollich, P. (2007). Bayesian nonparametric latent feature
#' models. *Bayesian Statistics* 8, 201-226.
#'
#' Teh, Y. W. and Gorur, D. (2009). Indian buffet processes with power-law behavior. *Advances in
#' Neural Information Processing Systems* 22.
#' @seealso [ribp()] and [dibp()] for the distribution itself, [prior_pibp()] for rows on a tree,
#'   [prior_beta_bernoulli()] for a fixed number of features, [prior_fixed()] for known features.
#' @examples
#' prior_ibp()
#' prior_ibp(alpha = 2, concentration = gamma_prior(1, 1), discount = 0.25)
#' # four rows: the first ones of the columns come in order
#' simulate(prior_ibp(alpha = 2), rows = 4, seed = 1)[[1]]
#' # a discount gives many features that few rows have
#' ncol(simulate(prior_ibp(alpha = 2), rows = 500, seed = 1)[[1]])
#' ncol(simulate(prior_ibp(alpha = 2, discount = 0.5), rows = 500, seed = 1)[[1]])
#' @export
prior_ibp <- function(alpha = gamma_prior(1, 1), concentration = 1, discount = 0) {
  alpha <- check_hyper(alpha, "alpha")
  discount <- check_discount(discount)
  new_prior_ibp(alpha, check_concentration(concentration, discount, learnable = TRUE), discount)
}

new_prior_ibp <- function(alpha, concentration, discount) {
  structure(
    list(alpha = alpha, concentration = concentration, discount = discount),
    class = c("prior_ibp", "buffet_prior")
  )
}

check_discount <- function(discount) check_number(discount, "discount", 0, 1, "[)")

check_concentration <- function(x, discount, learnable = FALSE) {
  if (learnable && is_gamma_prior(x)) return(x)
  number <- is_scalar_number(x)
  if (number && x > -discount && x <= 1e300) return(as.double(x))
  limit <- if (number && x > 1e300) "and at most 1e300"
  must <- paste(c("be one number above", format(-discount), limit), collapse = " ")
  refuse_concentration(must, x, learnable)
}

refuse_concentration <- function(must, x, learnable) {
  if (!learnable) stop_argument("concentration", must, x)
  stop_hyper("concentration", paste(must, "or a gamma_prior()"), x)
}

#' @export
format.prior_ibp <- function(x, ...) {
  with_default <- c(concentration = 1, discount = 0)
  shown <- Filter(\(name) !identical(x[[name]], with_default[[name]]), names(with_default))
  format_prior("IBP", unclass(x)[c("alpha", shown)])
}

#' @exportS3Method
prior_hyperparameters.prior_ibp <- function(prior) {
  unclass(prior)[c("alpha", "concentration")]
}

#' @exportS3Method
prior_spec.prior_ibp <- function(prior, names = NULL, side = "row") {
  exchangeable_spec(prior, discount = prior$discount, n_features = 0L)
}

#' @exportS3Method
draw_features.prior_ibp <- function(prior, rows) {
  rows <- check_count(rows, "rows")
  alpha <- draw_hyper(prior$alpha)
  concentration <- draw_hyper(prior$concentration)
  z <- draw_ibp(rows, alpha, concentration, prior$discount)
  structure(z, alpha = alpha, concentration = concentration)
}

#' @exportS3Method
prior_n_features.prior_ibp <- function(prior, rows, n) {
  one <- function(concentration) {
    poisson_features(prior$alpha, sum(ibp_rates(rows, concentration, prior$discount)), n)
  }
  average(lapply(hyper_grid(prior$concentration), one))
}
