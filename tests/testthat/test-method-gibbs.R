test_that("chains are longer if data are small, but save the same number of draws", {
  set.seed(1)
  lengths <- function(rows, columns, ...) {
    x <- matrix(rnorm(rows * columns), rows)
    fit <- fit_gaussian(
      x, method = method_gibbs(chains = 1, ...), prior = prior_beta_bernoulli(2), seed = 1,
      verbose = FALSE
    )
    c(unlist(fit$method[c("iter", "warmup", "thin")]), draws = length(feature_draws(fit)))
  }
  expect_equal(lengths(10, 2), c(iter = 20000, warmup = 10000, thin = 10, draws = 1000))
  expect_equal(lengths(50, 20), c(iter = 10000, warmup = 5000, thin = 5, draws = 1000))
  expect_equal(lengths(51, 50), c(iter = 2000, warmup = 1000, thin = 1, draws = 1000))
  # Values that are given are not changed.
  expect_equal(lengths(10, 2, iter = 300), c(iter = 300, warmup = 150, thin = 1, draws = 150))
  expect_equal(lengths(10, 2, thin = 4), c(iter = 20000, warmup = 10000, thin = 4, draws = 2500))
  expect_equal(lengths(10, 2, warmup = 50), c(iter = 20000, warmup = 50, thin = 10, draws = 1995))
})

test_that("a method reports the length of its chains before and after it is used with data", {
  expect_match(format(method_gibbs()), "4 chains of 2000 sweeps, more for small data", fixed = TRUE)
  expect_match(format(method_gibbs(warmup = 7)), "small data (7 warm-up)", fixed = TRUE)
  expect_match(format(method_gibbs(iter = 90)), "of 90 sweeps (45 warm-up)", fixed = TRUE)
  expect_match(format(method_gibbs(iter = 90, thin = 3)), "(45 warm-up), thin 3", fixed = TRUE)
  expect_match(format(method_gibbs(restart_stuck = FALSE)), "stuck chains not restarted")
})

test_that("fits report how many chains were restarted from the best chain", {
  chains <- function(...) {
    fit <- small_fit()
    fit$internal$chains <- lapply(c(...), function(regrouped) list(regrouped = regrouped))
    format(fit)
  }
  told <- "2 of 3 chains were restarted from a better one during warm-up."
  expect_true(told %in% chains(TRUE, FALSE, TRUE))
  expect_no_match(chains(FALSE, FALSE), "restarted")
  expect_no_match(chains(TRUE), "restarted")
})

test_that("only chains far below the best one continue from it, at three fifths of the warm-up", {
  set.seed(1)
  x <- matrix(rbinom(60 * 20, 1, 0.5), 60) %*% matrix(rnorm(20 * 5), 20) + 0.05 * rnorm(300)
  fit <- function(regroup) {
    method <- method_gibbs(iter = 1200, warmup = 700, restart_stuck = regroup)
    fit_gaussian(x, method = method, seed = 2, verbose = FALSE)
  }
  together <- fit(TRUE)
  alone <- fit(FALSE)
  regrouped <- vapply(together$internal$chains, `[[`, NA, "regrouped")
  expect_true(any(regrouped) && !all(regrouped))
  expect_false(any(vapply(alone$internal$chains, `[[`, NA, "regrouped")))
  expect_match(format(together), sprintf("%d of 4 chains", sum(regrouped)), all = FALSE)

  joint <- function(fit) {
    rbind(fit$internal$warmup_scalars[, , "log_joint"], fit$internal$scalars[, , "log_joint"])
  }
  # Sweeps are recorded only after the search, which takes the first 350.
  before <- seq_len(420 - 350)
  expect_identical(joint(together)[before, ], joint(alone)[before, ])
  expect_identical(joint(together)[, !regrouped], joint(alone)[, !regrouped])
  expect_false(any(joint(together)[-before, regrouped] == joint(alone)[-before, regrouped]))

  # Computed from the recorded scalars: the chains that are far below the best one.
  level <- joint(alone)[before, ]
  far <- max(colMeans(level)) - colMeans(level) > 2 * sqrt(mean(apply(level, 2, var)))
  expect_identical(regrouped, far)
})
