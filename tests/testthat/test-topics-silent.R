# Topics that documents have chosen but that have no tokens, compared with sums over all states,
# computed from the definition of the model.

test_that("results for one document with one token agree with published numbers", {
  exact <- c(given = 0.7256, model = 0.7429)
  for (lengths in names(exact)) {
    fit <- quick_topics(
      matrix(1:0, 1), lengths, gamma = 1, eta = 0.25, prior = prior_ibp(3),
      method = method_gibbs(1, 31000, warmup = 1000, thin = 15)
    )
    p <- exact[[lengths]]
    words <- predict(fit, type = "words")
    expect_equal(words[1], p, tolerance = 0.02)
    expect_equal(sum(words), 1)
    expect_equal(exp(heldout_density(fit, matrix(c(2, 0), 1))), rep(words[1], 2))
  }
})
