# The exact posterior of small problems, computed by enumeration of all left-ordered classes.

#' The number of columns with each of the 2^n - 1 histories, for every multiset of at most `most`
#' columns, with one multiset per row
class_counts <- function(n, most) {
  counts <- matrix(0, 1, 0)
  for (h in seq_len(2^n - 1)) {
    room <- most - rowSums(counts)
    counts <- cbind(
      counts[rep(seq_len(nrow(counts)), room + 1), , drop = FALSE], sequence(room + 1) - 1
    )
  }
  counts
}

#' The histories as columns, in the order of class_counts()
histories <- function(n) from_histories(seq_len(2^n - 1), n)

#' Numbers of shared features, ZZ', with one row per class
shared_counts <- function(counts, n) {
  h <- histories(n)
  counts %*% t(apply(h, 2, function(column) as.vector(column %o% column)))
}

#' Under an Indian buffet process, the numbers of columns with history h are independent Poisson
#' variables, with rate alpha times the sequence probability of the history under the urn
log_prior_ibp <- function(counts, n, alpha, c = 1, d = 0) {
  m <- colSums(histories(n))
  rate <- alpha * exp(lgamma(1 + c) + lgamma(m - d) + lgamma(n - m + c + d) -
    lgamma(1 - d) - lgamma(c + d) - lgamma(n + c))
  rowSums(matrix(stats::dpois(t(counts), rate, log = TRUE), nrow(counts), byrow = TRUE))
}

#' In the finite model, the histories of the K columns, including the empty one, are multinomial
log_prior_finite <- function(counts, n, size, alpha, c = 1) {
  m <- c(0, colSums(histories(n)))
  p <- beta(m + alpha * c / size, n - m + c) / beta(alpha * c / size, c)
  empty <- size - rowSums(counts)
  possible <- empty >= 0
  out <- rep(-Inf, nrow(counts))
  out[possible] <- apply(cbind(empty, counts)[possible, , drop = FALSE], 1, function(k) {
    stats::dmultinom(k, size, p, log = TRUE)
  })
  out
}

#' log p(X | Z) for every class, from the spectrum of ZZ', which serves for all sigmas
spectra <- function(x, shared) {
  n <- nrow(x)
  each <- apply(shared, 1, function(s) {
    e <- eigen(matrix(s, n), symmetric = TRUE)
    c(e$values, rowSums(crossprod(e$vectors, x)^2))
  })
  list(values = t(each[seq_len(n), ]), squares = t(each[n + seq_len(n), ]), columns = ncol(x))
}

spectral_log_lik <- function(s, sigma_x, sigma_a) {
  v <- sigma_a^2 * s$values + sigma_x^2
  -0.5 * rowSums(s$columns * log(2 * pi * v) + s$squares / v)
}

#' P(K+ = 0), ..., P(K+ = 4), E[K+] and E[ZZ'] under weights over the classes
expectations <- function(log_weights, counts, shared) {
  p <- exp(log_weights - log_sum_exp(log_weights))
  k <- rowSums(counts)
  n <- sqrt(ncol(shared))
  upper <- upper.tri(diag(n), diag = TRUE)
  c(vapply(0:4, function(j) sum(p[k == j]), 0), sum(p * k), colSums(p * shared)[upper])
}

#' The same expectations for a fit, from its features as they were drawn
estimates <- function(fit) {
  k <- scalars_of(fit)[, "n_features"]
  shared <- if (traits_of(fit)$complements) mean_shared(fit) else coassignment(fit)
  upper <- upper.tri(shared, diag = TRUE)
  c(vapply(0:4, function(j) mean(k == j), 0), mean(k), shared[upper])
}

mean_shared <- function(fit) {
  Reduce(`+`, lapply(as.list(feature_draws(fit)), tcrossprod)) / length(fit$feature_draws)
}

#' Estimates from independent fits, with one row per fit
replicate_fits <- function(x, ..., sampler = NULL, of = estimates, fits = sized(18, 40),
                           sweeps = 5000) {
  sweeps <- sweeps * sized(0.2, 1, 15)
  method <- method_gibbs(chains = 1, iter = 400 + sweeps, warmup = 400, sampler = sampler)
  t(vapply(seq_len(fits), function(seed) {
    of(quick_fit(x, ..., method = method, seed = seed))
  }, of(quick_fit(x, ...))))
}
