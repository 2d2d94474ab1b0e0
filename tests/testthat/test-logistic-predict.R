# Functions of a fit to binary data, compared with plain R code for the draws of Z, weights and
# biases.

test_that("fitted values are mean probabilities over the draws", {
  for (fit in logistic_fits()) {
    draws <- logistic_draws_of(fit)
    expected <- mean_of(lapply(draws, `[[`, "p"))
    expect_equal(fitted(fit), expected, ignore_attr = TRUE, tolerance = 1e-10)
    expect_identical(dimnames(fitted(fit)), dimnames(binary_of(fit)))
    expect_identical(predict(fit), fitted(fit))
    expect_equal(residuals(fit), binary_of(fit) - fitted(fit))
    expect_identical(predict(fit, type = "features"), features(fit))
  }
})

test_that("pointwise log likelihoods agree with the draws and add up to log_lik", {
  for (fit in logistic_fits()) {
    y <- binary_of(fit)
    seen <- !is.na(y)
    expected <- t(vapply(logistic_draws_of(fit), function(d) {
      -log1p(exp(ifelse(y == 1, -d$log_odds, d$log_odds)))[seen]
    }, numeric(sum(seen))))
    l <- log_lik(fit)
    expect_equal(l, expected, ignore_attr = TRUE, tolerance = 1e-8)
    expect_equal(rowSums(l), unname(scalars_of(fit)[, "log_lik"]), tolerance = 1e-8)
    rows <- log_lik(fit, by = "row")
    expect_equal(rows, t(rowsum(t(l), row(y)[seen])), ignore_attr = TRUE)
    expect_identical(colnames(rows), rownames(y))
    expect_identical(dim(log_lik(fit, ndraws = 3)), c(3L, sum(seen)))
    point <- logLik(fit)
    same <- vapply(as.list(feature_draws(fit)), identical, NA, features(fit))
    expect_true(as.numeric(point) %in% scalars_of(fit)[same, "log_lik"])
    expect_identical(attr(point, "nobs"), nrow(y))
  }
})

test_that("log_joint is the log likelihood plus log densities of everything that is learned", {
  log_gamma <- function(x, prior) stats::dgamma(x, prior$shape, prior$rate, log = TRUE)
  log_class <- list(
    small = \(z, s) dibp(z, s["alpha"], log = TRUE) + log_gamma(s["alpha"], gamma_prior(1, 1)),
    holes = \(z, s) {
      dibp(z, s["alpha"], s["concentration"], log = TRUE) +
        log_gamma(s["alpha"], gamma_prior(2, 3)) + log_gamma(s["concentration"], gamma_prior(2, 2))
    },
    finite = \(z, s) dbeta_bernoulli(z, s["alpha"], n_features = 4, log = TRUE),
    fixed = \(z, s) 0
  )
  tau_b <- list(small = gamma_prior(1, 1), fixed = gamma_prior(3, 2))
  fits <- logistic_fits()
  for (name in names(log_class)) {
    fit <- fits[[name]]
    s <- scalars_of(fit)
    which <- c(1, 40, 77)
    draws <- logistic_draws_of(fit)[which]
    given <- vapply(seq_along(which), function(i) {
      at <- s[which[i], ]
      sigma_b <- if (name == "finite") 2 else at["sigma_b"]
      bias <- if (biased(fit)) sum(stats::dnorm(draws[[i]]$bias, 0, sigma_b, log = TRUE)) else 0
      learned <- if (name == "holes") 0 else log_gamma(at["sigma_a"]^-2, gamma_prior(1, 1))
      if (!is.null(tau_b[[name]])) learned <- learned + log_gamma(at["sigma_b"]^-2, tau_b[[name]])
      unname(sum(stats::dnorm(draws[[i]]$w, 0, at["sigma_a"], log = TRUE)) + bias + learned +
        log_class[[name]](feature_draws(fit)[[which[i]]], at))
    }, 0)
    expect_equal(unname(s[which, "log_joint"]), unname(s[which, "log_lik"]) + given)
  }
})

