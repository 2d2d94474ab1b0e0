#' Predictive density of left-out entries
#'
#' `heldout_density()` measures how probable the left-out entries of the data are under a fit. This
#' is the best measure for comparing fits, and [compare_heldout()] does so in one step. For choices,
#' pairs are left out; see [heldout_density()][predict.fit_choice]. For topics, tokens are left out;
#' [perplexity()] is for new documents.
#'
#' @param fit A fit by [fit_gaussian()], [fit_logistic()], [fit_factor()], [fit_nmf()],
#'   [fit_mixed()] or [fit_cascade()] to data with `NA` entries, or a fit by [fit_topics()]. A fit
#'   to complete data raises an error.
#' @param actual (numeric matrix, data frame or sparse `Matrix`) The full data, of the same size and
#'   on the same scale as the data of the fit. Rows and columns are matched by name if both data
#'   sets have names, which must then be the same. Only the entries that are `NA` in the data of the
#'   fit are used. The result is `NA` for entries that are `NA` in `actual` as well. For
#'   [fit_topics()]: the tokens that were left out, as counts, documents x words, in any form that
#'   it accepts. Documents and words must be the same as in the fit. They are matched by name if
#'   both have names, and otherwise in the same order; a different size raises an error.
#' @param ... Must be empty.
#' @return A numeric vector with one element per `NA` entry of the data, in the order of
#'   `which(is.na(x))`, that is, by columns. For [fit_mixed()] the columns that the fit left out are
#'   not included. Each element is the log posterior predictive density of the entry, in the units
#'   of the data (for binary data, counts and categories its log probability). It is the log of the
#'   mean density over all saved draws, not the mean of log densities. For [fit_topics()] the vector
#'   has one element per token that was left out. The tokens are ordered by word, and the tokens of
#'   a word by document. If a document has left-out tokens of the same word, their elements are
#'   equal. If `lengths = "given"`, elements are `NA` for documents without a token in the fitted
#'   data.
#' @details
#' The density of an entry given one draw depends on the model:
#'
#' * [fit_gaussian()]: the loadings are integrated out exactly over their posterior given Z, the
#'   standard deviations and the observed entries. With nonnegative loadings, or with
#'   `noise = "column"`, the density is conditional on the loadings of the draw.
#' * [fit_factor()]: with `sparse = "loadings"` the density is conditional on the loadings, and the
#'   factors of the row are integrated out given its observed entries. With `sparse = "factors"` or
#'   `families` it is conditional on both.
#' * [fit_logistic()] and [fit_mixed()]: the density is conditional on Z, the weights and the
#'   biases.
#' * [fit_nmf()]: the density is conditional on the weights and loadings of the draw, or of the
#'   mode.
#' * [fit_cascade()]: the density is conditional on the network and the hidden activations. It is
#'   `-Inf` outside the `range` of the fit.
#'
#' A fit by optimisation has one estimate. With [method_beam()] the density averages over the normal
#' posterior of the loadings given Z. With [method_meibp()] it is conditional on Z and `sigma_x` and
#' averages over the variational posterior of the loadings: the most uncertain loading of the row is
#' integrated out exactly, and the sum of the others is replaced by a normal variable with its mean
#' and variance. With [method_variational()] and [method_power_ep()] the density also averages over
#' the features whose probability is between 1e-6 and 1 - 1e-6. The six that make the most
#' difference are summed over; the others enter through their mean and variance.
#' @examples
#' set.seed(1)
#' x <- sim_images(50)
#' holes <- x
#' holes[sample(length(x), 180)] <- NA
#' fit <- fit_gaussian(holes, method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' # the mean log density of the 180 entries
#' mean(heldout_density(fit, x))
#' @export
heldout_density <- function(fit, actual, ...) UseMethod("heldout_density")

#' @export
heldout_density.default <- function(fit, actual, ...) stop_no_fit(fit)

#' @export
heldout_density.buffet_fit <- function(fit, actual, ...) {
  check_no_more(...)
  check_given(actual, "actual", "the full data")
  x <- in_memory(fit, "heldout_density()")
  hidden <- missing_entries(x)
  if (nrow(hidden) == 0) abort_argument("`fit` must be a fit to data with missing entries.")
  given <- actual
  actual <- check_like(fit, given, "actual", sparse = TRUE)
  if (!identical(dim(actual), dim(x))) {
    size <- if (nrow(actual) != nrow(x)) counted(nrow(x), "row") else counted(ncol(x), "column")
    stop_argument("actual", sprintf("have %s, like the data", size), given)
  }
  actual <- in_data_order(actual, x)
  scales <- column_units(fit)[hidden[, 2]]
  values <- (actual[hidden] - column_shift(fit)[hidden[, 2]]) / scales
  known <- !is.na(values)
  if (!all(known)) {
    text <- "`actual` is also NA in %d of %d left-out entries, so their log density is NA."
    message(sprintf(text, sum(!known), length(known)))
  }
  out <- rep(NA_real_, length(values))
  if (any(known)) {
    places <- hidden[known, , drop = FALSE] - 1L
    all <- seq_along(fit$feature_draws)
    density <- log_mean_over_blocks(all, draws_in_block(fit), function(some) {
      density_at(fit, some, places, values[known])
    })
    out[known] <- density - log(scales[known])
  }
  out
}

