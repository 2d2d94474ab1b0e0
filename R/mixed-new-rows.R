# New rows of data frames: what they must be, and what the core finds and draws of them.

#' @exportS3Method
#' @noRd
check_like.fit_mixed <- function(fit, x, name, sparse = FALSE) {
  columns <- fit$model$data$columns
  if (!is.data.frame(x)) stop_argument(name, "be a data frame", x)
  lost <- setdiff(names(columns), names(x))
  if (length(lost) > 0) {
    must <- sprintf("have the columns of the data (\"%s\" is missing)", lost[1])
    stop_argument(name, must, x)
  }
  for (column in columns) {
    check_column(x[[column$name]], column$name, name)
    if (is.null(column$levels)) check_family(column, x[[column$name]], name)
  }
  code_frame(columns, x, name)
}

#' @exportS3Method
#' @noRd
new_rows.fit_mixed <- function(fit, rows, which, sweeps, replicates = 0L) {
  known <- c(mixed_draws(fit, which), prior_of_next(fit, which), replicates = replicates)
  keys <- apply(unname(rows), 1, rlang::hash)
  distinct <- which(!duplicated(keys))
  found <- mixed_new_rows_cpp(known, t(rows[distinct, , drop = FALSE]), sweeps, fit$seed)
  # Equal rows have the same random numbers, so what is found of one is that of all.
  at <- match(keys, keys[distinct])
  drawn <- array(found$drawn, c(ncol(rows), length(distinct), length(which) * replicates))
  list(
    response = found$response[, at, drop = FALSE], features = found$features[, at, drop = FALSE],
    drawn = drawn[, at, , drop = FALSE]
  )
}

#' Numbers of the core. Rows that are given to it together have the same random numbers, so that
#' each goes alone.
#' @exportS3Method
#' @noRd
new_row_drawer.fit_mixed <- function(fit, rows) {
  function(draw) {
    known <- c(mixed_draws(fit, draw), prior_of_next(fit, draw), replicates = 1L)
    drawn <- vapply(seq_len(nrow(rows)), function(i) {
      row <- t(rows[i, , drop = FALSE])
      as.vector(mixed_new_rows_cpp(known, row, 20, draw_seed())$drawn)
    }, numeric(ncol(rows)))
    list(data = t(matrix(drawn, ncol(rows))))
  }
}
