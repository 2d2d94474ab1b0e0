# Validators. Each returns its argument in a standard form, or stops with a one-line message that
# names the argument, what it must be and what it is.

# Raises an error of class `buffet_error` that shows the name of the function that the user called
abort <- function(..., class = NULL) {
  stop(errorCondition(paste0(...), class = c(class, "buffet_error"), call = user_call()))
}

# The outermost call of a function of this package, without its arguments. For a method, the name of
# the generic, which dispatch stores in the frame.
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

# Raises an error about an argument in the user's call
abort_argument <- function(...) abort(..., class = "buffet_error_argument")

# name: Name of the argument, without backticks.
# must: The requirement, including its verb: "be one positive number".
# value: The offending value, which is described briefly.
# was: Description of the value, for use when `value` alone does not show the problem.
# cure: What to do instead, if known, preferably as code that can be pasted.
# meant: The suggestion of nearest_name(), if any.
stop_argument <- function(name, must, value, was = describe_value(value), cure = NULL,
                          meant = NULL) {
  if (missing(was)) check_given(value, name)
  then <- if (!is.null(cure)) paste0(": ", cure)
  abort_argument(sprintf("`%s` must %s, not %s", name, must, was), then, ".", meant)
}

# what: Description of the argument, if its name does not suffice.
check_given <- function(x, name, what = NULL) {
  if (missing(x)) abort_argument("`", name, "` must be given", if (!is.null(what)) ": ", what, ".")
}

# The evaluated arguments of the calling fit_*() function, without those in `except`. If evaluating
# one of them fails, for instance because an object does not exist, the error shows the user's call
# by: Name of the caller.
# ...: Further arguments of the caller, all of which are rejected.
# needed: Number of leading arguments that have no default.
fit_arguments <- function(by, ..., except = NULL, needed = 1) {
  if (...length() > 0) check_no_others(by, ...)
  names <- setdiff(names(formals(by)), c("...", except))
  env <- parent.frame()
  for (name in names[seq_len(needed)]) {
    if (eval(call("missing", as.name(name)), env)) abort_argument("`", name, "` must be given.")
  }
  withCallingHandlers(mget(names, env), error = function(e) {
    ours <- rlang::is_call(conditionCall(e), "mget")
    if (ours) stop(simpleError(conditionMessage(e), user_call()))
  })
}

check_no_more <- function(...) {
  if (...length() == 0) return(invisible())
  by <- user_call()
  of <- if (is.null(by)) "this function" else deparse(by)
  stop_extra(c(names(list(...)), "")[1], of, names(formals(sys.function(sys.parent()))))
}

# known: Names of the arguments of the function.
# meant: What to do instead, if known.
stop_extra <- function(name, of, known, meant = nearest_name(name, known)) {
  if (!nzchar(name)) {
    cure <- if (of == "fitted()") " For new rows: `predict(fit, newdata)`."
    abort_argument("An unnamed argument is unused: ", of, " has no more arguments.", cure)
  }
  abort_argument("`", name, "` must be left out: it is not an argument of ", of, ".", meant)
}

nearest_name <- function(name, known, quote = "`") {
  if (is.na(name) || !validEnc(name)) return(NULL)
  known <- setdiff(known, "...")
  apart <- utils::adist(name, known, ignore.case = TRUE) / pmax(nchar(name), nchar(known))
  if (any(apart < 0.4)) sprintf(" Did you mean %2$s%1$s%2$s?", known[which.min(apart)], quote)
}

# What to use in place of arguments that are common in other packages
given_elsewhere <- function(name, known) {
  if (name == "formula") {
    return(sprintf(" Models take no formula: pass the data as `%s`.", known[1]))
  }
  if (name %in% c("data", "x")) return(sprintf(" Pass the data as `%s`.", known[1]))
  nearest_name(name, known)
}

check_no_others <- function(by, ...) {
  name <- c(names(list(...)), "")[1]
  if (name %in% names(formals(method_gibbs))) {
    text <- "`%1$s` must be given to the method: `method = method_gibbs(%1$s = )`."
    abort_argument(sprintf(text, name))
  }
  numbers <- c("n_features", "k", "rank", "factors", "n_factors", "nfactors")
  if (tolower(name) %in% numbers && by != "fit_cascade") stop_number(by, name, ..1)
  known <- names(formals(by))
  stop_extra(name, paste0(by, "()"), known, given_elsewhere(name, known))
}

