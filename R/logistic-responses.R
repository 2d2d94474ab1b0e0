# coding: From column_coding(): the levels of its factors, if any, decide what is 0 and what is 1.
# Returns a double matrix of 0, 1 and NA, or a dgCMatrix.
check_responses <- function(y, name = "y", sparse = TRUE, coding = NULL) {
  if (is.data.frame(y)) y <- factors_as_numbers(y, name, coding)
  values <- data_matrix(y, name, sparse)
  check_zeros_and_ones(values, name)
  values
}

# Binary data with a row per case: a table of pairs of values expanded, rows repeated by weights
repeated_responses <- function(y, weights) {
  if (inherits(y, "table") && all(dim(y) == 2) && !all(y %in% 0:1)) y <- expand_table(y, "y")
  if (is.null(weights)) {
    tell_count_column(y, "y")
    return(y)
  }
  if (length(dim(y)) != 2) stop_argument("y", "be a matrix or data frame if `weights` are given", y)
  if (is.data.frame(y)) y <- own_frame(read_labelled_columns(y, "y", character()))
  repeat_rows(y, weights, "y")
}

# Columns that are factors as 0 and, the second level, 1; characters are read by the levels of the
# data
factors_as_numbers <- function(y, name, coding) {
  text <- names(y)[vapply(y, is.character, NA)]
  read <- text[vapply(text, function(column) is.factor(coding[[column]]), NA)]
  y[read] <- lapply(y[read], factor)
  if (length(text) > length(read)) {
    must <- "have columns of numbers, logicals and factors of two levels only"
    column <- encodeString(setdiff(text, read)[1], quote = "\"")
    stop_argument(name, must, was = paste("the character column", column))
  }
  for (j in which(vapply(y, is.factor, NA))) {
    column <- encodeString(names(y)[j], quote = "\"")
    two <- levels(coding[[names(y)[j]]]) %||% levels(y[[j]])
    if (length(two) != 2) {
      was <- sprintf("the column %s of %d", column, length(two))
      stop_argument(name, "have factors of two levels only", was = was)
    }
    unknown <- setdiff(y[[j]], c(two, NA))
    if (length(unknown) > 0) {
      must <- sprintf("have the levels of the data in the column %s", column)
      stop_argument(name, must, unknown[1])
    }
    y[[j]] <- match(y[[j]], two) - 1
  }
  y
}

# The types of columns: zero-length vectors, by name, or one for all columns of a matrix
column_coding <- function(y) {
  if (is.data.frame(y)) return(lapply(as.list(y), `[`, 0))
  if (is.matrix(y)) list(as.vector(y[0]))
}

decode_responses <- function(values, coding) {
  if (is.logical(coding)) return(as.logical(values))
  if (!is.factor(coding)) return(values)
  levels <- levels(coding)
  factor(levels[values + 1], levels, ordered = is.ordered(coding))
}

# A message about columns unlike most others, such as a class among answers, which are also data
tell_unlike_columns <- function(y) {
  if (!is.data.frame(y)) return(invisible())
  kinds <- vapply(y, function(column) {
    if (is.factor(column)) paste(levels(column), collapse = ", ") else "0, 1"
  }, "")
  common <- names(which.max(table(kinds)))
  odd <- which(kinds != common)
  if (length(odd) == 0 || 2 * length(odd) >= length(kinds)) return(invisible())
  message(sprintf(
    "`y`: %s %s unlike the others (%s) but used as data; y[names(y) != %s] leaves it out.",
    columns_in_words(odd, names(y), kinds[odd]), if (length(odd) == 1) "is" else "are", common,
    encodeString(names(y)[odd[1]], quote = "\"")
  ))
}

check_zeros_and_ones <- function(x, name) {
  entries <- if (isS4(x)) x@x else x
  wrong <- which(is.nan(entries) | !(is.na(entries) | entries == 0 | entries == 1))
  if (length(wrong) == 0) return(invisible())
  was <- sprintf("%s at %s", format(entries[wrong[1]]), place(wrong[1], x))
  stop_argument(name, "have no entries but 0, 1 and NA", was = was)
}
