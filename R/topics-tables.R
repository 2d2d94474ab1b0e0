#' Words and sizes of topics
#'
#' @param fit A fit by [fit_topics()].
#' @param n (positive integer) How many words of each topic.
#' @param by (string) `"probability"`: the words that the topic has most of. `"lift"`: those whose
#'   probability in the topic is largest beside their share of all documents, among words that the
#'   topic has at least once; `NA` where these are fewer.
#' @return
#' * `top_words()`: character matrix of `n` x topics, the first word first. Words without a name are
#'   `w1`, `w2`, ...
#' * `topic_table()`: data frame, a row a topic: `topic`; `tokens` that it owns; `presence`, the
#'   share of documents with a token of it; `share`, the mean over these of the share of their
#'   tokens; `pi`, its probability to be chosen, and `phi`, its weight; `words`, its first six.
#'
#'   Both are of the draw that [features()] shows, and in its order. Empty documents do not count.
#' @seealso [loadings_of()], [tidy()][tidy.fit_topics]
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' fit <- fit_topics(d$dtm, method = method_gibbs(chains = 1, iter = 200, thin = 10), seed = 1)
#' top_words(fit, 5)
#' top_words(fit, 5, by = "lift")
#' topic_table(fit)
#' @export
top_words <- function(fit, n = 10, by = c("probability", "lift")) {
  check_topics(fit)
  n <- min(check_count(n, "n"), ncol(fit$model$data$x))
  by <- check_choice(by, c("probability", "lift"), "by")
  parts <- topic_parts(fit, fit$point)
  score <- word_shares(parts)
  if (by == "lift") {
    x <- fit$model$data$x
    score <- score / rep(Matrix::colSums(x) / sum(x), each = nrow(score))
    score[as.matrix(parts$words) == 0] <- NA
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
  parts <- topic_parts(fit, fit$point)
  lengths <- Matrix::rowSums(fit$model$data$x)
  held <- as.matrix(parts$documents)[lengths > 0, , drop = FALSE]
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
