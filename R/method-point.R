#' Maximisation-expectation for nonnegative loadings
#'
#' MEIBP (Reed and Ghahramani 2013) increases a lower bound on the log marginal likelihood until it
#' converges. The features are a point estimate, found by submodular maximisation row by row and by
#' moves of whole features. Loadings and hyperparameters have variational posteriors. It is a method
#' of [fit_gaussian()] with `loadings = "nonnegative"` and [prior_ibp()] or [prior_beta_bernoulli()]
#' with a number as `concentration` (and as `alpha` of the latter).
#'
#' There are two kinds of starts: `max_features` random features (at most 1,000), and one feature
#' that all rows have. From each start, iterations visit every row and update the loadings. Then
#' births, splits, merges and deaths of features are proposed until none increases the bound. During
#' the search there may be more than `max_features` features.
#'
#' With more than 5,000 rows, or for [row_blocks()], these steps use 2,000 random rows, and the
#' result is extended to all rows. After that, only births are proposed if there are more than
#' 20,000 rows, and no moves for [row_blocks()].
#'
#' If features stand out from the noise, MEIBP finds them more reliably and faster than chains do,
#' and it works for data for which chains are too slow. If they hardly stand out, it treats them as
#' noise: with a single estimate of Z, the penalty for a feature is about log 2 per row if half of
#' the rows have it. Its intervals are conditional on Z and therefore too narrow.
#' `vignette("reed-ghahramani")` reports measurements.
#'
#' @param max_features (positive integer) Largest number of features of the fit, 20 by default.
#' @param restarts (positive integer) Number of starts of each kind, 1 by default. The best result
#'   is kept.
#' @param tol (number in (0, 1)) An iteration that changes the bound, computed for data with root
#'   mean square 1, by less than this share counts as no change. The default is 1e-7. For real data,
#'   which no number of features explains entirely, small gains continue for a long time; with 1e-5
#'   or 1e-4 the run ends much sooner.
#' @param search (string) How to search for the features of a row, which keeps its current features
#'   unless better ones are found:
#'   * `"climb"`, the default: the best flip of one feature until none helps, then the best exchange
#'     of two, starting from the current features of the row, from none and from all;
#'   * `"local"`: the local search of the paper, which adds and removes features in turn, from the
#'     best single feature;
#'   * `"double_greedy"`: the randomised search of Buchbinder and others (2012), followed by flips
#'     and exchanges.
#' @param cores (positive integer) Number of threads, by default the option `mc.cores` or 1. The
#'   result does not depend on it.
#' @param threads Deprecated; use `cores`.
#' @param update (string) When the loadings are updated:
#'   * `"sweep"`, the default: after all rows have been searched;
#'   * `"row"`: after every row whose features change, as in the program of the paper's authors.
#'     Every such row takes K x K x D operations and a count of the rows that share two features, so
#'     this is slow for many rows. The rows then cannot be divided among the workers of a cluster.
#' @return An object of class `method_meibp`, for the argument `method` of [fit_gaussian()].
#' @references Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#'   maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#'
#' Buchbinder, N., Feldman, M., Naor, J. and Schwartz, R. (2012). A tight linear time
#' (1/2)-approximation for unconstrained submodular maximization. *FOCS*, 649-658.
#' \doi{10.1109/FOCS.2012.73}
#' @seealso [objective()], [row_blocks()]
#' @examples
#' x <- sim_images(50)
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(max_features = 10), seed = 1)
#' # four features, as in the simulated images
#' fit
#' # their loadings are the four pictures
#' plot(fit, "loadings", dim = c(6, 6))
#' @export
method_meibp <- function(max_features = 20, restarts = 1, tol = 1e-7,
                         search = c("climb", "local", "double_greedy"),
                         cores = getOption("mc.cores", 1L), update = c("sweep", "row"),
                         threads = lifecycle::deprecated()) {
  new_method_point(
    c("method_meibp", "method_factor"), tol, cores_of(cores, threads, "method_meibp"),
    max_features = check_count(max_features, "max_features"),
    restarts = check_count(restarts, "restarts"),
    search = check_choice(search, c("climb", "local", "double_greedy"), "search"),
    update = check_choice(update, c("sweep", "row"), "update")
  )
}

