# fit_gaussian(noise = "column").

has_column_noise <- function(fit) identical(fit$internal$model$noise, "column")

check_column_noise <- function(x, loadings, method) {
  if (isS4(x)) stop_argument("x", "be dense for noise = \"column\"", was = "a sparse matrix")
  if (is_in_blocks(x)) {
    stop_argument("x", "be in memory for noise = \"column\"", was = "row_blocks()")
  }
  if (loadings != "normal") {
    stop_argument("loadings", "be \"normal\" for noise = \"column\"", loadings)
  }
  if (isFALSE(samples(method))) {
    stop_argument("method", "be a method_gibbs() for noise = \"column\"", method)
  }
}

noise_of_spread <- function(x, noise) {
  spread <- spread_of(x)
  if (noise == "common") return(scaled_prior(spread))
  sds <- column_sds(x)
  scaled_prior(replace(sds, is.na(sds) | sds < 1e-12 * spread, spread))
}

check_noise_of <- function(sigma_x, noise, data) {
  if (is.null(sigma_x)) return(noise_of_spread(centred(data), noise))
  check_sigma_x(sigma_x, noise, ncol(data$x))
}

check_sigma_x <- function(sigma_x, noise, columns) {
  if (noise == "common" || length(sigma_x) == 1 || is_learned(sigma_x)) {
    return(check_sigma(sigma_x, "sigma_x"))
  }
  each <- is.numeric(sigma_x) && is.null(dim(sigma_x)) && length(sigma_x) == columns
  if (!each) {
    must <- "be one positive number, a gamma_prior() or as many positive numbers as columns (%d)"
    stop_argument("sigma_x", sprintf(must, columns), sigma_x)
  }
  wrong <- which(!(is.finite(sigma_x) & sigma_x > 0))
  if (length(wrong) > 0) {
    was <- sprintf("%s in place %d", format(sigma_x[[wrong[1]]]), wrong[1])
    stop_argument("sigma_x", "have positive numbers only", was = was)
  }
  if (max(sigma_x) > 1e6 * min(sigma_x)) {
    was <- sprintf("%.3g to %.3g", min(sigma_x), max(sigma_x))
    stop_argument("sigma_x", "be within a factor of a million", was = was)
  }
  vapply(unname(sigma_x), check_sigma, 1, name = "sigma_x")
}

# Standard deviations of the noise in one draw, one per column, in the units of the data
column_sigmas <- function(fit, draw) {
  if (!has_column_noise(fit)) return(scalar(fit, "sigma_x")[draw] * column_units(fit))
  select_loadings(fit, draw)[seq_len(ncol(model_data(fit)))] * column_units(fit)
}

mean_column_sigmas <- function(fit) {
  draws <- seq_along(fit$feature_draws)
  means <- Reduce(`+`, lapply(draws, column_sigmas, fit = fit)) / length(draws)
  stats::setNames(means, colnames(model_data(fit)))
}
