gaussian_draws <- function(fit, which, x = data_at_hand(fit$internal$model$data)) {
  list(
    x = x, given = !infers_loadings(fit), draws = unclass(select_draws(fit$feature_draws, which)),
    sigma = rbind(scalar(fit, "sigma_x")[which], scalar(fit, "sigma_a")[which]),
    nonnegative = fit$internal$model$loadings == "nonnegative",
    column_noise = has_column_noise(fit), loadings = as.double(select_loadings(fit, which))
  )
}

# The data if they are in memory, and otherwise an empty matrix of the same size
data_at_hand <- function(data) {
  x <- centred(data)
  if (!is_in_blocks(x)) return(x)
  Matrix::sparseMatrix(integer(), integer(), x = double(), dims = dim(x))
}

# True if means integrate the loadings out, and false if they use the loadings drawn by the chains
infers_loadings <- function(fit) {
  model <- fit$internal$model
  model$loadings == "normal" && !has_column_noise(fit) && !is_in_blocks(model$data$x)
}

#' @exportS3Method
check_like.buffet_fit <- function(fit, x, name, sparse = FALSE) {
  check_data_matrix(x, name, sparse && !inherits(fit, "fit_factor"))
}

#' @exportS3Method
new_rows.fit_gaussian <- function(fit, rows, which, plan) {
  known <- c(gaussian_draws(fit, which), prior_of_next(fit, which))
  gaussian_new_rows_cpp(known, t(in_model_units(fit, rows)), plan)
}

#' @exportS3Method
mean_loadings.fit_gaussian <- function(fit) {
  if (!samples(fit$method)) return(loadings_in_units(fit, point_loadings(fit)))
  known <- gaussian_draws(fit, fit$internal$point)
  a <- if (fit$internal$model$loadings == "nonnegative" && !is_in_blocks(model_data(fit))) {
    gaussian_nonnegative_mean_cpp(known, 500, fit$seed)
  } else {
    gaussian_loadings_cpp(known, TRUE, 0)[[1]]
  }
  z <- fit$features
  out <- t(a)[match_columns(z, drawn_features(fit)), , drop = FALSE]
  dimnames(out) <- list(colnames(z), colnames(model_data(fit)))
  if (has_column_noise(fit)) {
    draws <- seq_along(fit$feature_draws)
    sigmas <- Reduce(`+`, lapply(draws, column_sigmas, fit = fit)) / length(draws)
    attr(out, "sigma_x") <- stats::setNames(sigmas, colnames(out))
  }
  loadings_in_units(fit, out)
}

#' @exportS3Method
mean_response.fit_gaussian <- function(fit, which) {
  if (!samples(fit$method)) return(tcrossprod(expected_features(fit), fit$internal$mean))
  x <- model_data(fit)
  # With more columns than rows, it is cheaper to average the N x N matrices that smooth the data.
  smooths <- ncol(x) > nrow(x) && infers_loadings(fit) && count_observed(x) == prod(dim(x))
  seen <- if (smooths) diag(nrow(x)) else data_at_hand(fit$internal$model$data)
  fitted <- mean_over_blocks(which, draws_in_block(fit), function(some, first) {
    gaussian_fitted_cpp(gaussian_draws(fit, some, seen))
  })
  if (smooths) crossprod(fitted, as.matrix(centred(fit$internal$model$data))) else t(fitted)
}

#' @exportS3Method
density_at.fit_gaussian <- function(fit, which, places, values) {
  if (samples(fit$method)) {
    return(gaussian_heldout_cpp(gaussian_draws(fit, which), places[, 1], places[, 2], values))
  }
  found <- fit$internal
  known <- c(list(
    probabilities = expected_features(fit) + 0,
    truncated = found$model$loadings == "nonnegative" && !is.null(found$location),
    location = found$location, scale = found$scale
  ), known_loadings(fit))
  point_heldout_cpp(known, list(rows = places[, 1], columns = places[, 2], values = values))
}

