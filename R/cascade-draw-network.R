#' Plot of a cascade
#'
#' Draws the units of a cascade as dots and its edges as lines. The visible units are in the lowest
#' row, and each layer is above the one before it. Within a layer the units are in an order in which
#' few edges cross.
#'
#' Units are numbered in layers of up to 12 units. If the visible units have names, these are below
#' them; if there are more than 60, every second, every third and so on is shown. Edges to and from
#' layers of more than 200 units are left out, and the subtitle says so.
#'
#' @param x A cascade, as [rcascade()] returns it.
#' @param ... Must be empty.
#' @return A `ggplot`.
#' @seealso [rcascade()]
#' @examples
#' set.seed(6)
#' # 10 visible units, and above them the layers of a draw from the prior
#' plot(rcascade(10, alpha = 1.5))
#' @export
plot.cascade <- function(x, ...) {
  check_no_more(...)
  draw_network(x, units = attr(x, "units"))
}

# layers: List of binary matrices, children x parents, the visible layer first.
# weights: List of matrices of the same sizes, or NULL: edges are blue if negative, red if positive,
# and fainter the smaller they are.
# units: Number of visible units, needed if there are no hidden ones.

# alone: Names of visible units without a layer above them, or NULL.
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
  nodes <- node_frame(places, !is.null(names))
  drawn <- lengths(places) <= 200
  if (!all(drawn)) notes <- c(notes, "Edges of layers of more than 200 units are left out")
  edges <- edge_frame(layers, weights, places, drawn)
  ggplot2::ggplot() +
    edge_layers(edges, is.null(weights)) +
    node_layers(nodes) +
    ggplot2::scale_size_identity() +
    ggplot2::scale_y_continuous(
      breaks = seq_along(places) - 1, labels = layer_labels(lengths(places), !visible),
      expand = ggplot2::expansion(add = c(if (is.null(names)) 0.5 else 0.15, 0.5))
    ) +
    ggplot2::coord_cartesian(clip = "off") +
    ggplot2::labs(
      title = title, subtitle = if (length(notes) > 0) paste(notes, collapse = ". "), x = NULL,
      y = NULL
    ) +
    plain_theme() +
    names_below(names, places[[1]])
}

names_below <- function(names, places) {
  if (is.null(names)) return(ggplot2::scale_x_continuous(limits = c(0, 1), breaks = NULL))
  order <- order(places)
  columns_across(names[order], at = places[order], limits = c(0, 1), expand = c(0.05, 0))
}

# first: Number of the lowest layer, 0 the visible one.
layer_labels <- function(units, first) {
  layer <- first + seq_along(units) - 1
  sprintf("%s: %d", ifelse(layer == 0, "visible", sprintf("layer %d", as.integer(layer))), units)
}

# Places of units from 0 to 1: each layer is spread evenly, ordered by the mean place of its
# neighbours in the layer below, then, on the way back, above.
place_units <- function(layers, units) {
  places <- lapply(c(units, vapply(layers, ncol, 1L)), spread)
  up <- seq_along(layers)
  for (pass in 1:5) {
    for (m in up) places[[m + 1]] <- sort_places(places[[m + 1]], t(layers[[m]]), places[[m]])
    for (m in rev(up)) places[[m]] <- sort_places(places[[m]], layers[[m]], places[[m + 1]])
  }
  places
}

spread <- function(n) (seq_len(n) - 0.5) / n

# Units without neighbours stay about where they are
# edges: One row per unit, one column per neighbour.
sort_places <- function(places, edges, neighbours) {
  degree <- rowSums(edges)
  means <- ifelse(degree == 0, places, as.vector(edges %*% neighbours) / degree)
  places[order(means, places)] <- spread(length(places))
  places
}

node_frame <- function(places, named) {
  sizes <- lengths(places)
  size <- pmin(6, 90 / sizes, 60 / length(places))
  numbers <- unlist(lapply(sizes, \(n) if (n <= 12) seq_len(n) else rep(NA, n)))
  nodes <- data.frame(
    x = unlist(places), y = rep(seq_along(places) - 1, sizes), size = rep(size, sizes),
    number = ifelse(rep(size, sizes) < 3, NA, numbers)
  )
  if (named) nodes$number[nodes$y == 0] <- NA
  nodes
}

node_layers <- function(nodes) {
  numbered <- nodes[!is.na(nodes$number), ]
  list(
    ggplot2::geom_point(
      ggplot2::aes(.data$x, .data$y, size = .data$size), nodes, shape = 21, fill = "white",
      stroke = 0.3
    ),
    ggplot2::geom_text(
      ggplot2::aes(.data$x, .data$y, label = .data$number), numbered, size = 2.7
    )
  )
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
  position <- ggplot2::aes(.data$x, .data$y, xend = .data$to, yend = .data$y + 1)
  width <- if (nrow(edges) > 300) 0.2 else 0.4
  if (plain) {
    return(ggplot2::geom_segment(position, edges, colour = "grey50", linewidth = width))
  }
  edges$sign <- factor(ifelse(edges$weight < 0, "negative", "positive"), c("negative", "positive"))
  largest <- max(abs(edges$weight), .Machine$double.xmin)
  edges$strength <- 0.1 + 0.9 * abs(edges$weight) / largest
  edges <- edges[order(edges$strength), ]
  list(
    ggplot2::geom_segment(
      utils::modifyList(position, ggplot2::aes(colour = .data$sign, alpha = .data$strength)),
      edges, linewidth = 1.5 * width
    ),
    ggplot2::scale_colour_manual(
      name = "weight", values = c(negative = "#2166ac", positive = "#b2182b"), drop = FALSE
    ),
    ggplot2::scale_alpha_identity()
  )
}
