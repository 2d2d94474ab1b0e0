# Fits to binary data: seeds, forms of data, starts, order of features, recovery of the truth.

short <- method_gibbs(chains = 2, iter = 60)

planted <- withr::with_seed(9, {
  z <- matrix(stats::rbinom(600, 1, 0.4), 200)
  draw_binary(z, cbind(stats::rnorm(30), matrix(stats::rnorm(90, sd = 3), 30)))
})

test_that("chains start from the features and the learned values of a fit", {
  one <- method_gibbs(chains = 2, iter = 1, warmup = 0)
  first <- quick_logistic(planted, method = method_gibbs(chains = 2, iter = 100))
  second <- quick_logistic(planted, init = first, method = one)
  agreement <- abs(stats::cor(feature_draws(first)[[50]], feature_draws(second)[[1]]))
  expect_gt(sort(apply(agreement, 2, max), decreasing = TRUE)[3], 0.8)
  # A fit with a different likelihood, or without biases, can also be a start: its values are moved
  # into the range.
  gaussian <- quick_fit(planted, sigma_a = gamma_prior(1e6, 1), method = method_gibbs(1, 20))
  expect_s3_class(quick_logistic(planted, init = gaussian, method = one), "fit_logistic")
  without <- quick_logistic(small_binary(), bias = FALSE, method = short)
  expect_s3_class(quick_logistic(small_binary(), init = without, method = short), "fit_logistic")
  expect_s3_class(quick_fit(small_binary(), init = without, method = short), "fit_gaussian")
})

test_that("rows of known features are matched by name", {
  y <- small_binary()
  z <- cbind(rep(0:1, 5), c(1, 1, 1, 0, 0))
  named <- `rownames<-`(z, rownames(y))
  fit <- quick_logistic(prior = prior_fixed(z), method = short)
  turned <- quick_logistic(prior = prior_fixed(named[10:1, ]), method = short)
  expect_identical(turned, quick_logistic(prior = prior_fixed(named), method = short))
  expect_identical(scalars_of(turned), scalars_of(fit))
  expect_equal(unname(left_order(features(fit))), left_order(z))
  expect_identical(unique(scalars_of(fit)[, "n_features"]), 2)
  expect_error(
    quick_logistic(prior = prior_fixed(z[1:9, ])),
    "^`z` must have a row per row of the data \\(10\\), not a 9 x 2 numeric matrix\\.$"
  )
  rownames(named)[3] <- "other"
  expect_error(quick_logistic(prior = prior_fixed(named)), paste0(
    "^`z` must have a row named like every row of the data, or no row names, ",
    "not one without \"row3\"\\.$"
  ))
})

test_that("standard deviations at the limits of their range, or vague priors, give finite draws", {
  for (sigma in c(0.01, 30)) {
    for (sampler in c("uncollapsed", "neal")) {
      fit <- quick_logistic(
        sigma_a = sigma, bias = sigma, method = method_gibbs(1, 40, sampler = sampler)
      )
      expect_true(all(is.finite(scalars_of(fit))))
      expect_true(all(is.finite(log_lik(fit))))
      expect_true(all(is.finite(predict(fit, small_binary()))))
    }
  }
  for (prior in list(gamma_prior(1e-300, 1), gamma_prior(1, 1e-300), gamma_prior(1, 1e300))) {
    s <- scalars_of(quick_logistic(sigma_a = prior, bias = prior, method = short))
    expect_true(all(is.finite(s)))
    sigma <- s[, c("sigma_a", "sigma_b")]
    expect_true(all(sigma > 0.01 - 1e-9 & sigma < 30 + 1e-9))
  }
})
