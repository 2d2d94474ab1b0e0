# Simulation-based calibration (Talts et al. 2018). If a parameter is drawn from its prior and data
# are drawn given the parameter, its rank among draws from the posterior given the data is uniform.
# The cases are in the files helper-calibration-*.R. data-raw/calibration.R runs them and saves the
# ranks.

#' A model that generates data and is fitted to them
#' @param call,prior The call and the prior as text.
#' @param draw Function without arguments that returns list(data, truth). `truth` has the scalars of
#' a fit, by name, and `fitted`, the sum of squares of the expected data.
#' @param fit,arguments The fitting function and its arguments, except the data.
#' @noRd
calibration_case <- function(call, prior, draw, fit, arguments = list()) {
  list(call = call, prior = prior, draw = draw, fit = fit, arguments = arguments)
}

#' Cases with chains of 2000 sweeps, which is the default for large data. For small data, the
#' default is up to ten times as many sweeps, or eighty times if the chains do not agree, which is
#' too many for hundreds of fits.
#' @noRd
with_short_chains <- function(cases) {
  lapply(cases, function(case) {
    case$arguments$method <- method_gibbs(iter = 2000, sampler = case$arguments$method$sampler)
    case
  })
}

calibration_cases <- function() {
  c(
    with_short_chains(c(gaussian_cases(), sampler_cases())), parallel_cases(),
    with_short_chains(c(logistic_cases(), mixed_cases(), factor_cases())), choice_cases(),
    nmf_cases(), topic_cases(), cascade_cases()
  )
}

#' Ranks of the truth for one data set. Its number, `set`, is the seed of both the data and the fit
#' @return A named vector, in which `rhat` is the largest Rhat of the fit.
#' @noRd
calibration_ranks <- function(case, set) {
  withr::with_seed(set, {
    made <- case$draw()
    arguments <- c(list(made$data, seed = set, verbose = FALSE), case$arguments)
    fit <- quietly(do.call(case$fit, arguments))
    draws <- calibration_draws(fit, names(made$truth))
    c(rank_of_truth(made$truth, draws), rhat = quietly(as.numeric(glance(fit)$rhat_max)))
  })
}

quietly <- function(code) suppressMessages(suppressWarnings(code))

#' Selects 99 evenly spaced draws, one per row
calibration_draws <- function(fit, names) {
  all <- as.matrix(fit)
  chosen <- all[round(seq(1, nrow(all), length.out = 99)), , drop = FALSE]
  fitted <- apply(posterior_epred(fit, ndraws = 99), 1, function(x) sum(x^2))
  # A layer that occurs in no draw has no column.
  absent <- setdiff(names, c(colnames(all), "fitted"))
  none <- matrix(0, 99, length(absent), dimnames = list(NULL, absent))
  cbind(chosen, none, fitted = fitted)[, names]
}

#' Rank of the truth among the draws, with ties in random order
rank_of_truth <- function(truth, draws) {
  error <- 1e-9 * (1 + abs(truth))
  tied <- colSums(abs(draws - rep(truth, each = nrow(draws))) < rep(error, each = nrow(draws)))
  below <- colSums(draws < rep(truth - error, each = nrow(draws)))
  below + floor(stats::runif(length(truth)) * (tied + 1))
}

#' Chi-square p-value for the hypothesis that ranks from 0 to 99 are uniform, in ten bins
uniform_p_value <- function(ranks) {
  stats::chisq.test(tabulate(ranks %/% 10 + 1, 10))$p.value
}

# Functions that draw hyperparameters.

draw_gamma <- function(prior, n = 1) stats::rgamma(n, prior$shape, prior$rate)

#' Draws standard deviations within limits, whose precisions have a gamma prior
draw_sigma <- function(prior = gamma_prior(1, 1), n = 1, limits = c(0, Inf)) {
  sigma <- rep(Inf, n)
  repeat {
    out <- !(sigma > limits[1] & sigma < limits[2])
    if (!any(out)) return(sigma)
    sigma[out] <- draw_gamma(prior, sum(out))^-0.5
  }
}

#' Draws features and the hyperparameters of their prior, as list(z, scalars)
drawn_features <- function(z, ...) {
  z <- z[, colSums(z) > 0, drop = FALSE]
  list(z = z, scalars = c(n_features = ncol(z), n_ones = sum(z), ...))
}

draw_from_ibp <- function(rows, alpha = draw_gamma(gamma_prior(1, 1))) {
  drawn_features(draw_buffet(rows, alpha), alpha = alpha)
}

draw_normal <- function(rows, columns, sd = 1) {
  matrix(stats::rnorm(rows * columns, sd = sd), rows, columns)
}