# Puts the rows and columns of held-out data in the order of the fit's data, by name if both have
# names
in_data_order <- function(actual, x) {
  for (side in 1:2) {
    names <- dimnames(actual)[[side]]
    of_data <- dimnames(x)[[side]]
    if (is.null(names) || is.null(of_data) || identical(names, of_data)) next
    if (anyDuplicated(of_data) > 0 || !setequal(names, of_data)) {
      must <- sprintf("have no %s names or the names of the data", c("row", "column")[side])
      stop_argument("actual", must, was = "others")
    }
    at <- match(of_data, names)
    actual <- if (side == 1) actual[at, , drop = FALSE] else actual[, at, drop = FALSE]
  }
  actual
}

# Logs of the mean over draws of the densities of values at `places`, a matrix with two columns, row
# and column, numbered from 0
density_at <- function(fit, which, places, values) UseMethod("density_at")

#' Leave-one-out cross-validation
#'
#' Methods for `loo::loo()`, Pareto-smoothed importance sampling, and `loo::waic()`, the widely
#' applicable information criterion. Both use the pointwise
#' [log_lik()][posterior_predict.buffet_fit] of a fit.
#'
#' @param x A fit by sampling, that is, with [method_gibbs()]. A fit by optimisation raises an
#'   error.
#' @param by (string) The unit that is left out: `"entry"`, the default, is an observed entry of the
#'   data, and `"row"` a row. In a document, only words that occur are entries. For [fit_choice()]
#'   it is always a judged pair. Estimates by row are not reliable.
#' @param ndraws (positive integer, `Inf` or `NULL`) Number of draws to use, equally many from each
#'   chain and evenly spaced, at least two per chain and at most as many as there are. `NULL`, the
#'   default, uses 1000, or all if there are fewer; `Inf` uses all.
#' @param ... Arguments of the `loo()` or `waic()` method for matrices, such as `cores` and
#'   `save_psis`.
#' @return For `loo()` an object of class `psis_loo`, for `waic()` an object of class `waic`, both
#'   of which `loo::loo_compare()` compares. `loo()` estimates the relative efficiency of the draws
#'   from the chains. It warns about entries whose Pareto k is too high: their estimates are not
#'   reliable. If k is above 0.7 for more than 5 % of the entries, a message points to
#'   [compare_heldout()]: leave entries out, fit again, and compare the fits by the log density of
#'   these entries.
#' @references Vehtari, A., Gelman, A. and Gabry, J. (2017). Practical Bayesian model evaluation
#'   using leave-one-out cross-validation and WAIC. *Statistics and Computing* 27, 1413-1432.
#' @details
#' The estimate is reliable if the Pareto k of a point is at most 0.7. For data such as the scaled
#' `USArrests` and `swiss` k is above 0.7 for about a third of the entries and for most rows,
#' because every row has its own parameters: its features.
#' @seealso [compare_heldout()], `vignette("comparing-fits")`
#' @examplesIf requireNamespace("loo", quietly = TRUE)
#' set.seed(1)
#' fit <- fit_gaussian(sim_images(20), method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' # elpd_loo is the estimate; look at the Pareto k before you trust it
#' loo::loo(fit, ndraws = 100)
#' @exportS3Method loo::loo
loo.fit_mcmc <- function(x, by = c("entry", "row"), ndraws = NULL, ...) {
  by <- check_choice(by, c("entry", "row"), "by")
  which <- draws_of_chains(x, ndraws)
  log_lik <- left_out_log_lik(x, as.vector(which), by)
  r_eff <- loo::relative_eff(exp(log_lik), chain_id = as.vector(col(which)))
  out <- loo::loo(log_lik, r_eff = r_eff, ...)
  tell_unreliable(out)
  out
}

tell_unreliable <- function(estimate) {
  high <- mean(loo::pareto_k_values(estimate) > 0.7)
  if (high <= 0.05) return(invisible())
  message(sprintf(
    "Pareto k is above 0.7 for %.0f %% of the log densities: leave entries out and compare fits ",
    100 * high
  ), "with `compare_heldout(fit1, fit2, actual = x)`; see vignette(\"comparing-fits\").")
}