# One draw of the whole model: Z A in the units of the data, with A drawn given Z unless it is
# stored, and the sigma_x of every entry
draw_model <- function(fit, draw) {
  p <- fit$internal$probabilities
  z <- drawn_features(fit, draw)
  if (!is.null(p)) z <- matrix(stats::rbinom(length(p), 1, p), nrow(p))
  # The seed is drawn here: as a promise evaluated within seeded(), it would not advance R's
  # generator.
  seed <- sample.int(.Machine$integer.max, 1)
  a <- draw_gaussian_loadings(fit, draw, seed)
  mean <- from_model_units(fit, tcrossprod(z, a))
  dimnames(mean) <- data_names(fit)
  list(mean = mean, sigma_x = rep(column_sigmas(fit, draw), each = nrow(z)))
}

# A of a draw, or drawn given Z if it is not stored: a D x K matrix with the features in stored
# order
draw_gaussian_loadings <- function(fit, draw, seed) {
  if (!samples(fit$method)) return(draw_point_loadings(fit$internal, seed))
  known <- gaussian_draws(fit, draw)
  known$given <- length(fit$internal$draws_loadings) > 0
  gaussian_loadings_cpp(known, FALSE, seed)[[1]]
}

# After optimisation, the features of new rows are the best ones found or are drawn from their
# probabilities, and the loadings are drawn from their posterior.
#' @exportS3Method
new_row_drawer.fit_gaussian <- function(fit, rows, apart) {
  if (samples(fit$method)) return(NextMethod())
  x <- in_model_units(fit, rows)
  p <- point_rows(fit$method, fit, x)$probabilities
  sigma_x <- rep(column_sigmas(fit, 1), each = nrow(rows))
  function(draw) {
    plan <- row_plan(fit, seed = draw_seed(), apart = apart)
    noise <- row_normals_cpp(x, ncol(p) + ncol(x), plan)
    z <- (noise[, seq_len(ncol(p)), drop = FALSE] < stats::qnorm(p)) + 0
    mean <- from_model_units(fit, tcrossprod(z, draw_gaussian_loadings(fit, draw, draw_seed())))
    list(mean = mean, data = mean + sigma_x * noise[, ncol(p) + seq_len(ncol(x))])
  }
}

has_column_noise <- function(fit) identical(fit$internal$model$noise, "column")

check_column_noise <- function(x, loadings, method) {
  if (isS4(x)) stop_argument("x", "be dense for noise = \"column\"", was = "a sparse matrix")
  if (is_in_blocks(x)) {
    stop_argument("x", "be in memory for noise = \"column\"", was = "row_blocks()")
  }
  if (loadings != "normal") {
    stop_argument("loadings", "be \"normal\" for noise = \"column\"", loadings)
  }
  if (isFALSE(samples(method))) {
    stop_argument("method", "be a method_gibbs() for noise = \"column\"", method)
  }
}

check_noise_of <- function(sigma_x, noise, data) {
  if (!is.null(sigma_x)) return(check_sigma_x(sigma_x, noise, ncol(data$x)))
  spread <- spread_of(centred(data))
  if (noise == "common") return(scaled_prior(spread))
  sds <- column_sds(centred(data))
  scaled_prior(replace(sds, is.na(sds) | sds < 1e-12 * spread, spread))
}

check_sigma_x <- function(sigma_x, noise, columns) {
  if (noise == "common" || length(sigma_x) == 1 || is_learned(sigma_x)) {
    return(check_sigma(sigma_x, "sigma_x"))
  }
  each <- is.numeric(sigma_x) && is.null(dim(sigma_x)) && length(sigma_x) == columns
  if (!each) {
    must <- "be one positive number, a gamma_prior() or as many positive numbers as columns (%d)"
    stop_argument("sigma_x", sprintf(must, columns), sigma_x)
  }
  wrong <- which(!(is.finite(sigma_x) & sigma_x > 0))
  if (length(wrong) > 0) {
    was <- sprintf("%s in place %d", format(sigma_x[[wrong[1]]]), wrong[1])
    stop_argument("sigma_x", "have positive numbers only", was = was)
  }
  if (max(sigma_x) > 1e6 * min(sigma_x)) {
    was <- sprintf("%.3g to %.3g", min(sigma_x), max(sigma_x))
    stop_argument("sigma_x", "be within a factor of a million", was = was)
  }
  vapply(unname(sigma_x), check_sigma, 1, name = "sigma_x")
}

