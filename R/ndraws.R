#' Number of draws that functions return
#'
#' Posterior means are over every kept draw: [predict()][predict.buffet_fit], `fitted()`,
#' `residuals()`, `augment()`, [heldout_density()] and the [worth][summary.fit_choice] of items.
#' Functions that return draws, or quantiles of them, have the argument `ndraws`. The *function*
#' `ndraws(fit)`, which returns the number of draws of a fit by sampling, is from posterior; see
#' [ndraws()][as_draws.fit_mcmc].
#'
#' @details
#' A fit by sampling keeps 4000 draws by default, one by [fit_topics()] 400 and one by
#' [fit_cascade()] 100. The argument `ndraws` is
#' * `NULL`, the default: all draws for
#'   [posterior_predict()][posterior_predict.buffet_fit] and `posterior_epred()`,
#'   `bayes_R2()`, and the mean that `predict()` returns for new rows; at most
#'   1000 evenly spaced draws for `log_lik()`, [loo()][loo.fit_mcmc] and the ends of
#'   [intervals][predictive_interval.buffet_fit];
#' * a whole number: this many draws, evenly spaced over all chains. It is an error if there are
#'   fewer;
#' * `Inf`: all draws.
#'
#' An array of draws that does not fit into memory is an error; a smaller `ndraws` then helps. Means
#' need little memory whatever the number of draws, because draws are read in blocks.
#'
#' A fit by optimisation has one estimate. Means are computed from it directly.
#' `posterior_predict()`, `posterior_epred()` and `log_lik()` draw from its variational posterior as
#' often as `ndraws` says: `NULL` is 1000, and `Inf` is an error. These draws are independent.
#'
#' Two functions have other defaults: [perplexity()] reads new documents with each of 20 draws, and
#' [pp_check()][pp_check.buffet_fit] shows 50 replicates.
#'
#' ## Time
#' Fitted values from 4000 draws of 100 rows and 36 columns take less than a second. New rows are
#' sampled given each draw: 50 of them take up to 20 seconds of processor time from 4000 draws. With
#' `options(mc.cores = )` they are sampled in that many threads, with the same result.
#' `predict(fit, newdata, ndraws = 200)` is faster and less accurate: the error is inversely
#' proportional to the square root of `ndraws`.
#'
#' Computations that take longer than two seconds show a progress bar if R runs in a terminal or in
#' RStudio, but not in documents of knitr, logs and other files.
#' `options(cli.progress_show_after = Inf)` turns it off.
#'
#' @name ndraws
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 600), seed = 1)
#' # draws x rows x columns
#' dim(posterior_epred(fit))
#' dim(posterior_epred(fit, ndraws = 100))
NULL

# Default number of draws for the ends of intervals and for log densities
tail_ndraws <- 1000

check_ndraws <- function(ndraws, fit, default = Inf) {
  ndraws <- check_any_ndraws(ndraws)
  if (is.null(ndraws)) ndraws <- if (length(fit$feature_draws) > default) default else Inf
  if (is.finite(ndraws)) choose_draws(fit, ndraws) else seq_along(fit$feature_draws)
}

# Which draws predict() averages over: all, or fewer if `ndraws` is given for new rows
check_mean_ndraws <- function(ndraws, fit, newdata, interval) {
  which <- check_ndraws(ndraws, fit)
  if (is.null(ndraws) || !is.null(newdata) || interval != "none") return(which)
  must <- "be NULL for the rows of the data, whose means are over every draw"
  stop_argument("ndraws", must, ndraws)
}

check_ndrawn <- function(ndraws, fit, default = Inf) {
  ndraws <- check_any_ndraws(ndraws)
  choose_draws(fit, if (is.null(ndraws)) most_draws(fit, default) else ndraws)
}

# Returns NULL, Inf or an integer.
check_any_ndraws <- function(ndraws) {
  if (is.null(ndraws) || identical(ndraws, Inf)) return(ndraws)
  if (!(is_whole(ndraws) && ndraws >= 1)) {
    stop_argument("ndraws", "be NULL, Inf or one whole number of at least 1", ndraws)
  }
  as.integer(ndraws)
}

most_draws <- function(fit, n) {
  if (inherits(fit, "fit_point")) min(n, tail_ndraws) else min(n, length(fit$feature_draws))
}

# This many draws of a fit, evenly spaced. A variational posterior can be sampled as often as
# required
choose_draws <- function(fit, ndraws) {
  draws <- length(fit$feature_draws)
  if (inherits(fit, "fit_point")) {
    must <- "be a number: draws from a fit by optimisation have no end"
    if (ndraws == Inf) stop_argument("ndraws", must, Inf)
    return(rep(1L, ndraws))
  }
  if (ndraws == Inf) return(seq_len(draws))
  if (ndraws > draws) stop_argument("ndraws", sprintf("be at most %d", draws), ndraws)
  unique(round(seq(1, draws, length.out = ndraws)))
}
