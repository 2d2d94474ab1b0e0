# Predictions of factor models: scores, probabilities of answers and standardised loadings.

test_that("scores of new rows are regressions on loadings, rotated like the scores of the data", {
  fit <- major_fit()
  major <- rotate_draws(fit)
  new <- three_factors(410)$x[401:410, ]
  new[1, 2:5] <- NA
  found <- predict(fit, new, type = "scores")
  expect_identical(found$row, rep(1:10, 3))
  expect_identical(unique(found$factor), c("M1", "M2", "M3"))
  expected <- vapply(seq_along(major$which), function(i) {
    one <- factor_draw(fit, major$which[i])
    common <- which(colSums(one$loadings != 0) > 1)
    z <- in_model_units(fit, new)
    scores <- t(apply(z, 1, function(x) {
      seen <- !is.na(x)
      l <- one$loadings[seen, , drop = FALSE]
      drop(t(l) %*% solve(tcrossprod(l) + diag(one$sigma_x[seen]^2), x[seen]))
    }))
    of <- major$turned[[i]]
    scores[, common] %*% of$axes %*% t(solve(of$turn))
  }, matrix(0, 10, 3))
  # Scores are drawn given each draw, so their means vary randomly.
  error <- (found$estimate - as.vector(apply(expected, 1:2, mean))) / found$std.error
  expect_lt(max(abs(error)) * sqrt(length(major$which)), 4.5)
  expect_gt(cor(found$estimate, as.vector(apply(expected, 1:2, mean))), 0.99)
  # Rows with less information have wider intervals.
  first <- found[found$factor == found$factor[which.max(found$std.error)], ]
  expect_identical(which.max(first$std.error), 1L)
  expect_identical(predict(fit, new, type = "scores"), found)
  expect_identical(predict(fit, type = "scores"), major_factors(fit)$scores)
})

test_that("probabilities of answers agree with the ordered probit model", {
  fit <- quick_items()
  found <- predict(fit, type = "prob")
  expect_identical(names(found), c("a", "b", "c", "e", "f", "h"))
  expect_identical(colnames(found$a), c("a", "b", "c", "d"))
  all <- seq_along(fit$feature_draws)
  expected <- 0
  for (draw in all) {
    one <- factor_draw(fit, draw)
    eta <- one$weights %*% one$loadings[5, ]
    cuts <- c(-Inf, drawn_thresholds(fit, draw)[6:7, 1], Inf)
    p <- vapply(1:3, function(c) pnorm(cuts[c + 1] - eta) - pnorm(cuts[c] - eta), numeric(60))
    expected <- expected + p / length(all)
  }
  expect_equal(unname(found$e), expected)
  values <- found$a %*% 1:4
  expect_equal(drop(values), unname(fitted(fit)[, "a"]), ignore_attr = TRUE)
  # New rows are drawn. The mean of their answer must agree with the predicted answer.
  new <- sim_items(80, seed = 5)[61:80, ]
  probabilities <- predict(fit, new, type = "prob")
  for (p in probabilities) expect_equal(rowSums(p), rep(1, 20), ignore_attr = TRUE)
  means <- drop(probabilities$a %*% 1:4)
  expect_lt(max(abs(means - predict(fit, new)[, "a"])), 0.25)
  expect_lt(mean(abs(means - predict(fit, new)[, "a"])), 0.06)
})

test_that("types of predictions that a factor model does not have are rejected", {
  fit <- major_fit()
  expect_error(predict(fit, type = "prob"), "no column of the data has categories")
  expect_error(predict(fit, type = "scores", ndraws = 10), "`ndraws` must be NULL for scores")
  expect_error(predict(fit, type = "scores", interval = "credible"), "`interval` must be \"none\"")
  rows <- quick_factor(small_factor_data(), sparse = "factors")
  expect_error(predict(rows, type = "scores"), "loadings are not sparse")
})

