#' Posterior predictive checks
#'
#' `bayesplot::pp_check()` plots the data next to data simulated from the fit. If they
#' differ, the model misses something.
#'
#' @param object A fit by any `fit_*()` function.
#' @param type (string) The name of a bayesplot function without its prefix `ppc_`;
#'   `bayesplot::available_ppc()` lists them. `NULL`, the default, is `"bars"` for zeros and ones
#'   and for categories, and otherwise `"dens_overlay"`, the density of the data over the densities
#'   of the replicates.
#' @param ndraws (positive integer) How many replicates to draw. The default is 50, or the number of
#'   draws of a fit by sampling that has fewer.
#' @param column (string, number or `NULL`) The name or number of one column of the data, whose
#'   entries are shown. `NULL` (default): the entries of all columns together. [fit_mixed()], whose
#'   columns have different units, then shows the first, as a message says, and categories by their
#'   numbers.
#'   [fit_choice()] shows pairs of items and accepts `NULL` only.
#' @param ... Arguments of the bayesplot function, such as `stat` or `group`.
#' @return A `ggplot` object. It shows the observed entries of the data and the same entries of the
#'   replicates by [posterior_predict()][posterior_predict.buffet_fit]. For [fit_choice()] an entry
#'   is how often the first item of a judged pair was chosen.
#' @seealso [bayesplot::PPC-overview] for the types.
#' @examplesIf requireNamespace("bayesplot", quietly = TRUE)
#' set.seed(1)
#' x <- block_images(20)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # do the replicates have the distribution of the data?
#' bayesplot::pp_check(fit, ndraws = 20)
#' # the standard deviation of the data is the line; the replicates are the histogram
#' bayesplot::pp_check(fit, "stat", stat = "sd")
#' @exportS3Method bayesplot::pp_check
pp_check.buffet_fit <- function(object, type = NULL, ndraws = most_draws(object, 50),
                                column = NULL, ...) {
  ndraws <- check_count(ndraws, "ndraws")
  shown <- observed_entries(object, column)
  usual <- if (isTRUE(shown$categories) || all(shown$y %in% 0:1)) "bars" else "dens_overlay"
  type <- check_choice(type %||% usual, sub("^ppc_", "", bayesplot::available_ppc()), "type")
  replicates <- posterior_predict(object, ndraws = ndraws)
  replicates <- matrix(replicates, dim(replicates)[1])[, shown$at, drop = FALSE]
  getExportedValue("bayesplot", paste0("ppc_", type))(shown$y, replicates, ...)
}

# The values and places of the entries that pp_check() shows; categories by number
observed_entries <- function(fit, column) {
  if (inherits(fit, "fit_choice")) {
    if (!is.null(column)) stop_argument("column", "be NULL for choices", column)
    pairs <- observed_pairs(fit)
    return(list(y = as.double(model_data(fit)[pairs]), at = seq_len(nrow(pairs))))
  }
  of_kinds <- if (inherits(fit, "fit_mixed")) fit$internal$model$data$columns
  if (!is.null(of_kinds) && is.null(column)) {
    column <- 1
    first <- encodeString(names(of_kinds)[1], quote = "\"")
    message("Showing the first column, ", first, ": `column` chooses another.")
  }
  x <- as.matrix(in_memory(fit, "pp_check()"))
  of_columns <- if (is.null(column)) seq_len(ncol(x)) else check_shown_column(column, x)
  at <- which(!is.na(x) & col(x) %in% of_columns)
  if (is.null(of_kinds)) return(list(y = as.double(x[at]), at = at))
  of <- of_kinds[[of_columns]]
  numbers <- if (is.null(of$levels)) decode_column else category_numbers
  list(y = as.double(numbers(of, x[at])), at = at, categories = !is.null(of$levels))
}

check_shown_column <- function(column, x) {
  at <- if (is.character(column)) match(column, colnames(x)) else match(column, seq_len(ncol(x)))
  if (length(at) != 1 || is.na(at)) {
    stop_argument("column", sprintf("be one of the %d columns of the data", ncol(x)), column)
  }
  at
}
