# The joint distribution of parameters and data, from both ends: simulation-based calibration
# (Talts et al. 2018), and a few sweeps from draws of the prior, which must leave them draws of the
# prior.

models <- list(
  ibp = list(prior = prior_ibp(gamma_prior(3, 2)), finite = FALSE),
  two = list(
    prior = prior_ibp(gamma_prior(3, 2), concentration = gamma_prior(4, 2)), finite = FALSE
  ),
  finite = list(prior = prior_beta_bernoulli(3, gamma_prior(3, 2)), finite = TRUE)
)
tau_x <- gamma_prior(6, 2)
tau_a <- gamma_prior(5, 5)
rows <- 5

draw_finite <- function(rows, size, alpha) {
  p <- stats::rbeta(size, alpha / size, 1)
  z <- matrix(stats::runif(rows * size) < rep(p, each = rows), rows) + 0
  z[, colSums(z) > 0, drop = FALSE]
}

#' Parameters and data from the prior
draw_joint <- function(model) {
  prior <- model$prior
  alpha <- draw_gamma(prior$alpha)
  learned <- inherits(prior$concentration, "gamma_prior")
  concentration <- if (learned) draw_gamma(prior$concentration) else 1
  sigma_x <- draw_gamma(tau_x)^-0.5
  sigma_a <- draw_gamma(tau_a)^-0.5
  z <- if (model$finite) draw_finite(rows, 3, alpha) else draw_buffet(rows, alpha, concentration)
  x <- draw_gaussian(z, 3, sigma_x, sigma_a)
  list(
    x = x, z = z, learned = learned,
    scalars = c(
      n_features = ncol(z), n_ones = sum(z), alpha = alpha, concentration = concentration,
      sigma_x = sigma_x, sigma_a = sigma_a, log_lik = naive_log_lik(x, z, sigma_x, sigma_a)
    )
  )
}

variables <- c("alpha", "sigma_x", "sigma_a", "n_features", "n_ones", "log_lik")

expect_calibrated <- function(model, sets) {
  method <- method_gibbs(chains = 1, iter = 100 + 99 * 12, warmup = 100, thin = 12)
  ranks <- vapply(seq_len(sets), function(seed) {
    joint <- draw_joint(model)
    fit <- quick_fit(
      joint$x, sigma_x = tau_x, sigma_a = tau_a, prior = model$prior, method = method, seed = seed
    )
    draws <- scalars_of(fit)[, variables]
    rank_of_truth(joint$scalars[variables], draws[seq(nrow(draws) - 98, nrow(draws)), ])
  }, numeric(length(variables)))
  p <- apply(ranks, 1, uniform_p_value)
  expect_gt(min(p) * length(p), 1e-4)
}

test_that("ranks of the truth in its posterior are uniform under the Indian buffet process", {
  skip_if_quick()
  set.seed(1)
  expect_calibrated(models$ibp, sized(70, 200, 1000))
})

#' After five sweeps from a draw of the joint distribution
sweeps_from_joint <- function(model, seed) {
  joint <- draw_joint(model)
  learned <- c("alpha", if (joint$learned) "concentration", "sigma_x", "sigma_a")
  fit <- quick_fit(
    joint$x, sigma_x = tau_x, sigma_a = tau_a, prior = model$prior,
    method = method_gibbs(chains = 1, iter = 5, warmup = 0, thin = 5),
    init = c(list(features = joint$z), as.list(joint$scalars[learned])), seed = seed
  )
  s <- scalars_of(fit)
  if (!joint$learned) s <- cbind(s, concentration = 1)
  s[, names(joint$scalars)]
}

expect_prior_kept <- function(model, size) {
  swept <- t(vapply(seq_len(size), function(seed) sweeps_from_joint(model, seed), numeric(7)))
  fresh <- t(vapply(seq_len(4 * size), function(i) draw_joint(model)$scalars, numeric(7)))
  prior <- model$prior
  p_gamma <- function(x, prior) stats::ks.test(x, "pgamma", prior$shape, prior$rate)$p.value
  p <- c(
    p_gamma(swept[, "alpha"], prior$alpha), p_gamma(swept[, "sigma_x"]^-2, tau_x),
    p_gamma(swept[, "sigma_a"]^-2, tau_a),
    suppressWarnings(stats::ks.test(swept[, "log_lik"], fresh[, "log_lik"])$p.value),
    vapply(c("n_features", "n_ones"), function(v) {
      cells <- pmin(c(swept[, v], fresh[, v]), 8)
      stats::chisq.test(table(cells, rep(1:2, c(size, 4 * size))))$p.value
    }, 0)
  )
  if (inherits(prior$concentration, "gamma_prior")) {
    p <- c(p, p_gamma(swept[, "concentration"], prior$concentration))
  }
  expect_gt(min(p) * length(p), 1e-4)
}

test_that("sweeps keep the joint distribution under the two-parameter process", {
  skip_if_quick()
  set.seed(4)
  expect_prior_kept(models$two, sized(500, 1500, 20000))
})
