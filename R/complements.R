# Features and their complements. With a bias, a feature can be replaced by its complement: if the
# biases absorb its weights and the weights change sign, the likelihood is the same.

# Each feature of a matrix or its complement, whichever is nearer to a feature of another matrix. If
# neither is near, whichever fewer rows have
coded_like <- function(z, like = z[, 0, drop = FALSE]) flip_columns(z, complements_cpp(z, like))

flip_columns <- function(z, which) {
  z[, which] <- 1L - z[, which]
  z
}
