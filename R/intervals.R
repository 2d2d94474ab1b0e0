#' Intervals for entries and their means
#'
#' `predictive_interval()` returns central posterior intervals for the entries of the data or of new
#' rows. `predict(fit, interval = )` returns such intervals along with the predictions.
#'
#' @details
#' `predict(interval = "credible")` returns central posterior intervals for the means that
#' [posterior_epred()][posterior_predict.buffet_fit] draws. `predict(interval = "predictive")`
#' returns intervals for the entries that [posterior_predict()][posterior_predict.buffet_fit] draws.
#' The predictive interval of a missing entry shows where its value may lie. The features of
#' a row are inferred from its observed entries, also in new rows, so the intervals contain more
#' than a share `level` of the observed entries.
#'
#' By default, the ends of intervals are quantiles of 1000 evenly spaced draws, or of all if there
#' are fewer. `predict()` gives the same intervals on every call, because its random numbers come
#' from the seed of the fit; the intervals of a new row do not depend on the other new rows. Its
#' `.fitted` is the mean over all draws, the same as from `predict()` without `interval`, except for
#' [new documents][predict.fit_topics] and for categories, which have probabilities. A mean can be
#' outside a narrow interval if the posterior is skewed or has several modes.
#'
#' Intervals that would be uninformative raise an error. A binary entry has one of two values, so
#' `"predictive"` is an error for [fit_logistic()] and for the single choices of [fit_choice()]. It
#' is also an error for [fit_topics()], where counts depend on the lengths of documents. A fit by
#' [method_icm()] has one draw, so both kinds raise an error.
#'
#' @param object A fit by any `fit_*()` function except [fit_logistic()] and [fit_topics()], and by
#'   any method except [method_icm()].
#' @param prob (number in (0, 1)) Probability of the central intervals (default 0.9).
#' @param newdata (as in [posterior_predict()][posterior_predict.buffet_fit], or `NULL`) New rows.
#'   `NULL` (default): the rows of the data.
#' @param ndraws (positive integer, `Inf` or `NULL`) How many evenly spaced draws to use. `NULL`
#'   (default): at most 1000. `Inf`: all. See [ndraws].
#' @param ... Must be empty.
#' @return A numeric matrix with two columns, named `"5%"` and `"95%"` if `prob` is 0.9, and a row
#'   per entry, in column-major order of the data. Rows are named `"row, column"`, using names or
#'   numbers. Columns of categories in [fit_mixed()] and of unordered categories in [fit_factor()]
#'   are left out, and a message names them. For [fit_choice()] the matrix has a row per pair, with
#'   the interval for the number of times its first item is chosen. Random numbers come from R's
#'   generator: call `set.seed()` first to repeat a result.
#' @examples
#' x <- sim_images(40)
#' fit <- fit_gaussian(x[1:38, ], method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' half <- x[39:40, ]
#' half[, 19:36] <- NA
#' head(predict(fit, half, interval = "predictive", level = 0.8))
#' head(predictive_interval(fit, prob = 0.8, newdata = half))
#' @export
predictive_interval.buffet_fit <- function(object, prob = 0.9, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  prob <- check_number(prob, "prob", 0, 1, "()")
  refuse_intervals(object$method, "object")
  refuse_predictive(object, "object")
  ndraws <- check_any_ndraws(ndraws) %||% most_draws(object, tail_ndraws)
  draws <- posterior_predict(object, newdata = newdata, ndraws = ndraws)
  if (!is.matrix(draws)) {
    draws <- draws[, , columns_with_intervals(object), drop = FALSE]
    names <- lapply(2:3, function(side) dimnames(draws)[[side]] %||% seq_len(dim(draws)[side]))
    names <- outer(names[[1]], names[[2]], paste, sep = ", ")
    draws <- matrix(draws, nrow(draws), dimnames = list(NULL, names))
  }
  predictive_interval(draws, prob = prob)
}

refuse_predictive <- function(fit, name) {
  of_object <- name == "object"
  value <- if (of_object) fit else "predictive"
  if (inherits(fit, c("fit_mixed", "fit_factor"))) return(refuse_categories(fit, name, value))
  must <- switch(class(fit)[1],
    fit_topics = c(
      "be a fit to data other than documents",
      "words, whose counts depend on the lengths of documents"
    ),
    fit_logistic = c("be a fit to data that are not binary", "entries that are 0 or 1"),
    # Counts have intervals, but a single choice does not.
    fit_choice = if (!of_object) c("", "choices (predictive_interval() has intervals of counts)")
  )
  if (is.null(must)) return(invisible())
  if (!of_object) must <- paste("be \"none\" or \"credible\" for", must[2])
  stop_argument(name, must[1], value)
}

