# Chains that do not agree go on by themselves, each time to twice as many sweeps.

#' A method whose chains go on to twice as many sweeps. All before is warm-up, and draws are so far
#' apart that there are as many as before, or a few more
#' @noRd
double_length <- function(method) {
  method$thin <- further_apart(method) * method$thin
  method$warmup <- method$iter
  method$iter <- 2L * method$iter
  method$doublings <- method$doublings + 1L
  method
}

further_apart <- function(method) method$iter %/% (method$iter - method$warmup)

#' The chains of a run when they have agreed, or made as many sweeps as they may
#'
#' @param done From advance_run(), of the run so far.
#' @param advance_run Function of a run and its chains: advance() with all else given,
#'   with the `seconds` that it took and for how many `sweeps`.
#' @return A fit.
#' @noRd
#' @srrstats {BS4.4} Chains go on in doublings and stop when they agree.
go_on <- function(done, advance_run, verbose) {
  fit <- new_fit_mcmc(done, done$run)
  while (goes_on(fit, done)) {
    run <- done$run
    chains <- lapply(done$chains, as_warmup, run$method)
    run$method <- double_length(run$method)
    run$begin_from <- sources(fit, run)
    if (verbose) message(describe_longer(done, run$method))
    done <- advance_run(run, chains)
    stopped <- what_stopped(done)
    if (!is.null(stopped)) {
      warning(stopped, how_to_resume(done$file), ".", call. = FALSE)
      return(fit)
    }
    fit <- new_fit_mcmc(done, run)
  }
  fit
}

#' That chains go on and how far; the first time also how long it took so far and may yet take
#' @param done From advance_run(), of the sweeps so far.
#' @param method With as many sweeps as they go on to.
#' @noRd
describe_longer <- function(done, method) {
  so_far <- done$run$method$iter
  if (method$doublings > 1) {
    return(sprintf("The chains do not agree after %d sweeps: extending them to %d.", so_far,
      method$iter
    ))
  }
  most <- method$iter * 2^floor(log2(method$max_iter / method$iter))
  left <- done$seconds / done$sweeps * (most - so_far)
  paste0(
    sprintf("The chains do not agree after %d sweeps (%s): ", so_far, format_time(done$seconds)),
    sprintf("extending them to %d", method$iter),
    if (most > method$iter) sprintf(", and to at most %.0f", most),
    sprintf(" (%s %s more).", if (most > method$iter) "up to about" else "about", format_time(left))
  )
}

#' Sweeps that each chain of a run has before it, at most
#' @noRd
sweeps_to_do <- function(method, chains) {
  done <- vapply(chains, function(chain) if (length(chain$state)) sweeps_done(chain) else 0L, 0L)
  max(1L, method$iter - min(done))
}

#' Seconds as text, of which nobody needs more than two digits
#' @noRd
format_time <- function(seconds) {
  unit <- findInterval(seconds, c(90, 5400)) + 1
  sprintf("%.0f %s", ceiling(seconds / c(1, 60, 3600)[unit]), c("s", "min", "h")[unit])
}

#' Do the chains of a run that has come to its end make more sweeps?
#' @noRd
goes_on <- function(fit, done) {
  method <- done$run$method
  method$iter <= method$max_iter %/% 2L && is.null(what_stopped(done)) &&
    mean(unclass(fit$draws)$sizes) <= method$goes_on_with && !is.null(disagreement(fit))
}

#' Why a run ended early, as text; NULL where it did not
#' @noRd
what_stopped <- function(done) {
  before <- sprintf(": the fit is that of %d sweeps", done$run$method$warmup)
  failures <- vapply(done$chains, function(chain) chain$failure, "")
  failed <- which(nzchar(failures))
  if (length(failed) > 0) {
    text <- "chain %d failed as it was extended (%s)%s"
    return(sprintf(text, failed[1], failures[failed[1]], before))
  }
  draws <- vapply(done$chains, function(chain) length(chain$sizes), 1L)
  if (min(draws) < planned_draws(done$run$method)) {
    paste0("interrupted while chains that did not agree were extended", before)
  }
}

#' The chain from whose state each goes on: those far below the best from that one's, where the run
#' has them meet
#' @noRd
sources <- function(fit, run) {
  means <- mean_log_joints(fit)
  own <- seq_along(means)
  if (!run$regroup) return(own)
  far <- max(means) - means > 2 * deviation_within(fit)
  ifelse(far, which.max(means), own)
}

#' What is left of a chain that goes on: its state, and scalars of what is now its warm-up, as far
#' apart as its draws will be
#' @noRd
as_warmup <- function(chain, method) {
  last <- sweeps_done(chain) %/% method$thin
  at <- last - ncol(chain$scalars) + seq_len(ncol(chain$scalars))
  none <- c("sizes", "bits", "loadings", "bytes", "byte_counts")
  chain[none] <- lapply(chain[none], `[`, 0)
  chain$scalars <- chain$scalars[, at %% further_apart(method) == 0, drop = FALSE]
  chain
}
