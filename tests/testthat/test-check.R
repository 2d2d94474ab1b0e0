test_that("every kind of value has a short description", {
  described <- function(x) expect_equal(describe_value(x[[1]]), x[[2]])
  lapply(list(
    list(NULL, "NULL"), list(NA, "NA"), list(NA_character_, "NA"), list(NaN, "NaN"), list(2L, "2"),
    list(-0.1, "-0.1"), list(1e300, "1e+300"), list(1 + 1e-10, "1.0000000001"), list(TRUE, "TRUE"),
    list("a\nb", "\"a\\nb\""), list(1:3, "a numeric vector of length 3"),
    list(1:3e9, "a numeric vector of length 3000000000"),
    list(character(0), "a character vector of length 0"), list(list(1), "a list"),
    list(sum, "a function"), list(matrix(0, 2, 3), "a 2 x 3 numeric matrix"),
    list(data.frame(a = 1), "a data frame with 1 row and 1 column"),
    list(factor(1), "an object of class factor"), list(quote(x), "a symbol"),
    list(quote(x + 1), "a call"),
    list(array(0, c(2, 3, 4)), "a 2 x 3 x 4 numeric array"), list(emptyenv(), "an environment")
  ), described)
  expect_lt(nchar(describe_value(strrep("long ", 100))), 50)
  expect_identical(describe_value("a\xff"), "\"a<ff>\"")
  expect_identical(one_line(" a\xff\n b"), "a<ff> b")
})

test_that("check_number() honours open and closed ends", {
  expect_identical(check_number(0L, "d", 0, 1, "[)"), 0)
  expect_identical(check_number(1, "d", 0, 1), 1)
  expect_identical(check_number(-5, "d"), -5)
  expect_refusals(\(x) check_number(x, "d", 0, 1, "[)"), "d", c(not_numbers, 1, -1e-9))
  expect_refusals(\(x) check_number(x, "d", 0, 1, "(]"), "d", list(0, 1 + 1e-9))
  expect_error(check_number(1, "d", 0, 1, "[)"), "be one number in [0, 1), not 1.", fixed = TRUE)
  expect_error(check_number(0, "d", 0, ends = "()"), "be one number above 0, not 0.")
  expect_error(check_number(-1, "d", 0), "be one number of at least 0, not -1.")
  expect_error(check_number(1, "d", upper = 0), "be one number of at most 0, not 1.")
  expect_error(check_number(0, "d", upper = 0, ends = "[)"), "be one number below 0, not 0.")
  expect_error(check_number(Inf, "d"), "be one finite number, not Inf.")
})

test_that("check_count() accepts 10 and 10L and returns an integer", {
  expect_identical(check_count(10, "n"), 10L)
  expect_identical(check_count(10L, "n"), 10L)
  expect_identical(check_count(0, "n", lower = 0), 0L)
  expect_identical(check_count(.Machine$integer.max, "n"), .Machine$integer.max)
  expect_refusals(\(x) check_count(x, "n"), "n", not_counts)
  expect_error(check_count(1, "n", lower = 2), "be one whole number of at least 2, not 1.")
  expect_error(check_count(2^31, "n"), "be one whole number from 1 to 2147483647, not 2147483648.")
})

test_that("an object that does not exist raises an error that shows the user's call", {
  fits <- list(fit_gaussian, fit_logistic, fit_mixed, \(x) fit_nmf(x, 2), fit_topics)
  for (fit in fits) {
    error <- expect_error(fit(no_such_thing), "^object 'no_such_thing' not found$")
    expect_match(deparse(conditionCall(error)), "^fit[_a-z]*\\(\\)$")
  }
  expect_error(fit_gaussian(matrix(0, 2, 2), seed = stop("mine")), "^mine$")
})

test_that("a missing argument is named, whichever function passed it on", {
  needed <- list(
    fit_gaussian = "x", fit_logistic = "y", fit_mixed = "data", fit_factor = "x",
    fit_choice = "wins", fit_topics = "dtm", fit_cascade = "x", fit_nmf = "x",
    prior_beta_bernoulli = "n_features", prior_fixed = "z", prior_pibp = "tree",
    prior_attraction = "distance", gamma_prior = "shape"
  )
  for (name in names(needed)) {
    call <- get(name)
    for (given in list(call, function(x) call(x), function(...) call(...))) {
      error <- expect_error(given(), sprintf("^`%s` must be given\\.$", needed[[name]]))
      expect_s3_class(error, "buffet_error_argument")
    }
  }
  others <- list(
    alpha = \() ribp(5), tree = \() rpibp(), distance = \() rattraction(),
    n_features = \() rbeta_bernoulli(5), z = \() dibp(),
    alpha = \() rcascade(5), k = \() cascade_depth(), k = \() cascade_width(), read = row_blocks,
    fit = \() heldout_density(), fit = \() features(), fit = \() top_words(), data = complete
  )
  for (n in seq_along(others)) {
    error <- expect_error(others[[n]](), sprintf("^`%s` must be given\\.$", names(others)[n]))
    expect_s3_class(error, "buffet_error_argument")
  }
  expect_error(gamma_prior(1), "^`rate` must be given\\.$")
  # If the function that passes it on has a default, the argument is not missing.
  expect_identical((function(a = 1, b = 2) gamma_prior(a, b))(), gamma_prior(1, 2))
})
