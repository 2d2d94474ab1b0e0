short <- method_gibbs(chains = 2, iter = 60)
draws_of <- function(fit) {
  z <- feature_draws(fit)
  list(scalars_of(fit), lapply(seq_along(z), function(i) z[[i]]))
}
test_that("factorisations cached in a sparse matrix are ignored", {
  x <- Matrix::Matrix(replace(small_data(), 1:12, 0), sparse = TRUE)
  fit <- quick_fit(x, method = short)
  x@factors <- list(lu = 1)
  expect_identical(quick_fit(x, method = short), fit)
})

#' Largest agreement of each column of `truth` with one of the columns found, or with its complement
agreement <- function(truth, found) {
  same <- outer(
    seq_len(ncol(truth)), seq_len(ncol(found)),
    Vectorize(function(i, j) mean(truth[, i] == found[, j]))
  )
  apply(pmax(same, 1 - same), 1, max)
}

# There may also be features of single images.
test_that("the four blocks in the simulated images are found", {
  for (seed in sized(1, 1:3)) {
    x <- withr::with_seed(seed, sim_images(100))
    fit <- quick_fit(x, sigma_x = 0.5, method = method_gibbs(chains = 1, iter = 500), seed = seed)
    z <- features(fit)
    expect_identical(sum(colSums(z) > 5), 4L)
    expect_gt(min(agreement(attr(x, "features"), z[, 1:4])), 0.9)
    truth <- attr(x, "features") %*% attr(x, "loadings")
    # There are only 4 x 36 loadings for 3600 entries, so the error of the fit is far below the
    # noise.
    expect_lt(sqrt(mean((fitted(fit) - truth)^2)), 0.2)
  }
})

test_that("everything works for posteriors without any feature", {
  fit <- empty_fit()
  expect_identical(dim(features(fit)), c(4L, 0L))
  expect_usable(fit, diagnosed = TRUE)
  expect_equal(max(abs(fitted(fit))), 0)
  expect_equal(max(coassignment(fit)), 0)
})

log_lik_of_seed <- function(fit) withr::with_seed(1, log_lik(fit, ndraws = 5))

test_that("center = TRUE subtracts the column means for the fit and adds them to predictions", {
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
