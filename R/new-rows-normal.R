# New rows where all loadings are normal: those of the data are integrated out, or given, and those
# of the row's own features are integrated out, so that only the number of these matters.

#' @param x In the units of the model, NA where missing.
#' @param loadings list(mean, K x D; m, K x K): loadings are N(mean, sigma_x^2 m) in every column.
#' @param sigma_x Of the columns.
#' @noRd
normal_rows <- function(x, loadings, sigma_x, sigma_a, prior) {
  structure(
    c(list(x = x, sigma_x = sigma_x, sigma_a = sigma_a), loadings, prior), class = "normal_rows"
  )
}

#' Mean of the signal of every entry and, where loadings are uncertain, its variance
#' @noRd
row_signal <- function(law, z, own) {
  spread <- rowSums((z %*% law$m) * z)
  list(mean = z %*% law$mean, variance = outer(spread, law$sigma_x^2) + own * law$sigma_a^2)
}

#' @exportS3Method
#' @noRd
row_log_densities.normal_rows <- function(law, z, own) {
  signal <- row_signal(law, z, own)
  sd <- sqrt(signal$variance + rep(law$sigma_x^2, each = nrow(z)))
  rowSums(stats::dnorm(law$x, signal$mean, sd, log = TRUE), na.rm = TRUE)
}

#' @exportS3Method
#' @noRd
draw_own.normal_rows <- function(law, z, own) {
  if (is.null(own)) return(numeric(nrow(z)))
  numbers <- which(is.finite(law$log_own)) - 1
  log_p <- vapply(numbers, function(number) {
    law$log_own[number + 1] + row_log_densities(law, z, rep(number, nrow(z)))
  }, numeric(nrow(z)))
  log_p <- matrix(log_p, nrow(z))
  numbers[draw_columns(log_p)]
}

#' The signal of every entry given features and the observed entries, and a replicate of the entry
#' @noRd
draw_normal_rows <- function(law) {
  state <- draw_row_features(law, nrow(law$x))
  signal <- row_signal(law, state$z, state$own)
  noise <- rep(law$sigma_x^2, each = nrow(law$x))
  seen <- !is.na(law$x)
  weight <- seen * signal$variance / (signal$variance + noise)
  gap <- replace(law$x, !seen, 0) - signal$mean
  sd <- sqrt(signal$variance * (1 - weight))
  mean <- signal$mean + weight * gap + sd * stats::rnorm(length(gap))
  list(mean = mean, data = mean + sqrt(noise) * stats::rnorm(length(gap)))
}
