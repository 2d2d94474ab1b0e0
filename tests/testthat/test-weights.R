# Frequency weights, and tables of counts.

brief <- method_gibbs(chains = 1, iter = 20)

counted_rows <- function() {
  withr::with_seed(1, data.frame(
    sex = factor(sample(c("m", "f"), 12, TRUE)), town = factor(sample(letters[1:3], 12, TRUE)),
    size = rnorm(12), Freq = c(0, 3, 1, 1, 2, 0, 1, 4, 1, 1, 2, 1)
  ))
}

#' Repeats each row as often as its weight says
repeated_by_hand <- function(data, weights) {
  parts <- lapply(seq_len(nrow(data)), function(i) data[rep(i, weights[i]), , drop = FALSE])
  out <- do.call(rbind, parts)
  rownames(out) <- NULL
  out
}

test_that("weighted rows are equivalent to repeated rows in fit_mixed()", {
  data <- counted_rows()
  by_hand <- quick_mixed(repeated_by_hand(data[1:3], data$Freq), method = brief)
  told <- paste0(
    "^Repeating rows of `data` by `weights`: 12 rows become 17; 2 rows with weight 0 left out; ",
    "not modelled: Freq\\.\n$"
  )
  fits <- list()
  expect_message(fits[[1]] <- quick_mixed(data, weights = Freq, method = brief), told)
  expect_message(fits[[2]] <- fit_mixed(data, weights = "Freq", method = brief, seed = 1), told)
  expect_message(fits[[3]] <- quick_mixed(data, weights = data$Freq, method = brief), told)
  often <- c(0L, 3L, 1L, 1L, 2L, 0L, 1L, 4L, 1L, 1L, 2L, 1L)
  expect_message(
    fits[[4]] <- quick_mixed(data[1:3], weights = often, method = brief), "left out\\.\n$"
  )
  for (fit in fits) expect_identical(fit, by_hand)
  expect_identical(nobs(fits[[1]]), 17L)
  expect_identical(
    update(fits[[1]], bias = FALSE, verbose = FALSE),
    quick_mixed(repeated_by_hand(data[1:3], data$Freq), bias = FALSE, method = brief)
  )
  file <- withr::local_tempfile()
  first <- suppressMessages(quick_mixed(data, weights = Freq, method = brief, file = file))
  again <- suppressMessages(quick_mixed(data, weights = Freq, method = brief, file = file))
  expect_identical(first, again)
})

test_that("weighted rows are equivalent to repeated rows in fit_logistic()", {
  y <- withr::with_seed(1, data.frame(a = rbinom(9, 1, 0.5), b = rbinom(9, 1, 0.5), c = 0:2 > 0))
  y$n <- c(2, 0, 1, 3, 1, 1, 0, 2, 1)
  fit <- function(y, ...) {
    suppressMessages(fit_logistic(y, ..., method = brief, seed = 1, verbose = FALSE))
  }
  by_hand <- fit(repeated_by_hand(y[1:3], y$n))
  for (weighted in list(fit(y, weights = n), fit(y, weights = "n"), fit(y[1:3], weights = y$n))) {
    expect_identical(weighted, by_hand)
  }
  numbers <- as.matrix(y[1:3] * 1)
  by_hand <- fit(numbers[rep(1:9, y$n), ])
  expect_identical(fit(numbers, weights = y$n), by_hand)
  expect_identical(fit(cbind(numbers, n = y$n), weights = "n"), by_hand)
  sparse <- fit(Matrix::Matrix(numbers, sparse = TRUE), weights = y$n)
  expect_identical(as.matrix(sparse), as.matrix(by_hand))
})

test_that("names of repeated rows are unique", {
  data <- counted_rows()
  rownames(data) <- LETTERS[1:12]
  fit <- suppressMessages(quick_mixed(data, weights = Freq, method = brief))
  expect_identical(rownames(features(fit))[1:5], c("B", "B.1", "B.2", "C", "D"))
})

