# The model of binary data, computed in plain R.

#' Calls fit_logistic(), without messages and by default for a short run
quick_logistic <- function(y = small_binary(), ..., method = method_gibbs(chains = 2, iter = 200),
                           seed = 1) {
  fit_logistic(y, ..., method = method, seed = seed, verbose = FALSE)
}

#' Data generated from the model; weights and biases are in one matrix, D x (K + 1)
draw_binary <- function(z, weights) {
  p <- stats::plogis(tcrossprod(cbind(1, z), weights))
  matrix(stats::rbinom(length(p), 1, p) + 0, nrow(p))
}

#' Ten named rows and four named columns
small_binary <- function() {
  z <- matrix(c(1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1), 10)
  y <- withr::with_seed(3, draw_binary(z, cbind(-1.5, c(4, 4, 0, -2), c(0, 3, 3, 3))))
  dimnames(y) <- list(paste0("row", 1:10), c("p", "q", "r", "s"))
  y
}

small_logistic <- function() once("small logistic", quick_logistic())
#' A fit with missing entries, without biases and with another sampler
holes_logistic <- function() {
  once("holes logistic", quick_logistic(
    with_holes(small_binary(), 7), sigma_a = 1.7, bias = FALSE,
    prior = prior_ibp(gamma_prior(2, 3), gamma_prior(2, 2)),
    method = method_gibbs(chains = 2, iter = 200, sampler = "neal")
  ))
}
#' A fit to wide, sparse data without names and with missing entries
finite_logistic <- function() {
  once("finite logistic", quick_logistic(
    Matrix::Matrix(with_holes(unname(t(small_binary())), 4), sparse = TRUE),
    prior = prior_beta_bernoulli(4, 1.5), bias = 2,
    method = method_gibbs(chains = 2, iter = 300, thin = 2)
  ))
}
fixed_logistic <- function() {
  once("fixed logistic", quick_logistic(
    prior = prior_fixed(cbind(rep(0:1, 5), c(1, 1, 1, 0, 0))), bias = gamma_prior(3, 2)
  ))
}
tree_logistic <- function() {
  once("tree logistic", quick_logistic(prior = prior_pibp(caterpillar(10, paste0("row", 1:10)))))
}
#' A prior that allows no feature
empty_logistic <- function() {
  once("empty logistic", quick_logistic(
    unname(small_binary()), prior = prior_ibp(1e-9), bias = FALSE, init = matrix(0, 10, 0)
  ))
}
logistic_fits <- function() {
  list(
    small = small_logistic(), holes = holes_logistic(), finite = finite_logistic(),
    fixed = fixed_logistic(), tree = tree_logistic(), empty = empty_logistic()
  )
}

#' True if the fit has biases, according to its arguments
biased <- function(fit) any(prior_summary(fit)$parameter == "sigma_b")

#' Every draw of a fit as list(z, w, bias, p, log_odds): D x K weights, biases, the N x D
#' probabilities, and their log odds
logistic_draws_of <- function(fit) {
  has_bias <- biased(fit)
  sizes <- scalars_of(fit)[, "n_features"] + has_bias
  columns <- ncol(fitted(fit))
  ends <- cumsum(sizes * columns)
  lapply(seq_along(sizes), function(i) {
    z <- draw_features_cpp(unclass(fit$feature_draws), i)
    count <- sizes[i] * columns
    w <- matrix(fit$internal$draws_loadings[ends[i] - count + seq_len(count)], columns)
    bias <- if (has_bias) w[, 1] else numeric(columns)
    if (has_bias) w <- w[, -1, drop = FALSE]
    log_odds <- z %*% t(w) + rep(bias, each = nrow(z))
    list(z = z, w = w, bias = bias, p = 1 / (1 + exp(-log_odds)), log_odds = log_odds)
  })
}

#' The data of a fit as a plain matrix
binary_of <- function(fit) as.matrix(model_data(fit))
