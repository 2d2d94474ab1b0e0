# Independent fits, compared with the posterior from importance sampling, in which features and
# weights are drawn from the prior and weighted by the likelihood.

y <- matrix(c(1, 1, 0, 0, NA, 1, 1, 0, 0), 3)

#' Posterior expectations: P(K+ = 0), ..., P(K+ = 4), E[K+], E[ZZ'], all probabilities, and the log
#' standard deviations
#' @param counts Numbers of columns of each kind, with one draw per row.
#' @param sigma_a,sigma_b One value per draw; 0 means that there is no bias.
logistic_expectations <- function(counts, sigma_a, sigma_b, seed = 1) {
  kinds <- histories(3)
  draws <- nrow(counts)
  p <- withr::with_seed(seed, lapply(1:3, function(j) {
    # The weights of features with the same rows add up to one normal variable.
    totals <- sqrt(counts) * sigma_a * stats::rnorm(length(counts))
    stats::plogis(tcrossprod(totals, kinds) + sigma_b * stats::rnorm(draws))
  }))
  log_weights <- rowSums(vapply(1:3, function(j) {
    seen <- which(!is.na(y[, j]))
    drop(log(p[[j]][, seen]) %*% y[seen, j] + log1p(-p[[j]][, seen]) %*% (1 - y[seen, j]))
  }, numeric(draws)))
  weights <- exp(log_weights - log_sum_exp(log_weights))
  sigma <- cbind(sigma_a, if (any(sigma_b > 0)) sigma_b)
  c(
    expectations(log_weights, counts, shared_counts(counts, 3)),
    colSums(weights * do.call(cbind, p)), colSums(weights * log(sigma))
  )
}

logistic_estimates <- function(fit) {
  s <- scalars_of(fit)
  sigma <- s[, intersect(c("sigma_a", "sigma_b"), colnames(s)), drop = FALSE]
  c(estimates(fit), fitted(fit), colMeans(log(sigma)))
}

draws <- 1e5

#' @param means Mean numbers of columns of each kind, with one row per draw or one row for all
#' draws.
#' @param scale_a,scale_b Standard deviations, with one value per draw or one value for all draws.
expect_exact_logistic <- function(means, scale_a, scale_b, ..., sampler = NULL,
                                  fits = sized(16, 20)) {
  reference <- function(seed) {
    counts <- withr::with_seed(seed, matrix(stats::rpois(draws * 7, means), draws))
    logistic_expectations(counts, rep_len(scale_a, draws), rep_len(scale_b, draws), seed + 1)
  }
  expected <- reference(1)
  method <- method_gibbs(chains = 1, iter = sized(600, 2500), warmup = 200, sampler = sampler)
  replicates <- t(vapply(seq_len(fits), function(seed) {
    logistic_estimates(quick_logistic(y, ..., method = method, seed = seed))
  }, expected))
  # The reference also has an error, which is estimated from a second set of draws.
  error <- abs(reference(3) - expected)
  z <- (colMeans(replicates) - expected) /
    sqrt(apply(replicates, 2, stats::var) / fits + pmax(error, 5e-4)^2)
  expect_lt(max(abs(z)), 4.5)
}

m <- colSums(histories(3))
each <- function(rates) rep(rates, each = draws)

test_that("fits match the exact posterior under the Indian buffet process", {
  for (sampler in c("uncollapsed", "neal")[sized(1, 1:2)]) {
    expect_exact_logistic(
      each(1.4 * beta(m, 4 - m)), 1.3, 0.8, sigma_a = 1.3, bias = 0.8, prior = prior_ibp(1.4),
      sampler = sampler
    )
  }
})

test_that("fits match the exact posterior of everything that is learned", {
  skip_if_quick()
  gammas <- withr::with_seed(5, list(
    alpha = stats::rgamma(draws, 2, 1.5), a = stats::rgamma(draws, 4, 6),
    b = stats::rgamma(draws, 5, 3)
  ))
  expect_exact_logistic(
    gammas$alpha %o% beta(m, 4 - m), gammas$a^-0.5, gammas$b^-0.5, sigma_a = gamma_prior(4, 6),
    bias = gamma_prior(5, 3), prior = prior_ibp(gamma_prior(2, 1.5))
  )
})

test_that("fits match the exact posterior on a tree", {
  skip_if_quick()
  tree <- phylo_of(cbind(c(4, 4, 5, 5), c(3, 5, 1, 2)), c(0.8, 0.5, 0.3, 0.3), letters[1:3], 0.2)
  rates <- apply(histories(3), 2, function(column) naive_rate(tree, column))
  rownames(y) <<- letters[1:3]
  expect_exact_logistic(
    each(1.4 * rates), 1.3, 0.8, sigma_a = 1.3, bias = 0.8, prior = prior_pibp(tree, 1.4)
  )
})

test_that("fits match the exact posterior under attraction with learned temperature and order", {
  d <- dist(c(0, 0.3, 1.2))
  temperatures <- qgamma((1:200 - 0.5) / 200, 2, 0.8)
  rates <- lapply(permutations(3), function(order) {
    vapply(temperatures, function(temperature) {
      apply(histories(3), 2, naive_attracted, similarity(d, temperature), order)
    }, numeric(7))
  })
  rates <- do.call(cbind, rates)
  drawn <- withr::with_seed(6, sample(ncol(rates), draws, replace = TRUE))
  expect_exact_logistic(
    1.4 * t(rates[, drawn]), 1.3, 0.8, sigma_a = 1.3, bias = 0.8,
    prior = prior_attraction(d, 1.4, gamma_prior(2, 0.8))
  )
})