new_method_point <- function(class, tol, cores, ...) {
  structure(
    list(..., tol = check_number(tol, "tol", 0, 1, "()"), cores = check_count(cores, "cores")),
    class = c(class, "method_point", "buffet_method")
  )
}

#' @export
format.method_meibp <- function(x, ...) {
  sprintf(
    "MEIBP: at most %d features%s, tolerance %g%s%s", x$max_features, describe_restarts(x), x$tol,
    if (x$search != "climb") sprintf(", %s search", sub("_", " ", x$search)) else "",
    if (x$update == "row") ", loadings updated row by row" else ""
  )
}

#' Mean-field variational inference
#'
#' The variational inference of Doshi-Velez, Miller, Van Gael and Teh (2009): every entry of Z has
#' its own probability, every loading its own distribution, and the probabilities of the features
#' have beta distributions. Updating these factors in turn increases a lower bound on the log
#' marginal likelihood. It is a method of [fit_gaussian()] with [prior_ibp()] (`discount = 0`) or
#' [prior_beta_bernoulli()] with a number as `concentration` (and, unless this is 1, as `alpha`).
#'
#' The model has `max_features` features, or `n_features` with [prior_beta_bernoulli()], of which at
#' most `max_features` are used. With `form = "infinite"` their probabilities are the first sticks
#' of the stick-breaking construction of the Indian buffet process, \eqn{\pi_k = v_1 \cdots v_k},
#' \eqn{v_k \sim Beta(\alpha, 1)}. The expectation of \eqn{\log(1 - \pi_k)} is replaced by the
#' multinomial bound of the paper, which has the form of a log of a sum of exponentials. With
#' `form = "finite"` the probabilities are independent, \eqn{\pi_k \sim Beta(\alpha c / K, c)}.
#' This is [prior_beta_bernoulli()], which converges to the Indian buffet process as K grows.
#' Features are reordered by size if that increases the bound for the sticks.
#'
#' **Starts.** The first start uses the independent components of the data, each split in two, if
#' any stand out from the noise and the data have at most 1e7 entries (1e6 if some are missing).
#' Then there are two kinds of starts. One has `max_features` random features and is annealed, as in
#' the paper. The other has no features and adds them one by one from the residuals, as long as the
#' bound increases, as [method_power_ep()] does. The best result is kept.
#'
#' The bound ignores the dependence between entries of Z. If features overlap, the method ends more
#' often than sampling in local maxima whose features are sums or differences of the true ones; see
#' `vignette("methods-compared")`.
#'
#' @inheritParams method_meibp
#' @param max_features (positive integer) Number of features of the model, 20 by default.
#' @param form (string) `"infinite"` (default) or `"finite"`; see Details. `"infinite"` needs
#'   [prior_ibp()] with `concentration = 1`.
#' @param restarts (positive integer or `NULL`) Number of starts of each kind. The best result is
#'   kept. `NULL`, the default, means 10 for data with at most 1,000 entries, for which a run takes
#'   milliseconds, and 1 otherwise.
#' @param tol (number in (0, 1)) The run ends if the bound, computed for data with root mean square
#'   1, increases by less than this share in five iterations, and again in five that begin with a
#'   search for the features of each row. The default is 1e-4.
#' @return An object of class `method_variational`, for the argument `method` of [fit_gaussian()].
#' @references Doshi-Velez, F., Miller, K. T., Van Gael, J. and Teh, Y. W. (2009). Variational
#'   inference for the Indian buffet process. *AISTATS*, PMLR 5, 137-144.
#' @seealso [method_power_ep()], [objective()], [row_blocks()]
#' @examples
#' fit <- fit_gaussian(sim_images(50), method = method_variational(max_features = 8), seed = 1)
#' # four of the eight features are in use
#' fit
#' @export
method_variational <- function(max_features = 20, form = c("infinite", "finite"),
                               restarts = NULL, tol = 1e-4, cores = getOption("mc.cores", 1L),
                               threads = lifecycle::deprecated()) {
  new_method_point(
    c("method_variational", "method_soft", "method_factor"), tol,
    cores_of(cores, threads, "method_variational"),
    max_features = check_count(max_features, "max_features"),
    form = check_choice(form, c("infinite", "finite"), "form"),
    restarts = if (!is.null(restarts)) check_count(restarts, "restarts")
  )
}

