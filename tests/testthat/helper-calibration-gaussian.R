# Cases of fit_gaussian() and fit_nmf() for simulation-based calibration.

alpha_prior <- "alpha and the precisions of noise and loadings Gamma(1, 1)"

#' Rows and columns of the data
calibration_size <- c(8, 3)

#' A case of fit_gaussian()
#' @param features Function that draws list(z, scalars).
#' @param like The density that the fit reports as log_lik.
#' @param absolute,each_column Whether loadings are nonnegative, and whether every column has its
#'   own noise.
#' @param holes Number of missing entries.
#' @noRd
gaussian_case <- function(call, arguments = list(), prior = alpha_prior, features = draw_from_ibp,
                          like = collapsed_density, absolute = FALSE, each_column = FALSE,
                          holes = 0) {
  draw <- function() {
    of <- features(calibration_size[1])
    columns <- calibration_size[2]
    sigma_a <- draw_sigma()
    noise <- rep_len(draw_sigma(n = if (each_column) columns else 1), columns)
    a <- draw_normal(ncol(of$z), columns, sigma_a)
    if (absolute) a <- abs(a)
    mean <- of$z %*% a
    x <- mean + draw_normal(nrow(mean), columns) * rep(noise, each = nrow(mean))
    rownames(x) <- rownames(of$z)
    x[sample(length(x), holes)] <- NA
    truth <- c(
      of$scalars, sigma_x = sqrt(mean(noise^2)), sigma_a = sigma_a,
      log_lik = like(x, of$z, mean, noise, sigma_a), fitted = sum(mean^2)
    )
    list(data = x, truth = truth)
  }
  # The prior from which data are drawn cannot be scaled by the data, as it would be by default.
  literal <- list(sigma_x = gamma_prior(1, 1), sigma_a = gamma_prior(1, 1))
  calibration_case(call, prior, draw, fit_gaussian, c(literal, arguments))
}

#' log p(x | z) of observed entries, with the loadings integrated out
collapsed_density <- function(x, z, mean, noise, sigma_a) {
  columns <- seq_len(ncol(x))
  sum(vapply(columns, \(j) naive_log_lik_observed(x[, j, drop = FALSE], z, noise[j], sigma_a), 0))
}

#' Like the density above, but given the loadings
given_density <- function(x, z, mean, noise, sigma_a) {
  sum(stats::dnorm(x, mean, rep(noise, each = nrow(x)), log = TRUE))
}

draw_two_parameter <- function(rows) {
  alpha <- draw_gamma(gamma_prior(1, 1))
  concentration <- draw_gamma(gamma_prior(2, 2))
  drawn_features(draw_buffet(rows, alpha, concentration), alpha = alpha,
    concentration = concentration
  )
}

#' The power-law buffet with discount d = 1/2 and concentration 1 (Teh and Gorur 2009)
draw_power_law <- function(rows) {
  alpha <- draw_gamma(gamma_prior(1, 1))
  d <- 0.5
  z <- matrix(0, 0, 0)
  for (i in seq_len(rows)) {
    old <- stats::rbinom(ncol(z), 1, (colSums(z) - d) / i)
    rate <- exp(lgamma(2) + lgamma(i + d) - lgamma(i + 1) - lgamma(1 + d))
    new <- stats::rpois(1, alpha * rate)
    z <- rbind(cbind(z, matrix(0, i - 1, new)), c(old, rep(1, new)))
  }
  drawn_features(z, alpha = alpha)
}

draw_beta_features <- function(rows) {
  alpha <- draw_gamma(gamma_prior(1, 1))
  p <- stats::rbeta(4, alpha / 4, 1)
  drawn_features((matrix(stats::runif(rows * 4), rows) < rep(p, each = rows)) + 0, alpha = alpha)
}

draw_from_tree <- function(rows) {
  alpha <- draw_gamma(gamma_prior(1, 1))
  drawn_features(rpibp(celebrity_tree, alpha), alpha = alpha)
}

gaussian_cases <- function() {
  list(
    gaussian = gaussian_case("fit_gaussian(x)"),
    gaussian_missing = gaussian_case("fit_gaussian(x), 5 of 24 entries missing", holes = 5),
    gaussian_nonnegative = gaussian_case("fit_gaussian(x, loadings = \"nonnegative\")",
      list(loadings = "nonnegative"), like = given_density, absolute = TRUE
    ),
    gaussian_column_noise = gaussian_case("fit_gaussian(x, noise = \"column\")",
      list(noise = "column"), each_column = TRUE
    ),
    gaussian_two_parameter = gaussian_case(
      "fit_gaussian(x, prior = prior_ibp(concentration = gamma_prior(2, 2)))",
      list(prior = prior_ibp(concentration = gamma_prior(2, 2))),
      prior = paste0(alpha_prior, ", concentration Gamma(2, 2)"), features = draw_two_parameter
    ),
    gaussian_power_law = gaussian_case("fit_gaussian(x, prior = prior_ibp(discount = 0.5))",
      list(prior = prior_ibp(discount = 0.5)), features = draw_power_law
    ),
    gaussian_beta_bernoulli = gaussian_case("fit_gaussian(x, prior = prior_beta_bernoulli(4))",
      list(prior = prior_beta_bernoulli(4)), features = draw_beta_features
    ),
    gaussian_tree = gaussian_case("fit_gaussian(x, prior = prior_pibp(celebrity_tree))",
      list(prior = prior_pibp(celebrity_tree)), features = draw_from_tree
    )
  )
}

sampler_case <- function(sampler, like) {
  call <- sprintf("fit_gaussian(x, method = method_gibbs(sampler = \"%s\"))", sampler)
  gaussian_case(call, list(method = method_gibbs(sampler = sampler)), like = like)
}

#' The other samplers for normal loadings
sampler_cases <- function() {
  samplers <- c(gaussian_uncollapsed = "uncollapsed", gaussian_slice = "slice")
  lapply(samplers, sampler_case, collapsed_density)
}

#' This sampler mixes slowly if there are few rows.
parallel_cases <- function() list(gaussian_parallel = sampler_case("parallel", given_density))

nmf_cases <- function() {
  draw <- function() {
    rows <- calibration_size[1]
    columns <- calibration_size[2]
    w <- matrix(stats::rexp(2 * rows), rows)
    a <- matrix(stats::rexp(2 * columns), 2)
    sigma_x <- draw_sigma()
    mean <- w %*% a
    x <- mean + draw_normal(rows, columns, sigma_x)
    like <- sum(stats::dnorm(x, mean, sigma_x, log = TRUE))
    list(data = x, truth = c(sigma_x = sigma_x, log_lik = like, fitted = sum(mean^2)))
  }
  list(nmf = calibration_case(
    "fit_nmf(x, rank = 2, method = method_gibbs())",
    "weights and loadings Exp(1), the precision of the noise Gamma(1, 1)", draw, fit_nmf,
    list(
      rank = 2, sigma_x = gamma_prior(1, 1), rate_w = 1, rate_a = 1, method = method_gibbs()
    )
  ))
}
