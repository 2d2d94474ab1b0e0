#' Predictive density of entries that were missing
#'
#' The measure by which fits are best compared: leave entries out at random (set them to `NA`), fit,
#' and ask how probable they were. See `vignette("comparing-fits")`. Of choices it is pairs that are
#' left out; [heldout_density()][predict.fit_choice] of these is described there.
#'
#' @param fit A fit by [fit_gaussian()], [fit_logistic()], [fit_factor()], [fit_nmf()],
#'   [fit_mixed()] or [fit_cascade()] to data with `NA` entries, or by [fit_choice()].
#' @param actual (numeric matrix, data frame or sparse `Matrix`) The full data, of the size of the
#'   data of the fit and on their scale. Only the entries that the fit lacks are used; where they
#'   are `NA` here too, so is the result.
#' @param ndraws (positive integer, `Inf` or `NULL`) Average over this many evenly spaced draws. `NULL`:
#'   1000, `Inf`: all. See [ndraws].
#' @return A numeric vector: the log posterior predictive density of every entry that was `NA`, in
#'   column-major order, that is, of `which(is.na(x))` (of [fit_mixed()] without the columns that
#'   were left out). Given each draw of Z and the standard
#'   deviations the density is exact, the loadings integrated out over their posterior given the
#'   observed entries; the mean over draws is taken of densities, not of their logarithms. With
#'   nonnegative loadings, or `noise = "column"`, it is that given the loadings of each draw. Of
#'   [fit_factor()] it is that given the loadings of each draw, with `sparse = "factors"` the weights
#'   too; otherwise the factors are integrated out given the observed entries of the row. Of
#'   binary data and of [fit_mixed()] it is the log probability, or density in the units of the data,
#'   of the entry, given the weights of each draw. Of
#'   [fit_nmf()] it is that given the weights and loadings of each draw, or the modes; of
#'   [fit_cascade()] given the network and the hidden activations, -Inf outside of what its `range`
#'   lets data be. For a fit
#'   by [method_meibp()] it is that given its Z and `sigma_x`, over the variational posterior of the
#'   loadings: the most uncertain loading of the entry's row is integrated out exactly, the others
#'   enter as a normal of the same mean and variance. For one by [method_variational()] or
#'   [method_power_ep()] it is summed over the six features that make the most difference, by their
#'   probabilities, where these are between 1e-6 and 1 - 1e-6; other such features enter by mean and
#'   variance.
#' @examples
#' x <- block_images(50)
#' holes <- x
#' holes[sample(length(x), 180)] <- NA
#' fit <- fit_gaussian(holes, method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' mean(heldout_density(fit, x))
#' @export
heldout_density <- function(fit, actual, ndraws = NULL) UseMethod("heldout_density")

#' @export
heldout_density.default <- function(fit, actual, ndraws = NULL) stop_no_fit(fit)

#' @export
heldout_density.buffet_fit <- function(fit, actual, ndraws = NULL) {
  if (missing(actual)) stop("`actual` must be given: the full data.", call. = FALSE)
  x <- in_memory(fit, "heldout_density()")
  hidden <- missing_entries(x)
  if (nrow(hidden) == 0) stop("`fit` must be of data with missing entries.", call. = FALSE)
  which <- check_ndraws(ndraws, fit, tail_ndraws)
  actual <- check_like(fit, actual, "actual", sparse = TRUE)
  if (!identical(dim(actual), dim(x))) {
    must <- sprintf("be a matrix of %d x %d, as the data", nrow(x), ncol(x))
    stop_argument("actual", must, actual)
  }
  scales <- column_units(fit)[hidden[, 2]]
  values <- (actual[hidden] - column_shift(fit)[hidden[, 2]]) / scales
  known <- !is.na(values)
  out <- rep(NA_real_, length(values))
  if (any(known)) {
    density <- density_at(fit, which, hidden[known, , drop = FALSE] - 1L, values[known])
    out[known] <- density - log(scales[known])
  }
  out
}

#' Log predictive densities of values at these places, two columns of numbers from 0
#' @noRd
density_at <- function(fit, which, places, values) UseMethod("density_at")
