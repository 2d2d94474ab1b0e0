#' @rdname loadings_of
#' @export
weights_of <- function(fit) {
  if (missing(fit) || !inherits(fit, c("fit_nmf", "fit_factor"))) {
    stop_argument("fit", "be a fit by fit_nmf() or fit_factor()", fit)
  }
  check_format(fit)
  if (inherits(fit, "fit_factor")) return(factor_weights(fit))
  w <- nmf_factors(fit, fit$internal$point)$weights[, component_order(fit), drop = FALSE]
  dimnames(w) <- list(rownames(model_data(fit)), component_names(fit))
  w
}

#' @exportS3Method
mean_loadings.fit_nmf <- function(fit) {
  a <- nmf_factors(fit, fit$internal$point)$loadings[component_order(fit), , drop = FALSE]
  dimnames(a) <- list(component_names(fit), colnames(model_data(fit)))
  a
}

component_names <- function(fit) paste0("c", seq_len(fit$internal$model$rank))

# Weights and loadings of one draw, with components in stored order
nmf_factors <- function(fit, draw) {
  both <- matrix(select_loadings(fit, draw), fit$internal$model$loading_width)
  columns <- seq_len(ncol(model_data(fit)))
  list(weights = both[-columns, , drop = FALSE], loadings = t(both[columns, , drop = FALSE]))
}

# Sum of the fitted values of each component, with components in stored order
component_sizes <- function(fit) {
  factors <- nmf_factors(fit, fit$internal$point)
  colSums(factors$weights) * rowSums(factors$loadings)
}

component_order <- function(fit) order(-component_sizes(fit))

#' @rdname predict.buffet_fit
#' @export
predict.fit_nmf <- function(object, newdata = NULL, type = c("response", "weights"), ndraws = NULL,
                            interval = c("none", "credible", "predictive"), level = 0.9, ...) {
  check_no_more(...)
  type <- check_choice(type, c("response", "weights"), "type")
  predict_matrix(object, newdata, type, ndraws, interval, level)
}

#' @exportS3Method
new_response.fit_nmf <- function(fit, rows, which) {
  mean_over_blocks(which, new_rows_in_block(fit, rows), function(some, first) {
    t(new_weights(fit, rows, some, 5L, row_plan(fit, first = first))$response)
  })
}

#' @exportS3Method
new_row_drawer.fit_nmf <- function(fit, rows, apart) {
  function(draw) {
    plan <- function() row_plan(fit, seed = draw_seed(), apart = apart)
    weights <- t(new_weights(fit, rows, draw, 1L, plan())$weights)
    mean <- weights %*% nmf_factors(fit, draw)$loadings
    noise <- row_normals_cpp(rows, ncol(rows), plan())
    list(mean = mean, data = mean + scalar(fit, "sigma_x")[draw] * noise)
  }
}

# averaged: Number of draws of weights that are averaged, one for every four visits.
new_weights <- function(fit, rows, which, averaged, plan = row_plan(fit)) {
  known <- c(nmf_draws(fit, which), list(
    rate_w = fit$internal$model$rate_w, averaged = if (samples(fit$method)) averaged else 0L
  ))
  found <- nmf_new_rows_cpp(rows, known, plan)
  none <- unobserved(rows)$rows
  if (known$averaged > 0 || length(none) == 0) return(found)
  # As in the mode of a fit, the weights of rows without observed entries have their prior mean.
  found$weights[, none] <- 1 / fit$internal$model$rate_w
  loadings <- nmf_factors(fit, fit$internal$point)$loadings
  found$response[, none] <- colSums(loadings) / fit$internal$model$rate_w
  found
}

nmf_draws <- function(fit, which) {
  # A mode is a single draw, even if it is selected several times.
  which <- unique(which)
  list(
    loadings = matrix(select_loadings(fit, which), fit$internal$model$loading_width),
    sigma_x = scalar(fit, "sigma_x")[which], columns = ncol(model_data(fit))
  )
}

#' @exportS3Method
mean_response.fit_nmf <- function(fit, which) {
  mean_over_blocks(which, draws_in_block(fit), function(some, first) {
    nmf_fitted_cpp(nmf_draws(fit, some)$loadings, ncol(model_data(fit)), length(some))
  })
}

#' @exportS3Method
density_at.fit_nmf <- function(fit, which, places, values) {
  nmf_heldout_cpp(nmf_draws(fit, which), places, values)
}

#' @export
log_lik.fit_nmf <- function(object, by = c("entry", "row"), ndraws = NULL, ...) {
  if (is.null(ndraws)) ndraws <- min(tail_ndraws, length(object$feature_draws))
  log_lik.buffet_fit(object, by, ndraws, ...)
}

#' @exportS3Method
describe_data.fit_nmf <- function(fit) {
  model <- fit$internal$model
  sprintf(
    "Nonnegative matrix factorisation of rank %d: %s", model$rank, describe_matrix(model$data$x)
  )
}

#' @exportS3Method
describe_result.fit_nmf <- function(fit, found) {
  sigma_x <- mean(scalar(fit, "sigma_x"))
  c(describe_course(fit), sprintf("Noise: sigma_x = %s", format(sigma_x, digits = 4)))
}

format_rate <- function(rate) sprintf("Exponential(%s)", short(rate))

#' @export
print.fit_nmf <- function(x, ...) {
  cat(format(x), sep = "\n")
  sizes <- sort(component_sizes(x), decreasing = TRUE)
  if (sum(sizes) > 0) {
    shares <- sprintf("%.1f %%", 100 * sizes / sum(sizes))
    shown <- first_of(shares, paste0("c", seq_along(shares)))
    cat_wrapped("Share of each component in the fitted data: ", shown)
  }
  invisible(x)
}

#' @export
prior_summary.fit_nmf <- function(object, ...) {
  sigma_x <- object$internal$model$sigma$sigma_x
  learned <- is_learned(sigma_x)
  rates <- vapply(object$internal$model[c("rate_w", "rate_a")], format_rate, "", USE.NAMES = FALSE)
  noise <- paste0(describe_hyper(sigma_x), if (learned) " on 1/sigma^2")
  prior_row(c("weights", "loadings", "sigma_x"), c(rates, noise), c(TRUE, TRUE, learned))
}

#' @rdname tidy.buffet_fit
#' @export
tidy.fit_nmf <- function(x, matrix = c("scalars", "weights", "loadings"), conf.level = 0.9,
                         conf.int = TRUE, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "weights", "loadings"), "matrix")
  conf.level <- check_conf(conf.level, conf.int)
  switch(matrix,
    scalars = with_interval(tidy_scalars(x, conf.level), conf.int),
    weights = tidy_matrix(weights_of(x), c("row", "component", "value")),
    loadings = tidy_matrix(loadings_of(x), c("component", "column", "value"))
  )
}

#' @rdname plot.buffet_fit
#' @export
plot.fit_nmf <- function(x, type = c("loadings", "fit", "trace"), dim = NULL, rows = NULL,
                         which = NULL, geom = c("tile", "line"), ...) {
  check_no_more(...)
  type <- check_type(type, c("loadings", "fit", "trace"))
  dim <- check_dim(dim, ncol(model_data(x)))
  geom <- check_geom(geom, type, dim)
  rows <- check_rows(rows, nobs(x))
  which <- check_which(which, type, "loadings", rownames(loadings_of(x)))
  switch(type,
    loadings = plot_loadings(loadings_of(x), dim, which, "component", geom = geom),
    fit = plot_fit(x, dim, rows),
    trace = plot_course(x)
  )
}
