mixed_families <- c(
  "gaussian", "lognormal", "bernoulli", "ordinal", "categorical", "negative_binomial", "poisson"
)

# Binomial families have the number of trials in their names: "binomial(10)"
is_family <- function(families) families %in% mixed_families | !is.na(binomial_size(families))

binomial_size <- function(families) {
  said <- regmatches(families, regexec("^binomial[(]([1-9][0-9]{0,4})[)]$", families))
  vapply(said, function(parts) as.integer(parts[2]), 1L)
}

check_families <- function(families, names) {
  if (length(families) == 0) return(stats::setNames(vector("list", length(names)), names))
  if (is.list(families)) families <- one_each(families)
  if (!is.character(families) || anyNA(families) || !all(is_family(families))) {
    known <- paste0("\"", c(mixed_families, "binomial(10)"), "\"", collapse = ", ")
    wrong <- if (is.character(families)) families[!is_family(families)][1] else families
    stop_argument("families", sprintf("be among %s (10: of how many)", known), wrong)
  }
  if (is.null(names(families)) && length(families) == 1) {
    return(stats::setNames(rep(as.list(families), length(names)), names))
  }
  check_family_names(families, names)
  out <- stats::setNames(vector("list", length(names)), names)
  out[names(families)] <- families
  out
}

check_family_names <- function(families, names) {
  if (is.null(names(families))) {
    stop_argument("families", "be one family, or several by the names of columns", families)
  }
  unknown <- setdiff(names(families), names)
  if (length(unknown) > 0) stop_argument("families", "name columns of `data`", unknown[1])
  if (anyDuplicated(names(families))) {
    again <- names(families)[anyDuplicated(names(families))]
    stop_argument("families", "name each column once", was = sprintf("\"%s\" twice", again))
  }
}

one_each <- function(families) {
  wrong <- which(lengths(families) != 1)
  if (length(wrong) > 0) {
    of <- if (!is.null(names(families))) sprintf(" of \"%s\"", names(families)[wrong[1]]) else ""
    was <- paste0(lengths(families)[wrong[1]], of)
    stop_argument("families", "have one family per column", was = was)
  }
  unlist(families)
}

# Reports the default families of columns that may be codes: whole numbers other than 0 and 1, and
# numbers with few values
# chosen: Names of the columns whose families were given.
tell_number_families <- function(columns, data, chosen) {
  told <- vapply(names(columns), function(name) {
    !name %in% chosen && may_be_codes(data[[name]][!is.na(data[[name]])])
  }, NA)
  if (!any(told)) return(invisible())
  families <- vapply(columns[told], `[[`, "", "family")
  of_each <- vapply(unique(families), function(family) {
    paste(family, "for", enumerate_some(names(families)[families == family]))
  }, "")
  example <- c(names(families)[families != "gaussian"], names(families))[1]
  other <- if (families[[example]] == "gaussian") "ordinal" else "gaussian"
  message(sprintf(
    "Families of columns with whole or few numbers: %s. To change one: `families = c(%s = \"%s\")`.",
    paste(of_each, collapse = "; "), deparse(as.name(example), backtick = TRUE), other
  ))
}

may_be_codes <- function(known) {
  if (!is.numeric(known) || all(known %in% 0:1)) return(FALSE)
  is_all_whole(known) || length(unique(known)) <= min(5, length(known) / 4)
}

enumerate_some <- function(names, most = 8) {
  more <- length(names) - most
  if (more > 1) names <- c(utils::head(names, most), sprintf("%d more", more))
  paste(names, collapse = ", ")
}

default_family <- function(values) {
  if (is.logical(values)) return("bernoulli")
  if (is.factor(values)) return(default_of_factor(values))
  default_of_numbers(values[!is.na(values)])
}

default_of_factor <- function(values) {
  if (nlevels(values) == 2) return("bernoulli")
  if (is.ordered(values)) "ordinal" else "categorical"
}

# Adding a constant to codes does not change their family.
default_of_numbers <- function(known) {
  if (!is_all_whole(known)) return(if (is_like_lognormal(known)) "lognormal" else "gaussian")
  if (max(known) - min(known) <= 10) {
    return(if (length(unique(known)) == 2) "bernoulli" else "ordinal")
  }
  if (is_like_counts(known)) "negative_binomial" else "gaussian"
}

# True if numbers are positive and skewed, and their logarithms less so
is_like_lognormal <- function(known) {
  all(known > 0) && skewness(known) > max(0.5, abs(skewness(log(known))))
}

# True if whole numbers look like counts: more variable than a Poisson variable, skewed, and
# starting near 0
is_like_counts <- function(known) {
  min(known) >= 0 && max(known) <= most_count && min(known) <= stats::sd(known) / 2 &&
    stats::var(known) > mean(known) && skewness(known) > 1
}

