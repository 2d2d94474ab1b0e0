# How a factorisation shows itself: print(), summary(), and the data frames of broom.

#' @exportS3Method
#' @noRd
describe_data.fit_nmf <- function(fit) {
  sprintf("Nonnegative matrix factorisation of rank %d: %s", fit$rank, describe_matrix(fit$data$x))
}

#' @export
format.fit_nmf <- function(x, ...) {
  point <- inherits(x, "fit_point")
  c(
    describe_data(x),
    sprintf("Prior: weights ~ %s, loadings ~ %s", format_rate(x$rate_w), format_rate(x$rate_a)),
    paste0("Method: ", format(x$method), if (point && !x$finished) " (interrupted)"),
    if (point) {
      sprintf(
        "Log joint density: %.2f after %d iterations%s", scalar(x, "log_joint"), length(x$trace),
        if (x$converged) "" else " (still rising)"
      )
    },
    sprintf("Noise: sigma_x = %s", format(mean(scalar(x, "sigma_x")), digits = 4))
  )
}

format_rate <- function(rate) sprintf("Exponential(%s)", short(rate))

#' @export
print.fit_nmf <- function(x, ...) {
  cat(format(x), sep = "\n")
  sizes <- sort(component_sizes(x), decreasing = TRUE)
  if (sum(sizes) > 0) {
    shown <- sprintf("%.1f %%", 100 * utils::head(sizes, 10) / sum(sizes))
    if (length(sizes) > 10) shown <- c(shown, "...")
    cat_wrapped("Share of each component in the fitted data: ", shown)
  }
  invisible(x)
}

#' Rows share all components: there is nothing to compare between chains
#' @export
#' @noRd
summary.fit_nmf <- function(object, ...) {
  out <- NextMethod()
  if (inherits(object, "fit_mcmc")) out$between_chains <- NA_real_
  out
}

#' @export
prior_summary.fit_nmf <- function(object, ...) {
  sigma_x <- object$sigma$sigma_x
  learned <- is_learned(sigma_x)
  data.frame(
    parameter = c("weights", "loadings", "sigma_x"),
    prior = c(
      format_rate(object$rate_w), format_rate(object$rate_a),
      paste0(describe_hyper(sigma_x), if (learned) " on 1/sigma^2")
    ),
    learned = c(TRUE, TRUE, learned)
  )
}

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_nmf <- function(fit) fit$sigma

# nolint start: object_name_linter. broom's names.
#' A factorisation as data frames
#'
#' @param x A fit by [fit_nmf()].
#' @param data Ignored; the fit knows its data.
#' @param matrix (string) `"scalars"`: one row a scalar. `"weights"`: one row an entry of
#'   [weights_of()]. `"loadings"`: one row an entry of [loadings_of()].
#' @inheritParams tidy.buffet_fit
#' @return Tibbles as those of [tidy()][tidy.buffet_fit] of other fits, components in the place of
#'   features, whose weights `augment()` adds as `.c1`, `.c2`, ...
#' @examples
#' fit <- fit_nmf(block_images(40), rank = 4, seed = 1)
#' glance(fit)
#' tidy(fit, "weights")
#' @export
tidy.fit_nmf <- function(x, matrix = c("scalars", "weights", "loadings"), conf.level = 0.9, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "weights", "loadings"), "matrix")
  conf.level <- check_number(conf.level, "conf.level", 0, 1, "()")
  switch(matrix,
    scalars = tidy_scalars(x, conf.level),
    weights = tidy_weights(weights_of(x)),
    loadings = stats::setNames(tidy_loadings(loadings_of(x)), c("component", "column", "value"))
  )
}
# nolint end

tidy_weights <- function(w) {
  tibble::tibble(
    row = rep(rownames(w) %||% seq_len(nrow(w)), ncol(w)),
    component = rep(colnames(w), each = nrow(w)), value = as.vector(w)
  )
}

#' @exportS3Method
#' @noRd
tidy_scalars.fit_nmf <- function(fit, conf_level) {
  if (inherits(fit, "fit_mcmc")) return(NextMethod())
  tibble::tibble(
    term = "sigma_x", estimate = scalar(fit, "sigma_x"), conf.low = NA_real_, conf.high = NA_real_
  )
}

#' @rdname tidy.fit_nmf
#' @export
glance.fit_nmf <- function(x, ...) {
  check_no_more(...)
  means <- lapply(
    rlang::set_names(scalar_names(x)), function(name) mean(scalar(x, name))
  )
  shared <- tibble::tibble(
    nobs = nobs(x), n_columns = ncol(x$data$x), rank = x$rank, !!!means
  )
  if (inherits(x, "fit_point")) {
    return(tibble::add_column(
      shared, iterations = length(x$trace), converged = x$converged, finished = x$finished
    ))
  }
  draws <- as_draws(x)
  diagnostics <- posterior::summarise_draws(draws, "rhat", "ess_bulk")
  tibble::add_column(
    shared, chains = posterior::nchains(draws), draws = posterior::ndraws(draws),
    rhat_max = worst(diagnostics$rhat, max), ess_bulk_min = worst(diagnostics$ess_bulk, min)
  )
}

#' @rdname tidy.fit_nmf
#' @export
augment.fit_nmf <- function(x, data = NULL, ...) {
  check_no_more(...)
  weights <- weights_of(x)
  colnames(weights) <- paste0(".", colnames(weights))
  frame <- as.data.frame(as.matrix(x$data$x))
  if (!is.null(rownames(x$data$x))) frame <- cbind(.rownames = rownames(x$data$x), frame)
  tibble::as_tibble(cbind(frame, weights, .resid = sqrt(rowMeans(residuals(x)^2, na.rm = TRUE))))
}
