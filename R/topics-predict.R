#' Topics and words of documents
#'
#' `predict()` returns the shares of topics, the probabilities of words or the chosen topics of
#' documents: documents of the fit, or new ones.
#'
#' @param object A fit by [fit_topics()].
#' @param newdata (counts or `NULL`) New documents, in any form that [fit_topics()] takes. Words are
#'   matched by name if both have names, and words that the fit does not have are left out, with a
#'   message. Otherwise there must be as many words as in the data. `NULL`, the default: the
#'   documents of the fit.
#' @param type (string)
#'   * `"topics"` (default): documents x topics, the expected share of every topic. If the shares of
#'     a document add up to less than 1, the rest is the share of topics without tokens in the fit.
#'   * `"words"`: documents x words, the probability that the next word is this word.
#'   * `"features"`: documents x topics, the point estimate [features()]; for new documents the
#'     probability that they have chosen each topic.
#' @param ndraws (positive integer, `Inf` or `NULL`) For `"words"` of new documents: average over
#'   this many evenly spaced draws; `NULL`, the default, and `Inf` average over all. For intervals:
#'   the number of draws of which their ends are quantiles, at most 1000 by default. See [ndraws].
#'   Other types use the draw that [features()] shows, because topics have no common labels over
#'   draws.
#' @param sweeps (positive integer) For new documents: sweeps of the chain that samples their
#'   topics, given the topics of the fit, 100 by default. The first quarter is discarded.
#' @param interval (string) `"none"` (default) or, for `type = "words"`, `"credible"`: also the ends
#'   of the central posterior interval of each probability.
#' @param level (number in (0, 1)) Probability of these intervals, 0.9 by default.
#' @param ... Must be empty.
#' @return A numeric matrix, with the names of documents as row names. With `interval` a data frame,
#'   as in [predict.buffet_fit()], of documents that have words; for new documents `.fitted` is the
#'   mean of the draws that the ends come from. If lengths are given, empty documents of the fit
#'   have `NA`.
#' @details
#' Let n_k be the number of tokens of a document in topic k, and let b_k say whether it has chosen
#' the topic. Given these, the expected share of topic k is
#' \deqn{\frac{n_k + b_k \phi_k}{\sum_l (n_l + b_l \phi_l)}.}{
#' (n_k + b_k phi_k) / sum_l (n_l + b_l phi_l).}
#' The sum includes chosen topics without tokens; their number and weights are drawn with everything
#' else, and their words are equally probable. The probability of word w in topic k is
#' \deqn{\frac{n_{kw} + \eta}{n_k + V \eta}}{(n_kw + eta) / (n_k + V eta)}
#' with V different words and the counts of tokens in all documents of the fit.
#'
#' For a new document and each draw, a chain samples the topics of its tokens and its choices, given
#' the topics of the fit and topics that only this document has, and averages over its states. The
#' draws are not reweighted by the new document; a fit that includes it predicts it slightly better.
#' A document of 40 words takes about 1 millisecond of processor time per draw. Every document of
#' the fit is then assumed to have the mean exposure \eqn{-\log u} for topics without a token.
#'
#' The result for a document is the same at every call, whichever other documents are given: its
#' random numbers come from the seed of the fit and its words.
#' @seealso [posterior_predict()][posterior_predict.buffet_fit] draws documents given `newdata`;
#'   [perplexity()] says how well the words of new documents are predicted; [top_words()] shows what
#'   the topics are about.
#' @examples
#' set.seed(1)
#' d <- rftm(80, 40, alpha = 3, gamma = 2, lengths = 30)
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_topics(d$dtm[1:60, ], method = method, seed = 1)
#' # which topics three new documents are about
#' shares <- predict(fit, d$dtm[61:63, ])
#' round(shares[, colSums(shares) > 0.2], 2)
#' # the four words that are most probable to come next in the first of them
#' words <- predict(fit, d$dtm[61:63, ], type = "words")
#' round(sort(words[1, ], decreasing = TRUE)[1:4], 2)
#' @export
predict.fit_topics <- function(object, newdata = NULL, type = c("topics", "words", "features"),
                               ndraws = NULL, sweeps = 100,
                               interval = c("none", "credible", "predictive"), level = 0.9, ...) {
  check_no_more(...)
  type <- check_choice(type, c("topics", "words", "features"), "type")
  interval <- check_interval(interval, object, type, "words")
  level <- check_number(level, "level", 0, 1, "()")
  which <- check_mean_ndraws(ndraws, object, newdata, interval)
  sweeps <- check_count(sweeps, "sweeps")
  if (interval != "none") return(word_intervals(object, newdata, ndraws, sweeps, level))
  if (is.null(newdata)) return(known_documents(object, type))
  x <- match_words(newdata, object)
  if (type == "words") {
    out <- mean_over(which, function(draw) new_words(object, draw, x, sweeps))
    dimnames(out) <- list(rownames(x), colnames(model_data(object)))
    return(out)
  }
  new_documents(object, x, type, sweeps)
}

# Topics of new documents, or which of them they have chosen
# x: From match_words().
new_documents <- function(fit, x, type = "topics", sweeps = fold_sweeps) {
  new <- fold_in(fit, fit$internal$point, x, list(sweeps = sweeps))
  out <- if (type == "features") new$chosen else new$shares[, -ncol(new$shares), drop = FALSE]
  dimnames(out) <- list(rownames(x), topic_names(ncol(out)))
  out
}

