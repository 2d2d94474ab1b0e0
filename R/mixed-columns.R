# nolint start: line_length_linter. Rows of a table cannot be broken.
#' Families of columns
#'
#' In [fit_mixed()] the argument `families` specifies the distribution of each column of a data
#' frame, given its linear predictor eta. By default the family follows from the class and the
#' values of the column. For the families of [fit_factor()], see [factor_families].
#'
#' | family | columns | distribution of an entry |
#' |---|---|---|
#' | `"gaussian"` | numbers | normal with mean eta and a standard deviation for each column |
#' | `"lognormal"` | positive numbers | the logarithm is normal, as above |
#' | `"bernoulli"` | two values | the second value with probability 1 / (1 + exp(-eta)) |
#' | `"ordinal"` | ordered categories | a normal variable with mean eta and variance 1 falls between two cut points (probit) |
#' | `"categorical"` | categories | each has a normal variable with its own eta as mean and variance 1; the category with the largest is observed (multinomial probit) |
#' | `"negative_binomial"` | counts | mean m exp(eta), where m is the mean of the column, and variance mean + mean^2 / size; the size is learned |
#' | `"poisson"` | counts | the negative binomial with size 100 times the mean of the column, so the variance of an average row is 1 % above its mean |
#' | `"binomial(10)"` | counts out of a number of trials (here 10, the same in every row) | binomial with probability 1 / (1 + exp(-eta)) |
#'
#' A column can have at most 60 categories.
#'
#' ## Default families
#' * Logical columns, factors with two levels and whole numbers with two values that differ by at
#'   most 10, such as 0 and 1 or 1 and 2, are `"bernoulli"`.
#' * Other ordered factors are `"ordinal"`, as are whole numbers with a range of at most 10; their
#'   categories are the numbers that occur. Other factors and character columns are `"categorical"`.
#'   If all differences between whole numbers are multiples of the smallest one (10 for 50, 60 and
#'   80) and the numbers occur at least 4 times each on average, both limits of 10 are counted in
#'   such steps.
#' * Other whole numbers are `"negative_binomial"` if they look like counts: none is negative or
#'   above 1e9, the smallest is at most half a standard deviation, the variance is larger than the
#'   mean, and the sample skewness is above 1. Otherwise, as for ages, years and exam marks, they
#'   are `"gaussian"`.
#' * Other numbers are `"lognormal"` if they are all positive, their skewness is above 0.5 and their
#'   logarithms are less skewed. Otherwise they are `"gaussian"`.
#'
#' `print()` shows the family of each column. Messages report the families of columns with whole
#' numbers other than 0 and 1 or at most five distinct numbers; levels that no row has, which are
#' dropped; columns that look like row identifiers; and values that look like codes for missing
#' entries: `""`, or a repeated 99, -9 and the like, far from all other values. A labelled column
#' (package haven) becomes a factor of its labels, as with `haven::as_factor()`, if more than half
#' of its distinct values have labels, and otherwise a column of its values.
#'
#' ## Priors
#' The first cut point of an ordinal column is 0 (without biases it is N(0, 1)), and the gaps
#' between cut points are exponential with mean 1. The logarithm of the size of a negative binomial
#' column is normal with mean 1 and standard deviation 2, and the size stays within \[exp(-7),
#' exp(7)\].
#'
#' @examples
#' # months are numbers, but there are only five of them
#' fit <- fit_mixed(airquality, families = c(Month = "categorical", Day = "gaussian"),
#'   method = method_gibbs(chains = 1, iter = 60), seed = 1
#' )
#' fit
#' @name families
NULL
# nolint end

mixed_families <- c(
  "gaussian", "lognormal", "bernoulli", "ordinal", "categorical", "negative_binomial", "poisson"
)

# The names of binomial families include the number of trials: "binomial(10)"
binomial_size <- function(families) {
  said <- regmatches(families, regexec("^binomial[(]([1-9][0-9]{0,4})[)]$", families))
  vapply(said, function(parts) as.integer(parts[2]), 1L)
}

# of: Name of the argument with the data.
check_families <- function(families, names, of = "data") {
  out <- stats::setNames(vector("list", length(names)), names)
  if (length(families) == 0) return(out)
  if (is.list(families)) {
    wrong <- which(lengths(families) != 1)
    if (length(wrong) > 0) {
      of <- if (!is.null(names(families))) sprintf(" of \"%s\"", names(families)[wrong[1]])
      was <- paste0(lengths(families)[wrong[1]], of)
      stop_argument("families", "have one family per column", was = was)
    }
    families <- unlist(families)
  }
  unknown <- if (is.character(families)) {
    families[!(families %in% mixed_families) & is.na(binomial_size(families))]
  }
  if (!is.character(families) || length(unknown) > 0) {
    all <- paste0("\"", c(mixed_families, "binomial(10)"), "\"", collapse = ", ")
    wrong <- if (is.character(families)) unknown[1] else families
    meant <- if (is.character(families)) nearest_family(wrong)
    must <- sprintf("be among %s (10 is the number of trials)", all)
    stop_argument("families", must, wrong, meant = meant)
  }
  families <- name_families(families, names, of)
  out[names(families)] <- families
  out
}

