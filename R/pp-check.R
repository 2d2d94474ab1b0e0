#' Posterior predictive checks
#'
#' Data beside replicates of them, by the pictures of package bayesplot.
#'
#' @param object A fit.
#' @param type (string) Which of them, as `bayesplot::available_ppc()` lists them, without `ppc_`.
#' @param ndraws (positive integer) How many replicates.
#' @param column (string or number) Entries of which column of the data are shown; `NULL`: all
#'   columns together, which [fit_mixed()] does not have. Of [fit_choice()] pairs are shown, and it
#'   must be `NULL`.
#' @param ... For the function of bayesplot, such as `stat`.
#' @return A `ggplot` of the observed entries and of the same entries of
#'   [posterior_predict()][posterior_predict.buffet_fit]; of choices, how often the first item of
#'   each judged pair is chosen.
#' @examplesIf requireNamespace("bayesplot", quietly = TRUE)
#' fit <- fit_gaussian(block_images(20), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' bayesplot::pp_check(fit, ndraws = 20)
#' bayesplot::pp_check(fit, "stat", stat = "sd")
#' @exportS3Method bayesplot::pp_check
pp_check.buffet_fit <- function(object, type = "dens_overlay", ndraws = most_draws(object, 50),
                                column = NULL, ...) {
  type <- check_choice(type, sub("^ppc_", "", bayesplot::available_ppc()), "type")
  ndraws <- check_count(ndraws, "ndraws")
  shown <- observed_entries(object, column)
  replicates <- posterior_predict(object, ndraws = ndraws)
  replicates <- matrix(replicates, dim(replicates)[1])[, shown$at, drop = FALSE]
  getExportedValue("bayesplot", paste0("ppc_", type))(shown$y, replicates, ...)
}

#' Observed numbers, y, and where they are in what posterior_predict() gives, at
#' @noRd
observed_entries <- function(fit, column) UseMethod("observed_entries")

#' @exportS3Method
#' @noRd
observed_entries.buffet_fit <- function(fit, column) {
  x <- as.matrix(in_memory(fit, "pp_check()"))
  of_columns <- if (is.null(column)) seq_len(ncol(x)) else check_shown_column(column, x)
  at <- which(!is.na(x) & col(x) %in% of_columns)
  list(y = as.double(x[at]), at = at)
}

#' In the units of the data, categories by their numbers
#' @exportS3Method
#' @noRd
observed_entries.fit_mixed <- function(fit, column) {
  if (is.null(column)) stop_argument("column", "be one column of the data", column)
  out <- NextMethod()
  of <- fit$model$data$columns[[check_shown_column(column, fit$model$data$x)]]
  out$y <- if (is.null(of$levels)) as.double(decode_column(of, out$y)) else out$y + 1
  out
}

#' @exportS3Method
#' @noRd
observed_entries.fit_choice <- function(fit, column) {
  if (!is.null(column)) stop_argument("column", "be NULL for choices", column)
  pairs <- observed_pairs(fit)
  list(y = as.double(fit$model$data$x[pairs]), at = seq_len(nrow(pairs)))
}

#' The number of a column
#' @noRd
check_shown_column <- function(column, x) {
  at <- if (is.character(column)) match(column, colnames(x)) else match(column, seq_len(ncol(x)))
  if (length(at) != 1 || is.na(at)) {
    stop_argument("column", sprintf("be one of the %d columns of the data", ncol(x)), column)
  }
  at
}
