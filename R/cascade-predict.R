#' Predictions of a cascading belief network
#'
#' `predict()` returns posterior means of the entries of the data or of new rows, and predicts
#' missing entries. `simulate()` draws rows from the network.
#'
#' @param object A fit by [fit_cascade()].
#' @param newdata (numeric matrix or data frame, or `NULL`) New rows with the columns of the data,
#'   matched by name if both have names, otherwise by position. `NULL` (default): the rows of the
#'   data. Missing entries (`NA`) are predicted from the observed entries of their row. Entries
#'   outside the `range` of the fit are set to its nearest end, with a message.
#' @param sweeps (positive integer) For new rows: number of sweeps over their hidden activations,
#'   given the network of each draw. The same number of sweeps is discarded first; then every third
#'   sweep contributes to the means. The default is 30. Intervals do not depend on it: they use one
#'   state after 30 sweeps.
#' @inheritParams predict.buffet_fit
#' @return A numeric matrix with a row per row of `newdata` (or of the data) and a column per column
#'   of the data: posterior means on the scale of the data. With `interval`, a data frame as in
#'   [predict.buffet_fit()]. `simulate()`: a list of `nsim` matrices, rows x D, on the scale of the
#'   data, without row names. Its attribute `"seed"` is the state of the generator before the call,
#'   or `seed` if it was given.
#' @details Means are taken over all saved draws. The mean of an entry given its parents is an
#'   integral over the noise of its unit, computed by Gauss-Hermite quadrature with five points. The
#'   activations of new rows are sampled; they start at their means given the layers above, and
#'   their random numbers are determined by the [seed][seeds] of the fit. The mean over ten draws
#'   predicts clearly better than a single draw.
#' @seealso [posterior_predict()][posterior_predict.buffet_fit] replicates the rows of the data.
#' @examples
#' set.seed(1)
#' x <- sim_images(60)
#' method <- method_gibbs(chains = 1, iter = 400, thin = 10)
#' fit <- fit_cascade(x[1:50, ], method = method, init = init_cascade(c(8, 2)), seed = 1)
#' # hide half of the entries of ten new images, and predict them from the others
#' new <- x[51:60, ]
#' new[matrix(runif(length(new)) < 0.5, nrow(new))] <- NA
#' # the error is between the error of the column means and the noise, 0.5
#' sqrt(mean((predict(fit, new) - x[51:60, ])[is.na(new)]^2))
#' # simulated images have roughly the means of the data
#' cor(colMeans(simulate(fit, seed = 1, rows = 500)[[1]]), colMeans(x))
#' @export
predict.fit_cascade <- function(object, newdata = NULL, ndraws = NULL, sweeps = 30,
                                interval = c("none", "credible", "predictive"), level = 0.9, ...) {
  check_no_more(...)
  sweeps <- check_count(sweeps, "sweeps")
  predict_matrix(object, newdata, "response", ndraws, interval, level, sweeps)
}

#' @exportS3Method
new_response.fit_cascade <- function(fit, rows, which, sweeps = 30) {
  x <- unname(preactivations(rows, fit$internal$model$range))
  plan <- c(row_plan(fit, sweeps), list(warmup = sweeps, sampler = fit$method$sampler))
  u <- mean_over_blocks(which, 8, function(some, first) {
    cascade_fold_cpp(lapply(some, select_bytes, fit = fit), x, c(plan, list(draws = some)))
  })
  from_activations(u, fit$internal$model$range)
}

# A state of the hidden activations is represented by the means of the visible units
#' @exportS3Method
new_row_drawer.fit_cascade <- function(fit, rows, apart) {
  x <- unname(preactivations(rows, fit$internal$model$range))
  of_draw <- list(warmup = 30, sampler = fit$method$sampler, draws = 0L)
  plan <- function() row_plan(fit, sweeps = 1, seed = draw_seed(), apart = apart)
  function(draw) {
    u <- cascade_fold_cpp(list(select_bytes(fit, draw)), x, c(plan(), of_draw))
    noise <- row_normals_cpp(x, ncol(x), plan())
    precision <- draw_visible(fit, draw)$precision
    y <- means_that_respond(u, rep(1 / sqrt(precision), each = nrow(x)))
    mean <- from_activations(u, fit$internal$model$range)
    list(mean = mean, data = data_from(y, precision, fit, noise))
  }
}

