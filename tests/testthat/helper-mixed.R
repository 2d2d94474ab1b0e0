# Fits to data frames with mixed columns.

#' Data with two features: one shifts all numbers, and the other shifts the categories and counts
mixed_frame <- function(n = 60, seed = 1) {
  withr::with_seed(seed, {
    a <- rbinom(n, 1, 0.5)
    b <- rbinom(n, 1, 0.5)
    data.frame(
      size = 10 + 3 * a + rnorm(n, sd = 0.5), price = exp(1 + 2 * a + rnorm(n, sd = 0.3)),
      visits = rnbinom(n, mu = exp(1 + 1.5 * b), size = 4),
      member = rbinom(n, 1, 0.1 + 0.8 * b) == 1,
      grade = factor(c("low", "mid", "high")[1 + rbinom(n, 2, 0.15 + 0.7 * a)],
        c("low", "mid", "high"), ordered = TRUE
      ),
      town = factor(
        c("Rome", "Oslo", "Lima")[1 + b + rbinom(n, 1, 0.2)], c("Rome", "Oslo", "Lima")
      )
    )
  })
}

quick_mixed <- function(data, ..., method = method_gibbs(chains = 2, iter = 200), seed = 1) {
  fit_mixed(data, ..., method = method, seed = seed, verbose = FALSE)
}

mixed_fit <- function() {
  once("mixed", {
    data <- mixed_frame()
    data[2, "size"] <- NA
    data[3, "town"] <- NA
    data[4, c("visits", "grade")] <- NA
    quick_mixed(data,
      families = c(size = "gaussian", visits = "negative_binomial"),
      method = method_gibbs(chains = 2, iter = 600), seed = 3
    )
  })
}
