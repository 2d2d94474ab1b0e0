# How many starts method_variational() tries.

#' Mean-field inference of the finite model by plain coordinate ascent, from one random start: the
#' bound at its end. a, b: of the beta prior of the features' probabilities.
plain_ascent <- function(x, n_features, a, b, sigma_x, sigma_a) {
  n <- nrow(x)
  on <- matrix(stats::runif(n * n_features), n)
  mean <- matrix(0, n_features, ncol(x))
  variance <- rep(sigma_a^2, n_features)
  one_round <- function() {
    for (k in seq_len(n_features)) {
      others <- x - on[, -k, drop = FALSE] %*% mean[-k, , drop = FALSE]
      variance[k] <<- 1 / (1 / sigma_a^2 + sum(on[, k]) / sigma_x^2)
      mean[k, ] <<- variance[k] / sigma_x^2 * colSums(on[, k] * others)
    }
    prior <- digamma(a + colSums(on)) - digamma(b + n - colSums(on))
    for (k in seq_len(n_features)) {
      others <- x - on[, -k, drop = FALSE] %*% mean[-k, , drop = FALSE]
      misfit <- sum(mean[k, ]^2) + ncol(x) * variance[k] - 2 * others %*% mean[k, ]
      on[, k] <<- stats::plogis(prior[k] - misfit / (2 * sigma_x^2))
    }
  }
  entropy <- function(p) -sum(ifelse(p %in% 0:1, 0, p * log(p) + (1 - p) * log1p(-p)))
  bound <- function() {
    yes <- a + colSums(on)
    no <- b + n - colSums(on)
    misfit <- sum((x - on %*% mean)^2) + sum((on - on^2) %*% rowSums(mean^2)) +
      sum(on %*% variance) * ncol(x)
    loadings <- ncol(x) * (sum(log(variance / sigma_a^2) + 1 - variance / sigma_a^2)) -
      sum(mean^2) / sigma_a^2
    sum(lbeta(yes, no) - lbeta(a, b)) + entropy(on) + loadings / 2 - misfit / (2 * sigma_x^2) -
      length(x) / 2 * log(2 * pi * sigma_x^2)
  }
  now <- -Inf
  repeat {
    one_round()
    before <- now
    now <- bound()
    if (now - before < 1e-9) return(now)
  }
}

small_problem <- function(seed) {
  withr::with_seed(seed, {
    z <- matrix(stats::rbinom(10, 1, 0.5), 5)
    z %*% matrix(stats::rnorm(6), 2) + 0.3 * matrix(stats::rnorm(15), 5)
  })
}

bound_of_small <- function(x, ...) {
  fit <- suppressWarnings(fit_gaussian(
    x, prior = prior_ibp(2), sigma_x = 0.3, sigma_a = 1, seed = 1, verbose = FALSE,
    method = method_variational(4, "finite", tol = 1e-9, ...)
  ), classes = "warning")
  glance(fit)$bound
}

test_that("small data end no lower than the best of 40 plain ascents", {
  for (seed in 101:108) {
    x <- small_problem(seed)
    plain <- withr::with_seed(1, replicate(40, plain_ascent(x, 4, 2 / 4, 1, 0.3, 1)))
    expect_gt(bound_of_small(x), max(plain) - 1e-3)
  }
  # One start of each kind is too few here.
  x <- small_problem(104)
  expect_lt(bound_of_small(x, restarts = 1), bound_of_small(x) - 0.5)
})

test_that("how many starts are tried by themselves depends on the size of the data", {
  tried <- function(x) {
    fit <- suppressWarnings(
      fit_gaussian(x, method = method_variational(2), seed = 1, verbose = FALSE)
    )
    fit$method$restarts
  }
  x <- withr::with_seed(1, matrix(stats::rnorm(1001), 1))
  expect_identical(tried(matrix(x[1:1000], 100)), 10L)
  expect_identical(tried(matrix(x, 143)), 1L)
})
