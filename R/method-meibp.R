#' Maximisation-expectation for nonnegative loadings
#'
#' MEIBP (Reed and Ghahramani 2013) increases a lower bound of the log marginal likelihood until it
#' converges. The features are a point estimate, which is found by submodular maximisation row by
#' row and by moves of whole features. Loadings and hyperparameters have variational posteriors. It
#' is a method of [fit_gaussian()] with `loadings = "nonnegative"`.
#'
#' @details
#' There are two kinds of starts: `max_features` random features (at most 1,000), and one feature
#' that all rows have. From each start, iterations visit every row and update the loadings. Then
#' births, splits, merges and deaths of features are proposed until none increases the bound. On the
#' way there may be more than `max_features` features.
#'
#' With more than 5,000 rows, or for [row_blocks()], all this happens on 2,000 random rows, and the
#' result is carried over to all rows. With more than 20,000 rows only births are proposed after
#' that, and for [row_blocks()] no moves.
#'
#' If features stand out from the noise, MEIBP finds them better and sooner than chains do, and it
#' works for data for which chains are too slow. If they hardly stand out, it treats them as noise:
#' with a single estimate of Z, every feature costs about log 2 per row if half of the rows have it.
#' Its intervals are conditional on Z and therefore too narrow. `vignette("reed-ghahramani")` has
#' measurements.
#'
#' @param max_features (positive integer) Largest number of features of the fit, 20 by default.
#' @param restarts (positive integer) Number of tries of each kind of start, 1 by default. The best
#'   result is kept.
#' @param tol (number in (0, 1)) An iteration that changes the bound by less than this share of it,
#'   computed for data with root mean square 1, counts as no change. The default is 1e-7. For real
#'   data, which no number of features explains entirely, small gains continue for a long time; with
#'   1e-5 or 1e-4 the run ends much sooner.
#' @param search (string) Search for the features of a row, always from the present state:
#'   * `"climb"`, the default: the best flip of one feature until none helps, then the best exchange
#'     of two, from the present features of the row, from none and from all;
#'   * `"local"`: the local search of the paper, which adds and removes features in turn, from the
#'     best single feature;
#'   * `"double_greedy"`: the randomised search of Buchbinder and others (2012), followed by flips
#'     and exchanges.
#' @param threads (positive integer) Number of threads, 1 by default. The result does not depend on
#'   it.
#' @param update (string) When the loadings are updated:
#'   * `"sweep"`, the default: after all rows have been searched;
#'   * `"row"`: after every row whose features change, as in the program of the authors of the
#'     paper. Every such row costs K x K x D operations, so this is slow for many rows. The rows
#'     cannot be shared by the workers of a cluster.
#' @return An object of class `method_meibp`, for the argument `method` of [fit_gaussian()]. It has
#'   methods for `format()` and `print()`.
#' @references Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#'   maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#'
#' Buchbinder, N., Feldman, M., Naor, J. and Schwartz, R. (2012). A tight linear time
#' (1/2)-approximation for unconstrained submodular maximization. *FOCS*, 649-658.
#' \doi{10.1109/FOCS.2012.73}
#' @seealso [objective()], [row_blocks()], [summary.fit_point()]
#' @examples
#' x <- block_images(50)
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(max_features = 10), seed = 1)
#' # four features, as the images were made of
#' fit
#' # their loadings are the four pictures
#' plot(fit, "loadings", dim = c(6, 6))
#' @export
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
