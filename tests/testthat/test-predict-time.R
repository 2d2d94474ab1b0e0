# New rows are predicted by what a fit has learned.

test_that("new rows take a small part of the time of the fit", {
  x <- withr::with_seed(1, block_images(200))
  new <- withr::with_seed(2, block_images(20))
  spent <- function(code) {
    time <- system.time(code)
    sum(time[c("user.self", "sys.self")])
  }
  method <- method_gibbs(chains = 1, iter = 2000)
  learning <- spent(fit <- fit_gaussian(x, method = method, seed = 1, verbose = FALSE))
  predicting <- spent(z <- predict(fit, new, type = "features", ndraws = 50))
  expect_identical(dim(z), c(20L, ncol(features(fit))))
  expect_lt(predicting, learning / 5)
})
