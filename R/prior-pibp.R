#' The phylogenetic Indian buffet process as a prior over features
#'
#' A prior on binary matrices whose rows are the tips of a known tree. Rows that are close on the
#' tree tend to share their features.
#'
#' A feature with probability pi is 0 at the root. On an edge of length t it turns into 1 with
#' probability 1 - (1 - pi)^t, and then stays 1 on all branches below. Every tip is at distance 1
#' from the root, so each row has the feature with probability pi. The features are a Poisson
#' process with intensity alpha / pi, the limit of K features with pi_k ~ Beta(alpha / K, 1)
#' (Miller, Griffiths and Jordan 2008). A row has Poisson(alpha) features. All rows together have
#' Poisson(alpha (psi(T + 1) - psi(1))) features, where psi is the digamma function and T the total
#' length of the edges. A tree whose tips all hang from its root gives the Indian buffet process,
#' [prior_ibp()].
#'
#' Fits integrate out the probabilities pi if the tree has at most 12 tips, and sample them
#' otherwise. Only [method_gibbs()] supports this prior. New rows have no place on the tree, so
#' `predict()` refuses `newdata`.
#'
#' @param tree (object of class `phylo`, package ape) A tree with edge lengths, such as the result
#'   of `ape::read.tree()` or, for a clustering, `ape::as.phylo(hclust(...))`. Its tip labels are
#'   the names of the rows of the data, in any order; for [fit_choice()] the names of the items, for
#'   [fit_factor()] with sparse loadings the names of the columns. The tree must be ultrametric: all
#'   tips have the same distance from the root, the edge of the root (`root.edge`) included.
#'   Distances with a relative difference of at most 1e-3 are made equal, with a message. The tree
#'   is rescaled to make the distance 1, with a message. Polytomies, nodes with a single child and
#'   edges of length 0 are allowed. Tips at distance 0 from each other have the same features with
#'   certainty; [rpibp()] accepts them, but a fit, which changes the features of one row at a time,
#'   refuses them.
#' @param alpha (positive number or [gamma_prior()]) Mean number of features in a row. A number
#'   fixes it; with a `gamma_prior()` it is learned (default `gamma_prior(1, 1)`).
#' @return An object of class `prior_pibp`, for the `prior` argument of [fit_gaussian()],
#'   [fit_logistic()], [fit_mixed()], [fit_factor()] and [fit_choice()]. It has methods for
#'   `format()`, `print()` and [simulate()][simulate.buffet_prior].
#' @references Miller, K. T., Griffiths, T. L. and Jordan, M. I. (2008). The phylogenetic Indian
#' buffet process: a non-exchangeable nonparametric prior for latent features. *UAI* 24, 403-410.
#' @seealso [rpibp()] and [dpibp()] for the distribution itself; `vignette("choices")` for a fit
#'   with a tree, `vignette("miller-griffiths-jordan")` for its benefits
#' @examples
#' prior_pibp(celebrity_tree)
#' # people with the same profession are close on this tree and tend to share features
#' simulate(prior_pibp(celebrity_tree, alpha = 2), seed = 1)[[1]]
#'
#' # twelve flowers on a tree made by clustering: the setosas (1 to 4) share features
#' if (requireNamespace("ape", quietly = TRUE)) {
#'   x <- scale(as.matrix(datasets::iris[c(1:4, 51:54, 101:104), 1:4]))
#'   prior <- prior_pibp(ape::as.phylo(stats::hclust(stats::dist(x))))
#'   fit <- fit_gaussian(x, sigma_x = 0.5, prior = prior, method = method_gibbs(2, 300), seed = 1)
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
prior_spec.prior_pibp <- function(prior, rows = NULL, side = "row") {
  twins <- twin_tips(prior$tree)
  if (length(twins) > 0) {
    stop_argument("tree", "have no two tips at distance 0 from each other",
      was = sprintf("\"%s\" and \"%s\"", names(twins)[1], twins[1]),
      cure = sprintf(
        "their features would be equal; drop one with `ape::drop.tip(tree, %s)` and from the data",
        paste(deparse(unname(twins)), collapse = "")
      )
    )
  }
  new_prior_spec("phylogenetic",
    alpha = hyper_spec(prior$alpha), sampled = FALSE,
    tree = tree_spec(prior$tree, rows$names, side),
    max_features = .Machine$integer.max
  )
}

