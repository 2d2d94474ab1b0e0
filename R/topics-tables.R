#' Words and sizes of topics
#'
#' `top_words()` returns the words that characterise each topic, `topic_table()` the size of each
#' topic.
#'
#' @param fit A fit by [fit_topics()].
#' @param n (positive integer) Number of words per topic (default 10). More than there are different
#'   words are not returned.
#' @param by (string) How words are ranked. `"probability"` (default): by their probability in the
#'   topic. `"lift"`: by this probability divided by the share of the word in all documents, among
#'   words that the topic has at least once. If these are fewer than `n`, the rest is `NA`.
#' @return
#' * `top_words()`: a character matrix, `n` x topics, with the first word on top and columns `t1`,
#'   `t2`, ... Words without a name are called `w1`, `w2`, ...
#' * `topic_table()`: a tibble with a row per topic. `topic` is its name; `tokens` the number of
#'   tokens that it owns; `presence` the share of documents with a token of the topic; `share` the
#'   mean share of the tokens of these documents that belong to the topic. `pi` is the probability
#'   that a document chooses the topic and `phi` its weight, see [fit_topics()]. `words` has its six
#'   most probable words in one string.
#'
#'   A document can choose a topic and have no token of it. [features()] has the documents that have
#'   chosen a topic, which can be more than `presence` counts.
#'
#'   Both describe the draw that [features()] shows, with topics in its order. Documents without a
#'   word do not count.
#' @seealso [loadings_of()] has the probabilities of all words, [tidy()][tidy.fit_topics] the same
#'   as a data frame; [plot()][plot.fit_topics] shows both.
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' fit <- fit_topics(d$dtm, method = method_gibbs(chains = 1, iter = 200, thin = 10), seed = 1)
#' topics <- topic_table(fit)
#' # the three largest topics
#' largest <- head(topics[order(-topics$tokens), ], 3)
#' largest
#' # their words, and those that set them apart from other topics
#' top_words(fit, 5)[, largest$topic]
#' top_words(fit, 5, by = "lift")[, largest$topic]
#' @export
top_words <- function(fit, n = 10, by = c("probability", "lift")) {
  check_topics(fit)
  n <- min(check_count(n, "n"), ncol(model_data(fit)))
  by <- check_choice(by, c("probability", "lift"), "by")
  parts <- topic_parts(fit, fit$internal$point)
  score <- word_shares(parts)
  if (by == "lift") {
    x <- model_data(fit)
    score <- score / rep(Matrix::colSums(x) / sum(x), each = nrow(score))
    score[parts$words == 0] <- NA
  }
  names <- word_names(fit)
  best <- function(k) names[order(-score[k, ], na.last = NA)[seq_len(n)]]
  out <- vapply(seq_len(nrow(score)), best, character(n))
  matrix(out, n, dimnames = list(NULL, topic_names(nrow(score))))
}

#' @rdname top_words
#' @export
topic_table <- function(fit) {
  check_topics(fit)
  parts <- topic_parts(fit, fit$internal$point)
  lengths <- Matrix::rowSums(model_data(fit))
  held <- parts$documents[lengths > 0, , drop = FALSE]
  words <- top_words(fit, 6)
  tibble::tibble(
    topic = topic_names(ncol(held)), tokens = as.integer(colSums(held)),
    presence = colMeans(held > 0),
    share = colSums(held / lengths[lengths > 0]) / colSums(held > 0),
    pi = parts$pi, phi = parts$phi,
    words = vapply(seq_len(ncol(held)), \(k) paste(words[, k], collapse = " "), "")
  )
}

check_topics <- function(fit) {
  if (!inherits(fit, "fit_topics")) stop_argument("fit", "be a fit by fit_topics()", fit)
}
