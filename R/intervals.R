# Intervals of predictions: of the mean of an entry, or of the entry itself.

#' Ends between which entries, or their means, are
#'
#' What `predict(fit, interval = )` and `predictive_interval()` give.
#'
#' @details
#' `predict(interval = "credible")` has central posterior intervals of the means that
#' [posterior_epred()][posterior_predict.buffet_fit] draws, `"predictive"` those of the entries that
#' [posterior_predict()][posterior_predict.buffet_fit] draws. Of an entry that is missing the latter
#' is where it may be. One that was observed has helped to find the features of its row: its interval
#' is that of another entry like it, and more than a share `level` of the entries of the data are
#' within theirs. The same holds for entries of new rows that are not `NA`.
#'
#' Intervals of new rows are from 200 draws by default, those of the rows of the data from 1000; both
#' are the same at every call, for their random numbers come from the fit's seed.
#'
#' There are none where they would say nothing. A binary entry is one of two values, so that
#' `"predictive"` is refused for [fit_logistic()] and, for a single choice, [fit_choice()], and so
#' it is for [fit_topics()], where counts depend on the lengths of documents. A fit by
#' [method_icm()] has one draw: it refuses both.
#'
#' @param object A fit.
#' @param prob (number in (0, 1)) Probability of the central intervals.
#' @param newdata `NULL` for the rows of the data, or new rows, as
#'   [posterior_predict()][posterior_predict.buffet_fit] takes them.
#' @param ndraws (positive integer, `Inf` or `NULL`) How many evenly spaced draws to use. `NULL`:
#'   1000, with `newdata` 200; `Inf`: all. See [ndraws].
#' @param ... Must be empty.
#' @return `predictive_interval()`: a matrix with two columns, named `"5%"` and `"95%"` where `prob`
#'   is 0.9, and a row an entry, those of the first column of the data first, called as `"row,
#'   column"` by their names or numbers. Of [fit_mixed()] columns of numbers and counts alone; of
#'   [fit_choice()] a row a pair: how often its first item is chosen. Its random numbers are R's: `set.seed()` governs.
#' @examples
#' x <- block_images(40)
#' fit <- fit_gaussian(x[1:38, ], method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' half <- x[39:40, ]
#' half[, 19:36] <- NA
#' head(predict(fit, half, interval = "predictive", level = 0.8))
#' head(predictive_interval(fit, prob = 0.8, newdata = half))
#' @importFrom rstantools predictive_interval
#' @export
predictive_interval.buffet_fit <- function(object, prob = 0.9, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  prob <- check_number(prob, "prob", 0, 1, "()")
  refuse_intervals(object$method, "object")
  refuse_predictive(object, "object")
  draws <- replicates_of(object, newdata, interval_ndraws(object, newdata, ndraws))
  predictive_interval(as_entry_columns(draws), prob = prob)
}

#' What posterior_predict() gives without the columns whose entries have no order
#' @noRd
replicates_of <- function(fit, newdata, ndraws) UseMethod("replicates_of")

#' @exportS3Method
#' @noRd
replicates_of.buffet_fit <- function(fit, newdata, ndraws) {
  posterior_predict(fit, newdata = newdata, ndraws = ndraws)
}

#' An array of draws as a matrix of draws x entries, these named
#' @noRd
as_entry_columns <- function(draws) {
  if (is.matrix(draws)) return(draws)
  size <- dim(draws)
  names <- outer(entry_names(draws, 2), entry_names(draws, 3), paste, sep = ", ")
  matrix(draws, size[1], dimnames = list(NULL, names))
}

entry_names <- function(draws, side) {
  as.character(dimnames(draws)[[side]] %||% seq_len(dim(draws)[side]))
}

interval_ndraws <- function(fit, newdata, ndraws) {
  ndraws %||% most_draws(fit, if (is.null(newdata)) tail_ndraws else default_ndraws)
}

#' Stop where a fit has no predictive intervals
#' @param name The argument that asks for them.
#' @noRd
refuse_predictive <- function(fit, name) UseMethod("refuse_predictive")

#' @exportS3Method
#' @noRd
refuse_predictive.buffet_fit <- function(fit, name) invisible()

#' Stop where fits by a method have no intervals at all
#' @noRd
refuse_intervals <- function(method, name) UseMethod("refuse_intervals")

#' @exportS3Method
#' @noRd
refuse_intervals.buffet_method <- function(method, name) invisible()

#' @param type That of predict(), of which `shown` has intervals.
#' @return `interval`.
#' @noRd
check_interval <- function(interval, fit, type = "response", shown = "response") {
  interval <- check_choice(interval, c("none", "credible", "predictive"), "interval")
  if (interval == "none") return(interval)
  refuse_intervals(fit$method, "interval")
  if (type != shown) {
    stop_argument("interval", sprintf("be \"none\" unless `type` is \"%s\"", shown), interval)
  }
  if (interval == "predictive") refuse_predictive(fit, "interval")
  interval
}

#' The data frame of predict() with intervals: a row an entry
#' @param fitted The matrix that predict() gives without.
#' @param draws Draws x rows x columns.
#' @noRd
interval_frame <- function(fitted, draws, level) {
  size <- dim(fitted)
  ends <- interval_ends(matrix(draws, dim(draws)[1]), level)
  names <- list(rownames(fitted) %||% seq_len(size[1]), colnames(fitted) %||% seq_len(size[2]))
  data.frame(
    row = rep(names[[1]], size[2]), column = rep(names[[2]], each = size[1]),
    .fitted = as.vector(fitted), .lower = ends[1, ], .upper = ends[2, ]
  )
}

#' Draws for an interval, from the seed of the fit
#' @noRd
draws_for_interval <- function(fit, newdata, ndraws, interval) {
  ndraws <- interval_ndraws(fit, newdata, ndraws)
  of <- if (interval == "credible") posterior_epred else posterior_predict
  seeded(fit$seed, of(fit, newdata = newdata, ndraws = ndraws))
}
