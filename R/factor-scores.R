# Scores of major factors and probabilities of answers, for the rows of the data and for new rows.

#' Predictions of a factor model
#'
#' Posterior means of the data, probabilities of answers, and scores on the major factors, for the
#' rows of the data or for new rows.
#'
#' @inheritParams predict.buffet_fit
#' @param object A fit by [fit_factor()].
#' @param type (string) `"response"` (default): posterior means of the entries, as in
#'   [predict()][predict.buffet_fit]; for columns with [families][factor_families] in the units of
#'   the data. `"prob"`: the probabilities of the categories of ordinal, yes/no and categorical
#'   columns. `"scores"`: scores on the [major factors][major_factors()] (varimax), comparable to
#'   the scores from `psych::fa()` and `lavaan::lavPredict()`; needs sparse loadings. `"features"`:
#'   as in [predict()][predict.buffet_fit].
#' @param ndraws As in [predict()][predict.buffet_fit]; must be `NULL` for `"scores"`, which use the
#'   draws of [major_factors()].
#' @return For `"response"` and `"features"`, the result of [predict()][predict.buffet_fit]. For
#'   `"prob"`, a list with a matrix for each column with categories, named by column: a row per row
#'   of `newdata` (or of the data) and a column per category. For `"scores"`, the tibble `scores` of
#'   [major_factors()], with a row per row and factor.
#' @seealso [predictive_interval()][predictive_interval.buffet_fit],
#'   [posterior_predict()][posterior_predict.buffet_fit]
#' @examples
#' items <- data.frame(lapply(attitude, cut, 3, labels = c("low", "middle", "high")))
#' items[] <- lapply(items, factor, ordered = TRUE)
#' fit <- fit_factor(items[1:25, ], method = method_gibbs(chains = 2, iter = 200), seed = 1)
#' # scores of the other departments, and how probable each rating is given the other items
#' predict(fit, items[26:30, ], type = "scores")
#' new <- items[26:30, ]
#' new$rating <- NA
#' round(predict(fit, new, type = "prob")$rating, 2)
#' @export
predict.fit_factor <- function(object, newdata = NULL,
                               type = c("response", "prob", "scores", "features"), ndraws = NULL,
                               interval = c("none", "credible", "predictive"), level = 0.9, ...) {
  check_no_more(...)
  type <- check_choice(type, c("response", "prob", "scores", "features"), "type")
  if (!type %in% c("prob", "scores")) {
    return(predict_matrix(object, newdata, type, ndraws, interval, level))
  }
  check_interval(interval, object, type)
  check_number(level, "level", 0, 1, "()")
  if (type == "prob") return(predict_probabilities(object, newdata, ndraws))
  if (!is.null(ndraws)) stop_argument("ndraws", "be NULL for scores", ndraws)
  if (!of_columns(object$internal$model)) {
    must <- "be \"response\", \"prob\" or \"features\" if loadings are not sparse"
    stop_argument("type", must, type)
  }
  predict_scores(object, newdata)
}

predict_scores <- function(fit, newdata) {
  major <- rotate_draws(fit)
  if (is.null(newdata)) return(major_scores(fit, major))
  rows <- new_row_data(fit, newdata)
  drawer <- new_score_drawer(fit, rows, apart = FALSE)
  seeded(fit$seed, major_scores(fit, major, rows, function(draw) {
    new <- drawer(draw)
    new$factors[, common_of(new$one), drop = FALSE]
  }))
}

# Means and intervals of the scores of rows
# of_draw: Function of a draw that returns scores on its common factors, before rotation.
major_scores <- function(fit, major, x = model_data(fit),
                         of_draw = function(draw) standard_factors(fit, draw)$scores) {
  n <- major$n
  rows <- nrow(x)
  drawn <- vapply(seq_along(major$which), function(i) {
    of <- major$turned[[i]]
    of_draw(major$which[i]) %*% of$axes %*% t(invert(of$turn))
  }, matrix(0, rows, n))
  drawn <- matrix(drawn, rows * n)
  tibble::tibble(
    row = rep(rownames(x) %||% seq_len(rows), n),
    factor = rep(paste0("M", seq_len(n), recycle0 = TRUE), each = rows),
    std.error = apply(drawn, 1, stats::sd), major_table(drawn)
  )[c("row", "factor", "estimate", "std.error", "conf.low", "conf.high")]
}

predict_probabilities <- function(fit, newdata, ndraws) {
  items <- Filter(has_levels, core_items(fit$internal$model))
  if (length(items) == 0) {
    stop_argument("type", "be another type if no column of the data has categories", "prob")
  }
  which <- check_mean_ndraws(ndraws, fit, newdata, "none")
  rows <- if (!is.null(newdata)) new_row_data(fit, newdata)
  drawer <- if (!is.null(rows)) new_score_drawer(fit, rows, apart = FALSE)
  all <- seeded(fit$seed, mean_over(which, function(draw) {
    if (!is.null(rows)) {
      new <- drawer(draw)
      return(item_probabilities(new$one$items, new$mean))
    }
    entries <- factor_entries(fit, draw)
    item_probabilities(entries$items, entries$mean)
  }))
  sizes <- lengths(lapply(items, `[[`, "levels"))
  at <- split(seq_len(sum(sizes)), rep(factor(names(items), names(items)), sizes))
  Map(function(of, at) {
    structure(all[, at, drop = FALSE],
      dimnames = list(rownames(rows %||% model_data(fit)), as.character(of$levels))
    )
  }, items, at)
}
