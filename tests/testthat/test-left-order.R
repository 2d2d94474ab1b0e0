test_that("columns are sorted as binary numbers, with the first row as the most significant bit", {
  sorted <- function(z) {
    identical(to_histories(left_order(z)), sort(to_histories(z), decreasing = TRUE))
  }
  expect_true(all(vapply(all_matrices(3, 3), sorted, NA)))
})

test_that("matrices with thousands of rows are sorted exactly, even if only the last rows differ", {
  set.seed(1)
  z <- matrix(rbinom(3000 * 60, 1, 0.5), 3000)
  z[1:2990, ] <- z[1:2990, 1]
  rows <- lapply(seq_len(3000), \(i) -z[i, ])
  expect_equal(left_order(z), z[, do.call(order, rows)])
  expect_false(identical(left_order(z), left_order(z)[, 60:1]))
})

test_that("sorting twice is the same as sorting once", {
  set.seed(1)
  z <- left_order(rbeta_bernoulli(40, 30, 10))
  expect_identical(left_order(z), z)
})

test_that("names stay with columns, equal columns keep their order, and empty ones are last", {
  z <- matrix(c(0, 0, 0, 1, 1, 0, 0, 1), 2, dimnames = list(c("u", "v"), letters[1:4]))
  expect_identical(dimnames(left_order(z)), list(c("u", "v"), c("c", "b", "d", "a")))
})

test_that("matrices with no or one column work, and logical values become integers", {
  expect_identical(left_order(matrix(0, 2, 0)), matrix(0L, 2, 0))
  expect_identical(left_order(matrix(c(TRUE, FALSE))), matrix(c(1L, 0L)))
})
