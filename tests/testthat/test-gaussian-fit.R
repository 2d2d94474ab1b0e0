short <- method_gibbs(chains = 2, iter = 60)
draws_of <- function(fit) {
  z <- feature_draws(fit)
  list(scalars_of(fit), lapply(seq_along(z), function(i) z[[i]]))
}
long_draws <- function(x, ..., seed = 1) {
  method <- method_gibbs(chains = 2, iter = 11000, warmup = 1000)
  s <- scalars_of(quick_fit(x, ..., method = method, seed = seed))
  cbind(s[, c("n_features", "n_ones", "alpha", "log_lik")], log(s[, c("sigma_x", "sigma_a")]))
}

test_that("a fit does not depend on the number of cores", {
  x <- small_data()
  on <- function(cores) quick_fit(x, method = method_gibbs(chains = 3, iter = 60, cores = cores))
  expect_identical(on(1), on(2))
})

test_that("factorizations that a sparse matrix has cached do not count", {
  x <- Matrix::Matrix(replace(small_data(), 1:12, 0), sparse = TRUE)
  fit <- quick_fit(x, method = short)
  x@factors <- list(lu = 1)
  expect_identical(quick_fit(x, method = short), fit)
})

test_that("matrix, data frame, tibble and sparse matrix give the identical fit", {
  x <- small_data()
  x[abs(x) < 0.4] <- 0
  truth <- quick_fit(x, method = short)
  forms <- list(
    frame = as.data.frame(x), sparse = Matrix::Matrix(x, sparse = TRUE),
    extra = structure(x, features = 1)
  )
  expect_s4_class(forms$sparse, "dgCMatrix")
  for (form in forms) {
    fit <- quick_fit(form, method = short)
    expect_identical(draws_of(fit), draws_of(truth))
    expect_identical(fitted(fit), fitted(truth))
  }
  tibble <- quick_fit(tibble::as_tibble(x), method = short)
  expect_identical(scalars_of(tibble), scalars_of(truth))
  whole <- round(x)
  storage.mode(whole) <- "integer"
  expect_identical(
    draws_of(quick_fit(whole, method = short)), draws_of(quick_fit(round(x), method = short))
  )
})

test_that("the law of a fit does not depend on the order of rows or columns", {
  x <- small_data()
  truth <- long_draws(x)
  expect_same_law(truth, long_draws(x[8:1, ], seed = 2))
  expect_same_law(truth, long_draws(x[c(5, 2, 7, 1, 8, 3, 6, 4), 3:1], seed = 3))
})

test_that("the law of a fit to wide data is that of their coordinates in any basis", {
  x <- withr::with_seed(1, draw_gaussian(matrix(c(1, 1, 0, 1, 0, 1, 1, 1), 4), 9, 0.5, 1.2))
  basis <- svd(x)$v
  expect_equal(tcrossprod(x %*% basis), tcrossprod(x), ignore_attr = TRUE)
  turned <- cbind(x %*% basis, matrix(0, 4, 5))
  # Default priors depend on the entries.
  prior <- gamma_prior(1, 1)
  expect_same_law(
    long_draws(x, sigma_x = prior, sigma_a = prior),
    long_draws(turned, sigma_x = prior, sigma_a = prior, seed = 2)
  )
})

test_that("scaling the data and the priors scales the standard deviations and nothing else", {
  x <- small_data()
  literal <- gamma_prior(1, 1)
  truth <- scalars_of(quick_fit(x, sigma_x = literal, sigma_a = literal, method = short))
  for (scale in c(2^20, 2^-20)) {
    prior <- gamma_prior(1, scale^2)
    fit <- scalars_of(quick_fit(x * scale, sigma_x = prior, sigma_a = prior, method = short))
    expect_equal(fit[, "n_ones"], truth[, "n_ones"])
    expect_equal(fit[, "sigma_x"] / scale, truth[, "sigma_x"], tolerance = 1e-6)
    expect_equal(fit[, "sigma_a"] / scale, truth[, "sigma_a"], tolerance = 1e-6)
    expect_equal(fit[, "log_lik"] + length(x) * log(scale), truth[, "log_lik"], tolerance = 1e-6)
  }
})

test_that("noise of the size of rounding errors changes nothing that matters", {
  x <- small_data()
  noise <- withr::with_seed(1, matrix(stats::rnorm(length(x), sd = 1e-14), nrow(x)))
  truth <- quick_fit(x, method = short)
  fit <- quick_fit(x + noise, method = short)
  expect_equal(scalars_of(fit), scalars_of(truth), tolerance = 1e-6)
  expect_identical(features(fit), features(truth))
})

test_that("the same seed gives the same fit and another seed another", {
  x <- small_data()
  a <- quick_fit(x, method = short, seed = 5)
  b <- quick_fit(x, method = short, seed = 5)
  expect_identical(draws_of(a), draws_of(b))
  expect_false(identical(scalars_of(a), scalars_of(quick_fit(x, method = short, seed = 6))))
  chains <- as_draws(a)
  expect_false(identical(unclass(chains[, 1, "log_lik"])[], unclass(chains[, 2, "log_lik"])[]))
})

