# Predictions of tokens that the fit has not seen.

test_that("the perplexity of an uninformed model is the number of words", {
  for (lengths in c("given", "model")) {
    fit <- quick_topics(topic_corpus(), lengths, eta = 1e6, method = short_chains(max_features = 1))
    expect_equal(perplexity(fit, topic_corpus(), seed = 1), 15, tolerance = 1e-3)
    left_out <- topic_corpus()
    expect_equal(exp(-mean(heldout_density(fit, left_out))), 15, tolerance = 1e-3)
  }
  one <- quick_topics(matrix(1:3))
  expect_equal(perplexity(one, matrix(4), seed = 1), 1)
})

test_that("documents are split at random, one token at a time", {
  x <- check_dtm(topic_gaps())
  for (share in c(0.1, 0.5, 0.999)) {
    set.seed(1)
    parts <- split_tokens(x, share)
    expect_equal(as.matrix(parts$seen + parts$rest), as.matrix(x))
    expect_equal(Matrix::rowSums(parts$seen), ceiling(share * Matrix::rowSums(x)))
    expect_true(all(parts$seen@x > 0) && all(parts$rest@x > 0))
  }
  # Every token is equally likely to be seen.
  set.seed(2)
  one <- check_dtm(matrix(c(1, 3, 4), 1))
  seen <- rowMeans(replicate(sized(1500, 4000), split_tokens(one, 0.5)$seen[1, ]))
  expect_equal(seen, c(1, 3, 4) / 2, tolerance = 0.05)
})

test_that("the seed determines which tokens are seen", {
  run <- function(...) perplexity(topics_given(), topic_corpus(), ..., sweeps = 20, ndraws = 2)
  set.seed(4)
  before <- .Random.seed
  first <- run(seed = 1)
  expect_identical(run(seed = 1), first)
  expect_false(identical(run(seed = 2), first))
  expect_identical(.Random.seed, before)
  drawn <- run()
  expect_false(identical(run(), drawn))
  set.seed(4)
  expect_identical(run(), drawn)
})

test_that("perplexity agrees with the probabilities of left-out words, averaged over draws", {
  fit <- topics_fixed()
  x <- check_dtm(topic_corpus())
  parts <- withr::with_seed(6, split_tokens(x, 0.3))
  p <- predict(fit, parts$seen, "words", ndraws = 2, sweeps = 30)
  rest <- as.matrix(parts$rest)
  naive <- exp(-sum(rest * log(p)) / sum(rest))
  expect_equal(perplexity(fit, x, 0.3, sweeps = 30, ndraws = 2, seed = 6), naive)
})

test_that("if the model explains lengths, the exposure is given by the share of tokens seen", {
  fit <- topics_model()
  exposures <- NULL
  local_wrapper("topic_fold_cpp", function(spied, x, draw, plan, stream) {
    exposures <<- c(exposures, plan$ell)
    spied(x, draw, plan, stream)
  })
  perplexity(fit, topic_gaps(), 0.3, sweeps = 2, ndraws = 1, seed = 1)
  predict(fit, topic_gaps(), sweeps = 2)
  perplexity(topics_given(), topic_corpus(), sweeps = 2, ndraws = 1, seed = 1)
  expect_equal(exposures, c(log(1.3), log(2), -1))
})

test_that("perplexity is NA if nothing is left to predict, and words left out are reported", {
  fit <- topics_given()
  x <- as.matrix(topic_corpus())
  expect_na <- function(p) expect_true(identical(p, NA_real_))
  expect_na(perplexity(fit, diag(1, 15, 15, names = FALSE), seed = 1))
  expect_message(p <- perplexity(fit, cbind(0 * x, new = 3), seed = 1), "^1 word is not in the ")
  expect_na(p)
  expect_message(
    p <- perplexity(fit, cbind(x, new = 1), sweeps = 5, seed = 1), "^1 word is not in the fit"
  )
  expect_identical(p, perplexity(fit, x, sweeps = 5, seed = 1))
  expect_true(is.finite(perplexity(fit, rbind(x, empty = 0), sweeps = 5, seed = 1)))
})

test_that("left-out tokens have probabilities that are means over the draws", {
  left_out <- withr::with_seed(9, {
    x <- as.matrix(topic_corpus())
    replace(x, TRUE, stats::rbinom(length(x), x, 0.3))
  })
  for (lengths in c("given", "model")) {
    fit <- suppressMessages(quick_topics(as.matrix(topic_corpus()) - left_out, lengths))
    p <- Reduce(`+`, lapply(seq_along(fit$feature_draws), function(draw) {
      naive <- naive_topics(fit, draw)
      naive_word_shares(naive)
    })) / length(fit$feature_draws)
    expect_equal(heldout_density(fit, left_out), rep(log(as.vector(p)), left_out))
    expect_equal(
      heldout_density(fit, Matrix::Matrix(left_out, sparse = TRUE)), heldout_density(fit, left_out)
    )
  }
  gaps <- heldout_density(topics_gaps(), topic_corpus())
  document <- rep(row(x <- as.matrix(topic_corpus())), x)
  expect_identical(is.na(gaps), document %in% c(2, 17))
})
