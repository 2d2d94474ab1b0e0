# Labelled columns, as haven reads them from SPSS, Stata and SAS. They are read by their attributes,
# so haven need not be installed.

is_labelled <- function(x) inherits(x, c("haven_labelled", "labelled"))

# Which entries are missing: NA, tagged NA, and values that `na_values` or `na_range` declare
# missing, as with is.na() when haven is loaded
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

# True if more than half of the distinct values have labels. Numbers of which only a few have
# labels, such as the ends of a scale, stay numbers.
is_mostly_labelled <- function(x) {
  known <- unique(as.vector(unclass(x))[!is_declared_missing(x)])
  length(known) > 0 && mean(known %in% attr(x, "labels")) > 0.5
}

# Labelled columns as factors or plain values, with a message

# as_factors: Names of columns to become factors; NULL: those that are mostly labelled.
read_labelled_columns <- function(data, name, as_factors = NULL) {
  labelled <- names(data)[vapply(data, is_labelled, NA)]
  if (length(labelled) == 0) return(data)
  data <- own_frame(data)
  as_factors <- as_factors %||% Filter(function(j) is_mostly_labelled(data[[j]]), labelled)
  data[labelled] <- Map(read_labelled, data[labelled], labelled %in% as_factors)
  tell_labelled(intersect(labelled, as_factors), setdiff(labelled, as_factors), name)
  data
}

tell_labelled <- function(factors, numbers, name) {
  of_each <- c(
    if (length(factors) > 0) paste(enumerate_some(factors), "as factors of their labels"),
    if (length(numbers) > 0) paste(enumerate_some(numbers), "as values without labels")
  )
  message(sprintf("Reading labelled columns of `%s`: %s.", name, paste(of_each, collapse = "; ")))
}
