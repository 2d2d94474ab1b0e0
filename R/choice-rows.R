# Choices in rows, as data frames and the objects of other packages have them, as a matrix of
# counts.

#' A data frame or the comparisons of psychotools as a matrix; others are returned as they are
#' @noRd
wins_from_others <- function(wins, name) {
  if (inherits(wins, "paircomp")) return(wins_from_paircomp(wins, name))
  if (!is.data.frame(wins)) return(wins)
  if (nrow(wins) == 0) stop_argument(name, "have at least one row", wins)
  has <- function(columns) all(columns %in% names(wins))
  if (has(c("player1", "player2", "win1", "win2"))) return(wins_from_players(wins, name))
  if (has(c("winner", "loser"))) return(wins_from_rows(wins, name))
  # A square data frame of counts is a matrix.
  if (nrow(wins) == ncol(wins) && all(vapply(wins, is.numeric, NA))) return(wins)
  lost <- setdiff(c("winner", "loser"), names(wins))[1]
  must <- "have columns winner, loser or player1, player2, win1, win2"
  stop_argument(name, must, was = sprintf("without `%s`", lost))
}

#' winner, loser and, where they are given, counts
#' @noRd
wins_from_rows <- function(rows, name) {
  at <- find_count_column(rows, name)
  tell_left_out(rows, c("winner", "loser", at), name)
  winner <- items_of(rows$winner, "winner", name)
  loser <- items_of(rows$loser, "loser", name)
  own <- same_items(winner, loser)
  n <- if (is.null(at)) rep(1, nrow(rows)) else rows[[at]]
  usable <- check_row_counts(n, at, name, own)
  tell_own(own & !(n %in% c(0, NA)), winner, name)
  count_wins(winner, loser, usable)
}

#' Names that a column of counts can have: as.data.frame() of a table() calls it Freq
#' @noRd
count_columns <- c("n", "count", "Freq")

#' The column of counts of rows; NULL where there is none, so that each row counts once
#' @noRd
find_count_column <- function(rows, name) find_one_column(count_columns, rows, name)

#' The one of some names that a data frame has; NULL where it has none of them
#' @noRd
find_one_column <- function(names, rows, name) {
  found <- intersect(names, names(rows))
  if (length(found) > 1) {
    must <- sprintf("have one of the columns %s", paste(found, collapse = ", "))
    stop_argument(name, must, was = sprintf("%d", length(found)))
  }
  if (length(found) == 1) found
}

#' Says which columns of a data frame of choices are not read
#' @noRd
tell_left_out <- function(rows, read, name) {
  left <- setdiff(names(rows), read)
  if (length(left) == 0) return(invisible())
  text <- "Ignoring `%s` of `%s`: choices depend on items and counts alone."
  message(sprintf(text, paste(left, collapse = ", "), name))
}

#' player1, player2, win1, win2: each row says how often each was chosen over the other
#' @noRd
wins_from_players <- function(rows, name) {
  tell_left_out(rows, c("player1", "player2", "win1", "win2"), name)
  first <- items_of(rows$player1, "player1", name)
  second <- items_of(rows$player2, "player2", name)
  own <- same_items(first, second)
  n <- c(
    check_row_counts(rows$win1, "win1", name, own), check_row_counts(rows$win2, "win2", name, own)
  )
  tell_own(own & !(rows$win1 %in% c(0, NA) & rows$win2 %in% c(0, NA)), first, name)
  items <- union(levels_of(first), levels_of(second))
  winner <- c(as.character(first), as.character(second))
  loser <- c(as.character(second), as.character(first))
  count_wins(factor(winner, items), factor(loser, items), n)
}

#' Which rows have an item against itself, as the diagonal of a matrix or table
#' @noRd
same_items <- function(first, second) as.character(first) == as.character(second)

#' Says that rows of an item against itself have counts
#' @noRd
tell_own <- function(rows, items, name) {
  if (!any(rows)) return(invisible())
  first <- which(rows)[1]
  text <- "Ignoring %s of `%s` with an item against itself (the first is %s in row %d)."
  item <- describe_scalar(as.character(items[first]))
  message(sprintf(text, counted(sum(rows), "row"), name, item, first))
}

#' A column of items: a vector, or a data frame with one factor, as BradleyTerry2 has players
#' @noRd
items_of <- function(column, which, name) {
  if (is.data.frame(column)) {
    factors <- vapply(column, function(values) is.factor(values) || is.character(values), NA)
    if (sum(factors) != 1) {
      must <- sprintf("have one factor, the items, in its data frame `%s`", which)
      stop_argument(name, must, was = sprintf("%d", sum(factors)))
    }
    left <- names(column)[!factors]
    if (length(left) > 0) {
      message(sprintf("Ignoring `%s$%s` of `%s`: choices depend on items alone.",
        which, paste(left, collapse = ", "), name))
    }
    column <- column[[which(factors)]]
  }
  lacking <- which(is.na(column))
  if (length(lacking) > 0) {
    must <- sprintf("name an item in every row of `%s`", which)
    stop_argument(name, must, was = sprintf("NA in row %d", lacking[1]))
  }
  column
}

#' Counts of a column, those that cannot be told by their row
#' @param own From same_items(): rows that do not count, whatever they have.
#' @noRd
check_row_counts <- function(n, which, name, own) {
  must <- sprintf("have whole numbers from 0 to 1e9 in every row of `%s`", which)
  if (!is.numeric(n)) stop_argument(name, must, n)
  n[own] <- 0
  wrong <- which(!is_pair_count(n))
  if (length(wrong) > 0) {
    stop_argument(name, must, was = sprintf("%s in row %d", format(n[wrong[1]]), wrong[1]))
  }
  as.double(n)
}

#' A matrix of counts from winners and losers, whose levels are in the order of the items
#' @noRd
count_wins <- function(winner, loser, n) {
  items <- union(levels_of(winner), levels_of(loser))
  wins <- matrix(0, length(items), length(items), dimnames = list(items, items))
  pairs <- list(factor(winner, items), factor(loser, items))
  wins[] <- tapply(n, pairs, sum, default = 0)
  wins
}

#' Comparisons, subjects x pairs: positive where the first item of the pair is preferred
#'
#' With `ordered` every pair is there once more, its items in the other order.
#' @noRd
wins_from_paircomp <- function(comparisons, name) {
  values <- unclass(comparisons)
  if (!is.matrix(values)) {
    stop_argument(name, "be a paircomp() with a row per subject and a column per pair", values)
  }
  items <- attr(values, "labels")
  ties <- sum(values == 0, na.rm = TRUE)
  if (ties > 0) {
    stop_argument(name, "have no ties (NA leaves a comparison out)", was = sprintf("%d", ties))
  }
  if (any(abs(values) > 1, na.rm = TRUE)) {
    message(sprintf("`%s`: which item is preferred counts, by how much does not.", name))
  }
  pairs <- which(upper.tri(diag(length(items))), arr.ind = TRUE)
  if (attr(values, "ordered")) pairs <- rbind(pairs, pairs[, 2:1])
  first <- pairs[col(values), 1]
  second <- pairs[col(values), 2]
  judged <- !is.na(values)
  ahead <- (values > 0)[judged]
  winner <- ifelse(ahead, first[judged], second[judged])
  loser <- ifelse(ahead, second[judged], first[judged])
  all <- seq_along(items)
  count_wins(factor(winner, all, items), factor(loser, all, items), rep(1, sum(judged)))
}

#' Items in the order of a factor's levels, else of their first appearance
#' @noRd
levels_of <- function(items) if (is.factor(items)) levels(items) else unique(as.character(items))
