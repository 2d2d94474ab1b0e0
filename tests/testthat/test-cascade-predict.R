# Predictions, densities and replicates of cascading belief networks.

#' The distribution of the visible units in the rows of the data, given a draw
draw_of <- function(fit, draw) {
  layers <- naive_cascade(fit, draw)
  list(
    y = naive_means(layers, 0, nrow(model_data(fit))), precision = layers[[1]]$precision,
    sd = rep(1 / sqrt(layers[[1]]$precision), each = nrow(model_data(fit)))
  )
}
naive_fitted <- function(fit, draws = seq_along(fit$feature_draws)) {
  u <- lapply(draws, function(draw) {
    known <- draw_of(fit, draw)
    naive_squash(known$y, known$precision)
  })
  naive_back(Reduce(`+`, u) / length(u), fit$internal$model$range)
}

test_that("the rows of the data are predicted from the activations of each draw", {
  for (fit in cascade_fits()) {
    expect_equal(unname(fitted(fit)), naive_fitted(fit), tolerance = 1e-10)
    expect_identical(dimnames(fitted(fit)), dimnames(model_data(fit)))
    expect_identical(predict(fit), fitted(fit))
    expect_equal(residuals(fit), model_data(fit) - fitted(fit))
    range <- fit$internal$model$range
    expect_true(all(fitted(fit) > range[1] & fitted(fit) < range[2]))
  }
})

test_that("log densities are conditional on a draw, and their sums are the scalars", {
  for (fit in cascade_fits()) {
    x <- model_data(fit)
    for (draw in c(1, length(fit$feature_draws))) {
      known <- draw_of(fit, draw)
      naive <- stats::dnorm(naive_pre(x, fit$internal$model$range), known$y, known$sd, log = TRUE) +
        log(naive_slope(x, fit$internal$model$range))
      pointwise <- log_lik(fit)[draw, ]
      expect_equal(pointwise, naive[!is.na(x)], tolerance = 1e-6)
      by_row <- log_lik(fit, "row")[draw, ]
      expect_equal(by_row, rowSums(naive, na.rm = TRUE), tolerance = 1e-6)
    }
    expect_identical(colnames(log_lik(fit, "row")), rownames(x))
    kept <- length(fit$feature_draws)
    expect_identical(dim(log_lik(fit)), c(kept, sum(!is.na(x))))
    expect_identical(dim(log_lik(fit, ndraws = 3)), c(3L, sum(!is.na(x))))
    # The scalars are sums over draws in double precision.
    sums <- rowSums(log_lik(fit))
    expect_equal(sums, scalar(fit, "log_lik"), tolerance = 1e-5)
    expect_equal(rowSums(log_lik(fit, "row")), sums)
  }
})

#' A fit with a single draw, which is a network with these widths
one_draw_of <- function(widths, x = cascade_data(), ...) {
  prior <- prior_cascade(5, 2, 1, max(1, length(widths)), max(1, sum(widths)))
  method <- method_gibbs(1, 1, warmup = 0, max_features = max(1, widths[1], na.rm = TRUE))
  for (seed in 1:50) {
    fit <- quick_cascade(
      x, prior = prior, init = init_cascade(widths, 1), method = method, seed = seed, ...
    )
    if (identical(cascade_widths(fit, 1), as.integer(widths))) return(fit)
  }
}

test_that("new rows are predicted by the column means if no unit has a parent", {
  fit <- cascade_bare()
  new <- cascade_data(20)[1:4, ]
  new[2, ] <- NA
  expect_equal(unname(predict(fit, new)), naive_fitted(fit)[1:4, ], tolerance = 1e-10)
})

test_that("predicted entries of new rows agree with exact sums over all activations", {
  x <- cascade_data()
  new <- x[1:4, ]
  new[1, ] <- NA
  new[2, 1:4] <- NA
  new[3, -7] <- NA
  for (widths in list(1, c(1, 1), 2, c(2, 1))[sized(1:2, 1:4)]) {
    fit <- one_draw_of(widths)
    layers <- naive_cascade(fit, 1)
    points <- c(2000, 300, 70)[sum(widths)]
    naive <- t(apply(new, 1, function(row) {
      naive_completion(layers, naive_pre(row, fit$internal$model$range), points)
    }))
    known <- naive_back(naive, fit$internal$model$range)
    expect_lt(sqrt(mean((predict(fit, new, sweeps = 6000) - known)^2)), 0.02)
    # New rows are drawn with the sampler of the fit.
    for (sampler in c("multiple_try", "elliptical")[seq_len(2 * (length(widths) == 1))]) {
      other <- fit
      other$method$sampler <- sampler
      expect_lt(sqrt(mean((predict(other, new, sweeps = 6000) - known)^2)), 0.02)
    }
  }
})