skewness <- function(x) {
  centred <- x - mean(x)
  scale <- sqrt(mean(centred^2))
  if (isTRUE(scale > 0)) mean((centred / scale)^3) else 0
}

# Columns of data frames for fit_mixed(): the family of a column codes values as numbers for the
# core and decodes them.

# families: From check_families().
# Returns A list of objects of classes `"<family>_column"` and `"mixed_column"`: list(name, family,
#   kind, levels, size, whole, range, center, scale), `kind` the class of the values, `levels` of
#   categories, `size` of how many binomial counts are, `whole`: were all that was observed whole
#   numbers?, and `range` of whole numbers.
mixed_columns <- function(data, families) Map(new_column, data, names(data), families[names(data)])

new_column <- function(values, name, family) {
  family <- family %||% default_family(values)
  size <- binomial_size(family)
  if (!is.na(size)) family <- "binomial"
  column <- list(
    name = name, family = family, kind = kind_of(values),
    levels = if (family != "binomial") category_levels(values, family), size = size
  )
  column$whole <- is.null(column$levels) && is.numeric(values) && is_all_whole(values)
  if (column$whole) column$range <- range(values, na.rm = TRUE)
  of_counts <- if (is_count(column)) "count_column"
  class(column) <- c(paste0(family, "_column"), of_counts, "mixed_column")
  check_family(column, values)
  fit_column(column, values)
}

is_all_whole <- function(values) all(values == round(values), na.rm = TRUE)

most_count <- 1e9

is_count <- function(column) column$family %in% c("negative_binomial", "poisson", "binomial")

family_label <- function(column) {
  if (column$family == "binomial") sprintf("binomial(%d)", column$size) else column$family
}

# The class of the values of a column, also of predicted values
kind_of <- function(values) {
  kinds <- c("ordered", "factor", "logical", "integer", "numeric")
  is <- list(is.ordered, is.factor, is.logical, is.integer, is.numeric)
  kinds[vapply(is, function(of) of(values), NA)][1]
}

category_levels <- function(values, family) {
  if (is.factor(values)) return(levels(values))
  if (is.logical(values)) return(c(FALSE, TRUE))
  if (family %in% c("bernoulli", "ordinal", "categorical")) sort(unique(values[!is.na(values)]))
}

check_family <- function(column, values, name = "data") {
  known <- values[!is.na(values)]
  if (length(known) == 0) return(invisible())
  of_numbers <- column$family %in% c("gaussian", "lognormal") || is_count(column)
  must <- if (of_numbers) must_of_numbers(column, known) else must_of_categories(column)
  if (is.null(must)) return(invisible())
  must <- sprintf("%s in the column \"%s\", which is \"%s\"", must, column$name, column$family)
  stop_argument(name, must, was = describe_column(values))
}

# The requirement of a family that known values violate, or NULL
must_of_numbers <- function(column, known) {
  if (!is.numeric(known)) return("have numbers")
  if (column$family == "lognormal" && !all(known > 0)) return("have positive numbers")
  if (is_count(column)) must_of_counts(column, known)
}

must_of_counts <- function(column, known) {
  if (!all(known >= 0) || !is_all_whole(known)) return("have whole numbers of at least 0")
  if (any(known > most_count)) return("have counts of at most 1e9")
  too_many <- column$family == "binomial" && any(known > column$size)
  if (too_many) sprintf("have at most %d", column$size)
}

must_of_categories <- function(column) {
  if (column$family == "bernoulli") {
    if (length(column$levels) != 2) return("have two values")
  } else if (length(column$levels) > 60) {
    return("have at most 60 categories")
  }
}

describe_column <- function(values) {
  if (is.factor(values)) return(sprintf("a factor of %d levels", nlevels(values)))
  if (!is.numeric(values)) return(sprintf("of class %s", class(values)[1]))
  range <- format(range(values, na.rm = TRUE), trim = TRUE, digits = 4)
  sprintf("numbers from %s to %s", range[1], range[2])
}

fit_column <- function(column, values) UseMethod("fit_column")

#' @exportS3Method
fit_column.mixed_column <- function(column, values) column

#' @exportS3Method
fit_column.gaussian_column <- function(column, values) {
  column$center <- mean(values, na.rm = TRUE)
  column$scale <- stats::sd(values, na.rm = TRUE)
  if (!isTRUE(column$scale > 1e-100)) {
    must <- sprintf("vary in the column \"%s\" by more than 1e-100", column$name)
    stop_argument("data", must, was = "less")
  }
  column
}

#' @exportS3Method
fit_column.lognormal_column <- function(column, values) {
  fit_column.gaussian_column(column, log(values))
}

#' @exportS3Method
fit_column.count_column <- function(column, values) {
  if (column$family != "binomial") column$center <- log(mean(values, na.rm = TRUE))
  column
}

