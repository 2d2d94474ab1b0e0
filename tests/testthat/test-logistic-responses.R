y <- with_holes(small_binary(), 5)
short <- method_gibbs(chains = 1, iter = 20)
fit_of <- function(y, ...) quick_logistic(y, ..., method = short)

#' A data frame whose columns are factors with these levels
as_factors <- function(y, labels = c("no", "yes")) {
  frame <- as.data.frame(y)
  frame[] <- lapply(frame, function(v) factor(labels[v + 1], labels))
  frame
}

test_that("binary data in all forms give the same fit", {
  plain <- check_responses(y)
  expect_identical(plain, y)
  whole <- y
  storage.mode(whole) <- "integer"
  forms <- list(
    frame = as.data.frame(y), logical = y == 1, whole = whole, factors = as_factors(y),
    numbers = as_factors(y, c("1", "2")), reversed_names = as_factors(y, c("yes", "no")),
    ordered = data.frame(lapply(as_factors(y), as.ordered), row.names = rownames(y)),
    flags = as.data.frame(y == 1), extra = structure(y, features = 1),
    mixed = cbind(as.data.frame(y)[1], as.data.frame(y == 1)[2], as_factors(y)[3:4])
  )
  truth <- fit_of(y)
  for (form in forms) {
    expect_identical(check_responses(form), plain)
    fit <- fit_of(form)
    expect_identical(scalars_of(fit), scalars_of(truth))
    expect_identical(as.list(feature_draws(fit)), as.list(feature_draws(truth)))
    expect_identical(fitted(fit), fitted(truth))
  }
  tibble <- tibble::as_tibble(as_factors(y))
  expect_identical(check_responses(tibble), `rownames<-`(plain, NULL))
})

test_that("sparse data of all classes stay sparse", {
  sparse <- Matrix::Matrix(small_binary(), sparse = TRUE)
  stored <- sparse
  stored@x[2:3] <- 0
  classes <- c("dgCMatrix", "nMatrix", "lMatrix", "TsparseMatrix", "RsparseMatrix")
  for (form in c(lapply(classes, methods::as, object = sparse), stored)) {
    checked <- check_responses(form)
    expect_s4_class(checked, "dgCMatrix")
    expect_identical(as.matrix(checked), as.matrix(form) + 0)
  }
  expect_true(is.matrix(check_responses(sparse, sparse = FALSE)))
  missing <- methods::as(Matrix::Matrix(y, sparse = TRUE), "lMatrix")
  expect_identical(as.matrix(check_responses(missing)), y)
})

test_that("entries that are not binary are rejected, with their position or column", {
  message_of <- function(v) tryCatch(check_responses(v), error = conditionMessage)
  told <- "`y` must contain only 0, 1 and NA, not %d at row 2, column 2."
  expect_identical(message_of(replace(y, 12, 2)), sprintf(told, 2L))
  cure <- "not 2 at row \\d, column 1: `y <- y == 2` codes 1 as 0 and 2 as 1\\.$"
  expect_match(message_of(y + 1), cure)
  sparse <- Matrix::Matrix(small_binary(), sparse = TRUE)
  expect_identical(message_of(replace(sparse, 12, -1)), sprintf(told, -1L))
  told <- "`y` must have factors of two levels only, not the column \"a\" of %d%s."
  expect_identical(
    message_of(data.frame(a = factor(c("x", "y", "z")))),
    sprintf(told, 3L, ": fit_mixed() accepts such columns")
  )
  expect_identical(message_of(data.frame(a = factor(c("x", "x")))), sprintf(told, 1L, ""))
})

test_that("factors in new rows are read with the levels of the data", {
  fit <- fit_of(as_factors(y))
  new <- as_factors(y)[1:3, ]
  turned <- new
  turned[] <- lapply(new, factor, c("yes", "no"))
  expect_identical(predict(fit, turned), predict(fit, y[1:3, ]))
  dropped <- data.frame(lapply(new[1, ], droplevels), row.names = "row1")
  expect_identical(predict(fit, dropped), predict(fit, y[1, , drop = FALSE]))
  expect_identical(predict(fit, new[4:1]), predict(fit, new))
  other <- new
  other$q <- factor("perhaps")
  expect_error(
    predict(fit, other),
    "^`newdata` must have the levels of the data in the column \"q\", not \"perhaps\": set it to NA"
  )
  full <- as_factors(small_binary())
  full[] <- lapply(full, factor, c("yes", "no"))
  expect_identical(heldout_density(fit, full), heldout_density(fit, small_binary()))
})

