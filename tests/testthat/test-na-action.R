# `na.action`: missing entries are inferred, refused, or left out with their rows.

brief <- method_gibbs(chains = 1, iter = 10)

holes <- function() {
  x <- matrix(withr::with_seed(1, stats::rbinom(60, 1, 0.5)), 12, 5)
  dimnames(x) <- list(letters[1:12], LETTERS[1:5])
  x[2, 3] <- NA
  x[7, 1:2] <- NA
  x
}

#' The fits that have the argument, each of its data alone
fits_of_holes <- function() {
  fit_by <- function(fit) {
    function(x, ...) fit(x, ..., method = brief, seed = 1, verbose = FALSE)
  }
  list(
    fit_gaussian = fit_by(fit_gaussian), fit_logistic = fit_by(fit_logistic),
    fit_factor = fit_by(fit_factor),
    fit_nmf = function(x, ...) fit_nmf(x, 2, ..., seed = 1, verbose = FALSE),
    fit_cascade = fit_by(fit_cascade),
    fit_mixed = function(x, ...) {
      fit_mixed(as.data.frame(x), ..., method = brief, seed = 1, verbose = FALSE)
    }
  )
}

left_out <- "^Rows of `[a-z]+` with missing entries are left out with their names: 2 of 12 "

test_that("rows with missing entries are left out with a message, and their names go with them", {
  x <- holes()
  complete <- x[-c(2, 7), ]
  fits <- fits_of_holes()
  for (name in names(fits)) {
    fit <- fits[[name]]
    for (action in list(stats::na.omit, "na.omit", stats::na.exclude, "na.exclude")) {
      expect_message(without <- fit(x, na.action = action), left_out, label = name)
    }
    expect_no_message(of_complete <- fit(complete, na.action = "na.exclude"))
    expect_identical(without, of_complete, label = name)
    expect_identical(nobs(without), if (name == "fit_mixed") 10L else nobs(of_complete))
    expect_identical(without$model$data, fit(complete)$model$data, label = name)
  }
  expect_message(one <- fits$fit_gaussian(x[-2, ], na.action = "na.omit"), ": 1 of 11 ")
  expect_identical(rownames(features(one)), letters[c(1, 3:6, 8:12)])
})

test_that("missing entries stay by default, and are an error with na.fail", {
  x <- holes()
  fits <- fits_of_holes()
  for (name in names(fits)) {
    fit <- fits[[name]]
    argument <- names(formals(get(name)))[1]
    error <- paste0(
      "^`", argument, "` must have no missing entries, as `na.action` is na.fail, not 3 ",
      "\\(the first at row 7, column 1\\)\\.$"
    )
    for (action in list(stats::na.fail, "na.fail")) expect_error(fit(x, na.action = action), error)
    expect_no_error(fit(x[-c(2, 7), ], na.action = stats::na.fail))
    expect_no_message(by_default <- fit(x))
    expect_identical(fit(x, na.action = "na.pass"), by_default, label = name)
    expect_identical(nrow(by_default$model$data$x), 12L)
    expect_refusals(\(v) fit(x, na.action = v), "na.action", list(
      NULL, NA, 1, "na.impute", "omit", c("na.omit", "na.fail"), mean, stats::na.contiguous, list()
    ))
    expect_refusals(\(v) fit(v, na.action = "na.omit"), argument, list(replace(x, , NA_real_)))
  }
})

test_that("NaN is missing where it is asked for, and Inf never", {
  x <- replace(holes(), 12, NaN)
  fits <- fits_of_holes()
  for (name in names(fits)) {
    fit <- fits[[name]]
    expect_message(without <- fit(x, na.action = "na.omit"), ": 3 of 12 ", label = name)
    expect_identical(nrow(without$model$data$x), 9L)
    expect_error(fit(x, na.action = "na.fail"), "not 4 \\(the first at row 7, column 1\\)")
    expect_error(fit(x), "^`(x|y|data)` must [^\n]+, not [^\n]*NaN", label = name)
    infinite <- replace(x, 25, Inf)
    expect_error(
      suppressMessages(fit(infinite, na.action = "na.omit")),
      if (name == "fit_mixed") "in the column \"C\"" else "row 1, column 3", label = name
    )
  }
})

