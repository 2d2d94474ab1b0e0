# Draws of rows that are not in the data, compared with enumeration, closed forms and predict().

#' Means and second moments of a mixture whose components have independent entries
mixed_moments <- function(log_p, mean, variance) {
  p <- exp(log_p - log_sum_exp(log_p))
  second <- crossprod(mean, p * mean)
  diag(second) <- diag(second) + colSums(p * variance)
  c(colSums(p * mean), second)
}

#' Compares draws of new rows with enumeration in which the loadings are integrated out given all
#' rows
expect_drawn <- function(x) {
  fit <- one_draw(x, sigma_x = 0.5, sigma_a = 1.2, prior = prior_ibp(2), init = small_z)
  z <- feature_draws(fit)[[1]]
  cases <- next_cases(z, scalars_of(fit)[1, "alpha"])
  n <- nrow(z)
  for (row in list(c(0.7, -0.9, NA), c(2.5, NA, -0.2), c(NA, NA, NA))) {
    each <- lapply(seq_along(cases$log_p), function(case) {
      bits <- c(cases$bits[case, ], rep(1, cases$own[case]))
      whole <- rbind(cbind(z, matrix(0, n, cases$own[case])), bits)
      signal <- 1.2^2 * tcrossprod(whole)
      covariance <- signal + diag(0.5^2, n + 1)
      vapply(seq_along(row), function(d) {
        seen <- !is.na(c(x[, d], row[d]))
        values <- c(x[, d], row[d])[seen]
        weights <- solve(covariance[seen, seen], signal[seen, n + 1])
        of_rows <- naive_log_lik(matrix(values), whole[seen, , drop = FALSE], 0.5, 1.2)
        spread <- signal[n + 1, n + 1] - sum(weights * signal[seen, n + 1]) + 0.5^2
        c(of_rows, sum(weights * values), spread)
      }, numeric(3))
    })
    log_p <- cases$log_p + vapply(each, function(m) sum(m[1, ]), 0)
    exact <- mixed_moments(log_p, t(sapply(each, `[`, 2, TRUE)), t(sapply(each, `[`, 3, TRUE)))
    new <- matrix(row, sized(1000, 3000), 3, byrow = TRUE)
    draws <- withr::with_seed(1, posterior_predict(fit, new, ndraws = 1))[1, , ]
    expect_replicates(moments_of(draws), exact)
    means <- withr::with_seed(2, posterior_epred(fit, new, ndraws = 1))[1, , ]
    expect_replicates(means, exact[1:3])
  }
}

test_that("new rows agree with enumeration, with the loadings integrated out", {
  x <- withr::with_seed(21, draw_gaussian(small_z, 3, 0.5, 1.2))
  expect_drawn(x)
  expect_drawn(replace(x, cbind(c(1, 4, 5, 2), c(1, 1, 1, 2)), NA))
})

#' The distribution of a new row given the loadings. `entry(x, signal)` is the log density of
#' observed entries. The sum of the loadings of singletons is on a grid; if there are j of them, its
#' density is `own_density(s, j)`.
enumerate_known <- function(cases, row, base, loadings, grid, own_density, entry, response) {
  each <- lapply(seq_along(cases$log_p), function(case) {
    p_own <- own_density(grid, cases$own[case])
    fit <- base + as.vector(cases$bits[case, ] %*% loadings)
    vapply(seq_along(row), function(d) {
      signal <- fit[d] + grid
      w <- p_own * if (is.na(row[d])) 1 else exp(entry(row[d], signal, d))
      c(log(sum(w)), sum(w * response(signal)) / sum(w), sum(w * response(signal)^2) / sum(w))
    }, numeric(3))
  })
  log_p <- cases$log_p + vapply(each, function(m) sum(m[1, ]), 0)
  mean <- t(sapply(each, `[`, 2, TRUE))
  mixed_moments(log_p, mean, t(sapply(each, `[`, 3, TRUE)) - mean^2)
}

