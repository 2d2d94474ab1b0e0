#' Predictions for data frames with mixed columns
#'
#' Expected values, probabilities, intervals, features and simulated data from a fit by
#' [fit_mixed()].
#'
#' ## Types of predictions
#' * `"response"` (default): a data frame with the classes and levels of the data, without missing
#'   entries. Numbers and counts have their posterior means, log-normal numbers the exponential of
#'   the posterior mean of their logarithm, and categories the most probable one.
#' * `"class"`: only the columns of categories. `"prob"`: a list with a matrix for each of these.
#' * `"interval"`, or `interval = "predictive"`: a data frame with a row for each entry of a column
#'   of numbers or counts, with `row`, `column`, `.fitted`, `.lower` and `.upper`. A new entry of
#'   such a row lies between the last two with probability `level`. A larger share of the observed
#'   entries is within the intervals, because these entries have helped to determine the features of
#'   their rows.
#' * `interval = "credible"`: the same for the mean of each entry (for log-normal numbers the
#'   median) and for the probability of each category, in the column `"column: category"`.
#' * `"features"`: [features()]; for new rows the probability of each of these features.
#'
#' ## New rows and simulated data
#' New rows may have missing entries. Their features are sampled given each draw, as for [other
#' fits][predict.buffet_fit]. `simulate()` and `posterior_predict()` draw all entries anew. If all
#' observed numbers of a column are whole, the drawn numbers are rounded and, unless they are
#' counts, kept in the observed range.
#'
#' @param object A fit by [fit_mixed()].
#' @param newdata (data frame or `NULL`) New rows, by default the rows of the data.
#' @param type (string) `"response"` (default), `"class"`, `"prob"`, `"interval"` or `"features"`;
#'   see Details.
#' @param ndraws (positive integer, `Inf` or `NULL`) Number of evenly spaced draws. `NULL`, the
#'   default, means all, or at most 1000 for the ends of intervals. See [ndraws].
#' @param interval (string) `"none"`, `"credible"` or `"predictive"`; see Details.
#' @param level (number in (0, 1)) Probability of intervals, 0.9 by default.
#' @param ... Must be empty.
#' @return
#' * `predict()`: see Details. `fitted()`: `predict()` of the rows of the data.
#' * `residuals()`: a matrix of the data minus `fitted()`; `NA` in columns of categories.
#' * `simulate()`: a list of `nsim` data frames like the data.
#' * `posterior_predict()`: an array, draws x N x D, in the units of the data; categories that are
#'   not numbers themselves are numbered from 1.
#' * `posterior_epred()`: an array, draws x N x expected values: means, medians of log-normal
#'   numbers, and probabilities of categories.
#' @seealso [complete()] fills in the missing entries of the data with draws.
#' @examples
#' fit <- fit_mixed(iris, method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # a flower whose petals were only partly measured
#' new <- data.frame(
#'   Sepal.Length = 5, Sepal.Width = 3.4, Petal.Length = 1.5, Petal.Width = NA, Species = NA
#' )
#' predict(fit, new)
#' round(predict(fit, new, type = "prob")$Species, 2)
#' @aliases fitted.fit_mixed residuals.fit_mixed
#' @importFrom stats predict
#' @export
predict.fit_mixed <- function(object, newdata = NULL,
                              type = c("response", "class", "prob", "interval", "features"),
                              ndraws = NULL, interval = c("none", "credible", "predictive"),
                              level = 0.9, ...) {
  check_no_more(...)
  type <- check_choice(type, c("response", "class", "prob", "interval", "features"), "type")
  interval <- check_interval(interval, object, type)
  if (type == "interval") refuse_categories(object, "type", type)
  level <- check_number(level, "level", 0, 1, "()")
  if (interval == "credible") return(mixed_credible(object, newdata, ndraws, level))
  if (interval == "predictive") type <- "interval"
  if (type == "features") return(predict_features(object, newdata))
  if (type == "interval") return(mixed_intervals(object, newdata, ndraws, level))
  which <- check_mean_ndraws(ndraws, object, newdata, interval)
  rows <- if (!is.null(newdata)) new_row_data(object, newdata)
  expect_columns(object, rows, which, type)
}

