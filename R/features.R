#' Features of a fit
#'
#' `features()` returns the point estimate of the feature matrix Z, and `feature_draws()` returns
#' all draws of Z. `coassignment()` counts the features that rows share. [loadings_of()] returns the
#' effects of the features on the columns of the data. `features_of()` is the same as `features()`;
#' use it if tm (which attaches NLP) or fabletools is attached.
#'
#' @param fit A fit by any `fit_*()` function except [fit_nmf()], which has no binary features.
#' @param estimate `"medoid"`, the point estimate of the fit (see Point estimate), or
#'   `"expected_loss"`, the matrix with the smallest expected loss that a search finds.
#' @param cost (number in (0, 2)) Cost of an entry that is 1 in the estimate and 0 in the truth; the
#'   opposite error costs 2 - `cost`.
#' @return
#' * `features()`: an integer matrix of zeros and ones with a row per row of Z. Its columns are
#'   `f1`, `f2`, ... by decreasing number of ones (`t1`, `t2`, ... for topics); known features
#'   ([prior_fixed()]) keep their order and names. If there are no features, it has no columns, and
#'   a message says why.
#' * `expected_loss()`: a number, the mean loss of `z` over the draws.
#' * `feature_draws()`: all saved draws, an object of class `feature_draws`, with one bit per entry.
#'   `x[[i]]` is draw `i`, an integer matrix like `features()`; `x[i]` contains some of the draws;
#'   `as.list(x)` contains all of them as matrices, and `length(x)` is their number. Columns of
#'   different draws with the same name need not be the same feature. Draws are returned unchanged,
#'   so a feature can appear as its complement in another draw; see Complements.
#' * `coassignment()`: a numeric matrix, the posterior mean of ZZ': the mean number of features that
#'   two rows of Z share.
#'
#' The rows of Z are the rows of the data. In [fit_factor()] with `sparse = "loadings"` and in
#' [fit_cascade()] they are its columns; the features of a cascade are the edges to layer 1.
#'
#' @section Point estimate:
#' The point estimate of a fit by sampling is one of the draws that have the most probable number of
#' features: the draw Z with the smallest sum of squared distances |ZZ' - YY'|^2 to the others of
#' these draws, Y. These distances do not depend on labels. At most 1000 evenly spaced draws are
#' compared. If the chains are separated, only the draws of the [best_chain()] are used.
#' [fit_factor()] first selects the draws with the most probable number of common factors.
#' [fit_cascade()] takes the draw with the highest log joint density among the draws with the most
#' probable number of layers.
#'
#' @section Complements:
#' In [fit_logistic()] and [fit_mixed()] with biases, a feature is equivalent to its complement, the
#' feature that exactly the other rows have: the weights change sign and the biases absorb the
#' difference. `features()` shows whichever of the two has fewer rows, and loadings, effects,
#' predictions and plots refer to this coding. For the point estimate, the columns of Z and Y are
#' centred before distances are computed. To compare draws, `coassignment()`,
#' [summary()][summary.fit_mcmc] and `plot(fit, "chains")` replace a feature by its complement if
#' its correlation with the nearest feature of the point estimate is below -1/2, or if all of these
#' correlations are at most 1/2 in size and most rows have it. A feature that all rows have is not
#' counted.
#'
#' @examples
#' fit <- fit_gaussian(scale(USArrests), method = method_gibbs(chains = 1, iter = 1000), seed = 1)
#' colSums(features(fit))
#' coassignment(fit)[1:4, 1:4]
#' expected_loss(fit, features(fit))
#' # the posterior distribution of the number of features
#' table(sapply(as.list(feature_draws(fit)), ncol))
#' @aliases feature_draws-class
#' @export
features <- function(fit, estimate = c("medoid", "expected_loss"), cost = 1) {
  check_features(fit)
  estimate <- check_choice(estimate, c("medoid", "expected_loss"), "estimate")
  cost <- check_number(cost, "cost", 0, 2, "()")
  if (estimate == "medoid" && cost != 1) {
    stop_argument("cost", "be 1 for the medoid, which does not depend on it", cost)
  }
  z <- if (estimate == "medoid") fit$features else search_features(fit, cost)
  if (ncol(z) == 0) message(describe_none(fit))
  z
}

#' @rdname features
#' @export
feature_draws <- function(fit) {
  check_features(fit)
  fit$feature_draws
}

#' @rdname features
#' @export
features_of <- features

