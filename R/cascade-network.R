#' The network of a cascade
#'
#' Returns the network of the point estimate of a fit by [fit_cascade()]: the draw with the highest
#' log joint density of those that have the most probable number of hidden layers.
#'
#' @param fit A fit by [fit_cascade()].
#' @param x A network returned by `network()`.
#' @param ... Must be empty.
#' @return `network()` returns an object of class `cascade_network`, a list with one element per
#'   layer. The elements are named `layer_0` (the visible units), `layer_1` and so on. Each is a
#'   list with the elements
#'   * `bias` and `precision`: numeric vectors with one number per unit, named by the units;
#'   * `weights`: a sparse matrix (`dgCMatrix`), parents x units, whose stored entries are the edges
#'     to the layer above. The matrix of the top layer has no rows.
#'
#'   Visible units have the names of the columns of the data, or `v1`, `v2`, ... if the columns have
#'   no names. The units of layer 1 are `f1`, `f2`, ..., as in [features()]. The units of layer
#'   2 are `l2.1`, `l2.2`, ... and so on. In each hidden layer the units with the most children come
#'   first. The weight times the activation of the parent is added to the pre-activation of the
#'   unit; see [fit_cascade()].
#'
#'   `print()` shows the numbers of units and edges of each layer. `plot()` returns a `ggplot` with
#'   the layers stacked vertically and the edges coloured by their weights. If there are more than
#'   60 visible units and several hidden layers, the visible units are left out.
#' @examples
#' method <- method_gibbs(chains = 1, iter = 100, thin = 10)
#' fit <- fit_cascade(sim_images(30), method = method, init = init_cascade(c(6, 2)), seed = 1)
#' net <- network(fit)
#' net
#' # the weights of the edges from the units of layer 1 (rows) to the first pixels (columns)
#' net$layer_0$weights[, 1:8]
#' plot(net)
#' @export
network <- function(fit) {
  if (missing(fit) || !inherits(fit, "fit_cascade")) {
    stop_argument("fit", "be a fit by fit_cascade()", fit)
  }
  layers <- draw_network_of(fit, fit$internal$point)
  units <- lapply(layers, function(layer) seq_along(layer$bias))
  if (length(layers) > 1) {
    # The column of each displayed feature in the draw that is the point estimate
    units[[2]] <- match_columns(fit$feature_draws[[fit$internal$point]], drawn_features(fit))
  }
  for (m in seq_along(layers)[-(1:2)]) {
    units[[m]] <- order(-tabulate(layers[[m - 1]]$parent, length(layers[[m]]$bias)))
  }
  names <- lapply(seq_along(layers), function(m) {
    n <- seq_along(units[[m]])
    if (m == 1) return(colnames(model_data(fit)) %||% paste0("v", n))
    paste0(if (m == 2) "f" else sprintf("l%d.", m - 1L), n, recycle0 = TRUE)
  })
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

layer_weights <- function(layer, parents) {
  Matrix::sparseMatrix(
    i = layer$parent, j = layer$child, x = layer$weight, dims = c(parents, length(layer$bias))
  )
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
print.cascade_network <- print_lines

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

#' @rdname rcascade
#' @param x A cascade returned by `rcascade()`.
#' @param ... Must be empty.
#' @export
plot.cascade <- function(x, ...) {
  check_no_more(...)
  draw_network(x, units = attr(x, "units"))
}

# layers: List of binary matrices, children x parents, starting with the visible layer.
# weights: List of matrices of the same sizes, or NULL. Edges with negative weights are blue, edges
# with positive weights are red, and edges with small weights are fainter.
# units: Number of visible units, needed if there are no hidden units.
# alone: Names of visible units without parents, or NULL.
draw_network <- function(layers, weights = NULL, units = nrow(layers[[1]]), visible = TRUE,
                         alone = NULL) {
  title <- paste(cascade_counts(layers), collapse = ", ")
  notes <- if (!visible) sprintf("The %d visible units are left out", units)
  if (!visible) {
    units <- ncol(layers[[1]])
    layers <- layers[-1]
    weights <- weights[-1]
  }
  places <- place_units(layers, units)
  names <- if (length(layers) > 0) rownames(layers[[1]]) else alone
  sizes <- lengths(places)
  size <- pmin(6, 90 / sizes, 60 / length(places))
  nodes <- data.frame(
    x = unlist(places), y = rep(seq_along(places) - 1, sizes), size = rep(size, sizes),
    number = unlist(lapply(sizes, seq_len))
  )
  unnumbered <- nodes$size < 3 | rep(sizes > 12, sizes) | (nodes$y == 0 & !is.null(names))
  drawn <- sizes <= 200
  if (!all(drawn)) notes <- c(notes, "Edges of layers of more than 200 units are left out")
  edges <- edge_frame(layers, weights, places, drawn)
  layer <- seq_along(places) - as.integer(visible)
  at <- order(places[[1]])
  ggplot() +
    edge_layers(edges, is.null(weights)) +
    geom_point(
      aes(.data$x, .data$y, size = .data$size), nodes, shape = 21, fill = "white", stroke = 0.3
    ) +
    geom_text(aes(.data$x, .data$y, label = .data$number), nodes[!unnumbered, ], size = 2.7) +
    scale_size_identity() +
    scale_y_continuous(
      breaks = seq_along(places) - 1,
      labels = paste0(ifelse(layer == 0, "visible", sprintf("layer %d", layer)), ": ", sizes),
      expand = expansion(add = c(if (is.null(names)) 0.5 else 0.15, 0.5))
    ) +
    coord_cartesian(clip = "off") +
    labs(
      title = title, subtitle = if (length(notes) > 0) paste(notes, collapse = ". "), x = NULL,
      y = NULL
    ) +
    plain_theme() +
    (if (is.null(names)) {
      scale_x_continuous(limits = c(0, 1), breaks = NULL)
    } else {
      columns_across(names[at], at = places[[1]][at], limits = c(0, 1), expand = c(0.05, 0))
    })
}

# Positions of units, from 0 to 1. The units of a layer are evenly spaced and ordered by the mean
# position of their neighbours: first, going up, the neighbours in the layer below; then, going
# down, the neighbours in the layer above. Units without neighbours stay at about the same position.
place_units <- function(layers, units) {
  spread <- function(n) (seq_len(n) - 0.5) / n
  # edges: Matrix with one row per unit and one column per neighbour.
  sort_places <- function(places, edges, neighbours) {
    degree <- rowSums(edges)
    means <- ifelse(degree == 0, places, as.vector(edges %*% neighbours) / degree)
    replace(places, order(means, places), spread(length(places)))
  }
  places <- lapply(c(units, vapply(layers, ncol, 1L)), spread)
  up <- seq_along(layers)
  for (pass in 1:5) {
    for (m in up) places[[m + 1]] <- sort_places(places[[m + 1]], t(layers[[m]]), places[[m]])
    for (m in rev(up)) places[[m]] <- sort_places(places[[m]], layers[[m]], places[[m + 1]])
  }
  places
}

edge_frame <- function(layers, weights, places, drawn) {
  of_layer <- function(m) {
    at <- which(layers[[m]] == 1, arr.ind = TRUE)
    data.frame(
      x = places[[m]][at[, 1]], y = rep(m - 1, nrow(at)), to = places[[m + 1]][at[, 2]],
      weight = if (is.null(weights)) rep(NA_real_, nrow(at)) else weights[[m]][at]
    )
  }
  do.call(rbind, lapply(which(drawn[-1] & drawn[-length(drawn)]), of_layer))
}

edge_layers <- function(edges, plain) {
  if (is.null(edges)) return(NULL)
  position <- aes(.data$x, .data$y, xend = .data$to, yend = .data$y + 1)
  width <- if (nrow(edges) > 300) 0.2 else 0.4
  if (plain) return(geom_segment(position, edges, colour = "grey50", linewidth = width))
  edges$sign <- factor(ifelse(edges$weight < 0, "negative", "positive"), c("negative", "positive"))
  largest <- max(abs(edges$weight), .Machine$double.xmin)
  edges$strength <- 0.1 + 0.9 * abs(edges$weight) / largest
  edges <- edges[order(edges$strength), ]
  list(
    geom_segment(
      utils::modifyList(position, aes(colour = .data$sign, alpha = .data$strength)),
      edges, linewidth = 1.5 * width
    ),
    scale_colour_manual(
      name = "weight", values = c(negative = "#2166ac", positive = "#b2182b"), drop = FALSE
    ),
    scale_alpha_identity()
  )
}