expect_columns <- function(fit, rows, which, type = "response") {
  columns <- fit$internal$model$data$columns
  responses <- mixed_responses(fit, rows, which)
  of_columns <- split_responses(columns, responses)
  if (type == "prob") {
    return(Filter(Negate(is.null), Map(category_probabilities, columns, of_columns)))
  }
  shown <- type == "response" | !are_numbers(columns)
  values <- Map(expect_column, columns[shown], of_columns[shown])
  empty <- data.frame(row.names = rownames(responses) %||% seq_len(nrow(responses)))
  if (any(shown)) frame_of(columns[shown], values, rownames(responses)) else empty
}

mixed_responses <- function(fit, rows, which) {
  out <- if (is.null(rows)) mean_response(fit, which) else new_response(fit, rows, which)
  rownames(out) <- rownames(rows %||% model_data(fit))
  out
}

#' @export
fitted.fit_mixed <- fitted.fit_choice

#' @export
residuals.fit_mixed <- function(object, ...) {
  check_no_more(...)
  columns <- object$internal$model$data$columns
  x <- model_data(object)
  expected <- fitted(object)
  out <- vapply(seq_along(columns), function(j) {
    if (!is.null(columns[[j]]$levels)) return(rep(NA_real_, nrow(x)))
    decode_column(columns[[j]], x[, j]) - expected[[j]]
  }, numeric(nrow(x)))
  matrix(out, nrow(x), dimnames = dimnames(x))
}

#' @rdname predict.fit_mixed
#' @inheritParams posterior_predict.buffet_fit
#' @importFrom stats simulate
#' @export
simulate.fit_mixed <- function(object, nsim = 1, seed = NULL, ...) {
  columns <- object$internal$model$data$columns
  lapply(NextMethod(), function(x) {
    values <- lapply(seq_along(columns), function(j) draw_column(columns[[j]], x[, j]))
    frame_of(columns, values, rownames(model_data(object)))
  })
}

#' @rdname predict.fit_mixed
#' @importFrom rstantools posterior_predict
#' @export
posterior_predict.fit_mixed <- function(object, newdata = NULL, ndraws = NULL, ...) {
  out <- posterior_predict.buffet_fit(object, newdata, ndraws, ...)
  columns <- object$internal$model$data$columns
  for (j in seq_along(columns)) {
    drawn <- if (is.null(columns[[j]]$levels)) draw_column else category_numbers
    out[, , j] <- drawn(columns[[j]], out[, , j])
  }
  out
}

#' @rdname predict.fit_mixed
#' @importFrom rstantools posterior_epred
#' @export
posterior_epred.fit_mixed <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  which <- check_ndraws(ndraws, object)
  rows <- if (!is.null(newdata)) new_row_data(object, newdata)
  drawn <- draw_responses(object, rows, which)
  rownames(drawn) <- rownames(rows %||% model_data(object))
  aperm(drawn, c(3, 1, 2))
}

# Expected values given each draw, rows x numbers x draws, for the rows of the data if `rows` is
# NULL
draw_responses <- function(fit, rows, which) {
  columns <- fit$internal$model$data$columns
  numbers <- lengths(lapply(columns, expected_names))
  size <- c(nrow(rows %||% model_data(fit)), sum(numbers))
  over_draws(which, function(draw) {
    responses <- if (is.null(rows)) {
      mean_response(fit, draw)
    } else {
      t(new_rows(fit, rows, draw, row_plan(fit, seed = draw_seed()))$response)
    }
    numbers_of_columns(columns, split_responses(columns, responses))
  }, matrix(0, size[1], size[2]))
}