test_that("new rows agree with enumeration given nonnegative loadings", {
  x <- withr::with_seed(21, abs(draw_gaussian(small_z, 3, 0.5, 1.2)))
  x[4, 1] <- NA
  fit <- one_draw(x, loadings = "nonnegative", sigma_x = 0.5, sigma_a = 1, prior = prior_ibp(2),
    init = small_z)
  one <- whole_draws(fit)[[1]]
  cases <- next_cases(one$z, scalars_of(fit)[1, "alpha"], 4)
  grid <- seq(0, 12, by = 0.01)
  half <- 2 * stats::dnorm(grid) * 0.01
  half[1] <- half[1] / 2
  sums <- Reduce(function(p, n) convolve(p, rev(half), type = "open")[seq_along(grid)], 1:4,
    replace(0 * grid, 1, 1), accumulate = TRUE)
  for (row in list(c(1.6, 0.2, NA), c(3, 1.5, 2.5))) {
    exact <- enumerate_known(cases, row, 0, one$a, grid, function(s, j) sums[[j + 1]],
      function(x, signal, d) stats::dnorm(x, signal, 0.5, log = TRUE), identity)
    # Twenty sweeps are too few for a row that is far from all features: its entries are 3, but the
    # largest feature is only 1.05.
    plan <- row_plan(fit, sweeps = 1000, drawn = TRUE, apart = TRUE)
    # With 500 rows, the standard errors of skewed moments would be unreliable.
    drawn <- new_rows(fit, matrix(row, 3000, 3, byrow = TRUE), 1L, plan)
    expect_replicates(moments_of(t(drawn$mean)), exact)
    noise <- t(drawn$data - drawn$mean)
    expect_replicates(cbind(noise, noise^2), rep(c(0, 0.25), each = 3))
  }
})

test_that("new rows of binary data agree with enumeration given the weights", {
  y <- withr::with_seed(3, matrix(stats::rbinom(18, 1, 0.2 + 0.6 * small_z[, c(1, 2, 2)]), 6))
  fit <- fit_logistic(y, prior = prior_ibp(2), init = small_z, sigma_a = 1.5, seed = 1,
    verbose = FALSE, method = method_gibbs(chains = 1, iter = 1, warmup = 0))
  z <- draw_features_cpp(unclass(fit$feature_draws), 1)
  weights <- t(matrix(select_loadings(fit, 1), 3))
  cases <- next_cases(z, scalars_of(fit)[1, "alpha"], 5)
  grid <- seq(-12, 12, by = 0.01)
  own_density <- function(s, j) {
    if (j == 0) return((abs(s) < 1e-9) + 0)
    stats::dnorm(s, sd = 1.5 * sqrt(j)) * 0.01
  }
  for (row in list(c(1, 0, NA), c(0, 1, 1))) {
    exact <- enumerate_known(cases, row, weights[1, ], weights[-1, , drop = FALSE], grid,
      own_density, function(x, signal, d) stats::plogis((2 * x - 1) * signal, log.p = TRUE),
      stats::plogis)
    new <- matrix(row, sized(1000, 3000), 3, byrow = TRUE)
    means <- withr::with_seed(1, posterior_epred(fit, new, ndraws = 1))[1, , ]
    expect_replicates(moments_of(means), exact)
    draws <- withr::with_seed(1, posterior_predict(fit, new, ndraws = 1))[1, , ]
    expect_replicates(draws, exact[1:3])
    expect_true(all(draws %in% 0:1))
  }
})

test_that("new rows of a factor model are normal given their observed entries", {
  fit <- kinds_of_fits()$loadings
  one <- factor_draw(fit, 1)
  row <- c(0.5, NA, -1, NA)
  seen <- !is.na(row)
  signal <- tcrossprod(one$loadings)
  weights <- signal[, seen] %*% solve((signal + diag(one$sigma_x^2))[seen, seen])
  mean <- as.vector(weights %*% row[seen])
  covariance <- signal - weights %*% signal[seen, ] + diag(one$sigma_x^2)
  new <- matrix(row, 4000, 4, byrow = TRUE, dimnames = list(NULL, colnames(model_data(fit))))
  draws <- withr::with_seed(1, posterior_predict(fit, new, ndraws = 1))[1, , ]
  expect_replicates(moments_of(sweep(draws, 2, mean)), c(numeric(4), covariance))
})

#' Expects columns, some of which may be constant, to have mean 0
expect_no_drift <- function(gaps) {
  error <- apply(gaps, 2, stats::sd) / sqrt(nrow(gaps))
  expect_lt(max(abs(colMeans(gaps)) - 5 * error), 1e-8)
}

test_that("draws of new rows have the means that predict() returns", {
  fits <- kinds_of_fits()[c("gaussian", "column", "nonnegative", "logistic", "nmf", "cascade")]
  for (fit in fits) {
    row <- replace(model_data(fit)[2, ], 19:36, NA)
    new <- matrix(row, 200, length(row), byrow = TRUE)
    expected <- predict_anew(fit, new[1, , drop = FALSE], 200, draws = 1)
    means <- withr::with_seed(1, posterior_epred(fit, new, ndraws = 1))[1, , ]
    draws <- withr::with_seed(2, posterior_predict(fit, new, ndraws = 1))[1, , ]
    expect_no_drift(means - expected)
    # In a cascade, the means of activations are computed by quadrature with only five points.
    if (!inherits(fit, "fit_cascade")) expect_no_drift(draws - means)
  }
})

