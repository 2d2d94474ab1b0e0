#' Share of the variance of each column that a fit explains
#'
#' The Bayesian R squared of Gelman, Goodrich, Gabry and Vehtari (2019) for each column of the data.
#' For every draw it is the variance, over rows, of the means of the entries, divided by the sum of
#' this variance and the variance of the noise.
#'
#' The features of a row are learned from the row itself. R squared therefore says how much of the
#' data the features of these rows explain, not how well new rows would be predicted. To measure
#' that, leave entries out and use [heldout_density()].
#'
#' @param object A fit by [fit_gaussian()], [fit_factor()] or [fit_nmf()]. Other fits, whose noise
#'   is not normal with one variance per column, are an error.
#' @param ndraws (positive integer, `Inf` or `NULL`) How many evenly spaced draws to use. `NULL`
#'   (default) and `Inf`: all. See [ndraws].
#' @param ... Must be empty.
#' @return A numeric matrix, draws x columns of the data, of numbers from 0 to 1. Loadings that a
#'   fit does not store are drawn anew at every call: call `set.seed()` first to repeat a result.
#' @references
#' Gelman, A., Goodrich, B., Gabry, J. and Vehtari, A. (2019). R-squared for Bayesian regression
#' models. *The American Statistician* 73, 307-309.
#' @examples
#' fit <- fit_factor(scale(swiss), method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' round(colMeans(bayes_R2(fit)), 2)
#' @importFrom rstantools bayes_R2
#' @export
bayes_R2.buffet_fit <- function(object, ndraws = NULL, ...) { # nolint: object_name_linter.
  check_no_more(...)
  if (!traits_of(object)$normal_noise) {
    stop_argument("object", "be a fit to numbers with normal noise", object)
  }
  which <- check_ndrawn(ndraws, object)
  shares <- over_draws(which, function(draw) {
    explained <- apply(draw_mean(object, draw), 2, stats::var)
    explained / (explained + noise_of(object, draw)^2)
  }, numeric(ncol(model_data(object))))
  names <- list(NULL, colnames(model_data(object)))
  matrix(shares, length(which), byrow = TRUE, dimnames = names)
}

# Standard deviations of the noise in one draw, per column or common, in the units of the data
noise_of <- function(fit, draw) {
  if (inherits(fit, "fit_gaussian")) return(column_sigmas(fit, draw))
  if (inherits(fit, "fit_nmf")) return(scalar(fit, "sigma_x")[draw])
  factor_draw(fit, draw)$sigma_x * column_units(fit)
}