test_that("entries outside the range are set to the nearest end of the range", {
  fit <- cascade_fit()
  ends <- fit$internal$model$range
  x <- cascade_data()[1:3, ]
  far <- x
  far[1, 2] <- 50
  far[3, 1] <- -50
  far[2, 5] <- NA
  near <- replace(far, c(which(far == 50), which(far == -50)), c(ends[2], ends[1]))
  expect_message(
    predict(fit, far[1:2, ]),
    "^1 entry of `newdata` is outside the range of the fit \\(2\\.[0-9]+ to 4\\.[0-9]+\\): set to"
  )
  expect_message(at_far <- predict(fit, far), "^2 entries of `newdata` are outside the range")
  expect_silent(at_near <- predict(fit, near))
  expect_identical(at_far, at_near)
})

test_that("densities of left-out entries are means over draws", {
  fit <- cascade_gaps()
  x <- model_data(fit)
  hidden <- which(is.na(x))
  actual <- withr::with_seed(2, replace(x, hidden, stats::runif(length(hidden), 1.2, 5.8)))
  logs <- vapply(seq_along(fit$feature_draws), function(draw) {
    known <- draw_of(fit, draw)
    pre <- naive_pre(actual, fit$internal$model$range)
    (stats::dnorm(pre, known$y, known$sd) * naive_slope(actual, fit$internal$model$range))[hidden]
  }, numeric(length(hidden)))
  expect_equal(heldout_density(fit, actual), log(rowMeans(logs)), tolerance = 1e-7)
  # Some values are outside the range of the model, and one is unknown.
  other <- replace(actual, hidden[1:3], c(-9, 99, NA))
  expect_identical(heldout_density(fit, other)[1:3], c(-Inf, -Inf, NA))
  expect_identical(heldout_density(fit, other)[-(1:3)], heldout_density(fit, actual)[-(1:3)])
  # The results are densities, so they integrate to 1.
  reach <- mean(fit$internal$model$range) + c(-1, 1) * diff(fit$internal$model$range) / (2 * 0.98)
  grid <- seq(reach[1], reach[2], length.out = 402)[-c(1, 402)]
  mass <- rowMeans(
    vapply(grid, \(v) exp(heldout_density(fit, replace(actual, hidden, v))), logs[, 1])
  )
  expect_equal(mass * diff(reach) * 400 / 401, rep(1, length(hidden)), tolerance = 0.02)
})

test_that("replicates have the same rows as the data and include noise", {
  for (fit in list(cascade_fit(), cascade_gaps())) {
    range <- fit$internal$model$range
    replicates <- withr::with_seed(1, posterior_predict(fit))
    expect_identical(dim(replicates), c(length(fit$feature_draws), dim(model_data(fit))))
    expect_lt(max(abs(replicates - mean(range))), diff(range) / (2 * 0.98))
    one <- fit
    one$feature_draws <- fit$feature_draws[1]
    one$internal$byte_counts <- fit$internal$byte_counts[1]
    pre <- naive_pre(withr::with_seed(3, replicate(600, draw_data(one, 1))), range)
    known <- draw_of(fit, 1)
    z <- (apply(pre, 1:2, mean) - known$y) / (known$sd / sqrt(600))
    expect_lt(max(abs(z)), 5)
    expect_lt(abs(mean(z^2) - 1), 0.25)
    spread <- apply(pre, 1:2, stats::var) / known$sd^2
    expect_equal(mean(spread), 1, tolerance = 0.02)
    expect_lt(max(abs(spread - 1)), 5 * sqrt(2 / 600) * 1.2)
  }
})

test_that("simulated rows have the moments implied by their network", {
  # Use a single draw, in which the precisions in layer 1 differ most.
  known <- cascade_fit()
  spread <- vapply(seq_along(known$feature_draws), function(draw) {
    diff(range(log(naive_cascade(known, draw)[[2]]$precision)))
  }, 0)
  most <- which.max(spread)
  known$internal$draws_bytes <- select_bytes(known, most)
  known$internal$byte_counts <- known$internal$byte_counts[most]
  known$feature_draws <- known$feature_draws[most]
  for (fit in list(one_draw_of(c(2, 1)), known)) {
    rows <- sized(15000, 40000)
    for (noise in c(TRUE, FALSE)) {
      drawn <- simulate(fit, seed = 3, rows = rows, noise = noise)[[1]]
      layers <- naive_cascade(fit, 1)
      u <- withr::with_seed(2, naive_fantasies(layers, rows, noise))
      naive <- naive_back(u, fit$internal$model$range)
      same <- function(a, b) {
        error <- sqrt((apply(a, 2, stats::var) + apply(b, 2, stats::var)) / rows)
        expect_lt(max(abs(colMeans(a) - colMeans(b)) / pmax(error, 1e-12)), 4.5)
      }
      same(drawn, naive)
      same(drawn^2, naive^2)
      pairs <- t(utils::combn(8, 2))
      same(drawn[, pairs[, 1]] * drawn[, pairs[, 2]], naive[, pairs[, 1]] * naive[, pairs[, 2]])
    }
  }
  flat <- simulate(cascade_bare(), seed = 1, noise = FALSE)[[1]]
  expect_true(all(apply(flat, 2, \(column) diff(range(column))) == 0))
})
