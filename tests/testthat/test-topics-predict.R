# Topics and words of known and new documents.

test_that("shares of topics in known documents are conditional on their tokens and choices", {
  for (fit in topic_fits()) {
    naive <- naive_point(fit)
    silent <- silent_documents(fit)
    theta <- predict(fit)
    expect_equal(unname(theta)[!silent, ], naive_theta(naive)[!silent, ], tolerance = 1e-12)
    expect_identical(dimnames(theta), dimnames(features(fit)))
    expect_identical(predict(fit, type = "features"), features(fit))
    if (fit$internal$model$lengths == "given") {
      expect_true(all(is.na(theta[silent, ])))
    } else {
      expect_true(all(theta[silent, ] == 0))
    }
  }
})

#' Mean, over draws, of the probabilities of words in the documents of the fit
naive_words <- function(fit, draws = seq_along(fit$feature_draws)) {
  words <- lapply(draws, function(draw) {
    naive <- naive_topics(fit, draw)
    p <- naive_word_shares(naive)
    if (fit$internal$model$lengths == "given") p[colSums(naive$documents) == 0, ] <- NA
    p
  })
  Reduce(`+`, words) / length(draws)
}

test_that("probabilities of words in known documents are averaged over draws", {
  for (fit in topic_fits()) {
    p <- naive_words(fit)
    expect_equal(unname(predict(fit, type = "words")), p, tolerance = 1e-12)
    expect_identical(dimnames(predict(fit, type = "words")), data_names(fit))
    lengths <- rowSums(as.matrix(model_data(fit)))
    expect_equal(unname(fitted(fit)), p * lengths, tolerance = 1e-12)
    expect_equal(residuals(fit), as.matrix(model_data(fit)) - fitted(fit))
    expect_error(predict(fit, type = "words", ndraws = 2), "^`ndraws` must be NULL for the rows of")
  }
})

test_that("log densities of words are conditional on a draw", {
  for (fit in topic_fits()) {
    x <- as.matrix(model_data(fit))
    first <- x * log(naive_words(fit, 1))
    first[x == 0] <- 0
    expect_equal(unname(log_lik(fit, "entry", ndraws = 1)[1, ]), as.vector(first))
    expect_equal(unname(log_lik(fit, "row", ndraws = 1)[1, ]), unname(rowSums(first)))
    expect_identical(dim(log_lik(fit, "row")), c(length(fit$feature_draws), 30L))
  }
})

test_that("replicates have the lengths of the documents and the fitted means", {
  for (fit in topic_fits()[sized(c("gaps", "model"), c("given", "gaps", "model", "fixed"))]) {
    x <- as.matrix(model_data(fit))
    replicates <- withr::with_seed(1, posterior_predict(fit))
    expect_identical(dim(replicates), c(length(fit$feature_draws), dim(x)))
    expect_identical(dimnames(replicates)[[3]], colnames(x))
    lengths <- matrix(rowSums(x), length(fit$feature_draws), 30, byrow = TRUE)
    expect_equal(unname(apply(replicates, 1:2, sum)), lengths)
    size <- 600
    drawn <- simulate(fit, size, seed = 2)
    expect_true(all(vapply(drawn, \(d) identical(rowSums(d), rowSums(x)), NA)))
    mean <- Reduce(`+`, drawn) / size
    square <- Reduce(`+`, lapply(drawn, `^`, 2)) / size
    error <- sqrt((square - mean^2) / size)
    seen <- which(rowSums(x) > 0)
    z <- ((mean - fitted(fit)) / pmax(error, 1e-2))[seen, ]
    expect_lt(max(abs(z)), 5)
    expect_lt(abs(mean(z^2) - 1), 0.25)
    expect_identical(simulate(fit, 1, seed = 5), simulate(fit, 1, seed = 5))
  }
})

test_that("new documents are matched by the names of their words", {
  fit <- topics_given()
  x <- as.matrix(topic_corpus())[1:3, ]
  plain <- predict(fit, x)
  expect_identical(dim(plain), c(3L, nrow(loadings_of(fit))))
  expect_identical(rownames(plain), rownames(x))
  expect_identical(predict(fit, x[, 15:1]), plain)
  expect_identical(predict(fit, unname(x)), `rownames<-`(plain, NULL))
  expect_identical(predict(fit, x[, colSums(x) > 0]), plain)
  one <- "^1 word is not in the fit and is left out\\.\n$"
  expect_message(more <- predict(fit, cbind(x, new = 1:3)), one)
  expect_identical(more, plain)
  two <- "^2 words are not in the fit and are left out\\.\n$"
  expect_message(predict(fit, cbind(x, a = 1, b = 1, c = 0)), two)
  expect_silent(predict(fit, cbind(x, new = 0)))
  expect_identical(predict(fit, methods::as(x, "CsparseMatrix")), plain)
  expect_error(
    predict(fit, matrix(1, 1, 2, dimnames = list(NULL, c("a", "b")))),
    "^`newdata` must contain a word of the fit, not only other words\\.$"
  )
  expect_error(predict(fit, unname(x[, -1])), "^`newdata` must have 15 words, like the data, not ")
  # A document that has only new words carries no information, but still has shares.
  lost <- rbind(x, lost = 0)
  expect_message(last <- predict(fit, cbind(lost, new = c(0, 0, 0, 9)))["lost", ], "1 word")
  expect_true(all(last > 0) && sum(last) <= 1)
})

test_that("the prediction of a long document can be interrupted", {
  fit <- topics_given()
  x <- matrix(c(2e6, rep(1, 14)), 1)
  expect_lt(processor_until_stopped(predict(fit, x, sweeps = 300)), 4)
})