# Explains how to limit the number of features instead
stop_number <- function(by, name, value) {
  value <- if (is_whole(value)) format(value) else ""
  text <- switch(by,
    fit_nmf = "to `rank`: `rank = %s`",
    fit_topics = "to the method, as an upper limit: `method = method_gibbs(max_features = %s)`",
    "to the prior, as an upper limit: `prior = prior_beta_bernoulli(n_features = %s)`"
  )
  abort_argument("`", name, "` must be given ", sprintf(text, value), ".")
}

describe_value <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (is.data.frame(x)) return(paste("a data frame with", describe_size(x)))
  if (inherits(x, "gamma_prior") && !is_gamma_prior(x)) return("a malformed one")
  if (is.object(x)) return(paste("an object of class", class(x)[1]))
  if (is.environment(x)) return("an environment")
  if (is.call(x)) return("a call")
  if (!is.atomic(x)) return(paste("a", typeof(x)))
  type <- if (is.numeric(x)) "numeric" else typeof(x)
  if (length(dim(x)) > 1) {
    kind <- if (is.matrix(x)) "matrix" else "array"
    return(sprintf("a %s %s %s", paste(dim(x), collapse = " x "), type, kind))
  }
  if (length(x) == 1) return(describe_scalar(x))
  # Lengths beyond the largest integer are doubles.
  sprintf("a %s vector of length %.0f", type, length(x))
}

describe_other_column <- function(values, name) {
  sprintf("the %s column \"%s\"", class(values)[1], name)
}

# Code that converts a column of dates or times to numbers, or NULL for other columns
numbers_of_times <- function(values, column, name) {
  if (!inherits(values, c("Date", "POSIXt", "difftime")) || column == "") return(NULL)
  column <- paste0(name, "$", deparse(as.name(column), backtick = TRUE))
  sprintf("`%1$s <- as.numeric(%1$s)` converts it to numbers", column)
}

describe_scalar <- function(x) {
  if (is.character(x) && !is.na(x)) {
    x <- readable(x)
    text <- if (nchar(x) > 40) paste0(substr(x, 1, 37), "...") else x
    return(encodeString(text, quote = "\""))
  }
  format(unname(x), digits = 15)
}

# Puts a message from another package on one line
one_line <- function(text) gsub("[[:space:]]+", " ", trimws(readable(text)))

# A string in which invalid bytes are shown as <xx>
readable <- function(text) if (validEnc(text)) text else iconv(text, sub = "byte")

check_valid_names <- function(names, name, what) {
  bad <- which(!validEnc(as.character(names)))
  if (length(bad) == 0) return(invisible())
  must <- sprintf("have %s that are valid in their encoding", what)
  stop_argument(name, must, names[bad[1]])
}

check_unique <- function(values, name, must, cure = NULL) {
  again <- anyDuplicated(values)
  if (!again) return(invisible())
  was <- sprintf("%s more than once", describe_scalar(values[again]))
  stop_argument(name, must, was = was, cure = cure)
}

describe_size <- function(x) paste(counted(nrow(x), "row"), "and", counted(ncol(x), "column"))

counted <- function(n, what) sprintf("%.0f %s%s", n, what, ifelse(n == 1, "", "s"))

is_scalar_number <- function(x) !missing(x) && is.numeric(x) && length(x) == 1 && is.finite(x)

is_positive <- function(x) is_scalar_number(x) && x > 0

is_whole <- function(x) is_scalar_number(x) && abs(x) <= .Machine$integer.max && x %% 1 == 0

# ends: Open and closed ends of the range, as "[]", "[)", "(]" or "()".
check_number <- function(x, name, lower = -Inf, upper = Inf, ends = "[]") {
  ends <- strsplit(ends, "")[[1]]
  opens <- ends[1] == "("
  closes <- ends[2] == ")"
  inside <- is_scalar_number(x) &&
    (if (opens) x > lower else x >= lower) && (if (closes) x < upper else x <= upper)
  if (!inside) {
    must <- if (is.finite(lower) && is.finite(upper)) {
      paste0("number in ", ends[1], format(lower), ", ", format(upper), ends[2])
    } else if (is.finite(lower)) {
      paste("number", if (opens) "above" else "of at least", format(lower))
    } else if (is.finite(upper)) {
      paste("number", if (closes) "below" else "of at most", format(upper))
    } else {
      "finite number"
    }
    stop_argument(name, paste("be one", must), x)
  }
  as.double(x)
}

