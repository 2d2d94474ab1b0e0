# Columns of fit_factor() that are not plain numbers: their families, their codes, and their
# specifications for the core.

# The columns of a data frame, or NULL if all of them are numbers and no families are given.
# Returns list(x, ordinal, others, predictors, frame):
# x: Numeric matrix, in which categories that are not numbers are coded as 1, 2, ...
# ordinal: By name, list(column, family, levels, codes) for each ordinal column, with codes from 0;
# NULL if there are no ordinal columns.
# others: The same list for each column of unordered categories. For each column of counts and each
# lognormal column, list(column, family, size), in which `size` is the number of trials; counts also
# have `center`, the log of the mean. NULL if there are no such columns.
# predictors: list(columns, names), the column and the name of each linear predictor. An unordered
# category has its own linear predictor. If there are unordered categories, every column has `at`,
# the positions of its linear predictors among all linear predictors.
# frame: The data frame as given, with labelled columns converted.
factor_items <- function(x, families) {
  if (inherits(families, "formula")) {
    cure <- "models take no formula, pass the data as `x`"
    stop_argument("families", "be the families of columns", was = "a formula", cure = cure)
  }
  is_matrix <- !is.data.frame(x)
  if (is_matrix && is.null(families)) {
    if (is.character(x)) {
      cure <- "`as.data.frame(, stringsAsFactors = TRUE)`, and order the levels of each column"
      stop_argument("x", "be numeric", was = "a matrix of strings", cure = cure)
    }
    if (is.logical(x)) {
      message("A logical matrix is modelled as numeric: `families = \"bernoulli\"` is for yes/no.")
    }
    return(NULL)
  }
  unnamed <- is_matrix && is.null(colnames(x))
  if (is_matrix) x <- as.data.frame(check_data_matrix(x))
  if (nrow(x) == 1) stop_argument("x", "have at least two rows", was = "one row")
  only_numbers <- all(vapply(x, is.numeric, NA))
  if (is.null(families) && only_numbers) {
    check_column_names(names(x), "x")
    tell_few_numbers(x)
    tell_missing_codes(Filter(Negate(is_labelled), as.list(x)), "x")
    return(NULL)
  }
  check_frame(x, "x")
  labelled <- names(x)[vapply(x, is_labelled, NA)]
  x <- own_frame(read_labelled_columns(x, "x"))
  frame <- if (!is_matrix) x
  x[vapply(x, function(values) all(is.na(values)), NA)] <- NA_real_
  tell_missing_codes(x, "x", is_matrix)
  if (!unnamed) tell_identifiers(x, names(families), "x")
  for (name in names(x)) check_column_numbers(x[[name]], name, "x")
  x <- drop_unused_levels(x)
  given <- families
  families <- check_given_families(families, names(x))
  x <- order_by_value(x, families, labelled)
  check_ordered(x, families, labelled)
  tell_unordered(x, families, labelled)
  families <- choose_item_families(families, x, only_numbers)
  columns <- Map(item_column, x, names(x), families, seq_along(x))
  tell_many_categories(columns)
  tell_not_whole(x[families == "ordinal"])
  predictors <- if (any(families == "categorical")) {
    names <- unlist(lapply(columns, predictor_names), use.names = FALSE)
    if (anyDuplicated(names) > 0) {
      must <- "have no column with the name of a category of another column"
      was <- sprintf("a column \"%s\"", names[duplicated(names)][1])
      stop_argument("x", must, was = was, cure = "rename it")
    }
    list(columns = rep(seq_along(x), widths(columns)), names = names)
  }
  if (!is.null(predictors)) {
    at <- split(seq_along(predictors$columns), predictors$columns)
    columns <- Map(function(of, at) c(of, list(at = at)), columns, at)
  }
  is_ordinal <- families == "ordinal"
  tell_families(columns, x, given)
  ordinal <- columns[is_ordinal]
  coded <- is_ordinal | families == "categorical"
  x[coded] <- lapply(columns[coded], function(of) category_values(of)[of$codes + 1L])
  x <- check_observed(check_data_matrix(x))
  if (unnamed) colnames(x) <- NULL
  others <- columns[!families %in% c("ordinal", "gaussian")]
  list(
    x = x, ordinal = if (length(ordinal) > 0) ordinal, others = if (length(others) > 0) others,
    predictors = predictors, frame = frame
  )
}

# The number of linear predictors of each column, and the positions of a column's linear predictors
widths <- function(columns) lengths(lapply(columns, predictor_names))
places <- function(of) of$at %||% of$column

