# Values that are invalid for every argument that must be one number.
not_numbers <- list(
  NULL, NA, NA_real_, NaN, Inf, -Inf, "a", "1", TRUE, c(1, 2), numeric(0), list(), list(1),
  factor(1), sum, 1i, data.frame(a = 1), as.Date("2020-01-01")
)
not_positive <- c(not_numbers, 0, -1)
not_counts <- c(not_positive, 1.5, 1e10, 1e300)
not_flags <- list(NULL, NA, 1, "TRUE", c(TRUE, FALSE), logical(0), list(TRUE))
not_choices <- list(NULL, NA, 1, "nonsense", "", c("lof", "shifted"), character(0), list("lof"))
not_seeds <- not_numbers[-1] |> c(1.5, 1e10)
not_binary <- list(
  NULL, NA, 1, "a", c(0, 1), list(), sum, matrix("0"), matrix(list(0)), matrix(1i), matrix(NA),
  matrix(NaN), matrix(Inf), matrix(0.5), matrix(-1), matrix(2), matrix(1e300), matrix(0, 0, 0),
  matrix(0, 0, 2), data.frame(a = "0"), data.frame(a = 2), array(0, c(1, 1, 1))
)

#' Expects every value to raise an error in the package's standard form: one line that starts with
#' the argument and says what it must be
expect_refusals <- function(call, name, values, must = "") {
  form <- sprintf("^`%s` must %s[^\n]*(, not|;) [^\n]+\\.$", name, must)
  for (value in values) {
    error <- tryCatch({
      call(value)
      NULL
    }, error = identity)
    label <- sprintf("`%s` = %s", name, paste(deparse(value), collapse = " "))
    if (is.null(error)) {
      fail(paste(label, "is accepted"))
      next
    }
    expect_match(conditionMessage(error), form, label = label)
    expect(length(conditionCall(error)) <= 1, paste(label, "shows arguments of the call"))
  }
}

#' Like expect_refusals(), but for every argument in a table, list(argument = bad(must, values)).
#' The errors must be raised before any random number is drawn.
expect_all_refused <- function(f, given, table) {
  set.seed(1)
  before <- .Random.seed
  for (name in names(table)) {
    call <- function(value) {
      given[name] <- list(value)
      do.call(f, given)
    }
    expect_refusals(call, name, table[[name]]$values, table[[name]]$must)
  }
  expect_identical(.Random.seed, before)
}

# What an argument must be, and a few invalid values. test-check.R tests all values.
bad <- function(must, ...) these(list(...), must)
these <- function(values, must = "") list(must = must, values = values)
also <- function(bad, ..., must = bad$must) {
  these(c(bad$values, list(...)), sprintf("(%s|%s)", bad$must, must))
}
two_of <- function(bad) these(bad$values[c(1, length(bad$values))], bad$must)
but_null <- function(bad) these(Filter(Negate(is.null), bad$values), bad$must)

a_positive <- bad("be one positive number", NULL, NA, Inf, "1", c(1, 2), 0)
a_count <- bad("be one whole number", NULL, NA, "1", c(1, 2), 0, 1.5, 1e10)
a_share <- bad("be one number", NULL, NA, "1", c(0.1, 0.2), 0, 1)
some_draws <- bad("be", NA, "1", 0, 1.5, 1e10)
a_flag <- bad("be TRUE or FALSE", NULL, NA, 1, "TRUE", c(TRUE, FALSE))
a_choice <- bad("be", NULL, NA, 1, "nonsense", character())
a_seed <- bad("be NULL or one whole number", NA, Inf, "1", c(1, 2), 1.5, 1e10)
a_prior <- bad("be", NULL, 1, "ibp", prior_ibp, gamma_prior(1, 1))
a_method <- bad("be made by a method_\\*\\(\\) function", NULL, "gibbs", list(), prior_ibp())
a_file <- bad(
  "be", NA, 1, "", c("a", "b"), tempdir(), file.path(tempdir(), "no", "file"),
  file.path(tempdir(), strrep("a", 300))
)
