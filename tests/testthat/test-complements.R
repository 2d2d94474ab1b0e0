# In models with biases, a feature and its complement are equivalent.

#' One feature has two groups of nearly equal size, and a second feature is rarer. Chains start from
#' either coding of the first feature.
group <- rep(0:1, c(21, 19))
halves <- withr::with_seed(4, {
  rare <- rbinom(40, 1, 0.25)
  p <- plogis(cbind(4 - 8 * group, 8 * group - 4, 3 - 6 * group, 6 * group - 3, 6 * rare - 3))
  p <- cbind(p, p[, 5])
  matrix(rbinom(240, 1, p), 40)
})

fit_halves <- function(features) {
  starts <- list(cbind(group), cbind(1 - group), cbind(group), cbind(1 - group))
  quick_logistic(halves,
    init = starts, prior = prior_beta_bernoulli(features),
    method = method_gibbs(chains = 4, iter = 800)
  )
}

halves_fit <- function() once("halves", fit_halves(2))

#' Recodes each column of a draw as the help page describes, using cor()
code_by_hand <- function(z, like) {
  for (k in seq_len(ncol(z))) {
    flip <- sum(z[, k]) > nrow(z) / 2
    r <- if (ncol(like) > 0 && !all(z[, k] == 1)) cor(z[, k], like) else 0
    if (max(abs(r)) > 0.5) flip <- r[which.max(abs(r))] < 0
    if (flip) z[, k] <- 1L - z[, k]
  }
  z
}

shared_by_hand <- function(draws, like) {
  Reduce(`+`, lapply(as.list(draws), function(z) tcrossprod(code_by_hand(z, like)))) / length(draws)
}

test_that("chains that code a feature in different ways count as having found the same feature", {
  fit <- fit_halves(1)
  draws <- as.list(feature_draws(fit))
  flipped <- vapply(draws, function(z) cor(z, group) < 0, NA)
  # The test is meaningful only if both codings occur among the draws.
  expect_gt(min(mean(flipped), mean(!flipped)), 0.1)
  expect_lte(sum(features(fit)), 20)
  # Chains differ no more than if every draw used the coding of the groups.
  of_groups <- vapply(seq_along(draws), function(n) {
    as.vector(tcrossprod(if (flipped[n]) 1 - draws[[n]] else draws[[n]]))
  }, numeric(1600))
  chain <- rep(1:4, each = length(draws) / 4)
  means <- vapply(1:4, function(n) rowMeans(of_groups[, chain == n]), numeric(1600))
  differ <- max(apply(means, 1, max) - apply(means, 1, min))
  expect_lt(differ, 0.3)
  expect_equal(suppressWarnings(summary(fit))$between_chains, differ)
  shown <- plot(fit, "chains")
  expect_equal(shown$data$feature, rep(1, 4))
  expect_true(all(shown$data$overlap > 0.8))
  expect_match(shown$labels$subtitle, "1 of 1 are in all chains")
})

test_that("coassignment uses one coding of each feature and agrees with features()", {
  fit <- halves_fit()
  by_hand <- shared_by_hand(feature_draws(fit), features(fit))
  expect_equal(coassignment(fit), by_hand, ignore_attr = TRUE)
  # Without recoding, the means would be about one half in both groups.
  expect_gt(cor(as.vector(by_hand), as.vector(tcrossprod(features(fit)))), 0.9)
  chains <- lapply(1:4, function(chain) {
    shared_by_hand(feature_draws(fit)[400 * (chain - 1) + 1:400], features(fit))
  })
  differ <- max(do.call(pmax, chains) - do.call(pmin, chains))
  expect_equal(suppressWarnings(summary(fit))$between_chains, differ)
})

test_that("coefficients, effects and probabilities refer to the displayed coding", {
  fit <- halves_fit()
  z <- features(fit)
  a <- coef(fit)
  p <- plogis(z %*% a + rep(attr(a, "bias"), each = 40))
  expect_lt(mean(abs(p - fitted(fit))), 0.05)
  # If rows of the data are passed as new rows, they keep their features.
  found <- predict(fit, halves, type = "features")
  expect_identical(colnames(found), colnames(z))
  expect_true(all(diag(cor(found, z)) > 0.7))

  data <- data.frame(
    size = 10 + 3 * group + withr::with_seed(1, rnorm(40)), yes = halves[, 1] == 1,
    no = halves[, 2] == 1
  )
  for (start in list(group, 1 - group)) {
    mixed <- quick_mixed(data,
      families = c(size = "gaussian"), init = cbind(start),
      method = method_gibbs(chains = 1, iter = 20, warmup = 10)
    )
    z <- features(mixed)
    expect_true(all(colSums(z) <= 20))
    k <- which.max(abs(cor(z, group)))
    effect <- tidy(mixed)
    effect <- effect[effect$feature == colnames(z)[k] & effect$column == "size", ]
    expect_identical(sign(effect$estimate), sign(cor(z[, k], group)))
  }
})

test_that("the coding is kept without biases, and for known features and those of all rows", {
  z <- cbind(a = rep(c(1, 0), c(8, 2)), b = rep(0:1, 5))
  known <- quick_logistic(prior = prior_fixed(z))
  expect_equal(features(known), z, ignore_attr = TRUE)
  expect_equal(coassignment(known), tcrossprod(z), ignore_attr = TRUE)
  # In a row without features, zeros and ones are equally probable.
  without <- quick_logistic(
    matrix(1, 10, 6), bias = FALSE, prior = prior_beta_bernoulli(1),
    method = method_gibbs(chains = 1, iter = 200)
  )
  expect_gt(sum(features(without)), 5)
  draws <- as.list(feature_draws(without))
  expect_equal(
    coassignment(without), Reduce(`+`, lapply(draws, tcrossprod)) / length(draws),
    ignore_attr = TRUE
  )
  # One feature belongs to all rows, so a draw depends on it only through the biases.
  all <- cbind(rep(1L, 5), c(1L, 1L, 1L, 1L, 0L), c(1L, 0L, 0L, 0L, 0L))
  expect_identical(coded_like(all), cbind(all[, 1], 1L - all[, 2], all[, 3]))
})
