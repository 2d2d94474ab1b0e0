# Checks a tree, and scales it so that the distance from the root to the tips is 1
# Returns list(parents, lengths, labels, phylo): the parent of each node, starting with the tips (NA
# for the root); the length of the edge above each node; the labels of the tips; and the scaled
# phylo.
check_tree <- function(tree) {
  check_given(tree, "tree")
  check_phylo(tree)
  nodes <- max(tree$edge, length(tree$tip.label))
  parents <- rep(NA_integer_, nodes)
  parents[tree$edge[, 2]] <- as.integer(tree$edge[, 1])
  lengths <- numeric(nodes)
  lengths[tree$edge[, 2]] <- tree$edge.length
  root <- tree$edge[1, 1]
  while (!is.na(parents[root])) root <- parents[root]
  lengths[root] <- tree$root.edge %||% 0
  lengths <- equal_heights(parents, lengths, tree)
  scale <- mean(node_heights(parents, lengths)[seq_along(tree$tip.label)])
  if (!(scale > 0)) {
    cure <- "`ape::compute.brlen(tree)` computes them"
    stop_argument("tree", "have edges longer than 0", was = "0 throughout", cure = cure)
  }
  if (abs(scale - 1) > 1e-6) {
    message(sprintf("The tree is rescaled from a root-to-tip length of %.4g to 1.", scale))
  }
  lengths <- lengths / scale
  tree$edge.length <- lengths[tree$edge[, 2]]
  if (!is.null(tree$root.edge)) tree$root.edge <- lengths[root]
  list(parents = parents, lengths = lengths, labels = as.character(tree$tip.label), phylo = tree)
}

# Lengthens edges so that all tips have the height of the highest tip, if heights differ by at most
# a relative 1e-3. Edges are lengthened as close to the root as possible, so that equal tips stay
# equal.
equal_heights <- function(parents, lengths, tree) {
  heights <- node_heights(parents, lengths)
  ends <- range(heights[seq_along(tree$tip.label)])
  apart <- diff(ends) / ends[2]
  if (!isTRUE(apart > 1e-6)) return(lengths)
  if (apart > 1e-3) {
    stop_argument("tree", "have the same length from the root to every tip (be ultrametric)",
      was = sprintf("between %.4g and %.4g", ends[1], ends[2]),
      cure = "`ape::chronos(tree)` or `phytools::force.ultrametric(tree)` makes it ultrametric"
    )
  }
  highest <- heights  # of the tips below each node
  for (v in rev(parents_first(parents))) {
    above <- parents[v]
    if (!is.na(above)) highest[above] <- max(highest[above], highest[v])
  }
  message(sprintf(
    "The root-to-tip lengths of the tree are %.7g to %.7g: edges are lengthened to make all %.7g.",
    ends[1], ends[2], ends[2]
  ))
  inner <- !is.na(parents)
  lengths[inner] <- lengths[inner] + highest[parents[inner]] - highest[inner]
  lengths
}

check_phylo <- function(tree) {
  if (!inherits(tree, "phylo") || !is.list(tree)) {
    must <- "be a tree of class phylo, as made by package ape"
    stop_argument("tree", must, tree, cure = tree_conversion(tree))
  }
  if (is.null(tree$edge.length)) {
    cure <- "`ape::compute.brlen(tree)` computes them"
    stop_argument("tree", "have edge lengths", was = "one without", cure = cure)
  }
  if (!is_one_tree(tree$edge, length(tree$tip.label))) {
    stop_argument("tree", "have edges that form a rooted tree, with tips first", was = "others")
  }
  are_lengths <- function(x, n) is.numeric(x) && length(x) == n && all(is.finite(x)) && all(x >= 0)
  if (!are_lengths(tree$edge.length, nrow(tree$edge)) || !are_lengths(tree$root.edge %||% 0, 1)) {
    negative <- is.numeric(tree$edge.length) && any(tree$edge.length < 0, na.rm = TRUE)
    was <- if (negative) format(min(tree$edge.length, na.rm = TRUE), digits = 3) else "others"
    cure <- if (negative) "`tree$edge.length <- pmax(tree$edge.length, 0)`"
    must <- "have one finite length of at least 0 per edge"
    stop_argument("tree", must, was = was, cure = cure)
  }
  if (anyNA(tree$tip.label)) stop_argument("tree", "have a label for every tip", was = "NA")
  check_unique(tree$tip.label, "tree", "have unique tip labels")
}

