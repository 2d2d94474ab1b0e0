# Chains in futures: each chain is one future, which runs it to its end or to a barrier at which all
# chains of the run are needed. The plan belongs to the user: it is neither set nor repaired.

# True if chains run in futures: a plan can be set only if the namespace of future is loaded
uses_plan <- function(method) {
  if (!isNamespaceLoaded("future") || (method$cores %||% 1L) > 1) return(FALSE)
  future::nbrOfWorkers() > 1 || future::nbrOfFreeWorkers(background = TRUE) > 0
}

# Like sweep_chains(), in futures. Chains that have not come back when the user interrupts keep
# their previous state
sweep_in_futures <- function(model, method, plan, watch) {
  left <- vector("list", length(plan$numbers))
  waits <- failed <- logical(length(left))
  add <- function(which, new) {
    left[which] <<- join_chains(left[which], new)
    waits[which] <<- vapply(new, function(chain) isTRUE(chain$waits), NA)
    failed[which] <<- vapply(new, has_failed, NA)
    alive <- lengths(lapply(new, `[[`, "state")) > 0
    plan$states[which[alive]] <<- lapply(new[alive], `[[`, "state")
  }
  stand <- function(which, until) {
    here <- list(stop = function() FALSE, report = identity, save = NULL, seconds = Inf)
    add(which, sweep_chains(model, method, plan_of_chains(plan, which, until), here))
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
      jobs <- lapply(away, function(c) c(job, list(plan = plan_of_chains(plan, c, "seconds"))))
      if (!run_futures(jobs, away, came, watch)) break
    }
  }
  tryCatch(run(), interrupt = identity)
  nothing <- which(vapply(left, is.null, NA))
  if (length(nothing) > 0) stand(nothing, "start")
  left
}

# The plan for some of the chains
plan_of_chains <- function(plan, which, until) {
  of_chains <- c("numbers", "init", "states")
  plan[of_chains] <- lapply(plan[of_chains], `[`, which)
  plan[c("until", "seconds")] <- list(until, Inf)
  plan
}

# Runs jobs in futures, as many at a time as the plan has workers
# chains: The number of the chain of each job.
# came: Function of a chain's number and its result, called when the chain comes back.
# Returns TRUE, or FALSE after an interrupt. A worker that dies is an error; if the run has a file,
#   the error waits for the chains that are still running.
run_futures <- function(jobs, chains, came, watch) {
  # Data of any size are sent, and resolved() returns at once.
  before <- options(future.globals.maxSize = Inf, future.resolved.timeout = 0)
  away <- new.env(parent = emptyenv())
  away$futures <- list()
  on.exit({
    options(before)
    cancel_futures(away$futures[away$running])
  })
  begun <- seconds_now()
  repeat {
    send_jobs(away, jobs)
    take_back(away, chains, came, watch)
    over <- length(away$running) == 0
    if (!is.null(away$lost) && (over || is.null(watch$save))) abort(away$lost)
    if (over && length(away$futures) == length(jobs)) return(TRUE)
    if (watch$stop()) return(FALSE)
    # Some plans query the scheduler of a cluster, so long runs are polled less often.
    Sys.sleep(min(1, 0.02 + (seconds_now() - begun) / 50))
  }
}

# away: Environment with `futures`, one per job sent, or the error if it could not be created;
#   `running`, the numbers of those that have not come back; `lost`, the message about the first
#   that failed.
send_jobs <- function(away, jobs) {
  while (is.null(away$lost) && length(away$futures) < length(jobs) &&
    length(away$running) < future::nbrOfWorkers()) {
    n <- length(away$futures) + 1L
    away$futures[[n]] <- tryCatch(new_future(jobs[[n]]), error = identity)
    away$running <- c(away$running, n)
  }
}

take_back <- function(away, chains, came, watch) {
  for (n in away$running) {
    result <- result_of(away$futures[[n]])
    if (is.null(result)) next
    away$running <- setdiff(away$running, n)
    if (inherits(result, "error")) {
      away$lost <- away$lost %||% describe_lost(chains[n], result, watch)
    } else {
      came(chains[n], result)
    }
  }
}

new_future <- function(job) {
  future::future(run_there, substitute = FALSE, globals = list(job = job), seed = NULL)
}

# What a worker evaluates. It calls nothing from another version of the package
run_there <- bquote({
  found <- .(version_there)
  if (found != job$version) {
    stop("a worker of the plan must have buffet ", job$version, ", not ", found, ".", call. = FALSE)
  }
  utils::getFromNamespace("run_job", "buffet")(job)
})

# Runs one chain, in the worker
run_job <- function(job) {
  watch <- list(stop = is_interrupted, report = identity, save = NULL, seconds = Inf)
  sweep_chains(job$model, job$method, job$plan, watch)[[1]]
}

# The chain that a future returns, or the error if it was lost or could not be created; NULL if it
# has not ended
result_of <- function(future) {
  if (inherits(future, "error")) return(future)
  if (!tryCatch(future::resolved(future), error = function(e) TRUE)) return(NULL)
  tryCatch(future::value(future), FutureError = identity,
    error = function(e) abort(conditionMessage(e))
  )
}

describe_lost <- function(chain, error, watch) {
  sprintf(
    "chain %d was lost, because its future failed (%s). %s", chain,
    sub("[.]?\n.*", "", trimws(conditionMessage(error))),
    if (is.null(watch$save)) {
      "Set the plan again, and give a `file` so that such a run can be resumed."
    } else {
      "Set the plan again; then the same call with the same `file` resumes the run."
    }
  )
}

# Cancels futures. Older versions of the package future cannot: there they run to their ends
cancel_futures <- function(futures) {
  if (length(futures) > 0 && "cancel" %in% getNamespaceExports("future")) {
    getExportedValue("future", "cancel")(futures)
  }
}
