# Forty independent fits against the posterior by enumeration of all left-ordered
# classes with up to ten features, three rows.

x <- matrix(c(1.9, -0.4, 1.2, 0.3, 1.6, -1.1), 3)
counts <- class_counts(3, 10)
shared <- shared_counts(counts, 3)
spectrum <- spectra(x, shared)
sigma_x <- 0.7
sigma_a <- 1.3

#' The enumeration must hold all but a trifle of the posterior
expect_complete <- function(log_weights) {
  k <- rowSums(counts)
  expect_lt(log_sum_exp(log_weights[k == 10]) - log_sum_exp(log_weights), log(2e-4))
}

expect_exact <- function(prior, log_prior) {
  log_weights <- log_prior + spectral_log_lik(spectrum, sigma_x, sigma_a)
  if (inherits(prior, "prior_ibp")) expect_complete(log_weights)
  replicates <- replicate_fits(x, sigma_x = sigma_x, sigma_a = sigma_a, prior = prior)
  expect_replicates(replicates, expectations(log_weights, counts, shared))
}

test_that("the reference agrees with a naive covariance and with dibp()", {
  for (row in c(1, 2, 50, 5000)) {
    z <- histories(3)[, rep(seq_len(7), counts[row, ]), drop = FALSE]
    expect_equal(shared[row, ], as.vector(tcrossprod(z)))
    expect_equal(spectral_log_lik(spectrum, 0.7, 1.3)[row], naive_log_lik(x, z, 0.7, 1.3))
    expect_equal(
      log_prior_ibp(counts[row, , drop = FALSE], 3, 1.4, 0.7, 0.4),
      dibp(z, 1.4, 0.7, 0.4, log = TRUE)
    )
  }
})

test_that("fits have the exact posterior under the Indian buffet process", {
  expect_exact(prior_ibp(1.4), log_prior_ibp(counts, 3, 1.4))
})

test_that("fits have the exact posterior under the three-parameter process", {
  skip_if_quick()
  expect_exact(
    prior_ibp(1.1, concentration = 0.6, discount = 0.4), log_prior_ibp(counts, 3, 1.1, 0.6, 0.4)
  )
})

test_that("fits have the exact posterior under the finite model", {
  expect_exact(
    prior_beta_bernoulli(4, 1.7, concentration = 1.5), log_prior_finite(counts, 3, 4, 1.7, 1.5)
  )
})

test_that("every sampler has the exact posterior", {
  log_weights <- log_prior_ibp(counts, 3, 1.4) + spectral_log_lik(spectrum, sigma_x, sigma_a)
  for (sampler in c("uncollapsed", "slice")) {
    replicates <- replicate_fits(
      x, sigma_x = sigma_x, sigma_a = sigma_a, prior = prior_ibp(1.4), sampler = sampler
    )
    expect_replicates(replicates, expectations(log_weights, counts, shared))
  }
})

test_that("data with missing entries have the exact posterior", {
  skip_if_quick()
  holes <- replace(cbind(x, c(-1.2, 0.1, 0.9)), c(2, 4, 9), NA)
  log_lik <- apply(shared, 1, function(s) {
    # Any root of ZZ' will do.
    e <- eigen(matrix(s, 3), symmetric = TRUE)
    root <- e$vectors %*% diag(sqrt(pmax(e$values, 0)))
    naive_log_lik_observed(holes, root, sigma_x, sigma_a)
  })
  log_weights <- log_prior_ibp(counts, 3, 1.4) + log_lik
  expect_complete(log_weights)
  replicates <- replicate_fits(holes, sigma_x = sigma_x, sigma_a = sigma_a, prior = prior_ibp(1.4))
  expect_replicates(replicates, expectations(log_weights, counts, shared))
})

# Hyperparameters learned: the posterior by enumeration of the classes and quadrature over the
# hyperparameters, on the log scale.

#' Midpoints and log weights of a gamma density over the log of its argument
gamma_grid <- function(prior, from, to, size) {
  step <- (to - from) / size
  at <- exp(from + (seq_len(size) - 0.5) * step)
  data.frame(at = at, log_weight = stats::dgamma(at, prior$shape, prior$rate, log = TRUE) +
    log(at) + log(step))
}

