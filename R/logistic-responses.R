# Binary data: zeros and ones, logicals, factors of two levels.

#' Binary data in one form
#'
#' @param y Numeric or logical matrix, data frame of numeric, logical and factor columns, or a
#'   matrix of the Matrix package, with at least one row and one column. NA entries are kept.
#' @param sparse Keep a sparse matrix sparse?
#' @param coding Levels of factors that decide what is 0 and what is 1, by the names of the columns;
#'   else those of the factor itself do.
#' @return A double matrix of 0, 1 and NA with the dimnames of `y`, or a dgCMatrix of these.
#' @noRd
check_responses <- function(y, name = "y", sparse = TRUE, coding = NULL) {
  if (is.data.frame(y)) y <- factors_as_numbers(y, name, coding)
  values <- data_matrix(y, name, sparse)
  check_zeros_and_ones(values, name)
  values
}

#' Columns that are factors as 0 and, the second level, 1
#' @noRd
factors_as_numbers <- function(y, name, coding) {
  for (j in which(vapply(y, is.factor, NA))) {
    column <- encodeString(names(y)[j], quote = "\"")
    two <- coding[[names(y)[j]]] %||% levels(y[[j]])
    if (length(two) != 2) {
      was <- sprintf("the column %s of %d", column, length(two))
      stop_argument(name, "have factors of two levels only", was = was)
    }
    unknown <- setdiff(y[[j]], c(two, NA))
    if (length(unknown) > 0) {
      must <- sprintf("have the levels of the data in the column %s", column)
      stop_argument(name, must, unknown[1])
    }
    y[[j]] <- match(y[[j]], two) - 1
  }
  y
}

#' The levels of the columns that are factors, by their names
#' @noRd
factor_coding <- function(y) {
  if (!is.data.frame(y)) return(NULL)
  lapply(Filter(is.factor, as.list(y)), levels)
}

check_zeros_and_ones <- function(x, name) {
  entries <- if (isS4(x)) x@x else x
  wrong <- which(is.nan(entries) | !(is.na(entries) | entries == 0 | entries == 1))
  if (length(wrong) == 0) return(invisible())
  was <- sprintf("%s at %s", format(entries[wrong[1]]), place(wrong[1], x))
  stop_argument(name, "have no entries but 0, 1 and NA", was = was)
}
