# augment(fit, newdata =): new rows with their expected values and features.

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

new_frame <- function(newdata, rows) {
  if (is.data.frame(newdata)) own_frame(newdata) else as.data.frame(as.matrix(rows))
}

# Like row_columns(), for new rows. Nothing for sparse loadings, whose factors are integrated out
new_row_columns <- function(fit, rows) {
  none <- inherits(fit, "fit_cascade") ||
    inherits(fit, "fit_factor") && of_columns(fit$internal$model)
  if (none) matrix(0, nrow(rows), 0) else features_of_new(fit, rows)
}