test_that("without a seed set.seed() governs, and one number is drawn", {
  x <- small_data()
  set.seed(3)
  a <- quick_fit(x, method = short, seed = NULL)
  after <- .Random.seed
  set.seed(3)
  b <- quick_fit(x, method = short, seed = NULL)
  expect_identical(draws_of(a), draws_of(b))
  set.seed(3)
  sample.int(.Machine$integer.max, 1)
  expect_identical(after, .Random.seed)
  set.seed(4)
  expect_false(identical(scalars_of(a), scalars_of(quick_fit(x, method = short, seed = NULL))))
})

test_that("a fit with a seed and what is asked of it leave R's generator alone", {
  set.seed(3)
  before <- .Random.seed
  fit <- quick_fit(small_data(), method = short)
  suppressWarnings(summary(fit))
  predict(fit, small_data()[1:2, ])
  fitted(fit)
  coassignment(fit)
  simulate(fit, 2, seed = 1)
  lapply(plot_types, function(type) ggplot2::ggplot_build(plot(fit, type)))
  expect_identical(.Random.seed, before)
})

#' Largest agreement of each column of `truth` with a found one or its complement
agreement <- function(truth, found) {
  same <- outer(
    seq_len(ncol(truth)), seq_len(ncol(found)),
    Vectorize(function(i, j) mean(truth[, i] == found[, j]))
  )
  apply(pmax(same, 1 - same), 1, max)
}

# Single images may show features of their own besides.
test_that("the four blocks of the simulated images are found", {
  for (seed in 1:3) {
    x <- withr::with_seed(seed, block_images(100))
    fit <- quick_fit(x, sigma_x = 0.5, method = method_gibbs(chains = 1, iter = 500), seed = seed)
    z <- features(fit)
    expect_identical(sum(colSums(z) > 5), 4L)
    expect_gt(min(agreement(attr(x, "features"), z[, 1:4])), 0.9)
    truth <- attr(x, "features") %*% attr(x, "loadings")
    # 4 x 36 loadings out of 3600 entries: the fit's error is far below the noise.
    expect_lt(sqrt(mean((fitted(fit) - truth)^2)), 0.2)
  }
})

test_that("the standard deviations of simulated data are recovered", {
  for (seed in 1:3) {
    x <- withr::with_seed(seed, draw_gaussian(draw_buffet(60, 1), 20, 0.3, 1.5))
    s <- scalars_of(quick_fit(x, method = method_gibbs(chains = 1, iter = 600), seed = seed))
    expect_equal(mean(s[, "sigma_x"]), 0.3, tolerance = 0.1)
    truth <- sqrt(mean(attr(x, "loadings")^2))
    expect_equal(mean(s[, "sigma_a"]), truth, tolerance = 0.2)
  }
})

test_that("unusual data give fits of which everything can be asked", {
  x <- unname(small_data())
  unusual <- list(
    one_entry = matrix(1.3), one_row = x[1, , drop = FALSE], one_column = x[, 1, drop = FALSE],
    wide = t(x), zero = matrix(0, 5, 3), constant = matrix(7, 5, 3),
    constant_column = cbind(x, 2), rows_repeated = x[rep(1:3, 4), ], columns_repeated = cbind(x, x),
    collinear = cbind(x, x %*% c(1, 2, -1))
  )
  pictured <- sized(c("one_entry", "one_column", "zero", "collinear"), names(unusual))
  for (name in names(unusual)) {
    expect_usable(quick_fit(unusual[[name]], method = short), pictures = name %in% pictured)
  }
  expect_usable(quick_fit(matrix(7, 5, 3), center = TRUE, method = short))
})

test_that("posteriors without any feature work everywhere", {
  fit <- empty_fit()
  expect_identical(dim(features(fit)), c(4L, 0L))
  expect_usable(fit, diagnosed = TRUE)
  expect_equal(max(abs(fitted(fit))), 0)
  expect_equal(max(coassignment(fit)), 0)
})

test_that("the finite model never has more features than it says", {
  x <- withr::with_seed(1, block_images(40, sigma = 0.2))
  fit <- quick_fit(x, prior = prior_beta_bernoulli(3))
  expect_identical(max(scalars_of(fit)[, "n_features"]), 3)
  expect_lte(ncol(features(fit)), 3)
})

log_lik_of_seed <- function(fit) withr::with_seed(1, log_lik(fit, ndraws = 5))

test_that("center = TRUE fits the data less their means and gives the means back", {
  x <- small_data() + rep(c(5, -3, 0), each = 8)
  means <- colMeans(x)
  fit <- quick_fit(x, center = TRUE, method = short)
  plain <- quick_fit(sweep(x, 2, means), method = short)
  expect_identical(draws_of(fit), draws_of(plain))
  back <- function(values) sweep(values, 2, means, "+")
  expect_equal(fitted(fit), back(fitted(plain)))
  expect_equal(residuals(fit), residuals(plain))
  expect_equal(loadings_of(fit), loadings_of(plain))
  new <- x[1:3, ] + 0.1
  expect_equal(predict(fit, new), back(predict(plain, sweep(new, 2, means))))
  expect_equal(log_lik_of_seed(fit), log_lik_of_seed(plain))
  replicate <- simulate(fit, 1, seed = 2)[[1]]
  expect_equal(replicate, back(simulate(plain, 1, seed = 2)[[1]]))
})