#' Loadings of a fit
#'
#' `loadings_of()` returns the effects of the features of the point estimate, [features()], on the
#' columns of the data. `loadings_of(fit)`, `stats::loadings(fit)` and `fit$loadings` are the same
#' matrix, features x columns. Rotations such as [stats::varimax()], and other packages, need the
#' transpose: write `varimax(t(loadings_of(fit)))`. `weights_of()` returns how much of each
#' component or factor each row of the data has.
#'
#' @param fit A fit by any `fit_*()` function; for `weights_of()` by [fit_nmf()] or [fit_factor()].
#' @return `loadings_of()`: a numeric matrix, K x D:
#' * [fit_gaussian()]: the posterior mean of A given `features(fit)` and the standard deviations of
#'   that draw: for normal loadings `(Z'Z + sigma_x^2/sigma_a^2 I)^-1 Z'X`, over the observed
#'   entries of each column; for nonnegative loadings, the mean of 500 draws; for chains on
#'   [row_blocks()], A in that draw. With `noise = "column"` the attribute `"sigma_x"` contains
#'   posterior means. A fit by optimisation has the attribute `"sd"`, K x D, with posterior standard
#'   deviations; a fit by [method_meibp()] has `"location"` and `"scale"` of truncated normal
#'   posteriors instead.
#' * [fit_logistic()], [fit_mixed()]: the posterior mean of the weights given `features(fit)`, from
#'   an additional chain of 500 to 4000 draws, which takes about a second and is the same at every
#'   call (with [prior_fixed()], from all saved draws). The attribute `"bias"` is the mean of the
#'   biases. [fit_mixed()] has a column per linear predictor, so several per column with categories;
#'   weights of numbers are in the units of the column (of its logarithm if log-normal).
#' * [fit_choice()]: K x 1, the mean of 500 draws of the weights given Z, as shares of their sum.
#' * [fit_topics()]: topics x words, (n_kw + eta) / (n_k + V eta), where n_kw counts the tokens of
#'   word w in topic k, n_k all tokens of the topic, and V is the number of words.
#' * [fit_factor()]: for each factor of `features(fit)`, the mean over the draws in which it has a
#'   match: a factor whose weights have an absolute cosine above 0.5 with its own, and which takes
#'   its sign. The attribute `"share"` is the share of these draws, `"chains"` is the number of
#'   chains that have the factor (see [stability]), and `"sigma_x"` contains the mean standard
#'   deviations of the noise. With sparse loadings, `"probability"`, K x D, is the share of nonzero
#'   loadings in these draws; with sparse factors, `weights_of()` has this attribute.
#' * [fit_cascade()]: the weights of the edges in the draw of `features(fit)`, and 0 without an
#'   edge.
#' * [fit_nmf()]: R x D, the loadings of the components `c1`, `c2`, ..., ordered by decreasing size,
#'   which is the sum of their contributions to the fitted data. For a fit by [method_icm()] they
#'   are the mode; for a fit by [method_gibbs()] they are from the draw with the highest
#'   `log_joint`. They are not posterior means, because components have no labels that all draws
#'   share.
#'
#' `weights_of()`: a numeric matrix with the row names of the data. For [fit_nmf()] it is N x R, the
#' nonnegative weights of the same components, from the same draw; weights times loadings are the
#' fitted data. For [fit_factor()] it is N x K, with the posterior means of the factors of each row,
#' matched over draws as above. With sparse loadings, factors have variance 1. With `sparse =
#' "factors"` the attribute `"probability"`, N x K, is the share of the draws in which a weight is
#' not 0, among the draws that have a counterpart of the factor.
#' @examples
#' fit <- fit_gaussian(scale(USArrests), method = method_gibbs(chains = 1, iter = 1000), seed = 1)
#' # in units of standard deviations
#' round(loadings_of(fit), 2)
#' plot(fit, "loadings")
#' fit <- fit_nmf(sim_images(40), rank = 4, seed = 1)
#' # which components the first four images are made of
#' round(weights_of(fit)[1:4, ], 2)
#' @export
loadings_of <- function(fit) {
  if (!inherits(fit, "buffet_fit")) stop_no_fit(fit)
  check_format(fit)
  fit$loadings %||% mean_loadings(fit)
}

#' @rdname features
#' @export
coassignment <- function(fit) {
  check_features(fit)
  p <- fit$internal$probabilities
  if (is.null(p)) return(coassignment_of(fit, fit$feature_draws, seq_len(traits_of(fit)$rows$n)))
  shared <- tcrossprod(p)
  diag(shared) <- rowSums(p)
  dimnames(shared) <- list(rownames(model_data(fit)), rownames(model_data(fit)))
  shared
}

check_features <- function(fit) {
  check_given(fit, "fit")
  if (!inherits(fit, "buffet_fit")) stop_no_fit(fit)
  if (inherits(fit, "fit_nmf")) {
    stop_argument("fit", "be a fit of binary features", was = "one by fit_nmf()")
  }
  check_format(fit)
}

