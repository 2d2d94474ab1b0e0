#' Predictive density of left-out entries
#'
#' `heldout_density()` is the best measure to compare fits: set random entries of the data to `NA`,
#' fit the models, and compare how probable the true entries were. `vignette("comparing-fits")`
#' shows how. For choices, pairs are left out; see [heldout_density()][predict.fit_choice]. For
#' topics, tokens are left out; see [heldout_density()][heldout_density.fit_topics].
#'
#' @param fit A fit by [fit_gaussian()], [fit_logistic()], [fit_factor()], [fit_nmf()],
#'   [fit_mixed()] or [fit_cascade()] to data with `NA` entries. A fit to complete data is an error.
#' @param actual (numeric matrix, data frame or sparse `Matrix`) The full data, of the same size and
#'   on the same scale as the data of the fit. Rows and columns are matched by name if both have
#'   names, which must be the same. Only the entries that are `NA` in the data of the fit are used.
#'   The result is `NA` for entries that are `NA` in `actual` as well.
#' @param ... Must be empty.
#' @return A numeric vector with one element per `NA` entry of the data, in the order of
#'   `which(is.na(x))`, that is, by columns. For [fit_mixed()] columns that were left out do not
#'   count. An element is the log posterior predictive density of the entry, in the units of the
#'   data (for binary data, counts and categories its log probability). It is the log of the mean
#'   density over every kept draw, not the mean of log densities.
#' @details
#' The density of an entry given one draw depends on the model:
#'
#' * [fit_gaussian()]: the loadings are integrated out exactly over their posterior given Z, the
#'   standard deviations and the observed entries. With nonnegative loadings, or with
#'   `noise = "column"`, the density is conditional on the loadings of the draw.
#' * [fit_factor()]: with `sparse = "loadings"` the density is conditional on the loadings, and the
#'   factors of the row are integrated out given its observed entries. With `sparse = "factors"` it
#'   is conditional on both.
#' * [fit_logistic()] and [fit_mixed()]: the density is conditional on Z, the weights and the
#'   biases.
#' * [fit_nmf()]: the density is conditional on the weights and loadings of the draw, or of the
#'   mode.
#' * [fit_cascade()]: the density is conditional on the network and the hidden activations. It is
#'   `-Inf` outside the `range` of the fit.
#'
#' A fit by optimisation has one estimate. With [method_beam()] the density averages over the normal
#' posterior of the loadings given Z. With [method_meibp()] it is conditional on Z and `sigma_x` and
#' averages over the variational posterior of the loadings: the most uncertain loading of the row is
#' integrated out exactly, and the sum of the others is replaced by a normal variable with its mean
#' and variance. With [method_variational()] and [method_power_ep()] the density also averages over
#' the features whose probability is between 1e-6 and 1 - 1e-6. The six that make the most
#' difference are summed over; the others enter by their mean and variance.
#' @examples
#' set.seed(1)
#' x <- block_images(50)
#' holes <- x
#' holes[sample(length(x), 180)] <- NA
#' method <- method_gibbs(chains = 1, iter = 300)
#' fit <- fit_gaussian(holes, method = method, seed = 1)
#' # the mean log density of the 180 entries
#' mean(heldout_density(fit, x))
#' # two features are too few: their density is lower
#' few <- fit_gaussian(holes, prior = prior_beta_bernoulli(2), method = method, seed = 1)
#' mean(heldout_density(few, x))
#' @export
heldout_density <- function(fit, actual, ...) UseMethod("heldout_density")

#' @export
heldout_density.default <- function(fit, actual, ...) stop_no_fit(fit)

#' @export
heldout_density.buffet_fit <- function(fit, actual, ...) {
  check_no_more(...)
  if (missing(actual)) abort("`actual` must be given: the full data.")
  x <- in_memory(fit, "heldout_density()")
  hidden <- missing_entries(x)
  if (nrow(hidden) == 0) abort("`fit` must be a fit to data with missing entries.")
  given <- actual
  actual <- check_like(fit, given, "actual", sparse = TRUE)
  if (!identical(dim(actual), dim(x))) stop_size(actual, x, given)
  actual <- in_data_order(actual, x)
  scales <- column_units(fit)[hidden[, 2]]
  values <- (actual[hidden] - column_shift(fit)[hidden[, 2]]) / scales
  known <- !is.na(values)
  out <- rep(NA_real_, length(values))
  if (any(known)) {
    places <- hidden[known, , drop = FALSE] - 1L
    all <- seq_along(fit$feature_draws)
    density <- log_mean_over_blocks(all, draws_in_block(fit), function(some) {
      density_at(fit, some, places, values[known])
    })
    out[known] <- density - log(scales[known])
  }
  out
}

stop_size <- function(actual, x, given) {
  size <- if (nrow(actual) != nrow(x)) counted(nrow(x), "row") else counted(ncol(x), "column")
  stop_argument("actual", sprintf("have %s, as the data", size), given)
}

# Rows and columns of left-out data in the order of the data of the fit, by name if both have names
in_data_order <- function(actual, x) {
  rows <- match_by_name(rownames(actual), rownames(x), "row", actual)
  columns <- match_by_name(colnames(actual), colnames(x), "column", actual)
  if (is.null(rows) && is.null(columns)) return(actual)
  actual[rows %||% seq_len(nrow(x)), columns %||% seq_len(ncol(x)), drop = FALSE]
}

# Positions of the names of the data among the given names; NULL if equal or missing
match_by_name <- function(names, of_data, what, actual) {
  if (is.null(names) || is.null(of_data) || identical(names, of_data)) return(NULL)
  if (anyDuplicated(of_data) > 0 || !setequal(names, of_data)) {
    must <- sprintf("have no %s names or those of the data", what)
    stop_argument("actual", must, was = "others")
  }
  match(of_data, names)
}

# Logs of mean densities over draws of values at these places: two columns, numbered from 0
density_at <- function(fit, which, places, values) UseMethod("density_at")