# Code that converts an object to class phylo, or NULL if there is none
tree_conversion <- function(x) {
  way <- if (inherits(x, c("hclust", "phylog", "treedata"))) {
    "ape::as.phylo(tree)"
  } else if (inherits(x, c("dendrogram", "twins"))) {
    "ape::as.phylo(stats::as.hclust(tree))"
  } else if (inherits(x, "dist")) {
    "ape::as.phylo(stats::hclust(tree))"
  } else if (inherits(x, "multiPhylo")) {
    "tree[[1]]"
  } else if (is.character(x) && length(x) == 1 && !is.na(x)) {
    if (grepl("(", x, fixed = TRUE)) "ape::read.tree(text = tree)" else "ape::read.tree(tree)"
  }
  if (!is.null(way)) return(paste0("`", way, "` is one"))
  if (is.factor(x) || is.character(x) || is.data.frame(x)) {
    paste(
      "`ape::compute.brlen(ape::as.phylo(~group / item, data = d))` makes one from a data frame",
      "`d` of two factors"
    )
  }
}

# True if the edges (parent, child) form one rooted tree with tips 1, 2, ...
is_one_tree <- function(edge, tips) {
  if (!is.matrix(edge) || !is.numeric(edge) || ncol(edge) != 2 || nrow(edge) == 0) return(FALSE)
  nodes <- nrow(edge) + 1
  ends <- setdiff(edge[, 2], edge[, 1])
  if (!setequal(edge, seq_len(nodes)) || anyDuplicated(edge[, 2])) return(FALSE)
  if (tips == 0 || !setequal(ends, seq_len(tips))) return(FALSE)
  above <- replace(rep(NA_integer_, nodes), edge[, 2], as.integer(edge[, 1]))
  # Pointer doubling. The number of steps is fixed, because the loop would not end on a cycle.
  for (n in seq_len(ceiling(log2(nodes)) + 1)) above <- above[above]
  all(is.na(above))
}

# Distance of each node from the start of the root edge
node_heights <- function(parents, lengths) {
  heights <- lengths
  above <- parents
  while (any(!is.na(above))) {
    known <- which(!is.na(above))
    heights[known] <- heights[known] + heights[above[known]]
    above[known] <- above[above[known]]
  }
  heights
}

# The tree in the form that the core needs, with its tips in the order of the rows
# side: What has features, the `"row"`s or `"column"`s of `of`, an argument or the data.
tree_spec <- function(tree, names, side = "row", of = "the data") {
  given <- paste0(if (side == "row") "row" else "col", if (of == "`z`") "names(z)" else "names(x)")
  refuse <- function(why, ...) {
    text <- sprintf("`tree` must have the %s names of %s as its tips; %s: ", side, of, why)
    abort_argument(text, ..., ".")
  }
  if (is.null(names)) {
    why <- sprintf("the %ss have no names", side)
    refuse(why, "`", given, " <- tree$tip.label` sets them if the ", side, "s are in this order")
  }
  lost <- setdiff(names, tree$labels)
  more <- setdiff(tree$labels, names)
  without <- sprintf("it has no tip for the %s \"%s\"", side, lost[1])
  if (length(lost) > 0 && length(more) > 0) {
    refuse(without, "`intersect(", given, ", tree$tip.label)` gives the names in both")
  }
  if (length(lost) > 0) refuse(without, "leave it out of the data, or add it to the tree")
  if (length(more) > 0) {
    why <- sprintf("its tip \"%s\" matches no %s", more[1], side)
    refuse(why, "`ape::keep.tip(tree, ", given, ")` drops it")
  }
  tips <- length(names)
  numbers <- seq_along(tree$parents)
  numbers[match(names, tree$labels)] <- seq_len(tips)
  parents <- lengths <- numeric(length(numbers))
  parents[numbers] <- ifelse(is.na(tree$parents), 0, numbers[tree$parents])
  lengths[numbers] <- tree$lengths
  list(parents = as.integer(parents - 1), lengths = lengths)
}

total_length <- function(tree) sum(tree$lengths)

# E[K+] / alpha
tree_features <- function(tree) digamma(total_length(tree) + 1) - digamma(1)

# Labels of tips at distance 0 from an earlier tip, which therefore have the same features. Their
# names are the labels of the earlier tips.
twin_tips <- function(tree) {
  top <- function(v) {
    while (!is.na(tree$parents[v]) && tree$lengths[v] == 0) v <- tree$parents[v]
    v
  }
  zero <- which(tree$lengths[seq_along(tree$labels)] == 0)
  tops <- vapply(zero, top, 1)
  again <- duplicated(tops)
  stats::setNames(tree$labels[zero[again]], tree$labels[zero[match(tops[again], tops)]])
}

# Draws a horizontal tree, with its tips at integer heights, next to a binary matrix with the same
# rows.

# Coordinates of the nodes of a tree
# rows: Names of the tips in the order of the rows; the first tip is at height 1.
# Returns a data frame with one row per node: x, the distance from the root; y, the height; and
# parent.
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

