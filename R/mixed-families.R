# Names of the families of columns of fit_mixed().

#' Families of columns, by what is learned of them
#' @noRd
mixed_families <- c(
  "gaussian", "lognormal", "bernoulli", "ordinal", "categorical", "negative_binomial", "poisson"
)

#' Is a family known? Binomial ones have how many there are of in their names: "binomial(10)"
#' @noRd
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

#' Stop where families do not say of which columns they are, each once
#' @noRd
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

#' A list of families as a vector
#' @noRd
one_each <- function(families) {
  wrong <- which(lengths(families) != 1)
  if (length(wrong) > 0) {
    of <- if (!is.null(names(families))) sprintf(" of \"%s\"", names(families)[wrong[1]]) else ""
    was <- paste0(lengths(families)[wrong[1]], of)
    stop_argument("families", "have one family per column", was = was)
  }
  unlist(families)
}

#' Numbers that are few may be codes of categories, of which nothing tells
#' @param columns With their families; chosen: those that were given one.
#' @noRd
tell_few_numbers <- function(columns, x, chosen) {
  few <- vapply(names(columns), function(name) {
    known <- x[!is.na(x[, name]), name]
    columns[[name]]$family %in% c("gaussian", "lognormal") && !name %in% chosen &&
      length(unique(known)) <= min(5, length(known) / 4)
  }, NA)
  if (!any(few)) return(invisible())
  told <- paste0(names(columns)[few], " (", vapply(columns[few], `[[`, "", "family"), ")")
  message(
    "Treating columns with at most five distinct numbers as numeric: ",
    paste(told, collapse = ", "),
    ". If the numbers are codes, make the columns logical, factor or ordered, or set `families`."
  )
}

#' What is known of a column by its class: see fit_mixed()
#' @noRd
default_family <- function(values) {
  if (is.logical(values)) return("bernoulli")
  if (is.factor(values)) return(default_of_factor(values))
  default_of_numbers(values[!is.na(values)])
}

default_of_factor <- function(values) {
  if (nlevels(values) == 2) return("bernoulli")
  if (is.ordered(values)) "ordinal" else "categorical"
}

default_of_numbers <- function(known) {
  if (all(known %in% 0:1)) return("bernoulli")
  whole <- all(known >= 0) && is_all_whole(known)
  few <- max(known) <= most_count && (min(known) == 0 || mean(known) < 20)
  if (whole && few && stats::var(known) > mean(known)) return("negative_binomial")
  if (all(known > 0)) "lognormal" else "gaussian"
}