test_that("sparse matrices and data frames lose rows too, and row numbers stay", {
  x <- holes()
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  run <- function(x) {
    suppressMessages(quick_fit(x, method = brief, na.action = "na.omit"))$model$data$x
  }
  expect_s4_class(run(sparse), "dgCMatrix")
  expect_equal(as.matrix(run(sparse)), x[-c(2, 7), ])
  frame <- data.frame(unname(x))
  expect_identical(rownames(run(frame)), as.character(1:12)[-c(2, 7)])
  levels <- data.frame(
    a = factor(c("u", NA, "v", "v", "u"), exclude = NULL), b = c(0.1, 2, 3.5, NA, -4),
    c = c("p", "q", "q", "p", "p")
  )
  fit <- suppressMessages(quick_mixed(levels, method = brief, na.action = "na.omit"))
  expect_identical(rownames(fit$model$data$x), c("1", "3", "5"))
  expect_error(
    quick_mixed(levels, method = brief, na.action = "na.fail"),
    "not 2 (the first at row 2, column 1)", fixed = TRUE
  )
})

test_that("row_blocks() keep their missing entries", {
  blocks <- blocks_of(holes(), c(6, 6))
  expect_refusals(
    \(v) quick_point(blocks, na.action = v), "na.action", list("na.omit", "na.fail", "na.exclude")
  )
  expect_no_error(quick_point(blocks, na.action = "na.pass", method = method_meibp(3)))
})

test_that("what has a row for each row of the data must have those that are kept", {
  x <- holes()
  run <- function(fit, ...) {
    suppressMessages(fit(x, ..., method = brief, seed = 1, verbose = FALSE, na.action = "na.omit"))
  }
  z <- matrix(1:0, 12, 2, dimnames = list(letters[1:12], NULL))
  z[, 2] <- rep(1:0, each = 6)
  kept <- setdiff(letters[1:12], c("b", "g"))
  expect_error(run(fit_logistic, prior = prior_fixed(z)), "^`z` must have a row per .+ \\(10\\)")
  fit <- run(fit_logistic, prior = prior_fixed(z[rev(kept), ]))
  expect_identical(unname(features(fit)), unname(z[kept, ]))
  tree <- caterpillar(12, letters[1:12])
  expect_error(run(fit_gaussian, prior = prior_pibp(tree)), "^`tree` must ")
  smaller <- prior_pibp(caterpillar(10, kept))
  expect_identical(rownames(features(run(fit_gaussian, prior = smaller))), kept)
  expect_error(run(fit_gaussian, init = unname(z)), "^`init` must ")
  expect_identical(nobs(run(fit_gaussian, init = unname(z[kept, ]))), 10L)
})

test_that("fits go on, are resumed and are made again with it", {
  x <- holes()
  file <- withr::local_tempfile(fileext = ".rds")
  fits <- fits_of_holes()
  for (name in names(fits)) {
    fit <- suppressMessages(fits[[name]](x, na.action = "na.omit"))
    other <- suppressMessages(update(fit, newdata = as.data.frame(x[1:7, ]), verbose = FALSE))
    expect_identical(nrow(other$model$data$x), 5L, label = name)
    expect_error(
      update(fit, newdata = as.data.frame(x), na.action = "na.fail", verbose = FALSE), "na.fail"
    )
  }
  run <- function() quick_fit(x, method = brief, na.action = "na.omit", file = file)
  expect_message(first <- run(), left_out)
  expect_message(again <- run(), left_out)
  expect_identical(again, first)
  expect_identical(nobs(update(first, iter = 20, verbose = FALSE)), 10L)
})
