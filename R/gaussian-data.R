check_data <- function(x, method) {
  if (!is_in_blocks(x)) return(check_data_matrix(x, "x", sparse = TRUE))
  if (!reads_blocks(method)) {
    must <- paste(
      "be method_meibp(), method_variational(), method_power_ep() or method_gibbs() with the",
      "sampler \"parallel\" for row_blocks()"
    )
    sampler <- if (inherits(method, "method_gibbs")) method$sampler
    was <- if (!is.null(sampler)) sprintf("one with the sampler \"%s\"", sampler)
    stop_argument("method", must, was = was %||% describe_value(method))
  }
  x
}

column_means <- function(x, center) {
  if (!center) return(rep(0, ncol(x)))
  if (isS4(x)) {
    stop_argument("center", "be FALSE for a sparse `x`, which would become dense", TRUE)
  }
  if (is_in_blocks(x)) stop_argument("center", "be FALSE for row_blocks()", TRUE)
  means <- colMeans(x, na.rm = TRUE)
  replace(means, is.nan(means), 0)
}

# Standard deviations of the observed entries of each column; 1 if all are equal
column_scales <- function(x, scale) {
  if (!scale) return(rep(1, ncol(x)))
  if (isS4(x)) stop_argument("scale", "be FALSE for a sparse `x`", TRUE)
  if (is_in_blocks(x)) stop_argument("scale", "be FALSE for row_blocks()", TRUE)
  sds <- column_sds(x)
  replace(sds, is.na(sds) | sds == 0, 1)
}

column_sds <- function(x) unname(apply(x, 2, stats::sd, na.rm = TRUE))

# Standard deviation of all observed entries. If they are all equal, their absolute value, or 1 if
# they are 0
spread_of <- function(x) {
  moments <- if (is_in_blocks(x)) x$moments else moments_of(x)
  spread <- sqrt(moments[["squares"]] / max(1, moments[["n"]] - 1))
  size <- root_mean_square(x)
  if (spread > 1e-12 * size) return(spread)
  if (size > 0) size else 1
}

moments_of <- function(x) {
  n <- count_observed(x)
  values <- if (isS4(x)) x@x else x
  mean <- sum(values, na.rm = TRUE) / max(1, n)
  not_stored <- if (isS4(x)) n - sum(!is.na(values)) else 0
  c(n = n, mean = mean, squares = sum((values - mean)^2, na.rm = TRUE) + not_stored * mean^2)
}

# Joins the moments of parts of the data, one column per part
joint_moments <- function(parts) {
  n <- sum(parts["n", ])
  mean <- sum(parts["n", ] * parts["mean", ]) / max(1, n)
  squares <- sum(parts["squares", ] + parts["n", ] * (parts["mean", ] - mean)^2)
  c(n = n, mean = mean, squares = squares)
}

# Default prior of a precision: Gamma(1, 1) in units of `scale`
scaled_prior <- function(scale) new_gamma_prior(1, scale^2)

is_scaled <- function(model) any(model$data$scale != 1)

centred <- function(data) data$centred %||% data$x

# list(x, center, scale, centred): the data, shift and scale of their columns, and the data in the
# units of the model (NULL if these are the same)
gaussian_data <- function(x, center, scale) {
  changed <- any(center != 0) || any(scale != 1)
  centred <- if (changed) sweep(sweep(x, 2, center), 2, scale, "/")
  list(x = x, center = center, scale = scale, centred = centred)
}

column_shift <- function(fit) fit$internal$model$data$center %||% rep(0, ncol(model_data(fit)))
column_units <- function(fit) fit$internal$model$data$scale %||% rep(1, ncol(model_data(fit)))

# Rows of data in the units of the model, and back
in_model_units <- function(fit, rows) {
  (rows - rep(column_shift(fit), each = nrow(rows))) / rep(column_units(fit), each = nrow(rows))
}

from_model_units <- function(fit, m) {
  m * rep(column_units(fit), each = nrow(m)) + rep(column_shift(fit), each = nrow(m))
}

# Loadings, K x D, and their attributes in the units of the columns
loadings_in_units <- function(fit, a) {
  by_column <- function(m) {
    m[] <- m * rep(column_units(fit), each = nrow(m))
    m
  }
  told <- intersect(c("sd", "location", "scale"), names(attributes(a)))
  for (name in told) attr(a, name) <- by_column(attr(a, name))
  by_column(a)
}

# Log Jacobian: log density of the observed entries minus log density of the scaled ones
log_unit_of_scales <- function(data) {
  if (!any(data$scale != 1)) return(0)
  -sum(colSums(!is.na(data$x)) * log(data$scale))
}
