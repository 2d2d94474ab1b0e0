# What recipes asks of a step_ibp().

#' @exportS3Method recipes::prep
prep.step_ibp <- function(x, training, info = NULL, ...) {
  columns <- unname(recipes::recipes_eval_select(x$terms, training, info))
  if (x$model == "gaussian") check_step_columns(training[columns])
  weighted <- !is.null(recipes::get_case_weights(info, training))
  x["case_weights"] <- list(if (weighted) FALSE)
  x["res"] <- list(if (length(columns) > 0) fit_step(x, as.data.frame(training[columns])))
  x$columns <- columns
  x$trained <- TRUE
  if (length(columns) > 0 && point_size(x$res) == 0) {
    warning("step_ibp() found no feature and leaves the columns as they are.", call. = FALSE)
  }
  x
}

#' Stop because of columns that are no numbers
#' @noRd
check_step_columns <- function(data) {
  other <- which(!vapply(data, is.numeric, NA))
  if (length(other) == 0) return(invisible())
  was <- describe_other_column(data[[other[1]]], names(data)[other[1]])
  must <- "be \"mixed\" in step_ibp() where columns are not all numbers"
  stop_argument("model", must, was = paste("\"gaussian\" for", was))
}

fit_step <- function(step, data) {
  own <- list(verbose = FALSE, scale = if (step$model == "gaussian") TRUE)
  others <- utils::modifyList(Filter(Negate(is.null), own), step$options)
  given <- list(data, prior = step$prior, method = step$method, seed = step$seed)
  do.call(recipe_fits()[[step$model]], c(given, others), quote = TRUE)
}

#' @exportS3Method recipes::bake
bake.step_ibp <- function(object, new_data, ...) {
  recipes::check_new_data(object$columns, object, new_data)
  names <- added_columns(object)
  if (length(names) == 0) return(new_data)
  found <- features_of_rows(object$res, as.data.frame(new_data[object$columns]))
  if (!is.null(object$threshold)) found <- 1L * (found > object$threshold)
  found <- recipes::check_name(as.data.frame(found), new_data, object, names)
  new_data[names] <- found
  if (object$keep_original_cols) return(new_data)
  new_data[setdiff(names(new_data), object$columns)]
}

#' Names of the columns that a trained step adds
#' @noRd
added_columns <- function(step) {
  count <- if (is.null(step$res)) 0 else point_size(step$res)
  if (count == 0) character() else recipes::names0(count, step$prefix)
}

#' Probabilities of the features of new rows, rows x K
#' @noRd
features_of_rows <- function(fit, rows) {
  if (nrow(rows) == 0) return(matrix(0, 0, point_size(fit)))
  # Recipes train on factors where they are given text, which older ones of them bake as it is.
  text <- vapply(rows, is.character, NA)
  rows[text] <- lapply(rows[text], factor)
  predict_features(fit, with_known_categories(fit, rows))
}

#' @noRd
with_known_categories <- function(fit, rows) UseMethod("with_known_categories")

#' @exportS3Method
#' @noRd
with_known_categories.buffet_fit <- function(fit, rows) rows

#' @exportS3Method
#' @noRd
with_known_categories.fit_mixed <- function(fit, rows) {
  for (column in fit$model$data$columns) {
    rows[[column$name]] <- without_unknown(rows[[column$name]], column)
  }
  rows
}

#' Categories that the data of the fit did not have are missing
#' @noRd
without_unknown <- function(values, column) {
  if (!is.factor(values)) return(values)
  unknown <- setdiff(levels(droplevels(values)), column$levels)
  if (length(unknown) == 0) return(values)
  warning(sprintf(
    "step_ibp() treats categories of \"%s\" that it was not trained on as missing: %s.",
    column$name, paste(encodeString(unknown, quote = "\""), collapse = ", ")
  ), call. = FALSE)
  replace(values, values %in% unknown, NA)
}

#' @exportS3Method
#' @noRd
print.step_ibp <- function(x, width = max(20, getOption("width") - 35), ...) {
  check_part(x, "terms", "step_ibp()")
  title <- "IBP features from "
  if (x$trained) {
    count <- length(added_columns(x))
    title <- sprintf("%d IBP feature%s from ", count, if (count == 1) "" else "s")
  }
  recipes::print_step(x$columns, x$terms, x$trained, title, width, case_weights = x$case_weights)
  invisible(x)
}

#' @exportS3Method
#' @noRd
tidy.step_ibp <- function(x, ...) {
  check_part(x, "terms", "step_ibp()")
  if (!x$trained) {
    found <- list(terms = recipes::sel2char(x$terms), value = NA_real_, component = NA_character_)
  } else if (is.null(x$res)) {
    found <- list(terms = character(), value = double(), component = character())
  } else {
    a <- loadings_of(x$res)
    found <- list(
      terms = rep(as.character(colnames(a)), each = nrow(a)), value = as.vector(a),
      component = rep(added_columns(x), ncol(a))
    )
  }
  tibble::tibble(!!!found, id = x$id)
}

#' @exportS3Method generics::required_pkgs
required_pkgs.step_ibp <- function(x, ...) "buffet"
