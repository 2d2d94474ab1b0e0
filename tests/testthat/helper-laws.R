#' Chi-square test of whether the counts x are a sample from a Poisson distribution, with cells
#' whose expectation is at least 10
expect_poisson <- function(x, mean) expect_law(x, \(k) stats::dpois(k, mean))

expect_law <- function(x, mass) {
  k <- 0:max(x)
  expected <- length(x) * mass(k)
  cells <- which(expected >= 10)
  inside <- factor(match(x, k[cells], nomatch = 0), 0:length(cells))
  p <- c(max(1 - sum(mass(k[cells])), 1e-12), mass(k[cells]))
  expect_chisq(as.vector(table(inside)), p)
}

expect_chisq <- function(observed, p) {
  keep <- sum(observed) * p >= 5
  if (!all(keep)) {
    observed <- c(observed[keep], sum(observed[!keep]))
    p <- c(p[keep], sum(p[!keep]))
  }
  expected <- sum(observed) * p
  statistic <- sum((observed - expected)^2 / pmax(expected, 1))
  expect_gt(stats::pchisq(statistic, length(p) - 1, lower.tail = FALSE), 1e-4)
}

expect_mean <- function(x, mean, sd) {
  expect_lt(abs(base::mean(x) - mean) / (sd / sqrt(length(x))), 4.5)
}