# Standard deviation of the noise of each column in one draw, in the units of the data
column_sigmas <- function(fit, draw) {
  if (!has_column_noise(fit)) return(scalar(fit, "sigma_x")[draw] * column_units(fit))
  select_loadings(fit, draw)[seq_len(ncol(model_data(fit)))] * column_units(fit)
}

#' @exportS3Method
check_starts.gaussian_model <- function(model, init, method) {
  x <- model$data$x
  sigma <- model$sigma
  starts <- check_init(init, nrow(x), sigma, model$prior, method)
  if (is.null(init)) return(starts)
  fits <- rep_len(are_fits(init), length(starts))
  rms <- root_mean_square(centred(model$data))
  for (i in seq_along(starts)) {
    values <- starts[[i]]$values
    sizes <- vapply(c("sigma_x", "sigma_a"), function(name) {
      if (is_learned(sigma[[name]])) values[[name]] else min(sigma[[name]])
    }, 1)
    size_x <- sizes[[1]]
    size_a <- sizes[[2]]
    if (fits[i]) {
      # The noise in a fit with nonnegative loadings can be less than normal loadings allow.
      if (isTRUE(size_x < 2e-3 * size_a)) {
        fixed <- !is_learned(sigma$sigma_x)
        starts[[i]]$values[[if (fixed) "sigma_a" else "sigma_x"]] <-
          if (fixed) size_x / 2e-3 else 2e-3 * size_a
      }
      next
    }
    given <- !all(is.na(values[c("sigma_x", "sigma_a")]))
    if (given) check_start_values(values, size_x, size_a, rms)
  }
  starts
}

# Rejects starting values from which chains cannot escape
check_start_values <- function(values, size_x, size_a, rms) {
  if (isTRUE(size_x < 1e-3 * size_a)) {
    must <- sprintf("have a `sigma_x` of at least a thousandth of `sigma_a` (%g)", size_a)
    stop_argument("init", must, size_x)
  }
  if (isTRUE(max(size_x, size_a) < 0.1 * rms)) {
    least <- "at least a tenth of the data's root mean square"
    must <- sprintf("have a `sigma_x` or a `sigma_a` of %s (%.3g)", least, rms)
    stop_argument("init", must, was = sprintf("%.3g and %.3g", size_x, size_a))
  }
  for (name in c("sigma_x", "sigma_a")) {
    if (isTRUE(values[[name]] < 1e-4 * rms)) {
      must <- sprintf("be at least 1e-4 times the root mean square of the data (%.3g)", rms)
      stop_argument(sprintf("init$%s", name), must, values[[name]])
    }
  }
}

#' @exportS3Method
describe_data.fit_gaussian <- function(fit) {
  paste0(
    "Linear-Gaussian latent feature model of ", describe_matrix(model_data(fit)),
    if (fit$internal$model$loadings == "nonnegative") ", nonnegative loadings",
    if (has_column_noise(fit)) ", with noise per column", describe_scale(fit$internal$model)
  )
}

describe_scale <- function(model) if (is_scaled(model)) ", columns scaled"

#' @exportS3Method
further_priors.fit_gaussian <- function(fit) {
  prior_row("loadings", switch(fit$internal$model$loadings,
    normal = "N(0, sigma_a^2)", nonnegative = "N(0, sigma_a^2) truncated to [0, Inf)"
  ))
}
