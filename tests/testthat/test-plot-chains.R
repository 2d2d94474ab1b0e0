test_that("equal features have one number, whatever the order of the columns", {
  z <- cbind(c(1, 1, 1, 1, 0, 0), c(0, 0, 1, 1, 1, 0), c(1, 0, 0, 0, 0, 1))
  other <- c(0, 0, 0, 0, 1, 1)
  # Of four rows three have both; of three rows one.
  close <- c(1, 1, 1, 0, 0, 0)
  all <- matched_features(list(z, z[, c(3, 1, 2)], cbind(other, close), cbind(other)))
  expect_identical(all$chain, rep(1:4, c(3, 3, 2, 1)))
  expect_equal(all$feature, c(1, 2, 3, 3, 1, 2, 4, 1, 4))
  expect_equal(all$overlap, c(rep(1, 7), 3 / 4, 1))
  expect_equal(all$share, c(4, 3, 2, 2, 4, 3, 2, 3, 2) / 6)
})

test_that("half in common is not the same feature, and a feature is matched once", {
  half <- matched_features(list(cbind(c(1, 1, 0)), cbind(c(1, 0, 0))))
  expect_equal(half$feature, 1:2)
  twice <- matched_features(list(cbind(c(1, 1, 1, 0)), cbind(c(1, 1, 0, 0), c(1, 1, 1, 1))))
  expect_equal(twice$feature, c(1, 2, 1))
  expect_equal(twice$overlap, c(1, 1, 3 / 4))
})

test_that("\"chains\" shows a draw of each chain, the best at the top", {
  fit <- quick_fit(scale(longley), method = method_gibbs(chains = 3, iter = 200))
  draws <- as_draws_df(fit)
  means <- tapply(draws$log_joint, draws$.chain, mean)
  ranked <- order(means, decreasing = TRUE)
  p <- plot(fit, "chains")
  expect_identical(levels(p$data$chain), rev(sprintf("%d: %.1f", ranked, means[ranked])))
  kept <- posterior::niterations(as_draws(fit))
  shown <- split(p$data, p$data$chain)
  for (chain in 1:3) {
    # In some draw of the chain so many rows have the features.
    of_chain <- shown[[grep(sprintf("^%d:", chain), names(shown))]]
    sizes <- sort(of_chain$share * 16)
    draws <- as.list(feature_draws(fit)[(chain - 1) * kept + seq_len(kept)])
    like <- function(z) isTRUE(all.equal(unname(sort(colSums(z))), sizes))
    expect_true(any(vapply(draws, like, NA)))
  }
  best <- p$data[p$data$chain == levels(p$data$chain)[3], ]
  z <- features(best_chain(fit))
  expect_equal(best$share[order(best$feature)], unname(colMeans(z)))
  # Only features of the best chain have numbers; those of more chains come first.
  labels <- build_plot(p)$layout$panel_params[[1]]$x$get_labels()
  expect_setequal(labels[nzchar(labels)], seq_len(ncol(z)))
  found <- table(p$data$column)
  expect_false(is.unsorted(rev(as.vector(found))))
  expect_identical(is.na(p$data$overlap), as.vector(found[p$data$column] == 1))
  subtitle <- sprintf("%d of %d are in all chains", sum(found == 3), length(found))
  expect_match(p$labels$subtitle, subtitle, fixed = TRUE)
})

test_that("chains with the same features have them in the same columns", {
  x <- withr::with_seed(1, block_images(60, sigma = 0.1))
  fit <- quick_fit(x, sigma_x = 0.1, method = method_gibbs(chains = 3, iter = 200))
  data <- plot(fit, "chains")$data
  expect_identical(as.vector(table(data$column)), rep(3L, 4))
  expect_equal(data$overlap, rep(1, 12))
})

test_that("\"chains\" is of several chains", {
  one <- quick_fit(small_data(), method = method_gibbs(chains = 1, iter = 40))
  expect_error(
    plot(one, "chains"),
    "^`x` must be a fit of several chains for this picture, not one of a single chain\\.$"
  )
  point <- quick_fit(abs(small_data()), "nonnegative", method = method_meibp(3))
  expect_error(plot(point, "chains"), "^`type` must be one of .*, not \"chains\"\\.$")
  expect_error(plot(chains_fit(), "chains"), "^`type` must be one of .*, not \"chains\"\\.$")
})
