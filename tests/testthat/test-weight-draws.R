# Coefficients of logistic and mixed fits, compared with their exact posterior given the features.
# The posterior is computed by importance sampling: sigma, weights and biases are drawn from the
# prior and weighted by the likelihood.

z <- cbind(p = c(1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0), q = c(0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1))
y <- cbind(u = c(1, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1), v = c(0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0))

#' Draws standard deviations in [0.01, 30] whose precision is Gamma(1, 1)
draw_sigmas <- function(n) {
  sigma <- 1 / sqrt(stats::rgamma(n, 1, 1))
  while (any(out <- sigma < 0.01 | sigma > 30)) {
    sigma[out] <- 1 / sqrt(stats::rgamma(sum(out), 1, 1))
  }
  sigma
}

log_bernoulli <- function(y, eta) {
  rowSums(stats::plogis(eta * rep(2 * y - 1, each = nrow(eta)), log.p = TRUE))
}

#' Log density in which the precision of the noise, which is Gamma(1, 1), is integrated out
log_gaussian <- function(y, eta) {
  -(1 + length(y) / 2) * log1p(rowSums((rep(y, each = nrow(eta)) - eta)^2) / 2)
}

#' Returns list(weights, draws), in which biases and weights are ordered by column
exact_posterior <- function(z, columns, log_densities, n = 4e5) {
  withr::local_seed(1)
  sigma <- draw_sigmas(n)
  sigma_b <- draw_sigmas(n)
  log_weights <- 0
  draws <- NULL
  for (j in seq_along(columns)) {
    own <- cbind(stats::rnorm(n) * sigma_b, matrix(stats::rnorm(n * ncol(z)), n) * sigma)
    log_weights <- log_weights + log_densities[[j]](columns[[j]], tcrossprod(own, cbind(1, z)))
    draws <- cbind(draws, own)
  }
  weights <- exp(log_weights - max(log_weights))
  list(weights = weights / sum(weights), draws = draws)
}

#' Compares estimates and the end points of 90 % intervals with an exact posterior. Biases come
#' first.
#' @param draws A lower bound on the effective number of draws of a fit.
expect_exact <- function(exact, estimate, low, high, draws) {
  weights <- exact$weights
  draws_worth <- 1 / (1 / draws + sum(weights^2))
  mean <- colSums(weights * exact$draws)
  sd <- sqrt(colSums(weights * sweep(exact$draws, 2, mean)^2))
  expect_lt(max(abs(estimate - mean) / sd), 4 / sqrt(draws_worth))
  slopes <- which(!is.na(low))
  below <- function(end, k) sum(weights[exact$draws[, k] < end[k]])
  error <- 4 * sqrt(0.05 * 0.95 / draws_worth)
  for (k in slopes) {
    expect_lt(abs(below(low, k) - 0.05), error)
    expect_lt(abs(below(high, k) - 0.95), error)
  }
}

#' Does the same for a fit. `table` has one estimate per feature and column, and the features of a
#' column are next to each other.
expect_exact_fit <- function(fit, exact, table, draws) {
  a <- loadings_of(fit)
  estimate <- as.vector(rbind(attr(a, "bias"), a))
  # The table contains weights, but no biases.
  place <- function(values) as.vector(rbind(NA, matrix(values, nrow(a))))
  expect_exact(exact, estimate, place(table$conf.low), place(table$conf.high), draws)
  expect_equal(place(table$estimate)[-c(1, nrow(a) + 2)], as.vector(a)[seq_along(a)])
}

long <- method_gibbs(chains = 2, iter = 6000, warmup = 500)

test_that("with known features, coefficients of logistic fits are exact and use all draws", {
  fit <- quick_logistic(y, prior = prior_fixed(z), method = long)
  exact <- exact_posterior(z, list(y[, 1], y[, 2]), list(log_bernoulli, log_bernoulli))
  table <- tidy(fit, "loadings")
  table$estimate <- table$value
  expect_exact_fit(fit, exact, table, draws = 2000)
})

test_that("coefficients of mixed fits and their intervals are exact for two families", {
  x <- c(1.2, 3.1, 0.4, 0.7, 1.1, 2.2, -0.3, 3.5, 0.8, 0.1, 2.6, 1.9)
  data <- data.frame(x = x, u = y[, "u"] == 1)
  fit <- quick_mixed(data,
    families = c(x = "gaussian", u = "bernoulli"), prior = prior_fixed(z), method = long
  )
  exact <- exact_posterior(
    z, list((x - mean(x)) / sd(x), y[, "u"]), list(log_gaussian, log_bernoulli)
  )
  exact$draws[, 1:3] <- exact$draws[, 1:3] * sd(x)
  exact$draws[, 1] <- exact$draws[, 1] + mean(x)
  table <- tidy(fit, scale = "weight")
  table <- table[order(match(table$column, names(data))), ]
  expect_exact_fit(fit, exact, table, draws = 2000)
})

test_that("with learned features, coefficients are means over draws given the fit's features", {
  group <- rep(0:1, c(9, 7))
  p <- stats::plogis(cbind(4 * group - 2, 2 - 4 * group, 4 * group - 2, 3 * group - 1))
  strong <- withr::with_seed(3, matrix(stats::rbinom(64, 1, p), 16))
  fit <- quick_logistic(strong,
    prior = prior_beta_bernoulli(1), method = method_gibbs(chains = 2, iter = 1000)
  )
  found <- features(fit)
  expect_identical(ncol(found), 1L)
  a <- loadings_of(fit)
  table <- tidy(fit, "loadings")
  expect_equal(table$value, as.vector(a))
  same <- vapply(as.list(feature_draws(fit)), identical, NA, found)
  expect_gt(sum(same), 100)
  weights <- vapply(logistic_draws_of(fit)[same], function(d) c(d$w, d$bias), numeric(8))
  off <- (rowMeans(weights) - c(a, attr(a, "bias"))) / apply(weights, 1, sd)
  expect_lt(max(abs(off)), 4 / sqrt(sum(same) / 4))
  expect_equal(table$std.error, apply(weights[1:4, ], 1, sd), tolerance = 0.15)
})
