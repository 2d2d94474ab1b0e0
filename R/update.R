#' Run a fit longer, or again with other arguments
#'
#' The chains of a fit by sampling go on. Where an argument is given that makes another model or
#' other chains, the fit is made again from the start, and a message says so.
#'
#' @details
#' ## Chains that go on
#' `iter`, `chains`, `cores`, `refresh`, `verbose`, `file` and `cl` leave the chains what they are.
#' More `chains` than the fit has are begun, and run as long as the others; they start as those of
#' a fit without `init`, and do not meet. Without `iter` the chains of the fit stay as long as they
#' are.
#'
#' All draws are kept, and chains are not extended by themselves. With an `iter` that is chosen
#' without looking at the draws, the result is that of a longer run. If fits are continued until
#' their draws pass a check, the draws are selected by it, the less so the longer the run; see
#' Extension of chains in [method_gibbs()].
#'
#' ## Fits that are made again
#' All other arguments of the call that made the fit, and of its method, can be changed too:
#' `prior`, `sigma_x`, `loadings`, `rank` and so on, `method`, `init` and `seed`, and of
#' [method_gibbs()] `warmup`, `thin`, `sampler`, `moves`, `max_features`, `regroup` and `max_iter`,
#' of [method_meibp()] `tol`, and so on. Other data are called `newdata` or `data`, or by the name
#' that they have in `fit_*()`. What is not given is as it was, but for `init`, which a fit does not
#' keep: chains start as by default. The seed is that of the fit. Chains begin with as many sweeps
#' as those of the fit have made in the end; where `iter` is given the warm-up is half of it.
#'
#' The data are those that the fit holds. Of [row_blocks()] it holds where they are: these must
#' still be there.
#'
#' @param object A fit. One by optimisation does not go on: it is always made again, and `iter` and
#'   `chains` are for another `method` only.
#' @param iter (positive integer) Sweeps of each chain in all, as in [method_gibbs()]: at least as
#'   many as its chains have done, which are fewer than were planned where the fit was interrupted.
#'   The warm-up stays what it was. May be left out where something else is given.
#' @param chains (positive integer or `NULL`) How many chains there are to be: the first of the fit
#'   where they are fewer than it has, and further ones where they are more. `NULL`: as many as it
#'   has.
#' @param verbose,file,cl As in [fit_gaussian()].
#' @param cores,refresh As in [method_gibbs()].
#' @param ... Arguments of the call that made the fit, or of its method, by name. One that neither
#'   has is an error.
#' @return A fit of the same class. Where chains went on it is identical to that of a run of `iter`
#'   sweeps from the beginning if the run was not extended (see [method_gibbs()]); made again, to
#'   that of `fit_*()` with the same arguments and seed.
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
#' # another prior makes the fit again, from the start
#' update(fit, prior = prior_ibp(alpha = 2), iter = 800, thin = 2)
#' @importFrom stats update
#' @export
update.fit_mcmc <- function(object, iter, verbose = TRUE, file = NULL,
                            cores = getOption("mc.cores", 1L), cl = NULL, chains = NULL,
                            refresh = NULL, ...) {
  if (...length() > 0) {
    of_chains <- c(
      iter = !missing(iter), cores = !missing(cores), cl = !missing(cl),
      chains = !is.null(chains), refresh = !missing(refresh)
    )
    asked <- mget(names(which(of_chains)))
    return(fit_again(object, list(...), c(list(verbose = verbose, file = file), asked)))
  }
  if (nargs() == 1) stop("`iter` must be given: the total number of sweeps.", call. = FALSE)
  before <- continued_chains(object)
  if (!is.null(chains)) before <- before[seq_len(check_count(chains, "chains"))]
  method <- object$method
  method$iter <- check_more(iter, object, before)
  method$max_iter <- method$iter
  method$goes_on_with <- Inf
  method$chains <- length(before)
  method$cores <- check_count(cores, "cores")
  if (!is.null(refresh)) method$refresh <- check_count(refresh, "refresh", 0)
  check_flag(verbose, "verbose")
  file <- check_file(file)
  control <- list(
    seed = object$seed, search = searches(object$model), own_starts = FALSE,
    cl = check_cluster(cl, method)
  )
  # The chains go on from where they stand.
  run <- new_run(method, object$model, check_starts(object$model, NULL, method), control)
  with_warning(new_fit_mcmc(run_to_end(run, run_sweeps, file, verbose, before), run))
}

#' @rdname update.fit_mcmc
#' @export
update.fit_point <- function(object, verbose = TRUE, file = NULL, ...) {
  if (nargs() == 1) {
    stop("give an argument to change: a fit by ", way_of(object$method), " cannot be run longer.",
      call. = FALSE
    )
  }
  changes <- list(...)
  of_chains <- c("iter", "chains")
  if (is.null(changes$method) && any(of_chains %in% names(changes))) {
    stop_no_sampling(object, "object")
  }
  fit_again(object, changes, list(verbose = verbose, file = file))
}

#' Sweeps of each chain in all; as many as have been done where none are given
#' @param chains Those that go on, NULL each that begins.
#' @noRd
check_more <- function(iter, fit, chains) {
  chains <- Filter(Negate(is.null), chains)
  if (any(vapply(chains, function(chain) length(chain$state) == 0, NA))) {
    within <- "`object` was interrupted within a sweep and cannot be continued; "
    stop(within, "run it again with a `file`.", call. = FALSE)
  }
  done <- max(vapply(chains, sweeps_done, 1L))
  if (missing(iter)) return(done)
  iter <- check_count(iter, "iter")
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
