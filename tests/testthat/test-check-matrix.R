x <- matrix(c(1.5, -2, 0, 3, 4, 5), 3, dimnames = list(letters[1:3], c("p", "q")))

test_that("data that are not numeric are rejected, and the error names the column", {
  bad <- list(
    NULL, NA, 1, 1:3, "a", list(), sum, matrix("1"), matrix(1i), matrix(list(1)), matrix(0, 0, 2),
    matrix(0, 2, 0), data.frame(), array(0, c(1, 1, 1)), factor(1)
  )
  expect_refusals(check_data_matrix, "x", bad)
  column <- function(v) check_data_matrix(data.frame(p = 1:2, q = v))
  expect_error(column(c("u", "v")), "not the character column \"q\": fit_mixed\\(\\)")
  expect_error(column(factor(1:2)), "not the factor column \"q\": fit_mixed\\(\\)")
  for (vector in list(1:3, x[1, ])) {
    expect_error(check_data_matrix(vector), ": `m\\[1, , drop = FALSE\\]` keeps a row of a matrix")
  }
  times <- list(
    as.Date(1:2, "1970-01-01"), as.POSIXct(1:2, tz = "UTC", origin = "1970-01-01"),
    as.difftime(1:2, units = "secs")
  )
  for (values in times) {
    error <- expect_error(column(values), "the \\w+ column \"q\": `x\\$q <- as.numeric\\(x\\$q\\)`")
    x <- data.frame(p = 1:2, q = values)
    eval(str2lang(sub(".*`(x.*)` converts.*", "\\1", conditionMessage(error))))
    expect_identical(check_data_matrix(x)[, "q"], as.numeric(values))
  }
  expect_error(column(I(list(1, 2))), "have numeric columns only, not the AsIs column \"q\"")
  expect_error(column(I(matrix(0, 2, 2))), "column \"q\"")
  expect_error(check_data_matrix(unname(data.frame("a"))), "not the character column \"\": ")
  days <- unname(data.frame(as.Date("2020-01-01")))
  expect_error(check_data_matrix(days), "not the Date column \"\"\\.$")
})

test_that("entries that are not finite numbers are counted, and the first one is located", {
  at <- function(value, at = 5) replace(x, at, value)
  bad <- list(at(NaN), at(Inf), at(-Inf), at(1e300), at(NaN, 1:6))
  expect_refusals(check_data_matrix, "x", bad)
  expect_error(
    check_data_matrix(at(NaN, c(3, 5))),
    "have finite entries only, not 2 NaN or infinite entries (the first at row 3, column 1).",
    fixed = TRUE
  )
  expect_error(check_data_matrix(at(-1e101)), "not 1 larger entry (the first at", fixed = TRUE)
  expect_identical(check_data_matrix(at(1e100)), at(1e100))
})

test_that("sparse matrices can stay sparse, and are rejected for the same reasons as dense ones", {
  sparse <- Matrix::Matrix(replace(x, c(1, 5), 0), sparse = TRUE)
  keep <- function(x) check_data_matrix(x, sparse = TRUE)
  square <- Matrix::Matrix(diag(c(2, 0, 1)) + matrix(c(0, 3, 0), 3, 3), sparse = TRUE)
  forms <- list(
    sparse, methods::as(sparse, "TsparseMatrix"), sparse > 1, methods::as(sparse, "nMatrix"),
    Matrix::Diagonal(3, 2), Matrix::forceSymmetric(square), Matrix::triu(square)
  )
  for (form in forms) {
    expect_s4_class(keep(form), "dgCMatrix")
    expect_identical(as.matrix(keep(form)), as.matrix(form) * 1)
  }
  expect_identical(keep(as.matrix(sparse)), as.matrix(sparse))
  expect_identical(keep(replace(sparse, 2, NA)), replace(sparse, 2, NA))
  expect_refusals(keep, "x", list(
    replace(sparse, 2, NaN), replace(sparse, 2, 1e101), sparse[0, ], sparse[, 0], sparse[c(1, 1), ]
  ))
  expect_error(keep(replace(sparse, 6, Inf)), "(the first at row 3, column 2).", fixed = TRUE)
})

test_that("duplicate row names are rejected", {
  rownames(x) <- c("a", "b", "a")
  expect_error(
    check_data_matrix(x), "`x` must have unique row names or none, not \"a\" more than once."
  )
})

test_that("columns of numeric classes are converted by the methods of their class", {
  # Lengths in millimetres, stored in metres, are like classed numbers with units and 64-bit
  # integers.
  registerS3method("as.double", "in_metres", function(x, ...) 1000 * as.double(unclass(x)))
  frame <- data.frame(p = 1:2)
  frame$q <- structure(c(0.5, 2), class = "in_metres")
  expect_identical(check_data_matrix(frame), cbind(p = c(1, 2), q = c(500, 2000)))
  in_cm <- data.frame(p = structure(1:2, unit = "cm"))
  expect_identical(check_data_matrix(in_cm), cbind(p = c(1, 2)))
  expect_error(check_data_matrix(data.frame(p = as.difftime(1:2, units = "secs"))), "column \"p\"")
})

