# Runs whose warm-up is doubled until the chains agree. The saved draws are made afterwards.

run_extended <- function(opened, control) {
  run <- opened$run
  chains <- opened$chains
  before <- NULL
  repeat {
    begun <- seconds_now()
    sweeps <- sweeps_to_do(warmup_part(run)$method, chains)
    done <- run_once(run, chains, control)
    if (!isTRUE(done$too_short)) break
    before <- done
    chains <- lapply(done$chains, without_draws, run$method, times = 2L)
    run$method <- double_length(run$method)
    took <- seconds_now() - begun
    seconds <- list(so_far = took, a_sweep = took / sweeps)
    if (control$verbose) message(describe_longer(run$method, seconds))
  }
  if (!has_draws(done) && !is.null(before)) done <- before
  new_fit_mcmc(done, done$run)
}

# Runs chains to the end of the run, to the end of a warm-up in which they do not agree, or until an
# interrupt
run_once <- function(run, chains, control) {
  report <- reporter(run$method, control$verbose)
  sweep <- function(run, chains) advance(run, chains, run_sweeps, control$file, report)
  if (!may_extend(run$method) || any(sweeps_of_chains(chains) > run$method$warmup)) {
    return(sweep(run, chains))
  }
  warm <- sweep(warmup_part(run), chains)
  if (ended_early(warm)) return(warm)
  warm$too_short <- must_extend(warm)
  if (warm$too_short) return(warm)
  done <- sweep(run, lapply(warm$chains, without_draws, run$method))
  if (has_draws(done)) done else warm
}

may_extend <- function(method) {
  method$chains > 1 && method$warmup > 0 && method$iter <= method$max_iter %/% 2L
}

# The run up to the end of its warm-up. The last two fifths, after the restart of stuck chains, are
# kept to decide whether the warm-up is long enough
warmup_part <- function(run) {
  run$warmup <- run$method$warmup
  run$method$iter <- run$warmup
  run$method$warmup <- run$warmup %/% 5L * 3L
  run
}

# True at the end of a warm-up that is too short. Nothing else decides whether the run is doubled,
# so the saved draws are not selected
must_extend <- function(done) {
  scalars <- deciding_scalars(done)
  if (nrow(scalars) < 4) return(TRUE)
  fit <- new_fit(done$run$model, done$run$method, "fit_mcmc", NULL, NULL, scalars = scalars)
  mean(scalars[, , "n_features"]) <= done$run$method$goes_on_with &&
    any(scalar_rhats(fit) > most_rhat[["warmup"]], na.rm = TRUE)
}

# Scalars of the last two fifths of a warm-up, in the form of scalar_array()
deciding_scalars <- function(done) {
  chains <- Filter(Negate(has_failed), done$chains)
  records <- vapply(chains, function(chain) ncol(chain$scalars), 1L)
  n <- min(records, planned_draws(done$run$method))
  # Chains read from a file may no longer have draws of the warm-up.
  scalar_array(lapply(chains, function(chain) {
    chain$sizes <- integer(n)
    chain
  }), n, warmup = FALSE)
}

# Doubles the sweeps and the distance between draws
double_length <- function(method) {
  lengths <- c("iter", "warmup", "thin")
  method[lengths] <- lapply(method[lengths], function(n) 2L * n)
  method$doublings <- method$doublings + 1L
  method
}

# Drops the draws of a chain's warm-up and keeps every `times`-th of its scalars. NULL for a failed
# chain, which starts again and fails again
without_draws <- function(chain, method, times = 1L) {
  if (has_failed(chain)) return(NULL)
  none <- c("sizes", "bits", "loadings", "bytes", "byte_counts")
  chain[none] <- lapply(chain[none], `[`, 0)
  at <- sweeps_done(chain) %/% method$thin - rev(seq_len(ncol(chain$scalars))) + 1L
  chain$scalars <- chain$scalars[, at %% times == 0, drop = FALSE]
  chain
}

has_failed <- function(chain) nzchar(chain$failure)

ended_early <- function(done) {
  alive <- Filter(Negate(has_failed), done$chains)
  length(alive) == 0 || min(sweeps_of_chains(alive)) < done$run$method$iter
}

has_draws <- function(done) {
  some <- vapply(done$chains, function(chain) length(chain$sizes) > 0 || has_failed(chain), NA)
  any(some)
}

# The first message also says how long the warm-up took and how long the run may still take

# seconds: list(so_far, a_sweep).
describe_longer <- function(method, seconds) {
  before <- method$warmup %/% 2L
  to <- sprintf("extending it to %d of %d sweeps", method$warmup, method$iter)
  if (method$doublings > 1) {
    return(sprintf("The chains do not agree after %d sweeps of warm-up: %s.", before, to))
  }
  times <- 2^floor(log2(method$max_iter / method$iter))
  left <- seconds$a_sweep * (times * method$iter - before)
  paste0(
    sprintf("The chains do not agree after %d sweeps of warm-up", before),
    sprintf(" (%s): %s", format_time(seconds$so_far), to),
    if (times > 1) {
      sprintf(", and to at most %.0f of %.0f", times * method$warmup, times * method$iter)
    },
    sprintf(" (%s %s more).", if (times > 1) "up to about" else "about", format_time(left))
  )
}

sweeps_to_do <- function(method, chains) max(1L, method$iter - min(sweeps_of_chains(chains)))

# Sweeps that each chain has made; 0 if it has no state
sweeps_of_chains <- function(chains) {
  vapply(chains, function(chain) if (length(chain$state)) sweeps_done(chain) else 0L, 0L)
}

format_time <- function(seconds) {
  unit <- findInterval(seconds, c(90, 5400)) + 1
  sprintf("%.0f %s", ceiling(seconds / c(1, 60, 3600)[unit]), c("s", "min", "h")[unit])
}
