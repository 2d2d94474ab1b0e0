#' Inference by Gibbs sampling
#'
#' Describes how chains are run: how many, how long, which sampler. Give it to `method` of a
#' `fit_*()` function.
#'
#' @param chains (positive integer) Number of chains. Each has its own stream of random numbers and
#'   its own starting point.
#' @param iter (positive integer) Sweeps of each chain, warm-up included. One sweep visits every
#'   entry of the feature matrix once, and makes the moves of whole features and hyperparameters.
#' @param warmup (non-negative integer, less than `iter`) Sweeps at the beginning that are not kept.
#' @param thin (positive integer) Every `thin`-th sweep is kept.
#' @param cores (positive integer) Threads that run the chains. The result does not depend on it.
#' @param sampler (string or `NULL`) `NULL` is the likelihood's default. [fit_gaussian()] has
#'   `"collapsed"` (normal loadings only), `"uncollapsed"` and `"slice"` (not with [prior_pibp()]);
#'   see there. [fit_logistic()] has `"uncollapsed"` and `"neal"`, [fit_choice()] `"uncollapsed"`,
#'   [fit_topics()] `"collapsed"`, [fit_cascade()] `"slice"`, `"multiple_try"` and `"elliptical"`.
#' @param refresh (non-negative integer or `NULL`) The progress bar is redrawn after this many more
#'   sweeps; `NULL`: after a hundredth of `iter`; 0 shows none.
#' @param max_features (positive integer or `NULL`) Most features that the chains may have. The
#'   posterior is then that given that there are no more: every move to more is refused, and all
#'   else, the draws of `alpha` among it, stays as it is. These are the truncated samplers that Reed
#'   and Ghahramani (2013) compare; a sweep costs no more than that many features ask for, which
#'   with real data, that no number of features explains entirely, can be what keeps a chain within
#'   reach. What new rows have besides, in `predict()`, is not limited. `NULL`: as many as the prior
#'   has.
#' @param moves (non-negative integer or `NULL`) Only for [fit_topics()]: Metropolis moves of every
#'   document's set of topics a sweep; `NULL` is 1.
#' @return An object of class `method_gibbs`, for the `method` argument of [fit_gaussian()],
#'   [fit_logistic()], [fit_choice()], [fit_nmf()], [fit_topics()] and [fit_cascade()].
#' @references
#' Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#' maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#' @examples
#' method_gibbs(chains = 2, iter = 500)
#' method_gibbs(max_features = 10)
#' @export
method_gibbs <- function(chains = 4, iter = 2000, warmup = floor(iter / 2), thin = 1,
                         cores = getOption("mc.cores", 1L), sampler = NULL, refresh = NULL,
                         max_features = NULL, moves = NULL) {
  chains <- check_count(chains, "chains")
  iter <- check_count(iter, "iter")
  warmup <- check_count(warmup, "warmup", lower = 0)
  thin <- check_count(thin, "thin")
  if (warmup >= iter) stop_argument("warmup", sprintf("be less than `iter` (%d)", iter), warmup)
  if (iter %/% thin <= warmup %/% thin) {
    stop_argument("thin", "leave at least one sweep after the warm-up", thin)
  }
  new_method_gibbs(
    chains, iter, warmup, thin, check_count(cores, "cores"),
    if (!is.null(sampler)) check_string(sampler, "sampler"),
    if (!is.null(refresh)) check_count(refresh, "refresh", 0),
    if (!is.null(max_features)) check_count(max_features, "max_features"),
    if (!is.null(moves)) check_count(moves, "moves", 0)
  )
}

new_method_gibbs <- function(chains, iter, warmup, thin, cores, sampler, refresh, max_features,
                             moves) {
  structure(
    list(
      chains = chains, iter = iter, warmup = warmup, thin = thin, cores = cores,
      sampler = sampler, refresh = refresh, max_features = max_features, moves = moves
    ),
    class = c("method_gibbs", "buffet_method")
  )
}

#' @export
format.method_gibbs <- function(x, ...) {
  sprintf(
    "%s Gibbs: %d chain%s of %d sweeps (%d warm-up)%s%s%s",
    x$sampler %||% "default", x$chains, if (x$chains == 1) "" else "s", x$iter, x$warmup,
    if (x$thin > 1) sprintf(", thin %d", x$thin) else "",
    if (!is.null(x$max_features)) sprintf(", at most %d features", x$max_features) else "",
    if (!is.null(x$moves)) sprintf(", %d move%s", x$moves, if (x$moves == 1) "" else "s") else ""
  )
}

