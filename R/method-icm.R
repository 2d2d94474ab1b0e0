#' Iterated conditional modes
#'
#' For [fit_nmf()]: every entry of the factors, and the noise, is set to the mode of its conditional
#' distribution, again and again, until the log joint density no longer rises.
#'
#' @param restarts (positive integer) From how many random starts; the best end is kept.
#' @param tol (number in (0, 1)) A relative change of the log joint density that counts as none.
#' @param iter (positive integer) Most iterations from each start. A warning says where that was too
#'   few.
#' @param threads (positive integer) Threads. The result does not depend on it.
#' @return An object of class `method_icm`.
#' @references
#' Schmidt, M. N., Winther, O. and Hansen, L. K. (2009). Bayesian non-negative matrix factorization.
#' *Independent Component Analysis and Signal Separation*, 540-547.
#' \doi{10.1007/978-3-642-00599-2_68}
#' @seealso [objective()]
#' @examples
#' method_icm(restarts = 5)
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
