# Fits by fit_gaussian() with method_variational() and method_power_ep().

soft_methods <- list(
  infinite = method_variational(6), finite = method_variational(6, "finite"),
  power_ep = method_power_ep(6)
)
both_loadings <- c("normal", "nonnegative")

#' Makes a short fit without messages
quick_soft <- function(x, ..., method = soft_methods$infinite, seed = 1) {
  fit_gaussian(x, ..., method = method, seed = seed, verbose = FALSE)
}

#' A fit to easy data
soft_fit <- function(name, loadings) {
  once(paste("soft", name, loadings), {
    quick_soft(bare(easy_data()), loadings, method = soft_methods[[name]])
  })
}

#' Calls f(fit) for every method and kind of loadings
for_soft_fits <- function(f) {
  for (name in names(soft_methods)) for (loadings in both_loadings) f(soft_fit(name, loadings))
}

#' Share of the entries of the truth that are wrong in the best matching feature
errors_of <- function(fit, truth) {
  z <- features(fit)
  mean(apply(truth, 2, function(column) min(colMeans(z != column))))
}

test_that("the features of easy data are found", {
  truth <- attr(easy_data(), "features")
  for (method in list(method_variational(6, restarts = 5), method_variational(3, "finite", 10))) {
    fit <- quick_soft(bare(easy_data()), "nonnegative", method = method)
    expect_lt(errors_of(fit, truth), 0.05)
  }
  images <- withr::with_seed(1, sim_images(200))
  fit <- quick_soft(bare(images), "nonnegative", method = method_power_ep())
  expect_identical(ncol(features(fit)), 4L)
  expect_lt(errors_of(fit, attr(images, "features")), 0.02)
  # Normal loadings may have another basis, but the residuals must not be larger than the noise.
  for (method in list(method_power_ep(), method_variational())) {
    fit <- quick_soft(bare(images), method = method)
    expect_lt(sqrt(mean(residuals(fit)^2)), 0.52)
  }
})

test_that("the bound never decreases, and its last value is the bound of the fit", {
  for_soft_fits(function(fit) {
    expect_s3_class(fit, c("fit_gaussian", "fit_point", "buffet_fit"), exact = TRUE)
    bound <- objective(fit)
    expect_true(all(diff(bound) >= -1e-8 * abs(bound[-1])))
    expect_identical(bound[length(bound)], glance(fit)$bound)
  })
})

test_that("with one feature that all rows have, the bound is close to the log evidence", {
  # The data are so far from 0 that all rows must have the feature.
  x <- withr::with_seed(2, matrix(30 + stats::rnorm(60), 20))
  fit <- quick_soft(
    x, sigma_x = 1, sigma_a = 30, prior = prior_beta_bernoulli(1, 2),
    method = method_variational(1, "finite", tol = 1e-12)
  )
  evidence <- sum(apply(x, 2, function(v) {
    covariance <- diag(20) + 900
    -0.5 * (20 * log(2 * pi) + determinant(covariance)$modulus + sum(v * solve(covariance, v)))
  })) + lbeta(2 + 20, 1) - lbeta(2, 1)
  expect_lte(glance(fit)$bound, evidence + 1e-8)
  expect_gt(glance(fit)$bound, evidence - 1e-6)
})

test_that("fitted values are the expected features times the mean loadings", {
  for_soft_fits(function(fit) {
    p <- expected_features(fit)
    expect_true(all(p >= 0 & p <= 1))
    k <- ncol(features(fit))
    expect_equal(unname(features(fit)), unname(p[, seq_len(k)] > 0.5) + 0L)
    expect_equal(unname(loadings_of(fit)), t(fit$internal$mean[, seq_len(k)]), ignore_attr = TRUE)
    expect_equal(unname(fitted(fit)), p %*% t(fit$internal$mean))
    shared <- coassignment(fit)
    expect_equal(shared[2, 5], sum(p[2, ] * p[5, ]))
    expect_equal(unname(diag(shared)), rowSums(p))
  })
})

#' Log density of a value in a row with given probabilities of features, computed by summing over
#' all sets of features
naive_density <- function(fit, row, column, value) {
  p <- expected_features(fit)[row, ]
  sets <- as.matrix(expand.grid(rep(list(0:1), length(p))))
  v <- if (is.null(fit$internal$location)) {
    fit$internal$covariance[[fit$internal$covariance_of[column]]]
  } else {
    diag(loading_variances(fit)[column, ], length(p))
  }
  densities <- apply(sets, 1, function(z) {
    sd <- sqrt(scalar(fit, "sigma_x")^2 + sum(z * (v %*% z)))
    prod(ifelse(z == 1, p, 1 - p)) * stats::dnorm(value, sum(z * fit$internal$mean[column, ]), sd)
  })
  log(sum(densities))
}

test_that("densities of missing entries are sums over features, with loadings integrated out", {
  x <- bare(easy_data())
  for (name in names(soft_methods)) {
    fit <- quick_soft(easy_holes(), method = soft_methods[[name]])
    where <- which(is.na(easy_holes()), arr.ind = TRUE)
    expected <- apply(where, 1, \(at) naive_density(fit, at[1], at[2], x[at[1], at[2]]))
    # Sets with a probability below 1e-6 are omitted.
    likely <- expected > log(1e-6) + 3
    expect_gt(mean(likely), 0.5)
    expect_equal(heldout_density(fit, x)[likely], unname(expected)[likely], tolerance = 1e-4)
  }
  inmf <- quick_soft(easy_holes(), "nonnegative", method = soft_methods$power_ep)
  where <- which(is.na(easy_holes()), arr.ind = TRUE)
  expected <- apply(where, 1, \(at) naive_density(inmf, at[1], at[2], x[at[1], at[2]]))
  likely <- expected > log(1e-6) + 3
  expect_equal(heldout_density(inmf, x)[likely], unname(expected)[likely], tolerance = 1e-4)
})

