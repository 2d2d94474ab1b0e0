test_that("the objective is the log joint density, from its definition, and never decreases", {
  x <- nmf_data()
  cases <- list(
    icm_fit(), icm_holes(), quick_nmf(x, 3, sigma_x = 0.3), quick_nmf(-x, 1), quick_nmf(t(x), 7),
    quick_nmf(x, 2, sigma_x = gamma_prior(3, 0.5), rate_w = 5, rate_a = 0.1),
    quick_nmf(x[1, , drop = FALSE], 1), quick_nmf(x[, 1, drop = FALSE], 1)
  )
  for (fit in cases) {
    x <- model_data(fit)
    sigma_x <- glance(fit)$sigma_x
    naive <- naive_nmf(x, weights_of(fit), loadings_of(fit), sigma_x, fit)
    expect_equal(utils::tail(objective(fit), 1), naive[["log_joint"]], tolerance = 1e-8)
    expect_equal(as.numeric(logLik(fit)), naive[["log_lik"]], tolerance = 1e-8)
    expect_equal(glance(fit)$log_joint, naive[["log_joint"]], tolerance = 1e-8)
    expect_gte(min(diff(objective(fit)), 0), -1e-9)
    expect_true(glance(fit)$converged && glance(fit)$finished)
  }
})

test_that("at the end, each entry and the noise are at their conditional modes", {
  for (holes in c(FALSE, TRUE)) {
    x <- if (holes) nmf_holes() else nmf_data()
    fit <- quick_nmf(x,
      method = method_icm(tol = 1e-15, iter = 20000), sigma_x = gamma_prior(1, 1), rate_w = 0.7,
      rate_a = 1.4
    )
    w <- weights_of(fit)
    a <- loadings_of(fit)
    variance <- glance(fit)$sigma_x^2
    seen <- !is.na(x)
    mode <- function(x, v, other, rate) {
      left <- x - v %*% other
      update <- function(i, k) {
        on <- !is.na(x[i, ])
        r <- left[i, on] + v[i, k] * other[k, on]
        max(0, (sum(r * other[k, on]) - variance * rate) / sum(other[k, on]^2))
      }
      outer(seq_len(nrow(v)), seq_len(ncol(v)), Vectorize(update))
    }
    expect_equal(unname(w), mode(x, w, a, 0.7), tolerance = 1e-5)
    expect_equal(unname(t(a)), mode(t(x), t(a), t(w), 1.4), tolerance = 1e-5)
    squares <- sum((x - w %*% a)^2, na.rm = TRUE)
    expect_equal(variance, (1 + squares / 2) / (1 + sum(seen) / 2 + 1), tolerance = 1e-10)
  }
})

test_that("the draws of scalars agree with the draws of factors", {
  for (fit in list(chains_fit(), chains_holes())) {
    scalars <- scalars_of(fit)
    draws <- naive_factors(fit)
    expect_length(draws, nrow(scalars))
    for (i in c(1, 57, 200)) {
      sigma_x <- scalars[i, "sigma_x"]
      naive <- naive_nmf(model_data(fit), draws[[i]]$w, draws[[i]]$a, sigma_x, fit)
      expect_equal(scalars[i, c("log_lik", "log_joint")], naive, tolerance = 1e-8)
      expect_gte(min(draws[[i]]$w, draws[[i]]$a), 0)
    }
    expect_identical(colnames(scalars), c("sigma_x", "log_lik", "log_joint"))
  }
})

test_that("the factors of a fit by sampling are those of its most probable draw", {
  fit <- chains_holes()
  best <- which.max(scalars_of(fit)[, "log_joint"])
  draw <- naive_factors(fit)[[best]]
  expect_equal(unname(weights_of(fit) %*% loadings_of(fit)), draw$w %*% draw$a)
  expect_setequal(as.vector(weights_of(fit)), as.vector(draw$w))
  expect_equal(as.numeric(logLik(fit)), scalars_of(fit)[best, "log_lik"], ignore_attr = TRUE)
})

test_that("components are ordered by their contribution, and rows and columns have names", {
  for (fit in list(icm_holes(), chains_fit(), quick_nmf(nmf_data(), 4))) {
    w <- weights_of(fit)
    a <- loadings_of(fit)
    sizes <- colSums(w) * rowSums(a)
    expect_false(is.unsorted(rev(sizes)))
    expect_identical(dimnames(w), list(rownames(nmf_data()), paste0("c", seq_len(ncol(w)))))
    expect_identical(dimnames(a), list(colnames(w), colnames(nmf_data())))
  }
  bare <- quick_nmf(unname(nmf_data()))
  expect_identical(rownames(weights_of(bare)), NULL)
  expect_identical(unname(weights_of(bare)), unname(weights_of(quick_nmf(nmf_data()))))
})

test_that("a missing entry has no effect, whatever its value", {
  x <- nmf_holes()
  # If a row has no observed entries, its weights have their prior mean.
  hidden <- rbind(x, none = NA)
  fit <- quick_nmf(hidden, init = list(loadings = loadings_of(icm_holes())))
  expect_identical(unname(weights_of(fit)["none", ]), c(1, 1))
  without <- quick_nmf(x, init = list(loadings = loadings_of(icm_holes())))
  expect_equal(fitted(fit)[1:20, ], fitted(without), tolerance = 1e-6)
})

test_that("an earlier fit, or a part of one, can be used as the start", {
  fit <- icm_fit()
  again <- quick_nmf(nmf_data(), init = fit, method = method_icm(restarts = 3))
  expect_lte(length(objective(again)), 3)
  expect_equal(fitted(again), fitted(fit), tolerance = 1e-4)
  chain <- quick_nmf(nmf_data(), init = fit, method = method_gibbs(1, 1, warmup = 0))
  other <- quick_nmf(nmf_data(), method = method_gibbs(1, 1, warmup = 0))
  expect_gt(scalars_of(chain)[, "log_lik"], scalars_of(other)[, "log_lik"])
  noise <- quick_nmf(
    nmf_data(), init = list(loadings = loadings_of(fit), sigma_x = 100),
    method = method_gibbs(1, 1, warmup = 0)
  )
  expect_true(all(is.finite(scalars_of(noise))))
  starts <- list(list(weights = weights_of(fit)), list(sigma_x = 1))
  expect_s3_class(nmf_chains(nmf_data(), init = starts, iter = 4), "fit_nmf")
  expect_s3_class(nmf_chains(nmf_data(), init = chains_fit(), iter = 4), "fit_nmf")
})

test_that("a fit that needs more iterations says so", {
  expect_warning(
    fit <- quick_nmf(nmf_data(), method = method_icm(iter = 3)),
    "^the log joint density is still rising after `iter` \\(3\\) iterations\\.$"
  )
  expect_length(objective(fit), 3)
  expect_false(glance(fit)$converged)
  expect_match(format(fit), "\\(still rising\\)$", all = FALSE)
})
