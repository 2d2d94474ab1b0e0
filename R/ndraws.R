#' How many draws are used
#'
#' The argument `ndraws` of [predict()][predict.buffet_fit], `fitted()`, `residuals()`,
#' [posterior_predict()][posterior_predict.buffet_fit], `log_lik()` and [heldout_density()], which
#' is the same for fits by all models. The function `ndraws(fit)`, which says how many draws a fit by
#' sampling has, is that of posterior.
#'
#' @details
#' A fit by sampling keeps 4000 draws by default. What is asked of it uses
#' * `ndraws = NULL` (default): 200 of them, evenly spaced over all chains, for means and for
#'   data that are simulated; 1000 for `log_lik()` and `heldout_density()`, whose means of densities
#'   few draws decide, for intervals and for the [worth][summary.fit_choice] of items. A fit that has
#'   fewer draws: all;
#' * a whole number: so many, evenly spaced, at most as many as there are;
#' * `Inf`: all.
#'
#' A fit by optimisation has one estimate, from which means are computed at once whatever `ndraws`
#' is. Where its variational posterior is drawn from, by `posterior_predict()` and `log_lik()`,
#' there is any number of draws, which are independent: `NULL` is 200, or 1000, as above, and `Inf`
#' is refused.
#'
#' Two functions have a default of their own: [perplexity()] reads new documents with each of 5
#' draws, and [pp_check()][pp_check.buffet_fit] shows 50 replicates.
#'
#' ## What that costs in accuracy
#' Measured against all draws of four chains of 2000 sweeps, of [fit_gaussian()] on the scaled
#' `USArrests`, of [fit_factor()] on the scaled `swiss` and of [fit_logistic()] on 60 rows of 6 columns,
#' each with 20 entries left out: the root mean square error of `fitted()` from 200 draws is 0.025,
#' 0.026 and 0.011, or 7, 5 and 6 % of the root mean square residual, that of `predict()` of new rows
#' 2 to 4 % of it. `heldout_density()` from 200 would be off by 0.01 to 0.05 an entry and, where
#' densities vary much, low by up to 0.02 on average, hence 1000 there. The error falls with the
#' square root of `ndraws`, the time it takes rises with `ndraws`: predictions for 50 new rows take
#' some 0.5 to 2 seconds of processor time from 200 draws, and up to 20 from 4000.
#'
#' ## Progress
#' What takes longer than two seconds shows a bar where R runs in a terminal or in RStudio, but not in
#' documents of knitr, logs and other files. `options(cli.progress_show_after = Inf)` turns it off.
#'
#' @name ndraws
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 600), seed = 1)
#' max(abs(fitted(fit) - fitted(fit, ndraws = Inf)))
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
