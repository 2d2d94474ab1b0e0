# What a cascade answers through the generics of predict.R, heldout.R and posterior-predict.R.

#' Predictions of a cascading belief network
#'
#' @param object A fit by [fit_cascade()].
#' @param newdata `NULL` for the rows of the data, whose entries that were missing are completed, or
#'   new rows with the same columns, matched by name where both have names, otherwise by position. `NA`
#'   entries are completed from the observed ones of their row. Entries outside of the fit's `range`
#'   are taken to be at its ends, with a message.
#' @param ndraws (positive integer, `Inf` or `NULL`) Average over this many evenly spaced draws. `NULL`:
#'   200, `Inf`: all. See [ndraws]. One draw predicts clearly worse than the mean of ten.
#' @param sweeps (positive integer) For new rows: sweeps over their hidden activations that count,
#'   after as many that do not, given the network of each draw; of these every third is used.
#' @inheritParams predict.buffet_fit
#' @return A matrix with a row per row and a column per column of the data: posterior means on the
#'   data's scale. With `interval` a data frame, as [predict.buffet_fit()] has it.
#' @details The mean of an entry given its parents is taken over its noise (Gauss and Hermite's five
#'   points). Activations of new rows are sampled from where the layers above have them on average.
#'   The result is the same at every call with the same rows: its random numbers come from the fit's
#'   seed.
#' @examples
#' x <- block_images(60)
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_cascade(x[1:50, ], method = method, init = init_cascade(c(8, 2)), seed = 1)
#' half <- x[51:60, ]
#' half[, 19:36] <- NA
#' sqrt(mean((predict(fit, half) - x[51:60, ])[, 19:36]^2))
#' @export
predict.fit_cascade <- function(object, newdata = NULL, ndraws = NULL, sweeps = 30,
                                interval = c("none", "credible", "predictive"), level = 0.9, ...) {
  check_no_more(...)
  sweeps <- check_count(sweeps, "sweeps")
  interval <- check_interval(interval, object)
  level <- check_number(level, "level", 0, 1, "()")
  if (interval != "none") {
    draws <- draws_for_interval(object, newdata, ndraws, interval)
    return(interval_frame(predict(object, newdata, ndraws, sweeps), draws, level))
  }
  if (is.null(newdata)) return(fitted(object, ndraws = ndraws))
  which <- check_ndraws(ndraws, object)
  rows <- new_row_data(object, newdata)
  x <- unname(preactivations(rows, object$model$range))
  plan <- list(warmup = sweeps, sweeps = sweeps, sampler = object$method$sampler)
  u <- mean_over(which, function(draw) {
    cascade_fold_cpp(select_bytes(object, draw), x, plan, c(object$seed, draw))
  })
  structure(
    from_activations(u, object$model$range),
    dimnames = list(rownames(rows), colnames(object$model$data$x))
  )
}

#' @exportS3Method
#' @noRd
new_row_data.fit_cascade <- function(fit, newdata) {
  within_range(check_newdata(newdata, fit), fit$model$range)
}

#' Of a state of the hidden activations, which is told by the means of the visible ones that it
#' leads to
#' @exportS3Method
#' @noRd
new_row_drawer.fit_cascade <- function(fit, rows) {
  x <- unname(preactivations(rows, fit$model$range))
  plan <- list(warmup = 30, sweeps = 1, sampler = fit$method$sampler)
  function(draw) {
    u <- cascade_fold_cpp(select_bytes(fit, draw), x, plan, c(draw_seed(), draw))
    precision <- draw_visible(fit, draw)$precision
    y <- means_that_respond(u, rep(1 / sqrt(precision), each = nrow(x)))
    list(mean = from_activations(u, fit$model$range), data = data_from(y, precision, fit))
  }
}

#' The means of pre-activations with these sds whose activations have means u, by bisection; Gauss
#' and Hermite's points are those of the core
#' @noRd
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
  text <- "%d entr%s of `newdata` outside of the range of the fit (%g to %g): taken at its ends"
  message(sprintf(text, outside, if (outside == 1) "y" else "ies", range[1], range[2]))
  pmin(pmax(x, range[1]), range[2])
}

#' @exportS3Method
#' @noRd
check_like.fit_cascade <- function(fit, x, name, sparse = FALSE) check_data_matrix(x, name, sparse)

#' What a draw says of the visible units: mean and precision of their pre-activations
#' @noRd
draw_visible <- function(fit, draw, respond = FALSE) {
  cascade_visible_cpp(select_bytes(fit, draw), nrow(fit$model$data$x), respond)
}

