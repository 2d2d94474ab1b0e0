#' @exportS3Method
describe_data.fit_topics <- function(fit) {
  given <- fit$internal$model$lengths == "given"
  of_lengths <- if (given) "given lengths" else "lengths of the model"
  sprintf("Focused topic model (%s): %s", of_lengths, describe_dtm(model_data(fit)))
}

#' @exportS3Method
describe_result.fit_topics <- function(fit, found) {
  size <- dim(model_data(fit))
  c(
    describe_model_size("Topics:", fit, "n_features", found),
    # Topics beyond the number of documents or words cannot be identified.
    if (point_size(fit) > min(size)) {
      sprintf(
        paste(
          "More topics than %s: the data cannot distinguish all of them.",
          "Try `method_gibbs(max_features = 10)`."
        ),
        c("documents", "words")[which.min(size)]
      )
    }
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

#' @rdname tidy.buffet_fit
#' @export
tidy.fit_topics <- function(x, matrix = c("scalars", "beta", "gamma", "features"),
                            conf.level = 0.9, conf.int = TRUE, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "beta", "gamma", "features"), "matrix")
  conf.level <- check_conf(conf.level, conf.int)
  documents <- as.character(rownames(model_data(x)) %||% seq_len(nrow(model_data(x))))
  switch(matrix,
    scalars = with_interval(tidy_scalars(x, conf.level), conf.int),
    beta = tidy_matrix(loadings_of(x), c("topic", "term", "beta"), columns = word_names(x)),
    gamma = tidy_matrix(predict(x), c("document", "topic", "gamma"), documents),
    features = tidy_features(x, c("document", "topic"))
  )
}

#' @rdname tidy.buffet_fit
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

#' Words and sizes of topics
#'
#' `top_words()` returns the words that characterise each topic, and `topic_table()` the size of
#' each topic.
#'
#' @param fit A fit by [fit_topics()].
#' @param n (positive integer) Number of words per topic (default 10), at most the number of
#'   distinct words. Only words with a token in the topic are listed; if there are fewer than `n`,
#'   the rest is `NA`.
#' @param by (string) How words are ranked. `"probability"` (default): by their probability in the
#'   topic. `"lift"`: by this probability divided by the share of the word in all documents.
#' @return
#' * `top_words()`: a character matrix, `n` x topics, with the first word on top and columns `t1`,
#'   `t2`, ... Words without a name are called `w1`, `w2`, ...
#' * `topic_table()`: a tibble with a row per topic. `topic` is its name; `tokens` the number of
#'   its tokens; `presence` the share of documents with a token of the topic; `share` the
#'   mean share of the tokens of these documents that belong to the topic. `pi` is the probability
#'   that a document chooses the topic and `phi` its weight, see [fit_topics()]. `words` has its six
#'   most probable words (only those with a token in the topic) in one string.
#'
#'   A document can choose a topic but have no token of it. [features()] shows which documents have
#'   chosen a topic; there can be more of them than `presence` counts.
#'
#'   Both describe the draw that [features()] shows, with topics in its order. Documents without
#'   words are ignored.
#' @seealso [loadings_of()] gives the probabilities of all words, [tidy()][tidy.fit_topics] the same
#'   as a data frame; [plot()][plot.fit_topics] shows both.
#' @examples
#' set.seed(1)
#' d <- sim_topics(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' fit <- fit_topics(d$dtm, method = method_gibbs(chains = 1, iter = 200, thin = 10), seed = 1)
#' topics <- topic_table(fit)
#' # the three largest topics
#' largest <- head(topics[order(-topics$tokens), ], 3)
#' largest
#' # their words, and the words that distinguish them from other topics
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
  }
  score[parts$words == 0] <- NA
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
    presence = colMeans(held > 0), share = colSums(held / lengths[lengths > 0]) / colSums(held > 0),
    pi = parts$pi, phi = parts$phi,
    words = vapply(seq_len(ncol(held)), \(k) paste(stats::na.omit(words[, k]), collapse = " "), "")
  )
}

check_topics <- function(fit) {
  check_given(fit, "fit")
  if (!inherits(fit, "fit_topics")) stop_argument("fit", "be a fit by fit_topics()", fit)
}

