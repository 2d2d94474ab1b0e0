# What no argument that is one number accepts.
not_numbers <- list(
  NULL, NA, NA_real_, NaN, Inf, -Inf, "a", "1", TRUE, c(1, 2), numeric(0), list(), list(1),
  factor(1), sum, 1i, data.frame(a = 1), as.Date("2020-01-01")
)
not_positive <- c(not_numbers, 0, -1)
not_counts <- c(not_positive, 1.5, 1e10, 1e300)
# Inf is all draws, NULL the default
not_ndraws <- Filter(function(v) !is.null(v) && !identical(v, Inf), not_counts)
not_flags <- list(NULL, NA, 1, "TRUE", c(TRUE, FALSE), logical(0), list(TRUE))
not_choices <- list(NULL, NA, 1, "nonsense", "", c("lof", "shifted"), character(0), list("lof"))
not_seeds <- not_numbers[-1] |> c(1.5, 1e10)
not_binary <- list(
  NULL, NA, 1, "a", c(0, 1), list(), sum, matrix("0"), matrix(list(0)), matrix(1i), matrix(NA),
  matrix(NaN), matrix(Inf), matrix(0.5), matrix(-1), matrix(2), matrix(1e300), matrix(0, 0, 0),
  matrix(0, 0, 2), data.frame(a = "0"), data.frame(a = 2), array(0, c(1, 1, 1))
)

#' Every value is an error of the package's one form: a single line that starts with the argument
expect_refusals <- function(call, name, values) {
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
    expect_match(
      conditionMessage(error), sprintf("^`%s` must [^\n]+, not [^\n]+\\.$", name), label = label
    )
    expect(length(conditionCall(error)) <= 1, paste(label, "shows arguments of the call"))
  }
}