test_that("thresholds and plotted loadings are standardised by the variance of the utilities", {
  fit <- quick_items()
  all <- seq_along(fit$feature_draws)
  sds <- vapply(all, function(draw) {
    one <- factor_draw(fit, draw)
    vapply(1:8, function(j) sqrt(sum(one$loadings[j, ]^2) + one$sigma_x[j]^2), 1)
  }, numeric(8))
  cuts <- vapply(all, function(draw) drawn_thresholds(fit, draw)[4, 1], 1)
  expect_equal(thresholds(fit)$standardised[4], mean(cuts / sds[2, ]))
  means <- mean_factors(fit)
  shown <- common_factors(fit)$loadings
  k <- match(rownames(shown)[1], colnames(fit$features))
  expect_equal(unname(shown[1, ]), means$loadings[, k] / rowMeans(sds))
})

test_that("held-out probabilities of counts can be compared with those of fit_mixed()", {
  x <- withr::with_seed(1, {
    rate <- rexp(40, 0.3)
    data.frame(a = rpois(40, rate), b = rpois(40, rate), g = rep(c("u", "v"), 20))
  })
  x$a[c(3, 9)] <- NA
  x$g[5] <- NA
  families <- c(a = "poisson", b = "negative_binomial")
  method <- method_gibbs(2, 100)
  fits <- list(
    factor = quick_factor(x, families, method = method),
    mixed = fit_mixed(x, families, method = method, seed = 1, verbose = FALSE)
  )
  expect_identical(comparable_data(fits$factor)$discrete, c(TRUE, TRUE, TRUE))
  actual <- x
  actual$a[c(3, 9)] <- 4L
  actual$g[5] <- "u"
  found <- compare_heldout(!!!fits, actual = actual)
  expect_identical(found$entries, c(3L, 3L))
  expect_true(all(is.finite(found$log_density)))
})

test_that("correlations are means over draws, and shares of the variance are standardised", {
  fit <- quick_items()
  expected <- lapply(seq_along(fit$feature_draws), function(draw) {
    one <- factor_draw(fit, draw)
    stats::cov2cor(tcrossprod(one$loadings) + diag(one$sigma_x^2))
  })
  found <- vcov(fit, cor = TRUE)
  expect_equal(unname(found), Reduce(`+`, expected) / length(expected))
  expect_gt(max(abs(found - stats::cov2cor(vcov(fit)))), 1e-3)
  uniqueness <- vapply(seq_along(fit$feature_draws), function(draw) {
    one <- factor_draw(fit, draw)
    total <- diag(tcrossprod(one$loadings)) + one$sigma_x^2
    scored <- colMeans(one$weights^2)
    parts <- sum((one$loadings^2 / total) %*% scored)
    sum(one$sigma_x^2 / total) / (parts + sum(one$sigma_x^2 / total))
  }, 1)
  noise <- mean_factors(fit)$variance
  expect_equal(noise[, ncol(noise)], uniqueness)
})

test_that("scores are drawn on the two factors that explain most over all draws", {
  common <- list(
    loadings = diag(3), scores = diag(3), share = c(0.2, 0.9, 1), explained = c(0.5, 0.3, 0.2)
  )
  two <- first_two(common)
  expect_identical(two$explained, c(0.3, 0.2))
  expect_identical(two$loadings, diag(3)[2:3, ])
  expect_identical(two$scores, diag(3)[, 2:3])
})

test_that("unusual columns of categories are accepted or named in an error", {
  x <- data.frame(a = c(1.5, 2, 3, 5), g = factor(c("u", "v", "w", "u")))
  none <- cbind(x, s = factor(NA, levels = c("u", "v", "w")))
  expect_true(all(is.na(suppressMessages(factor_items(none, NULL))$x[, "s"])))
  skip_if_not_installed("data.table")
  table <- data.table::as.data.table(none)
  expect_identical(
    suppressMessages(factor_items(table, NULL)), suppressMessages(factor_items(none, NULL))
  )
  names(x)[1] <- "g: u"
  expect_error(suppressMessages(factor_items(x, NULL)), "not a column \"g: u\": rename it")
  logical <- matrix(c(TRUE, FALSE, FALSE, TRUE, TRUE, FALSE), 3)
  expect_message(factor_items(logical, NULL), "bernoulli")
})
