# Simulation-based calibration of every model. The ranks that data-raw/calibration.R has saved are
# tested, and in the extended tier a smaller run of each model. The cases are in the
# files helper-calibration*.R.

#' The saved ranks, with one row per quantity of a model
kept_ranks <- function() {
  file <- "../../vignettes/calibration.csv"
  skip_if_not(file.exists(file), "the repository")
  utils::read.csv(file)
}

numbers_of <- function(ranks) as.integer(strsplit(ranks, " ")[[1]])

#' Finds the p-values that show, given their number, that the ranks are not uniform
is_apart <- function(p) p < 1e-3 / length(p)

#' Models that are known not to be calibrated. The article explains why.
uncalibrated <- character()

test_that("ranks are uniform for draws from the right distribution, and only for such draws", {
  set.seed(1)
  ranks_of <- function(sd, shift) {
    replicate(200, rank_of_truth(c(a = stats::rnorm(1)), cbind(a = stats::rnorm(99, shift, sd))))
  }
  expect_gt(uniform_p_value(ranks_of(1, 0)), 0.01)
  expect_lt(uniform_p_value(ranks_of(0.5, 0)), 1e-6)
  expect_lt(uniform_p_value(ranks_of(2, 0)), 1e-6)
  expect_lt(uniform_p_value(ranks_of(1, 0.5)), 1e-6)
  # Counts from a distribution on two values, with ties in random order.
  tied <- replicate(500, {
    coins <- stats::rbinom(100, 1, 0.5)
    rank_of_truth(c(a = coins[1]), cbind(a = coins[-1]))
  })
  expect_gt(uniform_p_value(tied), 0.01)
})

test_that("saved ranks of 200 data sets per model are uniform, with known exceptions", {
  kept <- kept_ranks()
  cases <- calibration_cases()
  expect_setequal(kept$model, names(cases))
  for (name in unique(kept$model)) {
    made <- withr::with_seed(1, cases[[name]]$draw())
    expect_setequal(kept$quantity[kept$model == name], names(made$truth))
  }
  ranks <- lapply(kept$ranks, numbers_of)
  expect_identical(lengths(ranks), rep(200L, nrow(kept)))
  expect_true(all(unlist(ranks) %in% 0:99))
  apart <- is_apart(vapply(ranks, uniform_p_value, 0))
  expect_setequal(kept$model[apart], uncalibrated)
})

test_that("every model is calibrated when it is run again", {
  skip_if_not(extended(), "a test of the extended tier")
  cases <- calibration_cases()
  calibrated <- cases[setdiff(names(cases), uncalibrated)]
  # These data sets are not among those of the saved table.
  p <- unlist(lapply(calibrated, function(case) {
    ranks <- vapply(1000 + 1:100, \(set) calibration_ranks(case, set), calibration_ranks(case, 1))
    apply(ranks[rownames(ranks) != "rhat", , drop = FALSE], 1, uniform_p_value)
  }))
  expect_identical(names(p)[is_apart(p)], character())
})
