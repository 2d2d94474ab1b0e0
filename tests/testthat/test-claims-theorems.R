# Theorems in the papers, checked by enumeration from the definitions alone.

#' The lower bound as a function of the features of the last row, given the loadings and the other
#' rows: the expected log likelihood, the prior of Z, and the contribution of each used feature's
#' loadings
row_bound <- function(row, z, x, a, sigma_x, alpha) {
  z <- rbind(z, row)
  used <- colSums(z) > 0
  squares <- (x - z %*% a$mean)^2 + z %*% a$variance
  log_loadings <- 0.5 * log(2 / pi) - 0.5 * a$square + a$entropy
  z <- z[, used, drop = FALSE]
  -sum(squares) / (2 * sigma_x^2) + sum(log_loadings[used, ]) +
    log_ibp(z, alpha, log(alpha), prior_ibp(alpha))
}

#' The bound for every set of features; bits of the index of a value indicate the features in its
#' set
all_row_bounds <- function(a, sigma_x = 0.8) {
  k <- nrow(a$mean)
  # Only the last row can have the last two features.
  z <- cbind(matrix(stats::rbinom(6 * (k - 2), 1, 0.6), 6), 0, 0)
  z[1, seq_len(k - 2)] <- 1
  x <- matrix(stats::rnorm(7 * ncol(a$mean)), 7)
  sets <- t(vapply(seq_len(2^k) - 1, function(s) bitwAnd(s, 2^(seq_len(k) - 1)) > 0, logical(k)))
  apply(sets + 0, 1, row_bound, z = z, x = x, a = a, sigma_x = sigma_x, alpha = 1.3)
}

#' The smallest value of f(S + e) - f(S) - (f(T + e) - f(T)) over all S within T and all e outside T
least_diminishing <- function(f, k) {
  sets <- seq_along(f) - 1
  least <- Inf
  for (large in sets) {
    outside <- Filter(function(bit) bitwAnd(large, bit) == 0, 2^(seq_len(k) - 1))
    small <- sets[bitwAnd(sets, large) == sets]
    for (e in outside) {
      gain <- f[small + e + 1] - f[small + 1]
      least <- min(least, gain - (f[large + e + 1] - f[large + 1]))
    }
  }
  least
}

test_that("the bound of a row has diminishing returns if loadings are nonnegative", {
  set.seed(1)
  for (i in 1:20) {
    location <- matrix(stats::rnorm(15), 5)
    a <- truncated_moments(location, matrix(stats::runif(15, 0.1, 1), 5))
    expect_gt(least_diminishing(all_row_bounds(a), 5), -1e-9)
  }
  # With loadings of both signs the property fails, so the condition is needed.
  a$mean <- a$mean * rep(c(1, -1), length.out = 5)
  expect_lt(least_diminishing(all_row_bounds(a), 5), -0.01)
})

test_that("a log factorial of the number of features also has diminishing returns", {
  # Sets of four features, in addition to three used ones; no other row has two of the four.
  for (used in 0:3) {
    fresh <- vapply(0:15, function(s) sum(bitwAnd(s, c(4, 8)) > 0), 0)
    expect_gte(least_diminishing(-lfactorial(used + fresh), 4), -1e-12)
  }
})

#' The left-ordered classes of n + 1 rows that become a given class when their last row is removed
extensions <- function(histories, n, most) {
  kinds <- table(histories)
  taken <- expand.grid(lapply(kinds, function(count) 0:count))
  with_row <- function(j) {
    old <- as.integer(names(kinds))
    c(rep(2 * old + 1, j), rep(2 * old, kinds - j))
  }
  unlist(lapply(seq_len(nrow(taken)), function(i) {
    old <- with_row(unlist(taken[i, ]))
    lapply(0:most, function(new) from_histories(c(old, rep(1, new)), n + 1))
  }), FALSE)
}

test_that("the probability of a class is the sum over the classes with one more row", {
  for (histories in list(c(3, 3, 2, 1), c(1, 1), c(3, 2, 2, 2))) {
    for (concentration in c(1, 2.5)) {
      longer <- extensions(histories, 2, 25)
      total <- sum(vapply(longer, dibp, 1, alpha = 1.2, concentration = concentration))
      expect_equal(total, dibp(from_histories(histories, 2), 1.2, concentration))
    }
  }
})

#' Probability that an entry is 1 given all other entries, from the probabilities of both matrices
conditional <- function(z, i, k, ...) {
  both <- vapply(0:1, function(value) {
    z[i, k] <- value
    dbeta_bernoulli(z, ..., class = "ordered")
  }, 0)
  both[2] / sum(both)
}

test_that("an entry given all others has the published probability, which tends to m / N", {
  set.seed(2)
  for (size in c(3, 10, 1000)) {
    z <- matrix(stats::rbinom(20, 1, 0.5), 5)[, seq_len(min(size, 4))]
    z <- cbind(z, matrix(0, 5, size - ncol(z)))
    for (b in c(1, 2.5)) {
      a <- 1.7 * b / size
      for (i in 1:5) {
        m <- sum(z[-i, 2])
        p <- conditional(z, i, 2, 1.7, b)
        expect_equal(p, (m + a) / (4 + b + a), tolerance = 1e-8)
        if (size == 1000) expect_lt(abs(p - m / (4 + b)), 0.005)
      }
    }
  }
})

test_that("row sums of the finite model have mean alpha / (beta + alpha / K), or alpha / beta", {
  # `shape` is the lecture's alpha, which in this package is alpha times the concentration.
  ones <- function(k, shape, beta) {
    matrices <- all_matrices(2, k)
    p <- vapply(matrices, dbeta_bernoulli, 1, shape / beta, beta, class = "ordered")
    sum(p * vapply(matrices, function(z) sum(z[1, ]), 0))
  }
  for (beta in c(1, 0.4, 3)) {
    for (k in 1:4) expect_equal(ones(k, 1.7, beta), 1.7 / (beta + 1.7 / k))
    expect_lt(abs(1.7 / (beta + 1.7 / 1e6) - 1.7 / beta), 1e-4)
  }
})

test_that("tips whose branches meet at one point are exchangeable, and other tips are not", {
  # There are three groups of three. Only swaps within a group leave all probabilities unchanged.
  tree <- celebrity_tree
  kinds <- from_histories(seq_len(2^9 - 1), 9)
  rownames(kinds) <- tree$tip.label
  probability <- function(order) {
    z <- kinds[order, ]
    rownames(z) <- tree$tip.label
    vapply(seq(1, ncol(z), 7), function(k) dpibp(z[, k, drop = FALSE], tree, 1.3), 0)
  }
  plain <- probability(1:9)
  expect_equal(probability(c(3, 1, 2, 5, 4, 6:9)), plain, tolerance = 1e-10)
  expect_gt(max(abs(probability(c(4, 2, 3, 1, 5:9)) / plain - 1)), 0.1)
})