# Reports the families of columns of whole numbers that were not given
tell_families <- function(columns, x, given) {
  chosen <- if (is.null(names(given)) && length(given) > 0) names(x) else names(given)
  tell_number_families(columns, x, chosen)
}

tell_few_numbers <- function(x) {
  few <- vapply(x, function(values) {
    known <- values[!is.na(values)]
    length(known) > 0 && is_all_whole(known) && diff(range(known)) %in% 1:9
  }, NA)
  if (!any(few)) return(invisible())
  name <- deparse(as.name(names(x)[few][1]), backtick = TRUE)
  given <- if (all(few)) "\"ordinal\"" else sprintf("c(%s = \"ordinal\")", name)
  message(
    "Columns with few distinct whole numbers are modelled as numeric: ",
    enumerate_some(names(x)[few]), ". If they are ordered or yes/no: `families = ", given, "`."
  )
}

# Reports columns with so many unordered categories that sweeps are slow
tell_many_categories <- function(columns) {
  many <- Filter(function(of) of$family == "categorical" && length(of$levels) > 20, columns)
  if (length(many) == 0) return(invisible())
  counts <- sprintf("%s (%d)", names(many), lengths(lapply(many, `[[`, "levels")))
  message(
    "Every unordered category has its own loadings, so many categories are slow: ",
    enumerate_some(counts), ". `", without_columns(names(many)[1], "x"), "` leaves one column out."
  )
}

# Reports ordinal columns of whole numbers with a few other numbers, such as imputed values
tell_not_whole <- function(ordinal) {
  strays <- vapply(ordinal, function(values) {
    if (!is.numeric(values)) return(0)
    is_whole <- values == round(values)
    if (mean(is_whole, na.rm = TRUE) > 0.5) sum(!is_whole, na.rm = TRUE) else 0
  }, 1)
  strays <- strays[strays > 0]
  if (length(strays) == 0) return(invisible())
  message(
    "Ordinal columns with values that are not whole, each of which is a category: ",
    enumerate_some(sprintf("%s (%.0f)", names(strays), strays)), "."
  )
}

check_given_families <- function(families, names) {
  swapped <- intersect(families, c("loadings", "factors"))
  if (length(swapped) > 0) {
    cure <- sprintf("`sparse = \"%s\"` is another argument", swapped[[1]])
    stop_argument("families", "be the families of columns", swapped[[1]], cure = cure)
  }
  check_families(families, names, "x")
}

is_unordered <- function(values) {
  text <- is.factor(values) && !is.ordered(values) || is.character(values)
  text && length(unique(values[!is.na(values)])) > 2
}

# Converts columns whose family is given as ordinal to ordered factors if their categories have
# values: labelled columns, whose levels are in order, and columns whose categories are numbers
# stored as text
order_by_value <- function(x, families, labelled) {
  has_values <- vapply(names(x), function(name) {
    identical(families[[name]], "ordinal") && is_unordered(x[[name]]) &&
      (name %in% labelled || is_of_numbers(x[[name]]))
  }, NA)
  if (!any(has_values)) return(x)
  x[has_values] <- Map(function(values, name) {
    levels <- levels(factor(values))
    if (!name %in% labelled) levels <- levels[order(numbers_of(levels))]
    factor(values, levels, ordered = TRUE)
  }, x[has_values], names(x)[has_values])
  message("Ordering categories by their values, in ", enumerate_some(names(x)[has_values]), ".")
  x
}

numbers_of <- function(text) suppressWarnings(as.numeric(text))

is_of_numbers <- function(values) !anyNA(numbers_of(levels(factor(values))))

check_ordered <- function(x, families, labelled) {
  names <- unordered_names(x, families, "ordinal")
  if (length(names) == 0) return(invisible())
  columns <- enumerate_some(encodeString(names, quote = "\""))
  must <- "have ordered categories in the column%s %s"
  cure <- paste0(describe_ordering(x, names[1], labelled), "; \"categorical\" needs no order")
  stop_argument("x", sprintf(must, if (length(names) > 1) "s" else "", columns),
    was = "unordered ones", cure = cure
  )
}

# Reports columns that are categorical by default, because their categories may be ordered
tell_unordered <- function(x, families, labelled) {
  names <- unordered_names(x, families, NULL)
  if (length(names) == 0) return(invisible())
  message(
    "Categories without an order (family \"categorical\"): ", enumerate_some(names),
    ". If they are ordered: ", describe_ordering(x, names[1], labelled), "."
  )
}

