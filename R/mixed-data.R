# weights: NULL, or a number for each row.
# Returns list(x, columns, frame): coded numbers, N x D, their columns, and the data with labelled
# columns read and rows repeated.
mixed_data <- function(data, families, weights = NULL) {
  check_frame(data, "data")
  frame <- own_frame(read_labelled_columns(data, "data"))
  if (is.null(weights)) tell_count_column(frame, "data", names(families))
  frame <- repeat_rows(frame, weights, "data")
  families <- check_families(families, names(frame))
  check_numbers(frame, "data")
  data <- usable_columns(frame)
  columns <- mixed_columns(data, families)
  x <- code_frame(columns, data, "data")
  tell_number_families(columns, data, names(Filter(Negate(is.null), families)))
  list(x = x, columns = columns, frame = frame)
}

# A plain data frame that shares no memory, because data.table changes columns in place
own_frame <- function(data) {
  columns <- rlang::duplicate(unclass(data))
  row_names <- rlang::duplicate(.row_names_info(data, 0L))
  names <- rlang::duplicate(names(data))
  attributes(columns) <- list(names = names, class = "data.frame", row.names = row_names)
  columns
}

# What makes a data frame of an object that is none, or nothing
frame_conversion <- function(x) {
  if (is.matrix(x) && !inherits(x, "table")) return(" (as.data.frame() makes one of it)")
  if (inherits(x, c("dist", "ts"))) return(" (as.data.frame(as.matrix()) makes one of it)")
  conversion_of(x)
}

check_frame <- function(data, name) {
  if (!is.data.frame(data)) {
    stop_argument(name, paste0("be a data frame", frame_conversion(data)), data)
  }
  if (any(dim(data) == 0)) {
    stop_argument(name, "have at least one row and one column", was = describe_size(data))
  }
  check_valid_names(names(data), name, "column names")
  if (.row_names_info(data) > 0) check_valid_names(rownames(data), name, "row names")
  names <- names(data) %||% ""
  if (anyDuplicated(names) || anyNA(names) || !all(nzchar(names))) {
    was <- "one with some equal, empty or NA"
    stop_argument(name, "have unique column names", was = was)
  }
  for (column in names) check_kind(data[[column]], column, name)
}

check_numbers <- function(data, name) {
  for (column in names(data)) check_column_numbers(data[[column]], column, name)
}

check_column <- function(values, column, name) {
  check_kind(values, column, name)
  check_column_numbers(values, column, name)
}

check_kind <- function(values, column, name) {
  if (is_usable(values)) return(invisible())
  must <- "have columns of numbers, logicals, factors and characters only"
  stop_argument(name, must, was = describe_other_column(values, column))
}

is_usable <- function(values) {
  plain <- is.numeric(values) || is.logical(values) || is.character(values)
  usable <- is.factor(values) || plain && (!is.object(values) || is_labelled(values))
  usable && length(dim(values)) == 0
}

check_column_numbers <- function(values, column, name) {
  if (!is.numeric(values)) return(invisible())
  if (any(is.infinite(values) | is.nan(values))) {
    must <- sprintf("have finite entries or NA in the column \"%s\"", column)
    stop_argument(name, must, was = "NaN or infinite ones")
  }
  if (any(abs(values) > 1e100, na.rm = TRUE)) {
    must <- sprintf("have entries of at most 1e100 in size in the column \"%s\"", column)
    stop_argument(name, must, was = "larger ones")
  }
}

# Characters as factors, without constant columns
usable_columns <- function(data) {
  text <- vapply(data, is.character, NA)
  if (any(text)) {
    names <- paste(names(data)[text], collapse = ", ")
    message("Converting character columns to factors: ", names, ".")
    data[text] <- lapply(data[text], factor)
  }
  factors <- vapply(data, is.factor, NA)
  used <- lapply(data[factors], droplevels, exclude = NA)
  levels_before <- vapply(data[factors], function(values) sum(!is.na(levels(values))), 1L)
  fewer <- vapply(used, nlevels, 1L) < levels_before
  if (any(fewer)) {
    names <- paste(names(used)[fewer], collapse = ", ")
    message("Dropping factor levels that no row has, in ", names, ".")
  }
  data[factors] <- used
  distinct <- vapply(data, function(values) length(unique(values[!is.na(values)])), 1L)
  constant <- distinct < 2
  if (all(constant)) stop_argument("data", "have a column that varies", was = "constant")
  tell_left_out <- function(which, why) {
    if (any(which)) message("Leaving out columns ", why, ": ", toString(names(data)[which]), ".")
  }
  tell_left_out(distinct == 1, "that never vary")
  tell_left_out(distinct == 0, "without any value")
  data[!constant]
}

code_frame <- function(columns, data, name) {
  x <- vapply(columns, function(column) {
    as.double(code_column(column, data[[column$name]], name))
  }, numeric(nrow(data)))
  named <- .row_names_info(data) > 0
  matrix(x, nrow(data), length(columns),
    dimnames = list(if (named) rownames(data), names(columns))
  )
}

draw_frame <- function(columns, x) {
  values <- lapply(seq_along(columns), function(j) draw_column(columns[[j]], x[, j]))
  frame_of(columns, values, rownames(x))
}

frame_of <- function(columns, values, row_names = NULL) {
  frame <- as.data.frame(stats::setNames(values, names(columns)), optional = TRUE)
  if (!is.null(row_names)) rownames(frame) <- row_names
  frame
}

split_responses <- function(columns, responses) {
  lapply(split_rows(columns, response_width), function(at) responses[, at, drop = FALSE])
}
