#' Mean-field variational inference
#'
#' The variational inference of Doshi-Velez, Miller, Van Gael and Teh (2009): every entry of Z has a
#' probability of its own, every loading a distribution, the probabilities of the features beta
#' factors, and all are made to raise a lower bound of the log evidence by turns. For
#' [fit_gaussian()].
#'
#' @details
#' The model has `max_features` features. With `form = "infinite"` their probabilities are the first
#' sticks of the stick-breaking construction of the Indian buffet process,
#' \eqn{\pi_k = v_1 \cdots v_k}, \eqn{v_k \sim Beta(\alpha, 1)}; the expectation of
#' \eqn{\log(1 - \pi_k)} is replaced by the multinomial bound of the paper, which has the form of a
#' log of a sum of exponentials. With `form = "finite"` they are independent, \eqn{\pi_k \sim
#' Beta(\alpha c / K, c)}: the model that tends to the process, or with [prior_beta_bernoulli()]
#' that prior itself. Features may also be put in the order of their sizes, where that raises the
#' bound of the sticks.
#'
#' **Starts.** The first start is from the independent components of the data, each cut in two, where
#' any stand out of the noise and the data have at most 1e7 entries (1e6 where some are missing).
#' Restarts are of two kinds. One starts from `max_features` random features and is annealed, as in the
#' paper: for 100 iterations the noise counts as no smaller than a floor that falls from the size of
#' the data. The other starts without features and adds them one by one from the residuals, as long as
#' the bound rises, as [method_power_ep()] does; that is not in the paper, and often ends higher. The
#' best of all is kept.
#'
#' **Cost.** An iteration takes two products of N x D x K, \eqn{K^2} operations a row and \eqn{K^2}
#' a column: O(N K D + (N + D) K^2). It is less than the O(N K^2 D) of the paper, as the sums over
#' the columns are taken once for all rows.
#'
#' The bound ignores that entries of Z depend on each other. Where features overlap it ends in local
#' maxima with features that are sums or differences of the true ones, more often than sampling
#' does; see `vignette("methods-compared")`.
#'
#' @param max_features (positive integer) Features of the model.
#' @param form (string) `"infinite"` or `"finite"`, see Details.
#' @param restarts (positive integer) How often each kind of start is tried; the best is kept.
#' @param tol (number in (0, 1)) A relative change of the bound in five iterations that counts as
#'   none.
#' @param threads (positive integer) Threads. The result does not depend on it.
#' @return An object of class `method_variational`.
#' @references
#' Doshi-Velez, F., Miller, K. T., Van Gael, J. and Teh, Y. W. (2009). Variational inference for the
#' Indian buffet process. *AISTATS*, PMLR 5, 137-144.
#' @seealso [method_power_ep()], [objective()], [row_blocks()], [summary.fit_point()]
#' @examples
#' x <- block_images(50)
#' fit <- fit_gaussian(x, method = method_variational(max_features = 8), seed = 1)
#' fit
#' @export
method_variational <- function(max_features = 20, form = c("infinite", "finite"), restarts = 1,
                               tol = 1e-4, threads = 1) {
  structure(
    list(
      max_features = check_count(max_features, "max_features"),
      form = check_choice(form, c("infinite", "finite"), "form"),
      restarts = check_count(restarts, "restarts"), tol = check_number(tol, "tol", 0, 1, "()"),
      threads = check_count(threads, "threads")
    ),
    class = c("method_variational", "method_soft", "method_factor", "method_point", "buffet_method")
  )
}

#' Variational factorisation with features added one by one
#'
#' The nonparametric matrix factorisation of Ding, Qi, Xiang, Molloy and Li (2010): variational
#' inference in which the loadings of all features of a column are inferred jointly, and features
#' are added one by one as long as the bound of the log evidence rises. For [fit_gaussian()].
#'
#' @details
#' The model is that of [method_variational()] with `form = "finite"`, `max_features` features of
#' which those not yet added are held by no row. The factor of a column's loadings is a
#' multivariate normal. With normal loadings (IMF in the paper) it is exact given the other factors.
#' With nonnegative ones (INMF) the constraints are handled by expectation propagation, a power
#' expectation propagation in all: the integral over the nonnegative loadings, which the bound
#' needs, is then an approximation, commonly to a fraction of a nat, so that the bound is one only
#' to that precision. The best state on the way is the result.
#'
#' The paper lets the prior of a feature's probability tend to an improper one as the number of
#' features grows. Under that its bound has no maximum, as it grows without limit while a feature
#' loses its last row; so \eqn{Beta(\alpha / K, 1)} is kept here, with K = `max_features`.
#'
#' **Starts.** The first start is from the independent components of the data, as for
#' [method_variational()], the next from no features. A new feature has the loadings that explain most
#' of the residuals of some of up to 2,000 rows, and all rows hold it with probability one half before
#' the next iteration. When three in a row do not raise the bound by a share of `tol`, that is the end.
#'
#' **Cost.** An iteration takes two products of N x D x K and \eqn{K^2} operations a row; beyond
#' that normal loadings take \eqn{K^3} for every set of columns that lack the same rows, nonnegative
#' ones \eqn{K^3} a column and pass over the constraints: O(N K D + N K^2 + D K^3), where the paper
#' has O(N (K^3 D + K D^2)).
#'
#' @inheritParams method_variational
#' @param max_features (positive integer) Most features that the fit may have.
#' @param restarts (positive integer) How often it is done; the best is kept.
#' @return An object of class `method_power_ep`.
#' @references
#' Ding, N., Qi, Y., Xiang, R., Molloy, I. and Li, N. (2010). Nonparametric Bayesian matrix
#' factorization by power-EP. *AISTATS*, PMLR 9, 169-176.
#' @seealso [method_variational()], [objective()], [row_blocks()], [summary.fit_point()]
#' @examples
#' x <- block_images(50)
#' fit <- fit_gaussian(x, "nonnegative", method = method_power_ep(), seed = 1)
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
  if (method$restarts > 1) sprintf(", %d restarts", method$restarts) else ""
}
