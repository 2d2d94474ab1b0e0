#' Run the chains of a fit longer
#'
#' @param object A fit by sampling.
#' @param iter (positive integer) Sweeps of each chain in all, as in [method_gibbs()]: at least as
#'   many as its chains have done, which are fewer than were planned where the fit was interrupted.
#'   The warm-up stays what it was.
#' @param verbose,file,cl As in [fit_gaussian()].
#' @param cores As in [method_gibbs()].
#' @param ... Must be empty.
#' @return A fit of the same class, identical to that of a run of `iter` sweeps from the beginning
#'   where chains have not gone on by themselves (see [method_gibbs()]).
#' @examples
#' x <- block_images(30)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 1, iter = 100), seed = 1)
#' longer <- update(fit, iter = 200)
#' length(feature_draws(longer))
#' @importFrom stats update
#' @export
update.fit_mcmc <- function(object, iter, verbose = TRUE, file = NULL,
                            cores = getOption("mc.cores", 1L), cl = NULL, ...) {
  check_no_more(...)
  method <- object$method
  method$iter <- check_more(iter, object)
  method$max_iter <- method$iter
  method$goes_on_with <- Inf
  method$cores <- check_count(cores, "cores")
  check_flag(verbose, "verbose")
  file <- check_file(file)
  control <- list(
    seed = object$seed, search = FALSE, own_starts = FALSE, cl = check_cluster(cl, method)
  )
  # The chains go on from where they stand.
  run <- new_run(method, object$model, check_starts(object$model, NULL, method), control)
  new_fit_mcmc(run_to_end(run, run_sweeps, file, verbose, continued_chains(object)), run)
}

#' @export
update.fit_point <- function(object, ...) stop_no_sampling(object, "object")

check_more <- function(iter, fit) {
  if (missing(iter)) stop("`iter` must be given: the sweeps in all.", call. = FALSE)
  iter <- check_count(iter, "iter")
  if (any(vapply(fit$chains, function(chain) length(chain$state) == 0, NA))) {
    stop("`object` was interrupted within a sweep and cannot go on; run it again with a `file`.",
      call. = FALSE
    )
  }
  done <- max(vapply(fit$chains, sweeps_done, 1L))
  if (iter < done) {
    must <- sprintf("be at least %d, the sweeps that the chains of the fit have done", done)
    stop_argument("iter", must, iter)
  }
  iter
}

#' Sweeps that a chain has done: the first number of its state
#' @noRd
sweeps_done <- function(chain) readBin(chain$state, "integer")

#' The chains as the core left them
#' @noRd
continued_chains <- function(fit) {
  kept <- dim(fit$scalars)[1]
  ends <- cumsum(c(0, loading_counts(fit$model, unclass(fit$draws)$sizes)))
  lapply(seq_along(fit$chains), function(c) {
    chain <- fit$chains[[c]]
    of_chain <- (c - 1) * kept + seq_len(kept)
    draws <- unclass(fit$draws[of_chain])
    from <- ends[(c - 1) * kept + 1]
    own <- if (length(fit$draws_loadings)) {
      fit$draws_loadings[from + seq_len(ends[c * kept + 1] - from)]
    }
    list(
      scalars = chain$scalars, sizes = c(draws$sizes, chain$sizes),
      bits = c(draws$bits, chain$bits), loadings = c(own, chain$loadings),
      bytes = c(select_bytes(fit, of_chain), chain$bytes),
      byte_counts = c(if (length(fit$byte_counts)) fit$byte_counts[of_chain], chain$byte_counts),
      state = chain$state, failure = "", regrouped = chain$regrouped
    )
  })
}
