#' Posterior mean predictions
#'
#' @param object A fit by [fit_gaussian()], [fit_logistic()] or [fit_factor()].
#' @param newdata `NULL` for the rows of the data, or new rows with the same columns (as `x` of
#'   [fit_gaussian()] or `y` of [fit_logistic()]); matched by name where both have names, otherwise
#'   by position. Where names of the data are missing or equal, `newdata` must have the same ones in the
#'   same order, or none. `NA` entries are completed from the observed ones of their row. Not with
#'   [prior_pibp()], on whose tree new rows have no place, nor with [prior_fixed()], which does not
#'   know their features.
#' @param type (string) `"response"`: given the row and the data the mean of the row's own `z A`, on
#'   the data's scale, or of the probability that an entry is 1. `"features"`: [features()]; for
#'   `newdata` the posterior probability of each of these features, given the draw that `features()`
#'   shows.
#' @param ndraws (positive integer, `Inf` or `NULL`) Average over this many evenly spaced draws. `NULL`:
#'   200, `Inf`: all. See [ndraws]. Not used for features.
#' @param interval (string) `"credible"`, `"predictive"`: also the ends of the central posterior
#'   interval of the mean of each entry, or of the entry itself; see
#'   [Intervals][predictive_interval.buffet_fit].
#' @param level (number in (0, 1)) Probability of these intervals.
#' @param ... Must be empty.
#' @return A matrix with a row per row and a column per column of the data (`"response"`) or per
#'   feature (`"features"`). With `interval` a data frame with a row per entry: `row` and `column`
#'   (their names or numbers), `.fitted`, `.lower` and `.upper`.
#' @details For the rows of the data the mean is exact given the draws of Z, and of what else is
#'   kept of a draw: the weights of [fit_logistic()], loadings that are nonnegative, have `noise =
#'   "column"` or are of chains of [row_blocks()]. For new rows the features are sampled given each draw: five climbing passes and 20
#'   Gibbs sweeps, the last ten averaged (1000 sweeps for `"features"`), features that only the new
#'   row has included; the draws themselves are those given the data, not reweighted by the new row.
#'   The result is the same at every call: its random numbers come from the fit's seed.
#'
#'   The factors of a new row under [fit_factor()] with sparse loadings are normal given its observed
#'   entries, and the response is exact given the draws; it has no features of rows.
#'
#'   A fit by [method_meibp()] has one estimate of Z. The features of a new row are then 0 or 1:
#'   those of greatest bound that the search `"climb"` finds, from none and from all, with the
#'   features of the fit and no others. The response is their mean loadings, and nothing is random.
#'   One by [method_beam()] is alike. One by [method_variational()] or [method_power_ep()] has
#'   probabilities, for new rows those that raise the bound most from where that search ends.
#' @examples
#' x <- block_images(60)
#' fit <- fit_gaussian(x[1:50, ], method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' half <- x[51:60, ]
#' half[, 19:36] <- NA
#' completed <- predict(fit, half)
#' sqrt(mean((completed - x[51:60, ])[, 19:36]^2))
#' head(predict(fit, half[1:2, ], interval = "predictive"))
#' @aliases predict.fit_gaussian predict.fit_logistic predict.fit_factor
#' @export
predict.buffet_fit <- function(object, newdata = NULL, type = c("response", "features"),
                               ndraws = NULL, interval = c("none", "credible", "predictive"),
                               level = 0.9, ...) {
  check_no_more(...)
  type <- check_choice(type, c("response", "features"), "type")
  interval <- check_interval(interval, object, type)
  level <- check_number(level, "level", 0, 1, "()")
  which <- check_ndraws(ndraws, object)
  if (interval != "none") {
    draws <- draws_for_interval(object, newdata, ndraws, interval)
    return(interval_frame(predict(object, newdata, ndraws = ndraws), draws, level))
  }
  if (type == "features") return(predict_features(object, newdata))
  if (is.null(newdata)) return(fitted(object, ndraws = ndraws))
  rows <- checked_rows(newdata, object)
  out <- from_model_units(object, new_response(object, rows, which))
  dimnames(out) <- list(rownames(rows), colnames(object$model$data$x))
  out
}

predict_features <- function(fit, newdata) {
  if (is.null(newdata)) return(features(fit))
  rows <- checked_rows(newdata, fit)
  out <- new_features(fit, rows)
  dimnames(out) <- list(rownames(rows), colnames(features(fit)))
  out
}

#' New rows of a fit whose prior speaks of such
#' @noRd
checked_rows <- function(newdata, fit) {
  check_new_rows(fit$model$prior, newdata)
  check_newdata(newdata, fit)
}

#' Features of new rows, rows x K, and the mean of their response in the units of the model
#' @noRd
new_features <- function(fit, rows) UseMethod("new_features")
new_response <- function(fit, rows, which) UseMethod("new_response")

#' @exportS3Method
#' @noRd
new_features.fit_mcmc <- function(fit, rows) {
  shown <- match_columns(features(fit), draw_features_cpp(unclass(fit$draws), fit$point))
  t(new_rows(fit, rows, fit$point, sweeps = 1000)$features)[, shown, drop = FALSE]
}

