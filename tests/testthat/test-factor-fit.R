# Factor models: recovery of the truth, seeds, both orientations, missing entries, and every prior
# of the weights.

with_gaps <- function(x) replace(x, c(3, 20, 50), NA)

#' Distribution of the entries that are missing in `holes` given the rest of their rows, from the
#' covariance of the columns
conditional_densities <- function(fit, draw, holes, x) {
  one <- factor_draw(fit, draw)
  covariance <- tcrossprod(one$loadings) + diag(one$sigma_x^2)
  centre <- fit$internal$model$data$center
  densities <- NA * x
  for (i in which(rowSums(is.na(holes)) > 0)) {
    for (j in which(is.na(holes[i, ]))) {
      seen <- !is.na(holes[i, ])
      on <- solve(covariance[seen, seen], covariance[seen, j])
      mean <- centre[j] + sum(on * (holes[i, ] - centre)[seen])
      sd <- sqrt(covariance[j, j] - sum(on * covariance[seen, j]))
      densities[i, j] <- stats::dnorm(x[i, j], mean, sd)
    }
  }
  densities[is.na(holes)]
}

test_that("simulated data, their densities and held-out densities agree with the draws", {
  x <- small_factor_data()
  holes <- with_gaps(x)
  for (sparse in c("loadings", "factors")) {
    fit <- quick_factor(holes, sparse = sparse)
    each <- log_lik(fit, ndraws = 400 / 2)
    expect_identical(dim(each), c(200L, sum(!is.na(holes))))
    hidden <- which(is.na(holes))
    by_draw <- vapply(seq_along(fit$feature_draws), function(draw) {
      if (sparse == "loadings") return(conditional_densities(fit, draw, holes, x))
      entries <- factor_entries(fit, draw)
      stats::dnorm(x[hidden], entries$mean[hidden], entries$sigma_x[hidden])
    }, numeric(3))
    expect_equal(heldout_density(fit, x), log(rowMeans(by_draw)))
    replicate <- posterior_predict(fit, ndraws = 50)
    expect_identical(dim(replicate), c(50L, dim(x)))
    expect_lt(abs(mean(replicate) - mean(x)), 0.3)
  }
})

#' The leave-one-out mean squared error of a ridge regression of a column, with an intercept, on the
#' other columns, for the best of several penalties
left_out_error <- function(z, j) {
  errors <- vapply(10^seq(-6, 1, by = 0.5), function(ridge) {
    sum(vapply(seq_len(nrow(z)), function(i) {
      others <- scale(z[-i, -j, drop = FALSE], scale = FALSE)
      y <- z[-i, j]
      slope <- solve(crossprod(others) + ridge * diag(ncol(others)), crossprod(others, y - mean(y)))
      at <- z[i, -j] - attr(others, "scaled:center")
      (z[i, j] - mean(y) - sum(at * slope))^2
    }, 1))
  }, 1)
  min(errors)
}

test_that("the default prior of the noise is based on the errors of ridge regressions", {
  x <- as.matrix(mtcars)
  z <- unit_columns(scale(x, scale = FALSE))
  residual <- apply(x, 2, stats::var) * vapply(1:11, function(j) left_out_error(z, j), 1)
  expect_equal(residual_variances(x), unname(residual))
  wide <- withr::with_seed(1, matrix(stats::rnorm(60), 6))
  z <- unit_columns(scale(wide, scale = FALSE))
  shares <- pmin(1, vapply(1:10, function(j) left_out_error(z, j), 1))
  # With the smallest penalty, some digits are lost.
  expect_equal(residual_variances(wide), apply(wide, 2, stats::var) * shares, tolerance = 1e-5)
  # If there are many rows, the variances agree with ordinary regressions.
  made <- sparse_factors(2, rows = 20000, columns = 6, factors = 2)$x
  by_lm <- vapply(1:6, function(j) summary(stats::lm(made[, j] ~ made[, -j]))$sigma^2, 1)
  expect_equal(residual_variances(made), by_lm, tolerance = 0.01)
  # Special cases: missing entries in data with constant and empty columns, a single column, and
  # only constant columns.
  expect_true(all(residual_variances(with_gaps(cbind(made[1:30, ], 1, NA))) > 0))
  expect_equal(residual_variances(cbind(c(1, 2, 4))), stats::var(c(1, 2, 4)))
  expect_identical(residual_variances(matrix(2, 3, 2)), c(4, 4))
  fit <- quick_factor(x, method = method_gibbs(chains = 1, iter = 2))
  expect_equal(
    unclass(fit$internal$model$sigma$sigma_x), list(shape = 2.5, rate = 2.5 * unname(residual))
  )
  common <- quick_factor(x, noise = "common", method = method_gibbs(chains = 1, iter = 2))
  expect_equal(common$internal$model$sigma$sigma_x, gamma_prior(2.5, 2.5 * mean(residual)))
})

test_that("high correlations in data with few rows are not shrunk", {
  x <- withr::with_seed(4, stats::rnorm(50) + matrix(stats::rnorm(200, sd = 0.1), 50))
  fit <- quick_factor(scale(x), method = method_gibbs(chains = 2, iter = sized(400, 1000)))
  expect_lt(max(abs(stats::cov2cor(vcov(fit)) - stats::cor(x))), 0.005)
  expect_lt(max(abs(diag(vcov(fit)) - 1)), 0.15)
})

