# Converts data frames and objects of other packages to a matrix of counts.

# A data frame or the comparisons of psychotools as a matrix; others are returned as they are
wins_from_others <- function(wins, name) {
  if (inherits(wins, "paircomp")) return(wins_from_paircomp(wins, name))
  if (!is.data.frame(wins)) return(wins)
  if (nrow(wins) == 0) stop_argument(name, "have at least one row", wins)
  has <- function(columns) all(columns %in% names(wins))
  if (has(c("player1", "player2", "win1", "win2"))) return(wins_from_players(wins, name))
  if (has(c("winner", "loser"))) return(wins_from_rows(wins, name))
  lost <- setdiff(c("winner", "loser"), names(wins))[1]
  stop_no_wins(name, sprintf("a data frame without `%s`", lost))
}

stop_no_wins <- function(name, was) {
  must <- paste(
    "be a square matrix of counts, a paircomp() or a data frame with columns winner and loser (and",
    "n) or player1, player2, win1 and win2"
  )
  stop_argument(name, must, was = was)
}

# winner, loser and, if it is given, n
wins_from_rows <- function(rows, name) {
  tell_left_out(rows, c("winner", "loser", "n"), name)
  winner <- names_in(rows, "winner", name)
  loser <- names_in(rows, "loser", name)
  own <- same_items(winner, loser)
  n <- if ("n" %in% names(rows)) rows[["n"]] else rep(1, nrow(rows))
  usable <- check_row_counts(n, "n", name, own)
  tell_own(own & !(n %in% c(0, NA)), winner, name)
  count_wins(winner, loser, usable)
}

tell_left_out <- function(rows, read, name) {
  left <- setdiff(names(rows), read)
  if (length(left) == 0) return(invisible())
  text <- "Ignoring `%s` of `%s`: choices depend on items and counts alone."
  message(sprintf(text, paste(left, collapse = ", "), name))
}

# player1, player2, win1, win2: each row says how often each was chosen over the other
wins_from_players <- function(rows, name) {
  tell_left_out(rows, c("player1", "player2", "win1", "win2"), name)
  first <- names_in(rows, "player1", name)
  second <- names_in(rows, "player2", name)
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

same_items <- function(first, second) as.character(first) == as.character(second)

tell_own <- function(rows, items, name) {
  if (!any(rows)) return(invisible())
  first <- which(rows)[1]
  text <- "Ignoring %s of `%s` with an item against itself (the first is %s in row %d)."
  item <- describe_scalar(as.character(items[first]))
  message(sprintf(text, counted(sum(rows), "row"), name, item, first))
}

names_in <- function(rows, column, name) {
  values <- rows[[column]]
  must <- sprintf("have a name in every row of `%s`", column)
  if (!is.atomic(values) || length(dim(values)) > 1) stop_argument(name, must, values)
  lacking <- which(is.na(values))
  if (length(lacking) > 0) stop_argument(name, must, was = sprintf("NA in row %d", lacking[1]))
  values
}

# Counts of a column; errors name the row
# own: From same_items(): rows to be ignored.
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

# A matrix of counts from winners and losers, whose levels are in the order of the items
count_wins <- function(winner, loser, n) {
  items <- union(levels_of(winner), levels_of(loser))
  wins <- matrix(0, length(items), length(items), dimnames = list(items, items))
  pairs <- list(factor(winner, items), factor(loser, items))
  wins[] <- tapply(n, pairs, sum, default = 0)
  wins
}

# Comparisons, subjects x pairs: positive if the first item of the pair is preferred
# With `ordered` every pair occurs again in the other order.
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

# Items in the order of a factor's levels, else of their first appearance
levels_of <- function(items) if (is.factor(items)) levels(items) else unique(as.character(items))