test_that("columns that differ from most others are named once, in one line", {
  votes <- as_factors(y, c("n", "y"))
  with_class <- cbind(Class = factor(rep(c("d", "r"), length.out = nrow(y))), votes)
  said <- testthat::capture_messages(fit <- fit_of(with_class))
  expect_identical(said, paste0(
    "`y`: column \"Class\" (d, r) is unlike the others (n, y) but used as data; ",
    "y[names(y) != \"Class\"] leaves it out.\n"
  ))
  expect_identical(ncol(fitted(fit)), ncol(y) + 1L)
  two <- cbind(with_class, sex = as.numeric(with_class$Class) - 1)
  expect_message(fit_of(two), "columns \"Class\" (d, r), \"sex\" (0, 1) are unlike", fixed = TRUE)
  # The second level means 1, so the same levels in reverse order have a different meaning.
  turned <- votes
  turned[[2]] <- factor(turned[[2]], c("y", "n"))
  expect_message(fit_of(turned), "(y, n) is unlike the others (n, y)", fixed = TRUE)
  for (plain in list(votes, y, as.data.frame(y), as.data.frame(y == 1))) {
    expect_silent(fit_of(plain))
  }
  # No type of column has a majority.
  half <- cbind(
    as_factors(y), stats::setNames(as_factors(y, c("a", "b")), letters[seq_len(ncol(y))])
  )
  expect_silent(fit_of(half))
  expect_silent(predict(fit, with_class[1:2, ]))
})

test_that("constant columns are named once, in one line", {
  said <- function(y) testthat::capture_messages(fit_of(y))
  never <- cbind(none = 0, y, all = 1)
  never[2, 1] <- NA
  expect_identical(
    said(never),
    "`y`: columns \"none\", \"all\" are constant and carry little information about the features.\n"
  )
  expect_identical(said(Matrix::Matrix(never, sparse = TRUE)), said(never))
  one <- unname(replace(y, cbind(seq_len(nrow(y)), 2), TRUE))
  expect_identical(
    said(one), "`y`: column 2 is constant and carries little information about the features.\n"
  )
  expect_match(said(replace(never, TRUE, 0)), ", \\.\\.\\. are constant")
  # Columns without any observed entry are reported differently.
  expect_match(said(replace(y, cbind(seq_len(nrow(y)), 2), NA)), "^Columns without any values, ")
})

test_that("augment() returns binary data in their original form", {
  given <- cbind(
    as_factors(y)[1:2], flag = as.data.frame(y == 1)[[3]], grade = as.ordered(as_factors(y)[[4]]),
    number = y[, 1]
  )
  given$turned <- factor(as.character(given[[1]]), c("yes", "no"))
  found <- augment(suppressMessages(fit_of(given)))
  rownames(given) <- NULL
  expect_identical(as.data.frame(found[names(given)]), given)
  bare <- `rownames<-`(y, NULL)
  expect_identical(as.matrix(augment(fit_of(y == 1))[colnames(y)]), bare == 1)
  expect_identical(as.matrix(augment(fit_of(y))[colnames(y)]), bare)
})

test_that("text and other codes for yes and no are rejected with code that recodes them", {
  repaired <- function(y) {
    error <- expect_error(check_responses(y), ": `.*`[^`]*\\.$", class = "buffet_error")
    eval(str2lang(sub(".*: `(.*)`.*", "\\1", conditionMessage(error))))
    check_responses(y)
  }
  yes <- rbind(c(1, 0), c(NA, 1), c(0, 0))
  text <- ifelse(yes == 1, "yes", "no")
  expect_identical(repaired(text), yes)
  expect_identical(repaired(2 * yes - 1), yes)
  frame <- as.data.frame(text)
  expect_identical(unname(repaired(frame)), yes)
  frame[[2]] <- factor(frame[[2]])
  expect_identical(unname(repaired(frame)), yes)
  mixed <- data.frame(a = frame[[1]], b = yes[, 2], c = c(TRUE, FALSE, NA))
  expect_identical(unname(repaired(mixed)), cbind(yes, c(1, 0, NA)))
  unused <- data.frame(a = factor(frame[[1]], c("no", "yes", "refused")))
  expect_identical(unname(repaired(unused)), yes[, 1, drop = FALSE])
  expect_error(check_responses(iris), ": fit_mixed\\(\\) accepts such columns\\.$")
  expect_error(
    check_responses(data.frame(a = letters, b = 0:1)), ": fit_mixed\\(\\) accepts such columns\\.$"
  )
})
