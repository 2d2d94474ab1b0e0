# Methods of fit_nmf() for the generics of predict.R, heldout.R and posterior-predict.R.

#' Predictions of a factorisation
#'
#' `predict()` returns the reconstruction of the rows of the data, or of new rows, by the components
#' of a fit, or the weights of the components in these rows.
#'
#' @param object A fit by [fit_nmf()].
#' @param newdata (numeric matrix, data frame or sparse matrix, or `NULL`) New rows with the columns
#'   of the data, matched by name if both have names, otherwise by position. `NULL` (default):
#'   the rows of the data. Missing entries (`NA`) are predicted from the observed entries of their
#'   row.
#' @param type (string) `"response"` (default): the reconstruction `w A` of each row. `"weights"`:
#'   the weights `w` of each row, in the columns of [weights_of()].
#' @param ndraws (positive integer, `Inf` or `NULL`) For `newdata`: average over this many evenly
#'   spaced draws; `NULL` (default) and `Inf` average over all. For intervals: how many draws their
#'   ends are quantiles of, by default 1000. See [ndraws]. `type = "weights"` and fits by
#'   [method_icm()], which have one estimate, do not use it.
#' @param interval (string) `"none"` (default). `"credible"`: the result also has the ends of the
#'   central posterior interval of the mean of each entry. `"predictive"`: of the entry itself; see
#'   [Intervals][predictive_interval.buffet_fit].
#' @param level (number in (0, 1)) Probability of these intervals (default 0.9).
#' @param ... Must be empty.
#' @return A numeric matrix with a row per row of `newdata` (or of the data) and a column per column
#'   of the data (`"response"`) or per component (`"weights"`, columns `c1`, `c2`, ...). With
#'   `interval` a data frame, as [predict.buffet_fit()] has it; fits by [method_icm()] have no
#'   intervals.
#' @details For a fit by [method_icm()] the weights of a new row are their mode given the loadings
#'   and the noise of the fit, or their prior mean if the row has no observed entry. For a fit by
#'   [method_gibbs()] they are sampled given each draw, starting at their mode. Every weight is
#'   visited 12 times first; then every fourth of 20 further visits counts for the mean. `"weights"`
#'   are means of 250 such values given the draw that [weights_of()] shows. The result for a row is
#'   the same at every call, whichever other rows are given, because its random numbers come from
#'   the row and the seed of the fit.
#' @examples
#' set.seed(1)
#' x <- block_images(60)
#' fit <- fit_nmf(x[1:50, ], rank = 4, seed = 1)
#' # half of the entries of ten new images are hidden, and predicted from the others
#' new <- x[51:60, ]
#' hidden <- matrix(runif(length(new)) < 0.5, nrow(new))
#' new[hidden] <- NA
#' # the error is between the error of the column means and the noise, 0.5
#' sqrt(mean((predict(fit, new) - x[51:60, ])[hidden]^2))
#' sqrt(mean((rep(colMeans(x[1:50, ]), each = 10) - x[51:60, ])[hidden]^2))
#' # how much of each component the first three of these images have
#' round(predict(fit, new[1:3, ], type = "weights"), 2)
#' @export
predict.fit_nmf <- function(object, newdata = NULL, type = c("response", "weights"), ndraws = NULL,
                            interval = c("none", "credible", "predictive"), level = 0.9, ...) {
  check_no_more(...)
  type <- check_choice(type, c("response", "weights"), "type")
  interval <- check_interval(interval, object, type)
  level <- check_number(level, "level", 0, 1, "()")
  which <- check_mean_ndraws(ndraws, object, newdata, interval)
  if (interval != "none") return(predict_interval(object, newdata, ndraws, interval, level))
  if (is.null(newdata)) {
    return(if (type == "weights") weights_of(object) else fitted(object))
  }
  rows <- new_row_data(object, newdata)
  if (type == "weights") features_of_new(object, rows) else expect_rows(object, rows, which)
}

#' @exportS3Method
new_response.fit_nmf <- function(fit, rows, which) {
  mean_over_blocks(which, new_rows_in_block(fit, rows), function(some, first) {
    t(new_weights(fit, rows, some, 5L, row_plan(fit, first = first))$response)
  })
}

#' @exportS3Method
new_row_drawer.fit_nmf <- function(fit, rows, apart) {
  function(draw) {
    plan <- function() row_plan(fit, seed = draw_seed(), apart = apart)
    weights <- t(new_weights(fit, rows, draw, 1L, plan())$weights)
    mean <- weights %*% nmf_factors(fit, draw)$loadings
    noise <- row_normals_cpp(rows, ncol(rows), plan())
    list(mean = mean, data = mean + scalar(fit, "sigma_x")[draw] * noise)
  }
}

# averaged: Number of draws of weights, four visits each, in the mean.
new_weights <- function(fit, rows, which, averaged, plan = row_plan(fit)) {
  known <- c(nmf_draws(fit, which), list(
    rate_w = fit$internal$model$rate_w, averaged = if (samples(fit$method)) averaged else 0L
  ))
  found <- nmf_new_rows_cpp(rows, known, plan)
  none <- unobserved(rows)$rows
  if (known$averaged > 0 || length(none) == 0) return(found)
  # Without observed entries weights have their prior mean, as in with_prior_means().
  found$weights[, none] <- 1 / fit$internal$model$rate_w
  loadings <- nmf_factors(fit, fit$internal$point)$loadings
  found$response[, none] <- colSums(loadings) / fit$internal$model$rate_w
  found
}

nmf_draws <- function(fit, which) {
  # A mode is a single draw, however often it is selected.
  which <- unique(which)
  list(
    loadings = matrix(select_loadings(fit, which), fit$internal$model$loading_width),
    sigma_x = scalar(fit, "sigma_x")[which], columns = ncol(model_data(fit))
  )
}

#' @exportS3Method
check_like.fit_nmf <- function(fit, x, name, sparse = FALSE) check_data_matrix(x, name, sparse)

#' @exportS3Method
mean_response.fit_nmf <- function(fit, which) {
  mean_over_blocks(which, draws_in_block(fit), function(some, first) {
    nmf_fitted_cpp(nmf_draws(fit, some)$loadings, ncol(model_data(fit)), length(some))
  })
}

#' @exportS3Method
density_at.fit_nmf <- function(fit, which, places, values) {
  nmf_heldout_cpp(nmf_draws(fit, which), places, values)
}

#' @exportS3Method
draw_mean.fit_nmf <- function(fit, draw) {
  factors <- nmf_factors(fit, draw)
  mean <- factors$weights %*% factors$loadings
  dimnames(mean) <- data_names(fit)
  mean
}

#' @exportS3Method
draw_data.fit_nmf <- function(fit, draw) {
  mean <- draw_mean(fit, draw)
  mean + stats::rnorm(length(mean), sd = scalar(fit, "sigma_x")[draw])
}

#' @exportS3Method
log_densities.fit_nmf <- function(fit, x, draw) {
  stats::dnorm(x, draw_mean(fit, draw), scalar(fit, "sigma_x")[draw], log = TRUE)
}

#' @export
log_lik.fit_nmf <- function(object, by = c("entry", "row"), ndraws = NULL, ...) {
  if (is.null(ndraws)) ndraws <- min(tail_ndraws, length(object$feature_draws))
  log_lik.buffet_fit(object, by, ndraws, ...)
}
