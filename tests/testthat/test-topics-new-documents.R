# Draws of new documents, compared with enumeration of the topics of their tokens and of their
# choices.

#' For every state of the tokens and choices of a document: the weights of the topics (states x
#' topics), the log probability of the state, and the shapes of the distributions of words, which
#' include the tokens of the document. If lengths are given, u is integrated out.
states_of_document <- function(naive, words) {
  topics <- length(naive$pi)
  tokens <- as.matrix(expand.grid(rep(list(seq_len(topics)), length(words))))
  choices <- as.matrix(expand.grid(rep(list(0:1), topics)))
  all <- expand.grid(z = seq_len(nrow(tokens)), b = seq_len(nrow(choices)))
  each <- lapply(seq_len(nrow(all)), function(at) {
    z <- tokens[all$z[at], ]
    b <- choices[all$b[at], ]
    n <- tabulate(z, topics)
    if (any(n > 0 & b == 0)) return(NULL)
    counts <- naive$words
    urn <- 0
    for (i in seq_along(words)) {
      urn <- urn + log(counts[z[i], words[i]] + naive$eta) -
        log(sum(counts[z[i], ]) + ncol(counts) * naive$eta)
      counts[z[i], words[i]] <- counts[z[i], words[i]] + 1
    }
    of_choices <- sum(log(ifelse(b == 1, naive$pi, 1 - naive$pi)))
    of_tokens <- sum(lgamma(naive$phi + n) - lgamma(naive$phi)) +
      lbeta(sum(b * naive$phi), length(words))
    list(
      log_p = urn + of_choices + of_tokens, weights = n + b * naive$phi, shape = counts + naive$eta
    )
  })
  each <- Filter(Negate(is.null), each)
  list(
    log_p = vapply(each, `[[`, 0, "log_p"), weights = do.call(rbind, lapply(each, `[[`, "weights")),
    shapes = lapply(each, `[[`, "shape")
  )
}

#' Means and second moments of a Dirichlet distribution
dirichlet_mean <- function(shape) shape / sum(shape)
dirichlet_square <- function(shape) {
  (shape %o% shape + diag(shape, length(shape))) / (sum(shape) * (sum(shape) + 1))
}

#' E p_v q_w with p = theta beta and q = other beta, from the second moments of theta and other, if
#' the words of topics have Dirichlet distributions
square_of_words <- function(of_shares, shape) {
  beta <- t(apply(shape, 1, dirichlet_mean))
  out <- t(beta) %*% of_shares %*% beta
  for (k in seq_len(nrow(shape))) {
    excess <- dirichlet_square(shape[k, ]) - beta[k, ] %o% beta[k, ]
    out <- out + of_shares[k, k] * excess
  }
  out
}

probability_of <- function(states) exp(states$log_p - log_sum_exp(states$log_p))
word_means <- function(shape) t(apply(shape, 1, dirichlet_mean))

#' Mean probabilities of words, and their second moments, in a mixture of states
words_of_states <- function(states) {
  p <- probability_of(states)
  over_states <- function(of_state) {
    Reduce(`+`, lapply(seq_along(p), function(n) {
      p[n] * of_state(states$weights[n, ], states$shapes[[n]])
    }))
  }
  list(
    mean = as.vector(over_states(\(weights, shape) dirichlet_mean(weights) %*% word_means(shape))),
    square = over_states(\(weights, shape) square_of_words(dirichlet_square(weights), shape))
  )
}

#' A draw with two topics and four words, in which new topics have hardly any mass
tiny_topics <- function() {
  once("tiny topics", {
    x <- rbind(c(3, 2, 0, 0), c(0, 0, 2, 2), c(2, 2, 1, 0), c(0, 1, 3, 1))
    quick_topics(x, prior = prior_ibp(1e-6), gamma = 1.5, eta = 0.4, init = init_topics(2),
      method = method_gibbs(1, 1, warmup = 0, moves = 0))
  })
}

