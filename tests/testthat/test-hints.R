# Errors that say what to do instead, and plots that explain what they show.

test_that("every fitting function says that arguments for chains belong to the method", {
  x <- small_data()
  fits <- list(
    fit_gaussian = x, fit_factor = x, fit_logistic = 1 * (x > 0), fit_mixed = as.data.frame(x),
    fit_topics = matrix(1:4, 2), fit_nmf = abs(x), fit_cascade = x, fit_choice = celebrities
  )
  for (by in names(fits)) {
    fit_of <- getExportedValue("buffet", by)
    expect_error(
      fit_of(fits[[by]], chains = 2),
      "^`chains` must be given to the method: `method = method_gibbs\\(chains = \\)`\\.$"
    )
    told <- sprintf("^`foo` must be left out: it is not an argument of %s\\(\\)\\.$", by)
    expect_error(fit_of(fits[[by]], foo = 2), told)
  }
  expect_error(fit_topics(fits$fit_topics, iter = 9), "method_gibbs(iter = )", fixed = TRUE)
})

test_that("tables of estimates include intervals on request", {
  kinds <- kinds_of_fits()
  for (name in c("gaussian", "meibp", "mixed", "choice", "nmf", "cascade", "topics")) {
    fit <- kinds[[name]]
    if (is.null(fit)) next
    with <- tidy(fit, conf.int = TRUE)
    expect_identical(with, tidy(fit))
    without <- tidy(fit, conf.int = FALSE)
    expect_identical(setdiff(names(with), names(without)), c("conf.low", "conf.high"))
    expect_error(tidy(fit, conf.int = 1), "^`conf.int` must be TRUE or FALSE, not 1\\.$")
    expect_error(
      tidy(fit, conf.int = 0.8),
      "^`conf.int` must be TRUE or FALSE, not 0.8: that is for `conf.level`\\.$"
    )
  }
  expect_named(tidy(kinds$choice, "worth", conf.int = FALSE), c("item", "estimate", "std.error"))
})

test_that("pp_check() of a data frame starts with the first column", {
  skip_if_not_installed("bayesplot")
  mixed <- kinds_of_fits()$mixed
  first <- names(mixed$internal$model$data$columns)[1]
  told <- sprintf("^Showing the first column, \"%s\": `column` chooses another\\.\n$", first)
  expect_message(bayesplot::pp_check(mixed, ndraws = 5), told)
  expect_no_message(bayesplot::pp_check(mixed, ndraws = 5, column = first))
})

test_that("the error for a vector that is not a row gives the required length", {
  expect_error(predict(small_fit(), c(1, 2)), paste0(
    "^`newdata` must be a numeric matrix or data frame, or one row as a vector of 3 numbers, ",
    "not a numeric vector of length 2\\.$"
  ))
  expect_error(
    predict(mixed_fit(), seq_along(mixed_fit()$internal$model$data$columns)),
    "^`newdata` must be a data frame, not a numeric vector of length [0-9]+\\.$"
  )
})

test_that("tables, distances and time series are rejected with code that converts them", {
  expect_error(fit_gaussian(Titanic), "\\(fit_mixed\\(\\) fits tables of counts, a row per case\\)")
  expect_error(fit_gaussian(eurodist), "\\(as.matrix\\(\\) converts it to a matrix\\)")
  expect_error(fit_factor(AirPassengers), "\\(as.matrix\\(\\) converts it to a matrix\\)")
  expect_error(fit_mixed(as.matrix(iris[1:4])), "\\(as.data.frame\\(\\) converts it\\)")
  of_matrix <- "be a data frame (as.data.frame(as.matrix()) converts it), not an object of"
  for (x in list(eurodist, AirPassengers)) expect_error(fit_mixed(x), of_matrix, fixed = TRUE)
  expect_error(fit_gaussian("a"), "^`x` must be a numeric matrix or data frame, not \"a\"\\.$")
})

