# The linear-Gaussian model for rows with known distances.

x <- matrix(c(1.9, -0.4, 1.2, 0.3, 1.6, -1.1), 3, dimnames = list(c("a", "b", "c"), c("p", "q")))
d <- dist(c(b = 0, a = 0.3, c = 1.2))
in_order <- as.matrix(d)[rownames(x), rownames(x)]
counts <- class_counts(3, 10)
shared <- shared_counts(counts, 3)
log_lik <- spectral_log_lik(spectra(x, shared), 0.7, 1.3)

expect_exact_attraction <- function(log_prior, prior, ..., fits = 25) {
  replicates <- replicate_fits(
    x, ..., sigma_x = 0.7, sigma_a = 1.3, prior = prior, fits = fits, sweeps = 2500
  )
  expect_replicates(replicates, expectations(log_prior + log_lik, counts, shared))
}

test_that("fits match the exact posterior, and rows and their order are matched by name", {
  # The rows of `d` are used in the order c, b, a.
  log_prior <- log_prior_attraction(counts, in_order, 1.4, 2, list(c(3, 2, 1)))
  prior <- prior_attraction(d, 1.4, 2, order = c(3, 1, 2))
  expect_exact_attraction(log_prior, prior)
  if (!is_quick()) expect_exact_attraction(log_prior, prior, sampler = "uncollapsed")
})

test_that("fits match the exact posterior if temperature and order are learned", {
  quantiles <- qgamma((1:30 - 0.5) / 30, 2, 0.8)
  log_prior <- log_prior_attraction(counts, in_order, 1.4, quantiles, permutations(3))
  expect_exact_attraction(log_prior, prior_attraction(d, 1.4, gamma_prior(2, 0.8)))
})

test_that("at temperature 0, fits have the posterior of the Indian buffet process", {
  expect_exact_attraction(log_prior_ibp(counts, 3, 1.4), prior_attraction(d, 1.4, 0))
})

test_that("log_joint includes the probability given by dattraction()", {
  data <- small_data()
  distance <- dist(data)
  for (decay in c("exponential", "reciprocal")) {
    prior <- prior_attraction(distance, 1.5, 0.7, decay, order = 8:1)
    fit <- quick_fit(data, sigma_x = 0.4, sigma_a = 1.5, prior = prior)
    s <- scalars_of(fit)
    for (i in c(1, 77, 200)) {
      z <- feature_draws(fit)[[i]]
      log_prior <- dattraction(z, distance, 1.5, 0.7, decay, 8:1, log = TRUE)
      expect_equal(s[[i, "log_joint"]], s[[i, "log_lik"]] + log_prior, tolerance = 1e-8)
    }
  }
})

test_that("everything works for a fit under an attraction prior except new rows", {
  for (loadings in c("normal", "nonnegative")) {
    data <- if (loadings == "normal") small_data() else abs(small_data())
    fit <- quick_fit(
      replace(data, 2:3, NA), loadings = loadings, prior = prior_attraction(dist(data)),
      method = method_gibbs(chains = 2, iter = 80)
    )
    expect_error(predict(fit, data), "^`newdata` must be NULL, .*: fit them together [^\n]+\\.$")
    expect_usable(fit, pictures = loadings == "normal")
    expect_true(all(c("alpha", "temperature") %in% prior_summary(fit)$parameter))
    expect_true("temperature" %in% posterior::variables(as_draws(fit)))
  }
})

test_that("every model accepts the prior, and results do not depend on the order of the rows", {
  data <- small_data()
  prior <- prior_attraction(dist(data))
  short <- method_gibbs(2, 30)
  silent <- function(fit, ...) suppressWarnings(fit(..., method = short, seed = 1, verbose = FALSE))
  y <- (data > 0) + 0
  fits <- list(
    silent(fit_logistic, y, prior = prior), silent(fit_mixed, as.data.frame(data), prior = prior),
    silent(fit_factor, data, sparse = "factors", prior = prior),
    silent(fit_factor, data, prior = prior_attraction(dist(t(data)))),
    silent(fit_choice, celebrities, prior = prior_attraction(dist(celebrities))),
    silent(fit_gaussian, data, noise = "column", prior = prior)
  )
  for (fit in fits) expect_true(all(is.finite(scalars_of(fit))))
})

test_that("new rows can be fitted together with the others, and share features with close rows", {
  z <- rep(0:1, each = 15)
  data <- withr::with_seed(1, matrix(rnorm(30 * 6, 3 * z, 0.3), 30))
  data[c(15, 30), ] <- NA
  prior <- prior_attraction(dist(z + (1:30) / 100), temperature = 5)
  fit <- quick_fit(data, sigma_x = 0.3, prior = prior, method = method_gibbs(2, 400))
  fitted <- rowMeans(fitted(fit))
  expect_lt(fitted[15], fitted[30] - 1)
})

test_that("distances between other rows are rejected with a one-line error", {
  data <- small_data()
  distance <- as.matrix(dist(data))
  refused <- function(told, distance, data = small_data(), ...) {
    expect_error(quick_fit(data, prior = prior_attraction(distance), ...), told)
  }
  names <- rownames(data)
  refused(
    sprintf("^`distance` must have the row names of the data, not none for \"%s\"\\.$", names[8]),
    distance[-8, -8]
  )
  refused(
    sprintf("^`distance` must be between the rows of the data only, not to \"%s\": `", names[8]),
    distance, data[-8, ]
  )
  refused("^`distance` must be between the rows of the data \\(7\\), not between 8\\.$",
    unname(distance), data[-8, ]
  )
  refused("^`sampler` must be one of", distance, method = method_gibbs(1, 2, sampler = "slice"))
  refused("^`prior` must ", distance, method = method_beam())
  refused("^`prior` must be prior_ibp.. or prior_beta_bernoulli.. for row_blocks", distance,
    row_blocks(small_data())
  )
})
