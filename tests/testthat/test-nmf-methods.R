# Methods for nonnegative matrix factorisations.

test_that("fitted values and residuals agree with the mean over draws", {
  for (fit in nmf_fits()) {
    means <- lapply(naive_factors(fit), \(f) f$w %*% f$a)
    expected <- Reduce(`+`, means) / length(means)
    expect_equal(unname(fitted(fit)), expected)
    expect_identical(dimnames(fitted(fit)), dimnames(nmf_data()))
    expect_equal(residuals(fit), model_data(fit) - fitted(fit))
    expect_identical(predict(fit), fitted(fit))
    expect_identical(predict(fit, type = "weights"), weights_of(fit))
    expect_identical(nobs(fit), 20L)
  }
})

test_that("held-out density agrees with the mean over draws of densities", {
  x <- nmf_data()
  for (fit in list(icm_holes(), chains_holes())) {
    hidden <- is.na(nmf_holes())
    sigma_x <- as.vector(fit$internal$scalars[, , "sigma_x"])
    densities <- mapply(function(f, s) {
      stats::dnorm(x[hidden], (f$w %*% f$a)[hidden], s)
    }, naive_factors(fit), sigma_x)
    expect_equal(heldout_density(fit, x), log(rowMeans(densities)))
    expect_identical(heldout_density(fit, x * NA), rep(NA_real_, 20))
    # Far from the data, densities underflow to 0.
    far <- heldout_density(fit, x + 1e4)
    expect_true(all(is.finite(far) & far < -1e5))
  }
  expect_error(
    heldout_density(icm_fit(), x), "^`fit` must be a fit to data with missing entries\\.$"
  )
})

test_that("weights of new rows are at their mode, and missing entries are ignored", {
  fit <- icm_holes()
  new <- withr::with_seed(3, nmf_data()[1:5, ] + stats::rnorm(30, sd = 0.1))
  new[2, 1:3] <- NA
  new[4, ] <- NA
  w <- predict(fit, new, type = "weights")
  expect_identical(dimnames(w), list(rownames(new), c("c1", "c2")))
  a <- loadings_of(fit)
  log_density <- function(v, x) {
    sum(stats::dnorm(x, drop(v %*% a), glance(fit)$sigma_x, log = TRUE), na.rm = TRUE) -
      0.7 * sum(v)
  }
  for (i in c(1:3, 5)) {
    best <- stats::optim(
      c(1, 1), log_density, x = new[i, ], lower = 0, method = "L-BFGS-B",
      control = list(fnscale = -1, factr = 10)
    )
    expect_equal(unname(w[i, ]), best$par, tolerance = 1e-4)
  }
  expect_equal(predict(fit, new), w %*% a)
  # If nothing is observed, the weights have their prior mean.
  expect_identical(unname(w[4, ]), rep(1 / 0.7, 2))
  # The weights of the rows in the data are modes as well.
  fit <- icm_fit()
  expect_equal(predict(fit, nmf_data(), type = "weights"), weights_of(fit), tolerance = 1e-3)
})

test_that("weights of new rows are means over draws", {
  fit <- chains_holes()
  new <- nmf_data()[1:4, ]
  new[3, ] <- NA
  w <- predict(fit, new, type = "weights")
  # If nothing is observed, the result is the prior mean.
  expect_lt(max(abs(w["row3", ] - 1 / 0.7)), 0.5)
  expect_identical(predict(fit, new, type = "weights"), w)
  draw <- fit$internal$point
  sigma_x <- scalars_of(fit)[draw, "sigma_x"]
  a <- loadings_of(fit)
  # The exact mean, computed on a grid.
  grid <- as.matrix(expand.grid(seq(0.005, 6, 0.02), seq(0.005, 6, 0.02)))
  for (i in c(1, 2, 4)) {
    gap <- rep(new[i, ], each = nrow(grid)) - grid %*% a
    density <- exp(-rowSums(gap^2) / (2 * sigma_x^2) - 0.7 * rowSums(grid))
    mean <- colSums(density * grid) / sum(density)
    spread <- sqrt(colSums(density * grid^2) / sum(density) - mean^2)
    expect_lt(max(abs(w[i, ] - mean) / spread), 0.6)
  }
  half <- nmf_data()
  half[, 4:6] <- NA
  completed <- predict(fit, half)
  expect_identical(dimnames(completed), dimnames(half))
  expect_lt(sqrt(mean((completed - nmf_data())[, 4:6]^2)), 0.8)
  expect_identical(predict(fit, half, ndraws = 5), predict(fit, half, ndraws = 5))
  by_name <- predict(fit, as.data.frame(half)[6:1])
  expect_identical(by_name, completed)
})