test_that("plots explain their order and their numbers", {
  expect_match(plot(small_fit(), "features")$labels$subtitle, "first row that has them")
  expect_match(
    plot(small_fit(), "chains")$labels$caption, "share of the rows that have the feature"
  )
})

test_that("step_ibp() names a column that is not numeric, and a model that accepts it", {
  skip_if_not_installed("recipes")
  step <- step_ibp(recipes::recipe(~., iris), recipes::all_predictors(), seed = 1)
  expect_error(suppressWarnings(recipes::prep(step)), paste(
    "`model` must be \"mixed\" in step_ibp() if not all columns are numbers, not \"gaussian\" for",
    "the factor column \"Species\"."
  ), fixed = TRUE)
})

test_that("loo() explains how to compare fits if its estimates are unreliable", {
  skip_if_not_installed("loo")
  told <- function(k) {
    estimate <- structure(list(diagnostics = list(pareto_k = k)), class = c("psis_loo", "loo"))
    tell_unreliable(estimate)
  }
  expect_message(told(rep(c(0.1, 0.9), c(9, 1))), "above 0.7 for 10 % .*compare_heldout\\(")
  expect_no_message(told(rep(c(0.1, 0.9), c(99, 1))))
})

test_that("comparisons that are not a table of subjects by pairs raise a one-line error", {
  bare <- structure(c(1, -1, 1), class = "paircomp", labels = c("a", "b", "c"), ordered = FALSE)
  expect_error(check_wins(bare), "^`wins` must be a paircomp\\(\\) with a row per subject")
})

test_that("columns that identify rows are named, with code that leaves them out", {
  told <- function(..., families = NULL) {
    data <- data.frame(x = sin(1:12), ..., check.names = FALSE)
    message <- character()
    brief <- method_gibbs(chains = 1, iter = 4)
    withCallingHandlers(quick_mixed(data, families, method = brief), message = function(m) {
      message <<- c(message, conditionMessage(m))
      rlang::cnd_muffle(m)
    })
    paste(grep("identifier", message, value = TRUE), collapse = "")
  }
  one <- paste(
    "%s looks like an identifier of the rows of `data`. To leave it out:",
    "`subset(data, select = -%s)`.\n"
  )
  one_of <- function(name) sprintf(one, name, name)
  expect_identical(told(nr = 12:1 + 100), one_of("nr"))
  expect_identical(told(name = letters[1:12]), one_of("name"))
  expect_identical(told(name = factor(c(letters[1:11], NA))), one_of("name"))
  expect_identical(told(name = c(letters[1:7], rep("z", 5))), one_of("name"))
  expect_identical(told(ID = rep(1:4, 3)), one_of("ID"))
  expect_identical(told(row = 1:12, `n b` = month.name), paste(
    "row and n b look like identifiers of the rows of `data`. To leave them out:",
    "`subset(data, select = -c(row, `n b`))`.\n"
  ))
  # Columns that are not identifiers are not reported, nor is a column whose family is given.
  expect_identical(told(a = rep(letters[1:6], 2), b = c(1:11, 13), c = 1:12 / 2), "")
  expect_identical(told(nr = 1:12, families = c(nr = "gaussian")), "")
})

test_that("the code in the message leaves the columns out", {
  data <- data.frame(x = 1, row = 1:12, "n b" = letters[1:12], check.names = FALSE)
  expect_identical(eval(str2lang(without_columns(c("row", "n b")))), data["x"])
  expect_identical(eval(str2lang(without_columns("n b"))), data[c("x", "row")])
})

test_that("a text column with distinct values is rejected with code that leaves it out", {
  data <- data.frame(x = sin(1:70), name = sprintf("name %d", 1:70))
  expect_error(
    suppressMessages(fit_mixed(data)),
    "at most 60 categories in the column \"name\".*: `subset\\(data, select = -name\\)` leaves it"
  )
})

