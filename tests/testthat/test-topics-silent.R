# Topics that documents have chosen, but that no token is assigned to: against sums over all that
# can be, from the definition of the model.

#' Choices of topics by documents from an Indian buffet process, and the topics' weights
draw_buffet <- function(documents, alpha, gamma) {
  new <- stats::rpois(documents, alpha / seq_len(documents))
  z <- matrix(0, documents, sum(new))
  k <- 0
  for (m in seq_len(documents)) {
    taken <- seq_len(k)
    z[m, taken] <- stats::runif(k) < colSums(z[, taken, drop = FALSE]) / m
    z[m, k + seq_len(new[m])] <- 1
    k <- k + new[m]
  }
  list(z = z, phi = stats::rgamma(k, gamma))
}

#' All topics of tokens in these documents, one a row
all_topics <- function(tokens, topics) as.matrix(expand.grid(rep(list(seq_len(topics)), tokens)))

#' Of a token of document 1 whose word is each in turn, the probability along with all tokens, given
#' choices and weights: by their topics, one token after the other
#' @param known Counts that topics have already, words x topics.
words_and_next <- function(buffet, tokens, eta, words, lengths, known = NULL) {
  weights <- t(buffet$z) * buffet$phi
  topics <- nrow(weights)
  if (topics == 0) return(numeric(words))
  z <- all_topics(nrow(tokens) + 1, topics)
  document <- c(tokens[, 1], 1)
  p <- rep(1, nrow(z))
  first <- (known %||% 0) + matrix(eta, words, topics)
  counts <- array(rep(first, each = nrow(z)), c(nrow(z), words, topics))
  held <- array(0, c(nrow(z), nrow(buffet$z), topics))
  # in documents of random length the next token says nothing of the length
  size <- tabulate(tokens[, 1], nrow(buffet$z))
  all <- colSums(weights)
  of_length <- 2^-all * exp(lgamma(all + size) - lgamma(all))
  if (lengths == "model") p <- p * prod(of_length, na.rm = TRUE)
  if (any(all[size > 0] == 0)) return(numeric(words))
  row <- seq_len(nrow(z))
  for (i in seq_len(ncol(z))) {
    m <- document[i]
    at <- cbind(row, m, z[, i])
    before <- if (i < ncol(z)) sum(document[seq_len(i - 1)] == m) else size[m]
    if (all[m] + before == 0) return(numeric(words))
    p <- p * (held[at] + weights[cbind(z[, i], m)]) / (all[m] + before)
    held[at] <- held[at] + 1
    of_topic <- matrix(counts[cbind(rep(row, words), rep(seq_len(words), each = nrow(z)), z[, i])],
      ncol = words
    )
    if (i == ncol(z)) {
      return(colSums(p * of_topic / rowSums(of_topic)))
    }
    p <- p * of_topic[, tokens[i, 2]] / rowSums(of_topic)
    at <- cbind(row, tokens[i, 2], z[, i])
    counts[at] <- counts[at] + 1
  }
}

#' The probabilities of the next word of document 1, averaged over choices and weights
exact_next <- function(tokens, model, lengths, draws = 1200) {
  sum <- 0
  for (n in seq_len(draws)) {
    buffet <- draw_buffet(max(tokens[, 1]), model$alpha, model$gamma)
    sum <- sum + words_and_next(buffet, tokens, model$eta, model$words, lengths)
  }
  sum / sum(sum)
}

#' Documents and words of tokens as counts
counts_of_tokens <- function(tokens, words) {
  unclass(table(factor(tokens[, 1]), factor(tokens[, 2], seq_len(words))))
}

test_that("one document of one token: published numbers", {
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

test_that("the next word of a document has the probability of an enumeration", {
  model <- list(alpha = 2, gamma = 0.8, eta = 0.25, words = 3)
  for (tokens in list(cbind(1, c(1, 2)), cbind(c(1, 2), c(1, 1)))) {
    for (lengths in c("given", "model")) {
      fit <- quick_topics(
        counts_of_tokens(tokens, 3), lengths, gamma = 0.8, eta = 0.25, prior = prior_ibp(2),
        method = method_gibbs(1, 16000, warmup = 1000, thin = 10)
      )
      exact <- withr::with_seed(1, exact_next(tokens, model, lengths))
      p <- predict(fit, type = "words")[1, ]
      expect_lt(max(abs(p - exact)), 0.025)
    }
  }
})

#' The topics of a draw that a new document chooses, and those that it chooses and no document of
#' the fit has a token of
draw_for_new <- function(naive, fit) {
  known <- length(naive$pi)
  mean_exposure <- fit$internal$draws_loadings[2 * known + 1]
  chosen <- stats::runif(known) < naive$pi
  number <- stats::rpois(1, fit$internal$model$prior$alpha)
  pi <- stats::runif(number)
  phi <- stats::rgamma(number, fit$internal$model$gamma)
  silent <- stats::runif(number) < (1 - pi * (1 - exp(-mean_exposure * phi)))^nrow(naive$z)
  list(z = t(c(chosen, rep(1, sum(silent)))), phi = c(naive$phi, phi[silent]))
}

test_that("the next word of a new document has the probability of an enumeration", {
  x <- rbind(c(2, 0, 1), c(1, 1, 0))
  for (lengths in c("given", "model")) {
    fit <- quick_topics(
      x, lengths, gamma = 0.8, eta = 0.25, prior = prior_ibp(2), method = method_gibbs(1, 300),
      init = init_topics(2)
    )
    naive <- naive_topics(fit, 1)
    expect_lt(length(naive$pi), 5)
    for (words in list(1, c(1, 2))) {
      tokens <- cbind(1, words)
      exact <- withr::with_seed(2, rowSums(replicate(2000, {
        buffet <- draw_for_new(naive, fit)
        known <- cbind(t(naive$words), matrix(0, 3, length(buffet$phi) - length(naive$pi)))
        words_and_next(buffet, tokens, 0.25, 3, lengths, known)
      })))
      exact <- exact / sum(exact)
      new <- counts_of_tokens(tokens, 3)
      p <- predict(fit, new, "words", ndraws = 1, sweeps = 20000)[1, ]
      expect_lt(max(abs(p - exact)), 0.025)
      # Shares of words would be these without topics that have no token.
      theta <- predict(fit, new, sweeps = 2000)
      expect_lt(sum(theta), 0.97)
    }
    if (lengths == "given") {
      # half of the tokens of a document of two of one word is one
      seen <- predict(fit, t(c(1, 0, 0)), "words", ndraws = 1, sweeps = 20000)[1]
      p <- perplexity(fit, t(c(2, 0, 0)), ndraws = 1, sweeps = 20000, seed = 1)
      expect_equal(1 / p, seen, tolerance = 1e-10)
    }
  }
})