unordered_names <- function(x, families, family) {
  names(x)[vapply(names(x), function(name) {
    identical(families[[name]], family) && is_unordered(x[[name]])
  }, NA)]
}

describe_ordering <- function(x, name, labelled) {
  first <- deparse(as.name(name), backtick = TRUE)
  column <- paste0("x$", first)
  if (name %in% labelled || is_of_numbers(x[[name]])) {
    sprintf("`families = c(%1$s = \"ordinal\")` orders %1$s by its values", first)
  } else if (is.factor(x[[name]])) {
    sprintf("if its levels are in order, `%1$s <- factor(%1$s, ordered = TRUE)`", column)
  } else {
    sprintf("`%1$s <- factor(%1$s, levels = , ordered = TRUE)`, with the levels in order", column)
  }
}

# Chooses the family of each column: the given family, "gaussian" if all columns are numbers, or the
# family that fit_mixed() would choose. Two categories count as ordered.
choose_item_families <- function(given, x, only_numbers = FALSE) {
  vapply(names(x), function(name) {
    values <- x[[name]]
    if (is.character(values)) values <- factor(values)
    family <- given[[name]]
    if (is.null(family)) {
      family <- if (only_numbers || all(is.na(values))) "gaussian" else default_family(values)
    }
    n <- length(unique(values[!is.na(values)]))
    if (family == "bernoulli" && n > 2) {
      must <- sprintf("have two values in the column \"%s\", which is \"bernoulli\"", name)
      stop_argument("x", must, was = as.character(n))
    }
    if (family == "bernoulli" || family == "categorical" && n <= 2) "ordinal" else family
  }, "")
}

item_column <- function(values, name, family, column) {
  size <- binomial_size(family)
  if (!is.na(size)) family <- "binomial"
  of <- list(name = name, column = column, family = family, size = size)
  if (family %in% c("ordinal", "categorical")) return(c(of, item_categories(values, of)))
  check_family(of, values, "x")
  if (!is_count(of)) return(of)
  mean <- mean(values, na.rm = TRUE)
  if (!isTRUE(mean > 0)) {
    must <- sprintf("have a count above 0 in the column \"%s\"", name)
    stop_argument("x", must, was = "zeros only", cure = "leave it out")
  }
  c(of, center = log(mean))
}

item_categories <- function(values, of) {
  of$levels <- if (is.factor(values)) levels(droplevels(values)) else sort(unique(values))
  if (length(of$levels) < 2) {
    must <- "have at least two categories in the column \"%s\", which is \"%s\""
    stop_argument("x", sprintf(must, of$name, of$family),
      was = as.character(length(of$levels)), cure = "leave it out"
    )
  }
  check_family(of, values, "x")
  list(levels = of$levels, codes = item_codes(values, of$levels))
}

item_codes <- function(values, levels) {
  match(if (is.factor(values)) as.character(values) else values, levels) - 1L
}

# Categories as numbers: their own values if they are numeric, 0 and 1 for logical values, and
# otherwise 1, 2, ...
category_values <- function(of) {
  if (is.character(of$levels)) seq_along(of$levels) else as.numeric(of$levels)
}

category_items <- function(model) c(model$ordinal, Filter(has_levels, model$others))

has_levels <- function(of) !is.null(of$levels)

# New data in the same form as the data of a fit, as a numeric matrix
like_items <- function(model, x, name) {
  categories <- category_items(model)
  if (!is.data.frame(x)) {
    x <- as.data.frame(check_data_matrix(x, name))
    categories <- lapply(categories, function(of) list(levels = category_values(of)))
  } else {
    is_text <- vapply(categories, function(of) is.character(of$levels), NA)
    x <- read_labelled_columns(x, name, names(categories)[is_text])
  }
  for (column in intersect(names(categories), names(x))) {
    of <- categories[[column]]
    values <- x[[column]]
    codes <- item_codes(values, of$levels)
    unknown <- which(is.na(codes) & !is.na(values))
    if (length(unknown) > 0) {
      must <- sprintf("have the categories of the data in the column \"%s\"", column)
      stop_argument(name, must, as.character(values[unknown[1]]))
    }
    x[[column]] <- category_values(of)[codes + 1L]
  }
  for (column in setdiff(intersect(names(model$others), names(x)), names(categories))) {
    check_family(model$others[[column]], x[[column]], name)
  }
  check_data_matrix(x, name)
}

