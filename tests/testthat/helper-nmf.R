# Nonnegative matrix factorisations, computed from their definition.

#' Calls fit_nmf() with method_icm(), without messages
quick_nmf <- function(x, rank = 2, ..., method = method_icm(), seed = 1) {
  fit_nmf(x, rank, ..., method = method, seed = seed, verbose = FALSE)
}
nmf_chains <- function(..., chains = 2, iter = 200) {
  quick_nmf(..., method = method_gibbs(chains, iter))
}

#' Data generated from two components, with names
nmf_data <- function(rows = 20, columns = 6, sigma_x = 0.2) {
  withr::with_seed(21, {
    w <- matrix(stats::rexp(rows * 2), rows)
    a <- matrix(stats::rexp(2 * columns), 2)
    x <- w %*% a + stats::rnorm(rows * columns, sd = sigma_x)
  })
  matrix(x, rows, dimnames = list(paste0("row", seq_len(rows)), letters[seq_len(columns)]))
}
nmf_holes <- function() with_holes(nmf_data(), 20, seed = 6)

icm_fit <- function() once("icm", quick_nmf(nmf_data(), method = method_icm(tol = 1e-12)))
icm_wide <- function() once("icm wide", quick_nmf(t(nmf_data())))
icm_holes <- function() once("icm holes", quick_nmf(nmf_holes(), rate_w = 0.7, rate_a = 1.4))
chains_fit <- function() once("nmf chains", nmf_chains(nmf_data()))
chains_holes <- function() {
  once("nmf chains holes", nmf_chains(
    nmf_holes(), sigma_x = gamma_prior(1, 1), rate_w = 0.7, rate_a = 1.4
  ))
}
nmf_fits <- function() {
  list(icm = icm_fit(), holes = icm_holes(), chains = chains_fit(), both = chains_holes())
}

#' Log density of the observed entries, and their joint log density with everything that is unknown
naive_nmf <- function(x, w, a, sigma_x, fit) {
  log_lik <- sum(stats::dnorm(x, w %*% a, sigma_x, log = TRUE), na.rm = TRUE)
  log_joint <- log_lik + sum(stats::dexp(w, fit$internal$model$rate_w, log = TRUE)) +
    sum(stats::dexp(a, fit$internal$model$rate_a, log = TRUE))
  prior <- fit$internal$model$sigma$sigma_x
  if (inherits(prior, "gamma_prior")) {
    # The density of a variance whose inverse has a gamma distribution.
    log_joint <- log_joint - 4 * log(sigma_x) +
      stats::dgamma(sigma_x^-2, prior$shape, prior$rate, log = TRUE)
  }
  c(log_lik = log_lik, log_joint = log_joint)
}

#' The factors in every draw, as they are saved
naive_factors <- function(fit) {
  d <- ncol(model_data(fit))
  n <- nrow(model_data(fit))
  size <- (n + d) * fit$internal$model$rank
  draws <- length(fit$internal$draws_loadings) / size
  lapply(seq_len(draws), function(i) {
    both <- matrix(fit$internal$draws_loadings[(i - 1) * size + seq_len(size)], n + d)
    list(w = both[d + seq_len(n), , drop = FALSE], a = t(both[seq_len(d), , drop = FALSE]))
  })
}
