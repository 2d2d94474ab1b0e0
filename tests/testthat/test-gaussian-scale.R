# With scale = TRUE, the model is fitted to scaled columns and reported in the units of the columns.

# There are two groups of states that differ in every column, so features can be found.
x <- as.matrix(USArrests[1:20, ])
x[1:8, ] <- x[1:8, ] + rep(4 * apply(x, 2, sd), each = 8)
actual <- x
new <- as.matrix(USArrests[21:24, ])
new[1, 2] <- new[3, 4] <- NA
x[3, 2] <- x[10, 1] <- NA
sds <- apply(x, 2, sd, na.rm = TRUE)
by_sd <- function(m) sweep(m, 2, sds, "/")
times_sd <- function(m) sweep(m, 2, sds, "*")
center <- colMeans(x, na.rm = TRUE)

#' Fits to the data as given and to scaled data, with the same arguments
both <- function(fit, ...) {
  list(
    ours = fit(x, center = TRUE, scale = TRUE, ..., seed = 1, verbose = FALSE),
    theirs = fit(by_sd(x), center = TRUE, ..., seed = 1, verbose = FALSE)
  )
}

expect_units <- function(fits) {
  ours <- fits$ours
  theirs <- fits$theirs
  expect_identical(features(ours), features(theirs))
  expect_gt(ncol(features(ours)), 0)
  expect_equal(fitted(ours), times_sd(fitted(theirs)))
  expect_equal(predict(ours, new), times_sd(predict(theirs, by_sd(new))))
  expect_equal(loadings_of(ours)[, , drop = FALSE], times_sd(loadings_of(theirs)[, , drop = FALSE]))
  hidden <- which(is.na(x), arr.ind = TRUE)
  expect_equal(
    heldout_density(ours, actual), heldout_density(theirs, by_sd(actual)) - log(sds[hidden[, 2]]),
    ignore_attr = TRUE
  )
  set.seed(2)
  drawn <- posterior_predict(ours, ndraws = 3)
  set.seed(2)
  expect_equal(drawn[2, , ], times_sd(posterior_predict(theirs, ndraws = 3)[2, , ]))
  set.seed(2)
  densities <- log_lik(ours, ndraws = 2)
  set.seed(2)
  of_columns <- col(x)[!is.na(x)]
  expect_equal(
    densities, sweep(log_lik(theirs, ndraws = 2), 2, log(sds[of_columns])),
    ignore_attr = TRUE
  )
  expect_equal(
    as.numeric(logLik(ours)), as.numeric(logLik(theirs)) - sum(colSums(!is.na(x)) * log(sds))
  )
  expect_match(format(ours), "columns scaled", all = FALSE)
}

test_that("fits by every method are reported in the units of the columns", {
  short <- method_gibbs(chains = 1, iter = 60)
  expect_units(both(fit_gaussian, method = short))
  expect_units(both(fit_gaussian, method = short, noise = "column"))
  expect_units(both(fit_gaussian, method = short, loadings = "nonnegative"))
  expect_units(both(fit_gaussian, method = method_variational()))
  expect_units(both(fit_gaussian, method = method_power_ep(), loadings = "nonnegative"))
  expect_units(both(fit_gaussian, method = method_meibp(), loadings = "nonnegative", sigma_x = 0.3))
  expect_units(both(fit_gaussian, method = method_beam()))
})

test_that("bounds refer to the data as they were given", {
  fits <- both(fit_gaussian, method = method_variational())
  expect_equal(objective(fits$ours), objective(fits$theirs) - sum(colSums(!is.na(x)) * log(sds)))
})

test_that("attributes of loadings are in the units of the columns", {
  fits <- both(fit_gaussian, method = method_gibbs(chains = 1, iter = 60), noise = "column")
  of <- function(fit) attr(loadings_of(fit), "sigma_x")
  expect_equal(of(fits$ours), of(fits$theirs) * sds)
  fits <- both(fit_gaussian, method = method_variational())
  expect_equal(attr(loadings_of(fits$ours), "sd"), times_sd(attr(loadings_of(fits$theirs), "sd")))
})

test_that("factor models and their covariances are in the units of the columns", {
  fits <- both(fit_factor, method = method_gibbs(chains = 1, iter = 100))
  expect_units(fits)
  expect_equal(vcov(fits$ours), vcov(fits$theirs) * tcrossprod(sds), ignore_attr = TRUE)
  expect_equal(weights_of(fits$ours), weights_of(fits$theirs))
  of <- function(fit) attr(loadings_of(fit), "sigma_x")
  expect_equal(of(fits$ours), of(fits$theirs) * sds)
})

