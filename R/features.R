#' Features of a fit
#'
#' @param fit A fit.
#' @return
#' * `features()`: point estimate of Z, an integer matrix with the row names of the data and columns
#'   `f1, f2, ...` by decreasing size; known features ([prior_fixed()]) keep their order and names.
#'   Of a fit by sampling it is one of the draws that have the most probable number of features (the
#'   smallest of equally probable ones), where `print()` says that chains are apart of those of the
#'   [best_chain()] alone: the one with the least sum of squared distances
#'   |ZZ' - YY'|^2 to the others of them, ZZ' counting the features that two rows share (so labels
#'   do not matter), of at most 1000 that are evenly spaced. Of [fit_topics()] it says
#'   which documents have chosen which topics, in columns `t1, t2, ...`; documents without a word
#'   have `NA` where lengths are given. Of [fit_factor()] the draws are those that have the most
#'   probable number of common factors and, of these, that of features, and with sparse loadings
#'   rows are the columns of the data. Of [fit_cascade()] rows are visible units, the columns of the
#'   data, and it says who has which parents in layer 1, in the draw of highest log joint density of
#'   those that have the most probable number of layers.
#' * `feature_draws()`: all kept draws of Z, see [feature_draws-class].
#' * `loadings_of()`: K x D, the posterior mean of A for `features(fit)` at that draw's standard
#'   deviations, `(Z'Z + sigma_x^2/sigma_a^2 I)^-1 Z'X` where they are normal and no entry is
#'   missing, else over the observed entries of each column; of nonnegative loadings the mean of 500
#'   draws given Z. Of chains of [row_blocks()] it is A as that draw has it. Its columns are named
#'   as those of the data. With `noise = "column"` the attribute `"sigma_x"` is the posterior mean
#'   of the standard deviation of each column's noise.
#'   Of binary data it is the mean of 500 draws of the weights given Z, and the attribute `"bias"`
#'   that of the biases, one number a column (`NULL` without biases). Of choices K x 1, column
#'   `weight`: the mean of 500 draws given Z of the weights as shares of their sum, since only their
#'   proportions matter. Of [fit_topics()] topics x words, the expected probability of each word in
#'   the topics of `features(fit)`, (n_kw + eta) / (n_k + V eta). Of [fit_nmf()] see [weights_of()].
#'   Of [fit_factor()] it is the mean over at most 1000 draws, whose factors are matched to those of
#'   `features(fit)` by the size of the cosines of their weights, above .5, and given their signs; the
#'   attribute `"share"` says in what share of the draws each factor has such a counterpart, and
#'   `"sigma_x"` is the posterior mean of the standard deviation of each column's noise. With sparse
#'   loadings `"probability"`, K x D, says in what share of the draws that have the counterpart each
#'   loading is not 0; with sparse factors [weights_of()] has that of the weights.
#'   Of [fit_cascade()] K x D, the weights of the edges of that draw, 0 where there is none. Of
#'   [fit_mixed()] a column per linear predictor, several of a column with categories, of numbers in
#'   their units (of the logarithm where it is normal), and the attribute `"bias"` on the same scales.
#' * `coassignment()`: N x N posterior mean of ZZ', the number of features that two rows share; the
#'   diagonal is the number a row holds. Of [fit_factor()] with sparse loadings it is D x D, of the
#'   columns of the data.
#' @section Names that other packages have:
#' The functions `features()` of NLP, which tm attaches, and of fabletools, `perplexity()` of
#' topicmodels and `network()` of the package of that name are others. Of two packages the one that
#' was attached last is called. Where that is the other package write `buffet::features(fit)`,
#' `buffet::perplexity(fit, newdata)`, `buffet::network(fit)`, or attach buffet last. `tidy()`,
#' `glance()`, `augment()`, `posterior_predict()`, `log_lik()`, `prior_summary()` and `as_draws()`
#' are the same functions everywhere, and [complete()] does what those of tidyr and mice do.
#' @examples
#' x <- block_images(40)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' colSums(features(fit))
#' round(loadings_of(fit)[, 1:6], 2)
#' coassignment(fit)[1:4, 1:4]
#' @export
features <- function(fit) UseMethod("features")

#' @rdname features
#' @export
feature_draws <- function(fit) UseMethod("feature_draws")

#' @rdname features
#' @export
loadings_of <- function(fit) UseMethod("loadings_of")

#' @rdname features
#' @export
#' @srrstats {UL3.4} Pairs of rows by the features that they share; loadings_of() says what features
#'   do, summary() has the noise within.
coassignment <- function(fit) UseMethod("coassignment")

#' @export
features.default <- function(fit) stop_no_fit(fit)

#' @export
feature_draws.default <- function(fit) stop_no_fit(fit)

#' @export
loadings_of.default <- function(fit) stop_no_fit(fit)

#' @export
coassignment.default <- function(fit) stop_no_fit(fit)

#' @export
features.buffet_fit <- function(fit) fit$draws[[fit$point]]

#' Number of features of the point estimate
#' @noRd
point_size <- function(fit) as.integer(unclass(fit$draws)$sizes[fit$point])

#' @export
feature_draws.buffet_fit <- function(fit) fit$draws

#' @export
loadings_of.buffet_fit <- function(fit) mean_loadings(fit)

#' Posterior mean loadings of the point estimate, K x D
#' @noRd
mean_loadings <- function(fit) UseMethod("mean_loadings")

#' @export
coassignment.buffet_fit <- function(fit) {
  coassignment_of(fit$draws, seq_len(feature_rows(fit$model)$n))
}

coassignment_of <- function(draws, rows) {
  shared <- coassignment_cpp(unclass(draws), rows)
  names <- unclass(draws)$row_names[rows]
  dimnames(shared) <- list(names, names)
  shared
}
