#' Number of draws that functions use
#'
#' The argument `ndraws` of [predict()][predict.buffet_fit], `fitted()`, `residuals()`,
#' [posterior_predict()][posterior_predict.buffet_fit], `log_lik()` and [heldout_density()] has the
#' same meaning for the fits of all models. The *function* `ndraws(fit)`, which returns the number
#' of draws of a fit by sampling, is that of posterior; see [ndraws()][as_draws.fit_mcmc].
#'
#' @details
#' A fit by sampling keeps 4000 draws by default, one by [fit_topics()] 400 and one by
#' [fit_cascade()] 100. These functions use some of them:
#' * `ndraws = NULL`, the default, uses 200 draws, evenly spaced over all chains, for means and for
#'   simulated data. It uses 1000 for intervals, for the [worth][summary.fit_choice] of items, and
#'   for `log_lik()` and `heldout_density()`, because a few draws can dominate the mean of
#'   densities. A fit with fewer draws uses all of them.
#' * A whole number uses so many draws, evenly spaced. It is an error if there are fewer.
#' * `Inf` uses all draws.
#'
#' A fit by optimisation has one estimate. Means are computed from it directly, whatever `ndraws`
#' is. `posterior_predict()` and `log_lik()` draw from its variational posterior as often as
#' `ndraws` says: `NULL` is 200 or 1000, as above, and `Inf` is an error. These draws are
#' independent.
#'
#' Two functions have a default of their own: [perplexity()] reads new documents with each of 5
#' draws, and [pp_check()][pp_check.buffet_fit] shows 50 replicates.
#'
#' ## Accuracy
#' We compared the default with all draws of four chains of 2000 sweeps, for [fit_gaussian()] on the
#' scaled `USArrests`, [fit_factor()] on the scaled `swiss` and [fit_logistic()] on 60 rows of 6
#' columns, each with 20 entries left out.
#'
#' * `fitted()` from 200 draws has a root mean square error of 0.025, 0.026 and 0.011. That is 7, 5
#'   and 6 % of the root mean square residual.
#' * `predict()` for new rows from 200 draws has an error of 2 to 4 % of it.
#' * `heldout_density()` from 200 draws would be off by 0.01 to 0.05 per entry. If densities vary
#'   much, it would also be too low by up to 0.02 on average. That is why it uses 1000 draws.
#'
#' The error is inversely proportional to the square root of `ndraws`, and the time is proportional
#' to `ndraws`. Predictions for 50 new rows take about 0.5 to 2 seconds of processor time from 200
#' draws, and up to 20 seconds from 4000.
#'
#' ## Progress
#' Whatever takes longer than two seconds shows a progress bar if R runs in a terminal or in
#' RStudio, but not in documents of knitr, logs and other files.
#' `options(cli.progress_show_after = Inf)` turns it off.
#'
#' @name ndraws
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 600), seed = 1)
#' # fitted values from 200 of the 300 draws differ little from those from all draws
#' max(abs(fitted(fit) - fitted(fit, ndraws = Inf)))
#' # draws x rows x columns
#' dim(posterior_predict(fit))
#' dim(posterior_predict(fit, ndraws = Inf))
NULL

#' How many draws are used by default, and where the tails matter
#' @noRd
default_ndraws <- 200
tail_ndraws <- 1000

#' Which draws to average over
#' @noRd
check_ndraws <- function(ndraws, fit, default = default_ndraws) {
  ndraws <- check_any_ndraws(ndraws)
  if (is.null(ndraws)) ndraws <- if (length(fit$draws) > default) default else Inf
  if (is.finite(ndraws)) choose_draws(fit, ndraws) else seq_along(fit$draws)
}

#' Which draws to draw data from, or log densities
#' @noRd
check_ndrawn <- function(ndraws, fit, default = default_ndraws) {
  ndraws <- check_any_ndraws(ndraws)
  choose_draws(fit, if (is.null(ndraws)) most_draws(fit, default) else ndraws)
}

#' @return NULL, Inf or an integer.
#' @noRd
check_any_ndraws <- function(ndraws) {
  if (is.null(ndraws) || identical(ndraws, Inf)) return(ndraws)
  if (!(is_whole(ndraws) && ndraws >= 1)) {
    stop_argument("ndraws", "be NULL, Inf or one whole number of at least 1", ndraws)
  }
  as.integer(ndraws)
}

#' As many draws as there are, up to a number
#' @noRd
most_draws <- function(fit, n) UseMethod("most_draws")

#' @exportS3Method
#' @noRd
most_draws.fit_mcmc <- function(fit, n) min(n, length(fit$draws))

#' @exportS3Method
#' @noRd
most_draws.fit_point <- function(fit, n) n

#' So many of the draws of a fit, evenly spaced
#' @noRd
choose_draws <- function(fit, ndraws) UseMethod("choose_draws")

#' @exportS3Method
#' @noRd
choose_draws.fit_mcmc <- function(fit, ndraws) {
  draws <- length(fit$draws)
  if (ndraws == Inf) return(seq_len(draws))
  if (ndraws > draws) stop_argument("ndraws", sprintf("be at most %d", draws), ndraws)
  unique(round(seq(1, draws, length.out = ndraws)))
}

#' A variational posterior can be drawn from as often as one likes
#' @exportS3Method
#' @noRd
choose_draws.fit_point <- function(fit, ndraws) {
  if (ndraws == Inf) {
    stop_argument("ndraws", "be a number: a fit by optimisation can be drawn from without end", Inf)
  }
  rep(1L, ndraws)
}
