# Cases of fit_factor() for simulation-based calibration. The default priors and the centring depend
# on the data, so parameters cannot be drawn from the default priors. All priors are therefore given
# here.

#' @param weight Function that draws a given number of weights.
factor_case <- function(call, arguments, weight, sparse = "loadings") {
  noise <- gamma_prior(2.5, 2.5)
  draw <- function() {
    made <- draw_factors(weight, sparse, draw_sigma(noise, calibration_size[2]))
    like <- if (sparse == "loadings") row_density(made) else column_density(made)
    weights <- made$z * made$v * rep(made$sd, each = nrow(made$z))
    truth <- c(
      made$scalars, n_common = sum(colSums(made$z) > 1), sigma_x = sqrt(mean(made$noise^2)),
      sigma_a = made$sigma_a, variance = sum(weights^2) / nrow(weights) + mean(made$noise^2),
      log_lik = like, fitted = sum(made$mean^2)
    )
    list(data = made$x, truth = truth)
  }
  prior <- paste(
    "alpha and the precision of the factors Gamma(1, 1), times Exp(1) for each feature;",
    "precisions of the noise Gamma(2.5, 2.5)"
  )
  literal <- list(sigma_x = noise, sigma_a = gamma_prior(1, 1), center = FALSE)
  arguments <- c(list(sparse = sparse), literal, arguments)
  calibration_case(call, prior, draw, fit_factor, arguments)
}

#' Returns list(x, mean, z, v, sd, noise, sigma_a, scalars), in which `sd` is the standard deviation
#' of the loadings of every feature
draw_factors <- function(weight, sparse, noise) {
  rows <- calibration_size[1]
  columns <- calibration_size[2]
  of <- draw_from_ibp(if (sparse == "loadings") columns else rows)
  k <- ncol(of$z)
  sigma_a <- draw_sigma()
  sd <- sigma_a / sqrt(stats::rexp(k))
  v <- matrix(weight(length(of$z)), nrow(of$z))
  loadings <- draw_normal(k, if (sparse == "loadings") rows else columns) * sd
  mean <- (of$z * v) %*% loadings
  if (sparse == "loadings") mean <- t(mean)
  x <- mean + draw_normal(rows, columns) * rep(noise, each = rows)
  list(
    x = x, mean = mean, z = of$z, v = v, sd = sd, noise = noise, sigma_a = sigma_a,
    scalars = of$scalars
  )
}

#' Rows are normal if the factors are integrated out
row_density <- function(made) {
  scaled <- made$z * made$v * rep(made$sd, each = nrow(made$z))
  covariance <- tcrossprod(scaled) + diag(made$noise^2)
  log_det <- as.numeric(determinant(2 * pi * covariance)$modulus)
  -0.5 * (nrow(made$x) * log_det + sum(t(made$x) * solve(covariance, t(made$x))))
}

#' Columns are normal if the loadings are integrated out
column_density <- function(made) {
  scaled <- made$z * made$v * rep(made$sd, each = nrow(made$z))
  sum(vapply(seq_along(made$noise), function(j) {
    covariance <- tcrossprod(scaled) + made$noise[j]^2 * diag(nrow(scaled))
    log_det <- as.numeric(determinant(2 * pi * covariance)$modulus)
    -0.5 * (log_det + sum(made$x[, j] * solve(covariance, made$x[, j])))
  }, 0))
}

factor_cases <- function() {
  call <- function(own = "") {
    paste0("fit_factor(x, ", own, "sigma_x = gamma_prior(2.5, 2.5), center = FALSE)")
  }
  laplace <- function(n) stats::rexp(n) * sample(c(-1, 1), n, TRUE)
  list(
    factor = factor_case(call(), list(), stats::rnorm),
    factor_sparse = factor_case(call("sparse = \"factors\", "), list(), stats::rnorm, "factors"),
    factor_nonnegative = factor_case(
      call("sparse = \"factors\", weights = \"nonnegative\", "), list(weights = "nonnegative"),
      function(n) abs(stats::rnorm(n)), "factors"
    ),
    factor_laplace = factor_case(
      call("weights = \"laplace\", "), list(weights = "laplace"), laplace
    ),
    factor_counts = factor_case(
      call("weights = \"counts\", "), list(weights = "counts"), function(n) stats::rgeom(n, 0.5) + 1
    )
  )
}
