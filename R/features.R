#' Features and loadings of a fit
#'
#' `features()` is the point estimate of the feature matrix Z, and `feature_draws()` holds all draws
#' of Z. `loadings_of()` says how the features of the point estimate affect the columns of the data,
#' and `coassignment()` how many features the rows share.
#'
#' @param fit A fit by any `fit_*()` function. A fit by [fit_nmf()] has no binary features, so only
#'   `loadings_of()` takes it.
#' @return
#' * `features()`: an integer matrix of zeros and ones with a row per row of Z and its names. It may
#'   have no columns, in which case a message says so. Its columns are `f1`, `f2`, ... by decreasing
#'   number of ones. Known features ([prior_fixed()]) keep their order and names. The features of
#'   [fit_topics()] are topics, `t1`, `t2`, ...; with `lengths = "given"` a document without words
#'   has a row of `NA`.
#' * `feature_draws()`: all kept draws of Z, an object of class
#'   [feature_draws][feature_draws-class]. A fit by optimisation has one draw.
#' * `loadings_of()`: a numeric matrix with a row per feature of `features(fit)` and a column per
#'   column of the data (K x D). See Loadings for other shapes and for attributes.
#' * `coassignment()`: a numeric matrix, the posterior mean of ZZ': the mean number of features that
#'   two rows of Z share. The diagonal is the mean number of features of each row. For models with
#'   biases see Complements.
#'
#' The rows of Z are the rows of the data (items, documents), with two exceptions: in [fit_factor()]
#' with `sparse = "loadings"` and in [fit_cascade()] they are the columns of the data. In
#' [fit_cascade()] the features are the edges from the columns, which are the visible units, to
#' their parents in layer 1.
#'
#' @section Point estimate:
#' The point estimate of a fit by sampling is one of the draws that have the most probable number of
#' features (the smallest of equally probable numbers). Of these it is the draw Z with the smallest
#' sum of squared distances |ZZ' - YY'|^2 to the other draws Y. ZZ' counts the features that two
#' rows share, so the labels of features do not matter. With biases (see Complements) columns of Z
#' and Y are centred, so the coding does not matter either. At most 1000 evenly spaced draws are
#' compared, and fewer if there are many features. If `print()` says that the chains are apart, only
#' the draws of the [best_chain()] are considered.
#'
#' In [fit_factor()] the number of common factors is made the most probable first, then the number
#' of features. In [fit_cascade()] the point estimate is the draw with the highest log joint density
#' of those that have the most probable number of layers.
#'
#' @section Complements:
#' In models with biases, [fit_logistic()] and [fit_mixed()] with the default `bias = TRUE`, a
#' feature is equivalent to its complement, the feature that exactly the other rows have: if the
#' weights change sign and the biases absorb the difference, the likelihood is the same. Both occur
#' among the draws. `features()` shows each feature of the point estimate or its complement,
#' whichever fewer rows have (if exactly half of the rows have the feature, it stays as drawn).
#' Loadings, effects, `predict(type = "features")` and plots refer to this coding. In
#' `coassignment()`, and when [summary()][summary.fit_mcmc] and `plot(fit, "chains")` compare
#' chains, each feature of a draw is matched to the feature of the point estimate (in the plot, of
#' the better chains) with the largest absolute correlation over rows, and replaced by its
#' complement if that correlation is below -1/2. If no correlation is above 1/2 in absolute value,
#' the coding that fewer rows have is used. A feature that all rows have only shifts the biases: it
#' is not counted, and a draw with such a feature is not the point estimate if there are draws
#' without. `feature_draws()` returns the draws unchanged, and known features ([prior_fixed()]) keep
#' their coding. In other models a feature and its complement are different features: with
#' `center = TRUE`, for example, [fit_gaussian()] subtracts fixed column means, which cannot absorb
#' the difference.
#'
#' @section Loadings:
#' * [fit_gaussian()]: the posterior mean of A given `features(fit)` and the standard deviations of
#'   that draw. If loadings are normal and no entry is missing, it is
#'   `(Z'Z + sigma_x^2/sigma_a^2 I)^-1 Z'X`; if entries are missing, it is the same over the
#'   observed entries of each column. If loadings are nonnegative, it is the mean of 500 draws given
#'   Z. For chains on [row_blocks()] it is A in that draw. With `noise = "column"` the attribute
#'   `"sigma_x"` is the posterior mean of the standard deviation of the noise of each column. In a
#'   fit by optimisation the attribute `"sd"` holds the posterior standard deviations of the
#'   loadings, K x D; with [method_meibp()] the attributes `"location"` and `"scale"` hold instead
#'   the parameters of their truncated normal posteriors.
#' * [fit_logistic()]: the posterior mean of the weights given `features(fit)`, with the standard
#'   deviations of weights and biases integrated out. With [prior_fixed()] it is the mean over all
#'   kept draws. Otherwise one more chain is run in which these features are known. It makes 500 to
#'   4,000 draws after a warm-up, fewer for larger data, takes about a second and is the same at
#'   every call. The attribute `"bias"` is the mean of the biases, one number per column; without
#'   biases there is none.
#' * [fit_mixed()]: the same, with cut points and the other parameters of families also integrated
#'   out. There is a column per linear predictor; a column with categories has several. Weights of
#'   numeric columns are in the units of the column (of its logarithm if the family is log-normal).
#'   The attribute `"bias"` is on the same scales.
#' * [fit_choice()]: K x 1, with the column `weight`: the mean of 500 draws of the weights given Z,
#'   as shares of their sum, because choices depend only on the proportions of weights.
#' * [fit_topics()]: topics x words, the expected probability of each word in each topic, (n_kw +
#'   eta) / (n_k + V eta), where n_kw counts the tokens of word w in topic k, n_k all tokens of the
#'   topic, and V is the number of words.
#' * [fit_factor()]: the mean over all draws. The factors of each draw are matched to those
#'   of `features(fit)` if the absolute cosine of their weights is above 0.5, and take their signs.
#'   The attribute `"share"` is the share of these draws in which each factor has a match, and
#'   `"sigma_x"` is the posterior mean of the standard deviation of the noise of each column. With
#'   sparse loadings the attribute `"probability"`, K x D, is the share of nonzero loadings in the
#'   draws that have a match; with sparse factors [weights_of()] has that attribute.
#' * [fit_cascade()]: K x D, the weights of the edges in the draw of `features(fit)`, and 0 where
#'   there is no edge.
#' * [fit_nmf()]: rank x D, the loadings of the components `c1`, `c2`, ...; see [weights_of()].
#'
#' @section Functions of other packages with the same names:
#' Some functions of other packages have the names of functions of this one: `features()` of NLP,
#' which tm attaches, and of fabletools; `perplexity()` of topicmodels; and `network()` of network.
#' R calls the function of the package that was attached last. If that is the other package, write
#' `buffet::features(fit)`, `buffet::perplexity(fit, newdata)` or `buffet::network(fit)`, or attach
#' buffet last. `tidy()`, `glance()`, `augment()`, `posterior_predict()`, `log_lik()`,
#' `prior_summary()` and `as_draws()` are the same functions in all packages. The `complete()`
#' functions of tidyr and mice also complete fits, but [complete()] of this package completes
#' nothing else: for data frames write `tidyr::complete()`.
#' @examples
#' x <- block_images(40)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' # how many images have each feature
#' colSums(features(fit))
#' # the first row of pixels in each feature
#' round(loadings_of(fit)[, 1:6], 2)
#' # how many features the first images share
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
features.buffet_fit <- function(fit) {
  check_format(fit)
  if (point_size(fit) == 0) message(describe_none(fit))
  fit$features
}

