# A message where names of rows or columns are missing.

test_that("people are told once that rows and columns without names are numbered", {
  local_function("shows_bars", function() TRUE)
  rlang::reset_message_verbosity("buffet_unnamed")
  x <- unname(small_data())
  method <- method_gibbs(1, 2, refresh = 0)
  fit <- function(x, ...) fit_gaussian(x, method = method, seed = 1, ...)
  expect_no_message(fit(x, verbose = FALSE))
  expect_message(fit(x), "^The rows and columns of the data have no names: they are numbered")
  expect_no_message(fit(x))
})

test_that("it says which names are missing, and nothing where there are all or is no terminal", {
  named <- matrix(0, 2, 2, dimnames = list(c("a", "b"), c("u", "v")))
  told <- function(x, shown = TRUE, verbose = TRUE) {
    local_function("shows_bars", function() shown)
    rlang::reset_message_verbosity("buffet_unnamed")
    tryCatch({
      tell_unnamed(x, verbose)
      "nothing"
    }, message = function(m) sub(" of the data.*", "", conditionMessage(m)))
  }
  expect_identical(told(unname(named)), "The rows and columns")
  expect_identical(told(`rownames<-`(named, NULL)), "The rows")
  expect_identical(told(`colnames<-`(named, NULL)), "The columns")
  expect_identical(told(named), "nothing")
  expect_identical(told(unname(named), shown = FALSE), "nothing")
  expect_identical(told(unname(named), verbose = FALSE), "nothing")
})
