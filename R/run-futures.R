# Runs chains in futures. Each future runs one chain to its end, or to a barrier at which all chains
# of the run are needed. The plan belongs to the user: this code neither sets nor repairs it.

# Like sweep_chains(), but in futures. Chains that have not returned when the user interrupts keep
# their previous state.
sweep_in_futures <- function(model, method, plan, watch) {
  left <- vector("list", length(plan$numbers))
  waits <- failed <- logical(length(left))
  plan_of <- function(which, until) {
    of_chains <- c("numbers", "init", "states")
    plan[of_chains] <- lapply(plan[of_chains], `[`, which)
    plan[c("until", "seconds")] <- list(until, Inf)
    plan
  }
  add <- function(which, new) {
    left[which] <<- join_chains(left[which], new)
    waits[which] <<- vapply(new, function(chain) isTRUE(chain$waits), NA)
    failed[which] <<- vapply(new, has_failed, NA)
    alive <- lengths(lapply(new, `[[`, "state")) > 0
    plan$states[which[alive]] <<- lapply(new[alive], `[[`, "state")
  }
  stand <- function(which, until) {
    here <- list(stop = function() FALSE, report = identity, save = NULL, seconds = Inf)
    add(which, sweep_chains(model, method, plan_of(which, until), here))
  }
  done <- function() sweeps_of_chains(lapply(plan$states, function(state) list(state = state)))
  came <- function(c, chain) {
    add(c, list(chain))
    watch$report(done())
    if (!is.null(watch$save)) watch$save(left)
  }
  run <- function() {
    while (length(open <- which(!failed & done() < plan$iter)) > 0) {
      if (all(waits[open])) stand(open, "meeting")
      away <- open[!waits[open]]
      job <- list(version = own_version(), model = model, method = method)
      jobs <- lapply(away, function(c) c(job, list(plan = plan_of(c, "seconds"))))
      if (!run_futures(jobs, away, came, watch)) break
    }
  }
  tryCatch(run(), interrupt = identity)
  nothing <- which(vapply(left, is.null, NA))
  if (length(nothing) > 0) stand(nothing, "start")
  left
}

# Runs jobs in futures, at most as many at a time as the plan has workers
# chains: The number of the chain of each job.
# came: Function of a chain's number and result that is called when the chain returns.
# Returns TRUE, or FALSE after an interrupt. If a worker dies, an error is raised. If the run has a
# file, the error is raised only after the chains that are still running have returned.
run_futures <- function(jobs, chains, came, watch) {
  # Data of any size may be sent, and resolved() must return at once.
  before <- options(future.globals.maxSize = Inf, future.resolved.timeout = 0)
  # A list of futures, one per job that was sent, or the error if it could not be created; the
  # numbers of the futures that have not returned; and the message of the first failure.
  futures <- list()
  running <- integer()
  lost <- NULL
  on.exit({
    options(before)
    # Older versions of the package future cannot cancel futures, which then run to completion.
    if (length(running) > 0 && "cancel" %in% getNamespaceExports("future")) {
      getExportedValue("future", "cancel")(futures[running])
    }
  })
  begun <- proc.time()[["elapsed"]]
  repeat {
    waiting <- length(jobs) - length(futures)
    send <- if (is.null(lost)) min(waiting, future::nbrOfWorkers() - length(running)) else 0
    for (n in length(futures) + seq_len(max(0, send))) {
      futures[[n]] <- tryCatch(new_future(jobs[[n]]), error = identity)
      running <- c(running, n)
    }
    for (n in running) {
      result <- result_of(futures[[n]])
      if (is.null(result)) next
      running <- setdiff(running, n)
      if (inherits(result, "error")) {
        lost <- lost %||% describe_lost(chains[n], result, watch)
      } else {
        came(chains[n], result)
      }
    }
    over <- length(running) == 0
    if (!is.null(lost) && (over || is.null(watch$save))) abort(lost)
    if (over && length(futures) == length(jobs)) return(TRUE)
    if (watch$stop()) return(FALSE)
    # Some plans query the scheduler of a cluster, so long runs are polled less often.
    Sys.sleep(min(1, 0.02 + (proc.time()[["elapsed"]] - begun) / 50))
  }
}

describe_lost <- function(chain, error, watch) {
  paste0(
    sprintf("chain %d was lost, because its future failed (", chain),
    sub("[.]?\n.*", "", trimws(conditionMessage(error))), "). Set the plan again",
    if (is.null(watch$save)) {
      ", and give a `file` so that such a run can be resumed."
    } else {
      "; then the same call with the same `file` resumes the run."
    }
  )
}

new_future <- function(job) {
  # The job must not call anything from a different version of the package.
  code <- bquote({
    found <- .(version_there)
    if (found != job$version) {
      stop("a worker of the plan must have buffet ", job$version, ", not ", found, ".",
        call. = FALSE
      )
    }
    utils::getFromNamespace("run_job", "buffet")(job)
  })
  future::future(code, substitute = FALSE, globals = list(job = job), seed = NULL)
}

# Runs one chain, on a worker
run_job <- function(job) {
  watch <- list(stop = is_interrupted, report = identity, save = NULL, seconds = Inf)
  sweep_chains(job$model, job$method, job$plan, watch)[[1]]
}

# The chain that a future returns, the error if the future was lost or could not be created, or NULL
# if it has not ended
result_of <- function(future) {
  if (inherits(future, "error")) return(future)
  if (!tryCatch(future::resolved(future), error = function(e) TRUE)) return(NULL)
  tryCatch(future::value(future), FutureError = identity,
    error = function(e) abort(conditionMessage(e))
  )
}