#' @exportS3Method
#' @noRd
new_response.fit_mcmc <- function(fit, rows, which) {
  mean_over_stretches(fit, which, function(fit, some) t(new_rows(fit, rows, some, 20)$response))
}

#' list(response, features) of new rows, one a column, averaged over some draws
#' @noRd
new_rows <- function(fit, rows, which, sweeps, ...) UseMethod("new_rows")

#' The prior of one more row, with the draws of its hyperparameters, a row each
#' @noRd
prior_of_next <- function(fit, which) {
  model <- fit$model
  names <- names(prior_hyperparameters(model$prior))
  draws <- lapply(names, function(name) scalar(fit, name)[which])
  list(prior = model$prior_spec, hyper = do.call(rbind, stats::setNames(draws, names)))
}

select_loadings <- function(fit, which) {
  if (length(fit$draws_loadings) == 0) return(double())
  counts <- loading_counts(fit$model, unclass(fit$draws)$sizes)
  ends <- cumsum(counts)
  unlist(lapply(which, function(d) {
    fit$draws_loadings[ends[d] - counts[d] + seq_len(counts[d])]
  }))
}

#' The mean of what a function gives for some draws
#' @noRd
mean_over <- function(which, of_draw) {
  tick <- draws_ticker(length(which))
  sum <- 0
  for (draw in which) {
    sum <- sum + of_draw(draw)
    tick()
  }
  sum / length(which)
}

#' The mean of what a function of the fit and some draws gives, itself a mean over these
#' @noRd
mean_over_stretches <- function(fit, which, of_some) {
  tick <- draws_ticker(length(which))
  sum <- 0
  for (stretch in stretches_of(fit, which)) {
    sum <- sum + length(stretch$which) * of_some(stretch$fit, stretch$which)
    tick(length(stretch$which))
  }
  sum / length(which)
}

#' Draws in stretches of 20, between which a bar can move: list(which, fit), the fit with a seed of
#' the stretch's own, that of the fit for the first
#' @noRd
stretches_of <- function(fit, which) {
  parts <- unname(split(which, (seq_along(which) - 1) %/% 20))
  lapply(seq_along(parts), function(n) {
    fit$seed <- as.integer((fit$seed + 7919 * (n - 1)) %% .Machine$integer.max)
    list(which = parts[[n]], fit = fit)
  })
}

#' Positions in `of` of the columns of `z`, the same columns in another order
#' @noRd
match_columns <- function(z, of) {
  key <- function(m) apply(unname(m), 2, rlang::hash)
  if (ncol(z) == 0) return(integer())
  keys <- make.unique(key(of))
  match(make.unique(key(z)), keys)
}

#' Other data in the form of those of the fit
#' @noRd
check_like <- function(fit, x, name, sparse = FALSE) UseMethod("check_like")

check_newdata <- function(newdata, fit) {
  x <- fit$model$data$x
  numbers <- is.numeric(newdata) || is.logical(newdata)
  if (is.null(dim(newdata)) && numbers && length(newdata) == ncol(x)) {
    newdata <- matrix(newdata, 1)
  }
  rows <- check_like(fit, newdata, "newdata")
  if (ncol(rows) != ncol(x)) {
    stop_argument("newdata", sprintf("have %d columns, as the data", ncol(x)), newdata)
  }
  if (is.null(colnames(rows)) || is.null(colnames(x))) return(rows)
  if (identical(colnames(rows), colnames(x))) return(rows)
  check_names(colnames(rows), colnames(x), newdata)
  rows[, colnames(x), drop = FALSE]
}

#' Do these names tell which columns are those of the data?
#' @noRd
check_names <- function(names, of_data, newdata) {
  if (anyNA(of_data) || !all(nzchar(of_data)) || anyDuplicated(of_data)) {
    must <- "have no column names or exactly those of the data, some of which are missing or equal"
    stop_argument("newdata", must, newdata)
  }
  lost <- setdiff(of_data, names)
  if (length(lost) > 0) {
    must <- sprintf("have the columns of the data (\"%s\" is missing)", lost[1])
    stop_argument("newdata", must, newdata)
  }
}

#' @rdname predict.buffet_fit
#' @importFrom stats fitted
#' @export
fitted.buffet_fit <- function(object, ndraws = NULL, ...) {
  check_no_more(...)
  which <- check_ndraws(ndraws, object)
  out <- from_model_units(object, mean_response(object, which))
  dimnames(out) <- data_names(object)
  out
}

#' Names of the rows and columns of the data, NULL where neither have any: sparse matrices have a
#' list even so
#' @noRd
data_names <- function(fit) {
  names <- dimnames(fit$model$data$x)
  if (any(lengths(names) > 0)) names
}

#' Mean over some draws of Z A in the units of the model, or of a probability; N x D
#' @noRd
mean_response <- function(fit, which) UseMethod("mean_response")

#' @rdname predict.buffet_fit
#' @importFrom stats residuals
#' @export
residuals.buffet_fit <- function(object, ndraws = NULL, ...) {
  check_no_more(...)
  as.matrix(in_memory(object, "residuals()")) - fitted(object, ndraws = ndraws)
}
