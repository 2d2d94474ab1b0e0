# Fits of linear-Gaussian models by optimisation: one point estimate of Z, or the probabilities of
# its entries, with a variational posterior of the loadings and gamma factors of hyperparameters.

#' @param result What the core left: Z (`features`) or the probabilities of its entries, and the
#'   posterior of the loadings, `mean` with `location` and `scale` (all D x K) of independent
#'   normals, truncated where loadings are nonnegative, or with `covariance`, a list, and which of
#'   it is that of a column.
#' @noRd
new_factorised <- function(result, model, method, seed) {
  x <- model$data$x
  raw <- result$features %||% (result$probabilities > 0.5) + 0L
  used <- which(colSums(raw) > 0)
  z <- label_features(raw[, used, drop = FALSE], rownames(x))
  # Those that no row holds come last.
  order <- c(used[match_columns(z, raw[, used, drop = FALSE])], setdiff(seq_len(ncol(raw)), used))
  factors <- result[c("alpha", "tau_x", "tau_a")]
  size <- function(tau) unname(1 / sqrt(tau[["mean"]]))
  values <- c(
    n_features = ncol(z), n_ones = sum(z), alpha = factors$alpha[["mean"]],
    concentration = model$prior$concentration, sigma_x = size(factors$tau_x),
    sigma_a = size(factors$tau_a), bound = result$bound + log_unit(model)
  )
  do.call(new_fit, c(
    list(
      model, method, "fit_point",
      draws = new_feature_draws(nrow(x), ncol(z), pack_bits(z), rownames(x)), point = 1L,
      scalars = array(values, c(1, 1, length(values)), list(NULL, NULL, names(values))),
      probabilities = result$probabilities[, order, drop = FALSE],
      log_odds = result$log_odds[order], factors = factors,
      # Before the first features that are at most max_features there is nothing to show.
      trace = result$trace[is.finite(result$trace)] + log_unit(model), residual = result$residual,
      finished = result$finished, seed = seed
    ),
    ordered_loadings(result, order)
  ))
}

#' The posterior of the loadings with its features in another order
#' @noRd
ordered_loadings <- function(result, order) {
  some <- function(m) if (!is.null(m)) m[, order, drop = FALSE]
  list(
    mean = some(result$mean), location = some(result$location), scale = some(result$scale),
    covariance = lapply(result$covariance, function(v) v[order, order, drop = FALSE]),
    covariance_of = result$covariance_of
  )
}

#' Expected features of every row, N x K: Z, or its probabilities
#'
#' With these come features that no row holds with a probability above one half.
#' @noRd
expected_features <- function(fit) fit$probabilities %||% features(fit)

#' A binary matrix as the bits of a draw: columns of whole 64-bit words
#' @noRd
pack_bits <- function(z) {
  filled <- matrix(FALSE, 64 * ceiling(nrow(z) / 64), ncol(z))
  filled[seq_len(nrow(z)), ] <- z == 1
  packBits(as.vector(filled))
}

#' @exportS3Method
#' @noRd
gaussian_loadings.method_factor <- function(fit) {
  z <- features(fit)
  labelled <- function(m) {
    out <- t(m)[seq_len(ncol(z)), , drop = FALSE]
    dimnames(out) <- list(colnames(z), colnames(fit$model$data$x))
    out
  }
  if (fit$model$loadings == "nonnegative" && !is.null(fit$location)) {
    return(structure(
      labelled(fit$mean), location = labelled(fit$location), scale = labelled(fit$scale)
    ))
  }
  structure(labelled(fit$mean), sd = labelled(sqrt(loading_variances(fit))))
}

#' @exportS3Method
#' @noRd
gaussian_response.method_factor <- function(fit, which) {
  tcrossprod(expected_features(fit), fit$mean)
}

#' Variances of the loadings, D x K
#' @noRd
loading_variances <- function(fit) {
  if (is.null(fit$location)) {
    return(do.call(rbind, lapply(fit$covariance, diag))[fit$covariance_of, , drop = FALSE])
  }
  if (fit$model$loadings == "normal") return(fit$scale^2)
  nonnegative_moments_cpp(fit$location, fit$scale)$variance
}

#' The posterior of the loadings and the noise as the core reads them, with mean and variances or
#' covariances
#' @noRd
known_loadings <- function(fit) {
  joint <- is.null(fit$location)
  list(
    mean = fit$mean, variances = if (!joint) loading_variances(fit),
    covariance = if (joint) fit$covariance, covariance_of = fit$covariance_of,
    variance = scalar(fit, "sigma_x")^2
  )
}

#' @exportS3Method
#' @noRd
gaussian_density.method_factor <- function(fit, which, places, values) {
  truncated <- fit$model$loadings == "nonnegative" && !is.null(fit$location)
  known <- c(list(
    probabilities = expected_features(fit) + 0, truncated = truncated, location = fit$location,
    scale = fit$scale
  ), known_loadings(fit))
  point_heldout_cpp(known, list(rows = places[, 1], columns = places[, 2], values = values))
}

#' At the mean loadings and precision
#' @exportS3Method
#' @noRd
gaussian_log_lik.method_factor <- function(fit) {
  x <- in_memory(fit, "logLik()")
  sigma_x <- rep(column_sigmas(fit, 1), each = nrow(x))
  sum(stats::dnorm(as.matrix(x), fitted(fit), sigma_x, log = TRUE), na.rm = TRUE)
}

#' @exportS3Method
#' @noRd
draw_gaussian_loadings.method_factor <- function(fit, draw, seed) {
  if (is.null(fit$location)) return(seeded(seed, draw_joint_loadings(fit)))
  if (fit$model$loadings == "nonnegative") {
    return(nonnegative_draw_cpp(fit$location, fit$scale, seed))
  }
  seeded(seed, fit$location + fit$scale * stats::rnorm(length(fit$scale)))
}

#' Normal loadings of which those of a column depend on each other
#' @noRd
draw_joint_loadings <- function(fit) {
  if (ncol(fit$mean) == 0) return(fit$mean)
  roots <- lapply(fit$covariance, chol)
  noise <- matrix(stats::rnorm(length(fit$mean)), nrow(fit$mean))
  for (d in seq_len(nrow(noise))) noise[d, ] <- noise[d, ] %*% roots[[fit$covariance_of[d]]]
  fit$mean + noise
}

#' @exportS3Method
#' @noRd
draw_gaussian_z.method_factor <- function(fit, draw) {
  p <- fit$probabilities
  if (is.null(p)) return(draw_features_cpp(unclass(fit$draws), draw))
  matrix(stats::rbinom(length(p), 1, p), nrow(p))
}

#' @export
coassignment.fit_point <- function(fit) {
  p <- fit$probabilities
  if (is.null(p)) return(NextMethod())
  shared <- tcrossprod(p)
  diag(shared) <- rowSums(p)
  dimnames(shared) <- list(rownames(fit$model$data$x), rownames(fit$model$data$x))
  shared
}

#' Features and expected data of rows that are not in the data, for a fit by a method that does not
#' sample
#'
#' @param rows In the units of the model.
#' @return list(features, probabilities, response): rows x features of `features(fit)`, rows x
#'   features that have loadings, rows x D.
#' @noRd
point_rows <- function(method, fit, rows) UseMethod("point_rows")

#' @exportS3Method
#' @noRd
new_features.fit_point <- function(fit, rows) {
  point_rows(fit$method, fit, in_model_units(fit, rows))$features
}

#' @exportS3Method
#' @noRd
new_response.fit_point <- function(fit, rows, which) {
  point_rows(fit$method, fit, in_model_units(fit, rows))$response
}
