# Runs of chains: from their starts or from where they were left, saved on the way.

#' All that determines a run
#' @noRd
gibbs_run <- function(model, method, starts, seed, search) {
  list(model = model, method = method, starts = starts, seed = seed, search = search)
}

#' Runs the chains to their ends, or until interrupted
#'
#' @param run From gibbs_run(); its seed may be NULL.
#' @param sweeps Function of the run, the plan for the core and the watch, which runs the core.
#' @param chains Where the chains were left: one list(scalars, sizes, bits, loadings, bytes,
#'   byte_counts, state) a chain, or NULL for their starts.
#' @return list(chains, seed, file): what the chains have left, from the beginning; the seed; the
#'   file, or NULL where the run is not saved.
#' @noRd
run_to_end <- function(run, sweeps, file = NULL, verbose = TRUE, chains = NULL) {
  seconds <- if (is.null(file)) 5 else checkpoint_seconds()
  run$key <- if (!is.null(file)) run_key(run, chains)
  checkpoint <- open_checkpoint(file, run)
  run$seed <- checkpoint$seed %||% run$seed %||% sample.int(.Machine$integer.max, 1)
  chains <- checkpoint$chains %||% chains %||% rep(list(NULL), run$method$chains)
  store <- new_store(file, run, chains)
  plan <- c(
    unclass(run$method)[c("iter", "warmup", "thin")],
    list(
      # More threads than chains have nothing to do, and thousands may be more than there can be.
      cores = min(run$method$cores %||% 1L, length(chains), 256L),
      seed = run$seed, search = run$search,
      init = rep_len(run$starts, length(chains)), states = lapply(chains, `[[`, "state")
    )
  )
  watch <- list(
    stop = is_interrupted, report = progress_reporter(run$method, verbose),
    save = if (!is.null(file)) store$save, seconds = seconds
  )
  # An interrupt while R saves or collects garbage would leave the core's threads behind: all wait
  # until the core asks for them.
  new <- suspendInterrupts(sweeps(run, plan, watch))
  if (!is.null(file)) store$save(new)
  list(chains = join_chains(chains, new), seed = run$seed, file = if (store$intact()) file)
}

#' Has there been an interrupt? Sleeping looks for one
#' @noRd
is_interrupted <- function() {
  tryCatch(
    {
      allowInterrupts(Sys.sleep(0))
      FALSE
    },
    interrupt = function(i) TRUE
  )
}

#' What chains had left before, followed by what they left now
#' @noRd
join_chains <- function(old, new) {
  Map(function(before, after) {
    if (is.null(before)) return(after)
    list(
      scalars = cbind(before$scalars, after$scalars), sizes = c(before$sizes, after$sizes),
      bits = c(before$bits, after$bits), loadings = c(before$loadings, after$loadings),
      bytes = c(before$bytes, after$bytes),
      byte_counts = c(before$byte_counts, after$byte_counts),
      state = after$state, failure = after$failure
    )
  }, old, new)
}
