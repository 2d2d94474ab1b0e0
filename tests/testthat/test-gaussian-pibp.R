# The linear-Gaussian model for rows on a tree.

x <- matrix(c(1.9, -0.4, 1.2, 0.3, 1.6, -1.1), 3, dimnames = list(c("a", "b", "c"), c("p", "q")))
tree <- phylo_of(cbind(c(4, 4, 5, 5), c(3, 5, 1, 2)), c(0.8, 0.5, 0.3, 0.3), c("c", "b", "a"), 0.2)
counts <- class_counts(3, 10)
shared <- shared_counts(counts, 3)
# The rates of all kinds of columns for the rows a, b, c.
rates <- apply(histories(3), 2, \(column) naive_rate(tree, column[3:1]))
log_prior_tree <- function(alpha) {
  rowSums(matrix(stats::dpois(t(counts), alpha * rates, log = TRUE), nrow(counts), byrow = TRUE))
}

expect_exact_tree <- function(log_lik, ..., x, fits = 25) {
  log_weights <- log_prior_tree(1.4) + log_lik
  beyond <- log_weights[rowSums(counts) == 10]
  expect_lt(log_sum_exp(beyond) - log_sum_exp(log_weights), log(2e-4))
  replicates <- replicate_fits(
    x, ..., sigma_x = 0.7, sigma_a = 1.3, prior = prior_pibp(tree, 1.4), fits = fits,
    sweeps = 2500
  )
  expect_replicates(replicates, expectations(log_weights, counts, shared))
}

test_that("the reference agrees with dpibp()", {
  for (row in c(1, 2, 50, 5000)) {
    z <- `rownames<-`(histories(3), rownames(x))[, rep(1:7, counts[row, ]), drop = FALSE]
    expect_equal(log_prior_tree(1.4)[row], dpibp(z, tree, 1.4, log = TRUE), tolerance = 1e-8)
  }
})

test_that("fits match the exact posterior on a tree, and rows are matched by name", {
  log_lik <- spectral_log_lik(spectra(x, shared), 0.7, 1.3)
  expect_exact_tree(log_lik, x = x)
  if (!is_quick()) expect_exact_tree(log_lik, x = x, sampler = "uncollapsed")
})

test_that("rows and tips can be in any order", {
  data <- small_data()
  other <- caterpillar(8, rownames(data)[c(3, 1, 7, 8, 2, 5, 4, 6)])
  fit_of <- function(data) quick_fit(data, prior = prior_pibp(other, 2), sigma_x = 0.4)
  # The same tree with its tips and edges renumbered must give the same fit.
  same <- other
  same$tip.label <- rev(other$tip.label)
  tips <- same$edge[, 2] <= 8
  same$edge[tips, 2] <- 9 - same$edge[tips, 2]
  expect_equal(
    scalars_of(quick_fit(data, prior = prior_pibp(same, 2), sigma_x = 0.4)),
    scalars_of(fit_of(data)), tolerance = 1e-8
  )
  shuffled <- fit_of(data[8:1, ])
  expect_identical(rownames(features(shuffled)), rev(rownames(data)))
  expect_lt(max(abs(coassignment(shuffled)[8:1, 8:1] - coassignment(fit_of(data)))), 1)
})

named_data <- function(n) {
  z <- withr::with_seed(n, matrix(stats::rbinom(3 * n, 1, 0.4), n))
  x <- withr::with_seed(n, matrix(draw_gaussian(z, 4, 0.3, 1.5), n))
  dimnames(x) <- list(paste0("t", seq_len(n)), NULL)
  x
}

test_that("everything works for a fit on a tree except new rows", {
  for (n in c(9L, 15L)) {
    data <- named_data(n)
    for (loadings in c("normal", "nonnegative")) {
      fit <- quick_fit(
        replace(data, 2:3, NA), loadings = loadings, prior = prior_pibp(caterpillar(n)),
        method = method_gibbs(chains = 2, iter = 80)
      )
      expect_error(predict(fit, data), "^`newdata` must [^\n]+, not [^\n]+\\.$")
      expect_usable(fit, pictures = n == 9)
      expect_length(heldout_density(fit, data), 2)
      expect_match(format(fit)[2], sprintf("^Prior: Z ~ pIBP\\(tree of %d tips, ", n))
      expect_true("alpha" %in% prior_summary(fit)$parameter)
    }
  }
})

test_that("on a tree, log_joint includes the probability given by dpibp()", {
  data <- named_data(6)
  fit <- quick_fit(data, sigma_x = 0.4, sigma_a = 1.5, prior = prior_pibp(caterpillar(6), 1.5))
  s <- scalars_of(fit)
  for (i in c(1, 77, 200)) {
    z <- feature_draws(fit)[[i]]
    expect_equal(s[[i, "log_lik"]], naive_log_lik(data, z, 0.4, 1.5))
    expect_equal(
      s[[i, "log_joint"]], s[[i, "log_lik"]] + dpibp(z, caterpillar(6), 1.5, log = TRUE),
      tolerance = 1e-8
    )
  }
})

test_that("options that are incompatible with a tree are rejected with a one-line error", {
  data <- named_data(4)
  prior <- prior_pibp(star_tree(4))
  refused <- function(told, ...) {
    expect_error(fit_gaussian(..., verbose = FALSE, seed = 1), told)
  }
  slice <- method_gibbs(1, 2, sampler = "slice")
  refused("^`sampler` must be one of \"collapsed\", \"unc", data, prior = prior, method = slice)
  refused("^`sampler` must be \"uncollapsed\"", data, "nonnegative", prior = prior, method = slice)
  refused("^`prior` must ", data, "nonnegative", prior = prior, method = method_meibp())
  refused("^`prior` must ", data, prior = prior_fixed(diag(4)))
  refused("the rows have no names: ", unname(data), prior = prior)
  refused("the rows have no names: ", as.data.frame(unname(data)), prior = prior)
  refused("its tip \"t4\" matches no row: ", data[1:3, ], prior = prior)
  refused("it has no tip for the row \"u\": ", rbind(data, u = 0), prior = prior)
})
