# Forty independent fits to three rows, compared with the posterior, which is computed by
# enumeration of all left-ordered classes with up to ten features.

x <- matrix(c(1.9, -0.4, 1.2, 0.3, 1.6, -1.1), 3)
counts <- class_counts(3, 10)
shared <- shared_counts(counts, 3)
spectrum <- spectra(x, shared)
sigma_x <- 0.7
sigma_a <- 1.3

#' Expects the enumeration to cover nearly all of the posterior mass
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

test_that("the reference agrees with a direct computation of the covariance and with dibp()", {
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

test_that("fits match the exact posterior under the Indian buffet process", {
  expect_exact(prior_ibp(1.4), log_prior_ibp(counts, 3, 1.4))
})

test_that("fits match the exact posterior under the three-parameter process", {
  skip_if_quick()
  expect_exact(
    prior_ibp(1.1, concentration = 0.6, discount = 0.4), log_prior_ibp(counts, 3, 1.1, 0.6, 0.4)
  )
})

test_that("fits match the exact posterior under the finite model", {
  expect_exact(
    prior_beta_bernoulli(4, 1.7, concentration = 1.5), log_prior_finite(counts, 3, 4, 1.7, 1.5)
  )
})

test_that("fits by every sampler match the exact posterior", {
  log_weights <- log_prior_ibp(counts, 3, 1.4) + spectral_log_lik(spectrum, sigma_x, sigma_a)
  for (sampler in c("uncollapsed", "slice")) {
    replicates <- replicate_fits(
      x, sigma_x = sigma_x, sigma_a = sigma_a, prior = prior_ibp(1.4), sampler = sampler
    )
    expect_replicates(replicates, expectations(log_weights, counts, shared))
  }
})

test_that("fits to data with missing entries match the exact posterior", {
  skip_if_quick()
  holes <- replace(cbind(x, c(-1.2, 0.1, 0.9)), c(2, 4, 9), NA)
  log_lik <- apply(shared, 1, function(s) {
    # Any square root of the matrix ZZ' will do.
    e <- eigen(matrix(s, 3), symmetric = TRUE)
    root <- e$vectors %*% diag(sqrt(pmax(e$values, 0)))
    naive_log_lik_observed(holes, root, sigma_x, sigma_a)
  })
  log_weights <- log_prior_ibp(counts, 3, 1.4) + log_lik
  expect_complete(log_weights)
  replicates <- replicate_fits(holes, sigma_x = sigma_x, sigma_a = sigma_a, prior = prior_ibp(1.4))
  expect_replicates(replicates, expectations(log_weights, counts, shared))
})
