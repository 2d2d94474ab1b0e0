# What a linear-Gaussian fit answers through the generics of features.R, predict.R, heldout.R and
# posterior-predict.R. How it does so depends on the method that it was fitted by: the functions
# here whose methods are methods of inference.

#' Draws of a fit for what the core computes from them
#' @noRd
gaussian_draws <- function(fit, which, x = data_at_hand(fit$model$data)) {
  list(
    x = x, given = !infers_loadings(fit), draws = unclass(select_draws(fit$draws, which)),
    sigma = rbind(scalar(fit, "sigma_x")[which], scalar(fit, "sigma_a")[which]),
    nonnegative = fit$model$loadings == "nonnegative", column_noise = has_column_noise(fit),
    loadings = as.double(select_loadings(fit, which))
  )
}

#' Data in memory, or for those that are not a matrix of this size without an entry
#' @noRd
data_at_hand <- function(data) {
  x <- centred(data)
  if (!is_in_blocks(x)) return(x)
  Matrix::sparseMatrix(integer(), integer(), x = double(), dims = dim(x))
}

#' Are loadings inferred from the features of a draw and the data where means are asked for?
#' Otherwise those are taken that the chains have drawn
#' @noRd
infers_loadings <- function(fit) {
  model <- fit$model
  model$loadings == "normal" && !has_column_noise(fit) && !is_in_blocks(model$data$x)
}

#' @exportS3Method
#' @noRd
check_like.fit_gaussian <- function(fit, x, name, sparse = FALSE) {
  check_data_matrix(x, name, sparse)
}

#' @exportS3Method
#' @noRd
new_rows.fit_gaussian <- function(fit, rows, which, plan) {
  known <- c(gaussian_draws(fit, which), prior_of_next(fit, which))
  gaussian_new_rows_cpp(known, t(in_model_units(fit, rows)), plan)
}

#' @exportS3Method
#' @noRd
mean_loadings.fit_gaussian <- function(fit) loadings_in_units(fit, gaussian_loadings(fit))

#' Posterior mean of A in the units of the model, K x D
#' @noRd
gaussian_loadings <- function(fit) UseMethod("gaussian_loadings", fit$method)

#' @exportS3Method
#' @noRd
gaussian_loadings.method_gibbs <- function(fit) {
  known <- gaussian_draws(fit, fit$point)
  a <- if (fit$model$loadings == "nonnegative" && !is_in_blocks(fit$model$data$x)) {
    gaussian_nonnegative_mean_cpp(known, 500, fit$seed)
  } else {
    gaussian_loadings_cpp(known, TRUE, 0)[[1]]
  }
  z <- features(fit)
  out <- t(a)[match_columns(z, draw_features_cpp(unclass(fit$draws), fit$point)), , drop = FALSE]
  dimnames(out) <- list(colnames(z), colnames(fit$model$data$x))
  if (has_column_noise(fit)) attr(out, "sigma_x") <- mean_column_sigmas(fit)
  out
}

#' @exportS3Method
#' @noRd
mean_response.fit_gaussian <- function(fit, which) gaussian_response(fit, which)

#' Mean over some draws of Z A, N x D
#' @noRd
gaussian_response <- function(fit, which) UseMethod("gaussian_response", fit$method)

#' @exportS3Method
#' @noRd
gaussian_response.method_gibbs <- function(fit, which) {
  if (!can_smooth(fit)) return(t(mean_gaussian_fitted(fit, which, data_at_hand(fit$model$data))))
  # With more columns than rows it is cheaper to average the N x N matrices that smooth the data.
  x <- as.matrix(centred(fit$model$data))
  crossprod(mean_gaussian_fitted(fit, which, diag(nrow(x))), x)
}

#' @param x As gaussian_draws() has it.
#' @noRd
mean_gaussian_fitted <- function(fit, which, x) {
  mean_over_blocks(which, draws_in_block(fit), function(some, first) {
    gaussian_fitted_cpp(gaussian_draws(fit, some, x))
  })
}

can_smooth <- function(fit) {
  x <- fit$model$data$x
  ncol(x) > nrow(x) && infers_loadings(fit) && count_observed(x) == prod(dim(x))
}

#' @exportS3Method
#' @noRd
density_at.fit_gaussian <- function(fit, which, places, values) {
  gaussian_density(fit, which, places, values)
}

