#' Leave-one-out cross-validation
#'
#' Pareto-smoothed importance sampling and the widely applicable information criterion of package
#' loo, of the pointwise [log_lik()][posterior_predict.buffet_fit] of a fit.
#'
#' @param x A fit by sampling.
#' @param by (string) What is left out: an observed `"entry"` of the data, or a `"row"`. Of
#'   [fit_choice()] it is always a judged pair. Estimates by row are not sound: see
#'   [log_lik()][posterior_predict.buffet_fit].
#' @param ndraws How many draws to use, as many of each chain, evenly spaced: `NULL` (default): at
#'   most 1000, a whole number, or `Inf` for all.
#' @param ... For `loo::loo()` or `loo::waic()`: `cores`, `save_psis`.
#' @return What `loo::loo()` and `loo::waic()` give; `loo::loo_compare()` compares several. The
#'   relative efficiencies of the draws, which `loo()` needs, are computed from the chains.
#' @references Vehtari, A., Gelman, A. and Gabry, J. (2017). Practical Bayesian model evaluation
#'   using leave-one-out cross-validation and WAIC. *Statistics and Computing* 27, 1413-1432.
#' @seealso `vignette("comparing-fits")`
#' @examplesIf requireNamespace("loo", quietly = TRUE)
#' fit <- fit_gaussian(block_images(20), method = method_gibbs(chains = 2, iter = 200), seed = 1)
#' loo::loo(fit, ndraws = 100)
#' @exportS3Method loo::loo
loo.fit_mcmc <- function(x, by = c("entry", "row"), ndraws = NULL, ...) {
  by <- check_choice(by, c("entry", "row"), "by")
  which <- draws_of_chains(x, ndraws)
  log_lik <- pointwise_log_lik(x, as.vector(which), by)
  r_eff <- loo::relative_eff(exp(log_lik), chain_id = as.vector(col(which)))
  loo::loo(log_lik, r_eff = r_eff, ...)
}

#' @rdname loo.fit_mcmc
#' @exportS3Method loo::waic
waic.fit_mcmc <- function(x, by = c("entry", "row"), ndraws = NULL, ...) {
  by <- check_choice(by, c("entry", "row"), "by")
  loo::waic(pointwise_log_lik(x, as.vector(draws_of_chains(x, ndraws)), by), ...)
}

#' @exportS3Method loo::loo
loo.fit_point <- function(x, ...) stop_no_sampling(x, "x")

#' @exportS3Method loo::waic
waic.fit_point <- function(x, ...) stop_no_sampling(x, "x")

#' About so many draws, the same ones of each chain, a column a chain
#' @noRd
draws_of_chains <- function(fit, ndraws) {
  chains <- dim(fit$scalars)[2]
  kept <- dim(fit$scalars)[1]
  ndraws <- check_any_ndraws(ndraws) %||% most_draws(fit, tail_ndraws)
  ndraws <- if (ndraws == Inf) kept * chains else ndraws
  least <- 2 * chains
  if (ndraws < least || ndraws > kept * chains) {
    stop_argument("ndraws", sprintf("be from %d to %d", least, kept * chains), ndraws)
  }
  of_first <- unique(round(seq(1, kept, length.out = ndraws %/% chains)))
  outer(of_first, (seq_len(chains) - 1) * kept, `+`)
}
