# Posterior means are over every kept draw. Fits here have more than 1000, so few that single draws
# matter.

long <- method_gibbs(chains = 1, iter = 1110, warmup = 50)
quiet <- function(fit, ...) fit(..., method = long, seed = 1, verbose = FALSE)

mean_fits <- function() {
  once("long fits", {
    x <- replace(small_data(), c(2, 9, 17), NA)
    numbers <- abs(small_data())
    holes <- replace(numbers, c(2, 9, 17), NA)
    list(
      normal = quiet(fit_gaussian, x),
      nonnegative = quiet(fit_gaussian, holes, "nonnegative"),
      logistic = quiet(fit_logistic, with_holes(small_binary(), 7)),
      loadings = quiet(fit_factor, x),
      nmf = quiet(fit_nmf, holes, rank = 2),
      mixed = quiet(fit_mixed, data.frame(
        size = c(1.2, NA, 3.1, 2.2, 0.4, 5.3, 2.8, 1.9),
        kind = factor(c("a", "b", NA, "b", "a", "b", "a", "a")), count = c(0, 3, 1, NA, 0, 12, 2, 4)
      )),
      cascade = quiet(fit_cascade, x, init = init_cascade(2))
    )
  })
}

whole_frame <- function() {
  data.frame(size = 1.7, kind = factor(rep("b", 8), c("a", "b")), count = 2)
}

mean_choice <- function() {
  once("long choice", {
    wins <- celebrities
    wins["LBJ", "BB"] <- wins["BB", "LBJ"] <- NA
    quiet(fit_choice, wins)
  })
}

test_that("fitted values are means over every draw", {
  for (name in setdiff(names(mean_fits()), c("normal", "mixed"))) {
    fit <- mean_fits()[[name]]
    expect_gt(length(fit$feature_draws), 1000)
    means <- apply(posterior_epred(fit), 2:3, mean)
    expect_equal(fitted(fit), means, label = name)
    expect_identical(predict(fit), fitted(fit))
    expect_equal(residuals(fit), model_data(fit) - means)
    # Not those of the 200 that are evenly spaced.
    some <- apply(posterior_epred(fit, ndraws = 200), 2:3, mean)
    expect_gt(max(abs(some - means)), 1e-5)
  }
  fit <- mean_fits()$normal
  s <- as.data.frame(scalars_of(fit))
  means <- lapply(seq_along(fit$feature_draws), function(i) {
    naive_conditional(model_data(fit), fit$feature_draws[[i]], s$sigma_x[i], s$sigma_a[i])$mean
  })
  expect_equal(fitted(fit), mean_of(means), ignore_attr = TRUE)
})

test_that("fitted values of mixed columns are means over every draw", {
  fit <- mean_fits()$mixed
  means <- apply(posterior_epred(fit), 2:3, mean)
  expect_equal(predict(fit)$count, means[, "count"], ignore_attr = TRUE)
  expect_equal(predict(fit, type = "prob")$kind, means[, c("kind: a", "kind: b")],
    ignore_attr = TRUE)
  told <- predict(fit, type = "interval")
  expect_identical(told$.fitted[told$column == "count"], fitted(fit)$count)
  told <- predict(fit, interval = "credible", ndraws = 50)
  expect_identical(told$.fitted[told$column == "count"], fitted(fit)$count)
})

test_that("densities of entries left out are means over every draw", {
  fits <- mean_fits()
  expect_density <- function(fit, actual, of_draw) {
    hidden <- is.na(model_data(fit))
    means <- posterior_epred(fit)
    densities <- vapply(seq_along(fit$feature_draws), function(i) {
      of_draw(actual[hidden], means[i, , ][hidden], scalars_of(fit)[i, ])
    }, numeric(sum(hidden)))
    expect_equal(heldout_density(fit, actual), log(rowMeans(densities)))
  }
  normal <- function(x, mean, s) stats::dnorm(x, mean, s[["sigma_x"]])
  expect_density(fits$nonnegative, abs(small_data()), normal)
  expect_density(fits$nmf, abs(small_data()), normal)
  expect_density(fits$logistic, small_binary(), \(x, p, s) x * p + (1 - x) * (1 - p))
  fit <- mean_choice()
  at <- match(c("BB", "LBJ"), rownames(celebrities))
  p <- naive_choices(fit)[max(at), min(at), ]
  won <- celebrities[max(at), min(at)]
  n <- won + celebrities[min(at), max(at)]
  expect_equal(heldout_density(fit, celebrities)[[1]], log(mean(stats::dbinom(won, n, p))))
})

