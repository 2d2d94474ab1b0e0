# The FARO loss, and the feature matrix with the smallest expected loss.

#' All permutations of 1, ..., n, with one permutation per row
permutations <- function(n) {
  if (n == 0) return(matrix(0L, 1, 0))
  once(paste("permutations", n), do.call(rbind, lapply(seq_len(n), function(i) {
    rest <- permutations(n - 1)
    cbind(i, rest + (rest >= i))
  })))
}

used <- function(z) z[, colSums(z) > 0, drop = FALSE]

#' The loss, minimised over all permutations of columns. With `both`, each column of the draw y may
#' be replaced by its complement.
loss_by_hand <- function(z, y, cost, both = FALSE) {
  z <- used(z)
  y <- used(y)
  k <- max(ncol(z), ncol(y))
  pad <- \(x) cbind(x, matrix(0, nrow(x), k - ncol(x)))
  pairs <- \(z, y) cost * crossprod(z, 1 - y) + (2 - cost) * crossprod(1 - z, y)
  costs <- pairs(pad(z), pad(y))
  if (both) costs <- pmin(costs, pairs(pad(z), 1 - pad(y)))
  orders <- permutations(k)
  min(Reduce(`+`, lapply(seq_len(k), \(j) costs[j, orders[, j]]), 0))
}

random_z <- function(rows, columns, p = 0.4) matrix(rbinom(rows * columns, 1, p), rows, columns)

as_draws_of <- function(matrices) {
  matrices <- lapply(matrices, used)
  rows <- nrow(matrices[[1]])
  bits <- lapply(matrices, \(z) packBits(as.integer(rbind(z, matrix(0, -rows %% 64, ncol(z))))))
  unclass(new_feature_draws(rows, vapply(matrices, ncol, 1L), unlist(bits), NULL))
}

mean_by_hand <- function(z, matrices, cost) {
  mean(vapply(matrices, \(y) loss_by_hand(z, y, cost), 0))
}

#' Draws like those in the example of the package fangs. Three features of 20 rows have random
#' errors, one of the features may be missing, and there may be additional small features.
noisy_draws <- function(n, rows = 20, errors = 0.1) {
  z <- random_z(rows, 3)
  lapply(seq_len(n), function(draw) {
    y <- abs(z - random_z(rows, 3, errors))[, sample(3, sample(2:3, 1)), drop = FALSE]
    cbind(y, random_z(rows, sample(0:2, 1), 0.1))
  })
}

test_that("the loss is the smallest over all permutations of columns", {
  set.seed(1)
  for (n in 1:60) {
    z <- random_z(7, sample(0:5, 1))
    draws <- lapply(sample(0:5, 2), \(k) random_z(7, k))
    cost <- runif(1, 0, 2)
    for (both in c(FALSE, TRUE)) {
      expect_equal(
        expected_loss_cpp(as_draws_of(draws), z, cost, both),
        mean(vapply(draws, \(y) loss_by_hand(z, y, cost, both), 0))
      )
    }
  }
})

test_that("an entry that only the estimate has adds `cost` to the loss", {
  draws <- as_draws_of(list(cbind(c(1, 0, 0, 0))))
  expect_equal(expected_loss_cpp(draws, cbind(c(1, 1, 1, 0)), 0.3, FALSE), 0.6)
  expect_equal(expected_loss_cpp(draws, matrix(0L, 4, 0), 0.3, FALSE), 1.7)
})

test_that("no flip of an entry of the estimate lowers its loss, even if features are similar", {
  for (seed in 1:10) {
    set.seed(seed)
    z <- random_z(4, 8)
    draws <- lapply(1:60, \(i) abs(z - random_z(4, 8, 0.25))[, sample(8, sample(6:8, 1))])
    packed <- as_draws_of(draws)
    found <- search_estimate_cpp(packed, matrix(0L, 4, 0), 1, FALSE)
    flipped <- vapply(seq_along(found), \(k) {
      found[k] <- 1L - found[k]
      expected_loss_cpp(packed, found, 1, FALSE)
    }, 0)
    expect_gte(min(flipped) + 1e-9, expected_loss_cpp(packed, found, 1, FALSE))
  }
})

test_that("the estimate has the smallest loss of all matrices if they can be enumerated", {
  set.seed(2)
  entries <- as.matrix(expand.grid(rep(list(0:1), 9)))
  all <- lapply(seq_len(nrow(entries)), \(n) matrix(entries[n, ], 3))
  for (cost in c(0.6, 1, 1.4)) {
    draws <- lapply(sample(0:3, 12, TRUE), \(k) random_z(3, k, 0.5))
    packed <- as_draws_of(draws)
    z <- search_estimate_cpp(packed, matrix(0L, 3, 0), cost, FALSE)
    least <- min(vapply(all, \(z) expected_loss_cpp(packed, z, cost, FALSE), 0))
    expect_equal(mean_by_hand(z, draws, cost), least)
  }
})

