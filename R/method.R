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
#'   `"collapsed"` (normal loadings only), `"uncollapsed"` and `"slice"`; see there.
#' @param refresh (non-negative integer or `NULL`) The progress bar is redrawn after this many more
#'   sweeps; `NULL`: after a hundredth of `iter`; 0 shows none.
#' @return An object of class `method_gibbs`.
#' @examples
#' method_gibbs(chains = 2, iter = 500)
#' @export
method_gibbs <- function(chains = 4, iter = 2000, warmup = floor(iter / 2), thin = 1,
                         cores = getOption("mc.cores", 1L), sampler = NULL, refresh = NULL) {
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
    if (!is.null(refresh)) check_count(refresh, "refresh", 0)
  )
}

new_method_gibbs <- function(chains, iter, warmup, thin, cores, sampler, refresh) {
  structure(
    list(
      chains = chains, iter = iter, warmup = warmup, thin = thin, cores = cores,
      sampler = sampler, refresh = refresh
    ),
    class = c("method_gibbs", "buffet_method")
  )
}

#' @export
format.method_gibbs <- function(x, ...) {
  sprintf(
    "%s Gibbs: %d chain%s of %d sweeps (%d warm-up)%s",
    x$sampler %||% "default", x$chains, if (x$chains == 1) "" else "s", x$iter, x$warmup,
    if (x$thin > 1) sprintf(", thin %d", x$thin) else ""
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

#' The sampler that a likelihood will use, by name
#' @noRd
choose_sampler <- function(method, samplers) {
  sampler <- method$sampler %||% samplers[1]
  if (!sampler %in% samplers) {
    known <- paste(encodeString(samplers, quote = "\""), collapse = ", ")
    must <- if (length(samplers) == 1) paste("be", known) else paste("be one of", known)
    stop_argument("sampler", paste(must, "for this likelihood"), sampler)
  }
  method$sampler <- sampler
  method
}

`%||%` <- function(x, y) if (is.null(x)) y else x # nolint: object_name_linter.