drawn_features <- function(fit, draw = fit$internal$point) {
  draw_features_cpp(unclass(fit$feature_draws), draw)
}

point_size <- function(fit) as.integer(unclass(fit$feature_draws)$sizes[fit$internal$point])

# Features that a plot shows. By default they are the features that divide the rows in different
# ways. If a feature means nothing more than which rows have it, features of all or no rows are left
# out, and features with the same rows are drawn only once, as are complementary features if there
# are biases.
# added: Text for the caption, placed after the count of features that are drawn only once.
# Returns list(which, add, note): the numbers of the features; a matrix, shown x all features, that
# sums their loadings; and a caption or NULL.
shown_features <- function(fit, which = NULL, added = "") {
  z <- fit$features
  k <- seq_len(ncol(z))
  out <- list(which = which %||% k, add = diag(ncol(z)), note = NULL)
  # Topics, factors and units have a meaning beyond which rows have them.
  of_rows <- inherits(fit, c("fit_gaussian", "fit_logistic", "fit_mixed", "fit_choice"))
  if (is.null(which) && of_rows) {
    n <- colSums(z)
    both <- crossprod(z)
    biased <- !isFALSE(fit$internal$model$bias %||% FALSE)
    same <- both == n & t(both == n)
    other <- biased & both == 0 & outer(n, n, `+`) == nrow(z)
    first <- vapply(k, \(j) min(which((same | other)[, j])), 1L)
    divides <- n > 0 & n < nrow(z)
    if (any(divides)) {
      out$which <- which(divides & first == k)
      out$add <- same - other
      count <- c(sum(divides) - length(out$which), sum(n == nrow(z)), sum(n == 0))
      out$note <- describe_hidden(count, traits_of(fit)$side, added)
    }
  }
  out$add <- out$add[out$which, , drop = FALSE]
  rownames(out$add) <- colnames(z)[out$which]
  out
}

# count: Numbers of features with the same rows as another feature, with all rows, and with no rows.
describe_hidden <- function(count, side, added) {
  if (all(count == 0)) return(NULL)
  others <- if (count[1] == 1) "another" else "others"
  texts <- c(
    sprintf("with the same %ss as %s%s", side, others, added),
    sprintf("that all %ss have", side), sprintf("that no %s has", side)
  )
  told <- which(count > 0)
  number <- c(counted(count[told[1]], "feature"), count[told[-1]])
  left_out <- paste(number, texts[told], collapse = ", ")
  sprintf("Left out: %s; `which` shows %s.", left_out, if (sum(count) == 1) "it" else "them")
}

mean_loadings <- function(fit) UseMethod("mean_loadings")

coassignment_of <- function(fit, draws, rows) {
  like <- if (traits_of(fit)$complements) fit$features
  shared <- coassignment_cpp(unclass(draws), rows, like)
  names <- unclass(draws)$row_names[rows]
  dimnames(shared) <- list(names, names)
  shared
}

#' Stability of features
#'
#' The stability of a feature of the point estimate is the share of the draws of a fit by sampling
#' that have it. `print()` reports it, and also says if binary features may not suit the data.
#'
#' ## Stability
#' `print()` and `tidy(fit, "features")` report for each feature of the point estimate the share of
#' the saved draws that have it, and the number of chains that have it.
#'
#' * A draw has a feature if one of its own features is nearly the same: at least two thirds of the
#'   rows that have either feature have both. With biases (see Complements in [features()]) the
#'   complement also counts. This is stricter than the matching in `plot(fit, "chains")`, which
#'   needs an overlap of one half.
#' * A chain has a feature if at least a tenth of its draws have it.
#'
#' [fit_factor()] matches factors by their weights, as described in [loadings_of()]; with sparse
#' loadings `print()` shows the [major factors][major_factors()] instead. All draws are used, or at
#' least 100 evenly spaced ones if all would take more than a few seconds (above about 1000 rows
#' with 10 features). Stability is not defined for known features, [fit_cascade()] and fits by
#' optimisation.
#'
#' ## Present or absent, or a matter of degree?
#' A property that varies in degree can be divided into features in many ways. `print()` and
#' [summary()][summary.fit_mcmc] say that presence or absence may not describe the data well, and
#' suggest a model such as [fit_factor()], in two cases:
#'
#' * the point estimate has more than three features, and at least as many as the data have columns;
#' * none of its features, or fewer than half of them, are in at least 90 % of the draws (of the
#'   [best_chain()], if the chains do not agree). Unstable features of fewer than three rows, or of
#'   fewer than 5 % of the rows, are left out of the count, because their number depends mostly on
#'   the prior.
#'
#' This applies to [fit_gaussian()], [fit_logistic()] and [fit_mixed()], unless the features are
#' known or there are fewer than two. For fits by optimisation only the first case is checked. The
#' second case also occurs if the data do consist of features, but noise obscures them.
#' @examples
#' # crime rates vary in degree
#' fit <- fit_gaussian(scale(USArrests), method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' fit
#' unique(tidy(fit, "features")[c("feature", "stability", "chains")])
#' @name stability
NULL

