test_that("columns are sorted as binary numbers, the first row most significant", {
  sorted <- function(z) {
    identical(to_histories(left_order(z)), sort(to_histories(z), decreasing = TRUE))
  }
  expect_true(all(vapply(all_matrices(3, 3), sorted, NA)))
})

test_that("thousands of rows are sorted exactly even if columns differ only in the last rows", {
  set.seed(1)
  z <- matrix(rbinom(3000 * 60, 1, 0.5), 3000)
  z[1:2990, ] <- z[1:2990, 1]
  rows <- lapply(seq_len(3000), \(i) -z[i, ])
  expect_equal(left_order(z), z[, do.call(order, rows)])
  expect_false(identical(left_order(z), left_order(z)[, 60:1]))
})

test_that("sorting twice is sorting once", {
  set.seed(1)
  z <- left_order(rbeta_bernoulli(40, 30, 10))
  expect_identical(left_order(z), z)
})

test_that("names stay with their columns, equal columns keep their order, empty ones are last", {
  z <- matrix(c(0, 0, 0, 1, 1, 0, 0, 1), 2, dimnames = list(c("u", "v"), letters[1:4]))
  expect_identical(dimnames(left_order(z)), list(c("u", "v"), c("c", "b", "d", "a")))
})

test_that("matrices with no or one column work, and logical becomes integer", {
  expect_identical(left_order(matrix(0, 2, 0)), matrix(0L, 2, 0))
  expect_identical(left_order(matrix(c(TRUE, FALSE))), matrix(c(1L, 0L)))
})
