#' Topics and words of documents
#'
#' `predict()` returns the shares of topics, the probabilities of words or the chosen topics, for
#' the documents of the fit or for new ones.
#'
#' @param object A fit by [fit_topics()].
#' @param newdata (counts or `NULL`) New documents, in any form that [fit_topics()] accepts. Words
#'   are matched by name if both have names, and words that the fit does not have are left out, with
#'   a message. Otherwise there must be as many words as in the data. `NULL`, the default: the
#'   documents of the fit.
#' @param type (string)
#'   * `"topics"` (default): documents x topics, the expected share of every topic. If the shares of
#'     a document add up to less than 1, the rest is the share of topics without tokens in the fit.
#'   * `"words"`: documents x words, the probability that the next word of the document is this
#'     word.
#'   * `"features"`: documents x topics, the point estimate [features()]; for new documents the
#'     probability that they have chosen each topic.
#' @param ndraws (positive integer, `Inf` or `NULL`) For `"words"` of new documents: average over
#'   this many evenly spaced draws; `NULL`, the default, and `Inf` average over all. For intervals:
#'   the number of draws whose quantiles are the ends of the intervals, at most 1000 by default. See
#'   [ndraws]. Other types use the draw that [features()] shows, because topics have no common
#'   labels across draws.
#' @param sweeps (positive integer) For new documents: number of sweeps of the chain that samples
#'   their topics, given the topics of the fit, 100 by default. The first quarter is discarded.
#' @param interval (string) `"none"` (default) or, for `type = "words"`, `"credible"`: also the ends
#'   of the central posterior interval of each probability.
#' @param level (number in (0, 1)) Probability of these intervals, 0.9 by default.
#' @param ... Must be empty.
#' @return A numeric matrix, with the names of documents as row names. If lengths are given, empty
#'   documents of the fit have `NA`. With `interval` a data frame, as in [predict.buffet_fit()],
#'   without these documents; for new documents `.fitted` and the ends are computed from the same
#'   draws.
#' @details
#' Let n_k be the number of tokens of a document in topic k, and let b_k be 1 if it has chosen the
#' topic and 0 otherwise. Given these, the expected share of topic k is
#' \deqn{\frac{n_k + b_k \phi_k}{\sum_l (n_l + b_l \phi_l)}.}{
#' (n_k + b_k phi_k) / sum_l (n_l + b_l phi_l).}
#' The sum includes chosen topics without tokens; their number and weights are drawn along with
#' everything else, and all words are equally probable in them. The probability of word w in topic k
#' is
#' \deqn{\frac{n_{kw} + \eta}{n_k + V \eta}}{(n_kw + eta) / (n_k + V eta)}
#' with V different words and the counts of tokens in all documents of the fit.
#'
#' For a new document and each draw, a chain samples the topics of its tokens and its choices, given
#' the topics of the fit and topics that only this document has, and its states are averaged. The
#' draws are not reweighted by the new document; a fit that includes it predicts it slightly better.
#' A document of 40 words takes about 1 millisecond of processor time per draw. In this computation,
#' every document of the fit is assumed to have the mean exposure \eqn{-\log u} for topics without a
#' token.
#' @seealso [seeds] for why a document gets the same result on every call;
#'   [posterior_predict()][posterior_predict.buffet_fit] draws documents given `newdata`;
#'   [perplexity()] measures how well the words of new documents are predicted; [top_words()] shows
#'   what the topics are about.
#' @examples
#' set.seed(1)
#' d <- sim_topics(80, 40, alpha = 3, gamma = 2, lengths = 30)
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_topics(d$dtm[1:60, ], method = method, seed = 1)
#' # which topics three new documents are about
#' shares <- predict(fit, d$dtm[61:63, ])
#' round(shares[, colSums(shares) > 0.2], 2)
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
  x <- if (!is.null(newdata)) match_words(newdata, object)
  of_draw <- function(draw) {
    if (is.null(x)) return(known_words(object, draw))
    new <- fold_in(object, draw, x, list(sweeps = sweeps))
    predictive_words(new$words, topic_parts(object, draw))
  }
  rows <- x %||% model_data(object)
  names <- list(rownames(rows), colnames(model_data(object)))
  if (interval != "none") {
    tail <- check_ndrawn(ndraws, object, tail_ndraws)
    draws <- over_draws(tail, of_draw, matrix(0, nrow(rows), ncol(rows)))
    fitted <- if (is.null(x)) mean_known_words(object) else rowMeans(draws, dims = 2)
    dimnames(fitted) <- names
    spoken <- which(!is.na(fitted[, 1]))
    return(interval_frame(fitted[spoken, , drop = FALSE], draws[spoken, , , drop = FALSE], level))
  }
  if (type == "words") {
    if (is.null(x)) return(mean_known_words(object))
    return(structure(mean_over(which, of_draw), dimnames = names))
  }
  if (!is.null(x)) return(new_documents(object, x, type, sweeps))
  if (type == "features") return(object$features)
  shares <- topic_shares(topic_parts(object, object$internal$point), object)
  n <- ncol(shares) - 1
  structure(shares[, seq_len(n), drop = FALSE], dimnames = list(names[[1]], topic_names(n)))
}

