#' Iterated conditional modes
#'
#' Finds a mode of the joint density for [fit_nmf()]. Every entry of the two factors, and the
#' standard deviation of the noise, is set to the mode of its conditional distribution in turn. This
#' is repeated until the log joint density no longer increases.
#'
#' @param restarts (positive integer) Number of random starts, 1 by default. The best result is
#'   kept.
#' @param tol (number in (0, 1)) An iteration that changes the log joint density by less than this
#'   share of the log likelihood, computed for data with root mean square 1, is the last. The
#'   default is 1e-6.
#' @param iter (positive integer) Largest number of iterations from each start, 10000 by default. A
#'   warning says if that was too few.
#' @param threads (positive integer) Number of threads, 1 by default. The result does not depend on
#'   it.
#' @return An object of class `method_icm`, for the argument `method` of [fit_nmf()]. It has methods
#'   for `format()` and `print()`.
#' @references Schmidt, M. N., Winther, O. and Hansen, L. K. (2009). Bayesian non-negative matrix
#'   factorization. *Independent Component Analysis and Signal Separation*, 540-547.
#'   \doi{10.1007/978-3-642-00599-2_68}
#' @seealso [objective()]
#' @examples
#' x <- block_images(50)
#' one <- fit_nmf(x, rank = 8, method = method_icm(), seed = 2)
#' five <- fit_nmf(x, rank = 8, method = method_icm(restarts = 5), seed = 2)
#' # there are many modes: the best of five starts has at least the density of the first
#' max(objective(one))
#' max(objective(five))
#' @export
method_icm <- function(restarts = 1, tol = 1e-6, iter = 10000, threads = 1) {
  new_method_icm(
    check_count(restarts, "restarts"), check_number(tol, "tol", 0, 1, "()"),
    check_count(iter, "iter"), check_count(threads, "threads")
  )
}

new_method_icm <- function(restarts, tol, iter, threads) {
  structure(
    list(restarts = restarts, tol = tol, iter = iter, threads = threads),
    class = c("method_icm", "method_point", "buffet_method")
  )
}

#' @export
format.method_icm <- function(x, ...) {
  sprintf(
    "ICM: %stolerance %g, at most %d iterations",
    if (x$restarts > 1) sprintf("%d restarts, ", x$restarts) else "", x$tol, x$iter
  )
}
