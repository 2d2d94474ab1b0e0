# New rows as data of a fit: in its form, with its columns in their order.

# Other data in the form of those of the fit
check_like <- function(fit, x, name, sparse = FALSE) UseMethod("check_like")

check_newdata <- function(newdata, fit) {
  x <- model_data(fit)
  newdata <- without_others(as_one_row(newdata, fit), colnames(x))
  rows <- check_like(fit, newdata, "newdata")
  if (ncol(rows) != ncol(x)) stop_columns(rows, x, newdata)
  if (is.null(colnames(rows)) || is.null(colnames(x))) return(rows)
  if (identical(colnames(rows), colnames(x))) return(rows)
  check_names(colnames(rows), colnames(x), newdata)
  rows[, colnames(x), drop = FALSE]
}

# Without the columns that the data do not have, where names tell all that they have
without_others <- function(newdata, of_data) {
  more <- length(dim(newdata)) == 2 && ncol(newdata) > length(of_data) && !is.null(of_data)
  names <- colnames(newdata)
  clear <- more && all(nzchar(names)) && !anyDuplicated(of_data) && all(of_data %in% names)
  if (!clear) return(newdata)
  newdata[, of_data, drop = FALSE]
}

# A vector with one number per column is a row of a matrix; new rows of fit_mixed() are a data
# frame, even a single one
as_one_row <- function(newdata, fit) {
  columns <- ncol(model_data(fit))
  numbers <- is.numeric(newdata) || is.logical(newdata)
  if (inherits(fit, "fit_mixed") || !is.null(dim(newdata)) || !numbers) return(newdata)
  if (length(newdata) != columns) {
    must <- "be a numeric matrix or data frame, or one row as a vector of %s"
    stop_argument("newdata", sprintf(must, counted(columns, "number")), newdata)
  }
  matrix(newdata, 1, dimnames = list(NULL, names(newdata)))
}

stop_columns <- function(rows, x, newdata) {
  lost <- if (!is.null(colnames(rows))) setdiff(colnames(x), colnames(rows))
  missing <- if (length(lost) > 0) tell_lost(lost)
  must <- sprintf("have %s, as the data", counted(ncol(x), "column"))
  stop_argument("newdata", paste(c(must, missing), collapse = " "), newdata)
}

# lost: Columns of the data that new rows do not have.
tell_lost <- function(lost) sprintf("(\"%s\" is missing; what is not known is NA)", lost[1])

# Do these names tell which columns are those of the data?
check_names <- function(names, of_data, newdata) {
  if (anyNA(of_data) || !all(nzchar(of_data)) || anyDuplicated(of_data)) {
    must <- "have no column names or exactly those of the data, some of which are missing or equal"
    stop_argument("newdata", must, newdata)
  }
  lost <- setdiff(of_data, names)
  if (length(lost) > 0) {
    stop_argument("newdata", paste("have the columns of the data", tell_lost(lost)), newdata)
  }
}
