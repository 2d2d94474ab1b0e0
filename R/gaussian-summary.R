# How a linear-Gaussian fit shows itself.

#' @exportS3Method
#' @noRd
describe_data.fit_gaussian <- function(fit) {
  paste0(
    "Linear-Gaussian latent feature model of ", describe_matrix(fit$model$data$x),
    if (fit$model$loadings == "nonnegative") ", nonnegative loadings",
    if (has_column_noise(fit)) ", noise of each column", describe_scale(fit$model)
  )
}

#' Features beyond those that rows share stand for noise that differs between columns, or for values
#' between there and not there
#' @exportS3Method
#' @noRd
fewer_features.fit_gaussian <- function(fit) {
  other <- other_noise(fit)
  c(
    if (!is.null(other)) sprintf("`%s`", other) else "`max_features`",
    if (!isS4(fit$model$data$x)) "`fit_factor()`"
  )
}

describe_scale <- function(model) if (is_scaled(model)) ", columns scaled"

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_gaussian <- function(fit) fit$model$sigma

#' @exportS3Method
#' @noRd
prior_notes.fit_gaussian <- function(fit) {
  bounded <- fit$model$loadings == "normal" && is_learned(fit$model$sigma$sigma_x)
  c(sigma_x = paste0(
    if (has_column_noise(fit)) " of each column", if (bounded) ", sigma_x at least sigma_a / 1000"
  ))
}

#' @exportS3Method
#' @noRd
further_priors.fit_gaussian <- function(fit) {
  prior_row("loadings", switch(fit$model$loadings,
    normal = "N(0, sigma_a^2)", nonnegative = "N(0, sigma_a^2) truncated to [0, Inf)"
  ))
}
