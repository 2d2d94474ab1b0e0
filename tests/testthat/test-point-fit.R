# All functions of a fit by optimisation, compared with plain R code.

x <- bare(easy_data())
truth <- attr(easy_data(), "features")

test_that("the features of easy data are found, have names and are sorted by decreasing size", {
  z <- features(easy_point())
  expect_equal(sorted_columns(z), sorted_columns(truth))
  expect_type(z, "integer")
  expect_identical(dimnames(z), list(rownames(x), c("f1", "f2", "f3")))
  expect_identical(order(-colSums(z)), 1:3)
  expect_length(feature_draws(easy_point()), 1)
  expect_identical(feature_draws(easy_point())[[1]], z)
  expect_equal(coassignment(easy_point()), tcrossprod(z))
  expect_s3_class(easy_point(), c("fit_gaussian", "fit_point", "buffet_fit"), exact = TRUE)
  expect_identical(nobs(easy_point()), 30L)
})

test_that("loadings are in the order of the features and are means of truncated normals", {
  for (fit in list(easy_point(), holes_point())) {
    a <- loadings_of(fit)
    names <- list(c("f1", "f2", "f3"), letters[1:6])
    for (part in list(a, attr(a, "location"), attr(a, "scale"))) {
      expect_identical(dimnames(part), names)
    }
    moments <- truncated_moments(attr(a, "location"), attr(a, "scale"))
    expect_equal(moments$mean, bare(a), tolerance = 1e-10)
    found <- match(
      apply(features(fit), 2, paste, collapse = ""), apply(truth, 2, paste, collapse = "")
    )
    expect_lt(max(abs(a - attr(easy_data(), "loadings")[found, ])), 0.3)
  }
})

test_that("with one feature, q(A) is the posterior and the bound is the log evidence", {
  one <- draw_nonnegative(matrix(c(1, 1, 1, 0, 1, 0)), 3, 0.2, 2, seed = 3)
  x <- bare(one)
  fit <- quick_point(x, sigma_x = 0.3, sigma_a = 1.5, prior = prior_ibp(1.5))
  expect_equal(bare(unname(features(fit))), bare(attr(one, "features")))
  # If normals are truncated to one side, the evidence is twice the normal evidence multiplied by
  # the posterior mass on that side.
  m <- 4
  precision <- m / 0.3^2 + 1 / 1.5^2
  location <- colSums(x * c(features(fit))) / 0.3^2 / precision
  mass <- stats::pnorm(location * sqrt(precision), log.p = TRUE)
  log_evidence <- naive_log_lik(x, features(fit), 0.3, 1.5) + sum(log(2) + mass)
  prior <- log_ibp(features(fit), 1.5, log(1.5), prior_ibp(1.5))
  expect_equal(bound_of(fit), log_evidence + prior, tolerance = 1e-10)
})

test_that("the bound is below the log evidence, which is computed by integration over loadings", {
  z <- cbind(c(1, 1, 0), c(0, 1, 1))
  x <- bare(draw_nonnegative(z, 1, 0.4, 1.5, seed = 2))
  prior <- prior_beta_bernoulli(2, 1.2)
  grid <- expand.grid(a = (seq_len(300) - 0.5) / 40, b = (seq_len(300) - 0.5) / 40)
  weight <- 4 * stats::dnorm(grid$a, sd = 1.5) * stats::dnorm(grid$b, sd = 1.5) / 40^2
  log_joint <- vapply(all_matrices(3, 2), function(z) {
    mean <- z %*% t(as.matrix(grid))
    likelihood <- exp(colSums(stats::dnorm(x[, 1], mean, 0.5, log = TRUE)))
    # Enumerates all matrices once, including those with empty columns.
    log_prior <- sum(lbeta(colSums(z) + 0.6, 4 - colSums(z)) - lbeta(0.6, 1))
    log(sum(weight * likelihood)) + log_prior
  }, 0)
  for (search in c("climb", "local", "double_greedy")) {
    fit <- quick_point(
      x, prior = prior, sigma_x = 0.5, sigma_a = 1.5, method = method_meibp(search = search)
    )
    expect_bound(fit)
    expect_lt(bound_of(fit), log_sum_exp(log_joint))
    expect_gt(bound_of(fit), log_sum_exp(log_joint) - 4)
  }
})

test_that("summary() and tidy() give the intervals of the gamma factors", {
  fit <- easy_point()
  factor <- function(name, p) {
    q <- fit$internal$factors[[name]]
    stats::qgamma(p, q[["shape"]], q[["rate"]])
  }
  table <- tidy(fit, conf.level = 0.8)
  expect_identical(table$term, c("alpha", "sigma_x", "sigma_a"))
  expect_equal(unlist(table[1, 3:4]), factor("alpha", c(0.1, 0.9)), ignore_attr = TRUE)
  expect_equal(unlist(table[2, 3:4]), factor("tau_x", c(0.9, 0.1))^-0.5, ignore_attr = TRUE)
  expect_equal(unlist(table[3, 3:4]), factor("tau_a", c(0.9, 0.1))^-0.5, ignore_attr = TRUE)
  expect_true(all(table$conf.low < table$estimate & table$estimate < table$conf.high))
  expect_identical(summary(fit)$table, tidy(fit, conf.level = 0.9))
  a <- tidy(fit, "loadings")
  expect_identical(a$value, as.vector(loadings_of(fit)))
  expect_identical(a$feature, rep(c("f1", "f2", "f3"), 6))
  expect_identical(nrow(tidy(fit, "features")), sum(features(fit)))
})

