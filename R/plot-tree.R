# A tree lying on its side, its tips at whole heights, beside a binary matrix of the same rows.

#' Where the nodes of a tree are drawn
#'
#' @param rows Names of the tips in the order of the rows, the first at height 1.
#' @return A data frame with a row per node: x, the distance from the root; y; parent.
#' @noRd
tree_layout <- function(tree, rows) {
  nodes <- length(tree$parents)
  y <- numeric(nodes)
  y[match(rows, tree$labels)] <- seq_along(rows)
  children <- split(seq_len(nodes), factor(tree$parents, seq_len(nodes)))
  for (v in rev(parents_first(tree$parents))) {
    below <- children[[v]]
    if (length(below) > 0) y[v] <- mean(range(y[below]))
  }
  data.frame(x = node_heights(tree$parents, tree$lengths), y = y, parent = tree$parents)
}

#' The order of the tips in which no branches cross, that of the labels where they are equal
#' @noRd
tips_in_order <- function(tree) {
  children <- split(seq_along(tree$parents), factor(tree$parents, seq_along(tree$parents)))
  found <- character()
  waiting <- which(is.na(tree$parents))
  while (length(waiting) > 0) {
    v <- waiting[1]
    below <- children[[v]]
    if (v <= length(tree$labels)) found <- c(found, tree$labels[v])
    waiting <- c(below, waiting[-1])
  }
  found
}

#' The top nodes of the subtrees all of whose tips have a feature: it must have begun there or below
#' @noRd
gains_of <- function(tree, on) {
  all_on <- rep(TRUE, length(tree$parents))
  all_on[seq_along(on)] <- on == 1
  for (v in rev(parents_first(tree$parents))) {
    if (!all_on[v] && !is.na(tree$parents[v])) all_on[tree$parents[v]] <- FALSE
  }
  parent_on <- c(FALSE, all_on)[ifelse(is.na(tree$parents), 0, tree$parents) + 1]
  which(all_on & !parent_on)
}

plot_tree_fit <- function(fit) {
  tree <- fit$prior$tree
  z <- features(fit)[tips_in_order(tree), , drop = FALSE]
  nodes <- tree_layout(tree, rownames(z))
  gains <- gain_frame(tree, z, nodes)
  width <- 1.2 / max(12, ncol(z))
  cells <- long_matrix(z)
  cells$x <- 1.25 + (cells$column - 0.5) * width
  heads <- data.frame(x = 1.25 + (seq_len(ncol(z)) - 0.5) * width, label = seq_len(ncol(z)))
  ggplot2::ggplot() +
    tree_layers(nodes) +
    ggplot2::geom_text(
      ggplot2::aes(1.03, .data$y, label = .data$label), tip_frame(z), hjust = 0, size = 3
    ) +
    ggplot2::geom_tile(
      ggplot2::aes(.data$x, .data$row, fill = factor(.data$value)), cells,
      width = width * 0.92, height = 0.92
    ) +
    ggplot2::geom_text(ggplot2::aes(.data$x, 0.2, label = .data$label), heads, size = 2.5) +
    ggplot2::geom_label(
      ggplot2::aes(.data$x, .data$y, label = .data$label), gains, size = 2.5,
      label.padding = ggplot2::unit(0.12, "lines")
    ) +
    ggplot2::scale_fill_manual(values = c("0" = "grey93", "1" = "grey15"), guide = "none") +
    ggplot2::scale_y_reverse() +
    ggplot2::labs(title = "Features, and the branches on which they began") +
    plain_theme() +
    ggplot2::theme(axis.text = ggplot2::element_blank(), axis.title = ggplot2::element_blank())
}

tip_frame <- function(z) data.frame(y = seq_len(nrow(z)), label = rownames(z))

tree_layers <- function(nodes) {
  edges <- nodes[!is.na(nodes$parent), ]
  edges$from <- nodes$x[edges$parent]
  edges$above <- nodes$y[edges$parent]
  list(
    ggplot2::geom_segment(
      ggplot2::aes(.data$from, .data$y, xend = .data$x, yend = .data$y), edges, colour = "grey40"
    ),
    ggplot2::geom_segment(
      ggplot2::aes(.data$from, .data$above, xend = .data$from, yend = .data$y), edges,
      colour = "grey40"
    )
  )
}

#' Numbers of the features that began on each branch, side by side on its middle
#' @noRd
gain_frame <- function(tree, z, nodes) {
  on_tips <- z[tree$labels, , drop = FALSE]
  gains <- lapply(seq_len(ncol(z)), function(k) gains_of(tree, on_tips[, k]))
  at <- factor(unlist(gains), seq_len(nrow(nodes)))
  features <- split(rep(seq_along(gains), lengths(gains)), at)
  features <- features[lengths(features) > 0]
  v <- as.integer(names(features))
  above <- ifelse(is.na(nodes$parent[v]), 0, nodes$x[nodes$parent[v]])
  data.frame(
    x = (above + nodes$x[v]) / 2, y = nodes$y[v],
    label = vapply(features, paste, "", collapse = " ", USE.NAMES = FALSE)
  )
}
