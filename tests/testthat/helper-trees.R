# Trees, and the phylogenetic process on them, computed from its definition, independently of the
# package.

#' A tree of class phylo, made from its edges (parent, child), their lengths, and the labels of its
#' tips
phylo_of <- function(edge, lengths, labels, root_edge = NULL) {
  tree <- list(
    edge = edge, edge.length = lengths, tip.label = labels,
    Nnode = length(unique(edge[, 1]))
  )
  tree$root.edge <- root_edge
  structure(tree, class = "phylo")
}

star_tree <- function(tips, labels = paste0("t", seq_len(tips))) {
  phylo_of(cbind(tips + 1L, seq_len(tips)), rep(1, tips), labels)
}

#' A tree from which tips branch off one at a time, in equal steps
caterpillar <- function(tips, labels = paste0("t", seq_len(tips))) {
  spine <- tips + seq_len(tips - 1)
  edge <- rbind(
    cbind(utils::head(spine, -1), spine[-1]), cbind(spine, seq_len(tips - 1)),
    c(utils::tail(spine, 1), tips)
  )
  depth <- (seq_len(tips - 1) - 1) / (tips - 1)
  lengths <- c(diff(depth), 1 - depth, 1 - depth[tips - 1])
  phylo_of(edge, lengths, labels)
}

#' An ultrametric tree with a random shape. Nodes may have one child or many, inner edges may have
#' length 0, and with `root` there is an edge above the root.
random_tree <- function(tips, root = stats::runif(1) < 0.5) {
  edge <- matrix(0, 0, 2)
  lengths <- numeric()
  last <- tips + 1
  join <- function(parent, child, length) {
    edge <<- rbind(edge, c(parent, child))
    lengths <<- c(lengths, length)
  }
  grow <- function(node, members, depth, level) {
    groups <- split(members, sample(length(members), replace = TRUE))
    for (group in groups) {
      if (level >= 2 || (length(group) == 1 && stats::runif(1) < 0.6)) {
        for (tip in group) join(node, tip, 1 - depth)
      } else {
        last <<- last + 1
        child <- last
        down <- (1 - depth) * sample(c(0, stats::runif(1, 0, 0.9)), 1, prob = c(0.25, 0.75))
        join(node, child, down)
        grow(child, group, depth + down, level + 1)
      }
    }
  }
  top <- if (root) stats::runif(1, 0, 0.6) else 0
  grow(tips + 1, seq_len(tips), top, 0)
  phylo_of(edge, lengths, sample(letters, tips), if (root) top)
}

tree_length <- function(tree) sum(tree$edge.length, tree$root.edge)

#' P(column | pi) for tips in the order of their labels, summed over all states of the other nodes.
#' The state is 0 above the edge of the root. On an edge of length t, 0 changes to 1 with
#' probability 1 - (1 - pi)^t.
naive_column <- function(tree, column, rate) {
  tips <- length(tree$tip.label)
  root <- setdiff(tree$edge[, 1], tree$edge[, 2])
  inner <- setdiff(seq_len(max(tree$edge)), seq_len(tips))
  step <- function(from, to, length) {
    if (from == 1) return(rep(as.numeric(to == 1), length(rate)))
    if (to == 0) exp(-rate * length) else -expm1(-rate * length)
  }
  total <- 0
  for (states in asplit(as.matrix(expand.grid(rep(list(0:1), length(inner)))), 1)) {
    state <- numeric(max(tree$edge))
    state[seq_len(tips)] <- column
    state[inner] <- states
    p <- step(0, state[root], tree$root.edge %||% 0)
    for (e in seq_len(nrow(tree$edge))) {
      p <- p * step(state[tree$edge[e, 1]], state[tree$edge[e, 2]], tree$edge.length[e])
    }
    total <- total + p
  }
  total
}

#' The rate of such columns divided by alpha: the integral of P(column | pi) / pi over pi = 1 -
#' exp(-rate)
naive_rate <- function(tree, column) {
  density <- function(rate) naive_column(tree, column, rate) * exp(-rate) / -expm1(-rate)
  below <- stats::integrate(density, 0, 1, rel.tol = 1e-11, subdivisions = 1000)$value
  below + stats::integrate(density, 1, Inf, rel.tol = 1e-11, subdivisions = 1000)$value
}

#' log P of a left-ordered class: the numbers of columns of each kind are Poisson variables
naive_dpibp <- function(z, tree, alpha) {
  z <- z[tree$tip.label, colSums(z) > 0, drop = FALSE]
  total <- tree_length(tree)
  kinds <- apply(z, 2, paste, collapse = "")
  rates <- vapply(seq_len(ncol(z)), function(k) naive_rate(tree, z[, k]), 0)
  sum(log(alpha * rates)) - alpha * (digamma(total + 1) - digamma(1)) -
    sum(lfactorial(table(kinds)))
}

#' All kinds of columns with a given number of rows, as the named columns of a matrix
all_kinds <- function(labels) {
  n <- length(labels)
  kinds <- from_histories(seq_len(2^n - 1), n)
  rownames(kinds) <- labels
  kinds
}