test_that("fitted values are features times mean loadings, and residuals are the remainder", {
  expect_equal(fitted(easy_point()), features(easy_point()) %*% bare(loadings_of(easy_point())))
  expect_equal(residuals(easy_point()), x - fitted(easy_point()))
  expect_identical(predict(easy_point()), fitted(easy_point()))
  expect_identical(predict(easy_point(), type = "features"), features(easy_point()))
  negative <- "sum of squares of `x` comes from negative entries"
  expect_warning(centred <- quick_point(x, center = TRUE), negative)
  means <- rep(colMeans(x), each = 30)
  expect_equal(fitted(centred), features(centred) %*% bare(loadings_of(centred)) + means)
})

test_that("missing entries are completed", {
  fit <- holes_point()
  hidden <- is.na(easy_holes())
  expect_identical(is.na(residuals(fit)), hidden)
  expect_lt(sqrt(mean((fitted(fit) - x)[hidden]^2)), 0.2)
  new <- bare(easy_data(40))[31:40, ]
  holes <- replace(new, cbind(1:10, rep(c(2, 5), 5)), NA)
  completed <- predict(fit, holes)
  expect_identical(dimnames(completed), dimnames(new))
  expect_equal(completed, predict(fit, holes, type = "features") %*% bare(loadings_of(fit)))
})

test_that("rows of the data that are passed as new rows keep their features", {
  negative <- "sum of squares of `x` comes from negative entries"
  expect_warning(shifted <- quick_point(x - 1, center = TRUE, sigma_x = 0.5), negative)
  expect_gt(ncol(features(shifted)), 1)
  expect_equal(predict(shifted, x - 1), fitted(shifted))
  for (fit in list(easy_point(), quick_point(x, prior = prior_beta_bernoulli(5, 2)))) {
    z <- predict(fit, x, type = "features")
    expect_identical(z, features(fit))
    expect_equal(predict(fit, x), fitted(fit))
  }
  shuffled <- x[7:9, 6:1]
  expect_equal(predict(easy_point(), shuffled), fitted(easy_point())[7:9, ])
  expect_equal(predict(easy_point(), x[3, ])[1, ], fitted(easy_point())[3, ])
})

#' The best of all sets of features for a row, given the factors of the loadings (eq. 19)
best_set <- function(fit, row) {
  a <- loadings_of(fit)
  moments <- truncated_moments(attr(a, "location"), attr(a, "scale"))
  counts <- colSums(features(fit))
  n <- nobs(fit)
  prior <- fit$internal$model$prior
  log_odds <- if (inherits(prior, "prior_ibp")) {
    log(counts - prior$discount) - log(n - counts + prior$concentration + prior$discount)
  } else {
    log(counts + prior$alpha * prior$concentration / prior$n_features) -
      log(n - counts + prior$concentration)
  }
  sets <- as.matrix(expand.grid(rep(list(0:1), length(counts))))
  squares <- t(row - t(sets %*% moments$mean))^2 + sets %*% moments$variance
  tau <- fit$internal$factors$tau_x[["mean"]]
  value <- sets %*% log_odds - 0.5 * tau * rowSums(squares, na.rm = TRUE)
  sets[which.max(value), ]
}

test_that("the features of a new row are the best of all possible sets", {
  images <- bare(withr::with_seed(1, sim_images(100)))
  new <- withr::with_seed(2, matrix(stats::rnorm(40 * 36, 0.3, 0.6), 40)) + images[1:40, ]
  new <- with_holes(new, 300)
  # If everything is missing, only the prior matters, and most of these features have a prior
  # probability below one half.
  new[1, ] <- NA
  for (prior in list(prior_ibp(), prior_ibp(2, 3, 0.4), prior_beta_bernoulli(6, 2, 0.5))) {
    fit <- quick_point(images, prior = prior, sigma_x = 0.5)
    best <- t(apply(new, 1, best_set, fit = fit))
    expect_equal(unname(predict(fit, new, type = "features")), unname(best))
    expect_gt(nrow(unique(best)), 5)
  }
})

#' Draws loadings from q(A), as an array K x D x draws
draw_loadings <- function(fit, draws) {
  a <- loadings_of(fit)
  replicate(draws, {
    t <- attr(a, "location") / attr(a, "scale")
    log_tail <- log(stats::runif(length(a))) + stats::pnorm(t, log.p = TRUE)
    attr(a, "location") +
      attr(a, "scale") * stats::qnorm(log_tail, lower.tail = FALSE, log.p = TRUE)
  })
}