#' Log predictive densities, as density_at() gives them
#' @noRd
gaussian_density <- function(fit, which, places, values) UseMethod("gaussian_density", fit$method)

#' @exportS3Method
#' @noRd
gaussian_density.method_gibbs <- function(fit, which, places, values) {
  gaussian_heldout_cpp(gaussian_draws(fit, which), places[, 1], places[, 2], values)
}

#' @exportS3Method
#' @noRd
point_log_lik.fit_gaussian <- function(fit) gaussian_log_lik(fit)

#' Log likelihood of the point estimate
#' @noRd
gaussian_log_lik <- function(fit) UseMethod("gaussian_log_lik", fit$method)

#' @exportS3Method
#' @noRd
gaussian_log_lik.method_gibbs <- function(fit) scalar(fit, "log_lik")[fit$point]

#' @exportS3Method
#' @noRd
draw_data.fit_gaussian <- function(fit, draw) draw_normal_entries(draw_model(fit, draw))

#' @exportS3Method
#' @noRd
draw_mean.fit_gaussian <- function(fit, draw) draw_model(fit, draw)$mean

#' @exportS3Method
#' @noRd
log_densities.fit_gaussian <- function(fit, x, draw) normal_log_densities(draw_model(fit, draw), x)

#' One draw of the whole model: Z A on the data's scale, with A drawn given Z, and the sigma_x of
#' every entry
#' @noRd
draw_model <- function(fit, draw) {
  z <- draw_gaussian_z(fit, draw)
  # Drawn here: as a promise within seeded() it would leave the generator where it was.
  seed <- sample.int(.Machine$integer.max, 1)
  a <- draw_gaussian_loadings(fit, draw, seed)
  mean <- from_model_units(fit, tcrossprod(z, a))
  dimnames(mean) <- data_names(fit)
  list(mean = mean, sigma_x = rep(column_sigmas(fit, draw), each = nrow(z)))
}

#' One draw of Z
#' @noRd
draw_gaussian_z <- function(fit, draw) UseMethod("draw_gaussian_z", fit$method)

#' @exportS3Method
#' @noRd
draw_gaussian_z.method_gibbs <- function(fit, draw) draw_features_cpp(unclass(fit$draws), draw)

#' A draw of A given Z, D x K, its features in the order that a draw of Z is kept in
#' @noRd
draw_gaussian_loadings <- function(fit, draw, seed) UseMethod("draw_gaussian_loadings", fit$method)

#' @exportS3Method
#' @noRd
draw_gaussian_loadings.method_gibbs <- function(fit, draw, seed) {
  known <- gaussian_draws(fit, draw)
  known$given <- length(fit$draws_loadings) > 0
  gaussian_loadings_cpp(known, FALSE, seed)[[1]]
}

#' @exportS3Method
#' @noRd
new_row_drawer.fit_gaussian <- function(fit, rows, apart) gaussian_row_drawer(fit, rows, apart)

#' What draws new rows given a draw
#' @noRd
gaussian_row_drawer <- function(fit, rows, apart) UseMethod("gaussian_row_drawer", fit$method)

#' @exportS3Method
#' @noRd
gaussian_row_drawer.method_gibbs <- function(fit, rows, apart) drawer_of_core(fit, rows, apart)

#' Features of greatest bound, or drawn from their probabilities, and loadings from their posterior
#' @exportS3Method
#' @noRd
gaussian_row_drawer.method_factor <- function(fit, rows, apart) {
  x <- in_model_units(fit, rows)
  p <- point_rows(fit$method, fit, x)$probabilities
  sigma_x <- rep(column_sigmas(fit, 1), each = nrow(rows))
  function(draw) {
    plan <- row_plan(fit, seed = draw_seed(), apart = apart)
    noise <- row_normals_cpp(x, ncol(p) + ncol(x), plan)
    z <- (noise[, seq_len(ncol(p)), drop = FALSE] < stats::qnorm(p)) + 0
    mean <- from_model_units(fit, tcrossprod(z, draw_gaussian_loadings(fit, draw, draw_seed())))
    list(mean = mean, data = mean + sigma_x * noise[, ncol(p) + seq_len(ncol(x))])
  }
}
