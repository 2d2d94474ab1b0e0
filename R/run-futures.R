# Chains in futures: each chain is one future, which runs it to its end or to where the chains of a
# run must be together. The plan is the user's: it is neither set nor repaired.

#' True if chains run in futures: a plan can be set only if the namespace of future is loaded
#' @noRd
uses_plan <- function(method) {
  if (!isNamespaceLoaded("future") || (method$cores %||% 1L) > 1) return(FALSE)
  future::nbrOfWorkers() > 1 || future::nbrOfFreeWorkers(background = TRUE) > 0
}

#' As sweep_chains(), in futures. Chains that are not back when the user interrupts keep the state
#' that they had
#' @noRd
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

#' The plan of some of the chains
#' @noRd
plan_of_chains <- function(plan, which, until) {
  of_chains <- c("numbers", "init", "states")
  plan[of_chains] <- lapply(plan[of_chains], `[`, which)
  plan[c("until", "seconds")] <- list(until, Inf)
  plan
}

#' Runs jobs in futures, as many at once as the plan has workers
#'
#' @param chains The number of the chain of each job.
#' @param came Function of a chain's number and its result, called when the chain comes back.
#' @return TRUE, or FALSE after an interrupt. If a worker died this is an error; a run that is saved
#'   first waits for the chains that are under way.
#' @noRd
run_futures <- function(jobs, chains, came, watch) {
  # The data are sent whatever their size, and resolved() returns at once.
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
    if (!is.null(away$lost) && (over || is.null(watch$save))) stop(away$lost, call. = FALSE)
    if (over && length(away$futures) == length(jobs)) return(TRUE)
    if (watch$stop()) return(FALSE)
    # Some plans ask the scheduler of a cluster: long runs are not looked at all the time.
    Sys.sleep(min(1, 0.02 + (seconds_now() - begun) / 50))
  }
}

#' @param away Environment: futures, one a job that was sent, or the error that it could not be
#'   made; running, the numbers of those that have not come back; lost, what to say of the first
#'   that failed.
#' @noRd
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

#' What a worker evaluates. Nothing of another version is called
#' @noRd
run_there <- bquote({
  found <- .(version_there)
  if (found != job$version) {
    stop("a worker of the plan must have buffet ", job$version, ", not ", found, ".", call. = FALSE)
  }
  utils::getFromNamespace("run_job", "buffet")(job)
})

#' One chain, in the worker
#' @noRd
run_job <- function(job) {
  watch <- list(stop = is_interrupted, report = identity, save = NULL, seconds = Inf)
  sweep_chains(job$model, job$method, job$plan, watch)[[1]]
}

#' The chain of a future, or the error of one that was lost or could not be made; NULL if it has not
#' ended
#' @noRd
result_of <- function(future) {
  if (inherits(future, "error")) return(future)
  if (!tryCatch(future::resolved(future), error = function(e) TRUE)) return(NULL)
  tryCatch(future::value(future), FutureError = identity,
    error = function(e) stop(conditionMessage(e), call. = FALSE)
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

#' Older versions of future cannot cancel: there futures run to their ends
#' @noRd
cancel_futures <- function(futures) {
  if (length(futures) > 0 && "cancel" %in% getNamespaceExports("future")) {
    getExportedValue("future", "cancel")(futures)
  }
}
