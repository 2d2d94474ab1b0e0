# Separate noise for each column, that is, fit_gaussian(noise = "column").

#' Data with two features in six columns; every second column is ten times as noisy as the others
noisy_columns <- function(rows = 60, seed = 21) {
  withr::with_seed(seed, {
    z <- matrix(stats::rbinom(2 * rows, 1, 0.5), rows)
    a <- matrix(stats::rnorm(12, sd = 1.5), 2)
    sigma <- rep(c(0.2, 2), 3)
    x <- z %*% a + stats::rnorm(6 * rows, sd = rep(sigma, each = rows))
  })
  colnames(x) <- letters[1:6]
  structure(x, features = z, loadings = a, sigma = sigma)
}

column_fit <- function(x, ..., chains = 2, iter = 300) {
  quick_fit(x, noise = "column", ..., method = method_gibbs(chains, iter))
}
noisy_fit <- function() once("noisy", column_fit(plain(noisy_columns()), iter = 1000))
plain <- function(x) matrix(x, nrow(x), dimnames = dimnames(x))

#' Sets one in six entries to NA
with_holes <- function(x) withr::with_seed(22, replace(x, sample(length(x), length(x) / 6), NA))

#' The mean of Z A given Z, column by column, and the log likelihood, computed from their
#' definitions
naive_columns <- function(x, z, sigma, sigma_a) {
  each <- lapply(seq_along(sigma), function(j) {
    seen <- !is.na(x[, j])
    v <- sigma_a^2 * tcrossprod(z)
    of_seen <- v[seen, seen] + sigma[j]^2 * diag(sum(seen))
    list(
      fitted = v[, seen] %*% solve(of_seen, x[seen, j]),
      log_lik = naive_log_lik(x[seen, j, drop = FALSE], z[seen, , drop = FALSE], sigma[j], sigma_a)
    )
  })
  list(
    fitted = do.call(cbind, lapply(each, `[[`, "fitted")),
    log_lik = sum(vapply(each, `[[`, 1, "log_lik"))
  )
}

test_that("the features and the noise of each column are recovered", {
  x <- noisy_columns()
  fit <- noisy_fit()
  expect_identical(dim(features(fit)), c(60L, 2L))
  expect_equal(tcrossprod(features(fit)), tcrossprod(attr(x, "features")), ignore_attr = TRUE)
  sigma <- attr(loadings_of(fit), "sigma_x")
  expect_named(sigma, letters[1:6])
  # Given the true values of everything else, 1/sigma^2 ~ Gamma(1 + 60 / 2, s^2 + (the sum of
  # squares of its residuals) / 2).
  rest <- plain(x) - attr(x, "features") %*% attr(x, "loadings")
  expected <- sqrt((apply(plain(x), 2, stats::var) + colSums(rest^2) / 2) / 31)
  expect_lt(max(abs(log(sigma / expected))), 0.2)
  expect_equal(mean(scalars_of(fit)[, "sigma_x"]), sqrt(mean(expected^2)), tolerance = 0.1)
})

test_that("a single number for all columns is equivalent to equal numbers", {
  x <- plain(noisy_columns(20))
  one <- column_fit(x, sigma_x = 0.7)
  each <- column_fit(x, sigma_x = rep(0.7, 6))
  expect_identical(scalars_of(each), scalars_of(one))
  expect_identical(fitted(each), fitted(one))
  expect_equal(unname(attr(loadings_of(one), "sigma_x")), rep(0.7, 6))
})

test_that("log likelihoods and mean loadings agree with the normal distributions of the columns", {
  x <- with_holes(plain(noisy_columns()))
  sigma <- attr(noisy_columns(), "sigma")
  fit <- column_fit(x, sigma_x = sigma, sigma_a = 1.5)
  z <- features(fit)
  truth <- naive_columns(x, z, sigma, 1.5)
  expect_equal(as.numeric(logLik(fit)), truth$log_lik)
  a <- loadings_of(fit)
  expect_equal(unname(z %*% a), unname(truth$fitted), ignore_attr = TRUE)
  expect_equal(attr(a, "sigma_x"), stats::setNames(sigma, letters[1:6]))
})