check_positive <- function(x, name) {
  if (!is_positive(x)) stop_argument(name, "be one positive number", x)
  as.double(x)
}

check_count <- function(x, name, lower = 1) {
  if (!(is_whole(x) && x >= lower)) {
    limits <- sprintf("of at least %d", as.integer(lower))
    if (is_scalar_number(x) && x > .Machine$integer.max) {
      limits <- sprintf("from %d to %d", as.integer(lower), .Machine$integer.max)
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
  if (!validEnc(x)) stop_argument(name, "be a string that is valid in its encoding", x)
  as.character(x)
}

# Returns one of the given choices, also if `x` is a unique abbreviation of it
# The whole vector of choices, which is the usual default, selects the first.
check_choice <- function(x, choices, name) {
  if (identical(x, choices)) return(choices[1])
  found <- if (is.character(x) && length(x) == 1) pmatch(x, choices) else NA
  if (is.na(found)) {
    quoted <- encodeString(choices, quote = "\"")
    must <- if (length(choices) == 1) "be" else "be one of"
    meant <- if (is.character(x) && length(x) == 1) nearest_name(x, choices, "\"")
    stop_argument(name, paste(must, paste(quoted, collapse = ", ")), x, meant = meant)
  }
  choices[found]
}

check_hyper <- function(x, name) {
  check_given(x, name)
  if (is_gamma_prior(x)) return(x)
  if (!is_positive(x)) stop_argument(name, "be one positive number or a gamma_prior()", x)
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

# Checks other data, and converts them to the same form as the data of the fit
check_like <- function(fit, x, name, sparse = FALSE) UseMethod("check_like")

# New rows in the same form as the data of a fit, with the same columns in the same order
check_newdata <- function(newdata, fit) {
  x <- model_data(fit)
  names <- colnames(x)
  rows <- check_like(fit, as_rows(newdata, fit), "newdata")
  given <- colnames(rows)
  lost <- if (!is.null(given)) setdiff(names, given)
  if (ncol(rows) != ncol(x)) {
    if (length(lost) > 0) stop_lost("newdata", lost)
    stop_argument("newdata", sprintf("have %s, like the data", counted(ncol(x), "column")), newdata)
  }
  if (is.null(given) || is.null(names) || identical(given, names)) return(rows)
  if (anyNA(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    must <- "have no column names or exactly those of the data, without missing or repeated ones"
    stop_argument("newdata", must, newdata)
  }
  if (length(lost) > 0) stop_lost("newdata", lost)
  rows[, names, drop = FALSE]
}

# A vector with one number per column becomes a matrix with one row. In fit_mixed() new rows must be
# a data frame, even for a single row. Additional columns of a table are dropped if its column names
# identify the columns of the data.
as_rows <- function(newdata, fit) {
  x <- model_data(fit)
  names <- colnames(x)
  if (is.null(dim(newdata))) {
    numbers <- is.numeric(newdata) || is.logical(newdata)
    if (!numbers || inherits(fit, "fit_mixed")) return(newdata)
    if (length(newdata) != ncol(x)) {
      must <- "be a numeric matrix or data frame, or one row as a vector of %s"
      stop_argument("newdata", sprintf(must, counted(ncol(x), "number")), newdata)
    }
    return(matrix(newdata, 1, dimnames = list(NULL, names(newdata))))
  }
  further <- length(dim(newdata)) == 2 && ncol(newdata) > ncol(x) && !is.null(names)
  clear <- all(nzchar(colnames(newdata))) && all(names %in% colnames(newdata))
  if (!further || !clear || anyDuplicated(names)) return(newdata)
  newdata[, names, drop = FALSE]
}

cure_of_level <- "set it to NA, or refit to data that have it"

# lost: Columns of the data that are missing from the new rows.
stop_lost <- function(name, lost) {
  shown <- enumerate_some(encodeString(lost, quote = "\""), 5)
  them <- if (length(lost) == 1) "it as a column" else "them as columns"
  text <- "`%s` must have all columns of the data; it lacks %s: add %s of NA."
  abort_argument(sprintf(text, name, shown, them))
}
