# Documents, words and counts in the rows of a data frame.

expected <- matrix(c(2, 0, 1, 3, 0, 4), 2, dimnames = list(c("x", "y"), c("pea", "bean", "leek")))
rows <- data.frame(
  document = c("x", "x", "y", "y"), term = c("pea", "bean", "bean", "leek"), count = c(2, 1, 3, 4)
)
same_counts <- function(given) {
  expect_identical(as.matrix(check_dtm(given)), expected, ignore_attr = FALSE)
}

test_that("rows of document, term and count are added", {
  same_counts(rows)
  same_counts(tibble::as_tibble(rows))
  same_counts(transform(rows, tf_idf = 0.1, topic = "a"))
  same_counts(rows[c(3, 1, 2)])
  same_counts(transform(rows[rep(1:4, rows$count), ], count = 1))
  same_counts(rbind(transform(rows, count = count - 1), transform(rows, count = 1)))
  # Documents by numbers are named by these.
  numbered <- check_dtm(transform(rows, document = c(7, 7, 3, 3)))
  expect_identical(rownames(numbered), c("7", "3"))
  both <- check_dtm(transform(rows, document = c(7, 7, 3, 3), term = c(1, 2, 2, 9)))
  expect_identical(dimnames(both), list(c("7", "3"), c("1", "2", "9")))
  expect_identical(as.matrix(both), expected, ignore_attr = TRUE)
})

test_that("documents and words of factors are in the order of their levels", {
  levelled <- transform(rows, document = factor(document, c("y", "x", "z")))
  expect_identical(rownames(check_dtm(levelled)), c("y", "x", "z"))
  levelled <- transform(rows, term = factor(term, c("leek", "bean", "pea")))
  expect_identical(as.matrix(check_dtm(levelled)), expected[, 3:1])
})

test_that("what is not such a data frame is refused in one line", {
  for (column in names(rows)) {
    without <- sprintf("and count, not a data frame without `%s`.", column)
    expect_error(check_dtm(rows[names(rows) != column]), without, fixed = TRUE)
  }
  expect_error(check_dtm(transform(rows, count = c(1, 2, NA, 1))), "whole numbers of at least 0")
  expect_error(check_dtm(transform(rows, count = "1")), "numbers in every row of `count`")
  expect_refusals(check_dtm, "dtm", list(
    transform(rows, term = c("a", NA, "b", "b")), transform(rows, document = c("a", NA, "b", "b")),
    transform(rows, term = I(as.list(term))), rows[0, ]
  ))
})

test_that("a fit takes them, and new documents by their words", {
  many <- data.frame(
    document = rep(1:20, each = 3), term = c("a", "b", "c", "c", "d", "e"), count = 1:6
  )
  method <- method_gibbs(chains = 1, iter = 20)
  fit <- fit_topics(many, method = method, seed = 1, verbose = FALSE)
  expect_identical(rownames(features(fit)), as.character(1:20))
  expect_identical(dim(predict(fit, many[1:6, ], "words")), c(2L, 5L))
})
