# Checks a tree and scales the distance from the root to the tips to 1
# Returns list(parents, lengths, labels, tree): parents of the nodes, the tips first (NA for the
# root), lengths of the edges above them, and the scaled phylo.
check_tree <- function(tree, name = "tree") {
  check_phylo(tree, name)
  edges <- edges_above(tree)
  heights <- node_heights(edges$parents, edges$lengths)
  scale <- check_heights(heights[seq_along(tree$tip.label)], name)
  if (abs(scale - 1) > 1e-6) {
    message(sprintf("The tree is rescaled from a root-to-tip length of %.4g to 1.", scale))
  }
  tree$edge.length <- tree$edge.length / scale
  if (!is.null(tree$root.edge)) tree$root.edge <- tree$root.edge / scale
  list(
    parents = edges$parents, lengths = edges$lengths / scale,
    labels = as.character(tree$tip.label), phylo = tree
  )
}

# Parents and lengths of the edges above the nodes of a phylo
edges_above <- function(tree) {
  nodes <- max(tree$edge, length(tree$tip.label))
  parents <- rep(NA_integer_, nodes)
  parents[tree$edge[, 2]] <- as.integer(tree$edge[, 1])
  lengths <- numeric(nodes)
  lengths[tree$edge[, 2]] <- tree$edge.length
  root <- tree$edge[1, 1]
  while (!is.na(parents[root])) root <- parents[root]
  lengths[root] <- tree$root.edge %||% 0
  list(parents = parents, lengths = lengths)
}

# The distance from the root to the tips, which must be positive and equal
check_heights <- function(heights, name) {
  if (diff(range(heights)) > 1e-6 * max(heights)) {
    was <- sprintf("between %.4g and %.4g", min(heights), max(heights))
    must <- "have the same length from the root to every tip (be ultrametric)"
    stop_argument(name, must, was = was)
  }
  if (!(mean(heights) > 0)) stop_argument(name, "have edges longer than 0", was = "0 throughout")
  mean(heights)
}

check_phylo <- function(tree, name) {
  if (!inherits(tree, "phylo") || !is.list(tree)) {
    stop_argument(name, "be a tree of class phylo, as made by package ape", tree)
  }
  if (is.null(tree$edge.length)) stop_argument(name, "have edge lengths", was = "one without")
  if (!is_one_tree(tree$edge, length(tree$tip.label))) {
    stop_argument(name, "have edges that make one rooted tree, the tips first", was = "others")
  }
  if (!are_lengths(tree$edge.length, nrow(tree$edge)) || !are_lengths(tree$root.edge %||% 0, 1)) {
    stop_argument(name, "have one finite length of at least 0 per edge", was = "others")
  }
  if (anyNA(tree$tip.label)) stop_argument(name, "have a label for every tip", was = "NA")
  again <- anyDuplicated(tree$tip.label)
  if (again) {
    was <- sprintf("%s more than once", describe_scalar(tree$tip.label[again]))
    stop_argument(name, "have unique tip labels", was = was)
  }
}

are_lengths <- function(x, n) is.numeric(x) && length(x) == n && all(is.finite(x)) && all(x >= 0)

are_edges <- function(x) is.matrix(x) && is.numeric(x) && ncol(x) == 2 && nrow(x) > 0

# True if edges (parent, child) form one rooted tree with the tips 1, 2, ...
is_one_tree <- function(edge, tips) {
  if (!are_edges(edge)) return(FALSE)
  nodes <- nrow(edge) + 1
  ends <- setdiff(edge[, 2], edge[, 1])
  if (!setequal(edge, seq_len(nodes)) || anyDuplicated(edge[, 2])) return(FALSE)
  if (tips == 0 || !setequal(ends, seq_len(tips))) return(FALSE)
  above <- replace(rep(NA_integer_, nodes), edge[, 2], as.integer(edge[, 1]))
  # Pointer doubling; it would not end on a cycle.
  for (n in seq_len(ceiling(log2(nodes)) + 1)) above <- above[above]
  all(is.na(above))
}

# Distance of every node from the start of the edge of the root
node_heights <- function(parents, lengths) {
  heights <- lengths
  above <- parents
  # Pointer doubling.
  while (any(!is.na(above))) {
    known <- which(!is.na(above))
    heights[known] <- heights[known] + heights[above[known]]
    above[known] <- above[above[known]]
  }
  heights
}

# The tree for the core, with its tips in the order of the rows
# side: What has features: `"row"` or `"column"`, of the argument or data `of`.
tree_spec <- function(tree, names, side = "row", of = "the data") {
  refuse <- function(was) {
    stop_argument("tree", sprintf("have as its tips the %s names of %s", side, of), was = was)
  }
  if (is.null(names)) refuse(sprintf("matched to %ss without names", side))
  lost <- setdiff(names, tree$labels)
  if (length(lost) > 0) refuse(sprintf("without the %s \"%s\"", side, lost[1]))
  more <- setdiff(tree$labels, names)
  if (length(more) > 0) refuse(sprintf("with the tip \"%s\"", more[1]))
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

# True if tips are at distance 0, so that they have the same features
twin_tips <- function(tree) {
  top <- function(v) {
    while (!is.na(tree$parents[v]) && tree$lengths[v] == 0) v <- tree$parents[v]
    v
  }
  tips <- seq_along(tree$labels)
  zero <- tips[tree$lengths[tips] == 0]
  if (length(zero) < 2) return(NULL)
  tops <- vapply(zero, top, 1)
  again <- anyDuplicated(tops)
  if (again) tree$labels[zero[c(match(tops[again], tops), again)]]
}