test_that("new rows of a cascade are the means given their activations, plus noise", {
  sd <- matrix(c(0.2, 1, 2), 3, 4)
  y <- matrix(seq(-6, 6, length.out = 12), 3)
  at <- c(-2.8569700138728056, -1.3556261799742659, 0, 1.3556261799742659, 2.8569700138728056)
  weights <- c(0.01125741132772069, 0.2220759220056126, 8 / 15)[c(1:3, 2:1)]
  u <- 0 * y
  for (i in 1:5) u <- u + weights[i] * tanh((y + sd * at[i]) / 2)
  expect_equal(means_that_respond(u, sd), y, tolerance = 1e-8)
  fit <- kinds_of_fits()$cascade
  new <- unname(model_data(fit))[rep(2, 400), ]
  draws <- withr::with_seed(1, posterior_predict(fit, new, ndraws = 1))[1, , ]
  # Equal rows have equal predictions, here from a single long chain.
  expected <- predict(fit, new[1, , drop = FALSE], ndraws = 1, sweeps = 3000)
  expect_lt(mean(abs(colMeans(draws) - expected)), 0.05)
})

test_that("new rows of a data frame are drawn independently, with the means of predict()", {
  fit <- kinds_of_fits()$mixed
  new <- iris[c(60, 60), ]
  new$Species <- NA
  draws <- withr::with_seed(1, posterior_predict(fit, new))
  expect_identical(dim(draws), c(100L, 2L, 5L))
  expect_true(all(draws[, , 5] %in% 1:3))
  expected <- predict(fit, new)
  spread <- apply(draws[, , 1:4], 2:3, stats::sd)
  gap <- abs(apply(draws[, , 1:4], 2:3, mean) - as.matrix(expected[1:4])) / spread
  expect_lt(max(gap), 0.5)
  expect_lt(abs(stats::cor(draws[, 1, 1], draws[, 2, 1])), 0.5)
  means <- withr::with_seed(1, posterior_epred(fit, new))
  expect_identical(dim(means), c(100L, 2L, 7L))
  expect_equal(rowSums(means[, 1, 5:7]), rep(1, 100))
  shares <- predict(fit, new, type = "prob")$Species
  expect_lt(max(abs(colMeans(means[, 1, 5:7]) - shares[1, ])), 0.1)
})

test_that("choices between new pairs are binomial, with the given numbers of trials", {
  fit <- kinds_of_fits()$choice
  pairs <- data.frame(item1 = "LBJ", item2 = c("HW", "BB"), n = c(0, 50))
  items <- cbind(c(1, 1), match(c("HW", "BB"), item_names(fit)))
  p <- choice_probabilities(fit, items, seq_along(fit$feature_draws))
  expect_equal(posterior_epred(fit, pairs), p * rep(pairs$n, each = nrow(p)), ignore_attr = TRUE)
  draws <- withr::with_seed(1, posterior_predict(fit, pairs))
  expect_true(all(draws[, 1] == 0))
  scaled <- (draws[, 2] - 50 * p[, 2]) / sqrt(50 * p[, 2] * (1 - p[, 2]))
  expect_replicates(cbind(scaled, scaled^2), 0:1)
  expect_equal(posterior_epred(fit, pairs[1:2]), p, ignore_attr = TRUE)
  pairs$n <- c(-1, 2)
  expect_error(posterior_predict(fit, pairs), "^`newdata` must have numbers of at least 0 in")
  pairs$n <- c(1, 2.5)
  expect_equal(posterior_epred(fit, pairs)[, 2], 2.5 * p[, 2], ignore_attr = TRUE)
  expect_error(posterior_predict(fit, pairs), "^Choices of a pair with 2.5 judgements")
})

test_that("fits by optimisation draw loadings, and draw features from their probabilities", {
  for (fit in kinds_of_fits()[c("meibp", "variational", "beam")]) {
    new <- model_data(fit)[1:2, ]
    draws <- withr::with_seed(1, posterior_epred(fit, new, ndraws = sized(300, 1000)))
    expected <- predict(fit, new)
    for (i in 1:2) expect_replicates(draws[, i, ], expected[i, ], 5)
    more <- withr::with_seed(1, posterior_predict(fit, new, ndraws = sized(300, 1000)))
    noise <- apply(more, 2:3, stats::var) - apply(draws, 2:3, stats::var)
    expect_equal(mean(noise), scalar(fit, "sigma_x")^2, tolerance = 0.1)
  }
})

