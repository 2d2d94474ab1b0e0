# augment(fit, newdata =): new rows beside what is expected of them and their features.

#' @return A tibble.
#' @noRd
augment_new <- function(fit, newdata) {
  rows <- new_row_data(fit, newdata)
  frame <- new_frame(newdata, rows)
  fitted <- as.data.frame(expect_rows(fit, rows, seq_along(fit$draws)), optional = TRUE)
  columns <- colnames(fit$model$data$x) %||% seq_len(ncol(fitted))
  names(fitted) <- paste0(".fitted_", columns)
  held <- new_row_columns(fit, rows)
  colnames(held) <- paste0(".", colnames(held), recycle0 = TRUE)
  rownames(held) <- NULL
  frame <- cbind(beside_names(rownames(rows), frame), fitted, held)
  rownames(frame) <- NULL
  tibble::as_tibble(frame, .name_repair = "unique")
}

#' New rows as a data frame: as they were given, or the numbers that were read
#' @noRd
new_frame <- function(newdata, rows) {
  if (is.data.frame(newdata)) own_frame(newdata) else as.data.frame(as.matrix(rows))
}

#' What augment() says of each new row beside what is expected of it, as row_columns() of the data
#' @noRd
new_row_columns <- function(fit, rows) UseMethod("new_row_columns")

#' @exportS3Method
#' @noRd
new_row_columns.buffet_fit <- function(fit, rows) features_of_new(fit, rows)

#' Of sparse loadings none: factors are integrated out
#' @exportS3Method
#' @noRd
new_row_columns.fit_factor <- function(fit, rows) {
  if (of_columns(fit$model)) matrix(0, nrow(rows), 0) else NextMethod()
}

#' @exportS3Method
#' @noRd
new_row_columns.fit_cascade <- function(fit, rows) matrix(0, nrow(rows), 0)