# The data of gaussian_data() in the form that the core starts from: the logs of lognormal columns,
# and initial utilities that replace categories (by normal scores) and counts (by logs or logits)
with_utilities <- function(items, center, scale) {
  x <- items$x
  for (of in items$others) x[, of$column] <- first_predictors(of, x[, of$column])
  data <- gaussian_data(x, center, scale)
  data$x <- items$x
  data$predictors <- items$predictors
  start <- widen(data, centred(data))
  for (of in core_items(items)) {
    start[, places(of)] <- if (of$family == "ordinal") {
      normal_scores(of$codes, length(of$levels))
    } else if (of$family == "categorical") {
      vapply(seq_along(of$levels) - 1L, function(c) normal_scores(of$codes == c, 2), of$codes + 0)
    } else {
      x[, of$column] - mean(x[, of$column], na.rm = TRUE)
    }
    data$center[of$column] <- 0
    data$scale[of$column] <- 1
  }
  data$centred <- start
  data
}

# Repeats each column of m once for every linear predictor of the column
widen <- function(data, m) {
  if (is.null(data$predictors)) return(m)
  m <- m[, data$predictors$columns, drop = FALSE]
  colnames(m) <- data$predictors$names
  m
}

normal_scores <- function(codes, size) {
  share <- tabulate(codes + 1L, size) / sum(!is.na(codes))
  stats::qnorm(cumsum(share) - share / 2)[codes + 1L]
}

first_predictors <- function(of, x) {
  if (of$family == "categorical") return(x)
  if (of$family == "lognormal") return(log(x))
  if (of$family == "binomial") return(log((x + 0.5) / (of$size - x + 0.5)))
  log(x + 0.5)
}

# The columns that the core models with a family, in the order of the data
core_items <- function(model) {
  all <- c(model$ordinal, Filter(function(of) of$family != "lognormal", model$others))
  all[order(vapply(all, `[[`, 1L, "column"))]
}

# Converts numbers to the categories in the data frame of a fit
decode_item <- function(of, numbers) {
  values <- of$levels[match(numbers, category_values(of))]
  if (!is.character(values)) return(values)
  factor(values, of$levels, ordered = of$family == "ordinal")
}

# Specifications of the columns with families, for the core
core_item_specs <- function(model, values = TRUE) {
  items <- unname(core_items(model))
  families <- core_families(items, NULL, FALSE, scale_of_thresholds)
  Map(function(of, family) {
    x <- if (values) as.double(of$codes %||% model$data$x[, of$column])
    list(row = places(of)[1] - 1L, values = x, family = family)
  }, items, families)
}

# Prior standard deviation of the first threshold and of the levels of counts, and prior mean of the
# gaps between thresholds
scale_of_thresholds <- 3

# Number of parameters that each column has in a draw
own_sizes <- function(items) {
  vapply(items, function(of) {
    switch(of$family, ordinal = length(of$levels) - 1L, negative_binomial = 1L, 0L)
  }, 1L)
}

# Number of levels that are added to the linear predictors
level_sizes <- function(items) {
  replace(widths(items), vapply(items, function(of) of$family == "ordinal", NA), 0L)
}

n_item_parameters <- function(model) {
  items <- core_items(model)
  sum(own_sizes(items)) + as.integer(sum(level_sizes(items)))
}

# Log Jacobian of the log transformation of lognormal columns
log_unit_of_logs <- function(items) {
  logs <- Filter(function(of) of$family == "lognormal", items$others)
  -sum(vapply(logs, function(of) sum(log(items$x[, of$column]), na.rm = TRUE), 0))
}

# Text such as ", including 1 ordinal, 2 negative_binomial"
describe_item_families <- function(model) {
  families <- vapply(c(model$ordinal, model$others), `[[`, "", "family")
  if (length(families) == 0) return(NULL)
  counts <- table(factor(families, unique(families)))
  if (length(counts) == 1 && counts == ncol(model$data$x)) return(paste(", all", names(counts)))
  paste0(", including ", paste(counts, names(counts), collapse = ", "))
}

item_priors <- function(model) {
  families <- vapply(core_items(model), `[[`, "", "family")
  means <- "N(log(mean), 3^2)"
  rbind(
    if ("ordinal" %in% families) {
      prior_row("thresholds", "first N(0, 3^2), gaps between them Exponential(1 / 3)")
    },
    if (any(c("negative_binomial", "poisson") %in% families)) prior_row("log means", means),
    if ("negative_binomial" %in% families) prior_row("log sizes", "N(1, 2^2)"),
    if ("binomial" %in% families) prior_row("logits", "N(0, 3^2)"),
    if ("categorical" %in% families) prior_row("means of utilities", "N(0, 3^2)")
  )
}