# Like nearest_name(), but also recognises names that other packages use for families
nearest_family <- function(name) {
  if (name %in% "binomial") return(" \"binomial\" needs the number of trials: \"binomial(10)\".")
  others <- c(
    normal = "gaussian", binary = "bernoulli", logistic = "bernoulli", probit = "ordinal",
    count = "negative_binomial", counts = "negative_binomial"
  )
  if (name %in% names(others)) name <- others[[name]]
  nearest_name(name, mixed_families, "\"")
}

# Families by column: a single family for all columns, or families for the columns that are named
name_families <- function(families, names, of) {
  if (is.null(names(families))) {
    if (length(families) != 1) {
      stop_argument("families", "be one family, or a vector named by columns", families)
    }
    families <- stats::setNames(rep(families, length(names)), names)
  }
  lost <- setdiff(names(families), names)
  if (length(lost) > 0) stop_argument("families", sprintf("name columns of `%s`", of), lost[1])
  again <- anyDuplicated(names(families))
  if (again) {
    was <- sprintf("\"%s\" twice", names(families)[again])
    stop_argument("families", "name each column once", was = was)
  }
  families
}

# Reports the default families of columns that may be codes: columns of whole numbers other than 0
# and 1, and columns of numbers with few distinct values
# chosen: Names of the columns whose families were given.
tell_number_families <- function(columns, data, chosen) {
  told <- vapply(names(columns), function(name) {
    known <- data[[name]][!is.na(data[[name]])]
    !name %in% chosen && is.numeric(known) && !all(known %in% 0:1) &&
      (is_all_whole(known) || length(unique(known)) <= min(5, length(known) / 4))
  }, NA)
  if (!any(told)) return(invisible())
  families <- vapply(columns[told], `[[`, "", "family")
  of_each <- vapply(unique(families), function(family) {
    paste(family, "for", enumerate_some(names(families)[families == family]))
  }, "")
  others <- unlist(Map(other_family, data[names(families)], names(families), families))
  example <- c(names(c(others[families[names(others)] != "gaussian"], others)), NA)[1]
  change <- if (!is.na(example)) {
    name <- deparse(as.name(example), backtick = TRUE)
    one <- sprintf("%s = \"%s\"", name, others[[example]])
    if (length(chosen) == 0) {
      sprintf(" To change one: `families = c(%s)`.", one)
    } else {
      sprintf(" To change one, add it to `families`: %s.", one)
    }
  }
  text <- "Families chosen for columns with whole numbers or few distinct values: "
  message(text, paste(of_each, collapse = "; "), ".", change)
}

# Another family that suits a column of numbers, or NULL
other_family <- function(values, name, family) {
  fits <- function(other) {
    tryCatch(is.list(new_column(values, name, other)), buffet_error = function(e) FALSE)
  }
  Find(fits, setdiff(c("gaussian", "ordinal", "negative_binomial", "lognormal"), family))
}

default_family <- function(values) {
  if (is.logical(values)) return("bernoulli")
  if (is.factor(values)) {
    if (nlevels(values) == 2) return("bernoulli")
    return(if (is.ordered(values)) "ordinal" else "categorical")
  }
  default_of_numbers(values[!is.na(values)])
}

default_of_numbers <- function(known) {
  if (!is_all_whole(known)) {
    # Lognormal columns have positive, skewed numbers whose logarithms are less skewed.
    lognormal <- all(known > 0) && skewness(known) > max(0.5, abs(skewness(log(known))))
    return(if (lognormal) "lognormal" else "gaussian")
  }
  # Shifting or rescaling codes does not change their family.
  if (max(known) - min(known) <= 10 * step_of(known)) {
    return(if (length(unique(known)) == 2) "bernoulli" else "ordinal")
  }
  if (is_like_counts(known)) "negative_binomial" else "gaussian"
}

# The step of whole numbers such as 50, 60, 80. This is their smallest difference if it divides all
# other differences and values occur at least 4 times on average, and otherwise 1.
step_of <- function(known) {
  gaps <- diff(sort(unique(known)))
  if (length(gaps) == 0 || length(gaps) + 1 > length(known) / 4) return(1)
  if (all(gaps %% min(gaps) == 0)) min(gaps) else 1
}

