# augment(fit, newdata =): new rows beside what is expected of them and their features.

#' @return A tibble.
#' @noRd
augment_new <- function(fit, newdata) {
  rows <- new_row_data(fit, newdata)
  frame <- new_frame(newdata, rows)
  fitted <- as.data.frame(predict_quietly(fit, newdata), optional = TRUE)
  columns <- colnames(fit$model$data$x) %||% seq_len(ncol(fitted))
  names(fitted) <- paste0(".fitted_", columns)
  held <- new_row_columns(fit, newdata)
  colnames(held) <- paste0(".", colnames(held), recycle0 = TRUE)
  rownames(held) <- NULL
  names <- rownames(rows)
  if (!is.null(names)) frame <- cbind(.rownames = names, frame)
  frame <- cbind(frame, fitted, held)
  rownames(frame) <- NULL
  tibble::as_tibble(frame, .name_repair = "unique")
}

#' New rows as a data frame: as they were given, or the numbers that were read
#' @noRd
new_frame <- function(newdata, rows) {
  if (is.data.frame(newdata)) own_frame(newdata) else as.data.frame(as.matrix(rows))
}

#' Messages about the same new rows come once
#' @noRd
predict_quietly <- function(fit, newdata, ...) suppressMessages(predict(fit, newdata, ...))

#' What augment() says of each new row beside what is expected of it, as row_columns() of the data
#' @noRd
new_row_columns <- function(fit, newdata) UseMethod("new_row_columns")

#' @exportS3Method
#' @noRd
new_row_columns.buffet_fit <- function(fit, newdata) {
  predict_quietly(fit, newdata, type = "features")
}

#' @exportS3Method
#' @noRd
new_row_columns.fit_nmf <- function(fit, newdata) predict_quietly(fit, newdata, type = "weights")

#' Of sparse loadings none: factors are integrated out
#' @exportS3Method
#' @noRd
new_row_columns.fit_factor <- function(fit, newdata) {
  if (!of_columns(fit$model)) return(NextMethod())
  matrix(0, nrow(new_row_data(fit, newdata)), 0)
}

#' @exportS3Method
#' @noRd
new_row_columns.fit_cascade <- function(fit, newdata) {
  matrix(0, nrow(suppressMessages(new_row_data(fit, newdata))), 0)
}
