# How a factorisation shows itself: print(), summary(), and the data frames of broom.

#' @exportS3Method
#' @noRd
describe_data.fit_nmf <- function(fit) {
  model <- fit$model
  sprintf(
    "Nonnegative matrix factorisation of rank %d: %s", model$rank, describe_matrix(model$data$x)
  )
}

#' @exportS3Method
#' @noRd
describe_prior.fit_nmf <- function(fit) {
  model <- fit$model
  sprintf(
    "Prior: weights ~ %s, loadings ~ %s", format_rate(model$rate_w), format_rate(model$rate_a)
  )
}

#' @exportS3Method
#' @noRd
describe_result.fit_nmf <- function(fit, found) {
  sigma_x <- mean(scalar(fit, "sigma_x"))
  c(describe_course(fit), sprintf("Noise: sigma_x = %s", format(sigma_x, digits = 4)))
}

#' @exportS3Method
#' @noRd
hidden_scalars.fit_nmf <- function(fit) NULL

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

#' @exportS3Method
#' @noRd
between_chains.fit_nmf <- function(fit) NA_real_

#' @export
prior_summary.fit_nmf <- function(object, ...) {
  sigma_x <- object$model$sigma$sigma_x
  learned <- is_learned(sigma_x)
  data.frame(
    parameter = c("weights", "loadings", "sigma_x"),
    prior = c(
      format_rate(object$model$rate_w), format_rate(object$model$rate_a),
      paste0(describe_hyper(sigma_x), if (learned) " on 1/sigma^2")
    ),
    learned = c(TRUE, TRUE, learned)
  )
}

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_nmf <- function(fit) fit$model$sigma

# nolint start: object_name_linter. broom's names.
#' A factorisation as data frames
#'
#' @param x A fit by [fit_nmf()].
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
glance_size.fit_nmf <- function(fit) list(rank = fit$model$rank)

#' @exportS3Method
#' @noRd
row_columns.fit_nmf <- function(fit) weights_of(fit)
