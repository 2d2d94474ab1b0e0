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
#'   * `"topics"`: the eight most probable words of the topics that own most tokens.
#'   * `"trace"`: every scalar over the sweeps of each chain; the warm-up is shaded.
#'   * `"n_features"`: the posterior distribution of the number of topics.
#'   * `"features"`: which documents have chosen which topics, in left-ordered form. Documents
#'     without a word are left out where lengths are given.
#'   * `"chains"`: the topics of several chains side by side. Topics are matched by the
#'     documents that have chosen them, as features are for [fit_gaussian()][plot.buffet_fit].
#' @param n (positive integer) How many topics `"topics"` shows and `"presence"` labels with their
#'   most probable word: those that own most tokens. The default is 12.
#' @param which (whole numbers or names, such as `"t3"`, or `NULL`) The topics to show (`"topics"`,
#'   `"features"`) or to label (`"presence"`); other types refuse it. `NULL` (default): the `n`
#'   topics that own most tokens, and all topics for `"features"`.
#' @param ... Must be empty.
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot` object.
#' @seealso [topic_table()] and [top_words()] for the numbers and words behind these plots.
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
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
      ggplot2::labs(x = "topic", title = "Topics that documents have chosen"),
    chains = plot_chains(x) + ggplot2::labs(
      x = "topic, by its number in the best chain", title = "Topics that chains have found"
    )
  )
}

choose_topics <- function(table, n, which) which %||% utils::head(order(-table$tokens), n)

plot_presence <- function(fit, n, which) {
  data <- topic_table(fit)
  named <- data[choose_topics(data, n, which), ]
  named$label <- sub(" .*", "", named$words)
  ggplot2::ggplot(data, ggplot2::aes(.data$presence, .data$share)) +
    ggplot2::geom_point(ggplot2::aes(size = .data$tokens), alpha = 0.5, colour = "#2166ac") +
    ggplot2::geom_text(
      ggplot2::aes(label = .data$label), named, size = 3, vjust = -1, check_overlap = TRUE
    ) +
    ggplot2::scale_x_log10(labels = as_per_cent) +
    ggplot2::scale_y_continuous(
      labels = as_per_cent, limits = c(0, NA), expand = ggplot2::expansion(c(0.02, 0.1))
    ) +
    ggplot2::scale_size_area() +
    ggplot2::labs(
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
    at <- words[, topic]
    data.frame(topic = topic, word = at, beta = beta[topic, match(at, names)], rank = seq_along(at))
  }))
  data$topic <- factor(data$topic, topics)
  ggplot2::ggplot(data, ggplot2::aes(.data$beta, -.data$rank)) +
    ggplot2::geom_col(orientation = "y", fill = "grey80") +
    ggplot2::geom_text(ggplot2::aes(x = 0, label = .data$word), hjust = 0, size = 3) +
    ggplot2::facet_wrap(~topic, scales = "free_x") +
    ggplot2::scale_y_continuous(breaks = NULL) +
    ggplot2::scale_x_continuous(labels = as_per_cent, n.breaks = 3) +
    ggplot2::labs(
      x = "probability in the topic", y = NULL, title = "Topics and their words",
      subtitle = if (is.null(which)) describe_left_out(length(topics), nrow(table), "topics")
    ) +
    plain_theme() +
    ggplot2::theme(panel.spacing.x = ggplot2::unit(0.7, "cm"))
}

plot_n_topics <- function(fit) {
  counts <- scalar(fit, "n_features")
  chain <- factor(rep(seq_len(dim(fit$internal$scalars)[2]), each = dim(fit$internal$scalars)[1]))
  data <- data.frame(n = counts, chain = chain)
  ggplot2::ggplot(data, ggplot2::aes(.data$n, fill = .data$chain)) +
    ggplot2::geom_bar(ggplot2::aes(y = ggplot2::after_stat(.data$count) / length(counts))) +
    ggplot2::scale_fill_viridis_d(end = 0.85) +
    ggplot2::scale_x_continuous(breaks = whole_numbers) +
    ggplot2::labs(x = "number of topics", y = "probability", title = "How many topics") +
    plain_theme()
}
