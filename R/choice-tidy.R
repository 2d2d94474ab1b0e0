#' A fit to choices as data frames
#'
#' @param x A fit by [fit_choice()].
#' @param matrix (string) `"scalars"`, `"features"`, `"loadings"`: as for [any fit][tidy.buffet_fit].
#'   `"worth"`: one row an item, the probability that it is chosen over another one that is picked
#'   at random; [summary()][summary.fit_choice] has the formula.
#' @param conf.level (number in (0, 1)) Probability of the central posterior intervals.
#' @param ... Must be empty.
#' @return A tibble. Of `"worth"` it has columns `item`, `estimate` (posterior mean), `std.error`
#'   (posterior sd), `conf.low` and `conf.high`, the items in the order of the data.
#' @examples
#' fit <- fit_choice(celebrities, method = method_gibbs(chains = 1, iter = 2000), seed = 1)
#' tidy(fit, "worth")
#' @export
# nolint start: object_name_linter. broom's names.
tidy.fit_choice <- function(x, matrix = c("scalars", "features", "loadings", "worth"),
                            conf.level = 0.9, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "features", "loadings", "worth"), "matrix")
  if (matrix != "worth") return(tidy.buffet_fit(x, matrix, conf.level))
  worth_table(x, check_number(conf.level, "conf.level", 0, 1, "()"))
}
# nolint end

#' @export
augment.fit_choice <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_more(...)
  if (!is.null(newdata)) {
    return(tibble::as_tibble(cbind(own_frame(newdata), .fitted = predict(x, newdata))))
  }
  pairs <- observed_pairs(x)
  items <- item_names(x)
  total <- pair_counts(x, pairs)
  wins <- x$model$data$x[pairs]
  fitted <- colMeans(choice_probabilities(x, pairs))
  tibble::tibble(
    item1 = items[pairs[, 1]], item2 = items[pairs[, 2]], wins = wins, n = total, .fitted = fitted,
    .resid = wins / total - fitted
  )
}
