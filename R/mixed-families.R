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
  if (length(unknown) > 0) {
    stop_argument("families", "name columns of `data`", unknown[1])
  }
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