# x: The result of match_words().
new_documents <- function(fit, x, type = "topics", sweeps = fold_sweeps) {
  new <- fold_in(fit, fit$internal$point, x, list(sweeps = sweeps))
  out <- if (type == "features") new$chosen else new$shares[, -ncol(new$shares), drop = FALSE]
  dimnames(out) <- list(rownames(x), topic_names(ncol(out)))
  out
}

match_words <- function(newdata, fit, name = "newdata") {
  x <- check_dtm(newdata, name)
  known <- colnames(model_data(fit))
  if (is.null(known) || is.null(colnames(x))) {
    if (ncol(x) != ncol(model_data(fit))) {
      stop_argument(name, sprintf("have %d words, like the data", ncol(model_data(fit))), newdata)
    }
    return(x)
  }
  at <- match(colnames(x), known)
  lost <- sum(Matrix::colSums(x)[is.na(at)] > 0)
  if (all(is.na(at))) stop_argument(name, "contain a word of the fit", was = "only other words")
  if (lost > 0) {
    message(cli::pluralize("{lost} word{?s} {?is/are} not in the fit and {?is/are} left out."))
  }
  entries <- methods::as(x[, !is.na(at), drop = FALSE], "TsparseMatrix")
  Matrix::sparseMatrix(
    i = entries@i + 1L, j = at[!is.na(at)][entries@j + 1L], x = entries@x,
    dims = c(nrow(x), length(known)), dimnames = list(rownames(x), known)
  )
}

