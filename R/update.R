#' Run the chains of a fit longer
#'
#' The chains go on from where they stand, with the data, the model, the prior and the seed of the
#' fit.
#'
#' @param object A fit by sampling, that is by [method_gibbs()].
#' @param iter (positive integer) Sweeps of each chain in all, those that it has done and its
#'   warm-up included. It must be at least as many as the chains have done; where the fit was
#'   interrupted, these are fewer than were planned. The warm-up does not become longer: all further
#'   sweeps are kept, thinned as before.
#' @param chains (positive integer or `NULL`) How many of the chains go on: the first ones of the
#'   fit, the others are dropped. It is at most the number of chains. `NULL` (default): all.
#' @param verbose,file,cl As in [fit_gaussian()].
#' @param cores,refresh As in [method_gibbs()].
#' @param ... Must be empty. The data, model, prior, seed, `warmup` and `thin` are those of the fit;
#'   to change them, fit again.
#' @return A fit of the same class. It is identical to that of a run from the beginning with `iter`
#'   sweeps and the same `warmup` and `thin`, unless chains have gone on by themselves (see
#'   [method_gibbs()]).
#' @seealso [best_chain()] for chains that are apart, which running longer does not help.
#' @examples
#' set.seed(1)
#' x <- block_images(30)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 2, iter = 100), seed = 1)
#' longer <- update(fit, iter = 400)
#' # 50 draws of each chain were kept, now 350 are
#' niterations(fit)
#' niterations(longer)
#' # and Rhat is nearer to 1
#' glance(fit)$rhat_max
#' glance(longer)$rhat_max
#' @importFrom stats update
#' @export
update.fit_mcmc <- function(object, iter, verbose = TRUE, file = NULL,
                            cores = getOption("mc.cores", 1L), cl = NULL, chains = NULL,
                            refresh = NULL, ...) {
  check_goes_on(...)
  object <- first_chains(object, chains)
  method <- object$method
  method$iter <- check_more(iter, object)
  method$max_iter <- method$iter
  method$goes_on_with <- Inf
  method$cores <- check_count(cores, "cores")
  if (!is.null(refresh)) method$refresh <- check_count(refresh, "refresh", 0)
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

#' Stop because of arguments that would make another model or run
#' @noRd
check_goes_on <- function(...) {
  if (...length() == 0) return(invisible())
  name <- c(names(list(...)), "")[1]
  stop(
    if (nzchar(name)) sprintf("`%s`", name) else "A further argument", " must be left out: the same ",
    "chains go on, and update() takes iter, chains, cores, refresh, verbose, file and cl.",
    call. = FALSE
  )
}

#' A fit of the first of its chains
#' @noRd
first_chains <- function(fit, chains) {
  if (is.null(chains)) return(fit)
  all <- length(fit$chains)
  chains <- check_count(chains, "chains")
  if (chains > all) stop_argument("chains", sprintf("be at most %d, those of the fit", all), chains)
  if (chains == all) return(fit)
  kept <- continued_chains(fit)[seq_len(chains)]
  new_fit_mcmc(list(chains = kept, seed = fit$seed), fit)
}

check_more <- function(iter, fit) {
  if (missing(iter)) stop("`iter` must be given: the sweeps of each chain in all.", call. = FALSE)
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
