#' Weights of a factorisation, factors of rows
#'
#' How much of each component or factor each row of the data has.
#'
#' @param fit A fit by [fit_nmf()] or [fit_factor()].
#' @return A numeric matrix with the row names of the data.
#'
#'   For [fit_nmf()] it is N x R and nonnegative, with columns `c1`, `c2`, ... for the components.
#'   They are ordered by decreasing size, which is the sum of what a component adds to the fitted
#'   data. The rows of [loadings_of()], R x D, are the same components in the same order. For a fit
#'   by [method_icm()] both matrices are the mode. For a fit by [method_gibbs()] both are from the
#'   draw with the highest `log_joint`. They are not posterior means, because components have no
#'   labels that all draws share.
#'
#'   For [fit_factor()] it is N x K, with the posterior means of the factors of each row. Factors
#'   are matched over draws as in [loadings_of()]. With sparse loadings factors have variance
#'   1. With `sparse = "factors"` the attribute `"probability"`, N x K, is the share of the draws in
#'   which a weight is not 0, among the draws that have a counterpart of the factor.
#' @examples
#' set.seed(1)
#' fit <- fit_nmf(block_images(40), rank = 4, seed = 1)
#' # which components the first four images are made of
#' round(weights_of(fit)[1:4, ], 2)
#' # weights times loadings are the fitted data
#' all.equal(weights_of(fit) %*% loadings_of(fit), fitted(fit))
#' @export
weights_of <- function(fit) UseMethod("weights_of")

#' @export
weights_of.default <- function(fit) {
  stop_argument("fit", "be a fit by fit_nmf() or fit_factor()", fit)
}

#' @export
weights_of.fit_nmf <- function(fit) {
  at <- component_order(fit)
  w <- nmf_factors(fit, fit$internal$point)$weights[, at, drop = FALSE]
  dimnames(w) <- list(rownames(model_data(fit)), component_names(fit))
  w
}

#' @exportS3Method
mean_loadings.fit_nmf <- function(fit) {
  at <- component_order(fit)
  a <- nmf_factors(fit, fit$internal$point)$loadings[at, , drop = FALSE]
  dimnames(a) <- list(component_names(fit), colnames(model_data(fit)))
  a
}

component_names <- function(fit) paste0("c", seq_len(fit$internal$model$rank))

# Weights and loadings of one draw, in stored order
nmf_factors <- function(fit, draw) {
  both <- matrix(select_loadings(fit, draw), fit$internal$model$loading_width)
  columns <- seq_len(ncol(model_data(fit)))
  list(weights = both[-columns, , drop = FALSE], loadings = t(both[columns, , drop = FALSE]))
}

# Sum of the fitted values of each component, in stored order
component_sizes <- function(fit) {
  factors <- nmf_factors(fit, fit$internal$point)
  colSums(factors$weights) * rowSums(factors$loadings)
}

component_order <- function(fit) order(-component_sizes(fit))

stop_no_features <- function() {
  stop_argument("fit", "be a fit of binary features", was = "one by fit_nmf()")
}

#' @export
features.fit_nmf <- function(fit) stop_no_features()

#' @export
feature_draws.fit_nmf <- function(fit) stop_no_features()

#' @export
coassignment.fit_nmf <- function(fit) stop_no_features()