numbers_of_columns <- function(columns, responses) {
  numbers <- Map(function(column, response) {
    out <- category_probabilities(column, response) %||% cbind(expect_column(column, response))
    dimnames(out) <- list(NULL, expected_names(column))
    out
  }, columns, responses)
  do.call(cbind, unname(numbers))
}

expected_names <- function(column) {
  if (is.null(column$levels)) column$name else paste(column$name, column$levels, sep = ": ")
}

mixed_draws <- function(fit, which) {
  list(
    x = t(model_data(fit)), model = mixed_spec(fit$internal$model, fit$method),
    draws = unclass(select_draws(fit$feature_draws, which)),
    loadings = as.double(select_loadings(fit, which)), sigma_w = scalar(fit, "sigma_w")[which]
  )
}

#' @exportS3Method
mean_response.fit_mixed <- function(fit, which) {
  t(mean_over_blocks(which, draws_in_block(fit), function(some, first) {
    mixed_responses_cpp(mixed_draws(fit, some))
  }))
}

#' @exportS3Method
density_at.fit_mixed <- function(fit, which, places, values) {
  columns <- fit$internal$model$data$columns
  log_density <- mixed_heldout_cpp(mixed_draws(fit, which), places[, 1], places[, 2], values)
  of <- places[, 2] + 1
  for (j in unique(of)) {
    log_density[of == j] <- log_density[of == j] - log_jacobian(columns[[j]], values[of == j])
  }
  log_density
}

#' @exportS3Method
log_densities.fit_mixed <- function(fit, x, draw) {
  known <- which(!is.na(x))
  places <- arrayInd(known, dim(x)) - 1L
  out <- replace(x, seq_along(x), NA)
  out[known] <- density_at(fit, draw, places, x[known])
  out
}

#' @exportS3Method
draw_data.fit_mixed <- function(fit, draw) {
  out <- t(mixed_simulate_cpp(mixed_draws(fit, draw), sample.int(.Machine$integer.max, 1)))
  dimnames(out) <- dimnames(model_data(fit))
  out
}

#' @exportS3Method
check_like.fit_mixed <- function(fit, x, name, sparse = FALSE) {
  columns <- fit$internal$model$data$columns
  if (!is.data.frame(x)) stop_argument(name, "be a data frame", x)
  lost <- setdiff(names(columns), names(x))
  if (length(lost) > 0) stop_lost(name, lost)
  if (nrow(x) == 0) stop_argument(name, "have at least one row", was = describe_size(x))
  factors <- Filter(function(column) is.character(column$levels), columns)
  x <- read_labelled_columns(x, name, as.character(names(factors)))
  for (column in columns) {
    check_kind(x[[column$name]], column$name, name)
    check_column_numbers(x[[column$name]], column$name, name)
    if (is.null(column$levels)) check_family(column, x[[column$name]], name)
  }
  code_frame(columns, x, name)
}

#' @exportS3Method
new_rows.fit_mixed <- function(fit, rows, which, plan, replicates = 0L) {
  known <- c(mixed_draws(fit, which), prior_of_next(fit, which), replicates = replicates)
  keys <- if (plan$apart) seq_len(nrow(rows)) else apply(unname(rows), 1, rlang::hash)
  distinct <- which(!duplicated(keys))
  found <- mixed_new_rows_cpp(known, t(rows[distinct, , drop = FALSE]), plan)
  # Unless `apart` is true, identical rows share their random numbers and are computed only once.
  at <- match(keys, keys[distinct])
  drawn <- array(found$drawn, c(ncol(rows), length(distinct), length(which) * replicates))
  list(
    response = found$response[, at, drop = FALSE], features = found$features[, at, drop = FALSE],
    drawn = drawn[, at, , drop = FALSE]
  )
}

#' @exportS3Method
new_row_drawer.fit_mixed <- function(fit, rows, apart) {
  function(draw) {
    plan <- row_plan(fit, seed = draw_seed(), apart = apart)
    list(data = t(matrix(new_rows(fit, rows, draw, plan, replicates = 1L)$drawn, ncol(rows))))
  }
}
