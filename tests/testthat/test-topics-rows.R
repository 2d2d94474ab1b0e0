# Documents, words and counts in the rows of a data frame.

expected <- matrix(
  c(2, 0, 1, 3, 0, 4), 2, dimnames = list(c("x", "y"), c("pea", "bean", "leek"))
)
rows <- data.frame(
  document = c("x", "x", "y", "y"), term = c("pea", "bean", "bean", "leek"), n = c(2, 1, 3, 4)
)
renamed <- function(...) stats::setNames(rows, c(...))
same_counts <- function(given) {
  expect_identical(as.matrix(check_dtm(given)), expected, ignore_attr = FALSE)
}

test_that("tidytext's columns are read by any of their names", {
  same_counts(rows)
  same_counts(tibble::as_tibble(rows))
  same_counts(renamed("doc_id", "word", "count"))
  same_counts(transform(rows, tf_idf = 0.1, topic = "a"))
  same_counts(rows[c(3, 1, 2)])
  # A row a word, and rows that add up.
  same_counts(rows[rep(1:4, rows$n), 1:2])
  same_counts(rbind(transform(rows, n = n - 1), transform(rows, n = 1)))
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

test_that("a table with words called document, term and n beside another stays one", {
  table <- data.frame(document = 1:2, term = c(0, 3), n = c(1, 1), rain = c(2, 0))
  expect_identical(as.matrix(check_dtm(table)), unname(as.matrix(table)), ignore_attr = TRUE)
  expect_identical(colnames(check_dtm(table)), names(table))
})

test_that("what is not such a data frame is refused in one line", {
  expect_error(check_dtm(renamed("id", "term", "n")),
    paste(
      "`dtm` must be counts, or have columns document (or doc_id), term (or word) and",
      "n (or count), not without `document`."
    ),
    fixed = TRUE
  )
  expect_error(check_dtm(renamed("document", "token", "n")), "not without `term`.", fixed = TRUE)
  expect_error(check_dtm(transform(rows, word = term)),
    "`dtm` must have one of the columns term, word, not 2.", fixed = TRUE
  )
  expect_error(check_dtm(transform(rows, count = n)), "one of the columns n, count")
  expect_error(check_dtm(transform(rows, n = c(1, 2, NA, 1))), "whole numbers of at least 0")
  expect_error(check_dtm(transform(rows, n = "1")), "numbers in `n`")
  expect_error(check_dtm(transform(rows, term = c("a", NA, "b", "b"))), "in every row of `term`")
  expect_error(check_dtm(transform(rows, document = c("a", NA, "b", "b"))), "row of `document`")
})

test_that("a fit takes them, and new documents by their words", {
  many <- data.frame(
    document = rep(1:20, each = 3), term = c("a", "b", "c", "c", "d", "e"), n = 1:6
  )
  method <- method_gibbs(chains = 1, iter = 20)
  fit <- fit_topics(many, method = method, seed = 1, verbose = FALSE)
  expect_identical(rownames(features(fit)), as.character(1:20))
  expect_identical(dim(predict(fit, many[1:6, ], "words")), c(2L, 5L))
})
