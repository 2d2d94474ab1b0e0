# Chains with at most `max_features` features have the posterior given this limit.

at_most <- function(n, ..., chains = 2, iter = 300) {
  method_gibbs(chains = chains, iter = iter, ..., max_features = n)
}

#' Expects at most `most` features in all saved draws, and exactly `most` in at least one draw
expect_reached <- function(fit, most) {
  expect_identical(max(scalars_of(fit)[, "n_features"]), as.double(most))
  expect_lte(max(vapply(seq_along(feature_draws(fit)), function(i) {
    ncol(feature_draws(fit)[[i]])
  }, 1L)), most)
}

test_that("no draw has more than max_features features, whatever the model", {
  x <- small_data()
  tree <- prior_pibp(caterpillar(8, rownames(x)))
  for (sampler in c("collapsed", "uncollapsed", "slice")) {
    expect_reached(quick_fit(x, method = at_most(1, sampler = sampler)), 1)
  }
  expect_reached(quick_fit(x, noise = "column", method = at_most(1)), 1)
  expect_reached(quick_fit(x, prior = tree, method = at_most(1)), 1)
  expect_reached(quick_fit(x, prior = prior_beta_bernoulli(5), method = at_most(2)), 2)
  expect_reached(quick_fit(x, prior = prior_beta_bernoulli(2), method = at_most(5)), 2)
  expect_reached(quick_fit(x, prior = prior_ibp(9, 2, 0.3), method = at_most(3)), 3)
  for (sampler in c("uncollapsed", "slice")) {
    expect_reached(quick_fit(abs(x), "nonnegative", method = at_most(1, sampler = sampler)), 1)
  }
  for (sampler in c("uncollapsed", "neal")) {
    expect_reached(quick_logistic(method = at_most(1, sampler = sampler)), 1)
  }
  for (prior in list(prior_ibp(), prior_pibp(celebrity_tree))) {
    expect_reached(quick_choice(prior = prior, method = at_most(4, chains = 1)), 4)
  }
})

test_that("fits match the exact posterior given a limit on the number of features", {
  skip_if_quick()
  x <- matrix(c(1.9, -0.4, 1.2, 0.3, 1.6, -1.1), 3)
  possible <- c(1:3, 6:12) # but P(K+ = 3) and P(K+ = 4)
  counts <- class_counts(3, 2)
  shared <- shared_counts(counts, 3)
  log_weights <- log_prior_ibp(counts, 3, 1.4) + spectral_log_lik(spectra(x, shared), 0.7, 1.3)
  for (sampler in c("collapsed", "slice")) {
    method <- method_gibbs(
      chains = 1, iter = sized(1400, 5400), warmup = 400, sampler = sampler, max_features = 2
    )
    replicates <- t(vapply(1:20, function(seed) {
      fit <- quick_fit(
        x, sigma_x = 0.7, sigma_a = 1.3, prior = prior_ibp(1.4), method = method, seed = seed
      )
      estimates(fit)[possible]
    }, numeric(10)))
    expect_replicates(replicates, expectations(log_weights, counts, shared)[possible])
  }
})

test_that("starts with more features than the limit are rejected", {
  x <- small_data()
  z <- diag(8)[, 1:3]
  for (init in list(z, list(features = z), list(z, z))) {
    expect_error(
      quick_fit(x, init = init, method = at_most(2)),
      "^`init` must have at most 2 features, the limit `max_features`, not"
    )
  }
  expect_error(
    quick_fit(x, init = z, prior = prior_beta_bernoulli(2)),
    "^`init` must have at most 2 features, as the prior does, not"
  )
  expect_error(quick_logistic(init = diag(10), method = at_most(2)), "^`init` must have at most 2")
  expect_error(quick_choice(init = diag(9), method = at_most(2)), "^`init` must have at most 2")
  expect_reached(quick_fit(x, init = z, method = at_most(3)), 3)
  expect_reached(quick_fit(x, init = cbind(z, 0), method = at_most(3)), 3)
})

test_that("a limit below the number of known features is rejected", {
  expect_error(
    quick_choice(prior = prior_fixed(diag(9)), method = at_most(8)),
    "^`max_features` must be at least 9, the number of known features, not 8.$"
  )
  expect_error(quick_logistic(prior = prior_fixed(diag(10)), method = at_most(9)), "at least 10")
  expect_s3_class(
    quick_choice(prior = prior_fixed(diag(9)), method = at_most(9, iter = 20)), "fit_choice"
  )
})

test_that("the method and the prior of the number of features report the limit", {
  expect_match(format(at_most(7)), ", at most 7 features$")
  expect_no_match(format(method_gibbs()), "at most")
  prior <- prior_ibp(gamma_prior(2, 1))
  p <- limited_n_features(prior, 5, 0:6, 4)
  expect_equal(sum(p), 1)
  expect_identical(p[6:7], c(0, 0))
  expect_equal(p[1:5] / p[1], prior_n_features(prior, 5, 0:4) / prior_n_features(prior, 5, 0))
  expect_s3_class(plot(quick_fit(small_data(), method = at_most(2)), "n_features"), "ggplot")
})

test_that("a limit that chains do not reach changes nothing", {
  for (sampler in c("collapsed", "uncollapsed", "slice")) {
    fits <- lapply(list(NULL, 1e6, .Machine$integer.max), function(most) {
      fit <- quick_fit(small_data(), method = at_most(most, sampler = sampler))
      fit[c("draws", "feature_draws")]
    })
    expect_identical(fits[[2]], fits[[1]])
    expect_identical(fits[[3]], fits[[1]])
  }
})

test_that("new rows may have more features than the limit", {
  fit <- quick_fit(small_data(), method = at_most(1))
  expect_true(all(is.finite(predict(fit, small_data() + 1))))
})
