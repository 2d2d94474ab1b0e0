# How a topic model shows itself: print(), and the data frames of broom and tidytext.

#' @exportS3Method
#' @noRd
describe_data.fit_topics <- function(fit) {
  of_lengths <- if (fit$model$lengths == "given") "given lengths" else "lengths of the model"
  sprintf("Focused topic model (%s): %s", of_lengths, describe_dtm(fit$model$data$x))
}

#' @export
print.fit_topics <- function(x, ...) {
  cat(sub("^Features: ", "Topics: ", format(x)), sep = "\n")
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
#' @param x A fit by [fit_topics()].
#' @param data Ignored; the fit knows its data.
#' @param newdata `NULL` for the documents of the fit, or new ones, as [predict.fit_topics()] takes them.
#' @param matrix (string) `"scalars"`: one row a scalar. `"beta"`: one row a topic and word, and
#'   `"gamma"`: one row a document and topic, in the form and with the names of tidytext; they are
#'   [loadings_of()] the fit and its [predict()][predict.fit_topics]. `"features"`: one row a
#'   document and a topic that it has chosen.
#' @inheritParams tidy.buffet_fit
#' @return Tibbles. `tidy()`: `term`, `estimate`, `std.error`, `conf.low`, `conf.high`; or `topic`,
#'   `term`, `beta`; or `document`, `topic`, `gamma`; or `document`, `topic`. `augment()`: one row a
#'   word of a document, `document`, `term`, `count` and `.topic`, the topic that it is most probably
#'   of.
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' fit <- fit_topics(d$dtm, method = method_gibbs(chains = 1, iter = 200, thin = 10), seed = 1)
#' tidy(fit)
#' tidy(fit, "beta")
#' tidy(fit, "gamma")
#' augment(fit)
#' @export
tidy.fit_topics <- function(x, matrix = c("scalars", "beta", "gamma", "features"),
                            conf.level = 0.9, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "beta", "gamma", "features"), "matrix")
  conf.level <- check_number(conf.level, "conf.level", 0, 1, "()")
  switch(matrix,
    scalars = tidy_scalars(x, conf.level),
    beta = tidy_beta(x),
    gamma = tidy_gamma(x),
    features = stats::setNames(tidy_features(features(x)), c("document", "topic"))
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
  counts <- if (is.null(newdata)) x$model$data$x else match_words(newdata, x)
  documents <- rownames(counts) %||% as.character(seq_len(nrow(counts)))
  document <- counts@i + 1L
  word <- rep(seq_len(ncol(counts)), diff(counts@p))
  theta <- predict_quietly(x, newdata)
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