#' @exportS3Method
draw_features.prior_pibp <- function(prior, rows) {
  check_drawn_rows(rows, length(prior$tree$labels), "the number of tips of the tree")
  alpha <- draw_hyper(prior$alpha)
  structure(draw_pibp(prior$tree, alpha), alpha = alpha)
}

#' @exportS3Method
prior_n_features.prior_pibp <- function(prior, rows, n) {
  poisson_features(prior$alpha, tree_features(prior$tree), n)
}

#' The phylogenetic Indian buffet process distribution
#'
#' `rpibp()` draws binary matrices from the phylogenetic Indian buffet process (pIBP), and `dpibp()`
#' gives their probabilities. [prior_pibp()] defines the process.
#'
#' `rpibp()` follows the sequential process of Miller, Griffiths and Jordan (2008), section 2.3. The
#' rows come in the order of the tip labels of the tree. A branch of length t joins row i to the
#' tree of the rows before it, whose total length is S. The row takes the dishes of these rows with
#' their conditional probabilities, and then Poisson(alpha (psi(S + t + 1) - psi(S + 1))) new
#' dishes, each with its own pi. Here psi is the digamma function. The first row takes
#' Poisson(alpha) dishes.
#'
#' `dpibp()` is the probability of the left-ordered class of `z` with every pi integrated out,
#' \deqn{\frac{\alpha^{K_+} e^{-\alpha(\psi(T + 1) - \psi(1))}}{\prod_h K_h!}
#' \prod_k \int_0^1 P(z_k | \pi) \pi^{-1} d\pi,}{
#' alpha^K+ exp(-alpha (psi(T + 1) - psi(1))) / prod_h K_h!
#'   prod_k integral of P(z_k | pi) / pi over pi,}
#' where T is the total length of the tree, K+ is the number of columns and K_h the number of
#' columns equal to h. The integrals are computed by quadrature that is refined until it has
#' converged, to a relative error of 1e-10 or less. Empty columns are ignored.
#'
#' @inheritParams ribp
#' @param tree (object of class `phylo`, package ape) A tree, as in [prior_pibp()].
#' @param z (numeric, integer or logical matrix, data frame, or sparse matrix of the Matrix package)
#'   A matrix of zeros and ones, whose row names are the tips of the tree, in any order.
#' @param alpha (positive number) Mean number of features per row.
#' @return `rpibp()`: an integer matrix of zeros and ones with a row per tip, in the order and with
#'   the names of the tips, and K+ columns with dishes in order of appearance. K+ is random and may
#'   be 0. `dpibp()`: one number.
#' @references Miller, K. T., Griffiths, T. L. and Jordan, M. I. (2008). The phylogenetic Indian
#' buffet process: a non-exchangeable nonparametric prior for latent features. *UAI* 24, 403-410.
#'
#' Trefethen, L. N. and Weideman, J. A. C. (2014). The exponentially convergent trapezoidal rule.
#' *SIAM Review* 56, 385-458. \doi{10.1137/130932132} The rule is applied after a substitution that
#' makes the integrand decay fast at both ends.
#' @examples
#' set.seed(1)
#' z <- rpibp(celebrity_tree, alpha = 2)
#' z
#' dpibp(z, celebrity_tree, alpha = 2, log = TRUE)
#' @export
rpibp <- function(tree, alpha) {
  tree <- check_tree(tree)
  draw_pibp(tree, check_positive(alpha, "alpha"))
}

