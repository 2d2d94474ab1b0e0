#' Leave-one-out cross-validation
#'
#' Methods for `loo::loo()`, Pareto-smoothed importance sampling, and `loo::waic()`, the widely
#' applicable information criterion. Both use the pointwise
#' [log_lik()][posterior_predict.buffet_fit] of a fit.
#'
#' @param x A fit by sampling, that is, with [method_gibbs()]. A fit by optimisation is an error.
#' @param by (string) The unit that is left out: `"entry"`, the default, is an observed entry of the
#'   data, and `"row"` a row. Of documents only words that they have are entries. For
#'   [fit_choice()] it is always a judged pair. Estimates by row are not reliable;
#'   [log_lik()][posterior_predict.buffet_fit] explains why.
#' @param ndraws (positive integer, `Inf` or `NULL`) Number of draws to use, equally many of each
#'   chain and evenly spaced, at least two per chain and at most as many as there are. `NULL`, the
#'   default, uses 1000, or all if there are fewer; `Inf` uses all.
#' @param ... Arguments of the `loo()` or `waic()` method for matrices, such as `cores` and
#'   `save_psis`.
#' @return For `loo()` an object of class `psis_loo`, for `waic()` an object of class `waic`, both
#'   of which `loo::loo_compare()` compares. `loo()` takes the relative efficiency of the draws from
#'   the chains. It warns of entries whose Pareto k is too high: their estimates are not reliable.
#'   If k is above 0.7 for more than 5 % of them, a message points to [heldout_density()]: leave
#'   entries out, fit again, and compare the fits by the log density of these entries.
#' @references Vehtari, A., Gelman, A. and Gabry, J. (2017). Practical Bayesian model evaluation
#'   using leave-one-out cross-validation and WAIC. *Statistics and Computing* 27, 1413-1432.
#' @seealso `vignette("comparing-fits")`
#' @examplesIf requireNamespace("loo", quietly = TRUE)
#' set.seed(1)
#' x <- block_images(20)
#' method <- method_gibbs(chains = 2, iter = 1000)
#' fit <- fit_gaussian(x, method = method, seed = 1)
#' # elpd_loo is the estimate; look at the Pareto k before you trust it
#' loo::loo(fit, ndraws = 100)
#' # against a model with at most one feature
#' one <- fit_gaussian(x, prior = prior_beta_bernoulli(1), method = method, seed = 1)
#' loo::loo_compare(loo::loo(fit), loo::loo(one))
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

# A message if many high Pareto k make the estimate unreliable
tell_unreliable <- function(estimate) {
  high <- mean(loo::pareto_k_values(estimate) > 0.7)
  if (high <= 0.05) return(invisible())
  message(sprintf(
    "Pareto k is above 0.7 for %.0f %% of the log densities: compare fits by heldout_density() of ",
    100 * high
  ), "entries left out instead, see vignette(\"comparing-fits\").")
}

#' @rdname loo.fit_mcmc
#' @exportS3Method loo::waic
waic.fit_mcmc <- function(x, by = c("entry", "row"), ndraws = NULL, ...) {
  by <- check_choice(by, c("entry", "row"), "by")
  loo::waic(left_out_log_lik(x, as.vector(draws_of_chains(x, ndraws)), by), ...)
}

# Log densities of the units that are left out one by one, one row per draw. Words that a document
# does not have are omitted: their log likelihood is 0 in every draw
left_out_log_lik <- function(fit, which, by) {
  log_lik <- pointwise_log_lik(fit, which, by)
  if (!inherits(fit, "fit_topics")) return(log_lik)
  log_lik[, colSums(log_lik != 0) > 0, drop = FALSE]
}

#' @exportS3Method loo::loo
loo.fit_point <- function(x, ...) stop_no_sampling(x, "x")

#' @exportS3Method loo::waic
waic.fit_point <- function(x, ...) stop_no_sampling(x, "x")

# About this many draws, the same ones from each chain, one column per chain
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
