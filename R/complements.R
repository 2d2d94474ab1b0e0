# Complements: with biases a feature can be replaced by its complement. If the biases absorb its
# weights and these change sign, the likelihood is the same.

# Each feature or its complement, whichever is nearer to a feature of `like`; if neither is near,
# whichever fewer rows have
coded_like <- function(z, like = z[, 0, drop = FALSE]) flip_columns(z, complements_cpp(z, like))

flip_columns <- function(z, which) {
  z[, which] <- 1L - z[, which]
  z
}