word_intervals <- function(fit, newdata, ndraws, sweeps, level) {
  x <- if (!is.null(newdata)) match_words(newdata, fit)
  of_draw <- function(draw) {
    if (is.null(x)) known_words(fit, draw) else new_words(fit, draw, x, sweeps)
  }
  rows <- x %||% model_data(fit)
  which <- check_ndrawn(ndraws, fit, tail_ndraws)
  draws <- over_draws(which, of_draw, matrix(0, nrow(rows), ncol(rows)))
  fitted <- if (is.null(x)) mean_known_words(fit) else rowMeans(draws, dims = 2)
  dimnames(fitted) <- list(rownames(rows), colnames(model_data(fit)))
  spoken <- which(!is.na(fitted[, 1]))
  interval_frame(fitted[spoken, , drop = FALSE], draws[spoken, , , drop = FALSE], level)
}

known_documents <- function(fit, type) {
  if (type == "features") return(fit$features)
  if (type == "words") return(mean_known_words(fit))
  shares <- topic_shares(topic_parts(fit, fit$internal$point), fit)
  out <- shares[, -ncol(shares), drop = FALSE]
  dimnames(out) <- list(rownames(model_data(fit)), topic_names(ncol(out)))
  out
}

# New documents with the words of a fit
match_words <- function(newdata, fit, name = "newdata") {
  x <- check_dtm(newdata, name)
  known <- colnames(model_data(fit))
  if (is.null(known) || is.null(colnames(x))) {
    if (ncol(x) != ncol(model_data(fit))) {
      stop_argument(name, sprintf("have %d words, as the data", ncol(model_data(fit))), newdata)
    }
    return(x)
  }
  at <- match(colnames(x), known)
  lost <- sum(Matrix::colSums(x)[is.na(at)] > 0)
  if (all(is.na(at))) stop_argument(name, "have words of the fit", was = "only others")
  if (lost > 0) {
    text <- if (lost == 1) "1 word is not in the fit" else paste(lost, "words are not in the fit")
    message(text, if (lost == 1) " and is left out." else " and are left out.")
  }
  entries <- methods::as(x[, !is.na(at), drop = FALSE], "TsparseMatrix")
  Matrix::sparseMatrix(
    i = entries@i + 1L, j = at[!is.na(at)][entries@j + 1L], x = entries@x,
    dims = c(nrow(x), length(known)), dimnames = list(rownames(x), known)
  )
}

# New documents given a draw, topics in the order of topic_parts()
# plan: list(sweeps, seen, seed, apart): `seen`, the share of a document that is observed (its
# exposure with lengths = "model"), 1 by default; seed and apart as in row_plan(). Returns
# list(shares, chosen, words, weights, topics, seeds): shares of topics, new ones last;
# probabilities of choosing them; words as in known_in(); and for each document the weights of its
# topics after the last sweep, the topics of its tokens, and its own seed.
fold_in <- function(fit, draw, x, plan) {
  ell <- if (fit$internal$model$lengths == "given") -1 else log1p(plan$seen %||% 1)
  new <- topic_fold_cpp(
    x, topic_draw(fit, draw),
    list(
      ell = ell, sweeps = plan$sweeps, moves = fit$method$moves, apart = isTRUE(plan$apart)
    ),
    c(plan$seed %||% fit$seed, draw)
  )
  shown <- topic_order(fit, draw)
  own <- x
  own@x <- new$own
  list(
    shares = new$shares[, c(shown, ncol(new$shares)), drop = FALSE],
    chosen = new$chosen[, shown, drop = FALSE],
    words = list(per_word = new$per_word[, shown, drop = FALSE], flat = new$flat, own = own),
    weights = lapply(new$weights, function(of) c(of[shown], of[seq_along(of) > length(shown)])),
    topics = lapply(new$topics, function(of) ifelse(of > length(shown), of, match(of, shown))),
    seeds = new$seeds
  )
}
fold_sweeps <- 100

# Probabilities of words in documents given a draw, documents x words
new_words <- function(fit, draw, x, sweeps) {
  predictive_words(fold_in(fit, draw, x, list(sweeps = sweeps))$words, topic_parts(fit, draw))
}
known_words <- function(fit, draw) {
  parts <- topic_parts(fit, draw)
  predictive_words(known_in(parts, fit), parts)
}

mean_known_words <- function(fit, which = seq_along(fit$feature_draws)) {
  out <- mean_over(which, function(draw) known_words(fit, draw))
  dimnames(out) <- data_names(fit)
  out
}

# The next word of document d is w with probability sum_k per_word_dk (n_kw + eta) + flat_d, n the
# counts of the draw, plus own_dw for new documents, whose tokens are not among the counts
known_in <- function(parts, fit) {
  shares <- topic_shares(parts, fit)
  words <- ncol(parts$words)
  fresh <- ncol(shares)
  size <- rowSums(parts$words) + words * parts$eta
  list(
    per_word = shares[, -fresh, drop = FALSE] / rep(size, each = nrow(shares)),
    flat = shares[, fresh] / words
  )
}

# Probability of every word, documents x words; documents from known_in()
predictive_words <- function(documents, parts) {
  # Most documents have few topics.
  per_word <- methods::as(documents$per_word, "CsparseMatrix")
  out <- as.matrix(per_word %*% (parts$words + parts$eta)) + documents$flat
  own <- documents$own
  if (is.null(own)) return(out)
  at <- cbind(own@i + 1L, rep(seq_len(ncol(own)), diff(own@p)))
  out[at] <- out[at] + own@x
  out
}
