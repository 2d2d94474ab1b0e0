# Methods of fit_logistic() for the generics of predict.R, heldout.R and posterior-predict.R.

logistic_draws <- function(fit, which) {
  list(
    y = model_data(fit), draws = unclass(select_draws(fit$feature_draws, which)),
    loadings = as.double(select_loadings(fit, which)), sigma_a = scalar(fit, "sigma_a")[which],
    bias = has_bias(fit$internal$model)
  )
}

#' @exportS3Method
check_like.fit_logistic <- function(fit, x, name, sparse = FALSE) {
  check_responses(x, name, sparse, fit$internal$model$data$coding)
}

#' @exportS3Method
mean_response.fit_logistic <- function(fit, which) {
  t(mean_over_blocks(which, draws_in_block(fit), function(some, first) {
    logistic_fitted_cpp(logistic_draws(fit, some))
  }))
}

#' @exportS3Method
new_rows.fit_logistic <- function(fit, rows, which, plan) {
  known <- c(logistic_draws(fit, which), prior_of_next(fit, which))
  logistic_new_rows_cpp(known, t(rows), plan)
}

#' @exportS3Method
new_row_drawer.fit_logistic <- function(fit, rows, apart) drawer_of_core(fit, rows, apart)

#' @exportS3Method
density_at.fit_logistic <- function(fit, which, places, values) {
  logistic_heldout_cpp(logistic_draws(fit, which), places[, 1], places[, 2], values)
}

# Draws of biases (if any) and weights given the point estimate, D x (1 + K) x draws
logistic_weights <- function(fit) weight_draws(fit, prod(dim(model_data(fit))))

#' @exportS3Method
mean_loadings.fit_logistic <- function(fit) {
  weights <- t(rowMeans(logistic_weights(fit), dims = 2))
  colnames(weights) <- colnames(model_data(fit))
  own <- if (has_bias(fit$internal$model)) -1 else seq_len(nrow(weights))
  out <- weights[own, , drop = FALSE]
  rownames(out) <- colnames(fit$features)
  if (has_bias(fit$internal$model)) attr(out, "bias") <- weights[1, ]
  out
}

log_odds_of <- function(fit, draw) {
  z <- drawn_features(fit, draw)
  if (has_bias(fit$internal$model)) z <- cbind(1, z)
  tcrossprod(z, matrix(select_loadings(fit, draw), ncol(model_data(fit))))
}

#' @exportS3Method
draw_mean.fit_logistic <- function(fit, draw) stats::plogis(log_odds_of(fit, draw))

#' @exportS3Method
draw_data.fit_logistic <- function(fit, draw) {
  p <- draw_mean(fit, draw)
  matrix(stats::rbinom(length(p), 1, p), nrow(p), dimnames = data_names(fit))
}

#' @exportS3Method
log_densities.fit_logistic <- function(fit, x, draw) {
  stats::plogis((2 * x - 1) * log_odds_of(fit, draw), log.p = TRUE)
}

tidy_logistic_loadings <- function(fit, conf_level) {
  draws <- logistic_weights(fit)
  if (has_bias(fit$internal$model)) draws <- draws[, -1, , drop = FALSE]
  of_each <- function(statistic, ...) t(apply(draws, 1:2, statistic, ...))
  mean <- of_each(mean)
  dimnames(mean) <- list(colnames(fit$features), colnames(model_data(fit)))
  tail <- (1 - conf_level) / 2
  tibble::tibble(
    tidy_loadings(mean), std.error = as.vector(of_each(stats::sd)),
    conf.low = as.vector(of_each(stats::quantile, tail)),
    conf.high = as.vector(of_each(stats::quantile, 1 - tail))
  )
}
