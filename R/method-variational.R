#' Mean-field variational inference
#'
#' The variational inference of Doshi-Velez, Miller, Van Gael and Teh (2009): every entry of Z has
#' its own probability, every loading its own distribution, and the probabilities of the features
#' have beta distributions. These factors are updated in turn and increase a lower bound of the log
#' marginal likelihood. It is a method of [fit_gaussian()].
#'
#' @details
#' The model has `max_features` features. With `form = "infinite"` their probabilities are the first
#' sticks of the stick-breaking construction of the Indian buffet process, \eqn{\pi_k = v_1 \cdots
#' v_k}, \eqn{v_k \sim Beta(\alpha, 1)}. The expectation of \eqn{\log(1 - \pi_k)} is replaced by the
#' multinomial bound of the paper, which has the form of a log of a sum of exponentials. With
#' `form = "finite"` the probabilities are independent, \eqn{\pi_k \sim Beta(\alpha c / K, c)}. This
#' model tends to the process as K grows, and with [prior_beta_bernoulli()] it is that prior itself.
#' Features are reordered by size if that increases the bound of the sticks.
#'
#' **Starts.** The first start uses the independent components of the data, each cut in two, if any
#' stand out from the noise and the data have at most 1e7 entries (1e6 if some are missing). Then
#' there are two kinds of starts. One has `max_features` random features and is annealed, as in the
#' paper: for 100 iterations the noise counts as no smaller than a floor that decreases from the
#' size of the data. The other has no features and adds them one by one from the residuals, as long
#' as the bound increases, as [method_power_ep()] does. This kind is not in the paper and often ends
#' higher. The best result is kept.
#'
#' **Cost.** An iteration takes two products of N x D x K, and \eqn{K^2} operations per row and per
#' column: O(N K D + (N + D) K^2). That is less than the O(N K^2 D) of the paper, because the sums
#' over columns are computed once for all rows.
#'
#' The bound ignores the dependence between entries of Z. If features overlap, the method ends in
#' local maxima whose features are sums or differences of the true ones, more often than sampling
#' does; see `vignette("methods-compared")`.
#'
#' @param max_features (positive integer) Number of features of the model, 20 by default.
#' @param form (string) `"infinite"` (default) or `"finite"`; see Details. `"infinite"` needs
#'   [prior_ibp()] with `concentration = 1`.
#' @param restarts (positive integer or `NULL`) Number of tries of each kind of start. The best
#'   result is kept. `NULL`, the default, means 10 for data of at most 1,000 entries, where a try
#'   takes milliseconds, and 1 otherwise.
#' @param tol (number in (0, 1)) The run ends if the bound changes by less than this share of it,
#'   computed for data with root mean square 1, in five iterations. The default is 1e-4.
#' @param threads (positive integer) Number of threads, 1 by default. The result does not depend on
#'   it.
#' @return An object of class `method_variational`, for the argument `method` of [fit_gaussian()].
#'   It has methods for `format()` and `print()`.
#' @references Doshi-Velez, F., Miller, K. T., Van Gael, J. and Teh, Y. W. (2009). Variational
#'   inference for the Indian buffet process. *AISTATS*, PMLR 5, 137-144.
#' @seealso [method_power_ep()], [objective()], [row_blocks()], [summary.fit_point()]
#' @examples
#' x <- block_images(50)
#' fit <- fit_gaussian(x, method = method_variational(max_features = 8), seed = 1)
#' # four of the eight features are in use
#' fit
#' @export
method_variational <- function(max_features = 20, form = c("infinite", "finite"),
                               restarts = NULL, tol = 1e-4, threads = 1) {
  structure(
    list(
      max_features = check_count(max_features, "max_features"),
      form = check_choice(form, c("infinite", "finite"), "form"),
      restarts = if (!is.null(restarts)) check_count(restarts, "restarts"),
      tol = check_number(tol, "tol", 0, 1, "()"), threads = check_count(threads, "threads")
    ),
    class = c("method_variational", "method_soft", "method_factor", "method_point", "buffet_method")
  )
}

