#' The chain with the highest mean log joint, computed from the draws that users see
best_of <- function(fit) {
  draws <- as_draws_df(fit)
  unname(which.max(tapply(draws$log_joint, draws$.chain, mean)))
}

#' Expects the scalars of the chain, apart from those of layers that only other chains have
expect_same_scalars <- function(alone, fit, chain) {
  part <- as_draws(alone)
  names <- posterior::variables(part)
  expect_true(all(c("log_lik", "log_joint") %in% names))
  expect_equal(unclass(part)[, 1, ], unclass(as_draws(fit))[, chain, names], ignore_attr = TRUE)
}

#' Expects best_chain() to have the draws of that chain, and other fits to be able to start from it
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
  # Loadings, weights, topics and states must also come from that chain.
  iter <- fit$method$iter + 2 * fit$method$thin
  longer <- function(fit) update(fit, iter = iter, verbose = FALSE)
  expect_same_scalars(longer(alone), longer(fit), best)
  if (inherits(fit, "fit_mixed")) return(invisible(alone))
  expect_true(all(is.finite(fitted(alone)[!is.na(fitted(fit))])))
  invisible(alone)
}

chains <- method_gibbs(chains = 3, iter = 40, thin = 3)
holes <- replace(small_data(), c(2, 9, 17, 18), NA)

test_that("the best chain of every model is the one with the highest mean log joint", {
  kinds <- setdiff(names(sampled_kinds()), c("nonnegative", "factors"))
  if (is_quick()) kinds <- setdiff(kinds, c("column", "loadings", "choice", "nmf"))
  tree <- withr::with_seed(1, ape::rcoal(8, paste0("row", 1:8)))
  cases <- c(
    lapply(kinds, function(name) {
      function(init = NULL) fit_kind(name, method = chains, init = init)
    }),
    function(init = NULL) quick_fit(abs(holes), "nonnegative", method = chains, init = init),
    function(init = NULL) {
      quick_fit(small_data(), prior = prior_pibp(tree), method = chains, init = init)
    }
  )
  for (fit_from in cases) {
    alone <- expect_best(suppressMessages(fit_from()))
    again <- suppressMessages(fit_from(alone))
    expect_identical(posterior::nchains(as_draws(again)), 3L)
  }
  expect_error(best_chain(icm_fit()), "^`fit` must be a fit by sampling, not one by .*\\.$")
})

test_that("all chains start at the last draw of the best chain", {
  z <- still_features()
  from <- still_fit
  first <- from(list(matrix(1, 60, 1), z, matrix(1, 60, 1)), 3)
  expect_identical(best_of(first), 2L)
  second <- from(best_chain(first), 3, seed = 2)
  for (i in 1:3) {
    expect_identical(unname(left_order(feature_draws(second)[[i]])), left_order(z))
  }
})

test_that("the best chain is an ordinary fit with one chain", {
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

test_that("equal features get the same number, in whatever order the columns are", {
  z <- cbind(c(1, 1, 1, 1, 0, 0), c(0, 0, 1, 1, 1, 0), c(1, 0, 0, 0, 0, 1))
  other <- c(0, 0, 0, 0, 1, 1)
  # Two features share three of the four rows that have either; two others share one of three rows.
  close <- c(1, 1, 1, 0, 0, 0)
  all <- matched_features(list(z, z[, c(3, 1, 2)], cbind(other, close), cbind(other)))
  expect_identical(all$chain, rep(1:4, c(3, 3, 2, 1)))
  expect_equal(all$feature, c(1, 2, 3, 3, 1, 2, 4, 1, 4))
  expect_equal(all$overlap, c(rep(1, 7), 3 / 4, 1))
  expect_equal(all$share, c(4, 3, 2, 2, 4, 3, 2, 3, 2) / 6)
})

test_that("\"chains\" shows a draw from each chain, with the best chain at the top", {
  fit <- quick_fit(scale(longley), method = method_gibbs(chains = 3, iter = 200))
  draws <- as_draws_df(fit)
  means <- tapply(draws$log_joint, draws$.chain, mean)
  ranked <- order(means, decreasing = TRUE)
  p <- plot(fit, "chains")
  expect_identical(levels(p$data$chain), rev(sprintf("%d: %.1f", ranked, means[ranked])))
  kept <- posterior::niterations(as_draws(fit))
  shown <- split(p$data, p$data$chain)
  for (chain in 1:3) {
    # Some draw of the chain must have features with these numbers of rows.
    of_chain <- shown[[grep(sprintf("^%d:", chain), names(shown))]]
    sizes <- sort(of_chain$share * 16)
    draws <- as.list(feature_draws(fit)[(chain - 1) * kept + seq_len(kept)])
    like <- function(z) isTRUE(all.equal(unname(sort(colSums(z))), sizes))
    expect_true(any(vapply(draws, like, NA)))
  }
  best <- p$data[p$data$chain == levels(p$data$chain)[3], ]
  z <- features(best_chain(fit))
  expect_equal(best$share[order(best$feature)], unname(colMeans(z)))
  # Only features of the best chain are numbered. Features found by more chains come first.
  labels <- build_plot(p)$layout$panel_params[[1]]$x$get_labels()
  expect_setequal(labels[nzchar(labels)], seq_len(ncol(z)))
  found <- table(p$data$column)
  expect_false(is.unsorted(rev(as.vector(found))))
  expect_identical(is.na(p$data$overlap), as.vector(found[p$data$column] == 1))
  subtitle <- sprintf("%d of %d are in all chains", sum(found == 3), length(found))
  expect_match(p$labels$subtitle, subtitle, fixed = TRUE)
})

test_that("chains with the same features show them in the same columns", {
  x <- withr::with_seed(1, sim_images(60, sigma = 0.1))
  fit <- quick_fit(x, sigma_x = 0.1, method = method_gibbs(chains = 3, iter = 200))
  data <- plot(fit, "chains")$data
  expect_identical(as.vector(table(data$column)), rep(3L, 4))
  expect_equal(data$overlap, rep(1, 12))
})

test_that("\"chains\" requires several chains", {
  one <- quick_fit(small_data(), method = method_gibbs(chains = 1, iter = 40))
  expect_error(
    plot(one, "chains"),
    "^`x` must be a fit of several chains for this plot, not one of a single chain\\.$"
  )
  point <- quick_fit(abs(small_data()), "nonnegative", method = method_meibp(3))
  expect_error(plot(point, "chains"), "^`type` must be one of .*, not \"chains\"\\.$")
  expect_error(plot(chains_fit(), "chains"), "^`type` must be one of .*, not \"chains\"\\.$")
})