test_that("columns with very unequal spread are reported unless they are scaled", {
  short <- method_gibbs(chains = 1, iter = 20)
  quiet <- function(...) fit_gaussian(..., method = short, seed = 1, verbose = FALSE)
  uneven <- cbind(a = 1:9, b = (1:9) / 20)
  expect_message(quiet(uneven), "`scale = TRUE` gives all columns the same weight")
  expect_no_message(quiet(uneven, scale = TRUE))
  expect_no_message(quiet(sim_images(20)))
})

test_that("large means, which use up features, are reported, but small numbers are not", {
  short <- method_gibbs(chains = 1, iter = 20)
  quiet <- function(...) fit_gaussian(..., method = short, seed = 1, verbose = FALSE)
  x <- withr::with_seed(1, sim_images(20))
  expect_no_message(quiet(x / 20))
  expect_no_message(quiet(Matrix::Matrix(x, sparse = TRUE) / 20))
  far <- "means of about 5\\.\\d+ .*`center = TRUE` subtracts them"
  expect_message(quiet(x + 5), far)
  expect_no_message(quiet(x + 5, center = TRUE))
  expect_no_message(quiet(x + 5, center = FALSE))
  expect_no_message(quiet(x + 5, "nonnegative"))
})

test_that("constant columns of centred data are reported", {
  short <- method_gibbs(chains = 1, iter = 20)
  x <- cbind(a = 1:9, b = 2)
  text <- "^`x`: column \"b\" is constant and carries no information about the features, but is"
  expect_message(fit_factor(x, method = short, seed = 1, verbose = FALSE), text)
  expect_message(fit_gaussian(x, center = TRUE, method = short, seed = 1, verbose = FALSE), text)
  # If data are not centred, a feature can describe the constant.
  expect_silent(fit_gaussian(x, method = short, seed = 1, verbose = FALSE))
})

test_that("constant columns are unchanged by scaling", {
  short <- method_gibbs(chains = 1, iter = 20)
  x <- cbind(a = 1:9, b = 2)
  for (fitter in list(fit_gaussian, fit_factor)) {
    expect_message(
      fit <- fitter(x, scale = TRUE, method = short, seed = 1, verbose = FALSE),
      "`x`: column \"b\" is constant and carries no information about the features, but is still"
    )
    expect_true(all(is.finite(fitted(fit))))
    expect_message(
      fitter(matrix(5, 10, 2), scale = TRUE, method = short, seed = 1, verbose = FALSE),
      "`x`: columns 1, 2 are constant and carry no information about the features"
    )
  }
  expect_message(
    fit_factor(cbind(1:9, 2, 3), scale = TRUE, method = short, seed = 1, verbose = FALSE),
    "`x`: columns 2, 3 are constant and carry no information about the features, but are"
  )
  expect_no_message(fit_factor(x, method = short, seed = 1, verbose = FALSE))
})

test_that("sparse data and blocks cannot be scaled", {
  sparse <- Matrix::Matrix(c(0, 0, 1, 2), 2, sparse = TRUE)
  expect_error(fit_gaussian(sparse, scale = TRUE), "`scale` must be FALSE for a sparse `x`")
  blocks <- row_blocks(function(i) matrix(1:4, 2), 1)
  expect_error(
    fit_gaussian(blocks, "nonnegative", scale = TRUE, method = method_meibp()),
    "`scale` must be FALSE for row_blocks\\(\\)"
  )
  expect_error(fit_gaussian(diag(3), scale = NA), "`scale` must be")
})

test_that("scaled columns are centred by default if loadings are normal", {
  years <- cbind(year = 1971:1990, a = rep(c(0, 3), each = 10) + sin(1:20))
  go <- function(...) {
    fit_gaussian(years, ..., scale = TRUE, method = method_gibbs(1, 60), seed = 1, verbose = FALSE)
  }
  expect_identical(fitted(go()), fitted(go(center = TRUE)))
  expect_false(identical(fitted(go()), fitted(go(center = FALSE))))
  expect_identical(
    fitted(go(loadings = "nonnegative")), fitted(go(loadings = "nonnegative", center = FALSE))
  )
})

test_that("plots of scaled columns are in units of standard deviations", {
  fit <- fit_gaussian(x, scale = TRUE, method = method_gibbs(1, 60), seed = 1, verbose = FALSE)
  picture <- plot(fit, "loadings")
  expect_equal(
    sort(picture$data$value), sort(as.vector(sweep(loadings_of(fit), 2, sds, "/"))),
    ignore_attr = TRUE
  )
  expect_identical(picture$labels$subtitle, "in standard deviations of the columns")
  shown <- plot(fit, "fit")$data
  expect_equal(sort(shown$value[shown$part == "observed"]), sort(as.vector(scale(x)[!is.na(x)])))
})