test_that("weights that are not frequencies are rejected with a one-line error", {
  data <- counted_rows()
  refused <- function(weights, text) {
    told <- paste0("^`weights` must ", text)
    expect_error(suppressMessages(quick_mixed(data, weights = weights, method = brief)), told)
  }
  frequencies <- "be whole numbers of at least 0 \\(frequencies\\), not "
  refused(rep(0.5, 12), paste0(frequencies, "0.5 at row 1\\.$"))
  refused(c(NA, rep(1, 11)), paste0(frequencies, "NA at row 1\\.$"))
  refused(c(1, -1, rep(1, 10)), paste0(frequencies, "-1 at row 2\\.$"))
  refused(rep(0, 12), "not all be 0")
  refused(rep(1e5, 12), "add up to at most 1000000, since [^\n]+, not 1200000\\.$")
  refused(1:3, "be a whole number for each of the 12 rows of `data`, not a numeric")
  refused("n", "be numbers or the name of a column of the data, not \"n\"\\.$")
  told <- "or the name of [^\n]+, but its evaluation failed: object 'no_such_thing' not found\\.$"
  expect_error(quick_mixed(data, weights = no_such_thing), told)
  told <- "a column of the data, not NULL\\.$"
  expect_error(quick_mixed(data, weights = data$no_such_thing), told)
})

test_that("tables are expanded to one row per case", {
  cells <- expand.grid(dimnames(Titanic), stringsAsFactors = TRUE)
  cases <- repeated_by_hand(cells, as.vector(Titanic))
  short <- method_gibbs(chains = 1, iter = 2)
  expect_message(
    fit <- quick_mixed(Titanic, method = short),
    "^Expanding the table `data`: 32 cells become 2201 rows\\. The time "
  )
  expect_identical(fit, quick_mixed(cases, method = short))
  expect_identical(
    suppressMessages(quick_mixed(as.data.frame(Titanic), weights = Freq, method = short)), fit
  )
  two <- as.table(matrix(c(5, 2, 1, 7), 2, dimnames = list(a = c("x", "y"), b = c("p", "q"))))
  by_hand <- repeated_by_hand(expand.grid(dimnames(two), stringsAsFactors = TRUE), as.vector(two))
  fit <- function(y) fit_logistic(y, method = short, seed = 1, verbose = FALSE)
  expect_identical(suppressMessages(fit(two)), fit(by_hand))
  shares <- prop.table(Titanic)
  expect_error(
    fit_mixed(shares), "^`data` must have whole numbers as counts, not 0\\.[0-9]+ at cell 3\\.$"
  )
  advice <- "fit_mixed\\(\\) fits tables of counts, a row per case"
  expect_error(fit_logistic(Titanic), advice)
  expect_error(fit_gaussian(Titanic), advice)
})

test_that("messages about many cases contain code that draws a random sample", {
  code_of <- function(message) str2lang(sub(".*: `(.*)`[.]\n$", "\\1", message))
  message <- capture_messages(cases <- expand_table(UCBAdmissions, "data"))
  expect_match(message, "become 4526 rows\\. The time of a fit grows .* if `d` is the table: `")
  d <- UCBAdmissions
  withr::with_seed(1, eval(code_of(message)))
  expect_s3_class(d, "table")
  expect_identical(dim(suppressMessages(expand_table(d, "data"))), c(500L, 3L))
  expect_true(all(d <= UCBAdmissions))
  w <- c(0, 1, 1000, 2)
  rows <- data.frame(a = letters[1:4])
  message <- capture_messages(repeat_rows(rows, w, "data"))
  expect_match(message, "become 1003; 1 row with weight 0 left out\\. The time of .* if `w` are")
  withr::with_seed(1, eval(code_of(message)))
  expect_identical(nrow(suppressMessages(repeat_rows(rows, w, "data"))), 500L)
  expect_message(expand_table(HairEyeColor, "data"), "become 592 rows\\.\n$")
  expect_message(repeat_rows(rows, c(0, 1, 3, 2), "data"), "left out\\.\n$")
  expect_error(fit_mixed(unclass(HairEyeColor)), "\\(as.table\\(\\) makes it a table of counts")
})

test_that("a message says that counts are modelled as data if all other columns are factors", {
  told <- "`data`: Freq is modelled as a column\\. .* `weights = Freq`\\.\n"
  short <- method_gibbs(chains = 1, iter = 2)
  cells <- as.data.frame(UCBAdmissions)
  expect_message(fit <- quick_mixed(cells, method = short), told)
  expect_no_message(quick_mixed(cells, c(Freq = "negative_binomial"), method = short))
  other <- transform(cells, size = seq_len(24) / 10)
  expect_false(any(grepl("weights", testthat::capture_messages(
    quick_mixed(other, method = short)
  ))))
  expect_false(any(grepl("is modelled", testthat::capture_messages(
    quick_mixed(cells, weights = Freq, method = short)
  ))))
})
