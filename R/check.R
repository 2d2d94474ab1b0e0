# Validators. Each returns its argument in one standard form, or stops with one line: the argument,
# what it must be, what it was.

# An error of class `buffet_error` with the name of the function that the user called.
abort <- function(..., class = NULL) {
  stop(errorCondition(paste0(...), class = c(class, "buffet_error"), call = user_call()))
}

# The outermost call of a function of the package, without its arguments. A method has the name of
# its generic, which dispatch leaves in the frame.
user_call <- function() {
  for (i in seq_len(sys.nframe())) {
    if (identical(topenv(environment(sys.function(i))), topenv())) {
      head <- sys.call(i)[[1]]
      generic <- get0(".Generic", sys.frame(i), inherits = FALSE)
      if (!is.null(generic)) head <- as.name(generic)
      return(if (is.symbol(head) || rlang::is_call(head, c("::", ":::"))) as.call(list(head)))
    }
  }
}

# The same about an argument of the user's call
abort_argument <- function(...) abort(..., class = "buffet_error_argument")

# name: Name of the argument, without backticks.
# must: The requirement, with its verb: "be one positive number".
# value: The offending value; described briefly.
# was: Description of the value, if `value` alone does not show the problem.
stop_argument <- function(name, must, value, was = describe_value(value)) {
  abort_argument(sprintf("`%s` must %s, not %s.", name, must, was))
}

# what: What it is, if the name does not say it.
check_given <- function(x, name, what = NULL) {
  if (missing(x)) abort_argument("`", name, "` must be given", if (!is.null(what)) ": ", what, ".")
}

check_no_more <- function(...) {
  if (...length() > 0) stop_extra(first_name(...), "this function")
}

first_name <- function(...) c(names(list(...)), "")[1]

stop_extra <- function(name, of) {
  shown <- if (nzchar(name)) sprintf("`%s`", name) else "An argument without a name"
  abort_argument(shown, " must be left out: it is not an argument of ", of, ".")
}

check_no_others <- function(by, ...) {
  if (...length() == 0) return(invisible())
  name <- first_name(...)
  if (name %in% names(formals(method_gibbs))) {
    text <- "`%1$s` must be given to the method: `method = method_gibbs(%1$s = )`."
    abort_argument(sprintf(text, name))
  }
  stop_extra(name, paste0(by, "()"))
}

describe_value <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (is.data.frame(x)) return(paste("a data frame with", describe_size(x)))
  if (is.object(x)) return(paste("an object of class", class(x)[1]))
  if (is.environment(x)) return("an environment")
  if (is.call(x)) return("a call")
  if (is.atomic(x)) describe_atomic(x) else paste("a", typeof(x))
}

describe_atomic <- function(x) {
  if (length(dim(x)) > 1) {
    kind <- if (is.matrix(x)) "matrix" else "array"
    return(sprintf("a %s %s %s", paste(dim(x), collapse = " x "), type_name(x), kind))
  }
  if (length(x) == 1) return(describe_scalar(x))
  # Lengths beyond the largest integer are doubles.
  sprintf("a %s vector of length %.0f", type_name(x), length(x))
}

describe_other_column <- function(values, name) {
  sprintf("the %s column \"%s\"", class(values)[1], name)
}

describe_scalar <- function(x) {
  if (is.character(x) && !is.na(x)) {
    x <- readable(x)
    text <- if (nchar(x) > 40) paste0(substr(x, 1, 37), "...") else x
    return(encodeString(text, quote = "\""))
  }
  format(unname(x), digits = 15)
}

# A message of another package on one line
one_line <- function(text) gsub("[[:space:]]+", " ", trimws(readable(text)))

# A string with invalid bytes as <xx>
readable <- function(text) if (validEnc(text)) text else iconv(text, sub = "byte")

check_valid_names <- function(names, name, what) {
  bad <- which(!validEnc(as.character(names)))
  if (length(bad) == 0) return(invisible())
  must <- sprintf("have %s that are valid in their encoding", what)
  stop_argument(name, must, names[bad[1]])
}

describe_size <- function(x) paste(counted(nrow(x), "row"), "and", counted(ncol(x), "column"))

counted <- function(n, what) sprintf("%.0f %s%s", n, what, ifelse(n == 1, "", "s"))

type_name <- function(x) if (is.numeric(x)) "numeric" else typeof(x)

is_scalar_number <- function(x) is.numeric(x) && length(x) == 1 && is.finite(x)

is_positive <- function(x) is_scalar_number(x) && x > 0

is_whole <- function(x) is_scalar_number(x) && abs(x) <= .Machine$integer.max && x %% 1 == 0

# ends: "[]", "[)", "(]" or "()".
check_number <- function(x, name, lower = -Inf, upper = Inf, ends = "[]") {
  opens <- substr(ends, 1, 1) == "("
  closes <- substr(ends, 2, 2) == ")"
  inside <- is_scalar_number(x) &&
    (if (opens) x > lower else x >= lower) && (if (closes) x < upper else x <= upper)
  if (!inside) stop_argument(name, paste("be one", range_text(lower, upper, ends)), x)
  as.double(x)
}

range_text <- function(lower, upper, ends) {
  if (is.finite(lower) && is.finite(upper)) {
    return(sprintf(
      "number in %s%s, %s%s", substr(ends, 1, 1), format(lower), format(upper), substr(ends, 2, 2)
    ))
  }
  if (is.finite(lower)) {
    limit <- if (substr(ends, 1, 1) == "(") "above" else "of at least"
    return(paste("number", limit, format(lower)))
  }
  if (is.finite(upper)) {
    limit <- if (substr(ends, 2, 2) == ")") "below" else "of at most"
    return(paste("number", limit, format(upper)))
  }
  "finite number"
}