# Features in two draws count as the same feature if, among the rows that have either of them, at
# least this share has both
same_feature <- 2 / 3

# A chain has a feature if at least this share of its draws have it
chain_has <- 0.1

# For each feature of the point estimate, the share of draws that have it (`stability`) and the
# number of chains that have it (`chains`). NULL if there are no draws or if the features are known.
stability <- function(fit) {
  # Factors are matched by their weights.
  if (inherits(fit, "fit_factor")) {
    of <- attributes(loadings_of(fit))
    return(list(stability = unname(of$share), chains = unname(of$chains)))
  }
  summarise_shares(chain_shares(fit))
}

summarise_shares <- function(shares) {
  if (is.null(shares)) return(NULL)
  list(stability = rowMeans(shares), chains = as.integer(rowSums(shares >= chain_has)))
}

# The share of each chain's draws that have a feature of the point estimate, features x chains
chain_shares <- function(fit) fit$internal$shares %||% matched_shares(fit)

matched_shares <- function(fit) {
  if (inherits(fit, c("fit_point", "fit_nmf", "fit_cascade", "fit_factor"))) return(NULL)
  if (!is.null(fit$prior$z)) return(NULL)
  z <- fit$features
  # Rows of empty documents are NA.
  known <- which(!is.na(rowSums(z)))
  z <- z[known, , drop = FALSE]
  sizes <- unclass(fit$feature_draws)$sizes
  # Limits the running time to a few seconds.
  cost <- nrow(z) * (10 + ncol(z)) * max(1, mean(sizes))
  which <- choose_draws(fit, min(length(sizes), max(100, 1e9 %/% cost)))
  found <- matrix(FALSE, length(which), ncol(z))
  for (at in split(seq_along(which), (seq_along(which) - 1) %/% 20)) {
    draws <- unclass(select_draws(fit$feature_draws, which[at]))
    columns <- do.call(cbind, lapply(seq_along(at), draw_features_cpp, draws = draws))
    drawn <- columns[known, , drop = FALSE]
    same <- jaccard(z, drawn) >= same_feature
    if (traits_of(fit)$complements) same <- same | jaccard(z, 1 - drawn) >= same_feature
    hit <- which(same, arr.ind = TRUE)
    found[cbind(rep(at, draws$sizes)[hit[, 2]], hit[, 1])] <- TRUE
  }
  shares_by_chain(found, fit, which)
}

# found: True if a draw has a feature; a matrix, draws x features.
shares_by_chain <- function(found, fit, which = seq_len(nrow(found))) {
  chain <- (which - 1) %/% dim(fit$internal$scalars)[1]
  t(rowsum(+found, chain) / as.vector(table(chain)))
}

#' Left-ordered form of a binary matrix
#'
#' Sorts the columns of a binary matrix from left to right in decreasing order of the binary numbers
#' that they spell, with the most significant digit in the first row. Matrices that differ only in
#' the order of their columns have the same left-ordered form, which represents all of them
#' (Griffiths and Ghahramani 2011, section 2.2). Empty columns come last.
#'
#' @param z (binary matrix) Zeros and ones with at least one row: a numeric or logical matrix, a
#'   data frame, or a sparse matrix of the package Matrix.
#' @return An integer matrix with the rows of `z` and all of its columns in the new order, with
#'   their names. Equal columns keep their order.
#' @inherit fit_gaussian references
#' @seealso [dibp()]: its class `"lof"` gives the probability of the left-ordered form.
#' @examples
#' set.seed(1)
#' z <- rbeta_bernoulli(6, 4, alpha = 2)
#' left_order(z)
#' # the order of the columns of z does not matter
#' identical(left_order(z), left_order(z[, 4:1]))
#' @export
left_order <- function(z) {
  z <- check_binary_matrix(z)
  # Strings are kept short, because sorting them needs memory for their common prefixes.
  starts <- seq(1, nrow(z), by = 1000)
  keys <- lapply(starts, \(i) column_keys(z[i:min(i + 999, nrow(z)), , drop = FALSE]))
  z[, do.call(order, c(keys, list(decreasing = TRUE, method = "radix"))), drop = FALSE]
}

column_keys <- function(z) {
  digits <- as.raw(48L + z)
  dim(digits) <- dim(z)
  vapply(seq_len(ncol(z)), \(k) rawToChar(digits[, k]), "")
}