test_that("replicated data are ones with the probabilities in their draws", {
  for (fit in list(small_logistic(), holes_logistic(), finite_logistic())) {
    out <- withr::with_seed(1, posterior_predict(fit, ndraws = 150))
    y <- binary_of(fit)
    expect_identical(dim(out), c(150L, dim(y)))
    expect_true(all(out %in% 0:1))
    expect_identical(dimnames(out)[-1], dimnames(y) %||% dimnames(out)[-1])
    draws <- logistic_draws_of(fit)
    draws <- draws[unique(round(seq(1, length(draws), length.out = 150)))]
    p <- t(vapply(draws, function(d) as.vector(d$p), numeric(length(y))))
    rest <- matrix(out, 150) - p
    variance <- sum(p * (1 - p))
    expect_lt(abs(sum(rest)) / sqrt(variance), 4.5)
    expect_lt(abs(sum(rest^2) / variance - 1), 0.1)
  }
})

#' Posterior of a new row given one draw, from every pattern of the existing features and up to 8
#' singletons, the sum of whose weights is normal and is integrated out by the trapezoidal rule
enumerate_binary <- function(row, draw, alpha, sigma_a, concentration = 1, size = Inf) {
  at <- seq(-8, 8, 0.05)
  mean_sigmoid <- function(odds, q) {
    if (q == 0) return(stats::plogis(odds))
    sum(stats::plogis(odds + at * sqrt(q) * sigma_a) * stats::dnorm(at)) * 0.05
  }
  cases <- next_cases(draw$z, alpha, 8, concentration, size = size)
  each <- vapply(seq_along(cases$own), function(case) {
    bits <- cases$bits[case, ]
    own <- cases$own[case]
    odds <- draw$bias + drop(draw$w %*% bits)
    p <- vapply(odds, mean_sigmoid, 0, own)
    seen <- !is.na(row)
    lik <- prod(ifelse(row == 1, p, 1 - p)[seen])
    weight <- exp(cases$log_p[case]) * lik
    # An observed entry determines its own probability.
    p_seen <- vapply(seq_along(odds), function(j) {
      if (own == 0 || !seen[j]) return(p[j])
      s <- stats::plogis(odds[j] + at * sqrt(own) * sigma_a)
      given <- (if (row[j] == 1) s else 1 - s) * stats::dnorm(at)
      sum(given * s) / sum(given)
    }, 0)
    c(weight, p_seen, bits)
  }, numeric(1 + length(row) + ncol(draw$z)))
  mean <- drop(each[-1, , drop = FALSE] %*% each[1, ]) / sum(each[1, ])
  list(response = mean[seq_along(row)], features = mean[-seq_along(row)])
}

test_that("probabilities and features of new rows agree with enumeration", {
  new <- rbind(c(1, 0, 1, 1), c(NA, 1, 0, NA), c(NA, NA, NA, 0), NA)
  y <- small_binary()
  z <- cbind(rep(0:1, 5), c(1, 1, 1, 0, 0))
  cases <- list(
    list(prior = prior_ibp(1.5, 2), alpha = 1.5, concentration = 2, size = Inf, bias = 1),
    list(prior = prior_ibp(2), alpha = 2, concentration = 1, size = Inf, bias = FALSE),
    list(prior = prior_beta_bernoulli(4, 2), alpha = 2, concentration = 1, size = 4, bias = 1)
  )
  for (case in cases) {
    fit <- quick_logistic(
      y, sigma_a = 1.5, bias = case$bias, prior = case$prior, init = z,
      method = method_gibbs(chains = 1, iter = 3, warmup = 2), seed = 4
    )
    draw <- logistic_draws_of(fit)[[1]]
    expect_identical(anyDuplicated(to_histories(draw$z)), 0L) # so the columns differ
    # If there are biases, features of most rows are displayed as their complements.
    shown <- features(fit)
    flipped <- !to_histories(shown) %in% to_histories(draw$z)
    shown[, flipped] <- 1L - shown[, flipped]
    order <- match(to_histories(shown), to_histories(draw$z))
    for (i in sized(1:2, 1:4)) {
      exact <- enumerate_binary(new[i, ], draw, case$alpha, 1.5, case$concentration, case$size)
      row <- new[i, , drop = FALSE]
      expect_replicates(predict_anew(fit, row, 40, takes = 50), exact$response)
      expect_identical(colnames(predict(fit, row, type = "features")), colnames(features(fit)))
      if (ncol(features(fit)) == 0) next
      expected <- abs(flipped - exact$features[order])
      expect_replicates(predict_anew(fit, row, 40, type = "features"), expected)
    }
  }
})