#' Plot a topic model
#'
#' Shows how common and how large topics are, their words, or how the chains behaved.
#'
#' @param x A fit by [fit_topics()].
#' @param type (string) What the plot shows; the default is `"presence"`.
#'   * `"presence"`: the share of documents with a token of each topic (horizontal axis,
#'     logarithmic), against the mean share of the tokens of these documents that belong to the
#'     topic. A larger point means more tokens. The model learns these two shares separately: a
#'     rare topic can fill the documents that it is in.
#'   * `"topics"`: the eight most probable words of the topics with the most tokens.
#'   * `"features"`: which documents have chosen which topics, in left-ordered form. Documents
#'     without words are left out if lengths are given.
#'   * `"n_features"`: the posterior of the number of topics, with the chains in different colours.
#'   * `"trace"`, `"chains"` (topics, matched by the documents that have chosen them): as for
#'     [fit_gaussian()][plot.buffet_fit].
#' @param n (positive integer) Number of topics, those with the most tokens, that `"topics"` shows
#'   and `"presence"` labels with their most probable word. The default is 12.
#' @param which (whole numbers or names, such as `"t3"`, or `NULL`) The topics to show (`"topics"`,
#'   `"features"`) or to label (`"presence"`); not allowed for other types. `NULL` (default): the
#'   `n` topics with the most tokens, and all topics for `"features"`.
#' @param ... Must be empty.
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot` object.
#' @seealso [topic_table()] and [top_words()] for the numbers and words behind these plots.
#' @examples
#' set.seed(1)
#' d <- sim_topics(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' fit <- fit_topics(d$dtm, method = method_gibbs(chains = 1, iter = 200, thin = 10), seed = 1)
#' # topics on the right are in many documents; topics at the top fill the documents they are in
#' plot(fit)
#' # the words of the four largest topics
#' plot(fit, "topics", n = 4)
#' @export
plot.fit_topics <- function(x, type = c(
                              "presence", "topics", "trace", "n_features", "features", "chains"
                            ), n = 12, which = NULL, ...) {
  check_no_more(...)
  type <- check_choice(type, eval(formals()$type), "type")
  n <- check_count(n, "n")
  which <- check_which(which, type, c("presence", "topics", "features"), colnames(x$features))
  switch(type,
    presence = plot_presence(x, n, which),
    topics = plot_topics(x, n, which),
    trace = plot_trace(x),
    n_features = plot_n_topics(x),
    features = plot_features(stats::na.omit(x$features), "document", which) +
      labs(x = "topic", title = "Topics that documents have chosen"),
    chains = plot_chains(x) + labs(
      x = "topic, by its number in the best chain", title = "Topics that chains have found"
    )
  )
}

choose_topics <- function(table, n, which) which %||% utils::head(order(-table$tokens), n)

plot_presence <- function(fit, n, which) {
  data <- topic_table(fit)
  named <- data[choose_topics(data, n, which), ]
  named$label <- sub(" .*", "", named$words)
  ggplot(data, aes(.data$presence, .data$share)) +
    geom_point(aes(size = .data$tokens), alpha = 0.5, colour = "#2166ac") +
    geom_text(aes(label = .data$label), named, size = 3, vjust = -1, check_overlap = TRUE) +
    scale_x_log10(labels = as_per_cent) +
    scale_y_continuous(labels = as_per_cent, limits = c(0, NA), expand = expansion(c(0.02, 0.1))) +
    scale_size_area() +
    labs(
      x = "documents with a token of the topic", y = "mean share of their tokens",
      title = "Presence and share of topics"
    ) +
    plain_theme()
}

as_per_cent <- function(x) paste0(format(100 * x, digits = 2, trim = TRUE), " %")

plot_topics <- function(fit, n, which) {
  table <- topic_table(fit)
  topics <- table$topic[choose_topics(table, n, which)]
  beta <- loadings_of(fit)[topics, , drop = FALSE]
  words <- top_words(fit, 8)[, topics, drop = FALSE]
  names <- word_names(fit)
  data <- do.call(rbind, lapply(topics, function(topic) {
    at <- words[!is.na(words[, topic]), topic]
    data.frame(
      topic = rep(topic, length(at)), word = at, beta = beta[topic, match(at, names)],
      rank = seq_along(at)
    )
  }))
  data$topic <- factor(data$topic, topics)
  ggplot(data, aes(.data$beta, -.data$rank)) +
    geom_col(orientation = "y", fill = "grey80") +
    geom_text(aes(x = 0, label = .data$word), hjust = 0, size = 3) +
    facet_wrap(~topic, scales = "free_x") +
    scale_y_continuous(breaks = NULL) +
    scale_x_continuous(labels = as_per_cent, n.breaks = 3) +
    labs(
      x = "probability in the topic", y = NULL, title = "Topics and their words",
      subtitle = if (is.null(which)) describe_left_out(length(topics), nrow(table), "topics")
    ) +
    plain_theme() +
    theme(panel.spacing.x = unit(0.7, "cm"))
}

plot_n_topics <- function(fit) {
  counts <- scalar(fit, "n_features")
  data <- data.frame(n = counts, chain = gl(nchains(fit), niterations(fit)))
  ggplot(data, aes(.data$n, fill = .data$chain)) +
    geom_bar(aes(y = after_stat(.data$count) / length(counts))) +
    scale_fill_viridis_d(end = 0.85) +
    scale_x_continuous(breaks = whole_numbers) +
    labs(x = "number of topics", y = "probability", title = "How many topics") +
    plain_theme()
}

topic_draw <- function(fit, draw) {
  model <- topic_spec(fit$internal$model, fit$method)
  for (name in c("alpha", "gamma", "eta")) model[[name]]$value <- scalar(fit, name)[draw]
  c(model, list(counts = select_bytes(fit, draw), atoms = matrix(select_loadings(fit, draw), 2)))
}

# The topics of a draw in display order: counts of words (topics x words) and of documents
# (documents x topics), probabilities pi, weights phi, choices z (documents x topics), and the
# weight in each document of its chosen topics without tokens
topic_parts <- function(fit, draw) {
  known <- topic_draw(fit, draw)
  z <- drawn_features(fit, draw)
  shown <- topic_order(fit, draw, z)
  counts <- topic_counts_cpp(known, dim(model_data(fit)))
  list(
    words = t(counts$words[, shown, drop = FALSE]),
    documents = counts$documents[, shown, drop = FALSE],
    pi = known$atoms[1, shown], phi = known$atoms[2, shown], z = z[, shown, drop = FALSE],
    silent = counts$silent * rep(counts$silent_phi, each = nrow(z)), eta = known$eta$value
  )
}

# Display order of the topics of a draw: the stored order, unless the draw is the point estimate.
topic_order <- function(fit, draw, z = drawn_features(fit, draw)) {
  if (draw == fit$internal$point) match_columns(fit$feature_draws[[draw]], z) else seq_len(ncol(z))
}

topic_names <- function(n) paste0("t", seq_len(n), recycle0 = TRUE)

# E beta given the topics of the tokens, topics x words
word_shares <- function(parts) {
  words <- parts$words + parts$eta
  words / rowSums(words)
}

# E theta given the topics of the tokens and the choices, documents x (topics + 1). The last column
# is the share of topics without tokens. If lengths are given, rows of empty documents are NA.
topic_shares <- function(parts, fit) {
  weights <- cbind(topic_weights(parts), rowSums(parts$silent))
  weights[rowSums(weights) == 0, ncol(weights)] <- 1
  if (fit$internal$model$lengths == "given") weights[empty_documents(model_data(fit)), ] <- NA
  weights / rowSums(weights)
}

# n + b phi, as a matrix, documents x topics
topic_weights <- function(parts) parts$documents + parts$z * rep(parts$phi, each = nrow(parts$z))

word_names <- function(fit) {
  x <- model_data(fit)
  colnames(x) %||% paste0("w", seq_len(ncol(x)))
}

#' @exportS3Method
mean_loadings.fit_topics <- function(fit) {
  beta <- word_shares(topic_parts(fit, fit$internal$point))
  dimnames(beta) <- list(topic_names(nrow(beta)), colnames(model_data(fit)))
  beta
}
