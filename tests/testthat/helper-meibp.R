# Fits by method_meibp(), and their bound computed from its definition, independently of the
# package.

#' Calls fit_gaussian() with method_meibp(), without messages
quick_point <- function(x, ..., loadings = "nonnegative", method = method_meibp(), seed = 1) {
  fit_gaussian(x, loadings, ..., method = method, seed = seed, verbose = FALSE)
}

#' Rows with random features and nonnegative loadings, together with the truth
draw_nonnegative <- function(z, columns, sigma_x, sigma_a = 1, seed = 1) {
  withr::with_seed(seed, {
    a <- abs(matrix(stats::rnorm(ncol(z) * columns, sd = sigma_a), ncol(z)))
    x <- z %*% a + stats::rnorm(nrow(z) * columns, sd = sigma_x)
  })
  structure(x, features = z, loadings = a)
}

#' Data from which everything can be recovered: three features, little noise, and names
easy_data <- function(rows = 30, sigma_x = 0.1) {
  z <- cbind(
    rep(c(1, 1, 0), length.out = rows), rep(c(1, 0, 1, 0, 1), length.out = rows),
    rep(c(0, 1, 0, 0, 1, 0, 1), length.out = rows)
  )
  x <- draw_nonnegative(z, 6, sigma_x, 2, seed = 4)
  dimnames(x) <- list(paste0("row", seq_len(rows)), letters[1:6])
  x
}

#' Only the data of easy_data()
bare <- function(x) matrix(x, nrow(x), dimnames = dimnames(x))

easy_holes <- function() with_holes(bare(easy_data()), 20, seed = 6)

easy_point <- function() once("easy point", quick_point(bare(easy_data())))
holes_point <- function() once("holes point", quick_point(easy_holes()))

#' Sorts the columns into a standard order
sorted_columns <- function(z) {
  z <- unname(z)
  z[, order(apply(z, 2, paste, collapse = "")), drop = FALSE]
}

#' Mean, mean square and entropy of normals truncated to [0, Inf)
truncated_moments <- function(location, scale) {
  t <- location / scale
  mills <- exp(stats::dnorm(t, log = TRUE) - stats::pnorm(t, log.p = TRUE))
  mean <- location + scale * mills
  square <- location^2 + scale^2 + scale * location * mills
  # Expectation of minus the log density log N(a; location, scale) - log P(a > 0).
  entropy <- 0.5 * log(2 * pi * scale^2) + stats::pnorm(t, log.p = TRUE) +
    (square - 2 * mean * location + location^2) / (2 * scale^2)
  list(mean = mean, square = square, variance = square - mean^2, entropy = entropy)
}

#' Mean and mean log of a gamma factor, and its contribution to the bound, E log prior + entropy
gamma_terms <- function(factor, prior) {
  if (is.numeric(prior)) return(list(mean = prior, log = log(prior), adds = 0))
  shape <- factor[["shape"]]
  rate <- factor[["rate"]]
  mean <- shape / rate
  log_mean <- digamma(shape) - log(rate)
  prior_term <- prior$shape * log(prior$rate) - lgamma(prior$shape) +
    (prior$shape - 1) * log_mean - prior$rate * mean
  entropy <- shape - log(rate) + lgamma(shape) + (1 - shape) * digamma(shape)
  list(mean = mean, log = log_mean, adds = prior_term + entropy)
}

#' log P([Z]) of the infinite process, given log alpha, as in Teh & Gorur, with columns in random
#' order
log_ibp <- function(z, alpha, log_alpha, prior) {
  n <- nrow(z)
  m <- colSums(z)
  c <- prior$concentration
  d <- prior$discount
  weights <- lgamma(1 + c) - lgamma(1 - d) - lgamma(c + d) + lgamma(m - d) +
    lgamma(n - m + c + d) - lgamma(n + c)
  i <- seq_len(n)
  rates <- exp(lgamma(1 + c) - lgamma(c + d) + lgamma(i - 1 + c + d) - lgamma(i + c))
  sum(weights + log_alpha) - lfactorial(ncol(z)) - alpha * sum(rates)
}

#' The corresponding log P for the finite model with `n_features` columns, some of which may be
#' empty
log_beta_bernoulli <- function(z, prior) {
  k <- prior$n_features
  a <- prior$alpha * prior$concentration / k
  m <- c(colSums(z), rep(0, k - ncol(z)))
  lchoose(k, ncol(z)) +
    sum(lbeta(m + a, nrow(z) - m + prior$concentration) - lbeta(a, prior$concentration))
}

#' The bound of a fit, computed from its features, loadings and factors (Reed & Ghahramani 2013, eq.
#' 9)
bound_by_definition <- function(fit, x = model_data(fit), center = FALSE) {
  x <- as.matrix(x)
  if (center) x <- x - rep(colMeans(x, na.rm = TRUE), each = nrow(x))
  z <- features(fit)
  loadings <- loadings_of(fit)
  a <- truncated_moments(attr(loadings, "location"), attr(loadings, "scale"))
  precision <- function(sigma) if (is.numeric(sigma)) 1 / sigma^2 else sigma
  tau_x <- gamma_terms(fit$internal$factors$tau_x, precision(fit$internal$model$sigma$sigma_x))
  tau_a <- gamma_terms(fit$internal$factors$tau_a, precision(fit$internal$model$sigma$sigma_a))
  squares <- (x - z %*% a$mean)^2 + z %*% a$variance
  log_lik <- 0.5 * (tau_x$log - log(2 * pi)) - 0.5 * tau_x$mean * squares
  log_loadings <- 0.5 * (tau_a$log + log(2 / pi)) - 0.5 * tau_a$mean * a$square
  sum(log_lik, na.rm = TRUE) + sum(log_loadings + a$entropy) + tau_x$adds + tau_a$adds +
    log_features(fit, z)
}

log_features <- function(fit, z) {
  prior <- fit$internal$model$prior
  if (inherits(prior, "prior_beta_bernoulli")) return(log_beta_bernoulli(z, prior))
  alpha <- gamma_terms(fit$internal$factors$alpha, fit$internal$model$prior$alpha)
  log_ibp(z, alpha$mean, alpha$log, fit$internal$model$prior) + alpha$adds
}

bound_of <- function(fit) glance(fit)$bound

expect_bound <- function(fit, ...) {
  expect_equal(bound_of(fit), bound_by_definition(fit, ...), tolerance = 1e-8)
  expect_identical(utils::tail(objective(fit), 1), bound_of(fit))
}