# Features and shares of new documents given a draw, with topics in the order of topic_parts()
# plan: list(sweeps, seen, seed, apart): `seen` is the share of a document that is observed (its
# exposure with lengths = "model"), 1 by default; `seed` and `apart` are as in row_plan().
# Returns list(shares, chosen, words, weights, topics, seeds): the shares of topics, with new topics
# last; the probabilities that documents choose topics; the words, as in known_in(); and, for each
# document, the weights of its topics after the last sweep, the topics of its tokens, and its own
# seed.
fold_in <- function(fit, draw, x, plan) {
  ell <- if (fit$internal$model$lengths == "given") -1 else log1p(plan$seen %||% 1)
  new <- topic_fold_cpp(
    x, topic_draw(fit, draw),
    list(ell = ell, sweeps = plan$sweeps, moves = fit$method$moves, apart = isTRUE(plan$apart)),
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

# Probabilities of words in documents given a draw, as a matrix, documents x words
known_words <- function(fit, draw) {
  parts <- topic_parts(fit, draw)
  predictive_words(known_in(parts, fit), parts)
}

mean_known_words <- function(fit, which = seq_along(fit$feature_draws)) {
  out <- mean_over(which, function(draw) known_words(fit, draw))
  dimnames(out) <- data_names(fit)
  out
}

# The next word of document d is w with probability sum_k per_word_dk (n_kw + eta) + flat_d, where n
# are the counts of the draw. For new documents, own_dw is added, because their tokens are not among
# these counts.
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

predictive_words <- function(documents, parts) {
  # Most documents have few topics, so the matrix is sparse.
  per_word <- methods::as(documents$per_word, "CsparseMatrix")
  out <- as.matrix(per_word %*% (parts$words + parts$eta)) + documents$flat
  own <- documents$own
  if (is.null(own)) return(out)
  at <- cbind(own@i + 1L, rep(seq_len(ncol(own)), diff(own@p)))
  out[at] <- out[at] + own@x
  out
}

#' @rdname heldout_density
#' @export
heldout_density.fit_topics <- function(fit, actual, ...) {
  check_no_more(...)
  check_given(actual, "actual", "the tokens left out")
  x <- check_dtm(actual, "actual")
  size <- dim(model_data(fit))
  if (!identical(dim(x), size)) {
    must <- sprintf("have %d documents and %d words, like the data", size[1], size[2])
    stop_argument("actual", must, was = describe_dtm(x))
  }
  x <- in_data_order(x, model_data(fit))
  density <- mean_over(seq_along(fit$feature_draws), function(draw) {
    parts <- topic_parts(fit, draw)
    at_tokens(known_in(parts, fit), parts, x)
  })
  rep(log(density), x@x)
}

#' Perplexity of new documents
#'
#' Measures how well a fit predicts new documents by document completion (Wallach and others 2009).
#' The topics of each document are inferred from a random part of its tokens, and the other tokens
#' are predicted as by [predict()][predict.fit_topics] with `type = "words"`.
#'
#' @param fit A fit by [fit_topics()].
#' @param newdata New documents, as in [predict()][predict.fit_topics]. It must be given.
#' @param completion (number in (0, 1)) Share of the tokens of a document from which its topics are
#'   inferred, 0.5 by default. The number of tokens is rounded up.
#' @param sweeps (positive integer) Number of sweeps of the chain that infers the topics of a
#'   document given a draw, 100 by default. Fewer sweeps make the perplexity worse by a few per
#'   cent.
#' @param ndraws (positive integer) Number of evenly spaced draws to average predictions
#'   over, 20 by default. A fit with fewer draws uses all of them. With 5 draws the perplexity is
#'   about 1 % larger, with all 100 draws 0.1 % smaller.
#' @param seed (whole number or `NULL`) Seed for the choice of tokens, as in [stats::simulate()].
#'   `NULL`, the default, uses the current state of R's generator.
#' @return One number, exp(-mean(log(p))), where p are the predictive probabilities of the tokens
#'   that were not seen. Lower is better. The perplexity of a model that knows nothing is the number
#'   of words, `ncol(dtm)`. The result is `NA` if no token is unseen.
#' @inheritSection fit_topics With tm and topicmodels
#' @references Wallach, H. M., Murray, I., Salakhutdinov, R. and Mimno, D. (2009). Evaluation
#'   methods for topic models. *ICML*, section 5.
#' @seealso [heldout_density()][heldout_density.fit_topics] for left-out tokens of the documents of
#'   the fit.
#' @examples
#' set.seed(1)
#' d <- sim_topics(80, 40, alpha = 3, gamma = 2, lengths = 30)
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_topics(d$dtm[1:60, ], method = method, seed = 1)
#' # 20 new documents; a model that knows nothing has perplexity 40, the number of words
#' perplexity(fit, d$dtm[61:80, ], seed = 1)
#' @export
perplexity <- function(fit, newdata, completion = 0.5, sweeps = 100, ndraws = 20, seed = NULL) {
  check_topics(fit)
  check_given(newdata, "newdata", "new documents")
  completion <- check_number(completion, "completion", 0, 1, "()")
  sweeps <- check_count(sweeps, "sweeps")
  which <- choose_draws(fit, min(check_count(ndraws, "ndraws"), length(fit$feature_draws)))
  seed <- check_seed(seed)
  x <- match_words(newdata, fit)
  parts <- seeded(seed, split_tokens(x, completion))
  if (length(parts$rest@x) == 0) return(NA_real_)
  plan <- list(sweeps = sweeps, seen = completion)
  density <- mean_over(which, function(draw) {
    at_tokens(fold_in(fit, draw, parts$seen, plan)$words, topic_parts(fit, draw), parts$rest)
  })
  exp(-sum(parts$rest@x * log(density)) / sum(parts$rest@x))
}

split_tokens <- function(x, share) {
  entries <- methods::as(x, "TsparseMatrix")
  document <- rep(entries@i, entries@x) + 1L
  word <- rep(entries@j, entries@x) + 1L
  place <- stats::ave(stats::runif(length(document)), document, FUN = rank)
  seen <- place <= ceiling(share * tabulate(document, nrow(x)))[document]
  count <- function(which) {
    Matrix::sparseMatrix(i = document[which], j = word[which], x = 1, dims = dim(x))
  }
  list(seen = count(seen), rest = count(!seen))
}

# Predictive probabilities of the entries of a sparse matrix. `documents` is a result of known_in().
at_tokens <- function(documents, parts, x) {
  at <- cbind(x@i + 1L, rep(seq_len(ncol(x)), diff(x@p)))
  words <- t(parts$words + parts$eta)
  blocks <- split(seq_along(x@x), ceiling(seq_along(x@x) / 1e4))
  known <- unlist(lapply(blocks, function(some) {
    of <- at[some, , drop = FALSE]
    rowSums(documents$per_word[of[, 1], , drop = FALSE] * words[of[, 2], , drop = FALSE])
  }), use.names = FALSE)
  own <- if (is.null(documents$own)) 0 else documents$own[at]
  known + documents$flat[at[, 1]] + own
}
