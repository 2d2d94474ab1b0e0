# Counts as a square double matrix, row over column, with 0 on the diagonal; NA is a pair left out
check_wins <- function(wins, name = "wins") {
  wins <- wins_from_others(wins, name)
  if (!is_table_like(wins)) stop_no_wins(name, describe_value(wins))
  wins <- data_matrix(wins, name)
  if (nrow(wins) != ncol(wins)) {
    stop_no_wins(name, describe_value(wins))
  }
  if (nrow(wins) < 2) stop_argument(name, "have at least two items", wins)
  wins <- name_items(wins, name)
  diag(wins) <- 0
  check_entries(wins, name)
  check_counts(wins, name)
  lone <- which(is.na(wins) & !is.na(t(wins)))
  if (length(lone) > 0) {
    was <- sprintf("only one way at %s", place(lone[1], wins))
    stop_argument(name, "have NA on both sides of a pair that is left out", was = was)
  }
  if (!any(wins > 0, na.rm = TRUE)) stop_argument(name, "have at least one choice", was = "none")
  wins
}

name_items <- function(wins, name) {
  columns <- colnames(wins)
  if (!is.null(columns) && !is.null(rownames(wins)) && !identical(columns, rownames(wins))) {
    if (!setequal(columns, rownames(wins))) {
      stop_argument(name, "have the same names on its rows and columns", was = "others")
    }
    wins <- wins[, rownames(wins), drop = FALSE]
  }
  names <- rownames(wins) %||% columns
  if (anyNA(names)) stop_argument(name, "have a name for every item or for none", was = "NA")
  again <- anyDuplicated(names)
  if (again) {
    was <- sprintf("%s more than once", describe_scalar(names[again]))
    stop_argument(name, "have unique names of items", was = was)
  }
  dimnames(wins) <- if (!is.null(names)) list(names, names)
  wins
}

is_pair_count <- function(n) !is.na(n) & n >= 0 & n == floor(n) & n <= 1e9

check_counts <- function(wins, name) {
  wrong <- which(!is.na(wins) & !is_pair_count(wins))
  if (length(wrong) == 0) return(invisible())
  was <- sprintf("%s at %s", format(wins[wrong[1]]), place(wrong[1], wins))
  stop_argument(name, "have whole numbers from 0 to 1e9", was = was)
}

# All pairs of items, the later first, in column-major order of the lower triangle
all_pairs <- function(items) {
  pairs <- utils::combn(items, 2)
  cbind(pairs[2, ], pairs[1, ])
}

observed_pairs <- function(fit) {
  pairs <- all_pairs(n_rows(fit))
  total <- pair_counts(fit, pairs)
  pairs[!is.na(total) & total > 0, , drop = FALSE]
}

pair_counts <- function(fit, pairs) {
  wins <- model_data(fit)
  wins[pairs] + wins[pairs[, 2:1, drop = FALSE]]
}

pair_names <- function(fit, pairs) {
  items <- item_names(fit)
  sprintf("%s-%s", items[pairs[, 1]], items[pairs[, 2]])
}

item_names <- function(fit) rownames(model_data(fit)) %||% as.character(seq_len(n_rows(fit)))
