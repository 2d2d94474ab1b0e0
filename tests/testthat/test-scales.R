# Where rounding errors or the priors' own scale have led chains astray.

test_that("with little noise a chain that starts at the truth stays near it", {
  # 16 features that overlap, in 8 columns: a hundredth of the loadings' size in noise tells all.
  for (seed in c(2, 6, 7)) {
    x <- withr::with_seed(seed, draw_gaussian(draw_buffet(30, 3), 8, 0.01, 1))
    z <- attr(x, "features")
    truth <- naive_log_lik(x, z, 0.01, 1) + dibp(z, 3, log = TRUE)
    fit <- within(60, quick_fit(
      x, sigma_x = 0.01, sigma_a = 1, prior = prior_ibp(3), init = z,
      method = method_gibbs(chains = 2, iter = 50, warmup = 0)
    ))
    # A draw of the posterior may be worse than the truth, but not by a hundred nats.
    expect_gt(min(scalars_of(fit)[, "log_joint"]), truth - 100)
  }
})

test_that("data far larger or smaller than the priors expect give a fit in little time", {
  noise <- withr::with_seed(1, matrix(stats::rnorm(30), 10))
  for (scale in 10^c(-99, -20, -6, -3, 2, 3, 4, 6, 20, 99)) {
    fit <- within(20, quick_fit(noise * scale))
    s <- scalars_of(fit)
    expect_true(all(is.finite(s)))
    expect_lt(max(s[, "n_features"]), 100)
  }
})

test_that("a row far from all others does not take ever more features of its own", {
  for (seed in 1:3) {
    x <- withr::with_seed(seed, block_images(50))
    x[3, 3] <- 1e4
    fit <- within(20, quick_fit(x, method = method_gibbs(chains = 2, iter = 300)))
    expect_lt(max(scalars_of(fit)[, "n_features"]), 50)
  }
})

test_that("nonnegative loadings may be fitted with very little noise", {
  z <- matrix(c(1, 1, 1, 0, 0, 0, 0, 1, 1, 1), 5)
  x <- z %*% matrix(c(3, 1, 0.5, 2), 2)
  for (sampler in c("uncollapsed", "slice")) {
    fit <- within(60, quick_fit(
      x, loadings = "nonnegative", sigma_x = 5e-4, sigma_a = 1,
      method = method_gibbs(chains = 2, iter = 100, sampler = sampler)
    ))
    expect_true(all(is.finite(scalars_of(fit))))
  }
  expect_error(quick_fit(x, sigma_x = 5e-4, sigma_a = 1), "^`sigma_x` must .* a thousandth of ")
})