#' Weighted means of `values` (a column a statistic), and of K+
weighted_means <- function(log_weights, values) {
  p <- exp(log_weights - log_sum_exp(log_weights))
  colSums(p * values)
}

test_that("alpha and the two standard deviations have their exact posterior", {
  skip_if_quick()
  alpha <- gamma_prior(2, 3)
  tau_x <- gamma_prior(3, 2)
  tau_a <- gamma_prior(4, 6)
  counts <- class_counts(3, 8)
  spectrum <- spectra(x, shared_counts(counts, 3))
  k <- rowSums(counts)
  # alpha out of the way: given Z it is Gamma(shape + K+, rate + H_3), and the class is the
  # integral of its Poisson probability over the prior.
  rate <- alpha$rate + 1 + 1 / 2 + 1 / 3
  log_prior <- log_prior_ibp(counts, 3, 1) + (1 + 1 / 2 + 1 / 3) +
    lgamma(alpha$shape + k) - (alpha$shape + k) * log(rate)
  grid <- expand.grid(i = 1:48, j = 1:48)
  gx <- gamma_grid(tau_x, -5, 4, 48)[grid$i, ]
  ga <- gamma_grid(tau_a, -5, 4, 48)[grid$j, ]
  log_lik <- vapply(seq_len(nrow(grid)), function(g) {
    log_prior + spectral_log_lik(spectrum, gx$at[g]^-0.5, ga$at[g]^-0.5)
  }, log_prior)
  classes <- apply(log_lik, 2, log_sum_exp)
  means_given <- apply(log_lik, 2, function(l) {
    p <- exp(l - max(l))
    c(sum(p * k), sum(p * (alpha$shape + k) / rate)) / sum(p)
  })
  # Limits between two cells of the grid.
  limit <- exp(-5 + c(27, 24) * 9 / 48)
  values <- cbind(t(means_given), log(gx$at), log(ga$at), gx$at < limit[1], ga$at < limit[2])
  expected <- weighted_means(classes + gx$log_weight + ga$log_weight, values)
  of <- function(fit) {
    s <- scalars_of(fit)
    tau <- s[, c("sigma_x", "sigma_a")]^-2
    c(colMeans(s[, c("n_features", "alpha")]), colMeans(log(tau)),
      mean(tau[, 1] < limit[1]), mean(tau[, 2] < limit[2]))
  }
  replicates <- replicate_fits(
    x, sigma_x = tau_x, sigma_a = tau_a, prior = prior_ibp(alpha), of = of
  )
  expect_replicates(replicates, expected)
})

#' alpha and the concentration by quadrature over both
expect_exact_prior <- function(prior, log_prior, counts) {
  log_lik <- spectral_log_lik(spectra(x, shared_counts(counts, 3)), 0.7, 1.3)
  grid <- expand.grid(i = 1:40, j = 1:40)
  alpha <- gamma_grid(prior$alpha, -5, 3.5, 40)[grid$i, ]
  concentration <- gamma_grid(prior$concentration, -6, 3.5, 40)[grid$j, ]
  given <- vapply(seq_len(nrow(grid)), function(g) {
    l <- log_prior(alpha$at[g], concentration$at[g]) + log_lik
    p <- exp(l - log_sum_exp(l))
    c(log_sum_exp(l), sum(p * rowSums(counts)))
  }, c(0, 0))
  expected <- weighted_means(
    given[1, ] + alpha$log_weight + concentration$log_weight,
    cbind(given[2, ], alpha$at, log(alpha$at), concentration$at, log(concentration$at))
  )
  of <- function(fit) {
    s <- scalars_of(fit)
    a <- s[, "alpha"]
    c <- s[, "concentration"]
    c(mean(s[, "n_features"]), mean(a), mean(log(a)), mean(c), mean(log(c)))
  }
  replicates <- replicate_fits(x, sigma_x = 0.7, sigma_a = 1.3, prior = prior, of = of)
  expect_replicates(replicates, expected)
}

test_that("alpha and the concentration of the buffet have their exact posterior", {
  skip_if_quick()
  counts <- class_counts(3, 7)
  prior <- prior_ibp(gamma_prior(2, 3), concentration = gamma_prior(2, 1.5))
  expect_exact_prior(prior, function(a, c) log_prior_ibp(counts, 3, a, c), counts)
})
