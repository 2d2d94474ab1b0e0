# New rows of data frames.

#' @exportS3Method
check_like.fit_mixed <- function(fit, x, name, sparse = FALSE) {
  columns <- fit$internal$model$data$columns
  if (!is.data.frame(x)) stop_argument(name, "be a data frame", x)
  lost <- setdiff(names(columns), names(x))
  if (length(lost) > 0) {
    stop_argument(name, paste("have the columns of the data", tell_lost(lost)), x)
  }
  factors <- Filter(function(column) is.character(column$levels), columns)
  x <- read_labelled_columns(x, name, as.character(names(factors)))
  for (column in columns) {
    check_column(x[[column$name]], column$name, name)
    if (is.null(column$levels)) check_family(column, x[[column$name]], name)
  }
  code_frame(columns, x, name)
}

#' @exportS3Method
new_rows.fit_mixed <- function(fit, rows, which, plan, replicates = 0L) {
  known <- c(mixed_draws(fit, which), prior_of_next(fit, which), replicates = replicates)
  keys <- if (plan$apart) seq_len(nrow(rows)) else apply(unname(rows), 1, rlang::hash)
  distinct <- which(!duplicated(keys))
  found <- mixed_new_rows_cpp(known, t(rows[distinct, , drop = FALSE]), plan)
  # Equal rows have the same random numbers, so they are computed once, unless `apart`.
  at <- match(keys, keys[distinct])
  drawn <- array(found$drawn, c(ncol(rows), length(distinct), length(which) * replicates))
  list(
    response = found$response[, at, drop = FALSE], features = found$features[, at, drop = FALSE],
    drawn = drawn[, at, , drop = FALSE]
  )
}

#' @exportS3Method
new_row_drawer.fit_mixed <- function(fit, rows, apart) {
  function(draw) {
    plan <- row_plan(fit, seed = draw_seed(), apart = apart)
    list(data = t(matrix(new_rows(fit, rows, draw, plan, replicates = 1L)$drawn, ncol(rows))))
  }
}
