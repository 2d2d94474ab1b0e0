# The posterior of the number of features, computed by enumeration.

#' P(K = k), k = 0, ..., 3, given x (n x 1) with normal loadings and prior_beta_bernoulli(3, alpha),
#' computed from all 8^n binary matrices with n rows and three columns
exact_counts <- function(x, sigma_x, sigma_a, alpha) {
  n <- length(x)
  codes <- as.matrix(expand.grid(rep(list(0:7), n)))
  z <- lapply(0:2, function(k) codes %/% 2^k %% 2)
  ridge <- sigma_x^2 / sigma_a^2
  m <- lapply(z, rowSums)
  b <- lapply(z, function(bits) as.vector(bits %*% x))
  both <- function(j, k) rowSums(z[[j]] * z[[k]])
  a11 <- m[[1]] + ridge
  a22 <- m[[2]] + ridge
  a33 <- m[[3]] + ridge
  a12 <- both(1, 2)
  a13 <- both(1, 3)
  a23 <- both(2, 3)
  # Cofactors of the matrix Z'Z + ridge I, and the quadratic form of b in its inverse.
  c11 <- a22 * a33 - a23^2
  c12 <- a13 * a23 - a12 * a33
  c13 <- a12 * a23 - a13 * a22
  c22 <- a11 * a33 - a13^2
  c23 <- a12 * a13 - a11 * a23
  c33 <- a11 * a22 - a12^2
  det <- a11 * c11 + a12 * c12 + a13 * c13
  explained <- (b[[1]]^2 * c11 + b[[2]]^2 * c22 + b[[3]]^2 * c33 + 2 * b[[1]] * b[[2]] * c12 +
    2 * b[[1]] * b[[3]] * c13 + 2 * b[[2]] * b[[3]] * c23) / det
  log_joint <- (explained / sigma_x^2 - log(det)) / 2 +
    Reduce(`+`, lapply(m, function(m) lbeta(m + alpha / 3, n - m + 1)))
  p <- exp(log_joint - max(log_joint))
  counts <- Reduce(`+`, lapply(m, function(m) m > 0))
  vapply(0:3, function(k) sum(p[counts == k]), 0) / sum(p)
}
