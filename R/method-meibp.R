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
#' @param update (string) When the loadings follow the features:
#'   * `"sweep"`: after all rows have been searched;
#'   * `"row"`: after every row whose features change, as in the program of the paper's authors. A
#'     row that changes costs K x K x D, so this is slow where rows are many, and rows cannot be
#'     shared by the workers of a cluster.
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
#' @srrstats {PD3.2} What each parameter is, with its default; method_variational(), method_beam()
#'   and method_icm() likewise.
method_meibp <- function(max_features = 20, restarts = 1, tol = 1e-7,
                         search = c("climb", "local", "double_greedy"), threads = 1,
                         update = c("sweep", "row")) {
  new_method_meibp(
    check_count(max_features, "max_features"), check_count(restarts, "restarts"),
    check_number(tol, "tol", 0, 1, "()"),
    check_choice(search, c("climb", "local", "double_greedy"), "search"),
    check_count(threads, "threads"), check_choice(update, c("sweep", "row"), "update")
  )
}

new_method_meibp <- function(max_features, restarts, tol, search, threads, update) {
  structure(
    list(
      max_features = max_features, restarts = restarts, tol = tol, search = search,
      threads = threads, update = update
    ),
    class = c("method_meibp", "method_factor", "method_point", "buffet_method")
  )
}

#' @export
format.method_meibp <- function(x, ...) {
  sprintf(
    "MEIBP: at most %d features%s, tolerance %g%s%s", x$max_features,
    if (x$restarts > 1) sprintf(", %d restarts", x$restarts) else "", x$tol,
    if (x$search != "climb") sprintf(", %s search", sub("_", " ", x$search)) else "",
    if (x$update == "row") ", loadings updated row by row" else ""
  )
}
