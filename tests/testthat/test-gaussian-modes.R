# Posteriors whose modes have different numbers of features.

sigma_x <- 0.15
sigma_a <- 3

#' Log density of rows that have one common feature, with its loading integrated out
log_one <- function(x) {
  spread <- length(x) + sigma_x^2 / sigma_a^2
  t <- sum(x) / (sigma_x * sqrt(spread))
  shrinkage <- log(2) + log(sigma_x / sigma_a) - log(spread) / 2
  sum(dnorm(x, 0, sigma_x, log = TRUE)) + shrinkage + t^2 / 2 + pnorm(t, log.p = TRUE)
}

#' Log density of three pairs of rows, the last of which has both features
log_both <- function(x) {
  log_density <- function(a) {
    sum(dnorm(x[1:2], a, sigma_x, log = TRUE)) + log(2) + dnorm(a, 0, sigma_a, log = TRUE) +
      log_one(c(x[3:4], x[5:6] - a))
  }
  near <- mean(x[1:2])
  ratio <- function(a) exp(vapply(a, log_density, 0) - log_density(near))
  log_density(near) + log(integrate(ratio, max(0, near - 1), near + 1, rel.tol = 1e-8)$value)
}

test_that("two features that share rows are compared with three that share none", {
  a <- c(2.8, 0.84, 2.1)
  b <- c(0.98, 3.5, 1.68)
  x <- unname(rbind(a, a, b, b, a + b, a + b)) + c(0.1, -0.1, 0.05, -0.05, 0.08, -0.08)
  z <- diag(3)[c(1, 1, 2, 2, 3, 3), ]
  prior <- prior_beta_bernoulli(3, 0.003, 1000)
  log_prior <- function(z) dbeta_bernoulli(z, 0.003, 1000, 3, log = TRUE)
  apart <- function(v) log_one(v[1:2]) + log_one(v[3:4]) + log_one(v[5:6])
  three <- log_prior(z) + sum(apply(x, 2, apart))
  two <- log_prior(z[, 1:2] + z[, 3]) + sum(apply(x, 2, log_both))
  for (sampler in c("uncollapsed", "slice")) for (seed in sized(1, 1:8)) {
    fit <- fit_gaussian(
      x, "nonnegative", sigma_x, sigma_a, prior = prior,
      method = method_gibbs(sampler = sampler), seed = seed, verbose = FALSE
    )
    share <- mean(as_draws_df(fit)$n_features == 3)
    expect_lt(abs(share - stats::plogis(three - two)), 0.05)
    moves <- acceptance(fit)
    expect_true(all(moves$accepted[moves$move == "separate-share"] > 100))
  }
})

#' P(all >= 0) for a normal vector, by quadrature over its last element
orthant <- function(mean, covariance) {
  k <- length(mean)
  sd <- sqrt(covariance[k, k])
  if (k < 2) return(if (k == 0) 1 else stats::pnorm(mean / sd))
  positive <- stats::pnorm(mean[k] / sd)
  if (positive == 0) return(0)
  last <- mean[k] - sd * stats::qnorm(positive * (1:400 - 0.5) / 400)
  slope <- covariance[-k, k] / covariance[k, k]
  rest <- covariance[-k, -k, drop = FALSE] - outer(slope, slope) * covariance[k, k]
  means <- mean[-k] + slope %o% (last - mean[k])
  at <- if (k == 2) stats::pnorm(means / sqrt(rest[1])) else apply(means, 2, orthant, rest)
  positive * mean(at)
}

#' P(K = 0), ..., P(K = most) for data with one column, from all classes of matrices with at most
#' `most` features
exact_shares <- function(x, sigma_x, sigma_a, log_prior, most, nonnegative = FALSE) {
  n <- nrow(x)
  counts <- class_counts(n, most)
  log_lik <- apply(counts, 1, function(count) {
    z <- histories(n)[, rep(seq_len(2^n - 1), count), drop = FALSE]
    log_lik <- naive_log_lik(x, z, sigma_x, sigma_a)
    if (!nonnegative || ncol(z) == 0) return(log_lik)
    covariance <- solve(crossprod(z) / sigma_x^2 + diag(ncol(z)) / sigma_a^2)
    mean <- drop(covariance %*% crossprod(z, x)) / sigma_x^2
    log_lik + ncol(z) * log(2) + log(orthant(mean, covariance))
  })
  log_weights <- log_prior(counts, n) + log_lik
  as.vector(tapply(exp(log_weights - log_sum_exp(log_weights)), rowSums(counts), sum))
}

test_that("chains with default settings find all modes of small data sets", {
  column <- function(...) matrix(c(...))
  rare <- function(counts, n) log_prior_ibp(counts, n, 0.01, 1000)
  cases <- list(
    # There is no feature, or there are features with posterior probabilities of about 1 / 1000.
    rare = list(
      x = column(-1.47, -0.32, -0.48, 0.96, -1.66), sigma_x = 0.5, sigma_a = 1, most = 3,
      prior = prior_ibp(0.01, 1000), log_prior = rare, samplers = c("collapsed", "slice")
    ),
    # One feature belongs to all rows, or two features have the same rows.
    copies = list(
      x = column(3.6, 3.58, 3.65), sigma_x = 0.05, sigma_a = 2, most = 2,
      prior = prior_beta_bernoulli(2, 1), loadings = "nonnegative",
      log_prior = function(counts, n) log_prior_finite(counts, n, 2, 1),
      samplers = c("uncollapsed", "slice")
    ),
    # A feature belongs to three nearly equal rows, or only to two of them.
    halves = list(
      x = column(-2.34, -2.97, -2.28, -2.31), sigma_x = 0.05, sigma_a = 3, most = 4,
      prior = prior_ibp(0.01, 1000), log_prior = rare,
      samplers = c("collapsed", "uncollapsed", "slice")
    ),
    # Two features share rows, or three features share none.
    common = list(
      x = outer(c(1, 0, 1, 1), c(2.8, 0.84, -2.1)) + outer(c(0, 1, 1, 1), c(0.98, 3.5, 1.68)) +
        c(0.1, -0.1, 0.05, -0.05),
      sigma_x = 0.15, sigma_a = 3, most = 3, prior = prior_beta_bernoulli(3, 0.01, 1000),
      log_prior = function(counts, n) log_prior_finite(counts, n, 3, 0.01, 1000),
      samplers = c("collapsed", "uncollapsed", "slice", "column noise")
    )
  )
  for (case in cases) {
    loadings <- case$loadings %||% "normal"
    exact <- exact_shares(
      case$x, case$sigma_x, case$sigma_a, case$log_prior, case$most, loadings == "nonnegative"
    )
    expect_gt(sort(exact, decreasing = TRUE)[2], 0.2)
    for (sampler in case$samplers) for (seed in sized(1, 1:8)) {
      by_column <- sampler == "column noise"
      fit <- fit_gaussian(
        case$x, loadings, case$sigma_x, case$sigma_a, center = FALSE,
        noise = if (by_column) "column" else "common", prior = case$prior,
        method = method_gibbs(sampler = if (!by_column) sampler), seed = seed, verbose = FALSE
      )
      number <- factor(as_draws_df(fit)$n_features, seq_along(exact) - 1)
      expect_lt(max(abs(prop.table(table(number)) - exact)), 0.05)
    }
  }
})
