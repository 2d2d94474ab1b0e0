# Data with missing entries. All results of a fit are compared with independent formulas.

full <- withr::with_seed(4, draw_gaussian(draw_buffet(12, 2), 5, 0.4, 1.2))
full <- matrix(full, 12, dimnames = list(paste0("r", 1:12), letters[1:5]))
x <- with_holes(full, 13)
hidden <- is.na(x)
positive <- abs(x)
fit_by <- function(sampler, data = x, ...) {
  method <- method_gibbs(chains = 2, iter = 60, sampler = sampler)
  quick_fit(data, ..., method = method)
}
normal_fits <- function() {
  once("missing", list(
    fit_by("collapsed"), fit_by("uncollapsed", sigma_x = 0.5), fit_by("slice", center = TRUE),
    fit_by("collapsed", prior = prior_beta_bernoulli(3), center = TRUE)
  ))
}
nonnegative_fits <- function() {
  once("missing nonnegative", list(
    fit_by("uncollapsed", positive, loadings = "nonnegative"),
    fit_by("slice", positive, loadings = "nonnegative", sigma_a = 2)
  ))
}
means_of <- function(fit) {
  if (any(fit$internal$model$data$center != 0)) colMeans(x, na.rm = TRUE) else rep(0, 5)
}
less_means <- function(fit, x) sweep(x, 2, means_of(fit))

test_that("the log likelihood of every draw is computed from the observed entries", {
  for (fit in normal_fits()) {
    expected <- vapply(whole_draws(fit), function(d) {
      naive_log_lik_observed(less_means(fit, x), d$z, d$sigma_x, d$sigma_a)
    }, 0)
    expect_equal(unname(scalars_of(fit)[, "log_lik"]), expected)
  }
  for (fit in nonnegative_fits()) {
    expected <- t(vapply(whole_draws(fit), function(d) {
      log_lik <- sum(stats::dnorm(positive, d$z %*% d$a, d$sigma_x, log = TRUE), na.rm = TRUE)
      log_prior <- sum(log(2) + stats::dnorm(d$a, 0, d$sigma_a, log = TRUE))
      c(log_lik, log_prior)
    }, c(0, 0)))
    s <- as.data.frame(scalars_of(fit))
    expect_equal(s$log_lik, expected[, 1])
    of_z <- vapply(seq_len(nrow(s)), function(i) {
      dibp(feature_draws(fit)[[i]], s$alpha[i], log = TRUE)
    }, 0)
    s2 <- stats::var(as.vector(positive), na.rm = TRUE)
    log_gamma <- function(x, rate) stats::dgamma(x, 1, rate, log = TRUE)
    hyper <- log_gamma(s$alpha, 1) + log_gamma(s$sigma_x^-2, s2)
    if (is_learned(fit$internal$model$sigma$sigma_a)) {
      hyper <- hyper + log_gamma(s$sigma_a^-2, s2)
    }
    expect_equal(s$log_joint, rowSums(expected) + of_z + hyper)
  }
})

test_that("held-out densities are means over draws of exact conditional densities", {
  densities <- function(fit, which) {
    Reduce(cbind, lapply(whole_draws(fit)[which], function(d) {
      if (fit$internal$model$loadings == "nonnegative") {
        return(stats::dnorm(full[hidden], (d$z %*% d$a)[hidden], d$sigma_x))
      }
      given <- naive_conditional(less_means(fit, x), d$z, d$sigma_x, d$sigma_a)
      sd <- sqrt(given$variance[hidden])
      stats::dnorm(less_means(fit, full)[hidden], given$mean[hidden], sd)
    }))
  }
  for (fit in c(normal_fits(), nonnegative_fits())) {
    out <- heldout_density(fit, full)
    expect_equal(out, log(rowMeans(densities(fit, 1:60))))
    # Observed entries are ignored, and entries that are not given have no density.
    expect_identical(heldout_density(fit, replace(full, !hidden, NA)), out)
    expect_identical(heldout_density(fit, replace(full, !hidden, 77)), out)
    unknown <- which(hidden)[3]
    said <- sprintf("^`actual` is also NA in 1 of %d left-out entries", length(out))
    expect_message(lost <- heldout_density(fit, replace(full, unknown, NA)), said)
    expect_identical(is.na(lost), seq_along(out) == 3)
    expect_equal(lost[-3], out[-3])
    expect_identical(heldout_density(fit, as.data.frame(full)), out)
    expect_identical(heldout_density(fit, Matrix::Matrix(full, sparse = TRUE)), out)
  }
})

