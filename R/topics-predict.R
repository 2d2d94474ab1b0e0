#' Topics and words of documents
#'
#' `predict()` returns the shares of topics, the probabilities of words or the chosen topics of
#' documents, of the fit or new ones.
#'
#' @param object A fit by [fit_topics()].
#' @param newdata (counts or `NULL`) New documents, in any form that [fit_topics()] takes. Words are
#'   matched by name if both have names, and words that the fit does not have are left out, with
#'   a message. Otherwise there must be as many words as in the data. `NULL` (default): the
#'   documents of the fit.
#' @param type (string)
#'   * `"topics"` (default): documents x topics, the expected share of every topic. The shares of a
#'     document can add up to less than 1; the rest is the share of topics that no token of the fit
#'     is assigned to.
#'   * `"words"`: documents x words, the probability that the next word of a document is this word.
#'   * `"features"`: documents x topics, the point estimate [features()]; for new documents the
#'     probability that they have chosen each topic.
#' @param ndraws (positive integer, `Inf` or `NULL`) For new documents: `"words"` are averaged over
#'   this many evenly spaced draws. `NULL` (default) and `Inf`: all. The words of the documents of
#'   the fit are always averaged over every draw. For intervals: how many draws their ends are
#'   quantiles of, at most 1000 by default. See [ndraws]. The other types use the single draw that
#'   [features()] shows, because topics have no labels that all draws share.
#' @param sweeps (positive integer) For new documents: sweeps of the chain that samples the topics
#'   of a document, given the topics of the fit. The first quarter is discarded. The default is 100;
#'   fewer sweeps are less accurate.
#' @param interval (string) `"none"` (default). `"credible"`: for `type = "words"` the result also
#'   has the ends of the central posterior interval of the probability of each word, given each
#'   draw.
#' @param level (number in (0, 1)) Probability of these intervals (default 0.9).
#' @param ... Must be empty.
#' @return A numeric matrix, with the names of documents as row names. With `interval` a data frame,
#'   as [predict.buffet_fit()] has it, of documents that have words; for new documents `.fitted` is
#'   the mean of the draws that the ends come from. If lengths are given, documents of the fit
#'   without words have `NA` in their rows.
#' @details Let n_k be the number of tokens that a document has in topic k, and let b_k say whether
#'   it has chosen the topic. Given these, the expected share of topic k is
#' \deqn{\frac{n_k + b_k \phi_k}{\sum_l (n_l + b_l \phi_l)}.}{
#' (n_k + b_k phi_k) / sum_l (n_l + b_l phi_l).}
#' The sum includes topics that the document has chosen but no token of any document is assigned to.
#' How many these are, and what they weigh, is drawn with all else. Their words are all equally
#' probable. The probability of word w in topic k is
#' \deqn{\frac{n_{kw} + \eta}{n_k + V \eta}}{(n_kw + eta) / (n_k + V eta)}
#' with V different words and the counts of tokens in all documents of the fit.
#'
#' For a new document and each draw, a chain samples the topics of the document's tokens and its
#' choices, given the topics of the fit. In every state of this chain the document's own tokens are
#' counted with the tokens of the fit, in the topics of the fit and in topics that only this
#' document has, both when its topics are sampled and when its next word is predicted. The share of
#' a topic, and the product of shares and word probabilities, are averaged over these states. The
#' draws are those given the data: the topics of the fit's tokens are not sampled again, and draws
#' under which the new document is more probable do not get more weight. A fit that includes the
#' document does both, and predicts it slightly better. The chain of a document of 40 words takes
#' about 1 millisecond of processor time per draw.
#'
#' The result is the same at every call, because its random numbers come from the seed of the fit
#' and the words of the document. It does not depend on the other new documents. When a new document
#' is predicted, every document of the fit is taken to have the mean exposure \eqn{-\log u} for
#' topics without a token.
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
