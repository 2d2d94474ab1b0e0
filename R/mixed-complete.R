#' Data frames with missing entries filled in
#'
#' Multiple imputation: `complete()` returns copies of the data of a fit. In each copy every missing
#' entry is drawn from its posterior predictive distribution.
#'
#' Each copy comes from one posterior draw; the draws are evenly spaced over all chains. All missing
#' entries of a row are drawn together, given the features and weights of that draw, so a copy is a
#' draw from their joint distribution.
#'
#' Observed entries, names and the classes of columns are unchanged. If all observed numbers of a
#' column are whole, drawn numbers (including counts) are whole and within the range of the observed
#' ones, and integers stay integers. Columns that [fit_mixed()] left out and columns without any
#' value are returned unchanged, including their missing entries; a message names them.
#'
#' ## Implausible values
#' Normal columns can get drawn values of 0 or less even if all observed values are positive; a
#' message names these columns. With the family `"lognormal"` all drawn values are positive.
#'
#' If no row with a feature has an observed entry in a column, the data have no information about
#' the weight of the feature there, and each draw takes it from the prior. The copies can then
#' contain values that are far from all observed ones and implausible to any expert. It is better to
#' fill in such entries from prior knowledge before the fit, or to leave them out of the analysis.
#' Compare the copies with the observed values within groups of rows.
#'
#' ## Analysing the copies
#' Other packages can analyse the copies. For example, mice pools analyses by Rubin's rules:
#' ```
#' imputed <- mice::as.mids(complete(fit, 20, "long"))
#' mice::pool(with(imputed, lm(y ~ x)))
#' ```
#' More copies take hardly any extra time and make pooled intervals more stable. A common rule is to
#' use as many copies as the percentage of rows with missing entries, and at least 20.
#'
#' If tidyr is attached after this package, `complete(fit)` calls `tidyr::complete()`, which also
#' has this method. If tidyr is attached first, write `tidyr::complete()` for other data frames.
#'
#' @param data A fit by [fit_mixed()] or [fit_factor()]. Data given as a matrix are converted to a
#'   data frame.
#' @param m (positive integer) Number of copies, 5 by default and at most the number of draws.
#' @param format (string) `"list"`, the default, returns a list of `m` data frames. `"long"` returns
#'   one data frame: first the original data, then the copies, one after the other. Its first two
#'   columns are `.imp`, the number of the copy (0 for the data), and `.id`, the name or number of
#'   the row. `"long"` is an error if the data have columns with these names.
#' @param seed (whole number or `NULL`) Seed of the draws. `NULL`, the default, uses the seed of the
#'   fit, so every call gives the same copies.
#' @param ... Must be empty.
#' @return A list of `m` data frames with the rows and columns of the data, or one data frame with
#'   `m + 1` times as many rows. They are plain data frames, even if the data were a tibble or a
#'   data.table.
#' @seealso [predict.fit_mixed()], which returns expected values of all entries, observed or not.
#' @examples
#' # daily air quality in New York; on some days ozone or sunshine was not measured
#' fit <- fit_mixed(airquality[1:4], method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' completed <- complete(fit, 5)
#' # rows 5, 10, ... have no measurement of ozone: the copies differ there
#' cbind(airquality$Ozone, sapply(completed, function(data) data$Ozone))[1:10, ]
#' # the mean of ozone in each copy
#' vapply(completed, function(data) mean(data$Ozone), 0)
#' @export
complete <- function(data, ...) UseMethod("complete")

#' @export
complete.default <- function(data, ...) {
  must <- "be a fit by fit_mixed() or fit_factor() (tidyr::complete() is for data frames)"
  stop_argument("data", must, data)
}

#' @rdname complete
#' @export
#' @exportS3Method tidyr::complete fit_mixed
complete.fit_mixed <- function(data, m = 5, format = c("list", "long"), seed = NULL, ...) {
  check_no_more(...)
  format <- check_choice(format, c("list", "long"), "format")
  m <- check_count(m, "m")
  seed <- check_seed(seed) %||% data$seed
  draws <- length(data$feature_draws)
  if (m > draws) stop_argument("m", sprintf("be at most %d, the number of draws", draws), m)
  # The middle draw of each of m equal parts
  which <- ceiling((seq_len(m) - 0.5) * draws / m)
  x <- model_data(data)
  # If there is no data frame, the user gave a matrix.
  frame <- data$internal$model$data$frame %||% as.data.frame(x)
  # Only fit_mixed() leaves out columns; nothing is known about columns without observed entries.
  at <- if (ncol(x) < ncol(frame)) match(colnames(x), names(frame)) else seq_along(frame)
  columns <- which(colSums(!is.na(x)) > 0)
  empty <- setdiff(names(frame), names(frame)[at[columns]])
  empty <- empty[vapply(frame[empty], anyNA, NA)]
  if (length(empty) > 0) {
    text <- "Columns that the fit left out, or that have no values, keep their missing entries: %s."
    message(sprintf(text, enumerate_some(empty)))
  }
  draw_entries <- entry_drawer(data, which, seed)
  copies <- lapply(seq_len(m), function(copy) {
    out <- own_frame(frame)
    for (j in columns) {
      lacking <- which(is.na(x[, j]))
      if (length(lacking) == 0) next
      observed <- frame[[at[j]]]
      values <- like_observed(draw_entries(copy, j, lacking), observed)
      text <- is.factor(values) || is.character(observed)
      out[[at[j]]][lacking] <- if (text) as.character(values) else values
    }
    out
  })
  tell_negative(frame, copies)
  if (format == "list") return(copies)
  clash <- intersect(names(frame), c(".imp", ".id"))
  if (length(clash) > 0) {
    must <- sprintf("be \"list\" if the data have a column \"%s\"", clash[1])
    stop_argument("format", must, format)
  }
  id <- if (.row_names_info(frame) > 0) rownames(frame) else seq_len(nrow(frame))
  all <- lapply(c(list(frame), copies), as.data.frame, optional = TRUE)
  imp <- data.frame(.imp = rep(0:m, each = nrow(frame)), .id = rep(id, m + 1))
  cbind(imp, do.call(rbind, c(all, make.row.names = FALSE)))
}

