# Errors have a class to catch and name the function that the user called.

test_that("a bad argument is an error with a class, of the function that was called", {
  error <- tryCatch(buffet::ribp(-1), error = identity)
  expect_s3_class(error, c("buffet_error_argument", "buffet_error", "error", "condition"), exact = TRUE)
  expect_identical(conditionCall(error), quote(buffet::ribp()))
  expect_match(conditionMessage(error), "^`rows` must be one whole number of at least 1, not -1[.]$")
})

test_that("the call is that of the user, however deep the check is", {
  set.seed(1)
  x <- matrix(rnorm(20), 5)
  method <- method_gibbs(iter = 10, chains = 1)
  fit <- suppressWarnings(fit_gaussian(x, method = method, seed = 1, verbose = FALSE))
  error <- tryCatch(predict(fit, newdata = x[, 1:2]), buffet_error_argument = identity)
  expect_identical(conditionCall(error), quote(predict()))
  error <- tryCatch(update(fit, iter = 20, nothing = 1), buffet_error = identity)
  expect_identical(conditionCall(error), quote(update()))
  error <- tryCatch(do.call(fit_gaussian, list(x, sigma_x = -1)), buffet_error = identity)
  expect_null(conditionCall(error))
})
