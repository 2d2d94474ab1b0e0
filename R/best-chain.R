#' The best chain of a fit
#'
#' If the chains of a fit are stuck in different modes, `best_chain()` picks the chain whose draws
#' have the highest mean `log_joint`. All chains of another run can start from it.
#'
#' @details
#' It is legitimate to use this chain as a better start: if one chain has found what the others have
#' missed, all of them can continue from there. It is no evidence of convergence. Chains that start
#' in the same mode agree with each other by construction, whether or not there are other modes. If
#' there are, the intervals of such a fit are too narrow. When you report its results, say that the
#' chains had a common start.
#'
#' The mode with the higher density need not have the larger posterior mass.
#' If loadings or weights are part of the log joint, it is a density, and the number of its
#' arguments grows with the number of features.
#'
#' @param fit A fit by sampling, that is, with [method_gibbs()]. A fit by optimisation is an error.
#' @return A fit of the same class that has this chain alone. If it is the `init` of the same
#'   `fit_*()` function, all chains start at its last draw (for [fit_nmf()] at its most probable
#'   draw): at the features of that draw and at every learned value that `init` can give. Fits with
#'   known features ([prior_fixed()]) cannot be used in this way, because they take no `init`.
#' @seealso [summary()][summary.fit_mcmc], which says if chains do not agree; [plot(fit,
#'   "chains")][plot.buffet_fit], which shows where they differ; [update()][update.fit_mcmc], for
#'   chains that are merely slow.
#' @examples
#' x <- scale(iris[, 1:4])
#' method <- method_gibbs(chains = 4, iter = 200)
#' # a warning reports that the chains are separated, and print() which is best
#' fit <- fit_gaussian(x, method = method, seed = 1)
#' fit
#' # which features each chain has found; the chain with the best mean log joint is at the top
#' plot(fit, "chains")
#' # all chains start where the best chain ended; they should now run longer
#' again <- update(fit, init = best_chain(fit), seed = 2)
#' again
#' @export
best_chain <- function(fit) UseMethod("best_chain")

#' @export
best_chain.default <- function(fit) stop_no_fit(fit)

#' @export
best_chain.fit_point <- function(fit) stop_no_sampling(fit, "fit")

#' @export
best_chain.fit_mcmc <- function(fit) {
  best <- continued_chains(fit)[which.max(mean_log_joints(fit))]
  of_one <- list(model = fit$internal$model, method = fit$method)
  made_as(new_fit_mcmc(list(chains = best, seed = fit$seed), of_one), fit)
}
