are_numbers <- function(columns) vapply(columns, function(column) is.null(column$levels), NA)

refuse_categories <- function(fit, name, was) {
  if (any(are_numbers(fit$internal$model$data$columns))) return(invisible())
  must <- switch(name,
    object = "be a fit to data with a column of numbers or counts",
    interval = "be \"none\" where no column has numbers (`type = \"prob\"` has probabilities)",
    type = "be \"response\", \"class\", \"prob\" or \"features\" where no column has numbers"
  )
  stop_argument(name, must, was)
}

mixed_intervals <- function(fit, newdata, ndraws, level) {
  columns <- fit$internal$model$data$columns
  which <- check_ndraws(ndraws, fit, tail_ndraws)
  rows <- if (!is.null(newdata)) new_row_data(fit, newdata)
  entries <- if (is.null(rows)) drawn_rows(fit, which) else drawn_new_rows(fit, rows, which)
  response <- mixed_responses(fit, rows, check_ndraws(if (!is.null(rows)) ndraws, fit))
  shown <- which(are_numbers(columns))
  fitted <- Map(expect_column, columns, split_responses(columns, response))
  names <- rownames(response) %||% seq_len(nrow(response))
  parts <- lapply(shown, function(j) {
    ends <- predictive_ends(columns[[j]], matrix(entries[j, , ], length(names)), level)
    data.frame(
      row = names, column = rep(columns[[j]]$name, length(names)), .fitted = fitted[[j]],
      .lower = ends[1, ], .upper = ends[2, ]
    )
  })
  none <- data.frame(
    row = names[0], column = character(), .fitted = double(), .lower = double(), .upper = double()
  )
  do.call(rbind, c(list(none), unname(parts), make.row.names = FALSE))
}

# Quantiles of drawn entries; whole numbers for whole numbers

predictive_ends <- function(column, drawn, level) {
  at <- c((1 - level) / 2, (1 + level) / 2)
  values <- matrix(as.double(draw_column(column, drawn)), nrow(drawn))
  kind <- if (column$whole) 1 else 7
  ends <- apply(values, 1, stats::quantile, at, type = kind, names = FALSE)
  matrix(ends, 2)
}

# Entries of all rows of the data drawn anew, D x N x draws
drawn_rows <- function(fit, which) {
  x <- model_data(fit)
  times <- drawn_times(length(which), length(x))
  entries <- mixed_simulate_cpp(mixed_draws(fit, rep(which, times)), fit$seed)
  array(entries, c(ncol(x), nrow(x), length(which) * times))
}

drawn_new_rows <- function(fit, rows, which) {
  times <- drawn_times(length(which), length(rows))
  drawn <- list()
  over_blocks(which, new_rows_in_block(fit, rows), function(some, first) {
    known <- new_rows(fit, rows, some, row_plan(fit, first = first), replicates = times)
    drawn <<- c(drawn, list(known$drawn))
  })
  array(unlist(drawn), c(ncol(rows), nrow(rows), length(which) * times))
}

# Draws of every entry per draw of the fit: 1000 in total, fewer if there are many entries
drawn_times <- function(draws, entries) {
  ceiling(min(1000, max(200, 2e7 / entries)) / draws)
}

mixed_credible <- function(fit, newdata, ndraws, level) {
  columns <- fit$internal$model$data$columns
  shown <- are_numbers(columns)
  which <- check_ndraws(ndraws, fit, tail_ndraws)
  rows <- if (!is.null(newdata)) new_row_data(fit, newdata)
  draws <- seeded(fit$seed, draw_responses(fit, rows, which, shown))
  response <- mixed_responses(fit, rows, check_ndraws(if (!is.null(rows)) ndraws, fit))
  fitted <- numbers_of_columns(columns[shown], split_responses(columns, response)[shown])
  rownames(fitted) <- rownames(response)
  interval_frame(fitted, draws, level)
}