#' @rdname loo.fit_mcmc
#' @exportS3Method loo::waic
waic.fit_mcmc <- function(x, by = c("entry", "row"), ndraws = NULL, ...) {
  by <- check_choice(by, c("entry", "row"), "by")
  loo::waic(left_out_log_lik(x, as.vector(draws_of_chains(x, ndraws)), by), ...)
}

# Log densities of units that are left out one at a time, with one row per draw. Words that do not
# occur in a document are omitted, because their log likelihood is 0 in every draw.
left_out_log_lik <- function(fit, which, by) {
  log_lik <- pointwise_log_lik(fit, which, by)
  if (!inherits(fit, "fit_topics")) return(log_lik)
  log_lik[, colSums(log_lik != 0) > 0, drop = FALSE]
}

#' @exportS3Method loo::loo
loo.fit_point <- function(x, ...) {
  stop_no_sampling(x, "x", "compare fits with `compare_heldout(fit1, fit2, actual = x)`")
}

#' @exportS3Method loo::waic
waic.fit_point <- loo.fit_point

# About this many draws, the same ones from each chain, with one column per chain
draws_of_chains <- function(fit, ndraws) {
  chains <- dim(fit$internal$scalars)[2]
  kept <- dim(fit$internal$scalars)[1]
  ndraws <- check_any_ndraws(ndraws) %||% most_draws(fit, tail_ndraws)
  ndraws <- if (ndraws == Inf) kept * chains else ndraws
  least <- 2 * chains
  if (ndraws < least || ndraws > kept * chains) {
    stop_argument("ndraws", sprintf("be from %d to %d", least, kept * chains), ndraws)
  }
  of_first <- unique(round(seq(1, kept, length.out = ndraws %/% chains)))
  outer(of_first, (seq_len(chains) - 1) * kept, `+`)
}

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
#' @param ndraws (positive integer) How many replicates to draw. The default is 50, or all draws if
#'   a fit by sampling has fewer.
#' @param column (string, number or `NULL`) The name or number of one column of the data, whose
#'   entries are shown. `NULL` (default): the entries of all columns together. [fit_mixed()], and
#'   [fit_factor()] with `families` unless all columns are categories, then show the first column,
#'   with a message. [fit_choice()] shows pairs of items and accepts `NULL` only.
#' @param ... Arguments of the bayesplot function, such as `stat` or `group`.
#' @return A `ggplot` object. It shows the observed entries of the data and the same entries of the
#'   replicates by [posterior_predict()][posterior_predict.buffet_fit]. The axis of `"bars"` is
#'   labelled with the names of categories. For [fit_choice()] an entry is the number of times
#'   the first item of a judged pair was chosen.
#' @seealso [bayesplot::PPC-overview] for the types.
#' @examplesIf requireNamespace("bayesplot", quietly = TRUE)
#' set.seed(1)
#' fit <- fit_gaussian(sim_images(20), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # the distribution of the replicates and of the data
#' bayesplot::pp_check(fit, ndraws = 20)
#' @exportS3Method bayesplot::pp_check
pp_check.buffet_fit <- function(object, type = NULL, ndraws = most_draws(object, 50),
                                column = NULL, ...) {
  ndraws <- check_count(ndraws, "ndraws")
  shown <- observed_entries(object, column)
  kinds <- sub("^ppc_", "", bayesplot::available_ppc())
  if (!is.null(type)) type <- check_choice(type, kinds, "type")
  replicates <- posterior_predict(object, ndraws = ndraws)
  replicates <- matrix(replicates, dim(replicates)[1])[, shown$at, drop = FALSE]
  discrete <- isTRUE(shown$categories) || all(shown$y %in% 0:1) && all(replicates %in% 0:1)
  type <- type %||% if (discrete) "bars" else "dens_overlay"
  plot <- getExportedValue("bayesplot", paste0("ppc_", type))(shown$y, replicates, ...)
  if (is.null(shown$labels) || !startsWith(type, "bars")) return(plot)
  axis <- columns_across(names(shown$labels), at = shown$labels, room = 220, expand = waiver())
  # Replacing bayesplot's own axis makes ggplot2 emit a message, which is suppressed.
  suppressMessages(plot + axis)
}

