#' The best chain of a fit
#'
#' Where chains are apart, in modes that they do not leave, the one whose draws have the highest
#' mean `log_joint` is a start for all chains of another run.
#'
#' @details
#' This is legitimate as a better start: where one chain has found what the others have missed, all
#' can go on from there. It is no evidence of convergence. Chains that begin in one mode agree with
#' each other by construction, whether there are other modes or not, and their intervals are too
#' narrow where there are. Say that the chains had a start in common when you report what they
#' found. A mode whose draws are more probable need not be the one with more probability either:
#' where loadings or weights are part of the log joint, it is a density, of more numbers where there
#' are more features.
#'
#' @param fit A fit by sampling.
#' @return The fit with this chain alone, of the same class. As the `init` of the same `fit_*()`
#'   function it is where all chains start: at its last draw, features and all that is learned and
#'   that `init` can give; of [fit_nmf()] at its most probable draw. Chains whose features are
#'   known, by [prior_fixed()], have no `init`.
#' @seealso [summary()][summary.fit_mcmc], which says when chains do not agree;
#'   [plot(fit, "chains")][plot.buffet_fit], which shows in what; [update()][update.fit_mcmc], for
#'   chains that are merely slow.
#' @examples
#' x <- scale(iris[, 1:4])
#' method <- method_gibbs(chains = 4, iter = 200)
#' fit <- fit_gaussian(x, method = method, seed = 1)
#' fit
#' plot(fit, "chains")
#' again <- fit_gaussian(x, method = method, init = best_chain(fit), seed = 2)
#' again
#' @export
#' @srrstats {BS1.3a} The example starts a run from an earlier fit; vignettes/buffet.Rmd, Starts,
#'   has another, update() runs the same chains longer.
best_chain <- function(fit) UseMethod("best_chain")

#' @export
best_chain.default <- function(fit) stop_no_fit(fit)

#' @export
best_chain.fit_point <- function(fit) stop_no_sampling(fit, "fit")

#' @export
best_chain.fit_mcmc <- function(fit) {
  best <- continued_chains(fit)[which.max(mean_log_joints(fit))]
  new_fit_mcmc(list(chains = best, seed = fit$seed), fit)
}
