# Descriptions of topics: tables, words, data frames and plots.

test_that("the table of topics agrees with the counts of topics", {
  for (fit in topic_fits()) {
    naive <- naive_point(fit)
    table <- topic_table(fit)
    lengths <- colSums(naive$documents)
    held <- naive$documents[, lengths > 0, drop = FALSE]
    share <- vapply(seq_len(nrow(held)), function(k) {
      mean((held[k, ] / lengths[lengths > 0])[held[k, ] > 0])
    }, 0)
    expect_s3_class(table, "tbl_df")
    expect_identical(names(table), c("topic", "tokens", "presence", "share", "pi", "phi", "words"))
    expect_identical(table$topic, rownames(loadings_of(fit)))
    expect_identical(table$tokens, as.integer(rowSums(naive$words)))
    expect_equal(table$presence, rowMeans(held > 0))
    expect_equal(table$share, share)
    expect_identical(table$pi, naive$pi)
    expect_identical(table$phi, naive$phi)
    words <- apply(top_words(fit, 6), 2, \(w) paste(w[!is.na(w)], collapse = " "))
    expect_identical(table$words, unname(words))
  }
})

test_that("the first words of a topic are its most frequent words", {
  for (fit in topic_fits()) {
    naive <- naive_point(fit)
    beta <- naive_beta(naive)
    names <- colnames(model_data(fit)) %||% sprintf("w%d", 1:15)
    words <- top_words(fit, 4)
    expect_identical(dimnames(words), list(NULL, sprintf("t%d", seq_len(nrow(beta)))))
    for (k in seq_len(nrow(beta))) {
      own <- which(naive$words[k, ] > 0)
      expect_identical(words[, k], names[own[order(beta[k, own], decreasing = TRUE)]][1:4])
      expect_setequal(stats::na.omit(top_words(fit, 15)[, k]), names[own])
    }
    expect_identical(dim(top_words(fit)), c(10L, nrow(beta)))
    expect_identical(dim(top_words(fit, 100)), c(15L, nrow(beta)))
    expect_identical(top_words(fit, 1)[1, ], words[1, ])
  }
})

test_that("words that are ranked by lift are among the words of the topic", {
  for (fit in topic_fits()) {
    naive <- naive_point(fit)
    names <- colnames(model_data(fit)) %||% sprintf("w%d", 1:15)
    share <- colSums(naive$words) / sum(naive$words)
    words <- top_words(fit, 15, by = "lift")
    for (k in seq_len(ncol(words))) {
      own <- which(naive$words[k, ] > 0)
      lift <- (naive_beta(naive)[k, ] / share)[own]
      expect_identical(words[, k], names[own[order(lift, decreasing = TRUE)]][1:15])
    }
    expect_identical(top_words(fit, 3, "lift"), words[1:3, , drop = FALSE])
  }
})

test_that("data frames have the names and the form used by tidytext", {
  for (fit in topic_fits()) {
    beta <- tidy(fit, "beta")
    expect_identical(names(beta), c("topic", "term", "beta"))
    loadings <- loadings_of(fit)
    colnames(loadings) <- colnames(loadings) %||% sprintf("w%d", 1:15)
    expect_identical(beta$beta, loadings[cbind(beta$topic, beta$term)])
    expect_equal(c(tapply(beta$beta, beta$topic, sum)), rep(1, nrow(loadings)), ignore_attr = TRUE)
    gamma <- tidy(fit, "gamma")
    expect_identical(names(gamma), c("document", "topic", "gamma"))
    theta <- predict(fit)
    rownames(theta) <- rownames(theta) %||% as.character(1:30)
    expect_identical(gamma$gamma, theta[cbind(gamma$document, gamma$topic)])
    chosen <- tidy(fit, "features")
    expect_named(chosen, c("document", "topic", "stability", "chains"))
    expect_identical(nrow(chosen), as.integer(sum(features(fit), na.rm = TRUE)))
    scalars <- tidy(fit)
    expect_identical(scalars$term, posterior::variables(as_draws(fit)))
    expect_equal(scalars$estimate, unname(colMeans(scalars_of(fit))))
  }
})