# Solves E[tanh(x / 2)] = u for the mean of a normal x with standard deviation `sd`, by bisection,
# using the Gauss-Hermite points of the core
means_that_respond <- function(u, sd) {
  at <- c(-2.8569700138728056, -1.3556261799742659, 0, 1.3556261799742659, 2.8569700138728056)
  weights <- c(0.01125741132772069, 0.2220759220056126, 8 / 15)[c(1:3, 2:1)]
  response <- function(y) {
    Reduce(`+`, Map(function(weight, at) weight * tanh((y + sd * at) / 2), weights, at))
  }
  low <- replace(u, TRUE, -100)
  high <- -low
  for (n in 1:60) {
    middle <- (low + high) / 2
    below <- response(middle) < u
    low[below] <- middle[below]
    high[!below] <- middle[!below]
  }
  (low + high) / 2
}

within_range <- function(x, range) {
  outside <- sum(x < range[1] | x > range[2], na.rm = TRUE)
  if (outside == 0) return(x)
  entries <- cli::pluralize("{outside} entr{?y/ies} of `newdata` {?is/are} outside the range of ")
  message(entries, sprintf("the fit (%g to %g): set to its nearest end", range[1], range[2]))
  pmin(pmax(x, range[1]), range[2])
}

draw_visible <- function(fit, draw, respond = FALSE) {
  cascade_visible_cpp(select_bytes(fit, draw), nrow(model_data(fit)), respond)
}

#' @exportS3Method
mean_response.fit_cascade <- function(fit, which) {
  u <- mean_over(which, function(draw) draw_visible(fit, draw, respond = TRUE)$response)
  from_activations(u, fit$internal$model$range)
}

#' @exportS3Method
draw_mean.fit_cascade <- function(fit, draw) mean_response(fit, draw)

#' @exportS3Method
density_at.fit_cascade <- function(fit, which, places, values) {
  inside <- abs(activations(values, fit$internal$model$range)) < 1
  places <- places[inside, , drop = FALSE] + 1L
  x <- preactivations(values[inside], fit$internal$model$range)
  log_mean <- log_mean_over(which, function(draw) {
    visible <- draw_visible(fit, draw)
    sd <- 1 / sqrt(visible$precision[places[, 2]])
    stats::dnorm(x, visible$mean[places], sd, log = TRUE)
  })
  out <- rep(-Inf, length(values))
  out[inside] <- log_mean + log_slope(values[inside], fit$internal$model$range)
  out
}

#' @exportS3Method
log_densities.fit_cascade <- function(fit, x, draw) {
  visible <- draw_visible(fit, draw)
  sd <- rep(1 / sqrt(visible$precision), each = nrow(x))
  stats::dnorm(preactivations(x, fit$internal$model$range), visible$mean, sd, log = TRUE) +
    log_slope(x, fit$internal$model$range)
}

#' @exportS3Method
draw_data.fit_cascade <- function(fit, draw) {
  visible <- draw_visible(fit, draw)
  data_from(visible$mean, visible$precision, fit)
}

data_from <- function(mean, precision, fit, noise = stats::rnorm(length(mean))) {
  sd <- rep(1 / sqrt(precision), each = nrow(mean))
  out <- from_activations(tanh((mean + sd * noise) / 2), fit$internal$model$range)
  dimnames(out) <- list(NULL, colnames(model_data(fit)))
  if (nrow(out) == nrow(model_data(fit))) rownames(out) <- rownames(model_data(fit))
  out
}

#' @rdname predict.fit_cascade
#' @param nsim (positive integer) Number of data sets to simulate. Each is simulated from the
#'   network of a random draw, from the top layer down to the visible units, and depends on the rows
#'   of the data only through this network.
#' @param rows (positive integer or `NULL`) Number of rows of each data set. `NULL`, the default: as
#'   many as the data have.
#' @param noise (flag) Add the noise of the visible units? `TRUE` by default. Images without it are
#'   smoother.
#' @param seed (whole number or `NULL`) Seed of this call, as in [stats::simulate()].
#' @export
simulate.fit_cascade <- function(object, nsim = 1, seed = NULL, rows = NULL, noise = TRUE, ...) {
  check_no_more(...)
  rows <- if (is.null(rows)) nrow(model_data(object)) else check_count(rows, "rows")
  check_flag(noise, "noise")
  simulate_from(object, nsim, seed, function(draw) {
    layers <- draw_network_of(object, draw)
    u <- matrix(0, rows, 0)
    means_of <- function(layer) {
      rep(layer$bias, each = rows) + as.matrix(u %*% layer_weights(layer, ncol(u)))
    }
    for (layer in rev(layers[-1])) {
      x <- means_of(layer)
      x <- x + stats::rnorm(length(x), sd = rep(1 / sqrt(layer$precision), each = rows))
      u <- tanh(x / 2)
    }
    y <- means_of(layers[[1]])
    out <- data_from(y, if (noise) layers[[1]]$precision else rep(Inf, ncol(y)), object)
    rownames(out) <- NULL
    out
  })
}