test_that("loadings and covariances of factors are over every draw", {
  fit <- mean_fits()$loadings
  draws <- lapply(seq_along(fit$feature_draws), factor_draw, fit = fit)
  covariances <- lapply(draws, \(d) tcrossprod(d$loadings) + diag(d$sigma_x^2))
  expect_equal(vcov(fit), mean_of(covariances) * tcrossprod(column_units(fit)), ignore_attr = TRUE)
  found <- vapply(draws, function(d) {
    match_signed(sparse_side(fit, point_factors(fit)), d$loadings)$to > 0
  }, logical(ncol(features(fit))))
  share <- rowMeans(matrix(found, ncol(features(fit))))
  expect_equal(unname(attr(loadings_of(fit), "share")), share)
})

test_that("means are the same however many draws are read at once", {
  fits <- c(mean_fits()[c("normal", "mixed", "nmf")], choice = list(mean_choice()))
  actual <- function(name) {
    switch(name,
      choice = celebrities, logistic = small_binary(), mixed = whole_frame(), abs(small_data())
    )
  }
  new <- function(fit) {
    if (inherits(fit, "fit_choice")) data.frame(item1 = "ET", item2 = 1:3) else {
      fit$internal$model$data$frame[2:3, ] %||% model_data(fit)[2:3, ]
    }
  }
  said <- function() {
    lapply(stats::setNames(nm = names(fits)), function(name) {
      fit <- fits[[name]]
      list(fitted(fit), predict(fit, new(fit)), heldout_density(fit, actual(name)))
    })
  }
  by_hundred <- said()
  local_function("draws_in_block", function(fit) 7)
  expect_equal(said(), by_hundred, tolerance = 1e-10)
})

test_that("new rows are the same in two threads, and means over every draw by default", {
  fits <- mean_fits()[c("normal", "logistic", "loadings", "mixed")]
  for (name in names(fits)) {
    fit <- fits[[name]]
    new <- (fit$internal$model$data$frame %||% model_data(fit))[1:3, ]
    one <- predict(fit, new)
    two <- withr::with_options(
      list(mc.cores = 2), predict(fit, new, ndraws = length(fit$feature_draws))
    )
    expect_identical(two, one)
    expect_false(identical(predict(fit, new, ndraws = 200), one))
  }
  withr::local_options(mc.cores = "two")
  expect_error(predict(fits$normal, small_data()), "^`mc.cores` must be")
})

#' By how many Monte Carlo standard errors estimates are off
#' @param draws Draws x estimates.
errors_off <- function(estimates, exact, draws) {
  (estimates - exact) / apply(draws, 2, posterior::mcse_mean)
}

# With so many draws a mean over 200 of them is off by several such errors.
exact_method <- method_gibbs(chains = 1, iter = 8000, warmup = 500)

test_that("means of a linear-Gaussian model are exact, by enumeration", {
  x <- rbind(c(1.1, -0.4), c(NA, 0.9), c(0.8, 0.2))
  full <- replace(x, is.na(x), 0.7)
  row <- c(0.9, NA)
  fit <- quick_fit(x,
    sigma_x = 0.5, sigma_a = 1, prior = prior_beta_bernoulli(2, 1.5, concentration = 1),
    method = exact_method
  )
  log_joint <- function(x, z) {
    m <- colSums(z)
    sum(lbeta(m + 0.75, nrow(z) - m + 1) - lbeta(0.75, 1)) + naive_log_lik_observed(x, z, 0.5, 1)
  }
  average <- function(log_weights, values) {
    colSums(exp(log_weights - log_sum_exp(log_weights)) * values)
  }
  of_z <- function(z) {
    given <- naive_conditional(x, z, 0.5, 1)
    density <- stats::dnorm(0.7, given$mean[2, 1], sqrt(given$variance[2, 1]))
    each <- t(vapply(all_matrices(1, 2), function(bits) {
      z <- rbind(z, bits)
      c(log_joint(rbind(x, row), z), naive_conditional(rbind(x, row), z, 0.5, 1)$mean[4, ])
    }, numeric(3)))
    # New rows are averaged over draws given the data.
    c(given$mean, density, average(each[, 1], each[, -1]))
  }
  exact <- {
    all <- all_matrices(3, 2)
    average(vapply(all, \(z) log_joint(x, z), 0), t(vapply(all, of_z, numeric(9))))
  }
  # Each Z that was drawn once, its empty columns back in their places.
  codes <- vapply(as.list(fit$feature_draws), function(z) {
    z <- unname(cbind(z, matrix(0, 3, 2 - ncol(z))))
    paste(z, collapse = "")
  }, "")
  known <- vapply(unique(codes), function(code) {
    of_z(matrix(as.numeric(strsplit(code, "")[[1]]), 3))
  }, numeric(9))
  draws <- t(known[, codes])
  estimates <- c(fitted(fit), exp(heldout_density(fit, full)), predict(fit, row))
  off <- errors_off(estimates, exact, draws)
  expect_lt(max(abs(off[1:7])), 4.5)
  # Features of a new row are sampled, which adds little.
  expect_lt(max(abs(off[8:9])), 4.5)
})

