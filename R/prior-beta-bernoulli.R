#' A finite number of features: the beta-Bernoulli prior
#'
#' A prior on binary matrices with K = `n_features` columns. Each feature has its own probability
#' pi_k ~ Beta(alpha c / K, c), where c is the `concentration`, and the entries are z_ik ~
#' Bernoulli(pi_k). As K grows, this becomes the Indian buffet process, [prior_ibp()].
#'
#' @param n_features (positive integer) Number of features, K. Features that no row has are among
#'   them.
#' @param alpha (positive number or [gamma_prior()]) A number fixes alpha, a `gamma_prior()` learns
#'   it (default `gamma_prior(1, 1)`). A row has alpha / (1 + alpha / K) features on average, which
#'   is close to alpha where K is large.
#' @param concentration (positive number or [gamma_prior()]) A number fixes c (default 1), a
#'   `gamma_prior()` learns it. Small values make rows share their features, large values keep them
#'   apart.
#' @return An object of class `prior_beta_bernoulli`, for the `prior` argument of [fit_gaussian()],
#'   [fit_logistic()], [fit_mixed()], [fit_factor()] and [fit_choice()]. It has methods for
#'   `format()`, `print()` and [simulate()][simulate.buffet_prior].
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224, sections 2 and 7.1.
#' @seealso [rbeta_bernoulli()] and [dbeta_bernoulli()] for the distribution itself.
#' @examples
#' prior_beta_bernoulli(10)
#' # three columns, whether they have a one or not
#' simulate(prior_beta_bernoulli(3, alpha = 2), rows = 4, seed = 1)[[1]]
#' @export
prior_beta_bernoulli <- function(n_features, alpha = gamma_prior(1, 1), concentration = 1) {
  check_given(n_features, "n_features")
  n_features <- check_count(n_features, "n_features")
  alpha <- check_hyper(alpha, "alpha")
  concentration <- check_hyper(concentration, "concentration")
  fixed <- function(x) if (is_learned(x)) 1 else x
  check_beta_shapes(fixed(alpha), fixed(concentration), n_features)
  new_prior_beta_bernoulli(n_features, alpha, concentration)
}

new_prior_beta_bernoulli <- function(n_features, alpha, concentration) {
  structure(
    list(n_features = n_features, alpha = alpha, concentration = concentration),
    class = c("prior_beta_bernoulli", "buffet_prior")
  )
}

#' @export
format.prior_beta_bernoulli <- function(x, ...) format_prior("beta-Bernoulli", unclass(x))

#' @exportS3Method

prior_hyperparameters.prior_beta_bernoulli <- function(prior) { # nolint: object_length_linter.
  unclass(prior)[c("alpha", "concentration")]
}

#' @exportS3Method
prior_spec.prior_beta_bernoulli <- function(prior, names = NULL, side = "row") {
  exchangeable_spec(prior, discount = 0, n_features = prior$n_features)
}

#' @exportS3Method
draw_features.prior_beta_bernoulli <- function(prior, rows) {
  rows <- check_count(rows, "rows")
  alpha <- draw_hyper(prior$alpha)
  concentration <- draw_hyper(prior$concentration)
  z <- draw_beta_bernoulli(rows, prior$n_features, alpha, concentration)
  structure(z, alpha = alpha, concentration = concentration)
}

#' @exportS3Method
prior_n_features.prior_beta_bernoulli <- function(prior, rows, n) {
  grid <- expand.grid(alpha = hyper_grid(prior$alpha), c = hyper_grid(prior$concentration))
  a <- grid$alpha * grid$c / prior$n_features
  held <- -expm1(lbeta(a, rows + grid$c) - lbeta(a, grid$c))
  average(lapply(held, function(p) stats::dbinom(n, prior$n_features, p)))
}
