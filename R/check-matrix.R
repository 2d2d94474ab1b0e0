# Validators of matrices. They convert all accepted inputs to a plain matrix.

# Returns a matrix of zeros and ones as an integer matrix
# z: Matrix, data frame or `Matrix` with at least one row and without NA; it may have no columns.
check_binary_matrix <- function(z, name = "z") {
  check_given(z, name)
  if (is_sparse_class(z)) check_slots(z, name)
  must <- "be a matrix of zeros and ones"
  values <- if (is_table_like(z)) plain_matrix(z, name)
  if (is.null(values)) stop_argument(name, must, z)
  if (nrow(values) == 0) stop_argument(name, "have at least one row", was = describe_size(values))
  wrong <- is.na(values) | !(values == 0 | values == 1)
  refuse_entries(wrong, values, name, must, "one with the entry ")
  storage.mode(values) <- "integer"
  values
}

# Returns a matrix of real numbers as a double matrix or, with `sparse`, as a dgCMatrix
# x: Matrix, data frame or `Matrix` with at least one entry. NA is accepted; NaN and Inf are not.
check_data_matrix <- function(x, name = "x", sparse = FALSE) {
  values <- data_matrix(x, name, sparse)
  check_entries(values, name)
  values
}

# Like check_data_matrix(), but does not check the entries
data_matrix <- function(x, name, sparse = FALSE) {
  check_given(x, name)
  if (is_sparse_class(x)) check_slots(x, name)
  values <- if (sparse && inherits(x, "sparseMatrix")) {
    sparse_matrix(x)
  } else if (is_table_like(x)) {
    plain_matrix(x, name)
  }
  if (is.null(values)) {
    must <- paste0("be a numeric matrix or data frame", conversion_of(x))
    stop_argument(name, must, x, cure = if (is_vector(x)) keep_dimensions)
  }
  if (any(dim(values) == 0)) {
    stop_argument(name, "have at least one row and one column", was = describe_size(values))
  }
  if (!is.null(dimnames(values))) {
    check_valid_names(rownames(values), name, "row names")
    check_valid_names(colnames(values), name, "column names")
    check_unique(rownames(values), name, "have unique row names or none",
      cure = sprintf("`rownames(%s) <- NULL` removes them", name)
    )
  }
  values
}

is_vector <- function(x) is.numeric(x) && length(x) > 1 && is.null(dim(x)) && !is.object(x)

keep_dimensions <-
  "`m[1, , drop = FALSE]` keeps a row of a matrix `m`, and `m[, 1, drop = FALSE]` a column"

# A hint on how to convert the object, or an empty string
conversion_of <- function(x) {
  if (inherits(x, "formula")) return(" (models take no formula: pass only the data)")
  if (inherits(x, "table")) return(" (fit_mixed() fits tables of counts, a row per case)")
  if (inherits(x, c("dist", "ts"))) return(" (as.matrix() converts it to a matrix)")
  ""
}

is_table_like <- function(x) {
  if (missing(x)) return(FALSE)
  is.data.frame(x) || is_sparse_class(x) || (is.matrix(x) && (is.numeric(x) || is.logical(x)))
}

# Importing Matrix registers its as.matrix() and rownames() methods for these classes.
#' @importFrom Matrix Matrix
is_sparse_class <- function(x) isS4(x) && inherits(x, "Matrix")

# A malformed `Matrix` could crash the methods of Matrix or the core.
check_slots <- function(x, name) {
  wrong <- tryCatch(methods::validObject(x, test = TRUE), error = conditionMessage)
  if (isTRUE(wrong)) return(invisible())
  was <- paste("one with inconsistent slots:", one_line(wrong[1]))
  stop_argument(name, "be a valid matrix of the Matrix package", was = was)
}

# as.double() dispatches on the class, which is needed for classed numbers (units, integer64).
plain_matrix <- function(x, name) {
  if (is.double(x) && all(names(attributes(x)) %in% c("dim", "dimnames"))) return(x)
  if (is_sparse_class(x)) check_matrix_size(nrow(x), ncol(x), name, x)
  row_names <- rownames(x)
  if (is.data.frame(x)) {
    check_columns(x, name)
    if (.row_names_info(x) <= 0) row_names <- NULL
    x <- read_labelled_columns(x, name, character())
    values <- unlist(lapply(x, function(column) {
      numbers <- as.double(column)
      if (is.object(column)) numbers[is.na(column) & !is.nan(numbers)] <- NA
      numbers
    }), use.names = FALSE)
  } else {
    values <- as.matrix(x)
  }
  values <- as.double(values)
  dimnames <- list(row_names, colnames(x))
  dim(values) <- dim(x)
  if (any(lengths(dimnames))) dimnames(values) <- dimnames
  values
}

