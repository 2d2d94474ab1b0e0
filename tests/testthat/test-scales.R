# Where the priors' own scale has led chains astray.

#' Stops a fit that would never end
within <- function(seconds, code) {
  setTimeLimit(elapsed = seconds, transient = TRUE)
  on.exit(setTimeLimit())
  code
}

test_that("data far larger or smaller than the priors expect give a fit in little time", {
  noise <- withr::with_seed(1, matrix(stats::rnorm(30), 10))
  for (scale in 10^c(-99, -20, -6, -3, 2, 3, 4, 6, 20, 99)) {
    fit <- within(20, quick_fit(noise * scale))
    s <- scalars_of(fit)
    expect_true(all(is.finite(s)))
    expect_lt(max(s[, "n_features"]), 100)
  }
})
