#' @exportS3Method
describe_data.fit_gaussian <- function(fit) {
  paste0(
    "Linear-Gaussian latent feature model of ", describe_matrix(model_data(fit)),
    if (fit$internal$model$loadings == "nonnegative") ", nonnegative loadings",
    if (has_column_noise(fit)) ", noise of each column", describe_scale(fit$internal$model)
  )
}

describe_scale <- function(model) if (is_scaled(model)) ", columns scaled"

#' @exportS3Method
further_priors.fit_gaussian <- function(fit) {
  prior_row("loadings", switch(fit$internal$model$loadings,
    normal = "N(0, sigma_a^2)", nonnegative = "N(0, sigma_a^2) truncated to [0, Inf)"
  ))
}