# Numbers of the columns that have predictive intervals. These are all columns except categorical
# ones; in fit_factor() only unordered categories are excluded.
columns_with_intervals <- function(fit) {
  if (inherits(fit, "fit_mixed")) return(which(are_numbers(fit$internal$model$data$columns)))
  unordered <- vapply(unordered_items(fit), `[[`, 1L, "column")
  setdiff(seq_len(ncol(model_data(fit))), unordered)
}

# Names the columns without predictive intervals in a message, or in an error if no column has any
refuse_categories <- function(fit, name, was) {
  without <- setdiff(seq_len(ncol(model_data(fit))), columns_with_intervals(fit))
  if (length(without) == 0) return(invisible())
  mixed <- inherits(fit, "fit_mixed")
  instead <- "`predict(fit, interval = \"credible\")` returns intervals of probabilities"
  if (length(without) < ncol(model_data(fit))) {
    text <- "Columns of %s have no predictive intervals: %s. %s."
    kind <- if (mixed) "categories" else "unordered categories"
    shown <- if (mixed) colnames(model_data(fit))[without] else names(unordered_items(fit))
    return(message(sprintf(text, kind, enumerate_some(shown), instead)))
  }
  column <- if (mixed) "of numbers or counts" else "other than unordered categories"
  others <- if (mixed) "no column has numbers" else "all columns are unordered categories"
  must <- switch(name,
    object = paste("be a fit to data with a column", column),
    interval = paste("be \"none\" or \"credible\" if", others),
    type = paste("be \"response\", \"class\", \"prob\" or \"features\" if", others)
  )
  stop_argument(name, must, was, cure = if (name != "interval") instead)
}

refuse_intervals <- function(method, name) {
  if (!inherits(method, "method_icm")) return(invisible())
  must <- if (name == "object") "be a fit by sampling" else "be \"none\""
  stop_argument(name, must, was = "of a fit by method_icm(), which has one draw")
}

# Stops if a probability was given in place of the kind of interval
refuse_probability <- function(x, name, must, goes_to) {
  if (!(is_scalar_number(x) && x > 0 && x < 1)) return(invisible())
  was <- sprintf("%s: that is for `%s`", describe_value(x), goes_to)
  stop_argument(name, must, was = was)
}

# type: The type of predict(); only the type `shown` has intervals.
check_interval <- function(interval, fit, type = "response", shown = "response") {
  kinds <- c("none", "credible", "predictive")
  must <- paste("be one of", paste(encodeString(kinds, quote = "\""), collapse = ", "))
  refuse_probability(interval, "interval", must, "level")
  interval <- check_choice(interval, kinds, "interval")
  if (interval == "none") return(interval)
  refuse_intervals(fit$method, "interval")
  if (type != shown) {
    stop_argument("interval", sprintf("be \"none\" unless `type` is \"%s\"", shown), interval)
  }
  if (interval == "predictive") refuse_predictive(fit, "interval")
  interval
}

# The result of predict() with intervals. The means use every draw, unless `ndraws` is given for new
# rows; the end points use some of the draws, and the seed of the fit.
predict_interval <- function(fit, newdata, ndraws, interval, level) {
  which <- check_ndrawn(ndraws, fit, tail_ndraws)
  rows <- if (is.null(newdata)) model_data(fit) else new_row_data(fit, newdata)
  what <- c(credible = "mean", predictive = "data")[[interval]]
  of_draw <- row_drawer(fit, if (!is.null(newdata)) rows, what, apart = FALSE)
  columns <- drawn_columns(fit, what)
  draws <- seeded(fit$seed, over_draws(which, of_draw, matrix(0, nrow(rows), columns$n)))
  unordered <- length(unordered_items(fit)) > 0
  fitted <- if (unordered && what == "mean") {
    some <- check_ndraws(if (!is.null(newdata)) ndraws, fit)
    expect_predictors(fit, if (!is.null(newdata)) rows, some)
  } else if (is.null(newdata)) {
    fitted(fit)
  } else {
    expect_rows(fit, rows, check_ndraws(ndraws, fit))
  }
  dimnames(fitted) <- list(rownames(rows), columns$names)
  if (unordered && what == "data") {
    shown <- columns_with_intervals(fit)
    fitted <- fitted[, shown, drop = FALSE]
    draws <- draws[, shown, , drop = FALSE]
  }
  interval_frame(fitted, draws, level)
}

# The data frame that predict() returns if intervals are requested, with one row per entry
# fitted: Matrix, rows x columns.
# draws: Array, rows x columns x draws.
interval_frame <- function(fitted, draws, level) {
  size <- dim(fitted)
  ends <- interval_ends(t(matrix(draws, length(fitted))), level)
  names <- list(rownames(fitted) %||% seq_len(size[1]), colnames(fitted) %||% seq_len(size[2]))
  data.frame(
    row = rep(names[[1]], size[2]), column = rep(names[[2]], each = size[1]),
    .fitted = as.vector(fitted), .lower = ends[1, ], .upper = ends[2, ]
  )
}
