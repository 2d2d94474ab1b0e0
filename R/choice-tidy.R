#' A fit to choices as data frames
#'
#' `tidy()` returns the parameters of a fit, or the worth of each item, in a long table.
#'
#' @param x A fit by [fit_choice()].
#' @param matrix (string) What a row of the table is. `"scalars"` (default), `"features"` and
#'   `"loadings"` are as for [any fit][tidy.buffet_fit]; the loadings are the weights of features as
#'   shares of their sum. `"worth"`: an item, with the probability that it is chosen over another
#'   item that is picked at random; [summary()][summary.fit_choice] has the formula.
#' @param conf.level (number in (0, 1)) Probability of the central posterior intervals (default
#'   0.9).
#' @param conf.int (flag) Should tables of estimates have the ends of intervals, `conf.low` and
#'   `conf.high`? `TRUE` by default.
#' @param ... Must be empty.
#' @return A tibble. For `"worth"` it has a row per item, in the order of the data, and the columns
#'   `item`, `estimate` (posterior mean), `std.error` (posterior standard deviation), `conf.low` and
#'   `conf.high`.
#' @seealso [tidy()][tidy.buffet_fit] for the other tables, `glance()` and `augment()`.
#' @examples
#' fit <- fit_choice(celebrities, method = method_gibbs(chains = 1, iter = 2000), seed = 1)
#' # the mean of the estimates is 1/2: those above it are chosen more often than not
#' worth <- tidy(fit, "worth")
#' worth[order(-worth$estimate), ]
#' @export
# nolint start: object_name_linter. broom's names.
tidy.fit_choice <- function(x, matrix = c("scalars", "features", "loadings", "worth"),
                            conf.level = 0.9, conf.int = TRUE, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "features", "loadings", "worth"), "matrix")
  if (matrix != "worth") return(tidy.buffet_fit(x, matrix, conf.level, conf.int))
  conf.level <- check_number(conf.level, "conf.level", 0, 1, "()")
  check_conf_int(conf.int)
  with_interval(worth_table(x, conf.level), conf.int)
}
# nolint end

#' @export
augment.fit_choice <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_more(...)
  if (!is.null(newdata)) {
    fitted <- predict(x, newdata)
    frame <- cbind(own_frame(newdata), .fitted = fitted)
    return(tibble::as_tibble(frame, .name_repair = "unique"))
  }
  pairs <- observed_pairs(x)
  items <- item_names(x)
  total <- pair_counts(x, pairs)
  wins <- model_data(x)[pairs]
  fitted <- mean_probabilities(x, pairs)
  tibble::tibble(
    item1 = items[pairs[, 1]], item2 = items[pairs[, 2]], wins = wins, n = total, .fitted = fitted,
    .resid = wins / total - fitted
  )
}
