# A horizontal tree with its tips at whole heights, next to a binary matrix of the same rows.

# Coordinates of the nodes of a tree
# rows: Names of the tips in the order of the rows, the first at height 1.
# Returns A data frame with a row per node: x, the distance from the root; y; parent.
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

# An order of the tips without crossing branches; ties in the order of labels
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

# Top nodes of the subtrees whose tips all have a feature, excluding a root without an edge
gains_of <- function(tree, on) {
  all_on <- tips_all_on(tree, on)
  begun <- rep(FALSE, length(all_on))
  gains <- integer()
  for (v in parents_first(tree$parents)) {
    above <- !is.na(tree$parents[v]) && begun[tree$parents[v]]
    begun[v] <- above || (all_on[v] && tree$lengths[v] > 0)
    if (begun[v] && !above) gains <- c(gains, v)
  }
  gains
}

tips_all_on <- function(tree, on) {
  all_on <- rep(TRUE, length(tree$parents))
  all_on[seq_along(on)] <- on == 1
  for (v in rev(parents_first(tree$parents))) {
    if (!all_on[v] && !is.na(tree$parents[v])) all_on[tree$parents[v]] <- FALSE
  }
  all_on
}

# The tree of the prior, next to the point estimate. Features of all rows are left out if `telling`
# says that they have no effect, unless they are selected.
plot_tree_fit <- function(fit, which = NULL, telling = function(z) rep(TRUE, ncol(z))) {
  tree <- fit$internal$model$prior$tree
  z <- fit$features[tips_in_order(tree), , drop = FALSE]
  numbers <- which %||% which(telling(z))
  z <- z[, numbers, drop = FALSE]
  nodes <- tree_layout(tree, rownames(z))
  width <- min(0.1, 1.9 / ncol(z))
  at <- 1.05 + (seq_len(ncol(z)) - 0.5) * width
  cells <- long_matrix(z)
  cells$x <- at[cells$column]
  text <- max(1.7, min(2.5, 110 / nrow(z)))
  ggplot2::ggplot() +
    tree_layers(nodes) +
    ggplot2::geom_tile(
      ggplot2::aes(.data$x, .data$row, fill = factor(.data$value)), cells,
      width = width * 0.92, height = 0.92
    ) +
    ggplot2::geom_label(
      ggplot2::aes(.data$x, .data$y, label = .data$label), gain_frame(tree, z, nodes, numbers),
      size = text, label.padding = ggplot2::unit(0.05 * text, "lines")
    ) +
    ggplot2::scale_fill_manual(values = c("0" = "grey93", "1" = "grey15"), guide = "none") +
    ggplot2::labs(x = NULL, y = NULL, title = "Features, and the branches on which they began") +
    plain_theme() +
    rows_down(rownames(z), position = "right") +
    columns_across(as.character(numbers), at = at, expand = c(0.01, 0), position = "top")
}

tree_layers <- function(nodes) {
  root <- is.na(nodes$parent)
  edges <- nodes
  edges$from <- ifelse(root, 0, nodes$x[nodes$parent])
  edges$above <- ifelse(root, nodes$y, nodes$y[nodes$parent])
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

# Numbers of the features that began on each branch, at its middle

gain_frame <- function(tree, z, nodes, numbers) {
  on_tips <- z[tree$labels, , drop = FALSE]
  gains <- lapply(seq_len(ncol(z)), function(k) gains_of(tree, on_tips[, k]))
  at <- factor(unlist(gains), seq_len(nrow(nodes)))
  features <- split(rep(numbers, lengths(gains)), at)
  features <- features[lengths(features) > 0]
  v <- as.integer(names(features))
  above <- ifelse(is.na(nodes$parent[v]), 0, nodes$x[nodes$parent[v]])
  lines <- lapply(features, function(k) strwrap(paste(join_runs(sort(k)), collapse = " "), 16))
  # Half of the label.
  half <- 0.015 * vapply(lines, function(text) max(nchar(text)), 1L, USE.NAMES = FALSE)
  # Labels avoid the matrix and the edge of the plot.
  most <- ifelse(v > nrow(z), Inf, 0.98 - half)
  data.frame(
    x = pmax(pmin((above + nodes$x[v]) / 2, most), half), y = nodes$y[v],
    label = vapply(lines, paste, "", collapse = "\n", USE.NAMES = FALSE)
  )
}

# Increasing numbers as text, with runs of three or more as first and last
join_runs <- function(k) {
  runs <- split(k, cumsum(c(TRUE, diff(k) != 1)))
  joined <- lapply(runs, function(run) {
    if (length(run) < 3) run else paste0(run[1], "-", run[length(run)])
  })
  unlist(joined, use.names = FALSE)
}