test_that("features of new rows have their exact probabilities given the loadings and the noise", {
  sigma <- attr(noisy_columns(), "sigma")
  fit <- column_fit(
    plain(noisy_columns()), sigma_x = sigma, sigma_a = 1.5, prior = prior_ibp(1e-6), iter = 500
  )
  # Only noisy columns are observed, because single-bit sweeps would otherwise mix too slowly.
  rows <- rbind(c(NA, 1, NA, 2, NA, -1), c(NA, -1, NA, NA, NA, 0), NA)
  z <- as.matrix(expand.grid(0:1, 0:1))
  kept <- matrix(select_loadings(fit, fit$internal$point), 6)
  expect_equal(kept[, 1], sigma)
  # The order is the order of features(), by decreasing size.
  drawn <- draw_features_cpp(unclass(fit$feature_draws), fit$internal$point)
  a <- t(kept[, -1])[order(-colSums(drawn)), ]
  held <- colSums(features(fit)) / 61
  expected <- t(apply(rows, 1, function(x) {
    log_weights <- apply(z, 1, function(on) {
      sum(log(ifelse(on == 1, held, 1 - held))) +
        sum(stats::dnorm(x, on %*% a, sigma, log = TRUE), na.rm = TRUE)
    })
    weights <- exp(log_weights - max(log_weights))
    colSums(z * weights) / sum(weights)
  }))
  expect_lt(max(abs(predict(fit, rows, type = "features") - expected)), 0.1)
  expect_gt(sum(expected > 0.1 & expected < 0.9), 2)
})

test_that("the description, the priors and the plots mention the noise of columns", {
  fit <- noisy_fit()
  expect_match(format(fit)[1], "with noise per column$")
  priors <- prior_summary(fit)
  rates <- format(range(apply(plain(noisy_columns()), 2, stats::var)), digits = 4)
  shown <- priors$prior[priors$parameter == "sigma_x"]
  expect_match(shown, paste(rates, collapse = " to "), fixed = TRUE)
  expect_match(
    shown, ") on 1/sigma^2 of each column, sigma_x at least sigma_a / 1000", fixed = TRUE
  )
  given <- column_fit(plain(noisy_columns(10)), sigma_x = rep(c(0.2, 2), 3), iter = 10)
  expect_true("0.2 to 2.0 of each column" %in% prior_summary(given)$prior)
})

test_that("options that are incompatible with noise = \"column\" are rejected", {
  x <- plain(noisy_columns(10))
  with_noise <- function(...) column_fit(x, ..., iter = 2)
  expect_refusals(\(v) quick_fit(x, noise = v), "noise", not_choices)
  wrong <- list(
    NA, "a", c(1, 2), rep(-1, 6), c(NA, rep(1, 5)), c(Inf, rep(1, 5)), c(0, rep(1, 5)),
    rep("1", 6), list(1, 1, 1, 1, 1, 1), matrix(1, 6), 0, c(1e-7, rep(1, 5)), rep(1e-300, 6)
  )
  expect_refusals(\(v) with_noise(sigma_x = v), "sigma_x", wrong)
  expect_refusals(\(v) with_noise(sigma_x = c(0.5, rep(10, 5)), sigma_a = v), "sigma_x", list(1e3))
  expect_refusals(\(v) with_noise(loadings = v), "loadings", list("nonnegative"))
  expect_refusals(\(v) with_noise(init = list(sigma_x = v)), "init\\$sigma_x", list(rep(1, 6)))
  with_sampler <- function(sampler) {
    quick_fit(x, noise = "column", method = method_gibbs(sampler = sampler))
  }
  expect_refusals(with_sampler, "sampler", list("collapsed", "slice"))
  expect_refusals(\(v) quick_fit(x, noise = "column", method = v), "method", list(method_meibp()))
  data <- list(Matrix::Matrix(x, sparse = TRUE), row_blocks(function(i) x[i * 5 - 4:0, ], 2))
  expect_refusals(\(v) quick_fit(v, noise = "column"), "x", data)
})