code_column <- function(column, values, name) UseMethod("code_column")

#' @exportS3Method
code_column.mixed_column <- function(column, values, name) {
  numbers <- is.numeric(column$levels) && is.numeric(values)
  code <- if (numbers) match(values, column$levels) else match(paste(values), paste(column$levels))
  # A level NA counts as missing.
  missing <- is.na(as.character(values))
  code[missing] <- NA
  unknown <- which(is.na(code) & !missing)
  if (length(unknown) > 0) {
    must <- sprintf("have the categories of the data in the column \"%s\"", column$name)
    stop_argument(name, must, as.character(values[unknown[1]]))
  }
  code - 1
}

#' @exportS3Method
code_column.gaussian_column <- function(column, values, name) {
  (as.double(values) - column$center) / column$scale
}

#' @exportS3Method
code_column.lognormal_column <- function(column, values, name) {
  (log(as.double(values)) - column$center) / column$scale
}

#' @exportS3Method
code_column.count_column <- function(column, values, name) as.double(values)

decode_column <- function(column, code) UseMethod("decode_column")

#' @exportS3Method
decode_column.mixed_column <- function(column, code) {
  values <- column$levels[code + 1]
  switch(column$kind,
    ordered = factor(values, column$levels, ordered = TRUE), factor = factor(values, column$levels),
    values
  )
}

#' @exportS3Method
decode_column.gaussian_column <- function(column, code) column$center + column$scale * code

#' @exportS3Method
decode_column.lognormal_column <- function(column, code) exp(column$center + column$scale * code)

#' @exportS3Method
decode_column.count_column <- function(column, code) code

# Categories as numbers: their own, or 1, 2, ... if they are not numbers
category_numbers <- function(column, code) {
  if (!is.numeric(column$levels)) return(code + 1)
  replace(code, seq_along(code), column$levels[code + 1])
}

# Values that were drawn: if all observed numbers are whole, whole numbers, which stay within the
# observed range unless they are counts
draw_column <- function(column, code) {
  values <- decode_column(column, code)
  if (!column$whole) return(values)
  if (!is_count(column)) values <- keep_in_range(column, round(values))
  if (column$kind != "integer") return(values)
  as.integer(pmin(values, .Machine$integer.max))
}

keep_in_range <- function(column, values) pmin(pmax(values, column$range[1]), column$range[2])

# Expected values of a column: means, or the most probable category
expect_column <- function(column, response) UseMethod("expect_column")

#' @exportS3Method
expect_column.mixed_column <- function(column, response) response[, 1]

#' @exportS3Method
expect_column.gaussian_column <- function(column, response) decode_column(column, response[, 1])

#' @exportS3Method
expect_column.lognormal_column <- function(column, response) decode_column(column, response[, 1])

#' @exportS3Method
expect_column.bernoulli_column <- function(column, response) {
  decode_column(column, as.integer(response[, 1] > 0.5))
}

#' @exportS3Method
expect_column.ordinal_column <- function(column, response) {
  decode_column(column, max.col(response, "first") - 1L)
}

#' @exportS3Method
expect_column.categorical_column <- expect_column.ordinal_column

# Rows x categories; NULL for numbers
category_probabilities <- function(column, response) {
  if (column$family == "bernoulli") response <- cbind(1 - response, response)
  if (is.null(column$levels)) return(NULL)
  colnames(response) <- column$levels
  response
}

# Number of expected values of a column in the core
response_width <- function(column) {
  if (column$family %in% c("ordinal", "categorical")) length(column$levels) else 1L
}

predictor_names <- function(column) {
  if (column$family != "categorical") return(column$name)
  paste(column$name, column$levels, sep = ": ")
}

# Log density of codes minus log density of values
log_jacobian <- function(column, code) {
  switch(column$family,
    gaussian = rep(log(column$scale), length(code)),
    lognormal = log(column$scale) + column$center + column$scale * code, rep(0, length(code))
  )
}

core_families <- function(columns, sigma_x, bias) {
  unname(lapply(columns, core_family, sigma_x, bias))
}

core_family <- function(column, sigma_x, bias) {
  precision <- precision_spec(sigma_x)
  switch(column$family,
    gaussian = , lognormal = list(family = "normal", precision = precision),
    bernoulli = list(family = "binomial", size = 1L),
    binomial = list(family = "binomial", size = column$size),
    ordinal = list(family = "ordinal", categories = length(column$levels), anchored = bias),
    categorical = list(family = "categorical", categories = length(column$levels)),
    negative_binomial = list(family = "negative_binomial", offset = column$center),
    poisson = list(family = "poisson", offset = column$center, size = poisson_size(column))
  )
}

poisson_size <- function(column) 100 * exp(column$center)