# True for numbers that are overdispersed relative to a Poisson distribution, skewed, and start near
# 0
is_like_counts <- function(known) {
  min(known) >= 0 && max(known) <= most_count && min(known) <= stats::sd(known) / 2 &&
    stats::var(known) > mean(known) && skewness(known) > 1
}

skewness <- function(x) {
  centred <- x - mean(x)
  scale <- sqrt(mean(centred^2))
  if (isTRUE(scale > 0)) mean((centred / scale)^3) else 0
}

# given: The values as in the data: with unused levels, and characters not converted to factors.
# Returns list(name, family, kind, levels, all_levels, size, whole, range, center, scale): `kind`,
# the class of observed and predicted values; `levels`, the categories; `all_levels`, the levels of
# a factor, including unused ones; `size`, the number of binomial trials; `whole`, TRUE if all
# observed values are whole numbers; `range`, the range of whole numbers.
new_column <- function(values, name, family, given = values) {
  family <- family %||% default_family(values)
  size <- binomial_size(family)
  if (!is.na(size)) family <- "binomial"
  kinds <- c("ordered", "factor", "character", "logical", "integer", "numeric")
  is <- list(is.ordered, is.factor, is.character, is.logical, is.integer, is.numeric)
  levels <- if (family != "binomial") {
    if (is.factor(values)) {
      levels(values)
    } else if (is.logical(values)) {
      c(FALSE, TRUE)
    } else if (family %in% c("bernoulli", "ordinal", "categorical")) {
      sort(unique(values[!is.na(values)]))
    }
  }
  whole <- is.null(levels) && is.numeric(values) && is_all_whole(values)
  column <- list(
    name = name, family = family, kind = kinds[vapply(is, function(of) of(given), NA)][1],
    levels = levels, all_levels = levels(given), size = size, whole = whole
  )
  if (whole) column$range <- range(values, na.rm = TRUE)
  check_family(column, values)
  if (family %in% c("gaussian", "lognormal")) {
    if (family == "lognormal") values <- log(values)
    column$center <- mean(values, na.rm = TRUE)
    column$scale <- stats::sd(values, na.rm = TRUE)
    if (!isTRUE(column$scale > 1e-100)) {
      abort_argument(
        sprintf("`data` must vary by more than 1e-100 in the column \"%s\": ", name),
        "multiply it by a constant, or leave it out."
      )
    }
  }
  if (family %in% c("negative_binomial", "poisson")) {
    column$center <- log(mean(values, na.rm = TRUE))
  }
  column
}

is_all_whole <- function(values) all(values == round(values), na.rm = TRUE)

most_count <- 1e9

is_count <- function(column) column$family %in% c("negative_binomial", "poisson", "binomial")

check_family <- function(column, values, name = "data") {
  known <- values[!is.na(values)]
  if (length(known) == 0) return(invisible())
  is_number <- is_count(column) || column$family %in% c("gaussian", "lognormal")
  broken <- if (is_number) broken_by_numbers(column, known) else broken_by_categories(column, known)
  if (is.null(broken)) return(invisible())
  must <- sprintf("%s in the column \"%s\", which is \"%s\"", broken[1], column$name, column$family)
  many <- length(column$levels) > 60 && name == "data"
  cure <- if (many) {
    numbers <- suppressWarnings(as.numeric(as.character(column$levels)))
    if (anyNA(numbers) || is_all_whole(numbers)) {
      sprintf("`%s` leaves it out", without_columns(column$name))
    } else {
      "its categories are numbers: convert it by as.numeric(as.character())"
    }
  }
  stop_argument(name, must, was = broken[2], cure = cure)
}

# The requirement of a family that the observed values violate and what they are, or NULL
broken_by_numbers <- function(column, known) {
  if (!is.numeric(known)) return(c("have numbers", describe_values(known)))
  broken <- function(must, wrong) if (any(wrong)) c(must, format(known[wrong][1], digits = 4))
  if (column$family == "lognormal") return(broken("have positive numbers", known <= 0))
  if (!is_count(column)) return(NULL)
  broken("have whole numbers of at least 0", known < 0 | known != round(known)) %||%
    broken("have counts of at most 1e9", known > most_count) %||%
    if (!is.na(column$size)) {
      broken(sprintf("have values of at most %d", column$size), known > column$size)
    }
}

