# Draws of new rows whose factors are sparse, against enumeration with the normals integrated out.

#' Of every pattern of features and number of a row's own, and of a grid of the sum t of the squares
#' of its own weights: the log probability of what is observed, and the normal law of all entries
#' and of their means
laws_of_row <- function(fit, row) {
  one <- factor_draw(fit, 1)
  scalars <- scalars_of(fit)[1, ]
  cases <- next_cases(draw_features_cpp(unclass(fit$feature_draws), 1), scalars, 6)
  seen <- which(!is.na(row))
  log_t <- seq(-24, 5, by = 0.1)
  law <- function(bits, t, log_p) {
    held <- one$loadings[, bits == 1, drop = FALSE]
    signal <- tcrossprod(held) + diag(scalars[["sigma_a"]]^2 * t, length(row))
    if (length(seen) == 0) return(list(log_p = log_p, mean = 0 * one$sigma_x, covariance = signal))
    of_seen <- (signal + diag(one$sigma_x^2))[seen, seen, drop = FALSE]
    by <- signal[, seen, drop = FALSE] %*% solve(of_seen)
    root <- chol(of_seen)
    scaled <- backsolve(root, row[seen], transpose = TRUE)
    list(
      log_p = log_p - sum(log(diag(root))) - sum(scaled^2) / 2,
      mean = as.vector(by %*% row[seen]), covariance = signal - by %*% signal[seen, , drop = FALSE]
    )
  }
  unlist(lapply(seq_along(cases$log_p), function(case) {
    own <- cases$own[case]
    t <- if (own == 0) 0 else exp(log_t)
    log_w <- if (own == 0) 0 else stats::dchisq(t, own, log = TRUE) + log_t + log(0.1)
    Map(law, list(cases$bits[case, ]), t, cases$log_p[case] + log_w)
  }), FALSE)
}

#' Means, second moments and distribution functions at `cuts` of a mixture of such laws
features_of_laws <- function(laws, cuts, noise) {
  p <- vapply(laws, `[[`, 0, "log_p")
  p <- exp(p - log_sum_exp(p))
  size <- length(noise)
  rowSums(vapply(seq_along(laws), function(n) {
    mean <- laws[[n]]$mean
    covariance <- laws[[n]]$covariance + diag(noise^2)
    sd <- sqrt(diag(covariance))
    below <- stats::pnorm(outer(cuts, mean, `-`) / rep(sd, each = length(cuts)))
    p[n] * c(mean, covariance + mean %o% mean, below)
  }, numeric(size + size^2 + size * length(cuts))))
}

#' The same of draws, one a row
features_of_draws <- function(draws, cuts) {
  below <- lapply(seq_len(ncol(draws)), function(d) outer(draws[, d], cuts, `<=`))
  cbind(moments_of(draws), do.call(cbind, below) + 0)
}

one_sparse_draw <- function(...) {
  x <- withr::with_seed(21, draw_gaussian(small_z, 3, 0.5, 1.2))
  fit_factor(x, sparse = "factors", ..., sigma_a = 1.2, scales = "common", prior = prior_ibp(2),
    init = small_z, method = method_gibbs(1, 1, warmup = 0), seed = 1, verbose = FALSE)
}

test_that("a new row of sparse factors has the law of enumeration, weights integrated out", {
  fit <- one_sparse_draw(sigma_x = c(0.4, 0.6, 0.5), scale = TRUE)
  sigma_x <- factor_draw(fit, 1)$sigma_x
  cuts <- c(-1, -0.2, 0.3, 1.5)
  for (row in list(c(0.7, -0.9, NA), c(2.5, NA, -0.2), c(NA_real_, NA, NA))) {
    laws <- laws_of_row(fit, as.vector(in_model_units(fit, t(row))))
    new <- matrix(row, 3000, 3, byrow = TRUE)
    draws <- withr::with_seed(1, posterior_predict(fit, new, ndraws = 1))[1, , ]
    draws <- features_of_draws(in_model_units(fit, draws), cuts)
    exact <- features_of_laws(laws, cuts, sigma_x)
    # Distribution functions where draws are to be expected on both sides.
    told <- seq_along(exact) <= 12 | (exact > 0.02 & exact < 0.98)
    expect_replicates(draws[, told], exact[told])
    means <- withr::with_seed(2, posterior_epred(fit, new, ndraws = 1))[1, , ]
    exact <- features_of_laws(laws, cuts, 0 * sigma_x)
    expect_replicates(moments_of(in_model_units(fit, means)), exact[1:12])
    predicted <- in_model_units(fit, predict_anew(fit, t(row), 200))
    expect_replicates(predicted, exact[1:3])
  }
})

test_that("new rows of all weights are those that predict() averages, with noise", {
  for (weights in c("nonnegative", "laplace", "counts")) {
    fit <- one_sparse_draw(weights = weights, sigma_x = 0.5)
    row <- matrix(c(0.7, NA, -0.4), 1)
    new <- row[rep(1, 1500), ]
    means <- withr::with_seed(1, posterior_epred(fit, new, ndraws = 1))[1, , ]
    expected <- predict_anew(fit, row, 200)
    gap <- (colMeans(means) - colMeans(expected)) /
      sqrt(apply(means, 2, stats::var) / 1500 + apply(expected, 2, stats::var) / 200)
    expect_lt(max(abs(gap)), 4.5)
    draws <- withr::with_seed(1, posterior_predict(fit, new, ndraws = 1))[1, , ]
    noise <- draws - means
    expect_replicates(cbind(noise, noise^2), rep(c(0, 0.25), each = 3))
  }
})
