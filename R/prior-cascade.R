#' The cascading Indian buffet process as a prior over networks
#'
#' A prior on networks of binary units in layers, unbounded in depth and width: the visible units
#' have an unknown number of parents, these have parents of their own, and so on until a layer is
#' empty.
#'
#' The edges from each layer to its parents are a binary matrix from the Indian buffet process
#' ([prior_ibp()]), its rows the units of the layer and its columns their parents; [rcascade()] has
#' the details. With a number for its alpha, a layer of K units has Poisson(alpha H(K)) parents,
#' H(K) = sum_i c / (c + i - 1) over i = 1, ..., K; with a gamma prior a negative binomial number,
#' whose mean is that for the mean of alpha. That grows so slowly with K that every cascade ends.
#'
#' **The alphas of the deep layers need a tight prior of small mean.** The cascade ends when a layer
#' draws no parents, and a mean in-degree above 1 makes that rare: above 70 visible units there are
#' 4.4 hidden layers on average if every alpha is 1, 34 if it is 2 and 915 if it is 3. With
#' Gamma(2, 2) there are 2.9 layers of 10 units in all, with the broad Gamma(1, 0.2) 13 layers of
#' 216. Few data speak against edges in deep layers, so that a fit follows such a prior into
#' ever more layers. [cascade_depth()] has these numbers for any prior.
#'
#' @param alpha Mean number of parents of a visible unit: one positive number, or a [gamma_prior()]
#'   to learn it (default `gamma_prior(1, 0.1)`).
#' @param alpha_deep Mean number of parents of a unit of a hidden layer: one positive number for all
#'   hidden layers, or a [gamma_prior()] from which each has its own (default `gamma_prior(2, 2)`).
#' @param concentration One positive number (default 1), or a [gamma_prior()] to learn it; all
#'   layers share it. Small values make units share their parents, large ones keep them apart.
#' @param max_layers,max_units The largest numbers of hidden layers and of hidden units in all:
#'   whole numbers of at least 1 (default 50 and 2000). A fit is that given no more than so many; a
#'   draw from the prior that has more is an error.
#' @return An object of class `prior_cascade`, with methods for `format()`, `print()` and
#'   [simulate()][simulate.buffet_prior], of which `rows` is the number of visible units and each
#'   draw a list as [rcascade()] returns it.
#' @references
#' Adams, R. P., Wallach, H. M. and Ghahramani, Z. (2010). Learning the structure of deep sparse
#' graphical models. *Proceedings of the 13th International Conference on Artificial Intelligence
#' and Statistics*, PMLR 9, 1-8, section 3. The gamma priors are this package's.
#' @seealso [rcascade()] and [dcascade()] for the distribution itself, [cascade_depth()] for what it
#'   expects.
#' @examples
#' prior_cascade()
#' prior_cascade(alpha = 2, alpha_deep = 0.5, concentration = gamma_prior(2, 2))
#' simulate(prior_cascade(alpha = 2), rows = 6, seed = 1)
#' @export
prior_cascade <- function(alpha = gamma_prior(1, 0.1), alpha_deep = gamma_prior(2, 2),
                          concentration = 1, max_layers = 50, max_units = 2000) {
  new_prior_cascade(
    check_hyper(alpha, "alpha"), check_hyper(alpha_deep, "alpha_deep"),
    check_hyper(concentration, "concentration"),
    check_count(max_layers, "max_layers"), check_count(max_units, "max_units")
  )
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

#' No other fit takes it
#' @exportS3Method
#' @noRd
prior_spec.prior_cascade <- function(prior, names = NULL) {
  stop_argument("prior", "be one over a matrix of features, as prior_ibp() is", prior)
}

#' @exportS3Method
#' @noRd
draw_features.prior_cascade <- function(prior, rows) {
  draw_cascade(check_count(rows, "rows"), prior)
}

#' @exportS3Method
#' @noRd
prior_hyperparameters.prior_cascade <- function(prior) {
  unclass(prior)[c("alpha", "alpha_deep", "concentration")]
}
