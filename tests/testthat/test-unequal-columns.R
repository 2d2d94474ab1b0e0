# What becomes of features where columns have other units than the model supposes.

test_that("a column of another unit hides the features of the others, unless columns are scaled", {
  set.seed(1)
  truth <- matrix(rbinom(160, 1, 0.5), 80)
  loadings <- rbind(rep(c(1, 0), 3), rep(c(0, 1), 3)) * 3
  x <- truth %*% loadings + rnorm(480, sd = 0.3)
  # A column of noise, in a unit a thousand times as small.
  x <- cbind(x, 1000 * rnorm(80))
  fit_it <- function(scale) {
    method <- method_gibbs(chains = 1, iter = 600)
    fit_gaussian(x, center = TRUE, scale = scale, method = method, seed = 1, verbose = FALSE)
  }
  # How well the true features are found: the correlation of each with the feature nearest to it.
  found <- function(fit) {
    z <- features(fit)
    z <- z[, colSums(z) %in% seq_len(nrow(z) - 1), drop = FALSE]
    apply(abs(cor(truth, z)), 1, max)
  }
  expect_message(as_it_is <- fit_it(FALSE), "`scale = TRUE` gives all columns the same weight")
  expect_no_message(scaled <- fit_it(TRUE))
  expect_lt(max(found(as_it_is)), 0.5)
  expect_gt(min(found(scaled)), 0.9)
})