check_columns <- function(x, name) {
  usable <- function(col) (is.numeric(col) || is.logical(col)) && length(col) == nrow(x)
  wrong <- which(!vapply(x, usable, NA))
  if (length(wrong)) {
    values <- x[[wrong[1]]]
    column <- names(x)[wrong[1]] %||% ""
    cure <- if (is.factor(values) || is.character(values)) {
      binary <- all(vapply(x, nlevels, 1L) == 2)
      if (name == "x") sprintf("fit_%s() accepts such columns", if (binary) "logistic" else "mixed")
    } else {
      numbers_of_times(values, column, name)
    }
    was <- describe_other_column(values, column)
    stop_argument(name, "have numeric columns only", was = was, cure = cure)
  }
  if (isNamespaceLoaded("bit64")) return(invisible())
  unread <- which(vapply(x, inherits, NA, "integer64"))
  if (length(unread) > 0) {
    was <- sprintf("one in \"%s\"", names(x)[unread[1]])
    stop_argument(name, "have no integer64 columns unless bit64 is loaded", was = was)
  }
}

check_entries <- function(x, name) {
  entries <- if (isS4(x)) x@x else x
  # This avoids copying large data in the usual case.
  largest <- max(0, entries, -min(0, entries, na.rm = TRUE), na.rm = TRUE)
  if (largest > 0 && largest < 1e-100) {
    was <- sprintf("%s at most (multiply it by a constant)", format(largest, digits = 2))
    stop_argument(name, "have entries of at least 1e-100 in size", was = was)
  }
  if (largest <= 1e100 && !(anyNA(entries) && any(is.nan(entries)))) return(invisible())
  sound <- abs(entries) <= 1e100
  refuse <- function(bad, must, what) {
    if (!any(bad)) return(invisible())
    entries <- if (sum(bad) == 1) "entry" else "entries"
    was <- sprintf("%d %s %s (the first at %s)", sum(bad), what, entries, place(which(bad)[1], x))
    stop_argument(name, must, was = was)
  }
  refuse(is.nan(entries) | is.infinite(entries), "have finite entries only", "NaN or infinite")
  refuse(!is.na(sound) & !sound, "have entries of at most 1e100 in size", "larger")
}

# Stops if any entries of x are wrong, and describes and locates the first one
refuse_entries <- function(wrong, x, name, must, what = "") {
  first <- which(wrong)[1]
  if (is.na(first)) return(invisible())
  stop_argument(name, must, was = paste0(what, format(x[first]), " at ", place(first, x)))
}

is_in_blocks <- function(x) inherits(x, "row_blocks")

count_observed <- function(x) {
  if (is_in_blocks(x)) return(x$observed)
  prod(dim(x)) - sum(is.na(if (isS4(x)) x@x else x))
}

# Reports columns that have no observed values. They are kept, so that the fit has the same columns
# as the data.
check_observed <- function(x, name = "x") {
  if (count_observed(x) == 0) {
    stop_argument(name, "have at least one observed entry", was = "NA throughout")
  }
  if (is.matrix(x) && anyNA(x)) {
    none <- which(colSums(!is.na(x)) == 0)
    if (length(none) > 0) {
      shown <- toString(first_of(colnames(x)[none] %||% none))
      message("Columns without any values, for which the fit reflects only the prior: ", shown, ".")
    }
  }
  x
}

# Rows and columns of the entries that are NA, in column-major order
missing_entries <- function(x) entry_places(which(is.na(if (isS4(x)) x@x else x)), x)

entry_places <- function(index, x) {
  if (!isS4(x)) return(arrayInd(index, dim(x)))
  cbind(x@i[index] + 1L, findInterval(index - 1, x@p))
}

root_mean_square <- function(x) {
  if (is_in_blocks(x)) return(sqrt(x$squares / x$observed))
  sqrt(sum((if (isS4(x)) x@x else x)^2, na.rm = TRUE) / count_observed(x))
}

# A sparse matrix of any class as a dgCMatrix, without the factorizations that Matrix caches in it
sparse_matrix <- function(x) {
  if (!inherits(x, "dgCMatrix")) {
    x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  }
  x@factors <- list()
  x
}