test_that("means of logistic weights and biases are exact, by quadrature", {
  y <- matrix(c(1, 1, 0, NA, 1, 0, 0, 0, 1, 1, NA, 1), 6)
  z <- cbind(c(1, 1, 1, 1, 0, 0))
  fit <- fit_logistic(y,
    prior = prior_fixed(z), sigma_a = 1.3, bias = 0.8, method = exact_method, seed = 2,
    verbose = FALSE
  )
  grid <- expand.grid(a = seq(-8, 8, 0.05), b = seq(-5, 5, 0.05))
  exact <- vapply(1:2, function(j) {
    log_p <- stats::dnorm(grid$a, 0, 1.3, log = TRUE) + stats::dnorm(grid$b, 0, 0.8, log = TRUE)
    for (i in which(!is.na(y[, j]))) {
      log_p <- log_p + stats::plogis((2 * y[i, j] - 1) * (grid$b + z[i] * grid$a), log.p = TRUE)
    }
    weights <- exp(log_p - log_sum_exp(log_p))
    vapply(1:6, \(i) sum(weights * stats::plogis(grid$b + z[i] * grid$a)), 0)
  }, numeric(6))
  draws <- matrix(posterior_epred(fit), length(fit$feature_draws))
  expect_lt(max(abs(errors_off(as.vector(fitted(fit)), as.vector(exact), draws))), 4.5)
  held <- exp(heldout_density(fit, replace(y, is.na(y), 1)))
  hidden <- which(is.na(y))
  expect_lt(max(abs(errors_off(held, exact[hidden], draws[, hidden]))), 4.5)
})

test_that("choice probabilities and densities are exact, by quadrature", {
  # With one feature an item, shares of weights are of a Dirichlet law.
  wins <- matrix(c(0, 1, NA, 6, 0, 2, NA, 4, 0), 3, dimnames = list(letters[1:3], letters[1:3]))
  fit <- fit_choice(wins,
    prior = prior_fixed(diag(3)), weights = gamma_prior(0.8, 3), epsilon = 0.1,
    method = exact_method, seed = 1, verbose = FALSE
  )
  # w1 of all, and w2 of the rest, between the middles of equal parts of their probabilities.
  at <- (seq_len(800) - 0.5) / 800
  shares <- expand.grid(first = stats::qbeta(at, 0.8, 1.6), second = stats::qbeta(at, 0.8, 0.8))
  w <- with(shares, cbind(first, (1 - first) * second, (1 - first) * (1 - second)))
  p <- function(i, j) 0.9 * w[, i] / (w[, i] + w[, j]) + 0.05
  weights <- p(1, 2)^6 * p(2, 1) * p(2, 3)^4 * p(3, 2)^2
  weights <- weights / sum(weights)
  pairs <- rbind(c(2, 1), c(3, 1), c(3, 2))
  exact <- apply(pairs, 1, \(pair) sum(weights * p(pair[1], pair[2])))
  of_draws <- apply(naive_choices(fit), 3, \(p) p[pairs])
  expect_lt(max(abs(errors_off(predict(fit)[pairs], exact, t(of_draws)))), 4.5)
  full <- replace(wins, is.na(wins), c(3, 5))
  held <- stats::dbinom(full[3, 1], 8, of_draws[2, ])
  off <- errors_off(
    exp(heldout_density(fit, full)), sum(weights * stats::dbinom(full[3, 1], 8, p(3, 1))),
    cbind(held)
  )
  expect_lt(abs(off), 4.5)
})
