# Draws of new documents, against enumeration of their tokens' topics and of their choices.

#' What the topics of a document weigh in every state of its tokens and choices, states x topics,
#' with the log probabilities of the states. Of lengths that are given u is integrated out
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
    c(urn + of_choices + of_tokens, n + b * naive$phi)
  })
  each <- do.call(rbind, each)
  list(log_p = each[, 1], weights = each[, -1, drop = FALSE])
}

#' Means and second moments of a Dirichlet distribution
dirichlet_mean <- function(shape) shape / sum(shape)
dirichlet_square <- function(shape) {
  (shape %o% shape + diag(shape, length(shape))) / (sum(shape) * (sum(shape) + 1))
}

#' E p_v q_w, p = theta beta and q = other beta, of the second moments of theta and other, words of
#' topics Dirichlet
square_of_words <- function(of_shares, shape) {
  beta <- t(apply(shape, 1, dirichlet_mean))
  out <- t(beta) %*% of_shares %*% beta
  for (k in seq_len(nrow(shape))) {
    excess <- dirichlet_square(shape[k, ]) - beta[k, ] %o% beta[k, ]
    out <- out + of_shares[k, k] * excess
  }
  out
}

#' Mean shares of words, and their second moments, of a mixture of states
words_of_states <- function(states, shape) {
  p <- exp(states$log_p - log_sum_exp(states$log_p))
  shares <- colSums(p * states$weights / rowSums(states$weights))
  squares <- Reduce(`+`, lapply(seq_along(p), function(n) {
    p[n] * dirichlet_square(states$weights[n, ])
  }))
  list(
    shares = shares, mean = as.vector(shares %*% t(apply(shape, 1, dirichlet_mean))),
    square = square_of_words(squares, shape)
  )
}

#' A draw of two topics with four words; fresh topics have hardly any mass
tiny_topics <- function() {
  once("tiny topics", {
    x <- rbind(c(3, 2, 0, 0), c(0, 0, 2, 2), c(2, 2, 1, 0), c(0, 1, 3, 1))
    quick_topics(x, prior = prior_ibp(1e-6), gamma = 1.5, eta = 0.4, init = init_topics(2),
      method = method_gibbs(1, 1, warmup = 0, moves = 0))
  })
}

test_that("new documents have the law of enumeration", {
  fit <- tiny_topics()
  naive <- naive_topics(fit, 1)
  expect_gt(length(naive$pi), 1)
  shape <- naive$words + naive$eta
  x <- rbind(c(1, 1, 0, 0), c(0, 0, 1, 2))
  one <- words_of_states(states_of_document(naive, c(1, 2)), shape)
  two <- words_of_states(states_of_document(naive, c(3, 4, 4)), shape)
  times <- sized(1500, 6000)
  drawer <- new_row_drawer(fit, new_row_data(fit, x), apart = TRUE)
  drawn <- withr::with_seed(1, lapply(seq_len(times), function(n) drawer(1)))
  rows <- function(what, m) t(vapply(drawn, function(one) one[[what]][m, ], numeric(4)))
  m <- list(rows("mean", 1) / 2, rows("mean", 2) / 3)
  expect_replicates(moments_of(m[[1]]), c(one$mean, one$square))
  expect_replicates(moments_of(m[[2]]), c(two$mean, two$square))
  # Documents of a draw share the words of its topics.
  both <- square_of_words(one$shares %o% two$shares, shape)
  products <- t(vapply(seq_len(times), \(n) as.vector(m[[1]][n, ] %o% m[[2]][n, ]), numeric(16)))
  expect_replicates(products, as.vector(both))
  counts <- rows("data", 2)
  expect_true(all(rowSums(counts) == 3))
  exact <- 6 * two$square + diag(3 * two$mean)
  expect_replicates(moments_of(counts), c(3 * two$mean, exact))
  words <- predict(fit, x, "words", sweeps = 20000)
  expect_equal(unname(words), rbind(one$mean, two$mean), tolerance = 0.02)
})

test_that("topics that no token of the fit has each have words of their own", {
  beta <- rbind(c(0.5, 0.3, 0.2), c(0.1, 0.1, 0.8))
  weights <- c(1.3, 0, 2.1, 0.4)
  eta <- 0.6
  drawn <- withr::with_seed(1, lapply(1:3000, \(n) draw_new_document(weights, 2, beta, eta)))
  shape <- rbind(1e9 * beta, eta, eta)
  state <- list(log_p = 0, weights = t(weights + 1e-12))
  exact <- words_of_states(state, shape)
  mean <- t(vapply(drawn, function(one) as.vector(one$mean) / 2, numeric(3)))
  expect_replicates(moments_of(mean), c(exact$mean, exact$square))
  counts <- t(vapply(drawn, function(one) as.vector(one$data), numeric(3)))
  square <- 2 * exact$square + diag(2 * exact$mean)
  expect_replicates(moments_of(counts), c(2 * exact$mean, square))
})

test_that("draws of new documents have the means of predict(), fresh topics included", {
  for (fit in list(kinds_of_fits()$topics, topics_model())) {
    x <- as.matrix(fit$model$data$x)[c(1, 3), ]
    expected <- predict(fit, x, "words", sweeps = 4000) * rowSums(x)
    for (verb in list(posterior_epred, posterior_predict)) {
      means <- withr::with_seed(1, replicate(30, apply(verb(fit, x), 2:3, mean)))
      expect_replicates(t(matrix(means, length(x))), as.vector(expected), 5)
    }
  }
})

test_that("draws of a document depend on its words alone, or are apart", {
  fit <- kinds_of_fits()$topics
  x <- fit$model$data$x[c(1, 3, 1, 5), ]
  rownames(x) <- NULL
  drawn <- function(rows, apart) {
    drawer <- new_row_drawer(fit, new_row_data(fit, x[rows, , drop = FALSE]), apart)
    withr::with_seed(1, lapply(c(2, 7), drawer))
  }
  all <- drawn(1:4, FALSE)
  some <- drawn(c(4, 2), FALSE)
  for (draw in 1:2) {
    for (what in c("mean", "data")) {
      expect_identical(all[[draw]][[what]][1, ], all[[draw]][[what]][3, ])
      expect_identical(all[[draw]][[what]][c(4, 2), ], some[[draw]][[what]])
    }
  }
  apart <- drawn(1:4, TRUE)[[1]]
  expect_gt(max(abs(apart$mean[1, ] - apart$mean[3, ])), 0.01)
})

test_that("new documents keep their lengths and names, and words of the fit", {
  fit <- kinds_of_fits()$topics
  x <- as.matrix(fit$model$data$x)[1:3, ]
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