# The feature matrix of the point estimate, or NULL for fit_nmf(). Rows of empty documents are NA
point_features <- function(fit) {
  if (inherits(fit, "fit_nmf")) return(NULL)
  z <- fit$feature_draws[[fit$internal$point]]
  if (inherits(fit, "fit_topics")) {
    if (fit$internal$model$lengths == "given") z[empty_documents(model_data(fit)), ] <- NA
    colnames(z) <- topic_names(ncol(z))
  }
  if (!traits_of(fit)$complements) return(z)
  label_features(coded_like(z), unclass(fit$feature_draws)$row_names)
}

# Features of the point estimate as they were drawn
drawn_features <- function(fit, draw = fit$internal$point) {
  draw_features_cpp(unclass(fit$feature_draws), draw)
}

# Number of features of the point estimate
point_size <- function(fit) as.integer(unclass(fit$feature_draws)$sizes[fit$internal$point])

#' @export
feature_draws.buffet_fit <- function(fit) {
  check_format(fit)
  fit$feature_draws
}

#' @export
loadings_of.buffet_fit <- function(fit) {
  check_format(fit)
  fit$loadings %||% mean_loadings(fit)
}

# Posterior mean loadings of the point estimate, K x D
mean_loadings <- function(fit) UseMethod("mean_loadings")

#' @export
coassignment.buffet_fit <- function(fit) {
  check_format(fit)
  rows <- traits_of(fit)$rows$n
  coassignment_of(fit, fit$feature_draws, seq_len(rows))
}

# draws: All draws of a fit, or some.
coassignment_of <- function(fit, draws, rows) {
  like <- if (traits_of(fit)$complements) fit$features
  shared <- coassignment_cpp(unclass(draws), rows, like)
  names <- unclass(draws)$row_names[rows]
  dimnames(shared) <- list(names, names)
  shared
}
