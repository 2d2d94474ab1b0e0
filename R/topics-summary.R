# print() and broom methods of topic models.

#' @exportS3Method
describe_data.fit_topics <- function(fit) {
  given <- fit$internal$model$lengths == "given"
  of_lengths <- if (given) "given lengths" else "lengths of the model"
  sprintf("Focused topic model (%s): %s", of_lengths, describe_dtm(model_data(fit)))
}

#' @exportS3Method
describe_result.fit_topics <- function(fit, found) {
  c(describe_model_size("Topics:", fit, "n_features", found), describe_alike_topics(fit))
}

# Advice if there are more topics than words or documents, so that they cannot be identified
describe_alike_topics <- function(fit) {
  size <- dim(model_data(fit))
  if (point_size(fit) <= min(size)) return(NULL)
  paste0(
    "More topics than ", c("documents", "words")[which.min(size)], ": many are nearly alike. Try ",
    "`prior_ibp(alpha = 1)` or `max_features`."
  )
}

#' @export
print.fit_topics <- function(x, ...) {
  cat(format(x), sep = "\n")
  table <- topic_table(x)
  shown <- utils::head(table[order(-table$tokens), ], 5)
  cat(sprintf(
    "  %-4s %4.0f %% of tokens, in %3.0f %% of documents: %s\n", shown$topic,
    100 * shown$tokens / sum(table$tokens), 100 * shown$presence, shown$words
  ), sep = "")
  if (nrow(table) > 5) cat(sprintf("  ... and %d more: topic_table()\n", nrow(table) - 5))
  invisible(x)
}

# nolint start: object_name_linter. broom's names.
#' A topic model as data frames
#'
#' `tidy()` returns the parameters of a topic model in long tables with the column names of
#' tidytext, and `augment()` the most probable topic of every word of every document.
#'
#' @param x A fit by [fit_topics()].
#' @param data Ignored: the fit has its data.
#' @param newdata (counts or `NULL`) New documents for `augment()`, as [predict.fit_topics()] takes
#'   them. `NULL` (default): the documents of the fit.
#' @param matrix (string) What a row of the table is. `"scalars"` (default): a scalar parameter.
#'   `"beta"`: a topic and a word, with the probability of the word in the topic, [loadings_of()].
#'   `"gamma"`: a document and a topic, with the expected share of the topic,
#'   [predict()][predict.fit_topics]. `"features"`: a document and a topic that it has chosen.
#' @inheritParams tidy.buffet_fit
#' @return Tibbles. `tidy()` has these columns:
#'   * `"scalars"`: `term`, `estimate` (posterior mean), `std.error` (posterior standard deviation),
#'     `conf.low` and `conf.high`.
#'   * `"beta"`: `topic`, `term` and `beta`.
#'   * `"gamma"`: `document`, `topic` and `gamma`. If lengths are given, documents without a word
#'     have `NA`.
#'   * `"features"`: `document` and `topic`.
#'
#'   `augment()` has a row per document and word that occurs in it: `document`, `term`, `count` and
#'   `.topic`, the topic that the word most probably has in this document. `glance()` is as for
#'   [other fits][tidy.buffet_fit].
#'
#'   All but the scalars are from the draw that [features()] shows.
#' @seealso [topic_table()] has a row per topic.
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' fit <- fit_topics(d$dtm, method = method_gibbs(chains = 1, iter = 200, thin = 10), seed = 1)
#' tidy(fit)
#' # the words that make up more than a quarter of a topic
#' beta <- tidy(fit, "beta")
#' beta[beta$beta > 0.25, ]
#' # the topics of the first document
#' gamma <- tidy(fit, "gamma")
#' gamma[gamma$document == "d1" & gamma$gamma > 0.05, ]
#' augment(fit)
#' @export
tidy.fit_topics <- function(x, matrix = c("scalars", "beta", "gamma", "features"),
                            conf.level = 0.9, conf.int = TRUE, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "beta", "gamma", "features"), "matrix")
  conf.level <- check_number(conf.level, "conf.level", 0, 1, "()")
  check_conf_int(conf.int)
  switch(matrix,
    scalars = with_interval(tidy_scalars(x, conf.level), conf.int),
    beta = tidy_beta(x),
    gamma = tidy_gamma(x),
    features = stats::setNames(tidy_features(x$features), c("document", "topic"))
  )
}
# nolint end

tidy_beta <- function(fit) {
  beta <- loadings_of(fit)
  tibble::tibble(
    topic = rep(rownames(beta), ncol(beta)), term = rep(word_names(fit), each = nrow(beta)),
    beta = as.vector(beta)
  )
}

tidy_gamma <- function(fit) {
  theta <- stats::predict(fit)
  tibble::tibble(
    document = rep(document_names(fit), ncol(theta)),
    topic = rep(colnames(theta), each = nrow(theta)), gamma = as.vector(theta)
  )
}

#' @rdname tidy.fit_topics
#' @export
augment.fit_topics <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_more(...)
  counts <- if (is.null(newdata)) model_data(x) else match_words(newdata, x)
  documents <- rownames(counts) %||% as.character(seq_len(nrow(counts)))
  document <- counts@i + 1L
  word <- rep(seq_len(ncol(counts)), diff(counts@p))
  theta <- if (is.null(newdata)) predict(x) else new_documents(x, counts)
  beta <- t(loadings_of(x))
  blocks <- split(seq_along(word), ceiling(seq_along(word) / 1e4))
  topic <- lapply(blocks, function(at) {
    max.col(theta[document[at], , drop = FALSE] * beta[word[at], , drop = FALSE], "first")
  })
  tibble::tibble(
    document = documents[document], term = word_names(x)[word],
    count = as.integer(counts@x), .topic = colnames(theta)[unlist(topic, use.names = FALSE)]
  )
}