broken_by_categories <- function(column, known) {
  n <- length(unique(known))
  if (column$family == "bernoulli") {
    return(if (length(column$levels) != 2) c("have two values", describe_values(known)))
  }
  # Measurements are not accepted as categories.
  if (is.numeric(known) && !is_all_whole(known) && n > max(10, length(known) / 2)) {
    return(c("have values that repeat", sprintf("%d numbers of which %d differ", length(known), n)))
  }
  if (length(column$levels) > 60) c("have at most 60 categories", length(column$levels))
}

describe_values <- function(known) {
  if (is.factor(known)) return(sprintf("a factor of %d levels", nlevels(known)))
  if (!is.numeric(known)) return(sprintf("of class %s", class(known)[1]))
  ends <- unique(format(range(known), trim = TRUE, digits = 4))
  if (length(ends) == 1) ends else sprintf("numbers from %s to %s", ends[1], ends[2])
}

code_column <- function(column, values, name) {
  if (is_count(column)) return(as.double(values))
  if (column$family %in% c("gaussian", "lognormal")) {
    values <- as.double(values)
    if (column$family == "lognormal") values <- log(values)
    return((values - column$center) / column$scale)
  }
  numbers <- is.numeric(column$levels) && is.numeric(values)
  code <- if (numbers) match(values, column$levels) else match(paste(values), paste(column$levels))
  # A level that is NA counts as missing.
  missing <- is.na(as.character(values))
  code[missing] <- NA
  unknown <- which(is.na(code) & !missing)
  if (length(unknown) > 0) {
    must <- sprintf("have the categories of the data in the column \"%s\"", column$name)
    stop_argument(name, must, as.character(values[unknown[1]]), cure = cure_of_level)
  }
  code - 1
}

decode_column <- function(column, code) {
  if (is_count(column)) return(code)
  if (column$family == "gaussian") return(column$center + column$scale * code)
  if (column$family == "lognormal") return(exp(column$center + column$scale * code))
  values <- column$levels[code + 1]
  if (!column$kind %in% c("ordered", "factor")) return(values)
  factor(values, column$all_levels, exclude = NULL, ordered = column$kind == "ordered")
}

# Categories as numbers: their own values, or 1, 2, ... if they are not numbers
category_numbers <- function(column, code) {
  if (!is.numeric(column$levels)) return(code + 1)
  replace(code, seq_along(code), column$levels[code + 1])
}

# Decodes drawn values. If all observed values are whole numbers, draws are rounded and, unless they
# are counts, kept within the observed range.
draw_column <- function(column, code) {
  values <- decode_column(column, code)
  if (!column$whole) return(values)
  if (!is_count(column)) values <- keep_in_range(round(values), column$range)
  if (column$kind != "integer") return(values)
  as.integer(pmin(values, .Machine$integer.max))
}

keep_in_range <- function(values, range) pmin(pmax(values, range[1]), range[2])

# Expected values of a column: means, or the most probable categories
expect_column <- function(column, response) {
  switch(column$family,
    gaussian = , lognormal = decode_column(column, response[, 1]),
    bernoulli = decode_column(column, as.integer(response[, 1] > 0.5)),
    ordinal = , categorical = decode_column(column, max.col(response, "first") - 1L),
    response[, 1]
  )
}

# Matrix of probabilities, rows x categories, or NULL for numbers
category_probabilities <- function(column, response) {
  if (column$family == "bernoulli") response <- cbind(1 - response, response)
  if (is.null(column$levels)) return(NULL)
  colnames(response) <- column$levels
  response
}

response_width <- function(column) {
  if (column$family %in% c("ordinal", "categorical")) length(column$levels) else 1L
}

predictor_names <- function(column) {
  if (column$family != "categorical") return(column$name)
  paste(column$name, column$levels, sep = ": ")
}

# Log density of the codes minus log density of the values
log_jacobian <- function(column, code) {
  switch(column$family,
    gaussian = rep(log(column$scale), length(code)),
    lognormal = log(column$scale) + column$center + column$scale * code, rep(0, length(code))
  )
}

# scale: Standard deviation of the first threshold of ordinal columns, and mean of the gaps.
core_families <- function(columns, sigma_x, bias, scale = 1) {
  unname(lapply(columns, function(column) {
    switch(column$family,
      gaussian = , lognormal = list(family = "normal", precision = precision_spec(sigma_x)),
      bernoulli = list(family = "binomial", size = 1L),
      binomial = list(family = "binomial", size = column$size),
      ordinal = list(
        family = "ordinal", categories = length(column$levels), anchored = bias, scale = scale
      ),
      categorical = list(family = "categorical", categories = length(column$levels)),
      negative_binomial = list(family = "negative_binomial", offset = column$center),
      poisson = list(family = "poisson", offset = column$center, size = poisson_size(column))
    )
  }))
}

poisson_size <- function(column) 100 * exp(column$center)