place <- function(index, x) {
  at <- entry_places(index, x)
  sprintf("row %d, column %d", at[1], at[2])
}

check_matrix_size <- function(rows, columns, name, value) {
  if (!isTRUE(as.double(rows) * columns <= .Machine$integer.max)) {
    stop_argument(name, "be small enough for a matrix of fewer than 2^31 entries", value)
  }
}

# Labelled columns, as read by haven from SPSS, Stata and SAS files. The code reads their
# attributes, so haven need not be installed.

is_labelled <- function(x) inherits(x, c("haven_labelled", "labelled"))

# Marks missing entries: NA, tagged NA, and values that `na_values` or `na_range` declare missing.
# is.na() gives the same result when haven is loaded.
is_declared_missing <- function(x) {
  declared <- attributes(x)[c("na_values", "na_range")]
  attributes(x) <- NULL
  missing <- is.na(x) | x %in% declared$na_values
  range <- declared$na_range
  if (length(range) == 2) missing <- missing | (!is.na(x) & x >= range[1] & x <= range[2])
  missing
}

read_labelled <- function(x, as_factor = is_mostly_labelled(x)) {
  values <- replace(x, is_declared_missing(x), NA)
  labels <- attr(x, "labels")
  attributes(values) <- NULL
  if (!as_factor) return(values)
  attributes(labels) <- c(attributes(labels)["names"], attributes(x)[c("na_values", "na_range")])
  labels <- labels[!is_declared_missing(labels)]
  known <- sort(unique(c(values, unname(labels))))
  text <- ifelse(known %in% labels, names(labels)[match(known, labels)], as.character(known))
  factor(text[match(values, known)], unique(text))
}

# True if more than half of the distinct values have labels. If only a few numbers have labels, such
# as the end points of a scale, the column stays numeric.
is_mostly_labelled <- function(x) {
  known <- unique(as.vector(unclass(x))[!is_declared_missing(x)])
  length(known) > 0 && mean(known %in% attr(x, "labels")) > 0.5
}

# Converts labelled columns to factors or plain values, with a message
# as_factors: Names of the columns to convert to factors; NULL selects those that are mostly
# labelled.
read_labelled_columns <- function(data, name, as_factors = NULL) {
  labelled <- names(data)[vapply(data, is_labelled, NA)]
  if (length(labelled) == 0) return(data)
  data <- own_frame(data)
  as_factors <- as_factors %||% Filter(function(j) is_mostly_labelled(data[[j]]), labelled)
  data[labelled] <- Map(read_labelled, data[labelled], labelled %in% as_factors)
  factors <- intersect(labelled, as_factors)
  numbers <- setdiff(labelled, as_factors)
  of_each <- c(
    if (length(factors) > 0) paste(enumerate_some(factors), "as factors of their labels"),
    if (length(numbers) > 0) paste(enumerate_some(numbers), "as values without labels")
  )
  message(sprintf("Reading labelled columns of `%s`: %s.", name, paste(of_each, collapse = "; ")))
  data
}

# Reports columns that are 0 after centering, or that have no standard deviation to scale by
tell_constant_columns <- function(model) {
  if (!isTRUE(model$given$scale) && all(model$data$center == 0)) return(invisible())
  constant <- which(column_sds(model$data$x) == 0)
  if (length(constant) > 0) tell_constant("x", constant, model$data$x, "no", noise = TRUE)
}

# noise: True if predictions for the columns nevertheless include noise.
tell_constant <- function(name, constant, x, amount, noise = FALSE) {
  one <- length(constant) == 1
  message(sprintf(
    "`%s`: %s %s %s information about the features%s.", name,
    in_words("column", constant, colnames(x)),
    if (one) "is constant and carries" else "are constant and carry", amount,
    if (noise) sprintf(", but %s still predicted with noise", if (one) "is" else "are") else ""
  ))
}

# The first three of the columns, by name if they have names and by number otherwise
in_words <- function(what, which, names, notes = NULL) {
  told <- if (is.null(names)) which else encodeString(names[which], quote = "\"")
  if (!is.null(notes)) told <- sprintf("%s (%s)", told, notes)
  told <- c(utils::head(told, 3), if (length(which) > 3) "...")
  paste0(what, if (length(which) > 1) "s", " ", paste(told, collapse = ", "))
}

enumerate_some <- function(names, most = 8) {
  more <- length(names) - most
  if (more > 1) names <- c(utils::head(names, most), sprintf("%d more", more))
  paste(names, collapse = ", ")
}
