#' The chain whose log joint has the highest mean, by the draws as any user has them
best_of <- function(fit) {
  draws <- as_draws_df(fit)
  unname(which.max(tapply(draws$log_joint, draws$.chain, mean)))
}

#' Scalars of layers that only other chains have are of these
expect_same_scalars <- function(alone, fit, chain) {
  part <- as_draws(alone)
  names <- posterior::variables(part)
  expect_true(all(c("log_lik", "log_joint") %in% names))
  expect_equal(unclass(part)[, 1, ], unclass(as_draws(fit))[, chain, names], ignore_attr = TRUE)
}

#' best_chain() has the draws of that chain, and can be gone on from
expect_best <- function(fit) {
  best <- best_of(fit)
  alone <- best_chain(fit)
  expect_identical(class(alone), class(fit))
  expect_same_scalars(alone, fit, best)
  if (!inherits(fit, "fit_nmf")) {
    kept <- posterior::niterations(as_draws(fit))
    own <- feature_draws(fit)[(best - 1) * kept + seq_len(kept)]
    expect_identical(feature_draws(alone), own)
  }
  # Loadings, weights, topics and states are also those of the chain.
  iter <- fit$method$iter + 2 * fit$method$thin
  longer <- function(fit) update(fit, iter = iter, verbose = FALSE)
  expect_same_scalars(longer(alone), longer(fit), best)
  expect_true(all(is.finite(fitted(alone)[!is.na(fitted(fit))])))
  invisible(alone)
}

chains <- method_gibbs(chains = 3, iter = 40, thin = 3)
holes <- replace(small_data(), c(2, 9, 17, 18), NA)

test_that("the best chain of every model is the one with the highest mean log joint", {
  kinds <- names(sampled_kinds())
  tree <- withr::with_seed(1, ape::rcoal(8, paste0("row", 1:8)))
  of_kinds <- lapply(kinds, function(name) {
    function(init = NULL) fit_kind(name, method = chains, init = init)
  })
  others <- list(
    function(init = NULL) quick_fit(holes, "nonnegative", method = chains, init = init),
    function(init = NULL) {
      quick_fit(small_data(), prior = prior_pibp(tree), method = chains, init = init)
    },
    function(init = NULL) {
      quick_fit(small_data(), prior = prior_beta_bernoulli(4), method = chains, init = init)
    }
  )
  for (fit_from in c(of_kinds, others)) {
    alone <- expect_best(suppressMessages(fit_from()))
    again <- suppressMessages(fit_from(alone))
    expect_identical(posterior::nchains(as_draws(again)), 3L)
  }
  expect_error(best_chain(icm_fit()), "^`fit` must be a fit by sampling, not one by .*\\.$")
})

test_that("all chains start at the last draw of the best", {
  # So little noise that a sweep moves nothing.
  z <- withr::with_seed(1, matrix(stats::rbinom(240, 1, 0.4), 60))
  x <- withr::with_seed(2, draw_gaussian(z, 10, 0.05, 1))
  from <- function(init, chains, ...) {
    quick_fit(
      x, sigma_x = 0.05, sigma_a = 1, prior = prior_beta_bernoulli(4, 2), init = init,
      method = method_gibbs(chains = chains, iter = 1, warmup = 0), ...
    )
  }
  first <- from(list(matrix(1, 60, 1), z, matrix(1, 60, 1)), 3)
  expect_identical(best_of(first), 2L)
  second <- from(best_chain(first), 3, seed = 2)
  for (i in 1:3) {
    expect_identical(unname(left_order(feature_draws(second)[[i]])), left_order(z))
  }
})

test_that("the best chain is a fit of one chain as any other", {
  one <- quick_fit(holes, method = method_gibbs(chains = 1, iter = 60))
  expect_identical(best_chain(one), one)
  seeds <- 1:5
  fits <- lapply(seeds, function(seed) {
    quick_fit(holes, method = method_gibbs(chains = 2, iter = 60), seed = seed)
  })
  first <- which(vapply(fits, best_of, 1L) == 1)
  expect_gt(length(first), 0)
  for (i in first) {
    alone <- quick_fit(holes, method = method_gibbs(chains = 1, iter = 60), seed = seeds[i])
    expect_identical(best_chain(fits[[i]]), alone)
  }
})