test_that("fitted values, loadings and residuals are means given the observed entries", {
  for (fit in normal_fits()) {
    seen <- less_means(fit, x)
    expected <- mean_of(lapply(whole_draws(fit), function(d) {
      naive_conditional(seen, d$z, d$sigma_x, d$sigma_a)$mean
    }))
    expect_equal(fitted(fit), sweep(expected, 2, means_of(fit), "+"), ignore_attr = TRUE)
    point <- scalars_of(fit)[fit$internal$point, ]
    expected <- naive_loadings(seen, features(fit), point[["sigma_x"]], point[["sigma_a"]])
    expect_equal(loadings_of(fit), expected, ignore_attr = TRUE)
    expect_equal(
      as.numeric(logLik(fit)),
      naive_log_lik_observed(seen, features(fit), point[["sigma_x"]], point[["sigma_a"]])
    )
  }
  for (fit in nonnegative_fits()) {
    expected <- mean_of(lapply(whole_draws(fit), function(d) d$z %*% d$a))
    expect_equal(fitted(fit), expected, ignore_attr = TRUE)
    expect_gte(min(fit$internal$draws_loadings), 0)
    expect_gt(min(loadings_of(fit)), 0)
  }
  for (fit in c(normal_fits(), nonnegative_fits())) {
    seen <- if (fit$internal$model$loadings == "normal") x else positive
    expect_equal(residuals(fit), seen - fitted(fit))
    expect_identical(dimnames(fitted(fit)), dimnames(x))
    expect_identical(dimnames(loadings_of(fit)), list(colnames(features(fit)), letters[1:5]))
    expect_equal(predict(fit), fitted(fit))
  }
})

test_that("log_lik() has one column per observed entry or one per row", {
  for (fit in c(normal_fits()[1], nonnegative_fits()[1])) {
    entries <- withr::with_seed(1, log_lik(fit))
    expect_identical(dim(entries), c(60L, sum(!hidden)))
    rows <- withr::with_seed(1, log_lik(fit, by = "row"))
    index <- row(x)[!hidden]
    expect_equal(rows, t(rowsum(t(entries), index)), ignore_attr = TRUE)
    expect_identical(colnames(rows), rownames(x))
  }
  fit <- nonnegative_fits()[[1]]
  expected <- t(vapply(whole_draws(fit), function(d) {
    stats::dnorm(positive, d$z %*% d$a, d$sigma_x, log = TRUE)[!hidden]
  }, numeric(sum(!hidden))))
  expect_equal(log_lik(fit), expected, ignore_attr = TRUE)
})

test_that("everything works for a fit with missing entries", {
  for (fit in c(normal_fits()[3:4], nonnegative_fits())) expect_usable(fit)
})

test_that("columns without any values are named, even in matrices", {
  x <- cbind(small_data()[, 1:3], none = NA)
  colnames(x)[1:3] <- letters[1:3]
  method <- method_gibbs(1, 10)
  told <- "Columns without any values, for which the fit reflects only the prior: none."
  for (fit in list(fit_gaussian, fit_factor)) {
    expect_message(fit(x, method = method, seed = 1, verbose = FALSE), told, fixed = TRUE)
    expect_no_message(fit(x[, 1:3], method = method, seed = 1, verbose = FALSE))
  }
  responses <- cbind(a = rep(0:1, 5), none = NA)
  expect_message(
    fit_logistic(responses, method = method, seed = 1, verbose = FALSE), told, fixed = TRUE
  )
})
