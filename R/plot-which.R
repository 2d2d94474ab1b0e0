# Numbers of the selected features; NULL if the plot chooses
# types: The types of plots that can show a selection.

check_which <- function(which, type, types, names, without = NULL) {
  check_unasked(which, "which", type, setdiff(types, without))
  check_shown(which, names, "which")
}

# Stop if an argument is given that only other types of plots use
check_unasked <- function(x, name, type, types) {
  if (is.null(x) || type %in% types) return(invisible())
  quoted <- encodeString(types, quote = "\"")
  one <- length(types) == 1
  must <- paste("be NULL unless `type` is", if (!one) "one of", paste(quoted, collapse = ", "))
  stop_argument(name, gsub(" +", " ", must), x)
}

check_shown <- function(x, names, name, numbers = TRUE) {
  if (is.null(x)) return(NULL)
  at <- places_of(x, names, numbers)
  what <- if (numbers) "names or numbers of features of the fit" else "names of columns of the data"
  if (length(at) == 0 || anyNA(at)) stop_argument(name, paste("be", what), wrong_one(x, at))
  again <- anyDuplicated(at)
  if (again) {
    was <- paste(describe_value(x[[again]]), "twice")
    stop_argument(name, paste("be", what, "without repetition"), was = was)
  }
  at
}

places_of <- function(x, names, numbers) {
  if (is.object(x)) return(NA)
  if (is.character(x)) return(match(x, names))
  if (is.numeric(x) && numbers) match(x, seq_along(names)) else NA
}

# The first unknown element, or all of them
wrong_one <- function(x, at) {
  if (is.atomic(x) && length(x) == length(at) && anyNA(at)) x[is.na(at)][[1]] else x
}

first_panels <- function(which, n, most = 24) which %||% seq_len(min(n, most))

# A note on features that a plot leaves out by default, otherwise NULL
describe_left_out <- function(shown, n, what, argument = "which") {
  if (shown < n) sprintf("%d of %d %s; `%s` chooses others", shown, n, what, argument)
}
