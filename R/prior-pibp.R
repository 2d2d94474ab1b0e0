#' The phylogenetic Indian buffet process as a prior over features
#'
#' A prior on binary matrices whose rows are the tips of a known tree: rows that are close on the
#' tree tend to share their features.
#'
#' @details
#' A feature with probability pi begins as 0 at the root and turns into 1 on an edge of length t
#' with probability 1 - (1 - pi)^t, for good; all tips below are then 1. Every tip is at distance 1
#' from the root, so that each row has the feature with probability pi. The features are a Poisson
#' process with intensity alpha / pi: the limit of K features with pi_k ~ Beta(alpha / K, 1)
#' (Miller, Griffiths and Jordan 2008). A row has Poisson(alpha) features, all rows together have
#' Poisson(alpha (psi(T + 1) - psi(1))), psi being the digamma function and T the total length of
#' the edges. A tree whose tips all hang from its root is the Indian buffet process, [prior_ibp()].
#'
#' Fits integrate the probabilities pi out where the tree has at most 12 tips, otherwise draw them.
#' They are by sampling: [method_meibp()] does not take this prior. New rows have no place on the
#' tree, so `predict()` takes none.
#'
#' @param tree A tree of class `phylo` (package ape) with edge lengths, as `ape::read.tree()` or,
#'   from a clustering, `ape::as.phylo(hclust(...))` make them. Its tips are the names of the rows
#'   of the data (of [fit_choice()] the items), in any order. It must be ultrametric: from the root,
#'   its own edge (`root.edge`) included, to every tip it is equally far, to a relative 1e-6; that
#'   length is made 1, with a message. Polytomies, nodes with a single child and edges of length 0
#'   are allowed. Tips at distance 0 from each other have the same features with certainty; a fit
#'   refuses them.
#' @param alpha Mean number of features in a row: one positive number, or a [gamma_prior()] to learn
#'   it (default `gamma_prior(1, 1)`).
#' @return An object of class `prior_pibp`, for the `prior` argument of [fit_choice()],
#'   [fit_gaussian()] and [fit_logistic()], with methods for `format()`, `print()` and
#'   [simulate()][simulate.buffet_prior].
#' @references
#' Miller, K. T., Griffiths, T. L. and Jordan, M. I. (2008). The phylogenetic Indian buffet process:
#' a non-exchangeable nonparametric prior for latent features. *UAI* 24, 403-410.
#' @seealso [rpibp()] and [dpibp()] for the distribution itself;
#'   `vignette("miller-griffiths-jordan")` for pictures of it, and what a tree gains.
#' @examples
#' prior_pibp(celebrity_tree)
#' simulate(prior_pibp(celebrity_tree, alpha = 2), seed = 1)
#'
#' # twelve flowers of three kinds on a tree made by clustering
#' if (requireNamespace("ape", quietly = TRUE)) {
#'   x <- scale(as.matrix(datasets::iris[c(1:4, 51:54, 101:104), 1:4]))
#'   tree <- ape::as.phylo(stats::hclust(stats::dist(x)))
#'   fit <- fit_gaussian(x, prior = prior_pibp(tree), method = method_gibbs(2, 200), seed = 1)
#'   features(fit)
#' }
#' @export
prior_pibp <- function(tree, alpha = gamma_prior(1, 1)) {
  tree <- check_tree(tree)
  structure(
    list(tree = tree, alpha = check_hyper(alpha, "alpha")), class = c("prior_pibp", "buffet_prior")
  )
}

#' @export
format.prior_pibp <- function(x, ...) {
  on_tree <- sprintf(
    "pIBP(tree of %d tips, %s long, ", length(x$tree$labels), short(total_length(x$tree))
  )
  sub("pIBP(", on_tree, format_prior("pIBP", x["alpha"]), fixed = TRUE)
}

#' @exportS3Method
#' @noRd
prior_spec.prior_pibp <- function(prior, names = NULL) {
  twins <- twin_tips(prior$tree)
  if (!is.null(twins)) {
    was <- sprintf("\"%s\" and \"%s\"", twins[1], twins[2])
    stop_argument("tree", "have no two tips at distance 0 from each other", was = was)
  }
  new_prior_spec(
    kind = "phylogenetic", alpha = hyper_spec(prior$alpha), sampled = FALSE,
    tree = tree_spec(prior$tree, names), max_features = .Machine$integer.max
  )
}

#' @exportS3Method
#' @noRd
draw_features.prior_pibp <- function(prior, rows) {
  tips <- length(prior$tree$labels)
  if (!is.null(rows) && check_count(rows, "rows") != tips) {
    stop_argument("rows", sprintf("be %d, the number of tips of the tree", tips), rows)
  }
  alpha <- draw_hyper(prior$alpha)
  structure(draw_pibp(prior$tree, alpha), alpha = alpha)
}

#' @exportS3Method
#' @noRd
prior_n_features.prior_pibp <- function(prior, rows, n) {
  poisson_features(prior$alpha, tree_features(prior$tree), n)
}

#' @exportS3Method
#' @noRd
prior_hyperparameters.prior_pibp <- function(prior) unclass(prior)["alpha"]

#' @exportS3Method
#' @noRd
check_new_rows.prior_pibp <- function(prior, newdata) {
  stop_argument("newdata", "be NULL: new rows have no place on the tree of the prior", newdata)
}

#' @exportS3Method
#' @noRd
refuse_dependent.prior_pibp <- function(prior, must) {
  stop_argument("prior", must, was = "one on a tree")
}
