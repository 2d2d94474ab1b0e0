# The data of fit_gaussian().

#' Data in memory, or, for methods that read these, in blocks
#' @noRd
check_data <- function(x, method) {
  if (!is_in_blocks(x)) return(check_data_matrix(x, "x", sparse = TRUE))
  if (!reads_blocks(method)) {
    must <- paste(
      "be method_meibp(), method_variational(), method_power_ep() or method_gibbs() with the sampler",
      "\"parallel\" for row_blocks()"
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

centred <- function(data) data$centred %||% data$x

#' list(x, center, centred): the data, the means of their columns that the model leaves out, and the
#' data without these, unless the means are 0
#' @noRd
gaussian_data <- function(x, center) {
  list(x = x, center = center, centred = if (any(center != 0)) sweep(x, 2, center))
}