#' Variational factorisation with features added one by one
#'
#' The nonparametric matrix factorisation of Ding, Qi, Xiang, Molloy and Li (2010) is variational
#' inference in which the loadings of all features on a column are inferred jointly. Features are
#' added one by one as long as the bound on the log marginal likelihood increases. It is a method of
#' [fit_gaussian()] with the priors of [method_variational()].
#'
#' The model is the same as in [method_variational()] with `form = "finite"`. No row has a feature
#' that has not been added yet. The factor of the loadings on a column is a multivariate normal
#' distribution. With normal loadings (IMF in the paper) it is exact given the other factors. With
#' nonnegative loadings (INMF) the constraints are handled by expectation propagation, so the method
#' is power expectation propagation. The bound then needs the integral over the nonnegative
#' loadings, which is approximated, usually to within a fraction of a nat; it is a bound only to
#' that precision. The result is the best state of the run.
#' The first start uses the independent components of the data, as in [method_variational()]; the
#' next has no features. Features are added until there are `max_features` or three in a row have
#' increased the bound by less than a share of `tol`. `vignette("methods-compared")` describes how
#' the method departs from the paper.
#'
#' @inheritParams method_variational
#' @param max_features (positive integer) Largest number of features of the fit, 20 by default.
#' @param restarts (positive integer) Number of starts without features, 1 by default. The best
#'   result is kept.
#' @return An object of class `method_power_ep`, for the argument `method` of [fit_gaussian()].
#' @references Ding, N., Qi, Y., Xiang, R., Molloy, I. and Li, N. (2010). Nonparametric Bayesian
#'   matrix factorization by power-EP. *AISTATS*, PMLR 9, 169-176.
#' @seealso [method_variational()], [objective()], [row_blocks()]
#' @examples
#' fit <- fit_gaussian(sim_images(50), "nonnegative", method = method_power_ep(), seed = 1)
#' # far fewer features than the limit of 20: they are added as long as the bound increases
#' fit
#' @export
method_power_ep <- function(max_features = 20, restarts = 1, tol = 1e-4,
                            cores = getOption("mc.cores", 1L),
                            threads = lifecycle::deprecated()) {
  new_method_point(
    c("method_power_ep", "method_soft", "method_factor"), tol,
    cores_of(cores, threads, "method_power_ep"),
    max_features = check_count(max_features, "max_features"),
    restarts = check_count(restarts, "restarts")
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

#' Beam search for the most probable features
#'
#' Adds rows one at a time and keeps the `width` best feature matrices for the rows so far, with the
#' loadings integrated out (after Rai and Daume 2011). The result is one estimate of Z, near the
#' most probable one. It is a method of [fit_gaussian()] with normal loadings and the priors of
#' [method_meibp()].
#'
#' **Score.** The score of a matrix of n rows is
#' \deqn{\log P([Z_{1:n}]) + \log p(X_{1:n} | Z_{1:n}).}
#' The first term is the prior of the left-ordered class of the matrix, with `alpha` integrated out
#' if it is learned with [prior_ibp()]. The second is the density of the observed entries with the
#' loadings integrated out. With `width = Inf` every class of at most `max_features` features is
#' kept and scored. The result is then the same as by enumeration, which is feasible for a handful
#' of rows.
#'
#' **Candidates.** Each kept matrix proposes features for the next row: the best `width` assignments
#' found by a second beam search, which decides on one feature at a time, each combined with zero,
#' one, two, ... new features. The `2 width` candidates with the highest scores get a bonus, and the
#' `width` with the highest sums of score and bonus are kept. The bonus is the sum, over the next
#' `lookahead` rows, of what each row by itself could add to the score, with features found by
#' climbing and at most one new feature. Rows are added in the order of their mean squares, smallest
#' first.
#'
#' **Standard deviations** that are learned are held fixed during a search. Then they are set to the
#' values whose logarithms are most probable given the features found, and the search is repeated
#' until the joint density no longer increases, with at most ten searches. `sigma_x` starts from a
#' half, a quarter and an eighth of the root mean square of the data, `sigma_a` from the root mean
#' square itself, and the best result is kept. `init` can specify a single start instead.
#'
#' The fit contains the normal posterior of the loadings given its features. [objective()] returns
#' the best log joint density so far, after each search: the score of all rows, plus the log prior
#' density of the log precision, \eqn{\log(1 / \sigma^2)}, of each standard deviation that is
#' learned. The search is deterministic, so `seed` has no effect. `vignette("methods-compared")`
#' describes how it departs from the paper and how long it takes.
#'
#' @inheritParams method_meibp
#' @param width (positive integer up to 1e6, or `Inf`) Number of matrices that are kept, 10 by
#'   default.
#' @param lookahead (non-negative integer) Number of later rows that the bonus considers, 5 by
#'   default. 0 turns the bonus off.
#' @return An object of class `method_beam`, for the argument `method` of [fit_gaussian()].
#' @references Rai, P. and Daume III, H. (2011). Beam search based MAP estimates for the Indian
#'   buffet process. *ICML*, 705-712.
#' @seealso [objective()]
#' @examples
#' fit <- fit_gaussian(sim_images(50), method = method_beam(max_features = 8))
#' # four features, as in the simulated images
#' fit
#' features(fit)[1:5, ]
#' @export
method_beam <- function(width = 10, max_features = 20, lookahead = 5) {
  if (!identical(width, Inf)) {
    if (!is_scalar_number(width) || width < 1 || width > 1e6 || width != round(width)) {
      stop_argument("width", "be one whole number from 1 to 1e6, or Inf", width)
    }
    width <- as.double(width)
  }
  structure(
    list(
      width = width, max_features = check_count(max_features, "max_features"),
      lookahead = check_count(lookahead, "lookahead", lower = 0)
    ),
    class = c("method_beam", "method_factor", "method_point", "buffet_method")
  )
}

#' @export
format.method_beam <- function(x, ...) {
  sprintf(
    "beam search: width %g, at most %s%s", x$width, counted(x$max_features, "feature"),
    if (x$lookahead > 0) sprintf(", looking %s ahead", counted(x$lookahead, "row")) else ""
  )
}

#' Iterated conditional modes
#'
#' Finds a mode of the joint density for [fit_nmf()]. Every entry of the two factors, and the
#' variance of the noise, is set to the mode of its conditional distribution in turn. This is
#' repeated until the log joint density no longer increases.
#'
#' @inheritParams method_meibp
#' @param restarts (positive integer) Number of random starts, 1 by default. The best result is
#'   kept.
#' @param tol (number in (0, 1)) An iteration that changes the log joint density by less than this
#'   share of the log likelihood, computed for data with root mean square 1, is the last. The
#'   default is 1e-6.
#' @param iter (positive integer) Largest number of iterations from each start, 10000 by default. If
#'   that was too few, there is a warning.
#' @return An object of class `method_icm`, for the argument `method` of [fit_nmf()].
#' @inherit fit_nmf references
#' @seealso [objective()]
#' @examples
#' x <- sim_images(50)
#' one <- fit_nmf(x, rank = 8, method = method_icm(), seed = 2)
#' five <- fit_nmf(x, rank = 8, method = method_icm(restarts = 5), seed = 2)
#' # there are many modes: the best of five starts has at least the density of the first
#' max(objective(one))
#' max(objective(five))
#' @export
method_icm <- function(restarts = 1, tol = 1e-6, iter = 10000,
                       cores = getOption("mc.cores", 1L), threads = lifecycle::deprecated()) {
  new_method_point("method_icm", tol, cores_of(cores, threads, "method_icm"),
    restarts = check_count(restarts, "restarts"), iter = check_count(iter, "iter")
  )
}

#' @export
format.method_icm <- function(x, ...) {
  sprintf(
    "ICM: %stolerance %g, at most %d iterations",
    if (x$restarts > 1) sprintf("%d restarts, ", x$restarts) else "", x$tol, x$iter
  )
}
