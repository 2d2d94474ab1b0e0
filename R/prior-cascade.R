#' The cascading Indian buffet process as a prior over networks
#'
#' A prior on networks of binary units in layers, of unbounded depth and width. The visible units
#' have an unknown number of parents, these have parents in turn, and so on until a layer is
#' empty.
#'
#' @details
#' The edges from each layer to its parents are a binary matrix from the Indian buffet process
#' ([prior_ibp()]): its rows are the units of the layer and its columns are their parents.
#' [rcascade()] has the details. If alpha is a number, a layer of K units has Poisson(alpha H(K))
#' parents, with H(K) the sum of c / (c + i - 1) over i = 1, ..., K and c the `concentration`. Where
#' alpha has a gamma prior, the number of parents is negative binomial, and its mean is the same at
#' the mean of alpha. H(K) grows so slowly with K that every cascade ends.
#'
#' **The alphas of the deep layers need a tight prior with a small mean.** The cascade ends when a
#' layer draws no parents, and a mean number of parents above 1 makes that rare. Above 70 visible
#' units there are 4.4 hidden layers on average if every alpha is 1, 34 if every alpha is 2, and 915
#' if every alpha is 3. If every alpha has the prior Gamma(2, 2), there are 2.9 layers with 10 units
#' in all; with the broad Gamma(1, 0.2) there are 13 layers with 216 units. Data say little about
#' edges in deep layers, so that a fit with such a prior adds ever more layers. [cascade_depth()]
#' computes these numbers for any prior.
#'
#' @param alpha (positive number or [gamma_prior()]) Mean number of parents of a visible unit. A
#'   number fixes it, a `gamma_prior()` learns it (default `gamma_prior(1, 0.1)`, of mean 10).
#' @param alpha_deep (positive number or [gamma_prior()]) Mean number of parents of a hidden unit. A
#'   number is that of all hidden layers; a `gamma_prior()` (default `gamma_prior(2, 2)`, of mean 1)
#'   is the prior from which every hidden layer has its own.
#' @param concentration (positive number or [gamma_prior()]) A number fixes the concentration
#'   (default 1), a `gamma_prior()` learns it; all layers share it. Small values make units share
#'   their parents, large values keep them apart.
#' @param max_layers,max_units (positive integers) Largest numbers of hidden layers (default 50) and
#'   of hidden units in all layers (default 2000). The posterior of a fit is that given that there
#'   are no more. A draw from the prior that has more is an error.
#' @return An object of class `prior_cascade`, for the `prior` argument of [fit_cascade()] alone. It
#'   has methods for `format()` and `print()`, and [simulate()][simulate.buffet_prior] draws
#'   networks from it, as [rcascade()] does.
#' @references
#' Adams, R. P., Wallach, H. M. and Ghahramani, Z. (2010). Learning the structure of deep sparse
#' graphical models. *Proceedings of the 13th International Conference on Artificial Intelligence
#' and Statistics*, PMLR 9, 1-8, section 3. The gamma priors are an addition of this package.
#' @seealso [rcascade()] and [dcascade()] for the distribution itself, [cascade_depth()] for the
#'   expected numbers of layers and units.
#' @examples
#' prior_cascade()
#' prior_cascade(alpha = 2, alpha_deep = 0.5, concentration = gamma_prior(2, 2))
#' # a network above six visible units
#' simulate(prior_cascade(alpha = 2), rows = 6, seed = 1)[[1]]
#' @export
prior_cascade <- function(alpha = gamma_prior(1, 0.1), alpha_deep = gamma_prior(2, 2),
                          concentration = 1, max_layers = 50, max_units = 2000) {
  new_prior_cascade(
    check_cascade_alpha(alpha, "alpha"), check_cascade_alpha(alpha_deep, "alpha_deep"),
    check_hyper(concentration, "concentration"),
    check_count(max_layers, "max_layers"), check_count(max_units, "max_units")
  )
}

# Larger expected networks do not fit in memory
check_cascade_alpha <- function(x, name) {
  x <- check_hyper(x, name)
  mean <- prior_mean(x)
  if (mean > 1e4) stop_argument(name, "be, or have a mean of, at most 10000", mean)
  x
}

new_prior_cascade <- function(alpha, alpha_deep, concentration, max_layers, max_units) {
  structure(
    list(
      alpha = alpha, alpha_deep = alpha_deep, concentration = concentration,
      max_layers = max_layers, max_units = max_units
    ),
    class = c("prior_cascade", "buffet_prior")
  )
}

#' @export
format.prior_cascade <- function(x, ...) {
  shown <- c("alpha", "alpha_deep", if (!identical(x$concentration, 1)) "concentration")
  format_prior("cascading IBP", unclass(x)[shown])
}

#' @exportS3Method
prior_spec.prior_cascade <- function(prior, names = NULL, side = "row") {
  stop_argument("prior", "be one over a matrix of features, such as prior_ibp()", prior)
}

#' @exportS3Method
draw_features.prior_cascade <- function(prior, rows) {
  draw_cascade(check_count(rows, "rows"), prior)
}

#' @exportS3Method
prior_hyperparameters.prior_cascade <- function(prior) {
  unclass(prior)[c("alpha", "alpha_deep", "concentration")]
}