test_that("sparse matrices with inconsistent slots are rejected by every function", {
  m <- Matrix::sparseMatrix(c(1, 3, 8, 2), c(1, 1, 2, 3), x = 1, dims = c(8, 3))
  with_slot <- function(name, value) {
    methods::slot(m, name) <- value
    m
  }
  bad <- list(
    with_slot("i", c(0L, 99L, 7L, 1L)), with_slot("i", c(0L, -1L, 7L, 1L)),
    with_slot("i", c(2L, 0L)), with_slot("p", c(0L, 2L, 1000L, 4L)), with_slot("p", c(0L, 4L)),
    with_slot("x", 1), with_slot("Dim", c(2L, 3L)), with_slot("Dim", 8L)
  )
  fit <- quick_fit(as.matrix(m), method = method_gibbs(1, 20, 10))
  takers <- list(
    x = \(x) quick_fit(x), newdata = \(x) predict(fit, x),
    dtm = \(x) fit_topics(x, method = method_gibbs(1, 20, 10)), y = \(x) fit_logistic(x)
  )
  for (name in names(takers)) for (x in bad) {
    told <- "^`%s` must be a valid matrix of the Matrix package, not one with inconsistent slots: "
    expect_error(takers[[name]](x), sprintf(paste0(told, "[^\n]+$"), name))
  }
  # The number of rows is checked before the matrix is.
  for (x in bad[1:6]) expect_error(quick_fit(as.matrix(m), init = x), "valid matrix of the Matrix")
  for (x in bad) expect_error(quick_fit(as.matrix(m), init = x), "^`init` must [^\n]+$")
})

test_that("a sparse matrix of the wrong size, or with too many entries, is not expanded", {
  many <- Matrix::sparseMatrix(1, 1, x = 1, dims = c(1e5, 1e5), repr = "T")
  expect_error(
    quick_fit(diag(8), init = many),
    "^`init` must have a row per row of Z \\(8\\), not 100000 rows and 100000 columns\\.$"
  )
  expect_error(check_binary_matrix(many), "^`z` must be small enough for a matrix")
})

test_that("integer64 columns are rejected if no package can read them", {
  skip_if(isNamespaceLoaded("bit64"))
  x <- data.frame(a = 1:3 * 4.94e-324, b = c(1, 2, 4))
  class(x$a) <- "integer64"
  expect_error(
    check_data_matrix(x), "have no integer64 columns unless bit64 is loaded, not one in \"a\"\\.$"
  )
})

test_that("names that are invalid in their encoding are rejected with a one-line error", {
  bad <- "caf\xe9"
  Encoding(bad) <- "UTF-8"
  short <- method_gibbs(1, 4)
  quiet <- function(fit, ...) fit(..., method = short, verbose = FALSE)
  columns <- `colnames<-`(sim_images(10)[, 1:3], c(bad, "b", "c"))
  frame <- data.frame(a = c(1, 3, 2, 5), b = c(2, 1, 4, 4))
  counts <- matrix(1:4, 2, dimnames = list(NULL, c("b", bad)))
  refusals <- list(
    "^`x` must have column names that are" = \() quiet(fit_gaussian, columns),
    "^`x` must have column names that are" = \() quiet(fit_gaussian, as.data.frame(columns)),
    "^`x` must have row names that are" = \() quiet(fit_gaussian, t(columns)),
    "^`read\\(1\\)` must have column names that are" = \() row_blocks(\(i) columns, 1),
    "^`newdata` must have column names that are" = \() predict(small_fit(), columns),
    "^`y` must have column names that are" = \() quiet(fit_logistic, (columns > 0) * 1),
    "^`y` must have column names that are" = \() quiet(fit_logistic, as.data.frame(columns > 0)),
    "^`wins` must have row names that are" =
      \() quiet(fit_choice, data.frame(winner = c("a", bad), loser = c("b", "a"))),
    "^`data` must have column names that are" = \() quiet(fit_mixed, `names<-`(frame, c("a", bad))),
    "^`data` must have row names that are" =
      \() quiet(fit_mixed, `attr<-`(frame, "row.names", c(bad, "b", "c", "d"))),
    "^`dtm` must have word names that are" =
      \() quiet(fit_topics, data.frame(document = 1:2, term = c(bad, "x"), count = 1)),
    "^`dtm` must have column names that are" = \() quiet(fit_topics, counts)
  )
  for (i in seq_along(refusals)) {
    said <- paste0(names(refusals)[i], " valid in their encoding, not \"caf<e9>\"\\.$")
    expect_error(refusals[[i]](), said, label = paste("case", i))
  }
})