# An order of the tips in which no branches cross; ties are broken by the order of the labels
tips_in_order <- function(tree) {
  children <- split(seq_along(tree$parents), factor(tree$parents, seq_along(tree$parents)))
  found <- character()
  waiting <- which(is.na(tree$parents))
  while (length(waiting) > 0) {
    v <- waiting[1]
    if (v <= length(tree$labels)) found <- c(found, tree$labels[v])
    waiting <- c(children[[v]], waiting[-1])
  }
  found
}

# Top nodes of the subtrees in which all tips have a feature, excluding a root without an edge
gains_of <- function(tree, on) {
  order <- parents_first(tree$parents)
  all_on <- replace(rep(TRUE, length(tree$parents)), seq_along(on), on == 1)
  for (v in rev(order)) {
    if (!all_on[v] && !is.na(tree$parents[v])) all_on[tree$parents[v]] <- FALSE
  }
  begun <- rep(FALSE, length(all_on))
  gains <- integer()
  for (v in order) {
    above <- !is.na(tree$parents[v]) && begun[tree$parents[v]]
    begun[v] <- above || (all_on[v] && tree$lengths[v] > 0)
    if (begun[v] && !above) gains <- c(gains, v)
  }
  gains
}

# Plots the tree of the prior next to the point estimate. Features of all rows are left out if
# `telling` says that they have no effect, unless they are selected.
plot_tree_fit <- function(fit, which = NULL, telling = function(z) rep(TRUE, ncol(z))) {
  tree <- fit$internal$model$prior$tree
  z <- fit$features[tips_in_order(tree), , drop = FALSE]
  numbers <- which %||% which(telling(z))
  z <- z[, numbers, drop = FALSE]
  nodes <- tree_layout(tree, rownames(z))
  edges <- nodes
  edges$from <- ifelse(is.na(nodes$parent), 0, nodes$x[nodes$parent])
  edges$above <- ifelse(is.na(nodes$parent), nodes$y, nodes$y[nodes$parent])
  width <- min(0.1, 1.9 / ncol(z))
  at <- 1.05 + (seq_len(ncol(z)) - 0.5) * width
  cells <- long_matrix(z)
  cells$x <- at[cells$column]
  text <- max(1.7, min(2.5, 110 / nrow(z)))
  ggplot() +
    geom_segment(
      aes(.data$from, .data$y, xend = .data$x, yend = .data$y), edges, colour = "grey40"
    ) +
    geom_segment(
      aes(.data$from, .data$above, xend = .data$from, yend = .data$y), edges,
      colour = "grey40"
    ) +
    geom_tile(
      aes(.data$x, .data$row, fill = factor(.data$value)), cells,
      width = width * 0.92, height = 0.92
    ) +
    geom_label(
      aes(.data$x, .data$y, label = .data$label), gain_frame(tree, z, nodes, numbers),
      size = text, label.padding = unit(0.05 * text, "lines")
    ) +
    scale_fill_manual(values = c("0" = "grey93", "1" = "grey15"), guide = "none") +
    labs(x = NULL, y = NULL, title = "Features and the branches on which they originated") +
    plain_theme() +
    rows_down(rownames(z), position = "right") +
    columns_across(as.character(numbers), at = at, expand = c(0.01, 0), position = "top")
}

# Numbers of the features that originated on each branch, placed at the middle of the branch
gain_frame <- function(tree, z, nodes, numbers) {
  on_tips <- z[tree$labels, , drop = FALSE]
  gains <- lapply(seq_len(ncol(z)), function(k) gains_of(tree, on_tips[, k]))
  at <- factor(unlist(gains), seq_len(nrow(nodes)))
  features <- split(rep(numbers, lengths(gains)), at)
  features <- features[lengths(features) > 0]
  v <- as.integer(names(features))
  above <- ifelse(is.na(nodes$parent[v]), 0, nodes$x[nodes$parent[v]])
  lines <- lapply(features, function(k) strwrap(paste(join_runs(sort(k)), collapse = " "), 16))
  # Half of the width of the label.
  half <- 0.015 * vapply(lines, function(text) max(nchar(text)), 1L, USE.NAMES = FALSE)
  # Labels must not overlap the matrix or cross the edge of the plot.
  most <- ifelse(v > nrow(z), Inf, 0.98 - half)
  data.frame(
    x = pmax(pmin((above + nodes$x[v]) / 2, most), half), y = nodes$y[v],
    label = vapply(lines, paste, "", collapse = "\n", USE.NAMES = FALSE)
  )
}

# Increasing numbers as text, in which runs of three or more are given by their first and last
# number
join_runs <- function(k) {
  runs <- split(k, cumsum(c(TRUE, diff(k) != 1)))
  joined <- lapply(runs, function(run) {
    if (length(run) < 3) run else paste0(run[1], "-", run[length(run)])
  })
  unlist(joined, use.names = FALSE)
}