#' Contribution of a row to the bound: the expected log likelihood, the prior and the entropy
row_bound <- function(fit, x, p) {
  seen <- !is.na(x)
  tau <- 1 / scalar(fit, "sigma_x")^2
  means <- fit$internal$mean[seen, , drop = FALSE]
  second <- crossprod(means) + diag(
    colSums(loading_variances(fit)[seen, , drop = FALSE]), length(p)
  )
  both <- tcrossprod(p)
  diag(both) <- p
  entropy <- -sum(ifelse(p > 0 & p < 1, p * log(p) + (1 - p) * log1p(-p), 0))
  sum(p * fit$internal$log_odds) +
    tau * (sum(p * (x[seen] %*% means)) - sum(both * second) / 2) + entropy
}

test_that("features of new rows have a nearly optimal bound", {
  x <- bare(easy_data())
  x[1:5, 1:2] <- NA
  for (name in c("infinite", "finite")) {
    for (loadings in both_loadings) {
      fit <- soft_fit(name, loadings)
      k <- ncol(fit$internal$mean)
      p <- point_rows(fit$method, fit, x)$probabilities
      sets <- as.matrix(expand.grid(rep(list(0:1), k)))
      beyond <- vapply(1:30, function(i) {
        best <- max(apply(sets, 1, function(z) row_bound(fit, x[i, ], z)))
        row_bound(fit, x[i, ], p[i, ]) - best
      }, 0)
      # The search may miss the optimum.
      expect_gt(mean(beyond > -1e-6), 0.9)
      expect_identical(
        unname(predict(fit, x, type = "features")), p[, seq_len(ncol(features(fit)))]
      )
      expect_equal(unname(predict(fit, x)), tcrossprod(p, fit$internal$mean))
    }
  }
})

test_that("the ascent begins at the given start, which can be a fit", {
  x <- bare(easy_data())
  truth <- attr(easy_data(), "features")
  storage.mode(truth) <- "integer"
  for (loadings in both_loadings) {
    for (method in soft_methods) {
      fit <- quick_soft(x, loadings, method = method, init = truth)
      expect_identical(sorted_columns(features(fit)), sorted_columns(truth))
      chain <- one_draw(x, loadings = loadings, init = fit)
      expect_identical(sorted_columns(features(chain)), sorted_columns(features(fit)))
    }
  }
})

test_that("a start can have at most `max_features` features of at least one row", {
  x <- bare(easy_data())
  three <- diag(30)[, 1:3]
  for (make in list(method_variational, method_power_ep)) {
    start <- function(init, most = 2) quick_soft(x, method = make(most), init = init)
    for (init in list(three, list(features = three), list(list(features = three)))) {
      expect_error(
        start(init), "^`init` must have at most 2 features, the limit `max_features`, not "
      )
    }
    expect_lte(ncol(features(start(three, 3))), 3)
    two <- cbind(three[, 1], 0, three[, 2])
    expect_identical(start(two), start(three[, 1:2]))
  }
  expect_error(
    quick_soft(x, method = method_variational(2), init = easy_point()),
    "^`init` must have at most 2 "
  )
})

test_that("the methods are described in one line", {
  expect_output(
    print(method_variational()), "^variational, infinite: 20 features, tolerance 0.0001$"
  )
  expect_output(
    print(method_power_ep(5, 3)), "^power EP: at most 5 features, 3 restarts, tolerance 0.0001$"
  )
})

test_that("models that the methods cannot fit are rejected with a one-line error", {
  x <- bare(easy_data())
  refused <- function(name, must, ...) {
    expect_error(quick_soft(x, ...), sprintf("^`%s` must be %s[^\n]*, not [^\n]+\\.$", name, must))
  }
  learned <- gamma_prior(1, 1)
  finite <- soft_methods$finite
  refused("concentration", "one number", prior = prior_ibp(1, learned))
  refused("discount", "0", prior = prior_ibp(1, 1, 0.2))
  refused("concentration", "1", prior = prior_ibp(1, 2))
  refused("form", "\"finite\"", prior = prior_beta_bernoulli(3, 1))
  refused("alpha", "one number", prior = prior_ibp(learned, 2), method = finite)
  refused("concentration", "at most", prior = prior_ibp(1, 1e11), method = finite)
  tree <- ape::stree(30, tip.label = rownames(x))
  tree$edge.length <- rep(1, 30)
  refused("prior", "exchangeable", prior = prior_pibp(tree))
  expect_error(quick_soft(x, noise = "column"), "^`method` must be a method_gibbs")
  for (init in list(list(alpha = 2), list(list(alpha = 2)))) {
    expect_error(quick_soft(x, init = init), "^`init` must not give `alpha` [^\n]*, not 2\\.$")
  }
  fit <- quick_soft(x)
  expect_error(posterior::as_draws(fit), "^`x` must be a fit by sampling")
  expect_error(update(fit, iter = 10), "^`iter` must be left out: a fit by method_[a-z_]+\\(\\) ")
  expect_error(plot(fit, "n_features"), "^`type` must be one of")
})

# The number of starts that method_variational() tries.

test_that("the default number of starts depends on the size of the data", {
  tried <- function(x) {
    fit <- suppressWarnings(
      fit_gaussian(x, method = method_variational(2), seed = 1, verbose = FALSE)
    )
    fit$method$restarts
  }
  x <- withr::with_seed(1, matrix(stats::rnorm(1001), 1))
  expect_identical(tried(matrix(x[1:1000], 100)), 10L)
  expect_identical(tried(matrix(x, 143)), 1L)
})