#' Variational factorisation with features added one by one
#'
#' The nonparametric matrix factorisation of Ding, Qi, Xiang, Molloy and Li (2010) is variational
#' inference in which the loadings of all features on a column are inferred jointly. Features are
#' added one by one as long as the bound of the log marginal likelihood increases. It is a method of
#' [fit_gaussian()].
#'
#' @details
#' The model is that of [method_variational()] with `form = "finite"` and `max_features` features.
#' No row has those that are not yet added. The factor of the loadings on a column is a multivariate
#' normal distribution. With normal loadings (IMF in the paper) it is exact given the other factors.
#' With nonnegative loadings (INMF) the constraints are handled by expectation propagation, so that
#' the method is power expectation propagation. The bound then needs the integral over the
#' nonnegative loadings, which is approximate, commonly to a fraction of a nat; it is a bound only
#' to that precision. The result is the best state of the run.
#'
#' In the paper the prior of the probability of a feature becomes improper as the number of features
#' grows. The bound then has no maximum, because it grows without limit while a feature loses its
#' last row. \eqn{Beta(\alpha / K, 1)} with K = `max_features` is used here instead.
#'
#' **Starts.** The first start uses the independent components of the data, as in
#' [method_variational()]. The next has no features. A new feature gets the loadings that explain
#' most of the residuals of a sample of up to 2,000 rows, and all rows have it with probability 1/2
#' before the next iteration. A run ends when three new features in a row do not increase the bound
#' by a share of `tol`.
#'
#' **Cost.** An iteration takes two products of N x D x K and \eqn{K^2} operations per row. Normal
#' loadings also take \eqn{K^3} for every set of columns that lack the same rows, and nonnegative
#' loadings \eqn{K^3} per column and pass over the constraints. That is O(N K D + N K^2 + D K^3);
#' the paper has O(N (K^3 D + K D^2)).
#'
#' @inheritParams method_variational
#' @param max_features (positive integer) Largest number of features of the fit, 20 by default.
#' @param restarts (positive integer) Number of tries, 1 by default. The best result is kept.
#' @return An object of class `method_power_ep`, for the argument `method` of [fit_gaussian()]. It
#'   has methods for `format()` and `print()`.
#' @references Ding, N., Qi, Y., Xiang, R., Molloy, I. and Li, N. (2010). Nonparametric Bayesian
#'   matrix factorization by power-EP. *AISTATS*, PMLR 9, 169-176.
#' @seealso [method_variational()], [objective()], [row_blocks()], [summary.fit_point()]
#' @examples
#' x <- block_images(50)
#' fit <- fit_gaussian(x, "nonnegative", method = method_power_ep(), seed = 1)
#' # far fewer features than the limit of 20: they are added as long as the bound increases
#' fit
#' @export
method_power_ep <- function(max_features = 20, restarts = 1, tol = 1e-4, threads = 1) {
  structure(
    list(
      max_features = check_count(max_features, "max_features"),
      restarts = check_count(restarts, "restarts"), tol = check_number(tol, "tol", 0, 1, "()"),
      threads = check_count(threads, "threads")
    ),
    class = c("method_power_ep", "method_soft", "method_factor", "method_point", "buffet_method")
  )
}

#' @export
format.method_variational <- function(x, ...) {
  sprintf(
    "variational, %s: %d features%s, tolerance %g", x$form, x$max_features, describe_restarts(x),
    x$tol
  )
}

#' @export
format.method_power_ep <- function(x, ...) {
  sprintf(
    "power EP: at most %d features%s, tolerance %g", x$max_features, describe_restarts(x), x$tol
  )
}

describe_restarts <- function(method) {
  if (isTRUE(method$restarts > 1)) sprintf(", %d restarts", method$restarts) else ""
}