#' @exportS3Method
#' @noRd
mean_response.fit_cascade <- function(fit, which) {
  u <- mean_over(which, function(draw) draw_visible(fit, draw, respond = TRUE)$response)
  from_activations(u, fit$model$range)
}

#' @exportS3Method
#' @noRd
draw_mean.fit_cascade <- function(fit, draw) mean_response(fit, draw)

#' @exportS3Method
#' @noRd
density_at.fit_cascade <- function(fit, which, places, values) {
  inside <- abs(activations(values, fit$model$range)) < 1
  places <- places[inside, , drop = FALSE] + 1L
  x <- preactivations(values[inside], fit$model$range)
  logs <- vapply(which, function(draw) {
    visible <- draw_visible(fit, draw)
    stats::dnorm(x, visible$mean[places], 1 / sqrt(visible$precision[places[, 2]]), log = TRUE)
  }, x)
  logs <- matrix(logs, length(x))
  most <- apply(logs, 1, max)
  out <- rep(-Inf, length(values))
  out[inside] <- most + log(rowMeans(exp(logs - most))) + log_slope(values[inside], fit$model$range)
  out
}

#' @exportS3Method
#' @noRd
log_densities.fit_cascade <- function(fit, x, draw) {
  visible <- draw_visible(fit, draw)
  sd <- rep(1 / sqrt(visible$precision), each = nrow(x))
  stats::dnorm(preactivations(x, fit$model$range), visible$mean, sd, log = TRUE) +
    log_slope(x, fit$model$range)
}

#' The same rows with noise drawn anew
#' @exportS3Method
#' @noRd
draw_data.fit_cascade <- function(fit, draw) {
  visible <- draw_visible(fit, draw)
  data_from(visible$mean, visible$precision, fit)
}

#' Data of pre-activations with these means
#' @noRd
data_from <- function(mean, precision, fit) {
  noise <- stats::rnorm(length(mean), sd = rep(1 / sqrt(precision), each = nrow(mean)))
  out <- from_activations(tanh((mean + noise) / 2), fit$model$range)
  dimnames(out) <- list(NULL, colnames(fit$model$data$x))
  if (nrow(out) == nrow(fit$model$data$x)) rownames(out) <- rownames(fit$model$data$x)
  out
}

#' Draw rows from the network of a fit
#'
#' Fantasies: rows that are drawn from the top of the network down, as those of the prior are.
#'
#' @param object A fit by [fit_cascade()].
#' @param nsim (positive integer) Number of simulated data sets, each from a draw of the network.
#' @param seed (whole number or `NULL`) As in [stats::simulate()].
#' @param rows (positive integer) Rows of each; `NULL`: as many as the data have.
#' @param noise (flag) `FALSE`: the visible units without their noise, which makes images smooth.
#' @param ... Must be empty.
#' @return A list of `nsim` matrices, rows x D, on the data's scale.
#' @examples
#' x <- block_images(30)
#' method <- method_gibbs(chains = 1, iter = 100, thin = 10)
#' fit <- fit_cascade(x, method = method, init = init_cascade(c(6, 2)), seed = 1)
#' dim(simulate(fit, seed = 1, rows = 4)[[1]])
#' @export
simulate.fit_cascade <- function(object, nsim = 1, seed = NULL, rows = NULL, noise = TRUE, ...) {
  check_no_more(...)
  nsim <- check_count(nsim, "nsim")
  seed <- check_seed(seed)
  rows <- if (is.null(rows)) nrow(object$model$data$x) else check_count(rows, "rows")
  check_flag(noise, "noise")
  seeded(seed, {
    which <- sample.int(length(object$draws), nsim, replace = TRUE)
    lapply(which, function(draw) draw_fantasies(object, draw, rows, noise))
  })
}

draw_fantasies <- function(fit, draw, rows, noise) {
  layers <- draw_network_of(fit, draw)
  u <- matrix(0, rows, 0)
  for (layer in rev(layers[-1])) {
    x <- layer_means(layer, u)
    x <- x + stats::rnorm(length(x), sd = rep(1 / sqrt(layer$precision), each = rows))
    u <- tanh(x / 2)
  }
  y <- layer_means(layers[[1]], u)
  precision <- if (noise) layers[[1]]$precision else rep(Inf, ncol(y))
  out <- data_from(y, precision, fit)
  rownames(out) <- NULL
  out
}

#' Means of a layer's pre-activations given the activations of its parents
#' @noRd
layer_means <- function(layer, above) {
  rep(layer$bias, each = nrow(above)) + as.matrix(above %*% layer_weights(layer, ncol(above)))
}