#' Log densities of the missing entries by Monte Carlo integration over q(A), with their errors
naive_heldout <- function(fit, actual, draws = 20000) {
  a <- withr::with_seed(1, draw_loadings(fit, draws))
  at <- which(is.na(as.matrix(model_data(fit))), arr.ind = TRUE)
  z <- features(fit)
  densities <- apply(at, 1, function(place) {
    own <- matrix(a[, place[2], ], ncol(z))
    stats::dnorm(actual[place[1], place[2]], drop(z[place[1], ] %*% own), glance(fit)$sigma_x)
  })
  mean <- colMeans(densities)
  list(value = log(mean), error = apply(densities, 2, stats::sd) / sqrt(draws) / mean)
}

#' @param means Column means, if the fit subtracts them.
expect_heldout <- function(fit, actual, bias = 0, means = 0) {
  naive <- naive_heldout(fit, actual - means)
  value <- heldout_density(fit, actual)
  expect_lt(max((abs(value - naive$value) - bias) / naive$error), 4.5)
}

test_that("densities of missing entries agree with integration over the loadings", {
  # Of the loadings of a row, only the most uncertain one is treated exactly; the others enter by
  # two moments.
  expect_heldout(holes_point(), x, bias = 0.01)
  # First, one feature per row, for which the result is exact. Then several features in one row,
  # whose loadings are uncertain or truncated.
  one <- diag(2, 5)[, rep(1:5, 2)] + matrix(withr::with_seed(1, stats::rnorm(50, sd = 0.3)), 5)
  holes <- replace(one, cbind(c(1, 1, 2, 3, 5), c(1, 2, 7, 9, 4)), NA)
  fit <- quick_point(holes, sigma_x = 0.4, sigma_a = 2, prior = prior_ibp(3))
  expect_identical(max(rowSums(features(fit))), 1)
  expect_true(any(colSums(features(fit)) == 1))
  expect_heldout(fit, one)
  expect_heldout(fit, -one)
  centred <- quick_point(holes + 5, sigma_x = 0.2, sigma_a = 2, prior = prior_ibp(3), center = TRUE)
  expect_gt(ncol(features(centred)), 1)
  means <- rep(colMeans(holes + 5, na.rm = TRUE), each = 5)
  expect_heldout(centred, one + 5, bias = 0.01, means = means)
})

test_that("log likelihoods have one value per observed entry, in column-major order", {
  literal <- gamma_prior(1, 1)
  fit <- quick_point(easy_holes(), sigma_x = literal, sigma_a = literal)
  seen <- !is.na(easy_holes())
  set.seed(1)
  by_entry <- log_lik(fit, ndraws = 200)
  expect_identical(dim(by_entry), c(200L, sum(seen)))
  set.seed(1)
  by_row <- log_lik(fit, by = "row", ndraws = 200)
  expect_identical(dimnames(by_row), list(NULL, rownames(x)))
  expect_equal(rowSums(by_entry), rowSums(by_row))
  # The log likelihood at the mean loadings, which ignores their uncertainty.
  at_mean <- stats::dnorm(easy_holes(), fitted(fit), glance(fit)$sigma_x, log = TRUE)
  expect_gt(stats::cor(colMeans(by_entry), at_mean[seen]), 0.98)
  expect_equal(as.numeric(logLik(fit)), sum(at_mean[seen]))
  expect_identical(attr(logLik(fit), "nobs"), 30L)
})

test_that("functions for fits by sampling are rejected with a one-line error", {
  told <- "^`x` must be a fit by sampling, not one by .*\\.$"
  for (verb in list(as_draws, posterior::as_draws_df, coda::as.mcmc.list)) {
    expect_error(verb(easy_point()), told)
  }
  expect_error(
    update(easy_point(), iter = 100),
    "^`iter` must be left out: a fit by method_meibp\\(\\) has no chains\\. For chains [^\n]*$"
  )
  expect_error(plot(easy_point(), "n_features"), "^`type` must be one of ")
  expect_error(objective(small_fit()), "^`fit` must be a fit by optimisation, .*\\.$")
})

test_that("a bound that is not a number raises an error", {
  x <- withr::with_seed(1, sim_images(12))
  local_wrapper("run_to_end", function(plain, ...) {
    done <- plain(...)
    done$result[intersect(names(done$result), c("bound", "log_joint"))] <- NaN
    done
  })
  said <- "is not a number: a saved state is damaged, or values of the data are too"
  fit <- function(method) fit_gaussian(x, method = method, seed = 1, verbose = FALSE)
  variational <- method_variational(max_features = 3)
  expect_error(fit(variational), paste("^the bound on the log evidence", said))
  expect_error(fit(method_beam(max_features = 2)), paste("^the log joint density", said))
  expect_error(fit_nmf(abs(x), 2, method = method_icm(), seed = 1, verbose = FALSE), said)
})
