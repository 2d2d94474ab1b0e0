# The default prior of the noise of a factor model.

check_factor_noise <- function(sigma_x, noise, data) {
  if (is.null(sigma_x)) return(noise_prior(centred(data), noise))
  check_sigma_x(sigma_x, noise, ncol(data$x))
}

# Gamma prior of the precision of the noise, of all columns or of each. Its mode on the log scale is
# the residual variance. With the residual variance as the prior mean of the variance
# (Fruehwirth-Schnatter and Lopes 2018, section 2.3), less noise would be preferred, and many
# columns together would turn noise into factors.
noise_prior <- function(x, noise) {
  variances <- residual_variances(x)
  if (noise == "common") variances <- mean(variances)
  shape <- 2.5
  new_gamma_prior(shape, shape * variances)
}

# For every column, the leave-one-out residual variance of a ridge regression on all others. Missing
# entries count as means if few rows are complete; constant columns as if they varied a little.
residual_variances <- function(x) {
  whole <- rowSums(is.na(x)) == 0
  if (mean(whole) >= 0.5 && sum(whole) > 2) x <- x[whole, , drop = FALSE]
  variances <- apply(x, 2, stats::var, na.rm = TRUE)
  variances[is.na(variances)] <- 0
  if (all(variances == 0)) return(rep(spread_of(x)^2, ncol(x)))
  z <- sweep(x, 2, colMeans(x, na.rm = TRUE))
  z[is.na(z)] <- 0
  pmax(unname(variances), 1e-6 * mean(variances)) * residual_shares(unit_columns(z))
}

# For columns with length 1 and mean 0, the leave-one-out sum of squares of the best ridge, in
# [1e-4, 1]
residual_shares <- function(z) {
  of_z <- svd(z)
  of_z$d <- pmax(of_z$d, 1e-12)
  shares <- vapply(10^seq(-6, 1, by = 0.5), left_out_squares, numeric(ncol(z)), of_z)
  shares <- apply(matrix(shares, ncol(z)), 1, min)
  shares[colSums(z^2) == 0] <- 1
  pmin(pmax(shares, 1e-4), 1)
}

# For every column of z, the sum of squares of errors of a ridge regression, with an intercept, on
# all others, each row predicted from the rest. Residuals and leverages of all columns come from one
# inverse P = (z'z + ridge I)^-1: those of column j are (z P)_ij / P_jj and (z P z')_ii - (z P)_ij^2
# / P_jj.
left_out_squares <- function(ridge, of_z) {
  spread <- of_z$d^2 + ridge
  products <- of_z$u %*% (of_z$d / spread * t(of_z$v))
  inverse <- 1 / ridge + drop(of_z$v^2 %*% (1 / spread - 1 / ridge))
  residuals <- sweep(products, 2, inverse, "/")
  leverages <- drop(of_z$u^2 %*% (of_z$d^2 / spread)) - products * residuals
  colSums((residuals / (1 - 1 / nrow(products) - leverages))^2)
}
