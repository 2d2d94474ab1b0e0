# Independent fits, compared with the posterior, which is computed by importance sampling from the
# prior.

wins <- matrix(c(0, 1, 0, 6, 0, 2, 5, 4, 0), 3, dimnames = list(letters[1:3], letters[1:3]))
tree <- phylo_of(cbind(c(4, 4, 5, 5), c(3, 5, 1, 2)), c(0.8, 0.5, 0.3, 0.3), letters[1:3], 0.2)
shape <- 0.8
epsilon <- 0.1

#' Posterior expectations of P(K+ = 0), ..., P(K+ = 4), E[K+], E[ZZ'] and the three choice
#' probabilities, computed from the numbers of columns of each kind, which are the rows of `counts`
choice_expectations <- function(counts, seed = 1) {
  kinds <- histories(3)
  totals <- withr::with_seed(seed, {
    matrix(stats::rgamma(length(counts), shape * counts), nrow(counts))
  })
  totals[counts == 0] <- 0
  p <- apply(rbind(c(2, 1), c(3, 1), c(3, 2)), 1, function(pair) {
    a <- totals %*% (kinds[pair[1], ] * (1 - kinds[pair[2], ]))
    b <- totals %*% (kinds[pair[2], ] * (1 - kinds[pair[1], ]))
    ifelse(a + b > 0, (1 - epsilon) * a / (a + b) + epsilon / 2, 0.5)
  })
  at <- judged(wins)
  won <- wins[at]
  lost <- wins[at[, 2:1]]
  log_weights <- drop(log(p) %*% won + log1p(-p) %*% lost)
  weights <- exp(log_weights - log_sum_exp(log_weights))
  c(expectations(log_weights, counts, shared_counts(counts, 3)), colSums(weights * p))
}

choice_estimates <- function(fit) c(estimates(fit), predict(fit)[lower.tri(wins)])

draws_of_prior <- function(means, draws = 2e5, seed = 2) {
  withr::with_seed(seed, matrix(stats::rpois(draws * 7, rep(means, each = draws)), draws))
}

expect_exact_choice <- function(prior, counts, fits = 25) {
  expected <- choice_expectations(counts)
  method <- method_gibbs(chains = 1, iter = sized(1000, 3000), warmup = 200)
  replicates <- t(vapply(seq_len(fits), function(seed) {
    choice_estimates(quick_choice(
      wins, weights = gamma_prior(shape, 3), epsilon = epsilon, prior = prior, method = method,
      seed = seed
    ))
  }, expected))
  # The reference also has an error, which is estimated from a second set of draws.
  error <- abs(choice_expectations(counts, seed = 3) - expected)
  z <- (colMeans(replicates) - expected) /
    sqrt(apply(replicates, 2, stats::var) / fits + pmax(error, 5e-4)^2)
  expect_lt(max(abs(z)), 4.5)
}

test_that("fits to choices match the exact posterior under the Indian buffet process", {
  m <- colSums(histories(3))
  rates <- beta(m, 4 - m)
  expect_exact_choice(prior_ibp(1.4), draws_of_prior(1.4 * rates))
})

test_that("fits to choices match the exact posterior on a tree", {
  rates <- apply(histories(3), 2, function(column) naive_rate(tree, column))
  expect_exact_choice(prior_pibp(tree, 1.4), draws_of_prior(1.4 * rates))
})

test_that("fits to choices match the exact posterior on a tree if alpha is learned", {
  skip_if_quick()
  rates <- apply(histories(3), 2, function(column) naive_rate(tree, column))
  alpha <- withr::with_seed(4, stats::rgamma(2e5, 2, 1.5))
  counts <- withr::with_seed(5, matrix(stats::rpois(14e5, alpha %o% rates), 2e5))
  expect_exact_choice(prior_pibp(tree, gamma_prior(2, 1.5)), counts)
})

test_that("fits to choices match the exact posterior under the finite model", {
  skip_if_quick()
  m <- c(0, colSums(histories(3)))
  p <- beta(m + 1.7 * 1.5 / 4, 3 - m + 1.5) / beta(1.7 * 1.5 / 4, 1.5)
  counts <- withr::with_seed(6, t(stats::rmultinom(2e5, 4, p))[, -1])
  expect_exact_choice(prior_beta_bernoulli(4, 1.7, 1.5), counts)
})