test_that("values that look like codes for missing entries are named, with code that fixes them", {
  told <- function(...) {
    data <- data.frame(..., check.names = FALSE)
    messages <- capture_messages(tell_missing_codes(data))
    if (length(messages) == 0) return(NULL)
    list(said = messages, repaired = local({
      eval(str2lang(sub(".*NA: `(.*)`[.]\n$", "\\1", messages)))
      data
    }))
  }
  out <- told(
    a = 1:12, `in come` = c(20:29, 999, 999), town = c("", letters[1:11]), q = c(1:5, 1:5, -9, -9)
  )
  expect_match(out$said, paste0(
    "^Values of `data` that may be codes for missing entries: ",
    "999 in in come, \"\" in town, -9 in q\\. ",
    "If they are, set them to NA: `data\\$`in come`\\[.*\\] <- NA`\\.\n$"
  ))
  expect_identical(out$repaired[["in come"]], c(20:29 + 0, NA, NA))
  expect_identical(told(town = factor(c("", "x")))$repaired$town, factor(c(NA, "x"), c("", "x")))
  # These are not codes: they are close to other numbers, unique, not all nines, or one of two
  # values.
  expect_null(told(a = c(1:10, 9, 9), b = c(1:11, 99), c = rep(c(1:5, 98), 2)))
  expect_null(told(a = rep(c(0, 99), 6), b = rep(c(NA, 50, 90, 99), 3), c = rep(c(TRUE, NA), 6)))
  expect_message(
    quick_mixed(data.frame(a = sin(1:20), b = rep(c("", "u"), 10)), method = method_gibbs(1, 2)),
    "may be codes for missing entries: \"\" in b\\."
  )
})

test_that("errors about misspelt choices suggest the closest one", {
  expect_error(method_gibbs(sampler = "slise"), ", not \"slise\"\\. Did you mean \"slice\"\\?$")
  expect_error(plot(small_fit(), "featurs"), "\\. Did you mean \"features\"\\?$")
  expect_error(fit_mixed(iris, "gausian"), "\\. Did you mean \"gaussian\"\\?$")
  expect_error(
    compare_heldout(small_fit(), small_fit(), actul = 1),
    ": `actual` must be named\\. Did you mean `actual`\\?$"
  )
  expect_error(plot(small_fit(), "zzz"), "not \"zzz\"\\.$")
})

test_that("fit_gaussian() suggests fit_logistic() for zeros and ones", {
  told <- "^`x` has only the values 0 and 1: `fit_logistic\\(x\\)` models the probability of a 1"
  binary <- small_binary()
  binary[3] <- NA
  for (x in list(binary, binary == 1, Matrix::Matrix(small_binary(), sparse = TRUE))) {
    said <- capture_messages(quick_fit(x, method = method_gibbs(1, 2)))
    expect_identical(sum(grepl(told, said)), 1L)
  }
  for (x in list(2 * small_binary(), small_binary() - 0.5, small_data())) {
    expect_no_message(quick_fit(x, method = method_gibbs(1, 2)), message = "fit_logistic")
  }
  answers <- data.frame(a = factor(c("no", "yes", "no")), b = factor(c("yes", "no", "no")))
  expect_error(fit_gaussian(answers), ": fit_logistic\\(\\) accepts such columns\\.$")
  expect_error(fit_gaussian(iris), ": fit_mixed\\(\\) accepts such columns\\.$")
})

test_that("a square data frame of wins is rejected with code that converts it to a matrix", {
  repaired <- function(wins) {
    error <- expect_error(fit_choice(wins), "without `winner`: `.*` makes it a matrix\\.$")
    eval(str2lang(sub(".*: `(.*)` makes.*", "\\1", conditionMessage(error))))
  }
  plain <- as.data.frame(celebrities)
  expect_identical(check_wins(repaired(plain)), check_wins(celebrities))
  named <- cbind(item = rownames(plain), unname(plain))
  names(named)[-1] <- rownames(plain)
  expect_identical(check_wins(repaired(named)), check_wins(celebrities))
})
