# augment(fit, newdata =): new rows beside what is expected of them and their features.

# Returns A tibble.
augment_new <- function(fit, newdata) {
  rows <- new_row_data(fit, newdata)
  frame <- new_frame(newdata, rows)
  fitted <- as.data.frame(expect_rows(fit, rows, seq_along(fit$feature_draws)), optional = TRUE)
  columns <- colnames(model_data(fit)) %||% seq_len(ncol(fitted))
  names(fitted) <- paste0(".fitted_", columns)
  held <- new_row_columns(fit, rows)
  colnames(held) <- paste0(".", colnames(held), recycle0 = TRUE)
  rownames(held) <- NULL
  frame <- cbind(beside_names(rownames(rows), frame), fitted, held)
  rownames(frame) <- NULL
  tibble::as_tibble(frame, .name_repair = "unique")
}

# New rows as a data frame: as they were given, or the numbers that were read
new_frame <- function(newdata, rows) {
  if (is.data.frame(newdata)) own_frame(newdata) else as.data.frame(as.matrix(rows))
}

# What augment() says of each new row in addition to its expected values, like row_columns() for the
# data. Nothing for sparse loadings: factors are integrated out
new_row_columns <- function(fit, rows) {
  none <- inherits(fit, "fit_cascade") ||
    inherits(fit, "fit_factor") && of_columns(fit$internal$model)
  if (none) matrix(0, nrow(rows), 0) else features_of_new(fit, rows)
}