test_that("no draw, flipped entry or removed feature lowers the expected loss", {
  set.seed(3)
  for (cost in c(0.5, 1, 1.5)) {
    draws <- noisy_draws(60)
    packed <- as_draws_of(draws)
    loss <- \(z) expected_loss_cpp(packed, z, cost, FALSE)
    z <- search_estimate_cpp(packed, random_z(20, 2), cost, FALSE)
    flipped <- lapply(seq_along(z), \(at) replace(z, at, 1L - z[at]))
    fewer <- lapply(seq_len(ncol(z)), \(k) z[, -k, drop = FALSE])
    expect_gt(ncol(z), 0)
    expect_lte(loss(z), min(vapply(c(flipped, fewer), loss, 0)))
    expect_lt(loss(z), min(vapply(draws, loss, 0)))
  }
})

test_that("a feature and its complement are equivalent if the model has complements", {
  set.seed(4)
  truth <- random_z(30, 3, 0.4)
  draws <- lapply(1:40, function(n) {
    y <- abs(truth - random_z(30, 3, 0.05))
    flipped <- runif(3) < 0.5
    y[, flipped] <- 1 - y[, flipped]
    y[, sample(3)]
  })
  z <- search_estimate_cpp(as_draws_of(draws), matrix(0L, 30, 0), 1, TRUE)
  expect_equal(loss_by_hand(z, truth, 1, both = TRUE), 0)
})

test_that("the expected loss is at most that of the medoid in every model", {
  for (fit in kinds_of_fits()) {
    if (inherits(fit, "fit_nmf")) next
    for (cost in c(0.7, 1)) {
      set.seed(1)
      before <- .Random.seed
      z <- suppressMessages(features(fit, "expected_loss", cost))
      expect_identical(.Random.seed, before)
      expect_lte(expected_loss(fit, z, cost), expected_loss(fit, features(fit), cost))
      expect_identical(rownames(z), rownames(features(fit)))
      expect_identical(is.na(rowSums(z)), is.na(rowSums(features(fit))))
      name <- if (inherits(fit, "fit_topics")) "t" else "f"
      expect_identical(colnames(z), paste0(name, seq_len(ncol(z)), recycle0 = TRUE))
    }
  }
})

test_that("expected_loss() averages over the draws that can be the point estimate", {
  fit <- small_fit()
  few <- which(lengths(as.list(feature_draws(fit))) <= 8 * 5)[1:40]
  local_function("trusted_draws", \(fit) few)
  z <- cbind(rep(1:0, 4), rep(0:1, c(3, 5)))
  draws <- as.list(feature_draws(fit)[few])
  expect_equal(expected_loss(fit, z, 0.8), mean_by_hand(z, draws, 0.8))
  # In models with biases, z has the same coding as features().
  logistic <- quick_logistic(method = method_gibbs(2, 60))
  z <- features(logistic)
  z[, 1] <- 1L - z[, 1]
  expect_equal(expected_loss(logistic, z, 0.8), expected_loss(logistic, features(logistic), 0.8))
})

test_that("known features are returned unchanged, with their names", {
  known <- quick_logistic(prior = prior_fixed(cbind(a = rep(1:0, 5))))
  expect_identical(features(known, "expected_loss"), features(known))
})

test_that("the arguments of features() and expected_loss() are checked", {
  fit <- small_fit()
  a_cost <- bad("be one number in (0, 2)", NULL, NA, "a", 0, 2, c(1, 1))
  a_cost$must <- "be one number in \\(0, 2\\)"
  expect_all_refused(expected_loss, list(fit = fit, z = features(fit), cost = 1), list(
    fit = bad("be a fit", NULL, 3), cost = a_cost,
    z = bad("", NULL, "a", matrix(2, 8, 1), matrix(0, 7, 1), matrix(NA, 8, 1))
  ))
  expect_all_refused(features, list(fit = fit, estimate = "expected_loss", cost = 1), list(
    estimate = bad("be one of", NULL, "mean", 1), cost = a_cost
  ))
  expect_error(features(fit, cost = 0.5), "^`cost` must be 1 for the medoid")
  expect_error(expected_loss(kinds_of_fits()$nmf, 1), "^`fit` must be a fit of binary features")
})
