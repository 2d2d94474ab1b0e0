# The attraction distribution from its definition, independent of the package.

#' Probability of a column given its first row, divided by alpha / (the position of its first row)
#'
#' @param s Matrix of similarities.
naive_attracted <- function(column, s, order) {
  n <- length(order)
  p <- 1
  taken <- FALSE
  for (place in seq_len(n)) {
    i <- order[place]
    earlier <- order[seq_len(place - 1)]
    if (taken) {
      share <- (place - 1) / place * sum(s[i, earlier] * column[earlier]) / sum(s[i, earlier])
      p <- p * if (column[i] == 1) share else 1 - share
    } else if (column[i] == 1) {
      p <- 1 / place
      taken <- TRUE
    }
  }
  p
}

naive_attraction <- function(z, s, alpha, order) {
  rates <- alpha * apply(z, 2, naive_attracted, s, order)
  kinds <- table(apply(z, 2, paste, collapse = ""))
  prod(rates) * exp(-alpha * sum(1 / seq_len(nrow(z)))) / prod(factorial(kinds))
}

#' Distances between random points in the plane
random_distance <- function(n) stats::dist(matrix(stats::rnorm(2 * n), n))

similarity <- function(d, temperature, decay = "exponential") {
  d <- as.matrix(d)
  if (decay == "exponential") exp(-temperature * d) else d^-temperature
}

#' Log prior of classes given their counts, with equal weights for these temperatures and orders
log_prior_attraction <- function(counts, d, alpha, temperatures, orders) {
  logs <- lapply(temperatures, function(temperature) {
    vapply(orders, function(order) {
      s <- similarity(d, temperature)
      rates <- alpha * apply(histories(nrow(s)), 2, naive_attracted, s, order)
      rowSums(matrix(stats::dpois(t(counts), rates, log = TRUE), nrow(counts), byrow = TRUE))
    }, numeric(nrow(counts)))
  })
  apply(do.call(cbind, logs), 1, log_sum_exp)
}
