# Cases of fit_logistic(), fit_choice() and fit_mixed() for simulation-based calibration.

#' The core keeps the standard deviations of weights and biases within these limits.
weight_limits <- c(0.01, 30)

draw_weight_sigma <- function() draw_sigma(limits = weight_limits)

logistic_cases <- function() {
  draw <- function() {
    rows <- calibration_size[1]
    columns <- calibration_size[2]
    of <- draw_from_ibp(rows)
    sigma_a <- draw_weight_sigma()
    sigma_b <- draw_weight_sigma()
    bias <- stats::rnorm(columns, sd = sigma_b)
    p <- stats::plogis(
      of$z %*% draw_normal(ncol(of$z), columns, sigma_a) + rep(bias, each = rows)
    )
    y <- matrix(stats::rbinom(length(p), 1, p), rows)
    truth <- c(
      of$scalars, sigma_a = sigma_a, sigma_b = sigma_b,
      log_lik = sum(stats::dbinom(y, 1, p, log = TRUE)), fitted = sum(p^2)
    )
    list(data = y, truth = truth)
  }
  prior <- paste(
    "alpha and the precisions of weights and biases Gamma(1, 1), standard deviations within",
    "[0.01, 30]"
  )
  list(
    logistic = calibration_case("fit_logistic(y)", prior, draw, fit_logistic),
    logistic_neal = calibration_case("fit_logistic(y, method = method_gibbs(sampler = \"neal\"))",
      prior, draw, fit_logistic, list(method = method_gibbs(sampler = "neal"))
    )
  )
}

#' Ten judgements of every pair of items
choice_case <- function(call, features, arguments = list()) {
  draw <- function() {
    of <- features(6)
    w <- draw_gamma(gamma_prior(1, 1), ncol(of$z))
    p <- naive_choice(of$z, w, 0.01)
    wins <- matrix(0, nrow(p), nrow(p), dimnames = list(rownames(of$z), NULL))
    at <- which(lower.tri(p))
    wins[at] <- stats::rbinom(length(at), 10, p[at])
    like <- sum(stats::dbinom(wins[at], 10, p[at], log = TRUE))
    wins[upper.tri(p)] <- 10 - t(wins)[upper.tri(p)]
    list(data = wins, truth = c(of$scalars, log_lik = like, fitted = sum((10 * p[at])^2)))
  }
  calibration_case(call, "alpha and the weights Gamma(1, 1)", draw, fit_choice, arguments)
}

choice_cases <- function() {
  list(
    choice = choice_case("fit_choice(wins)", draw_from_ibp),
    choice_tree = choice_case("fit_choice(wins, prior = prior_pibp(celebrity_tree))",
      draw_from_tree, list(prior = prior_pibp(celebrity_tree))
    )
  )
}

#' Categories of an ordered probit model, given linear predictors. The first cut point is 0, and the
#' second is an exponential gap above it.
draw_ordinal <- function(eta) {
  cuts <- c(-Inf, 0, stats::rexp(1), Inf)
  p <- vapply(1:3, \(c) stats::pnorm(cuts[c + 1] - eta) - stats::pnorm(cuts[c] - eta), eta)
  list(code = findInterval(stats::rnorm(length(eta), eta), cuts), p = p)
}

#' Categories given by the largest of three normal utilities, with means eta, N x 3
draw_categorical <- function(eta) {
  at <- seq(-9, 9, 0.02)
  p <- t(apply(eta, 1, function(e) {
    vapply(1:3, function(c) {
      others <- e[-c] - e[c]
      sum(stats::dnorm(at) * stats::pnorm(at - others[1]) * stats::pnorm(at - others[2])) * 0.02
    }, 0)
  }))
  list(code = max.col(eta + stats::rnorm(length(eta))), p = p)
}

#' Linear predictors with `width` columns, N x width
draw_predictors <- function(z, width, sigma_w, sigma_b) {
  bias <- rep(stats::rnorm(width, sd = sigma_b), each = nrow(z))
  z %*% draw_normal(ncol(z), width, sigma_w) + bias
}

