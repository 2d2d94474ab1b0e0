# print(), summary() and broom methods of factorisations.

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
  data.frame(
    parameter = c("weights", "loadings", "sigma_x"),
    prior = c(
      format_rate(object$internal$model$rate_w), format_rate(object$internal$model$rate_a),
      paste0(describe_hyper(sigma_x), if (learned) " on 1/sigma^2")
    ),
    learned = c(TRUE, TRUE, learned)
  )
}

# nolint start: object_name_linter. broom's names.
#' A factorisation as data frames
#'
#' `tidy()` returns the scalars, the weights or the loadings of a factorisation in a long table.
#'
#' @param x A fit by [fit_nmf()].
#' @param matrix (string) What a row of the table is. `"scalars"` (default): a scalar parameter.
#'   `"weights"`: an entry of [weights_of()]. `"loadings"`: an entry of [loadings_of()].
#' @inheritParams tidy.buffet_fit
#' @return Tibbles.
#' * `tidy()` has the columns `term`, `estimate` and so on for `"scalars"`, as for
#'   [other fits][tidy.buffet_fit]; `row`, `component` and `value` for `"weights"`; and `component`,
#'   `column` and `value` for `"loadings"`.
#' * `glance()` is as for other fits, with the `rank` in the place of the number of features.
#' * `augment()` has the data, the weights of the components in each row (`.c1`, `.c2`, ...), and
#'   `.resid`, the root mean square of the residuals of the row.
#' @examples
#' set.seed(1)
#' fit <- fit_nmf(block_images(40), rank = 4, seed = 1)
#' glance(fit)
#' # the component that the first image has most of
#' weights <- tidy(fit, "weights")
#' first <- weights[weights$row == weights$row[1], ]
#' first[which.max(first$value), ]
#' @export
tidy.fit_nmf <- function(x, matrix = c("scalars", "weights", "loadings"), conf.level = 0.9,
                         conf.int = TRUE, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "weights", "loadings"), "matrix")
  conf.level <- check_number(conf.level, "conf.level", 0, 1, "()")
  check_conf_int(conf.int)
  switch(matrix,
    scalars = with_interval(tidy_scalars(x, conf.level), conf.int),
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