test_that("every word in a document has its most probable topic", {
  for (fit in topic_fits()) {
    frame <- augment(fit)
    expect_identical(names(frame), c("document", "term", "count", ".topic"))
    x <- as.matrix(model_data(fit))
    dimnames(x) <- list(rownames(x) %||% as.character(1:30), colnames(x) %||% sprintf("w%d", 1:15))
    expect_identical(nrow(frame), sum(x > 0))
    expect_equal(frame$count, x[cbind(frame$document, frame$term)])
    naive <- naive_point(fit)
    theta <- naive_theta(naive)
    best <- max.col(
      theta[match(frame$document, rownames(x)), ] * t(naive_beta(naive))[
        match(frame$term, colnames(x)),
      ], "first"
    )
    expect_identical(frame$.topic, sprintf("t%d", best))
  }
})

test_that("a fit prints a description", {
  fit <- topics_given()
  lines <- utils::capture.output(print(fit))
  tokens <- sum(topic_corpus())
  told <- "Focused topic model (given lengths): 30 documents, 15 words, %d tokens"
  expect_identical(lines[1], sprintf(told, tokens))
  expect_match(lines, "^Method: collapsed Gibbs: 2 chains of 200 sweeps .*, 1 move$", all = FALSE)
  table <- topic_table(fit)
  most <- table[which.max(table$tokens), ]
  line <- sprintf(
    "^  %-4s %4.0f %% of tokens, in %3.0f %% of documents: %s$", most$topic,
    100 * most$tokens / tokens, 100 * most$presence, most$words
  )
  expect_match(lines, line, all = FALSE)
  more <- sprintf("^  \\.\\.\\. and %d more: topic_table\\(\\)$", nrow(table) - 5)
  expect_match(lines, more, all = FALSE)
  expect_match(format(topics_model())[1], "lengths of the model", fixed = TRUE)
})

test_that("priors of topic models are shown", {
  priors <- prior_summary(topics_model())
  expect_identical(priors$parameter, c(
    "features", "alpha", "concentration", "gamma", "eta", "topic_weights", "words"
  ))
  expect_identical(priors$prior[4], "Gamma(shape = 2, rate = 1)")
  expect_identical(priors$learned, c(TRUE, TRUE, FALSE, rep(TRUE, 4)))
  expect_identical(prior_summary(topics_fixed())$prior[c(2, 4, 5)], c("2", "1.5", "0.2"))
})

test_that("plots show the table, the words and the chains", {
  for (fit in topic_fits()) {
    for (type in topic_plots) expect_s3_class(build_plot(plot(fit, type)), "ggplot_built")
    table <- topic_table(fit)
    points <- build_plot(plot(fit))$data
    expect_equal(sort(10^points[[1]]$x), sort(table$presence))
    expect_equal(sort(points[[1]]$y), sort(table$share))
    largest <- utils::head(table[order(-table$tokens), ], 3)
    named <- build_plot(plot(fit, n = 3))$data[[2]]
    expect_setequal(named$label, top_words(fit, 1)[, largest$topic])
    words <- plot(fit, "topics", n = 3)$data
    expect_identical(levels(words$topic), largest$topic)
    shown <- as.vector(top_words(fit, 8)[, largest$topic])
    expect_identical(words$word, shown[!is.na(shown)])
    beta <- loadings_of(fit)
    colnames(beta) <- colnames(beta) %||% sprintf("w%d", 1:15)
    expect_equal(words$beta, beta[cbind(as.character(words$topic), words$word)])
    bars <- build_plot(plot(fit, "n_features"))$data[[1]]
    expect_equal(sum(bars$ymax - bars$ymin), 1)
  }
})

test_that("more topics than words or documents are reported in one line", {
  x <- withr::with_seed(1, matrix(rpois(75, 3), 15))
  many <- quick_topics(x, prior = prior_ibp(alpha = 15))
  line <- "^More topics than words: .* `method_gibbs\\(max_features = 10\\)`\\.$"
  for (shown in list(utils::capture.output(print(many)), utils::capture.output(summary(many)))) {
    expect_match(shown, line, all = FALSE)
  }
  few <- quick_topics(x, method = short_chains(max_features = 4))
  expect_no_match(utils::capture.output(summary(few)), "More topics")
  flat <- quick_topics(t(x), prior = prior_ibp(alpha = 15))
  expect_match(utils::capture.output(summary(flat)), "^More topics than documents: ", all = FALSE)
  # Like all output, the message refers to the point estimate, whatever the mean is.
  few$internal$scalars[, , "n_features"] <- 40
  expect_no_match(format(few), "More topics")
})
