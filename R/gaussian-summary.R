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

describe_scale <- function(model) if (any(model$data$scale != 1)) ", columns scaled"

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_gaussian <- function(fit) fit$model$sigma

#' @exportS3Method
#' @noRd
column_parameters.fit_gaussian <- function(fit) if (has_column_noise(fit)) "sigma_x"