test_that("predictions for new documents agree with enumeration", {
  fit <- tiny_topics()
  naive <- naive_topics(fit, 1)
  expect_gt(length(naive$pi), 1)
  x <- rbind(c(1, 1, 0, 0), c(0, 0, 1, 2))
  states <- list(states_of_document(naive, c(1, 2)), states_of_document(naive, c(3, 4, 4)))
  one <- words_of_states(states[[1]])
  two <- words_of_states(states[[2]])
  times <- sized(1500, 6000)
  drawer <- new_row_drawer(fit, new_row_data(fit, x), apart = TRUE)
  drawn <- withr::with_seed(1, lapply(seq_len(times), function(n) drawer(1)))
  rows <- function(what, m) t(vapply(drawn, function(one) one[[what]][m, ], numeric(4)))
  m <- list(rows("mean", 1) / 2, rows("mean", 2) / 3)
  expect_replicates(moments_of(m[[1]]), c(one$mean, one$square))
  expect_replicates(moments_of(m[[2]]), c(two$mean, two$square))
  counts <- rows("data", 2)
  expect_true(all(rowSums(counts) == 3))
  exact <- 6 * two$square + diag(3 * two$mean)
  expect_replicates(moments_of(counts), c(3 * two$mean, exact))
  words <- predict(fit, x, "words", sweeps = 20000)
  expect_equal(unname(words), rbind(one$mean, two$mean), tolerance = 0.02)
})

test_that("topics without tokens in the fit have their own words", {
  words <- rbind(c(5, 3, 2), c(1, 1, 8))
  eta <- 0.6
  # There are tokens in the first topic of the fit and in one of two new topics.
  state <- list(weights = c(1.3, 0, 2.1, 0.4), topics = c(1, 3), words = c(2, 1))
  shape <- rbind(words, 0, 0) + eta
  own <- cbind(state$topics, state$words)
  shape[own] <- shape[own] + 1
  drawn <- withr::with_seed(1, lapply(1:3000, function(n) {
    draw_new_document(state, draw_word_gammas(words, eta), eta)
  }))
  states <- list(log_p = 0, weights = t(state$weights + 1e-12), shapes = list(shape))
  exact <- words_of_states(states)
  mean <- t(vapply(drawn, function(one) as.vector(one$mean) / 2, numeric(3)))
  expect_replicates(moments_of(mean), c(exact$mean, exact$square))
  counts <- t(vapply(drawn, function(one) as.vector(one$data), numeric(3)))
  square <- 2 * exact$square + diag(2 * exact$mean)
  expect_replicates(moments_of(counts), c(2 * exact$mean, square))
})

test_that("draws of new documents have the means of predict(), including new topics", {
  for (fit in list(kinds_of_fits()$topics, topics_model())) {
    x <- as.matrix(model_data(fit))[c(1, 3), ]
    expected <- predict(fit, x, "words", sweeps = sized(2000, 4000)) * rowSums(x)
    for (verb in list(posterior_epred, posterior_predict)) {
      means <- withr::with_seed(1, replicate(sized(10, 30), apply(verb(fit, x), 2:3, mean)))
      expect_replicates(t(matrix(means, length(x))), as.vector(expected), 5)
    }
  }
})

test_that("new documents keep their lengths and names, and use the words of the fit", {
  fit <- kinds_of_fits()$topics
  x <- as.matrix(model_data(fit))[1:3, ]
  x[2, ] <- 0
  draws <- withr::with_seed(1, posterior_predict(fit, x, ndraws = 4))
  expect_identical(dimnames(draws)[2:3], dimnames(x))
  expect_equal(apply(draws, 1:2, sum), matrix(rowSums(x), 4, 3, byrow = TRUE), ignore_attr = TRUE)
  means <- withr::with_seed(1, posterior_epred(fit, x, ndraws = 4))
  expect_equal(apply(means, 1:2, sum), matrix(rowSums(x), 4, 3, byrow = TRUE), ignore_attr = TRUE)
  expect_identical(draws, withr::with_seed(1, posterior_predict(fit, x, ndraws = 4)))
  more <- cbind(x[, 15:1], other = 1)
  expect_message(again <- withr::with_seed(1, posterior_predict(fit, more, ndraws = 4)), "left out")
  expect_identical(again, draws)
})
