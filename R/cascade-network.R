#' The network of a cascade
#'
#' Returns the network of the point estimate of a fit by [fit_cascade()]: the draw with the highest
#' log joint density of those that have the most probable number of hidden layers.
#'
#' @param fit A fit by [fit_cascade()].
#' @param x A network, as `network()` returns it.
#' @param ... Must be empty.
#' @return `network()` returns an object of class `cascade_network`, a list with one element per
#'   layer. The elements are named `layer_0` (the visible units), `layer_1` and so on. Each is a
#'   list with the elements
#'   * `bias` and `precision`: numeric vectors with one number per unit, named by the units;
#'   * `weights`: a sparse matrix (`dgCMatrix`), parents x units, whose stored entries are the edges
#'     to the layer above. It has no rows in the top layer.
#'
#'   Visible units have the names of the columns of the data, or `v1`, `v2`, ... if these have no
#'   names. The units of layer 1 are `f1`, `f2`, ..., as in [features()], those of layer 2 `l2.1`,
#'   `l2.2`, ... and so on. In each hidden layer the units with the most children come first. A
#'   weight is multiplied by the activation of the parent and added to the pre-activation of the
#'   unit; see [fit_cascade()].
#'
#'   `print()` shows the numbers of units and edges of each layer. `plot()` returns a `ggplot` with
#'   the layers above one another and the edges coloured by their weights. If there are more than 60
#'   visible units, it leaves them out.
#' @examples
#' x <- block_images(30)
#' method <- method_gibbs(chains = 1, iter = 100, thin = 10)
#' fit <- fit_cascade(x, method = method, init = init_cascade(c(6, 2)), seed = 1)
#' net <- network(fit)
#' net
#' # the weights of the edges from the units of layer 1 (rows) to the first pixels (columns)
#' net$layer_0$weights[, 1:8]
#' plot(net)
#' @export
network <- function(fit) UseMethod("network")

#' @export
network.default <- function(fit) stop_argument("fit", "be a fit by fit_cascade()", fit)

#' @export
network.fit_cascade <- function(fit) {
  layers <- draw_network_of(fit, fit$internal$point)
  units <- lapply(layers, function(layer) seq_along(layer$bias))
  if (length(layers) > 1) units[[2]] <- shown_features(fit)
  for (m in seq_along(layers)[-(1:2)]) {
    children <- tabulate(layers[[m - 1]]$parent, length(layers[[m]]$bias))
    units[[m]] <- order(-children)
  }
  names <- lapply(seq_along(layers), function(m) unit_names(fit, m - 1, length(units[[m]])))
  out <- lapply(seq_along(layers), function(m) {
    above <- if (m < length(layers)) units[[m + 1]] else integer()
    parents <- if (m < length(layers)) names[[m + 1]] else character()
    of <- units[[m]]
    weights <- layer_weights(layers[[m]], length(above))[above, of, drop = FALSE]
    dimnames(weights) <- list(parents, names[[m]])
    list(
      bias = stats::setNames(layers[[m]]$bias[of], names[[m]]),
      precision = stats::setNames(layers[[m]]$precision[of], names[[m]]), weights = weights
    )
  })
  names(out) <- paste0("layer_", seq_along(out) - 1)
  structure(out, class = "cascade_network")
}

draw_network_of <- function(fit, draw) {
  cascade_network_cpp(select_bytes(fit, draw), nrow(model_data(fit)))
}

# Positions in the point estimate of the features as they are shown
shown_features <- function(fit) {
  match_columns(fit$feature_draws[[fit$internal$point]], drawn_features(fit))
}

# Parents x units, sparse
layer_weights <- function(layer, parents) {
  Matrix::sparseMatrix(
    i = layer$parent, j = layer$child, x = layer$weight, dims = c(parents, length(layer$bias))
  )
}

unit_names <- function(fit, layer, n) {
  if (layer == 0) return(colnames(model_data(fit)) %||% paste0("v", seq_len(n)))
  before <- if (layer == 1) "f" else sprintf("l%d.", as.integer(layer))
  paste0(before, seq_len(n), recycle0 = TRUE)
}

#' @export
format.cascade_network <- function(x, ...) {
  n <- vapply(x, function(layer) length(layer$bias), 1L)
  edges <- vapply(x, function(layer) length(layer$weights@x), 1L)
  shown <- c("visible", sprintf("layer %d", seq_along(n)[-1] - 1L))
  c(
    paste("Network of", counted(length(n) - 1, "hidden layer")),
    rev(sprintf("  %-8s %5d unit%s%s", shown, n, ifelse(n == 1, "", "s"), ifelse(
      edges > 0, sprintf(", %s to the layer above", counted(edges, "edge")), ""
    )))
  )
}

#' @export
print.cascade_network <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

#' @rdname network
#' @export
plot.cascade_network <- function(x, ...) {
  check_no_more(...)
  units <- length(x$layer_0$bias)
  weights <- lapply(utils::head(x, -1), function(layer) t(as.matrix(layer$weights)))
  edges <- lapply(unname(weights), function(w) 1 * (w != 0))
  visible <- units <= 60 || length(x) <= 2
  draw_network(edges, unname(weights), units, visible, alone = names(x$layer_0$bias))
}

#' @exportS3Method
mean_loadings.fit_cascade <- function(fit) {
  a <- as.matrix(network(fit)$layer_0$weights)
  colnames(a) <- colnames(model_data(fit))
  a
}