#' @rdname complete
#' @export
#' @exportS3Method tidyr::complete fit_factor
complete.fit_factor <- complete.fit_mixed

# Reports drawn values of 0 or less in columns whose observed values are positive
tell_negative <- function(frame, copies) {
  share <- vapply(seq_along(frame), function(j) {
    observed <- frame[[j]]
    if (!is.numeric(observed) || any(unclass(observed) <= 0, na.rm = TRUE)) return(0)
    drawn <- unlist(lapply(copies, function(copy) copy[[j]][is.na(observed)]))
    sum(drawn <= 0, na.rm = TRUE) / max(1, length(drawn))
  }, 1)
  names(share) <- names(frame)
  share <- share[share > 0]
  if (length(share) == 0) return(invisible())
  message(sprintf(
    paste(
      "Drawn values of 0 or less in columns whose observed values are positive: %s.",
      "`families = c(%s = \"lognormal\")` excludes them."
    ),
    enumerate_some(sprintf("%s (%s)", names(share), whole_per_cent(share))),
    deparse(as.name(names(share)[1]), backtick = TRUE)
  ))
}

# If all observed values are whole, rounds values and keeps them in the observed range
like_observed <- function(values, observed) {
  observed <- unclass(observed)
  if (!is.numeric(values) || !is.numeric(observed) || !is_all_whole(observed)) return(values)
  values <- keep_in_range(round(values), range(observed, na.rm = TRUE))
  if (is.integer(observed)) as.integer(values) else values
}

# Returns a function of the numbers of a copy, a column and rows that gives drawn values
entry_drawer <- function(fit, which, seed) UseMethod("entry_drawer")

#' @exportS3Method
entry_drawer.fit_mixed <- function(fit, which, seed) {
  n <- nrow(model_data(fit))
  drawn <- t(mixed_simulate_cpp(mixed_draws(fit, which), seed))
  columns <- fit$internal$model$data$columns
  function(copy, j, rows) draw_column(columns[[j]], drawn[(copy - 1) * n + rows, j])
}

#' @exportS3Method
entry_drawer.fit_factor <- function(fit, which, seed) {
  drawn <- seeded(seed, lapply(which, function(draw) draw_data(fit, draw)))
  items <- category_items(fit$internal$model)
  function(copy, j, rows) {
    of <- Find(function(of) of$column == j, items)
    values <- drawn[[copy]][rows, j]
    if (is.null(of)) values else decode_item(of, values)
  }
}

are_numbers <- function(columns) vapply(columns, function(column) is.null(column$levels), NA)


mixed_intervals <- function(fit, newdata, ndraws, level) {
  columns <- fit$internal$model$data$columns
  which <- check_ndraws(ndraws, fit, tail_ndraws)
  rows <- if (!is.null(newdata)) new_row_data(fit, newdata)
  x <- rows %||% model_data(fit)
  # Repeat the draws of the fit so that every entry has 1000 draws, or as few as 200 if there are
  # many entries.
  times <- ceiling(min(1000, max(200, 2e7 / length(x))) / length(which))
  entries <- if (is.null(rows)) {
    mixed_simulate_cpp(mixed_draws(fit, rep(which, times)), fit$seed)
  } else {
    drawn <- list()
    over_blocks(which, new_rows_in_block(fit, rows), function(some, first) {
      known <- new_rows(fit, rows, some, row_plan(fit, first = first), replicates = times)
      drawn <<- c(drawn, list(known$drawn))
    })
    unlist(drawn)
  }
  entries <- array(entries, c(ncol(x), nrow(x), length(which) * times))
  response <- mixed_responses(fit, rows, check_ndraws(if (!is.null(rows)) ndraws, fit))
  shown <- which(are_numbers(columns))
  fitted <- Map(expect_column, columns, split_responses(columns, response))
  names <- rownames(response) %||% seq_len(nrow(response))
  at <- c((1 - level) / 2, (1 + level) / 2)
  parts <- lapply(shown, function(j) {
    values <- as.double(draw_column(columns[[j]], entries[j, , ]))
    # Quantiles of whole numbers are whole numbers.
    kind <- if (columns[[j]]$whole) 1 else 7
    values <- matrix(values, length(names))
    ends <- matrix(apply(values, 1, stats::quantile, at, type = kind, names = FALSE), 2)
    data.frame(
      row = names, column = rep(columns[[j]]$name, length(names)), .fitted = fitted[[j]],
      .lower = ends[1, ], .upper = ends[2, ]
    )
  })
  do.call(rbind, c(unname(parts), make.row.names = FALSE))
}

mixed_credible <- function(fit, newdata, ndraws, level) {
  columns <- fit$internal$model$data$columns
  which <- check_ndraws(ndraws, fit, tail_ndraws)
  rows <- if (!is.null(newdata)) new_row_data(fit, newdata)
  draws <- seeded(fit$seed, draw_responses(fit, rows, which))
  response <- mixed_responses(fit, rows, check_ndraws(if (!is.null(rows)) ndraws, fit))
  fitted <- numbers_of_columns(columns, split_responses(columns, response))
  rownames(fitted) <- rownames(response)
  interval_frame(fitted, draws, level)
}