test_that("explained shares of the variance agree with the means and the noise", {
  kinds <- kinds_of_fits()
  for (name in c("gaussian", "column", "nonnegative", "loadings", "factors", "nmf")) {
    fit <- kinds[[name]]
    share <- withr::with_seed(1, bayes_R2(fit, ndraws = 5))
    means <- withr::with_seed(1, posterior_epred(fit, ndraws = 5))
    explained <- apply(means, c(1, 3), stats::var)
    expect_identical(dim(share), dim(explained))
    expect_identical(colnames(share), colnames(model_data(fit)))
    sigma_x <- if (inherits(fit, "fit_factor")) {
      t(vapply(check_ndrawn(5, fit), function(draw) factor_draw(fit, draw)$sigma_x, numeric(4)))
    } else if (name != "column") {
      scalars_of(fit)[check_ndrawn(5, fit), "sigma_x"]
    }
    if (!is.null(sigma_x)) {
      expect_equal(share, explained / (explained + sigma_x^2), ignore_attr = TRUE)
    }
    expect_true(all(share >= 0 & share < 1))
  }
  z <- withr::with_seed(3, matrix(stats::rbinom(200, 1, 0.5), 100))
  x <- withr::with_seed(4, draw_gaussian(z, 5, 0.5, 2))
  signal <- apply(z %*% attr(x, "loadings"), 2, stats::var)
  fit <- quick_fit(x, method = method_gibbs(chains = 1, iter = 300))
  expect_equal(colMeans(bayes_R2(fit)), signal / (signal + 0.25), tolerance = 0.1)
  for (name in c("logistic", "mixed", "choice", "topics", "cascade")) {
    of <- sprintf("an object of class fit_%s", name)
    expect_identical(
      conditionMessage(expect_error(bayes_R2(kinds[[name]]))),
      sprintf("`object` must be a fit to numbers with normal noise, not %s.", of)
    )
  }
  expect_error(bayes_R2(kinds$items), "with normal noise, not a fit with families\\.$")
})

# Different sets of features have similar sums, and changing one feature at a time cannot exchange
# them.
test_that("new rows do not get stuck in wrong states if loadings are given", {
  skip_if_quick()
  z <- withr::with_seed(3, matrix(stats::rbinom(240, 1, 0.5), 60))
  x <- withr::with_seed(4, {
    z %*% matrix(abs(stats::rnorm(32, sd = 2)), 4) + stats::rnorm(480, sd = 0.3)
  })
  method <- method_gibbs(chains = 1, iter = 100)
  fits <- list(
    fit_gaussian(x, loadings = "nonnegative", method = method, seed = 1, verbose = FALSE),
    fit_gaussian(x, noise = "column", method = method, seed = 1, verbose = FALSE),
    # A mixed model takes more sweeps to find the fourth feature.
    fit_mixed(
      as.data.frame(x), method = method_gibbs(chains = 1, iter = 400), seed = 1, verbose = FALSE
    )
  )
  for (fit in fits) {
    rows <- fit$internal$model$data$frame %||% x
    shown <- features(fit)
    common <- colSums(shown) > 1
    expect_gte(sum(common), 4)
    off <- abs(predict(fit, rows, type = "features") - shown)[, common]
    expect_lt(mean(off > 0.5), 0.05)
    if (inherits(fit, "fit_mixed")) next
    hidden <- replace(rows, cbind(1:60, 8), NA)
    root <- function(e) sqrt(mean(e^2))
    # Enumeration gives 0.26. If features are only added one at a time, the result is 1.05 to 1.1.
    expect_lt(root(predict(fit, hidden)[, 8] - x[, 8]), 0.35)
    drawn <- withr::with_seed(5, posterior_epred(fit, newdata = hidden, ndraws = 10))
    expect_lt(root(apply(drawn, 2:3, mean)[, 8] - x[, 8]), 0.35)
  }
})

test_that("new rows far from the data are predicted quickly or rejected with a one-line error", {
  x <- withr::with_seed(1, sim_images(20))
  method <- method_gibbs(1, 60)
  noisy <- quick_fit(x, noise = "column", method = method)
  # These rows need a few hundred singletons.
  expect_true(all(is.finite(predict(noisy, 300 * x[1, ], ndraws = 2))))
  refused <- "^a row asks for more than %d features of its own: for these data `alpha` is far too"
  for (size in c(1e4, 1e90)) {
    expect_error(predict(noisy, size * x[1:2, ], ndraws = 2), sprintf(refused, 1000))
  }
  searched <- quick_fit(x, method = method_beam())
  expect_error(posterior_predict(searched, newdata = 1e90 * x, ndraws = 2), sprintf(refused, 10000))
})
