# Tests whether the decision to extend a run biases the reported results. The data have six rows and
# one column, and there are at most three features. The exact P(K = 3) is a sum over all matrices,
# and z compares it with the mean over seeds.
#
#   Rscript data-raw/stopping.R [seeds] [iter] [max_iter]
#
# If `iter` is omitted, fits use the defaults of method_gibbs() and take a few seconds each.

library(buffet)
source("tests/testthat/helper-exact-counts.R")

arguments <- as.integer(commandArgs(TRUE))
seeds <- if (length(arguments) > 0) arguments[1] else 80L
method <- if (length(arguments) > 1) {
  method_gibbs(iter = arguments[2], max_iter = arguments[3])
} else {
  method_gibbs()
}
x <- c(0.98, 0.95, 2.15, 2.16, 3.3, 3.34)

fit_of <- function(sigma_x, seed) {
  suppressWarnings(classes = "buffet_rhat_warning", fit_gaussian(matrix(x),
    sigma_x = sigma_x, sigma_a = 3, prior = prior_beta_bernoulli(3, 0.1), center = FALSE,
    method = method, seed = seed, verbose = FALSE
  ))
}

row_of <- function(sigma_x) {
  fits <- lapply(seq_len(seeds), function(seed) {
    fit <- fit_of(sigma_x, seed)
    data.frame(
      p = mean(posterior::as_draws_df(fit)$n_features == 3), sweeps = fit$method$iter,
      warns = glance(fit)$rhat_max > 1.05
    )
  })
  found <- do.call(rbind, fits)
  exact <- exact_counts(x, sigma_x, 3, 0.1)[4] # nolint: object_usage_linter. Of the helpers.
  error <- stats::sd(found$p) / sqrt(seeds)
  data.frame(
    sigma_x = sigma_x, exact = exact, mean = mean(found$p), error = error,
    z = (mean(found$p) - exact) / error, sweeps = mean(found$sweeps), warns = sum(found$warns)
  )
}

print(do.call(rbind, lapply(c(0.06, 0.07), row_of)), digits = 3)
