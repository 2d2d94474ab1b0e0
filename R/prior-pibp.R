#' The phylogenetic Indian buffet process as a prior over features
#'
#' A prior on binary matrices whose rows are the tips of a known tree. Rows that are close on the
#' tree tend to share their features.
#'
#' @details
#' A feature with probability pi begins as 0 at the root. On an edge of length t it turns into 1
#' with probability 1 - (1 - pi)^t, and then stays 1 on all branches below. Every tip is at distance
#' 1 from the root, so that each row has the feature with probability pi. The features are a Poisson
#' process with intensity alpha / pi, the limit of K features with pi_k ~ Beta(alpha / K, 1)
#' (Miller, Griffiths and Jordan 2008). A row has Poisson(alpha) features. All rows together have
#' Poisson(alpha (psi(T + 1) - psi(1))) features, where psi is the digamma function and T the total
#' length of the edges. A tree whose tips all hang from its root gives the Indian buffet process,
#' [prior_ibp()].
#'
#' Fits integrate out the probabilities pi if the tree has at most 12 tips, and sample them
#' otherwise. Only [method_gibbs()] takes this prior. New rows have no place on the tree, so that
#' `predict()` refuses `newdata`.
#'
#' @param tree (object of class `phylo`, package ape) A tree with edge lengths, as
#'   `ape::read.tree()` returns it, or `ape::as.phylo(hclust(...))` for a clustering. Its tips are
#'   named as the rows of the data, in any order: for [fit_choice()] as the items, for
#'   [fit_factor()] with sparse loadings as the columns. The tree must be ultrametric: all tips have
#'   the same distance from the root, the edge of the root (`root.edge`) included, to a relative
#'   1e-6. It is rescaled to make this distance 1, with a message. Polytomies, nodes with a single
#'   child and edges of length 0 are allowed. Tips at distance 0 from each other would have the same
#'   features with certainty; a fit refuses them.
#' @param alpha (positive number or [gamma_prior()]) Mean number of features in a row. A number
#'   fixes it, a `gamma_prior()` learns it (default `gamma_prior(1, 1)`).
#' @return An object of class `prior_pibp`, for the `prior` argument of [fit_gaussian()],
#'   [fit_logistic()], [fit_mixed()], [fit_factor()] and [fit_choice()]. It has methods for
#'   `format()`, `print()` and [simulate()][simulate.buffet_prior].
#' @references
#' Miller, K. T., Griffiths, T. L. and Jordan, M. I. (2008). The phylogenetic Indian buffet process:
#' a non-exchangeable nonparametric prior for latent features. *UAI* 24, 403-410.
#' @seealso [rpibp()] and [dpibp()] for the distribution itself;
#'   `vignette("miller-griffiths-jordan")` for plots of it, and for what a tree gains.
#' @examples
#' prior_pibp(celebrity_tree)
#' # people of one profession are close on this tree, and share features
#' simulate(prior_pibp(celebrity_tree, alpha = 2), seed = 1)[[1]]
#'
#' # twelve flowers on a tree made by clustering: which features do the setosas (1 to 4) share?
#' if (requireNamespace("ape", quietly = TRUE)) {
#'   x <- scale(as.matrix(datasets::iris[c(1:4, 51:54, 101:104), 1:4]))
#'   prior <- prior_pibp(ape::as.phylo(stats::hclust(stats::dist(x))))
#'   fit <- fit_gaussian(x, sigma_x = 0.5, prior = prior, method = method_gibbs(2, 300), seed = 1)
#'   features(fit)
#' }
#' @export
prior_pibp <- function(tree, alpha = gamma_prior(1, 1)) {
  check_given(tree, "tree")
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
prior_spec.prior_pibp <- function(prior, names = NULL, side = "row") {
  twins <- twin_tips(prior$tree)
  if (!is.null(twins)) {
    was <- sprintf("\"%s\" and \"%s\"", twins[1], twins[2])
    stop_argument("tree", "have no two tips at distance 0 from each other", was = was)
  }
  new_prior_spec(
    kind = "phylogenetic", alpha = hyper_spec(prior$alpha), sampled = FALSE,
    tree = tree_spec(prior$tree, names, side), max_features = .Machine$integer.max
  )
}

#' @exportS3Method
draw_features.prior_pibp <- function(prior, rows) {
  tips <- length(prior$tree$labels)
  if (!is.null(rows) && check_count(rows, "rows") != tips) {
    stop_argument("rows", sprintf("be %d, the number of tips of the tree", tips), rows)
  }
  alpha <- draw_hyper(prior$alpha)
  structure(draw_pibp(prior$tree, alpha), alpha = alpha)
}

#' @exportS3Method
prior_n_features.prior_pibp <- function(prior, rows, n) {
  poisson_features(prior$alpha, tree_features(prior$tree), n)
}

#' @exportS3Method
prior_hyperparameters.prior_pibp <- function(prior) unclass(prior)["alpha"]