test_that("every feature has its own scale unless all features are to share one", {
  scales_of <- function(scales) {
    fit <- quick_factor(small_factor_data(), scales = scales)
    draw <- which(scalar(fit, "n_features") > 1)[1]
    kept <- matrix(select_loadings(fit, draw), fit$internal$model$loading_width)
    expect_equal(kept[nrow(kept), 1], scalar(fit, "sigma_a")[draw])
    unique(kept[nrow(kept), -1] / kept[nrow(kept), 1])
  }
  expect_equal(scales_of("common"), 1)
  expect_gt(length(scales_of("feature")), 1)
})

test_that("only fits with sparse loadings have a covariance matrix of the columns", {
  fit <- quick_factor(small_factor_data(), sparse = "factors")
  expect_error(vcov(fit), "^`object` must have sparse loadings, not sparse = \"factors\"\\.$")
})

test_that("prior_summary() names the precisions that have different priors", {
  prior_of <- function(...) {
    fit <- fit_factor(scale(datasets::swiss), ..., method = short, seed = 1, verbose = FALSE)
    subset(prior_summary(fit), parameter == "sigma_a")$prior
  }
  short <- method_gibbs(chains = 1, iter = 20, warmup = 5, cores = 1)
  # The data have 47 rows, and every column is scaled.
  rate <- format(6 * 46 / (6 * 47 - 1), digits = 4)
  common <- sprintf("Gamma(shape = 1, rate = %s) on 1/sigma^2", rate)
  expect_identical(prior_of(scales = "common"), common)
  expect_identical(prior_of(), paste0(common, ", times Gamma(shape = 1, rate = 1) of each feature"))
})

# Draws of new rows with sparse factors, compared with enumeration that integrates out the normals.

#' For every pattern of features and number of singletons of a row, and for every value of t, the
#' sum of squares of their weights, on a grid: the log probability of the observed entries, and the
#' normal distribution of all entries and of their means
laws_of_row <- function(fit, row) {
  one <- factor_draw(fit, 1)
  scalars <- scalars_of(fit)[1, ]
  cases <- next_cases(draw_features_cpp(unclass(fit$feature_draws), 1), scalars[["alpha"]], 6)
  seen <- which(!is.na(row))
  step <- sized(0.25, 0.1)
  log_t <- seq(-24, 5, by = step)
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
    log_w <- if (own == 0) 0 else stats::dchisq(t, own, log = TRUE) + log_t + log(step)
    Map(law, list(cases$bits[case, ]), t, cases$log_p[case] + log_w)
  }), FALSE)
}

#' Means, second moments and distribution functions at `cuts` of a mixture of these distributions
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

#' The same features computed from draws, with one draw per row
features_of_draws <- function(draws, cuts) {
  below <- lapply(seq_len(ncol(draws)), function(d) outer(draws[, d], cuts, `<=`))
  cbind(moments_of(draws), do.call(cbind, below) + 0)
}

one_sparse_draw <- function(...) {
  x <- withr::with_seed(21, draw_gaussian(small_z, 3, 0.5, 1.2))
  fit_factor(x, sparse = "factors", ..., sigma_a = 1.2, scales = "common", prior = prior_ibp(2),
    init = small_z, method = method_gibbs(1, 1, warmup = 0), seed = 1, verbose = FALSE)
}

test_that("new rows with sparse factors agree with enumeration, with the weights integrated out", {
  fit <- one_sparse_draw(sigma_x = c(0.4, 0.6, 0.5), scale = TRUE)
  sigma_x <- factor_draw(fit, 1)$sigma_x
  cuts <- c(-1, -0.2, 0.3, 1.5)
  for (row in list(c(0.7, -0.9, NA), c(NA_real_, NA, NA), c(2.5, NA, -0.2))[sized(1:2, 1:3)]) {
    laws <- laws_of_row(fit, as.vector(in_model_units(fit, t(row))))
    new <- matrix(row, sized(1000, 3000), 3, byrow = TRUE)
    draws <- withr::with_seed(1, posterior_predict(fit, new, ndraws = 1))[1, , ]
    draws <- features_of_draws(in_model_units(fit, draws), cuts)
    exact <- features_of_laws(laws, cuts, sigma_x)
    # Distribution functions are compared at points with draws on both sides.
    told <- seq_along(exact) <= 12 | (exact > 0.02 & exact < 0.98)
    expect_replicates(draws[, told], exact[told])
    means <- withr::with_seed(2, posterior_epred(fit, new, ndraws = 1))[1, , ]
    exact <- features_of_laws(laws, cuts, 0 * sigma_x)
    expect_replicates(moments_of(in_model_units(fit, means)), exact[1:12])
    predicted <- in_model_units(fit, predict_anew(fit, t(row), 200))
    expect_replicates(predicted, exact[1:3])
  }
})

test_that("under all priors of weights, draws of new rows have the means of predict(), and noise", {
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

test_that("the fit does not depend on the units of the data, but extreme units are rejected", {
  x <- small_factor_data()
  fit_of <- function(unit) {
    fit_factor(x * unit, method = method_gibbs(1, 60), seed = 1, verbose = FALSE)
  }
  expect_identical(features(fit_of(2^-190)), features(fit_of(1)))
  expect_identical(features(fit_of(2^190)), features(fit_of(1)))
  for (unit in c(1e-70, 1e70)) {
    must <- "^`x` must have a largest entry between 1e-60 and 1e60 in size, not .*: multiply it by"
    expect_error(fit_of(unit), must)
  }
})
