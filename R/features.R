#' Features and loadings of a fit
#'
#' `features()` is the point estimate of the feature matrix Z, and `feature_draws()` returns all
#' draws of Z. `loadings_of()` says how the features of the point estimate affect the columns of the
#' data, and `coassignment()` how many features the rows share.
#'
#' @param fit A fit by any `fit_*()` function. A fit by [fit_nmf()] has no binary features and only
#'   works with `loadings_of()`.
#' @return
#' * `features()`: an integer matrix of zeros and ones with a row per row of Z. It may have no
#'   columns, with a message. Its columns are `f1`, `f2`, ... by decreasing number of ones; known
#'   features ([prior_fixed()]) keep their order and names. [fit_topics()] has topics, `t1`, `t2`,
#'   ...
#' * `feature_draws()`: all kept draws of Z, an object of class
#'   [feature_draws][feature_draws-class]. A fit by optimisation has one draw.
#' * `loadings_of()`: a numeric matrix, K x D, with a row per feature of `features(fit)`; see
#'   Loadings.
#' * `coassignment()`: a numeric matrix, the posterior mean of ZZ': the mean number of features that
#'   two rows of Z share. Its diagonal is the mean number of features of each row.
#'
#' The rows of Z are the rows of the data (items, documents). In [fit_factor()] with `sparse =
#' "loadings"` and in [fit_cascade()] they are the columns of the data, and the features of a
#' cascade are the edges from the visible units to their parents in layer 1.
#'
#' @section Point estimate:
#' The point estimate of a fit by sampling is one of the draws that have the most probable number of
#' features (the smallest if several are equally probable): the draw Z with the smallest sum of
#' squared distances |ZZ' - YY'|^2 to the other draws Y, which does not depend on labels. At most
#' 1000 evenly spaced draws are compared, fewer if there are many features. If `print()` says that
#' the chains are apart, only the draws of the [best_chain()] are used. [fit_factor()] first
#' maximises the probability of the number of common factors. [fit_cascade()] takes the draw with
#' the highest log joint density among the draws with the most probable number of layers.
#'
#' @section Complements:
#' In [fit_logistic()] and [fit_mixed()] with biases, a feature is equivalent to its complement, the
#' feature that exactly the other rows have: the weights change sign and the biases absorb the
#' difference. Both occur among the draws. `features()` shows whichever fewer rows have (as drawn,
#' if exactly half have it), and loadings, effects, `predict(type = "features")` and plots refer to
#' this coding. To compare draws, `coassignment()`, [summary()][summary.fit_mcmc] and `plot(fit,
#' "chains")` replace a feature by its complement if its correlation with the nearest feature of the
#' point estimate is below -1/2. A feature that all rows have only shifts the biases and is not
#' counted. `feature_draws()` returns the draws unchanged. Other models, and known features, have no
#' complements.
#'
#' @section Loadings:
#' * [fit_gaussian()]: the posterior mean of A given `features(fit)` and the standard deviations of
#'   that draw: for normal loadings `(Z'Z + sigma_x^2/sigma_a^2 I)^-1 Z'X`, over the observed
#'   entries of each column; for nonnegative loadings the mean of 500 draws; for chains on
#'   [row_blocks()] A in that draw. With `noise = "column"` the attribute `"sigma_x"` has posterior
#'   means. A fit by optimisation has the attribute `"sd"`, K x D, posterior standard deviations;
#'   [method_meibp()] has `"location"` and `"scale"` of truncated normal posteriors instead.
#' * [fit_logistic()], [fit_mixed()]: the posterior mean of the weights given `features(fit)`, from
#'   one more chain of 500 to 4000 draws, which takes about a second and is the same at every call
#'   (with [prior_fixed()], from all kept draws). The attribute `"bias"` is the mean of the biases.
#'   [fit_mixed()] has a column per linear predictor, so several per column with categories; weights
#'   of numbers are in the units of the column (of its logarithm if log-normal).
#' * [fit_choice()]: K x 1, the mean of 500 draws of the weights given Z, as shares of their sum.
#' * [fit_topics()]: topics x words, (n_kw + eta) / (n_k + V eta), where n_kw counts the tokens of
#'   word w in topic k, n_k all tokens of the topic, and V is the number of words.
#' * [fit_factor()]: the mean over all draws. The factors of each draw are matched to those of
#'   `features(fit)` if the absolute cosine of their weights is above 0.5, and take their signs. The
#'   attribute `"share"` is the share of the draws in which a factor has a match, and `"sigma_x"`
#'   has the mean standard deviations of the noise. With sparse loadings `"probability"`, K x D, is
#'   the share of nonzero loadings in these draws; with sparse factors [weights_of()] has it.
#' * [fit_cascade()]: the weights of the edges in the draw of `features(fit)`, and 0 without an
#'   edge.
#' * [fit_nmf()]: rank x D, the loadings of the components `c1`, `c2`, ...; see [weights_of()].
#'
#' @section Functions of other packages with the same names:
#' `features()` also exists in NLP (which tm attaches) and fabletools, `perplexity()` in
#' topicmodels, and `network()` in network. R calls the function of the package that was attached
#' last: attach buffet last, or write `buffet::features(fit)`. `tidy()`, `glance()`, `augment()`,
#' `posterior_predict()`, `log_lik()`, `prior_summary()` and `as_draws()` are the same functions in
#' all packages. For [complete()] see there.
#' @examples
#' x <- sim_images(40)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' # how many images have each feature
#' colSums(features(fit))
#' # the first row of pixels in each feature
#' round(loadings_of(fit)[, 1:6], 2)
#' # how many features the first images share
#' coassignment(fit)[1:4, 1:4]
#' @export
features <- function(fit) {
  check_features(fit)
  if (point_size(fit) == 0) message(describe_none(fit))
  fit$features
}

#' @rdname features
#' @export
feature_draws <- function(fit) {
  check_features(fit)
  fit$feature_draws
}

#' @rdname features
#' @export
features_of <- function(fit) features(fit)

#' @rdname features
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
  if (is.null(p)) {
    return(coassignment_of(fit, fit$feature_draws, seq_len(traits_of(fit)$rows$n)))
  }
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

mean_loadings <- function(fit) UseMethod("mean_loadings")

coassignment_of <- function(fit, draws, rows) {
  like <- if (traits_of(fit)$complements) fit$features
  shared <- coassignment_cpp(unclass(draws), rows, like)
  names <- unclass(draws)$row_names[rows]
  dimnames(shared) <- list(names, names)
  shared
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
#' @references Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an
#'   introduction and review. *Journal of Machine Learning Research* 12, 1185-1224.
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
  # Sorting strings needs memory for common prefixes, so these are short.
  starts <- seq(1, nrow(z), by = 1000)
  keys <- lapply(starts, \(i) column_keys(z[i:min(i + 999, nrow(z)), , drop = FALSE]))
  z[, do.call(order, c(keys, list(decreasing = TRUE, method = "radix"))), drop = FALSE]
}

column_keys <- function(z) {
  digits <- as.raw(48L + z)
  dim(digits) <- dim(z)
  vapply(seq_len(ncol(z)), \(k) rawToChar(digits[, k]), "")
}
