# The saved draws, and the arguments of fit_topics().

test_that("the saved counts in a draw agree with the data", {
  for (fit in topic_fits()) {
    x <- as.matrix(model_data(fit))
    for (draw in c(1, length(fit$feature_draws))) {
      naive <- naive_topics(fit, draw)
      expect_equal(colSums(naive$words), colSums(x), ignore_attr = TRUE)
      expect_equal(colSums(naive$documents), rowSums(x), ignore_attr = TRUE)
      expect_equal(rowSums(naive$words), rowSums(naive$documents))
      expect_gt(min(rowSums(naive$words)), 0)
      # If a document has tokens of a topic, it must have chosen the topic.
      expect_true(all(naive$z[t(naive$documents) > 0] == 1))
      expect_true(all(naive$pi > 0 & naive$pi < 1 & naive$phi > 0))
      parts <- topic_parts(fit, draw)
      shown <- match(parts$pi, naive$pi)
      expect_identical(unname(parts$phi), naive$phi[shown])
      expect_equal(parts$words, naive$words[shown, , drop = FALSE], ignore_attr = TRUE)
      expect_equal(parts$documents, t(naive$documents)[, shown, drop = FALSE], ignore_attr = TRUE)
      expect_equal(parts$silent, naive$silent, ignore_attr = TRUE)
      expect_identical(unname(parts$z), naive$z[, shown])
    }
  }
})

test_that("the scalars of a draw agree with its counts and choices", {
  for (fit in topic_fits()) {
    scalars <- scalars_of(fit)
    expect_identical(
      colnames(scalars), c("n_features", "n_ones", "alpha", "gamma", "eta", "log_lik", "log_joint")
    )
    expect_true(all(is.finite(scalars)))
    for (draw in c(1, fit$internal$point, nrow(scalars))) {
      naive <- naive_topics(fit, draw)
      size <- ncol(naive$words)
      # Dirichlet-multinomial distribution, given the order of the tokens
      log_lik <- sum(lgamma(naive$words + naive$eta)) - length(naive$words) * lgamma(naive$eta) +
        sum(lgamma(size * naive$eta) - lgamma(size * naive$eta + rowSums(naive$words)))
      expect_equal(scalars[draw, "log_lik"], log_lik, tolerance = 1e-10, ignore_attr = TRUE)
      expect_equal(
        scalars[draw, c("n_features", "n_ones")], c(ncol(naive$z), sum(naive$z)),
        ignore_attr = TRUE
      )
    }
    expect_identical(as.numeric(logLik(fit)), scalars[[fit$internal$point, "log_lik"]])
  }
})

#' log p(z, phi, choices, hyperparameters) of a draw with `lengths = "model"`, in which topics
#' without tokens are integrated out
naive_log_prior <- function(naive, values, fit) {
  count <- colSums(naive$z)
  documents <- nrow(naive$z)
  held <- t(naive$documents)
  shapes <- naive$z * rep(naive$phi, each = documents)
  of_tokens <- ifelse(shapes > 0, lgamma(held + shapes) - lgamma(shapes) - log(2) * shapes, 0)
  j <- seq_len(documents)
  expected <- sum((1 - (1 + j * log(2))^-values[["gamma"]]) / j)
  lengths <- rowSums(held)
  sum(of_tokens) - sum(lengths * log(2) + lgamma(lengths + 1)) +
    sum(log(values[["alpha"]]) + lbeta(count, documents - count + 1) +
      stats::dgamma(naive$phi, values[["gamma"]], 1, log = TRUE)) -
    values[["alpha"]] * expected +
    sum(stats::dgamma(values[["alpha"]], 1, 0.1, log = TRUE),
      stats::dgamma(values[["gamma"]], 2, 1, log = TRUE), stats::dexp(values[["eta"]], log = TRUE))
}

test_that("the joint density agrees with its definition if nothing else is unknown", {
  fit <- topics_model()
  scalars <- scalars_of(fit)
  differences <- vapply(seq_len(nrow(scalars)), function(draw) {
    values <- scalars[draw, ]
    prior <- naive_log_prior(naive_topics(fit, draw), values, fit)
    values[["log_joint"]] - values[["log_lik"]] - prior
  }, 0)
  expect_lt(diff(range(differences)), 1e-8)
})

test_that("loadings are the words of topics, ordered by the number of documents that chose them", {
  for (fit in topic_fits()) {
    naive <- naive_point(fit)
    topics <- sprintf("t%d", seq_along(naive$pi))
    expect_equal(unname(loadings_of(fit)), naive_beta(naive), tolerance = 1e-12)
    expect_identical(rownames(loadings_of(fit)), topics)
    expect_identical(colnames(loadings_of(fit)), colnames(model_data(fit)))
    z <- features(fit)
    silent <- silent_documents(fit)
    expect_identical(dimnames(z), list(rownames(model_data(fit)), topics))
    expect_identical(unname(z[!silent, ]), naive$z[!silent, ])
    expect_false(is.unsorted(rev(colSums(naive$z))))
    if (fit$internal$model$lengths == "given") expect_true(all(is.na(z[silent, ])))
  }
  expect_identical(rownames(features(topics_given())), rownames(topic_corpus()))
  expect_null(rownames(features(topics_gaps())))
})

test_that("documents with no words are kept, with a message if lengths are given", {
  x <- topic_gaps()
  expect_message(
    quick_topics(x), "^2 documents without words are kept, with NA for their topics\\.\n$"
  )
  expect_message(
    quick_topics(x[1:3, ]), "^1 document without words is kept, with NA for its topics\\.\n$"
  )
  expect_silent(quick_topics(x, lengths = "model"))
  expect_silent(quick_topics(topic_corpus()))
  expect_identical(which(is.na(features(topics_gaps())[, 1])), c(2L, 17L))
  expect_false(anyNA(features(topics_model())))
  # These documents carry no information, so the chains are the same without them.
  without <- quick_topics(x[-c(2, 17), ])
  expect_identical(without$internal$scalars, topics_gaps()$internal$scalars)
  expect_identical(loadings_of(without), loadings_of(topics_gaps()))
  expect_identical(predict(without), predict(topics_gaps())[-c(2, 17), ])
})

test_that("a prior that the sampler does not support is rejected and shown", {
  must <- "^`prior` must be a prior_ibp\\(\\) with concentration 1 and discount 0, .*, not Z ~ IBP"
  for (prior in list(prior_ibp(concentration = 2), prior_ibp(discount = 0.3))) {
    expect_error(fit_topics(matrix(1:4, 2), prior = prior), must)
  }
})