#' Returns list(data, truth) for categorical columns, or NULL if a column lacks one of its
#' categories
draw_categories <- function(rows = calibration_size[1]) {
  of <- draw_from_ibp(rows)
  sigma_w <- draw_weight_sigma()
  sigma_b <- draw_weight_sigma()
  predict <- function(width = 1) draw_predictors(of$z, width, sigma_w, sigma_b)
  p <- stats::plogis(cbind(predict(), predict()))
  yes <- stats::rbinom(rows, 1, p[, 1])
  count <- stats::rbinom(rows, 5, p[, 2])
  ordinal <- draw_ordinal(predict()[, 1])
  categorical <- draw_categorical(predict(3))
  lacking <- length(unique(yes)) < 2 || length(unique(count)) < 2 ||
    length(unique(ordinal$code)) < 3 || length(unique(categorical$code)) < 3
  if (lacking) return(NULL)
  data <- data.frame(
    yes = yes == 1, count = count, grade = factor(ordinal$code, 1:3, ordered = TRUE),
    town = factor(categorical$code, 1:3)
  )
  like <- sum(
    stats::dbinom(yes, 1, p[, 1], TRUE), stats::dbinom(count, 5, p[, 2], TRUE),
    log(ordinal$p[cbind(1:rows, ordinal$code)]), log(categorical$p[cbind(1:rows, categorical$code)])
  )
  fitted <- sum(p[, 1]^2, (1 - p[, 1])^2, (5 * p[, 2])^2, ordinal$p^2, categorical$p^2)
  truth <- c(of$scalars, sigma_w = sigma_w, sigma_b = sigma_b, log_lik = like, fitted = fitted)
  list(data = data, truth = truth)
}

#' Returns list(data, truth) for a count and a number. The result is NULL unless the mean of the
#' count is 2, and the number has mean 0 and standard deviation 1 up to a small error, which is then
#' removed. Under this condition, the package's standardisation of these columns is part of the
#' model.
draw_numbers <- function(rows = calibration_size[1]) {
  of <- draw_from_ibp(rows)
  sigma_w <- draw_weight_sigma()
  sigma_b <- draw_weight_sigma()
  log_size <- 1 + 2 * stats::rnorm(1)
  expected <- 2 * exp(draw_predictors(of$z, 1, sigma_w, sigma_b)[, 1])
  size <- exp(log_size)
  if (abs(log_size) > 7) return(NULL)
  count <- suppressWarnings(stats::rnbinom(rows, mu = expected, size = size))
  if (!isTRUE(sum(count) == 2 * rows)) return(NULL)
  mean <- draw_predictors(of$z, 1, sigma_w, sigma_b)[, 1]
  sigma_x <- draw_sigma()
  number <- stats::rnorm(rows, mean, sigma_x)
  if (abs(mean(number)) > 0.1 || abs(stats::sd(number) - 1) > 0.1) return(NULL)
  number <- as.vector(scale(number))
  like <- sum(
    stats::dnbinom(count, mu = expected, size = size, log = TRUE),
    stats::dnorm(number, mean, sigma_x, TRUE)
  )
  truth <- c(
    of$scalars, sigma_w = sigma_w, sigma_b = sigma_b, log_lik = like,
    fitted = sum(expected^2, mean^2)
  )
  list(data = data.frame(count = count, number = number), truth = truth)
}

#' Repeats a draw until the result is not NULL
draw_until <- function(draw) {
  repeat {
    made <- draw()
    if (!is.null(made)) return(made)
  }
}

mixed_cases <- function() {
  prior <- "alpha and the precisions of weights, biases and noise Gamma(1, 1), given that"
  list(
    mixed_categories = calibration_case(
      "fit_mixed(data, c(count = \"binomial(5)\"))", paste(prior, "every category occurs"),
      \() draw_until(draw_categories), fit_mixed, list(families = c(count = "binomial(5)"))
    ),
    mixed_numbers = calibration_case(
      "fit_mixed(data, c(count = \"negative_binomial\", number = \"gaussian\"))",
      paste(prior, "columns are standardised"), \() draw_until(draw_numbers), fit_mixed,
      list(families = c(count = "negative_binomial", number = "gaussian"))
    )
  )
}
