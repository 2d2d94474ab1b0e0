# The arguments of fit_cascade().

#' The scalars of every recorded sweep whose names match
recorded <- function(fit, pattern) {
  pick <- function(a) a[, , grep(pattern, dimnames(a)[[3]]), drop = FALSE]
  rbind(
    matrix(
      aperm(pick(fit$internal$warmup_scalars), c(1, 2, 3)),
      ncol = dim(pick(fit$internal$scalars))[3]
    ),
    matrix(pick(fit$internal$scalars), ncol = dim(pick(fit$internal$scalars))[3])
  )
}

test_that("no sweep exceeds the limits on layers and units", {
  x <- cascade_data(30)
  run <- function(layers, units, most = NULL) {
    init <- init_cascade(c(4, 8)[seq_len(min(layers, 2))])
    prior <- prior_cascade(gamma_prior(50, 1), gamma_prior(20, 2), 1, layers, units)
    method <- method_gibbs(2, 60, warmup = 10, max_features = most)
    quick_cascade(x, prior = prior, method = method, init = init)
  }
  fit <- run(2, 12)
  expect_identical(
    grep("^width", dimnames(fit$internal$scalars)[[3]], value = TRUE), paste0("width_", 1:2)
  )
  expect_lte(max(recorded(fit, "n_layers")), 2)
  expect_lte(max(rowSums(recorded(fit, "^width_"))), 12)
  # The chains reach the limits.
  expect_identical(max(recorded(fit, "n_layers")), 2)
  expect_identical(max(rowSums(recorded(fit, "^width_"))), 12)
  fit <- run(1, 9)
  expect_identical(max(recorded(fit, "n_layers")), 1)
  expect_identical(max(recorded(fit, "^width_1$")), 9)
  expect_identical(max(lengths(lapply(as.list(feature_draws(fit)), \(z) z[1, ]))), 9L)
  fit <- run(3, 50, most = 4)
  expect_identical(max(recorded(fit, "^width_1$")), 4)
  expect_identical(max(recorded(fit, "n_features")), 4)
  expect_gt(max(recorded(fit, "^width_2$")), 4)
  expect_gt(max(recorded(run(3, 50), "n_features")), 4)
})

test_that("data may have any range, and the default is the range of the entries", {
  x <- round(cascade_data(20) * 32) / 32
  plain <- quick_cascade(x, init = init_cascade(4))
  expect_identical(plain$internal$model$range, range(x))
  expect_identical(quick_cascade(x, init = init_cascade(4), range = range(x)), plain)
  # Rescaling the data by a power of two leaves the activations unchanged.
  moved <- quick_cascade(8 * x - 64, init = init_cascade(4))
  expect_identical(scalar(moved, "n_edges_1"), scalar(plain, "n_edges_1"))
  expect_equal(scalar(moved, "log_lik"), scalar(plain, "log_lik") - length(x) * log(8))
  expect_equal(fitted(moved), 8 * fitted(plain) - 64)
  expect_equal(predict(moved, 8 * x - 64), 8 * predict(plain, x) - 64)
  expect_equal(simulate(moved, seed = 2)[[1]], 8 * simulate(plain, seed = 2)[[1]] - 64)
  wide <- quick_cascade(x, init = init_cascade(4), range = c(-20, 30))
  expect_identical(wide$internal$model$range, c(-20, 30))
  expect_false(identical(fitted(wide), fitted(plain)))
})

test_that("init_cascade() determines where chains start", {
  x <- cascade_data(20)
  first <- function(init, ...) {
    quick_cascade(x, init = init, method = method_gibbs(1, 1, warmup = 0, ...))
  }
  for (widths in list(integer(), 20L, c(40L, 10L), c(30L, 20L, 10L, 5L))) {
    found <- c(cascade_widths(first(init_cascade(widths)), 1), rep(0, 4))[1:4]
    # There is one sweep between the start and the draw.
    told <- c(widths, rep(0, 4))[1:4]
    expect_lt(max(abs(found - told) - 0.4 * told), 5)
  }
  sparse <- scalar(first(init_cascade(c(30, 10), 0.05)), "n_edges_1")
  dense <- scalar(first(init_cascade(c(30, 10), 1)), "n_edges_1")
  expect_gt(dense, sparse)
  expect_identical(
    first(init_cascade())$internal$scalars, first(init_cascade(c(70, 20), 0.3))$internal$scalars
  )
  expect_identical(format(init_cascade(integer())), "Start without hidden units")
  expect_identical(
    capture.output(print(init_cascade(c(5, 2), 0.4))),
    "Random start with hidden layers of 5, 2 units, edges with probability 0.4"
  )
})

test_that("chains start with the units that are most conspicuous in the data", {
  x <- withr::with_seed(1, sim_images(100))
  first <- function(x, ..., chains = 1) {
    quick_cascade(x, method = method_gibbs(chains, 1, warmup = 0, ...))
  }
  # There is one sweep between the start and the draw.
  expect_true(scalar(first(x), "width_1") %in% 3:6)
  expect_lte(scalar(first(x, max_features = 2), "width_1"), 2)
  few <- prior_cascade(max_layers = 1, max_units = 3)
  expect_lte(max(scalar(quick_cascade(x, prior = few), "width_1")), 3)
  # Chains have different random numbers.
  expect_false(anyDuplicated(scalar(first(x, chains = 3), "log_lik")) > 0)
  for (x in list(x[1, , drop = FALSE], x[, 1, drop = FALSE], 0 * x, cascade_holes(), NA * x)) {
    range <- if (all(is.na(x) | x == 0)) c(-1, 1) else NULL
    expect_true(is.finite(scalar(quick_cascade(x, range = range), "log_lik")[1]))
  }
})

test_that("chains continue from the chains of an earlier fit", {
  x <- cascade_data()
  fit <- cascade_fit()
  again <- quick_cascade(x, init = fit, method = method_gibbs(3, 1, warmup = 0))
  kept <- dim(fit$internal$scalars)[1]
  ends <- scalar(fit, "log_lik")[kept * 1:2]
  starts <- scalar(again, "log_lik")
  # The third chain continues from the last state of the first.
  expect_lt(max(abs(starts - ends[c(1, 2, 1)])), 60)
  cold <- quick_cascade(x, init = init_cascade(c(6, 2)), method = method_gibbs(1, 1, warmup = 0))
  expect_gt(min(starts), scalar(cold, "log_lik") + 100)
  expect_identical(quick_cascade(x, init = fit, method = method_gibbs(3, 1, warmup = 0)), again)
  expect_usable_cascade(quick_cascade(cascade_data(20), init = cascade_bare()), pictures = FALSE)
  gaps <- quick_cascade(cascade_holes(), init = cascade_gaps(), range = c(0, 9))
  expect_usable_cascade(gaps, pictures = FALSE)
})

test_that("without hidden units, columns are independent", {
  fit <- cascade_bare()
  expect_true(all(scalar(fit, "n_layers") == 0))
  expect_identical(dim(features(fit)), c(8L, 0L))
  expect_identical(dim(loadings_of(fit)), c(0L, 8L))
  expect_identical(dim(tidy(fit, "edges")), c(0L, 4L))
  expect_true(all(apply(fitted(fit), 2, \(column) diff(range(column))) < 1e-12))
  expect_usable_cascade(fit)
})