check_positive <- function(x, name) {
  if (!is_positive(x)) stop_argument(name, "be one positive number", x)
  as.double(x)
}

check_count <- function(x, name, lower = 1) {
  if (!(is_whole(x) && x >= lower)) {
    too_large <- is_scalar_number(x) && x > .Machine$integer.max
    limits <- if (too_large) {
      sprintf("from %d to %d", as.integer(lower), .Machine$integer.max)
    } else {
      sprintf("of at least %d", as.integer(lower))
    }
    stop_argument(name, paste("be one whole number", limits), x)
  }
  as.integer(x)
}

check_flag <- function(x, name) {
  if (!(is.logical(x) && length(x) == 1 && !is.na(x))) stop_argument(name, "be TRUE or FALSE", x)
  as.logical(x)
}

check_string <- function(x, name) {
  valid <- is.character(x) && length(x) == 1 && !is.na(x) && nzchar(x)
  if (!valid) stop_argument(name, "be one non-empty string", x)
  if (!validEnc(x)) stop_argument(name, "be a string of characters of its encoding", x)
  as.character(x)
}

# One of the given strings, or a unique abbreviation
# The whole vector of choices, the usual default, means the first.
check_choice <- function(x, choices, name) {
  if (identical(x, choices)) return(choices[1])
  found <- if (is.character(x) && length(x) == 1) pmatch(x, choices) else NA
  if (is.na(found)) {
    quoted <- encodeString(choices, quote = "\"")
    must <- if (length(choices) == 1) "be" else "be one of"
    stop_argument(name, paste(must, paste(quoted, collapse = ", ")), x)
  }
  choices[found]
}

check_hyper <- function(x, name) {
  if (is_gamma_prior(x)) return(x)
  if (!is_positive(x)) stop_hyper(name, "be one positive number or a gamma_prior()", x)
  as.double(x)
}

check_seed <- function(seed) {
  if (is.null(seed)) return(NULL)
  if (!is_whole(seed)) {
    most <- .Machine$integer.max
    limits <- if (is_scalar_number(seed) && abs(seed) > most) sprintf(" from %d to %d", -most, most)
    stop_argument("seed", paste0("be NULL or one whole number", limits), seed)
  }
  as.integer(seed)
}

# New rows as data of a fit: in its form, with its columns in their order.

# Checks other data and brings them into the form of the data of the fit
check_like <- function(fit, x, name, sparse = FALSE) UseMethod("check_like")

check_newdata <- function(newdata, fit) {
  x <- model_data(fit)
  newdata <- without_others(as_one_row(newdata, fit), colnames(x))
  rows <- check_like(fit, newdata, "newdata")
  if (ncol(rows) != ncol(x)) stop_columns(rows, x, newdata)
  if (is.null(colnames(rows)) || is.null(colnames(x))) return(rows)
  if (identical(colnames(rows), colnames(x))) return(rows)
  check_names(colnames(rows), colnames(x), newdata)
  rows[, colnames(x), drop = FALSE]
}

# Without the columns that the data do not have, where names tell all that they have
without_others <- function(newdata, of_data) {
  more <- length(dim(newdata)) == 2 && ncol(newdata) > length(of_data) && !is.null(of_data)
  names <- colnames(newdata)
  clear <- more && all(nzchar(names)) && !anyDuplicated(of_data) && all(of_data %in% names)
  if (!clear) return(newdata)
  newdata[, of_data, drop = FALSE]
}

# A vector with one number per column is a row of a matrix; new rows of fit_mixed() are a data
# frame, even a single one
as_one_row <- function(newdata, fit) {
  columns <- ncol(model_data(fit))
  numbers <- is.numeric(newdata) || is.logical(newdata)
  if (inherits(fit, "fit_mixed") || !is.null(dim(newdata)) || !numbers) return(newdata)
  if (length(newdata) != columns) {
    must <- "be a numeric matrix or data frame, or one row as a vector of %s"
    stop_argument("newdata", sprintf(must, counted(columns, "number")), newdata)
  }
  matrix(newdata, 1, dimnames = list(NULL, names(newdata)))
}

stop_columns <- function(rows, x, newdata) {
  lost <- if (!is.null(colnames(rows))) setdiff(colnames(x), colnames(rows))
  missing <- if (length(lost) > 0) tell_lost(lost)
  must <- sprintf("have %s, as the data", counted(ncol(x), "column"))
  stop_argument("newdata", paste(c(must, missing), collapse = " "), newdata)
}

# lost: Columns of the data that new rows do not have.
tell_lost <- function(lost) sprintf("(\"%s\" is missing; what is not known is NA)", lost[1])

# TRUE if names can match the columns of `newdata` with the columns of the data
check_names <- function(names, of_data, newdata) {
  if (anyNA(of_data) || !all(nzchar(of_data)) || anyDuplicated(of_data)) {
    must <- "have no column names or exactly those of the data, some of which are missing or equal"
    stop_argument("newdata", must, newdata)
  }
  lost <- setdiff(of_data, names)
  if (length(lost) > 0) {
    stop_argument("newdata", paste("have the columns of the data", tell_lost(lost)), newdata)
  }
}