#' Maximisation-expectation for nonnegative loadings
#'
#' MEIBP (Reed and Ghahramani 2013): the features are a point estimate, found by submodular
#' maximisation row by row and by moves of whole features; loadings and hyperparameters have
#' variational posteriors. It raises a lower bound of the log evidence until that no longer rises.
#' For [fit_gaussian()] with `loadings = "nonnegative"`.
#'
#' @details
#' From each of two kinds of start (`max_features` random features, 1,000 at most; one that all rows
#' hold)
#' iterations visit every row and update the loadings, and then births, splits, merges and deaths of
#' features are proposed until none raises the bound. Features may exceed `max_features` on the
#' way. Where there are more than 5,000 rows, or the data are [row_blocks()], this is done for 2,000
#' rows drawn at random, and what is found there is carried over to all of them; beyond 20,000 rows
#' only births are proposed after that, and to [row_blocks()] nothing.
#'
#' Where features stand out from the noise it is better and sooner at them than chains are, and it
#' can do data for which chains are too slow. Where they hardly do, it takes them for noise: one
#' estimate of Z pays for every feature, about log 2 a row if half of the rows hold it. Its
#' intervals are those given Z, so they are too narrow. `vignette("reed-ghahramani")` has
#' measurements.
#'
#' @param max_features (positive integer) Most features that the fit may have.
#' @param restarts (positive integer) How often each kind of start is tried; the best is kept.
#' @param tol (number in (0, 1)) A relative change of the bound that counts as none. Real data,
#'   which no number of features explains entirely, have small gains in store for long: 1e-5 or 1e-4
#'   ends much sooner there.
#' @param search (string) How the features of a row are searched, always from where they are:
#'   * `"climb"`: the best flip of one feature until none helps, then the best exchange of two, from
#'     the row's present features, from none and from all;
#'   * `"local"`: the local search of the paper, which adds and removes features by turns from the
#'     best single one;
#'   * `"double_greedy"`: the randomised search of Buchbinder et al. (2012), then flips and
#'     exchanges.
#' @param threads (positive integer) Threads. The result does not depend on it.
#' @return An object of class `method_meibp`.
#' @references
#' Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#' maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#'
#' Buchbinder, N., Feldman, M., Naor, J. and Schwartz, R. (2012). A tight linear time
#' (1/2)-approximation for unconstrained submodular maximization. *FOCS*, 649-658.
#' \doi{10.1109/FOCS.2012.73}
#' @seealso [objective()], [row_blocks()], [summary.fit_point()]
#' @examples
#' method_meibp(max_features = 10)
#' @export
method_meibp <- function(max_features = 20, restarts = 1, tol = 1e-7,
                         search = c("climb", "local", "double_greedy"), threads = 1) {
  new_method_meibp(
    check_count(max_features, "max_features"), check_count(restarts, "restarts"),
    check_number(tol, "tol", 0, 1, "()"),
    check_choice(search, c("climb", "local", "double_greedy"), "search"),
    check_count(threads, "threads")
  )
}

new_method_meibp <- function(max_features, restarts, tol, search, threads) {
  structure(
    list(
      max_features = max_features, restarts = restarts, tol = tol, search = search,
      threads = threads
    ),
    class = c("method_meibp", "buffet_method")
  )
}

#' @export
format.method_meibp <- function(x, ...) {
  sprintf(
    "MEIBP: at most %d features%s, tolerance %g%s", x$max_features,
    if (x$restarts > 1) sprintf(", %d restarts", x$restarts) else "", x$tol,
    if (x$search != "climb") sprintf(", %s search", sub("_", " ", x$search)) else ""
  )
}

#' @export
print.buffet_method <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

check_method <- function(method) {
  if (!inherits(method, "buffet_method")) {
    stop_argument("method", "be made by a method_*() function", method)
  }
  method
}

#' A method for a likelihood that is fitted by sampling only
#' @noRd
check_gibbs <- function(method, samplers) {
  if (!inherits(check_method(method), "method_gibbs")) {
    stop_argument("method", "be a method_gibbs()", method)
  }
  choose_sampler(method, samplers)
}

#' The sampler that a likelihood will use, by name
#' @noRd
choose_sampler <- function(method, samplers) {
  if (!is.null(method$moves)) {
    stop_argument("moves", "be NULL: only fit_topics() has such moves", method$moves)
  }
  sampler <- method$sampler %||% samplers[1]
  if (!sampler %in% samplers) {
    known <- paste(encodeString(samplers, quote = "\""), collapse = ", ")
    must <- if (length(samplers) == 1) paste("be", known) else paste("be one of", known)
    stop_argument("sampler", paste(must, "for this likelihood and prior"), sampler)
  }
  method$sampler <- sampler
  method
}

`%||%` <- function(x, y) if (is.null(x)) y else x # nolint: object_name_linter.
