# What becomes of rows with missing entries: `na.action`, as R has it.

na_actions <- c("na.pass", "na.fail", "na.omit", "na.exclude")

#' The name of one of the functions of stats; two of them do the same here
#' @noRd
check_na_action <- function(action) {
  if (is.function(action)) {
    of_stats <- mget(na_actions, asNamespace("stats"))
    same <- vapply(of_stats, identical, NA, action)
    if (any(same)) return(na_actions[same])
  } else if (rlang::is_string(action) && action %in% na_actions) {
    return(as.character(action))
  }
  stop_argument("na.action", "be na.pass, na.fail, na.omit or na.exclude", action)
}

#' Data as `na.action` leaves them
#'
#' @param x A matrix, a dgCMatrix or a plain data frame.
#' @param action From check_na_action().
#' @param name The argument whose data they are.
#' @param given The data as they were given: a data frame has numbers of rows, which stay with them.
#' @noRd
act_on_missing <- function(x, action, name, given = x) {
  if (action == "na.pass") return(x)
  at <- missing_places(x)
  if (nrow(at) == 0) return(x)
  if (action == "na.fail") {
    was <- sprintf("%d (the first at row %d, column %d)", nrow(at), at[1, 1], at[1, 2])
    stop_argument(name, "have no missing entries, as `na.action` is na.fail", was = was)
  }
  without_rows(x, unique(at[, 1]), action, name, given)
}

without_rows <- function(x, rows, action, name, given) {
  if (length(rows) == nrow(x)) {
    must <- sprintf("have a row without missing entries, as `na.action` is %s", action)
    stop_argument(name, must, was = sprintf("one or more in each of %d", nrow(x)))
  }
  text <- "Rows of `%s` with missing entries are left out with their names: %d of %d (`na.action`)."
  message(sprintf(text, name, length(rows), nrow(x)))
  kept <- x[-rows, , drop = FALSE]
  if (is.data.frame(given)) rownames(kept) <- row.names(given)[-rows]
  kept
}

#' Rows and columns of missing entries, as missing_entries(), of data frames too
#' @noRd
missing_places <- function(x) {
  if (!is.data.frame(x)) return(missing_entries(x))
  # NA may be a level, and is missing all the same.
  is_missing <- function(values) is.na(if (is.factor(values)) as.character(values) else values)
  holes <- unlist(lapply(x, is_missing), use.names = FALSE)
  arrayInd(which(holes), dim(x))
}
