# Starts, limits and fixed hyperparameters of chains of topic models.

test_that("chains continue from the last draws of an earlier fit in turn", {
  fit <- topics_given()
  last <- quick_topics(topic_corpus(), init = fit, method = method_gibbs(2, 1, warmup = 0))
  kept <- dim(fit$internal$scalars)[1]
  for (chain in 1:2) {
    before <- fit$internal$scalars[kept, chain, ]
    after <- last$internal$scalars[1, chain, ]
    # A single sweep changes little compared with a start from random topics.
    expect_lt(abs(after[["log_lik"]] - before[["log_lik"]]), 60)
  }
  random <- quick_topics(topic_corpus(), method = method_gibbs(1, 1, warmup = 0))
  expect_lt(scalar(random, "log_lik"), min(scalar(last, "log_lik")) - 100)
  more <- quick_topics(topic_corpus(), init = fit, method = method_gibbs(3, 1, warmup = 0))
  expect_identical(dim(more$internal$scalars)[2], 3L)
})

test_that("a start keeps the topics of the documents and the hyperparameters in the draw", {
  # The topics share no words, so the words determine the topics of tokens.
  x <- kronecker(diag(3), matrix(10, 4, 5))
  run <- function(...) quick_topics(x, ..., eta = 3, prior = prior_ibp(0.1))
  fit <- run(gamma = 1, method = short_chains(iter = 300))
  expect_identical(scalar(fit, "n_features")[length(fit$feature_draws)], 3)
  sweep <- method_gibbs(1, 1, warmup = 0, max_features = 3)
  for (lengths in c("given", "model")) {
    again <- run(lengths, gamma = 1, init = fit, method = sweep)
    expect_identical(scalar(again, "n_features"), 3)
    expect_equal(
      scalar(again, "log_lik"), scalar(fit, "log_lik")[length(fit$feature_draws)], tolerance = 0.01
    )
  }
  # Fixed values must come from the new model, and other values from the draw.
  model <- list(
    data = fit$internal$model$data, lengths = "given", gamma = 7, eta = gamma_prior(1, 1),
    prior = prior_ibp()
  )
  now <- start_at_topics(fit, model, sweep)[[1]]
  expect_identical(c(now$gamma$value, now$eta$value), c(7, 3))
  expect_identical(now$alpha$value, 0.1)
})

test_that("a fit to other documents cannot be used as a start", {
  x <- topic_corpus()
  other <- list(x[30:1, ], x[, 15:1], x[-1, ], x[, -1], x + x)
  for (dtm in other) {
    expect_error(
      quick_topics(dtm, init = topics_given()),
      "^`init` must be a fit to the same documents, not one to other documents\\.$"
    )
  }
})

test_that("the number of random topics is as requested, or the number of tokens if smaller", {
  expect_identical(format(init_topics(1)), "Random start with 1 topic")
  expect_identical(format(init_topics(20)), "Random start with 20 topics")
  expect_output(print(init_topics(20)), "^Random start with 20 topics$")
  x <- topic_corpus()
  method <- method_gibbs(2, 1, warmup = 0)
  topics <- function(n) {
    mean(scalar(quick_topics(x, init = init_topics(n), method = method), "n_features"))
  }
  expect_lt(topics(1), 10)
  expect_gt(topics(100), 40)
  expect_s3_class(quick_topics(matrix(1:0, 1), init = init_topics(1000)), "fit_topics")
})

test_that("chains never have more topics than allowed", {
  x <- topic_corpus()
  for (lengths in c("given", "model")) {
    for (most in c(1, 4)) {
      fit <- quick_topics(x, lengths, method = short_chains(2, max_features = most, thin = 1))
      expect_true(all(scalar(fit, "n_features") <= most))
      expect_true(all(fit$internal$warmup_scalars[, , "n_features"] <= most))
    }
    free <- quick_topics(x, lengths, prior = prior_ibp(8), method = short_chains())
    expect_gt(max(scalar(free, "n_features")), 4)
  }
  expect_error(
    quick_topics(x, init = init_topics(5), method = short_chains(max_features = 4)),
    "^`init` must have at most 4 topics, the limit `max_features`, not 5\\.$"
  )
  expect_error(
    quick_topics(x, init = topics_given(), method = short_chains(max_features = 2)),
    "^`init` must have at most 2 topics, the limit `max_features`, not a fit with more\\.$"
  )
})

test_that("fixed hyperparameters do not change and are not part of the densities", {
  fit <- topics_fixed()
  values <- scalars_of(fit)[, c("alpha", "gamma", "eta")]
  expect_identical(unique(unname(values)), matrix(c(2, 1.5, 0.2), 1))
  expect_true(all(diff(scalar(topics_given(), "alpha")) != 0))
  one <- quick_topics(topic_corpus(), gamma = 1.5, prior = prior_ibp(2))
  expect_gt(length(unique(scalar(one, "eta"))), 1)
  expect_identical(unique(scalar(one, "alpha")), 2)
})

test_that("extra moves change chains and find topics that chains without them miss", {
  expect_match(format(method_gibbs(moves = 0)), ", no moves$")
  expect_match(format(method_gibbs(moves = 1)), ", 1 move$")
  x <- topic_corpus()
  run <- function(...) quick_topics(x, method = short_chains(...))
  expect_identical(run(moves = 1), run())
  expect_false(identical(run(moves = 0)$internal$scalars, run()$internal$scalars))
  expect_error(
    quick_fit(small_data(), method = method_gibbs(1, 2, moves = 1)),
    "^`moves` must be 0 or NULL: only fit_topics\\(\\) accepts a number, not 1\\.$"
  )
})