# Draws all columns at once. A column whose first 1 is in row i is 0 on the tree of the rows before
# i. It changes to 1 somewhere on the branch that joins row i, and may change to 1 anywhere on the
# edges that no row has reached by then.
draw_pibp <- function(tree, alpha) {
  joins <- tree_joins(tree)
  rows <- length(tree$labels)
  rates <- digamma(joins$before + joins$branch + 1) - digamma(joins$before + 1)
  new <- stats::rpois(rows, alpha * rates)
  check_matrix_size(length(tree$parents), sum(as.double(new)), "alpha", alpha)
  first <- rep(seq_len(rows), new)
  branch <- joins$branch[first]
  rate <- draw_new_rates(branch, joins$before[first])
  # Position on its branch at which a column changes to 1, a truncated exponential variable.
  on <- -log1p(stats::runif(length(rate)) * expm1(-rate * branch)) / rate
  # Visit nodes after their parents. A node is 1 if its parent is 1 or the column changes to 1 on
  # the edge above it.
  state <- matrix(FALSE, length(tree$parents), length(first))
  for (v in joins$order) {
    parent <- tree$parents[v]
    inherited <- if (is.na(parent)) FALSE else state[parent, ]
    free <- joins$reached[v] > first
    turns <- free & stats::runif(length(first)) < -expm1(-rate * tree$lengths[v])
    turned <- joins$reached[v] == first & joins$depth[v] >= on
    state[v, ] <- inherited | turns | turned
  }
  z <- state[seq_len(rows), , drop = FALSE] + 0L
  dimnames(z) <- list(tree$labels, NULL)
  z
}

# Where each row joins the tree of the rows before it
# Returns a list: `branch`, the length of the branch that joins each row; `before`, the length of
# the tree before it; `reached`, the first row below each node; `order`, the nodes with parents
# before their children; `depth`, the distance of each node from the start of its first row's
# branch.
tree_joins <- function(tree) {
  rows <- length(tree$labels)
  nodes <- length(tree$parents)
  reached <- rep(NA_integer_, nodes)
  depth <- numeric(nodes)
  branch <- numeric(rows)
  for (i in seq_len(rows)) {
    path <- integer()
    v <- i
    while (!is.na(v) && is.na(reached[v])) {
      path <- c(path, v)
      v <- tree$parents[v]
    }
    reached[path] <- i
    depth[rev(path)] <- cumsum(tree$lengths[rev(path)])
    branch[i] <- depth[i]
  }
  list(
    branch = branch, before = cumsum(branch) - branch, reached = reached, depth = depth,
    order = parents_first(tree$parents)
  )
}

parents_first <- function(parents) order(node_heights(parents, rep(1, length(parents))))

# gamma = -log(1 - pi) of new dishes, where pi has a density proportional to (1 - q^t) q^S / pi, q =
# 1 - pi
# Uses rejection from Beta(1, S + t), because (1 - q^t) / pi is at most t q^(t - 1).
draw_new_rates <- function(branch, before) {
  rate <- numeric(length(branch))
  wanted <- seq_along(branch)
  while (length(wanted) > 0) {
    t <- branch[wanted]
    proposed <- stats::rexp(length(wanted), before[wanted] + t)
    log_accept <- log(expm1(-proposed * t) / (t * expm1(-proposed))) - proposed * (1 - t)
    taken <- log(stats::runif(length(wanted))) < log_accept
    rate[wanted[taken]] <- proposed[taken]
    wanted <- wanted[!taken]
  }
  rate
}

#' @rdname rpibp
#' @export
dpibp <- function(z, tree, alpha, log = FALSE) {
  z <- check_binary_matrix(z)
  tree <- check_tree(tree)
  alpha <- check_positive(alpha, "alpha")
  log <- check_flag(log, "log")
  spec <- tree_spec(tree, rownames(z), of = "`z`")
  z <- used_columns(z)
  out <- ncol(z) * log(alpha) - alpha * tree_features(tree) + sum(tree_integrals_cpp(spec, z)) -
    log_orders(z, "lof")
  if (log) out else exp(out)
}
