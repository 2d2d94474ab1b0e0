# Fits without features say so, and look for some first; fits with too many say that, too.

quiet <- function(x, ...) fit_gaussian(x, ..., seed = 1, verbose = FALSE)
last <- function(fit) objective(fit)[length(objective(fit))]

test_that("methods that end with no feature try the halves of the first principal component", {
  x <- scale(as.matrix(attitude))
  # Without features the bound is that of noise alone, whatever the start: that of random data of
  # the same size and the same columns' sums of squares in which no method finds a feature.
  set.seed(3)
  noise <- scale(matrix(rnorm(length(x)), nrow(x)))
  for (method in list(method_variational(), method_variational(form = "finite"), method_power_ep())) {  # nolint: line_length_linter.
    fit <- quiet(x, method = method)
    none <- suppressWarnings(quiet(noise, method = method))
    expect_identical(ncol(features(none)), 0L)
    expect_gt(ncol(features(fit)), 0)
    expect_gt(last(fit), last(none))
  }
})

test_that("a fit without features warns and says what to change", {
  set.seed(3)
  noise <- matrix(rnorm(120), 20)
  expect_warning(fit <- quiet(noise, method = method_variational()), "no features.*`scale = TRUE`")
  expect_warning(
    quiet(noise, scale = TRUE, method = method_variational()), "better. A smaller fixed"
  )
  expect_identical(ncol(features(fit)), 0L)
  expect_warning(
    quiet(abs(noise), "nonnegative", method = method_meibp(), sigma_x = 5), "no features were found"
  )
  expect_no_warning(quiet(block_images(40), method = method_variational()))
})

test_that("signed data under nonnegative loadings are told", {
  x <- scale(as.matrix(attitude))
  expect_warning(
    quiet(x, "nonnegative", method = method_gibbs(1, 20)),
    "of the sum of squares of `x` is negative"
  )
  expect_no_warning(quiet(block_images(40), "nonnegative", method = method_gibbs(1, 20)))
  expect_warning(
    fit_nmf(-as.matrix(swiss), 2, method = method_icm(), seed = 1, verbose = FALSE),
    "100 % of the sum of squares of `x` is negative"
  )
  expect_no_warning(quiet(x, method = method_gibbs(1, 20)))
})

test_that("more features than can be read are told, with what to do", {
  set.seed(1)
  x <- matrix(rnorm(240, sd = 3), 24)
  fit <- quiet(x, sigma_x = 0.5, sigma_a = 1, method = method_gibbs(2, 60))
  expect_gt(mean(as_draws(fit)[, , "n_features"]), 8)
  lines <- format(fit)
  told <- "Too many features to interpret. Try `noise = \"column\"` or `fit_factor()`."
  expect_true(told %in% lines)
  # The advice can be followed: neither sparse data nor other samplers have noise of each column.
  sliced <- quiet(x, sigma_x = 0.5, sigma_a = 1, method = method_gibbs(2, 60, sampler = "slice"))
  told <- "Too many features to interpret. Try `max_features` or `fit_factor()`."
  expect_true(told %in% format(sliced))
  expect_null(other_noise(sliced))
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  sparse <- quiet(sparse, sigma_x = 0.5, sigma_a = 1, method = method_gibbs(2, 60))
  expect_true("Too many features to interpret. Try `max_features`." %in% format(sparse))
  # A dozen features of two columns of many rows are more than columns could tell apart.
  two <- matrix(rnorm(160, sd = 3), 80)
  many <- quiet(two, sigma_x = 0.5, sigma_a = 1, method = method_gibbs(2, 60))
  expect_lt(glance(many)$n_features, 80 / 3)
  expect_match(format(many), "Too many features to interpret", all = FALSE)
  few <- quiet(block_images(40), method = method_gibbs(1, 60))
  expect_no_match(format(few), "Too many features")
  # It speaks of the point estimate, as all else does, whatever the mean is.
  few$internal$scalars[, , "n_features"] <- 40
  expect_no_match(format(few), "Too many features")
})

test_that("short chains of two columns of equal variance do not stay without features", {
  set.seed(1)
  z <- matrix(rbinom(80, 1, .5), 40)
  x <- scale(z %*% rbind(c(2, 0), c(0, 2)) + rnorm(80, sd = .2))
  without <- sum(dnorm(x, sd = sqrt(mean(x^2)), log = TRUE))
  for (seed in 2:4) {
    fit <- fit_gaussian(x, method = method_gibbs(2, 2000), seed = seed)
    expect_gt(glance(fit)$log_joint, without + 20)
  }
  # Centred data need a feature of all rows as well.
  truth <- fit_gaussian(x, init = cbind(z, 1), method = method_gibbs(4, 500), seed = 1)
  expect_gt(glance(truth)$log_joint, without + 20)
})
