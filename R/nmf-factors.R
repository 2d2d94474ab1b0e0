#' Weights of a factorisation, factors of rows
#'
#' @param fit A fit by [fit_nmf()] or [fit_factor()].
#' @return Of [fit_nmf()] N x R: how much of each component every row has, with the row names of the data and
#'   columns `c1, c2, ...` by decreasing size of the components, the sum of what they add to the
#'   fitted data. [loadings_of()] the fit is R x D, its rows the same components in the same order.
#'   Of a fit by [method_icm()] they are the modes; of one by [method_gibbs()] both are those of the
#'   draw with the highest `log_joint`, not means: components have no labels that all draws share.
#'
#'   Of [fit_factor()] N x K: the posterior means of the factors of each row, matched over draws as
#'   those of [loadings_of()] the fit. With sparse loadings factors have variance 1;
#'   with `sparse = "factors"` the attribute `"probability"`, N x K, says in what share of the draws
#'   that have the counterpart each weight is not 0.
#' @examples
#' fit <- fit_nmf(block_images(40), rank = 4, seed = 1)
#' round(weights_of(fit)[1:4, ], 2)
#' all.equal(weights_of(fit) %*% loadings_of(fit), fitted(fit))
#' @export
weights_of <- function(fit) UseMethod("weights_of")

#' @export
weights_of.default <- function(fit) stop_argument("fit", "be a fit by fit_nmf() or fit_factor()", fit)

#' @export
weights_of.fit_nmf <- function(fit) {
  at <- component_order(fit)
  w <- nmf_factors(fit, fit$point)$weights[, at, drop = FALSE]
  dimnames(w) <- list(rownames(fit$model$data$x), component_names(fit))
  w
}

#' @export
loadings_of.fit_nmf <- function(fit) {
  at <- component_order(fit)
  a <- nmf_factors(fit, fit$point)$loadings[at, , drop = FALSE]
  dimnames(a) <- list(component_names(fit), colnames(fit$model$data$x))
  a
}

component_names <- function(fit) paste0("c", seq_len(fit$model$rank))

#' weights and loadings of one draw, in the order in which they are kept
#' @noRd
nmf_factors <- function(fit, draw) {
  both <- matrix(select_loadings(fit, draw), fit$model$loading_width)
  columns <- seq_len(ncol(fit$model$data$x))
  list(weights = both[-columns, , drop = FALSE], loadings = t(both[columns, , drop = FALSE]))
}

#' What each component adds to the fitted data in all, in the order in which they are kept
#' @noRd
component_sizes <- function(fit) {
  factors <- nmf_factors(fit, fit$point)
  colSums(factors$weights) * rowSums(factors$loadings)
}

#' @srrstats {UL3.1} Components by what they add to the data; R/factor-plot.R shows factors that
#'   explain most first.
#' @noRd
component_order <- function(fit) order(-component_sizes(fit))

#' @exportS3Method
#' @noRd
point_draw.fit_nmf <- function(fit) which.max(scalar(fit, "log_joint"))

stop_no_features <- function() {
  stop_argument("fit", "be a fit of binary features", was = "one by fit_nmf()")
}

#' @export
features.fit_nmf <- function(fit) stop_no_features()

#' @export
feature_draws.fit_nmf <- function(fit) stop_no_features()

#' @export
coassignment.fit_nmf <- function(fit) stop_no_features()
