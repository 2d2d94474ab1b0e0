#' Posterior summary and diagnostics
#'
#' Summarises the draws of the scalars of a fit, such as the number of features, and says whether
#' the chains agree.
#'
#' @param object A fit by sampling, that is by [method_gibbs()].
#' @param ... Must be empty.
#' @return An object of class `summary_fit_mcmc`, a list that is printed in at most 20 lines (that
#'   of a fit by [fit_mixed()] with many families can take a few more). Its elements are:
#'   * `table`: a tibble with a row per scalar. Its columns are `variable`, `mean`, `sd`, the
#'     quantiles `q5`, `q50` and `q95`, `rhat` (rank-normalised split Rhat), `ess_bulk` and
#'     `ess_tail` (effective sample sizes; Vehtari et al. 2021). A fit by [fit_cascade()] has the
#'     scalars of layers 0 to 2 alone; [tidy()][tidy.fit_cascade] has all layers.
#'   * `constant`: the values of the scalars that never changed, for which diagnostics do not exist;
#'     `names_constant` has their names.
#'   * `between_chains`: how far the chains differ in the features that rows share. It is the
#'     largest difference between two chains in the mean number of features that a pair of rows
#'     shares, over at most 200 evenly spaced rows, as [coassignment()] counts them. It is `NA` for
#'     a single chain, and for [fit_nmf()] and [fit_cascade()].
#'
#' An Rhat above 1.05 gives a warning of class `buffet_rhat_warning`. The printed text then says in
#' what the chains differ and what to do; see [convergence].
#' @seealso [best_chain()]; [summary.fit_choice()], which adds aspects; [summary.fit_point()] for
#'   fits by optimisation.
#' @references Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Burkner, P.-C. (2021).
#'   Rank-normalization, folding, and localization: an improved R-hat. *Bayesian Analysis* 16,
#'   667-718.
#' @examples
#' set.seed(1)
#' x <- block_images(30)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' # the images were made of four features, with noise of 0.5 (sigma_x)
#' summary(fit)
#' @export
summary.fit_mcmc <- function(object, ...) {
  check_no_more(...)
  draws <- as_draws(object)
  constant <- apply(draws, 3, function(v) all(v == v[1]))
  table <- summary_table(
    draws, "mean", "sd", ~ posterior::quantile2(.x, c(0.05, 0.5, 0.95)), "rhat", "ess_bulk",
    "ess_tail"
  )
  rhat <- scalar_rhats(object)
  table$rhat <- unname(rhat[table$variable])
  table <- table[!constant, ]
  found <- disagreement(object, rhat)
  warn_of_difference(found)
  structure(
    list(
      header = describe_fit(object, found), table = table,
      constant = draws[1, 1, constant, drop = TRUE],
      names_constant = names(which(constant)), between_chains = between_chains(object),
      side = traits_of(object)$side
    ),
    class = "summary_fit_mcmc"
  )
}

# posterior::summarise_draws() with plain numeric columns, which round() can change, and without its
# notes on capped effective sample sizes
summary_table <- function(draws, ...) {
  # The names of quantiles depend on scipen.
  before <- options(scipen = 0)
  on.exit(options(before))
  muffle <- function(restart) {
    function(note) {
      if (grepl("ESS has been capped", conditionMessage(note))) invokeRestart(restart)
    }
  }
  table <- withCallingHandlers(posterior::summarise_draws(draws, ...),
    warning = muffle("muffleWarning"), message = muffle("muffleMessage")
  )
  numbers <- vapply(table, is.numeric, NA)
  table[numbers] <- lapply(table[numbers], function(v) as.double(unclass(v)))
  table
}

# Largest difference between chains in the mean of ZZ'; NA if no rows are compared
between_chains <- function(fit) {
  chains <- dim(fit$internal$scalars)[2]
  if (chains < 2 || inherits(fit, c("fit_nmf", "fit_cascade"))) return(NA_real_)
  kept <- dim(fit$internal$scalars)[1]
  n <- traits_of(fit)$rows$n
  rows <- unique(round(seq(1, n, length.out = min(200, n))))
  shared <- lapply(seq_len(chains), function(chain) {
    coassignment_of(fit, select_draws(fit$feature_draws, (chain - 1) * kept + seq_len(kept)), rows)
  })
  max(do.call(pmax, shared) - do.call(pmin, shared))
}

title_of_scalars <- "Posterior of each scalar (q5 to q95: 90 % interval; log densities in nats):"

#' @export
print.summary_fit_mcmc <- function(x, ...) {
  cat(x$header, title_of_scalars, sep = "\n")
  table <- as.data.frame(x$table)
  estimates <- c("mean", "sd", "q5", "q50", "q95")
  # Two significant digits of the standard deviation.
  decimals <- pmin(pmax(1 - floor(log10(table$sd)), 0), 6)
  table[estimates] <- lapply(table[estimates], fixed, decimals = decimals)
  table$rhat <- format_rhat(table$rhat)
  table[c("ess_bulk", "ess_tail")] <- lapply(table[c("ess_bulk", "ess_tail")], fixed, decimals = 0)
  table <- rows_that_fit(table, length(x$header))
  if (nrow(table) > 0) print(table, row.names = FALSE)
  if (length(x$constant) > 0) {
    values <- sprintf("%s = %s", x$names_constant, vapply(x$constant, format, "", digits = 4))
    cat_wrapped("Constant in all draws: ", values)
  }
  if (!is.na(x$between_chains)) {
    text <- "Largest difference between chains in features that two %ss share: %.2f"
    cat(strwrap(sprintf(text, x$side, x$between_chains), 81, exdent = 2), sep = "\n")
  }
  invisible(x)
}

# Drops the scalars of layer 2 of a cascade if there would be more than twenty lines
rows_that_fit <- function(table, header) {
  if (header + 2 + nrow(table) <= 20) return(table)
  table[!grepl("_2$", table$variable), ]
}

fixed <- function(x, decimals) sprintf("%.*f", as.integer(decimals), x)
