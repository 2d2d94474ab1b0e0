# Under gamma priors of small shape most draws are below what doubles hold.

vague <- list(gamma_prior(0.001, 0.001), gamma_prior(0.01, 0.01))
noise <- withr::with_seed(1, matrix(rnorm(20), 10))
short_run <- method_gibbs(chains = 2, iter = sized(300, 2000))

expect_finite <- function(fit) {
  draws <- scalars_of(fit)
  expect_true(all(is.finite(draws)))
  expect_true(all(is.finite(scalar(fit, "log_joint"))))
  # A fit is a start, too, whatever it has drawn.
  again <- suppressWarnings(suppressMessages(update(fit, init = fit, iter = 4)))
  expect_s3_class(again, "buffet_fit")
}

test_that("every draw and density is a number", {
  for (prior in vague) {
    of_alpha <- prior_ibp(prior)
    for (sampler in c("collapsed", "uncollapsed", "slice")) {
      method <- method_gibbs(chains = 2, iter = short_run$iter, sampler = sampler)
      expect_finite(quick_fit(noise, sigma_a = prior, prior = of_alpha, method = method))
    }
    expect_finite(quick_fit(noise, prior = prior_ibp(1, prior), method = short_run))
    expect_finite(suppressWarnings(quick_fit(
      noise, "nonnegative", sigma_a = prior, prior = of_alpha, method = short_run
    )))
    expect_finite(suppressWarnings(fit_choice(
      celebrities, prior, prior = prior_ibp(1), method = short_run, seed = 1, verbose = FALSE
    )))
    expect_finite(suppressWarnings(fit_factor(
      noise, prior = of_alpha, method = short_run, seed = 1, verbose = FALSE
    )))
    expect_finite(suppressWarnings(fit_logistic(
      noise > 0, prior = of_alpha, method = short_run, seed = 1, verbose = FALSE
    )))
  }
})

test_that("a summary of draws that are almost all 0 has no gap", {
  fit <- quick_fit(noise, prior = prior_ibp(vague[[1]]), method = short_run)
  out <- suppressWarnings(summary(fit))
  expect_false(anyNA(as.data.frame(out$table)[c("mean", "sd", "q5", "q50", "q95")]))
})

test_that("alpha has its exact posterior under a vague prior", {
  prior <- vague[[2]]
  x <- matrix(c(1.6, 1.1, -1.4, -1.2), 2)
  counts <- class_counts(2, 12)
  k <- rowSums(counts)
  # As in test-gaussian-exact-learned.R: given Z alpha is Gamma(shape + K+, rate + H_2).
  rate <- prior$rate + 1.5
  shape <- prior$shape + k
  log_weights <- log_prior_ibp(counts, 2, 1) + 1.5 + lgamma(shape) - shape * log(rate) +
    spectral_log_lik(spectra(x, shared_counts(counts, 2)), 0.8, 1)
  expected <- colSums(
    exp(log_weights - log_sum_exp(log_weights)) *
      cbind(k == 0, k, shape / rate, pgamma(0.01, shape, rate))
  )
  expect_gt(min(expected[1], 1 - expected[1]), 0.1)
  of <- function(fit) {
    alpha <- scalar(fit, "alpha")
    size <- scalar(fit, "n_features")
    c(mean(size == 0), mean(size), mean(alpha), mean(alpha < 0.01))
  }
  replicates <- replicate_fits(
    x, sigma_x = 0.8, sigma_a = 1, prior = prior_ibp(prior), of = of, sweeps = 50000
  )
  expect_replicates(replicates, expected)
})

test_that("the noise of a column without an entry is held where its variance is a number", {
  unseen <- replace(noise, 11:20, NA)
  for (scales in c("feature", "common")) {
    expect_finite(suppressWarnings(fit_factor(
      unseen, center = FALSE, scales = scales, sigma_x = gamma_prior(1e-3, 1e3),
      method = method_gibbs(chains = 1, iter = 200), seed = 1, verbose = FALSE
    )))
  }
})