# Returns list(y, at, categories, labels): the displayed entries; their positions in the data;
# whether they are categories; and, for categories with names, a vector of their numbers with these
# names.
observed_entries <- function(fit, column) {
  if (inherits(fit, "fit_choice")) {
    if (!is.null(column)) stop_argument("column", "be NULL for choices", column)
    pairs <- observed_pairs(fit)
    return(list(y = as.double(model_data(fit)[pairs]), at = seq_len(nrow(pairs))))
  }
  of_kinds <- if (inherits(fit, "fit_mixed")) fit$internal$model$data$columns
  items <- category_items(fit$internal$model)
  x <- as.matrix(in_memory(fit, "pp_check()"))
  several <- inherits(fit, "fit_factor") && has_items(fit) && length(items) < ncol(x)
  if ((!is.null(of_kinds) || several) && is.null(column)) {
    column <- 1
    first <- encodeString(c(names(of_kinds), colnames(x), "1")[1], quote = "\"")
    message("Showing the first column, ", first, ": `column` chooses another.")
  }
  of_columns <- if (is.null(column)) seq_len(ncol(x)) else check_shown_column(column, x)
  at <- which(!is.na(x) & col(x) %in% of_columns)
  of_items <- Filter(function(of) of$column %in% of_columns, items)
  if (length(of_items) > 0) {
    of <- of_items[[1]]
    labels <- if (length(of_items) == 1) stats::setNames(category_values(of), of$levels)
    return(list(y = as.double(x[at]), at = at, categories = TRUE, labels = labels))
  }
  if (is.null(of_kinds)) {
    return(list(y = as.double(x[at]), at = at, labels = response_labels(fit, of_columns)))
  }
  of <- of_kinds[[of_columns]]
  if (is.null(of$levels)) return(list(y = as.double(decode_column(of, x[at])), at = at))
  numbers <- category_numbers(of, seq_along(of$levels) - 1)
  list(
    y = as.double(category_numbers(of, x[at])), at = at, categories = TRUE,
    labels = stats::setNames(numbers, of$levels)
  )
}

# Labels of 0 and 1 in these columns of a fit by fit_logistic(), if all columns have the same labels
response_labels <- function(fit, columns) {
  if (!inherits(fit, "fit_logistic")) return(NULL)
  coding <- rep_len(fit$internal$model$data$coding %||% list(0), max(columns))[columns]
  of_each <- unique(lapply(coding, \(of) as.character(decode_responses(0:1, of))))
  stats::setNames(0:1, if (length(of_each) == 1) of_each[[1]] else 0:1)
}

check_shown_column <- function(column, x) {
  at <- match(column, if (is.character(column)) colnames(x) else seq_len(ncol(x)))
  if (length(at) != 1 || is.na(at)) {
    stop_argument("column", sprintf("be one of the %d columns of the data", ncol(x)), column)
  }
  at
}

#' Share of variance that a fit explains, by column
#'
#' The Bayesian R squared of Gelman, Goodrich, Gabry and Vehtari (2019) for each column of the data.
#' For every draw it is the variance, over rows, of the means of the entries, divided by the sum of
#' this variance and the variance of the noise.
#'
#' The features of a row are learned from the row itself. R squared therefore measures how much of
#' the data the features of these rows explain, not how well new rows would be predicted. To measure
#' the latter, leave entries out and use [compare_heldout()].
#'
#' @param object A fit by [fit_gaussian()], [fit_factor()] without `families` or [fit_nmf()]. Other
#'   fits, whose noise is not normal with one variance per column, raise an error.
#' @param ndraws (positive integer, `Inf` or `NULL`) How many evenly spaced draws to use. `NULL`
#'   (default) and `Inf`: all draws of a fit by sampling. See [ndraws].
#' @param ... Must be empty.
#' @return A numeric matrix, draws x columns of the data, of numbers from 0 to 1. Loadings that a
#'   fit does not store are drawn anew on every call: call `set.seed()` first to repeat a result.
#' @references Gelman, A., Goodrich, B., Gabry, J. and Vehtari, A. (2019). R-squared for Bayesian
#' regression models. *The American Statistician* 73, 307-309.
#' @examples
#' fit <- fit_factor(scale(swiss), method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' round(colMeans(bayes_R2(fit)), 2)
#' @importFrom rstantools bayes_R2
#' @export
bayes_R2.buffet_fit <- function(object, ndraws = NULL, ...) { # nolint: object_name_linter.
  check_no_more(...)
  if (!traits_of(object)$normal_noise) {
    is_factor <- inherits(object, "fit_factor")
    was <- if (is_factor) "a fit with families" else describe_value(object)
    stop_argument("object", "be a fit to numbers with normal noise", was = was)
  }
  which <- check_ndrawn(ndraws, object)
  shares <- over_draws(which, function(draw) {
    explained <- apply(draw_mean(object, draw), 2, stats::var)
    # Standard deviation of the noise in the units of the data, either per column or common to all.
    noise <- switch(class(object)[1],
      fit_gaussian = column_sigmas(object, draw), fit_nmf = scalar(object, "sigma_x")[draw],
      factor_draw(object, draw)$sigma_x * column_units(object)
    )
    explained / (explained + noise^2)
  }, numeric(ncol(model_data(object))))
  names <- list(NULL, colnames(model_data(object)))
  matrix(shares, length(which), byrow = TRUE, dimnames = names)
}