test_that("only fits by sampling have draws for other packages", {
  fit <- chains_fit()
  expect_s3_class(as_draws(fit), "draws_array")
  expect_identical(dim(as_draws(fit)), c(100L, 2L, 3L))
  for (verb in list(as_draws, posterior::as_draws_df, posterior::as_draws_matrix)) {
    expect_error(verb(icm_fit()), "^`x` must be a fit by sampling, not one by method_icm\\(\\)\\.$")
  }
  expect_error(update(icm_fit(), iter = 5), "^`iter` must be left out: a fit by method_icm")
  expect_error(objective(fit), "^`fit` must be a fit by optimisation")
})

test_that("functions for binary features are rejected", {
  for (fit in list(icm_fit(), chains_fit())) {
    for (verb in list(features, feature_draws, coassignment)) {
      expect_error(
        verb(fit), "^`fit` must be a fit of binary features, not one by fit_nmf\\(\\)\\.$"
      )
    }
    for (type in c("features", "n_features", "coassignment", "tree")) {
      expect_error(plot(fit, type), sprintf("^`type` must be one of .*, not \"%s\"\\.$", type))
    }
  }
  expect_error(
    weights_of(small_fit()),
    "^`fit` must be a fit by fit_nmf\\(\\) or fit_factor\\(\\), not an object of"
  )
})

test_that("by default complete data give a mode, and data with missing entries are sampled", {
  mode <- fit_nmf(nmf_data(), 2, seed = 1, verbose = FALSE)
  expect_identical(mode, quick_nmf(nmf_data(), 2, method = method_icm()))
  x <- nmf_data(60, 12)
  holes <- with_holes(x, 360)
  expect_message(
    fit <- fit_nmf(holes, 2, seed = 1, verbose = FALSE),
    "^Sampling with method_gibbs\\(\\), because entries"
  )
  error <- function(predicted) sqrt(mean((predicted - x)[is.na(holes)]^2))
  expect_lt(error(fitted(fit)), error(colMeans(holes, na.rm = TRUE)[col(x)]))
})

test_that("rows and columns without observed entries have the prior mean and are named", {
  x <- nmf_data()
  x[c(2, 5), ] <- NA
  x[, 3] <- NA
  told <- paste0(
    "`x` has no entries in rows \"row2\", \"row5\" and column \"c\": ",
    "predictions there are the prior mean.\n"
  )
  rates <- c(w = 0.5, a = 2)
  expect_message(mode <- quick_nmf(x, 2, rate_w = 0.5, rate_a = 2), told, fixed = TRUE)
  a <- loadings_of(mode)
  expect_equal(unname(a[, 3]), rep(1 / 2, 2))
  expect_equal(unname(weights_of(mode)[c(2, 5), ]), matrix(1 / 0.5, 2, 2))
  expect_equal(fitted(mode)["row2", ], colSums(a) / 0.5)
  # If the row and the column are removed, the mode of everything else is unchanged.
  other <- quick_nmf(x[-c(2, 5), -3], 2, rate_w = 0.5, rate_a = 2, init = list(
    weights = unname(weights_of(mode)[-c(2, 5), ]), loadings = unname(a[, -3])
  ))
  expect_equal(fitted(mode)[-c(2, 5), -3], fitted(other), tolerance = 1e-3)
  # A new row has no observed entries.
  new <- predict(mode, rbind(x[1, ], NA))
  expect_equal(new[2, ], colSums(a) / 0.5)
  expect_equal(unname(predict(mode, rbind(NA, x[1, ]), type = "weights")[1, ]), rep(2, 2))
})
