# Fits of linear-Gaussian models by optimisation: one point estimate of Z, or the probabilities of
# its entries, with a variational posterior of the loadings and gamma factors of hyperparameters.

# result: From the core: Z (`features`) or the probabilities of its entries, and the posterior of
# the loadings: `mean` with `location` and `scale` (D x K) of independent normals, truncated if
# loadings are nonnegative, or with `covariance`, a list, and the element of each column.
new_factorised <- function(result, model, method, seed) {
  x <- model$data$x
  raw <- result$features %||% (result$probabilities > 0.5) + 0L
  used <- which(colSums(raw) > 0)
  z <- label_features(raw[, used, drop = FALSE], rownames(x))
  # Empty features come last.
  order <- c(used[match_columns(z, raw[, used, drop = FALSE])], setdiff(seq_len(ncol(raw)), used))
  factors <- result[c("alpha", "tau_x", "tau_a")]
  size <- function(tau) unname(1 / sqrt(tau[["mean"]]))
  values <- c(
    n_features = ncol(z), n_ones = sum(z), alpha = factors$alpha[["mean"]],
    concentration = model$prior$concentration, sigma_x = size(factors$tau_x),
    sigma_a = size(factors$tau_a), bound = result$bound + model$traits$log_unit
  )
  draws <- new_feature_draws(nrow(x), ncol(z), pack_bits(z), rownames(x))
  with_estimates(do.call(new_fit, c(
    list(
      model, method, "fit_point", seed, draws, point = 1L,
      scalars = array(values, c(1, 1, length(values)), list(NULL, NULL, names(values))),
      probabilities = result$probabilities[, order, drop = FALSE],
      log_odds = result$log_odds[order], factors = factors,
      # The trace begins once there are at most max_features features.
      trace = result$trace[is.finite(result$trace)] + model$traits$log_unit,
      residual = result$residual,
      finished = result$finished
    ),
    ordered_loadings(result, order)
  )))
}

ordered_loadings <- function(result, order) {
  some <- function(m) if (!is.null(m)) m[, order, drop = FALSE]
  list(
    mean = some(result$mean), location = some(result$location), scale = some(result$scale),
    covariance = lapply(result$covariance, function(v) v[order, order, drop = FALSE]),
    covariance_of = result$covariance_of
  )
}

# Expected features of every row, N x K: Z, or its probabilities
# Probabilities include features that no row has with a probability above 1/2.
expected_features <- function(fit) fit$internal$probabilities %||% fit$features

pack_bits <- function(z) {
  filled <- matrix(FALSE, 64 * ceiling(nrow(z) / 64), ncol(z))
  filled[seq_len(nrow(z)), ] <- z == 1
  packBits(as.vector(filled))
}

point_loadings <- function(fit) {
  z <- fit$features
  found <- fit$internal
  labelled <- function(m) {
    out <- t(m)[seq_len(ncol(z)), , drop = FALSE]
    dimnames(out) <- list(colnames(z), colnames(model_data(fit)))
    out
  }
  if (found$model$loadings == "nonnegative" && !is.null(found$location)) {
    return(structure(labelled(found$mean),
      location = labelled(found$location), scale = labelled(found$scale)
    ))
  }
  structure(labelled(found$mean), sd = labelled(sqrt(loading_variances(fit))))
}

loading_variances <- function(fit) {
  found <- fit$internal
  if (is.null(found$location)) {
    return(do.call(rbind, lapply(found$covariance, diag))[found$covariance_of, , drop = FALSE])
  }
  if (found$model$loadings == "normal") return(found$scale^2)
  nonnegative_moments_cpp(found$location, found$scale)$variance
}

known_loadings <- function(fit) {
  found <- fit$internal
  joint <- is.null(found$location)
  list(
    mean = found$mean, variances = if (!joint) loading_variances(fit),
    covariance = if (joint) found$covariance, covariance_of = found$covariance_of,
    variance = scalar(fit, "sigma_x")^2
  )
}

# Normal loadings that are correlated within a column
draw_joint_loadings <- function(found) {
  if (ncol(found$mean) == 0) return(found$mean)
  roots <- lapply(found$covariance, chol)
  noise <- matrix(stats::rnorm(length(found$mean)), nrow(found$mean))
  for (d in seq_len(nrow(noise))) noise[d, ] <- noise[d, ] %*% roots[[found$covariance_of[d]]]
  found$mean + noise
}

#' @export
coassignment.fit_point <- function(fit) {
  p <- fit$internal$probabilities
  if (is.null(p)) return(NextMethod())
  shared <- tcrossprod(p)
  diag(shared) <- rowSums(p)
  dimnames(shared) <- list(rownames(model_data(fit)), rownames(model_data(fit)))
  shared
}

# Features and expected data of new rows
# rows: In the units of the model.
# Returns list(features, probabilities, response): rows x features of `features(fit)`, rows x
#   features that have loadings, rows x D.
point_rows <- function(method, fit, rows) UseMethod("point_rows")

#' @exportS3Method
new_response.fit_point <- function(fit, rows, which) {
  point_rows(fit$method, fit, in_model_units(fit, rows))$response
}

draw_point_loadings <- function(found, seed) {
  if (is.null(found$location)) return(seeded(seed, draw_joint_loadings(found)))
  if (found$model$loadings == "nonnegative") {
    return(nonnegative_draw_cpp(found$location, found$scale, seed))
  }
  seeded(seed, found$location + found$scale * stats::rnorm(length(found$scale)))
}
