# Modes with different numbers of nonnegative features.

sigma_x <- 0.15
sigma_a <- 3

#' Log density of rows that have one feature, its loading integrated out
log_one <- function(x) {
  spread <- length(x) + sigma_x^2 / sigma_a^2
  t <- sum(x) / (sigma_x * sqrt(spread))
  shrinkage <- log(2) + log(sigma_x / sigma_a) - log(spread) / 2
  sum(dnorm(x, 0, sigma_x, log = TRUE)) + shrinkage + t^2 / 2 + pnorm(t, log.p = TRUE)
}

#' The same of three pairs of rows, of which the last have both of two features
log_both <- function(x) {
  log_density <- function(a) {
    sum(dnorm(x[1:2], a, sigma_x, log = TRUE)) + log(2) + dnorm(a, 0, sigma_a, log = TRUE) +
      log_one(c(x[3:4], x[5:6] - a))
  }
  near <- mean(x[1:2])
  ratio <- function(a) exp(vapply(a, log_density, 0) - log_density(near))
  log_density(near) + log(integrate(ratio, max(0, near - 1), near + 1, rel.tol = 1e-8)$value)
}

test_that("two features with common rows are weighed against three that have none", {
  a <- c(2.8, 0.84, 2.1)
  b <- c(0.98, 3.5, 1.68)
  x <- unname(rbind(a, a, b, b, a + b, a + b)) + c(0.1, -0.1, 0.05, -0.05, 0.08, -0.08)
  z <- diag(3)[c(1, 1, 2, 2, 3, 3), ]
  prior <- prior_beta_bernoulli(3, 0.003, 1000)
  log_prior <- function(z) dbeta_bernoulli(z, 0.003, 1000, 3, log = TRUE)
  apart <- function(v) log_one(v[1:2]) + log_one(v[3:4]) + log_one(v[5:6])
  three <- log_prior(z) + sum(apply(x, 2, apart))
  two <- log_prior(z[, 1:2] + z[, 3]) + sum(apply(x, 2, log_both))
  for (seed in sized(1:2, 1:8)) {
    fit <- fit_gaussian(
      x, "nonnegative", sigma_x, sigma_a, prior = prior, seed = seed, verbose = FALSE
    )
    share <- mean(as_draws_df(fit)$n_features == 3)
    expect_lt(abs(share - stats::plogis(three - two)), 0.05)
    expect_true(all(acceptance(fit)$accepted[c(2, 4, 6, 8)] > 100))
  }
})
