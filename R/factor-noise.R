# The prior of the noise of a factor model where none is given.

#' Gamma prior of the precision of the noise, of all columns or of each: the variance has the
#' residual variance as its mean (Fruehwirth-Schnatter and Lopes 2018, section 2.3)
#' @noRd
noise_prior <- function(x, noise) {
  variances <- residual_variances(x)
  if (noise == "common") variances <- mean(variances)
  shape <- 2.5
  new_gamma_prior(shape, (shape - 1) * variances)
}

#' Of every column, the variance that a regression on all others leaves, correlations being shrunk
#' by as much as they are uncertain (Schaefer and Strimmer 2005). Missing entries count as means;
#' columns that never change as if they changed a little.
#' @noRd
residual_variances <- function(x) {
  variances <- apply(x, 2, stats::var, na.rm = TRUE)
  variances[is.na(variances)] <- 0
  if (all(variances == 0)) return(rep(1, ncol(x)))
  z <- sweep(x, 2, colMeans(x, na.rm = TRUE))
  z[is.na(z)] <- 0
  shares <- residual_shares(unit_columns(z), mean(colSums(!is.na(x))))
  pmax(unname(variances), 1e-6 * mean(variances)) * shares
}

#' Of columns of length 1 and mean 0, the share of each that is left: 1 over the diagonal of the
#' inverse of (1 - by) z'z + by I
#' @noRd
residual_shares <- function(z, rows) {
  columns <- ncol(z)
  of_z <- svd(z, nu = 0)
  by <- columns * (columns - 1) / (rows - 1) / max(sum(of_z$d^4) - columns, 1e-6)
  by <- min(max(by, 1 / rows), 1)
  kept <- (1 - by) * of_z$d^2 / ((1 - by) * of_z$d^2 + by)
  by / (1 - drop(of_z$v^2 %*% kept))
}
