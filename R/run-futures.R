# Chains that run where future::plan() says. Each goes stretch by stretch, every stretch in a future
# of its own, and is at home in between: there is no channel to what runs, so that every kind of
# worker will do, and one that dies costs the stretch that it had.

#' Do chains run where future::plan() says? Without its namespace no plan has been set
#' @noRd
uses_plan <- function(method) {
  isNamespaceLoaded("future") && (method$cores %||% 1L) == 1L && has_workers()
}

#' Has the plan workers besides this process?
#' @noRd
has_workers <- function() {
  future::nbrOfWorkers() > 1 || future::nbrOfFreeWorkers(background = TRUE) > 0
}

#' As sweep_chains(), in futures
#' @noRd
sweep_in_futures <- function(model, method, plan, watch) {
  crew <- new_crew(model, method, plan, watch$stop)
  # To wait is for pause() alone.
  before <- options(future.resolved.timeout = 0)
  on.exit({
    options(before)
    restore_plan(crew)
  })
  repeat {
    collect(crew)
    meet_all(crew)
    repair_plan(crew)
    send_stretches(crew)
    watch$report(crew$done)
    save_new(crew, watch)
    if (is_over(crew) || pause(crew)) break
  }
  if (!is.null(crew$gave_up)) {
    warning("the chains stopped: the plan no longer runs futures (", crew$gave_up, ")",
      call. = FALSE
    )
  }
  complete_crew(crew)
}

#' Chains on their way, and what is known of the workers
#'
#' An environment: plan, with the state of each chain; left, what each has left in this run, NULL:
#' nothing yet; waits, ended and done, its sweeps; stretches, list(future, sent) of those that are
#' under way; stopped, by an interrupt.
#' @noRd
new_crew <- function(model, method, plan, stop) {
  none <- vector("list", length(plan$numbers))
  crew <- list2env(list(
    model = model, method = method, plan = plan, stop = stop, left = none, stretches = none,
    waits = logical(length(none)), deaths = integer(length(none)), pace = new_pace(), lost = 0L,
    refusals = 0L, broken = FALSE, stopped = FALSE, cut = FALSE, fresh = FALSE,
    saved = seconds_now()
  ), parent = emptyenv())
  count_sweeps(crew)
  crew
}

#' Sweeps that each chain has done, and whether it has come to its end
#' @noRd
count_sweeps <- function(crew) {
  sweeps <- function(state) if (length(state) > 0) sweeps_done(list(state = state)) else 0L
  crew$done <- vapply(crew$plan$states, sweeps, 1L)
  failed <- vapply(crew$left, function(chain) nzchar(chain$failure %||% ""), NA)
  crew$ended <- failed | crew$done >= crew$plan$iter
}

under_way <- function(crew) which(!vapply(crew$stretches, is.null, NA))

#' Have all come to their ends, or can none go on?
#' @noRd
is_over <- function(crew) {
  all(crew$ended) || (!is.null(crew$gave_up) && length(under_way(crew)) == 0)
}

#' Waits a little; has there been an interrupt?
#'
#' Ten times as long as it took to ask how the futures are, a second at most: some plans have to ask
#' the scheduler of a cluster. Sys.sleep() and what waits for connections let interrupts through
#' also where they are suspended.
#' @noRd
pause <- function(crew) {
  sleep <- function() {
    Sys.sleep(min(1, max(0.02, 10 * crew$asking)))
    FALSE
  }
  crew$stopped <- crew$stopped || crew$stop() || tryCatch(sleep(), interrupt = function(i) TRUE)
}

#' The value of code that talks to workers, NULL where there has been an interrupt
#'
#' One in the middle of it may leave a worker with half a message.
#' @noRd
talk <- function(crew, code) {
  crew$stopped <- crew$stopped || crew$stop()
  if (crew$stopped) return(NULL)
  tryCatch(code, interrupt = function(i) {
    crew$stopped <- TRUE
    crew$cut <- TRUE
    NULL
  })
}

#' What some of the chains add to what they have left
#' @noRd
add_left <- function(crew, which, new) {
  crew$left[which] <- join_chains(crew$left[which], new)
  crew$waits[which] <- vapply(new, function(chain) isTRUE(chain$waits), NA)
  alive <- vapply(new, function(chain) length(chain$state) > 0, NA)
  crew$plan$states[which[alive]] <- lapply(new[alive], `[[`, "state")
  crew$fresh <- TRUE
  count_sweeps(crew)
}

#' The plan of some of the chains
#' @noRd
plan_of_chains <- function(plan, which, until) {
  of_chains <- c("numbers", "init", "states")
  plan[of_chains] <- lapply(plan[of_chains], `[`, which)
  plan$until <- until
  plan
}

#' Has some chains stand where they are, without a sweep. It happens here, in the core
#'
#' @param until "start", or "meeting", which those that wait for it have then.
#' @noRd
stand <- function(crew, which, until = "start") {
  plan <- plan_of_chains(crew$plan, which, until)
  watch <- list(stop = function() FALSE, report = identity, save = NULL, seconds = Inf)
  add_left(crew, which, sweep_chains(crew$model, crew$method, plan, watch))
}

#' Those that are not at their ends meet once all of them wait for it
#' @noRd
meet_all <- function(crew) {
  open <- which(!crew$ended)
  if (length(open) > 0 && all(crew$waits[open])) stand(crew, open, "meeting")
}

#' Has what came home saved, every so many seconds
#' @noRd
save_new <- function(crew, watch) {
  if (is.null(watch$save) || !crew$fresh || seconds_now() < crew$saved + watch$seconds) return()
  watch$save(crew$left)
  crew$fresh <- FALSE
  crew$saved <- seconds_now()
}

#' What the chains have left, those with nothing too
#' @noRd
complete_crew <- function(crew) {
  nothing <- which(vapply(crew$left, is.null, NA))
  if (length(nothing) > 0) stand(crew, nothing)
  crew$left
}

#' Sends chains to free workers, those that are furthest behind first
#' @noRd
send_stretches <- function(crew) {
  if (crew$broken || !is.null(crew$gave_up)) return()
  idle <- setdiff(which(!crew$ended & !crew$waits), under_way(crew))
  if (length(idle) == 0) return()
  for (c in utils::head(idle[order(crew$done[idle])], free_workers(crew))) {
    if (!crew$broken) send(crew, c)
  }
}

send <- function(crew, c) {
  plan <- plan_of_chains(crew$plan, c, "seconds")
  plan$seconds <- crew$pace$seconds
  job <- list(
    version = own_version(), model = crew$model, method = crew$method,
    plan = plan
  )
  sent <- seconds_now()
  future <- talk(crew, tryCatch(new_stretch(job), error = identity))
  if (is.null(future)) return()
  if (inherits(future, "error")) return(refused(crew, future))
  crew$stretches[[c]] <- list(future = future, sent = sent)
}

#' Takes in the stretches that have ended
#' @noRd
collect <- function(crew) {
  begun <- seconds_now()
  on.exit(crew$asking <- seconds_now() - begun)
  for (c in under_way(crew)) {
    stretch <- crew$stretches[[c]]
    outcome <- talk(crew, outcome_of(stretch$future))
    if (is.null(outcome)) next
    crew$stretches[c] <- list(NULL)
    if (inherits(outcome, "FutureError")) lost(crew, c) else came(crew, c, outcome, stretch$sent)
  }
}

#' What run_stretch() gave, or the error of a future that was lost; NULL: it has not ended
#' @noRd
outcome_of <- function(future) {
  # What is wrong with it its value will say.
  if (!tryCatch(future::resolved(future), error = function(e) TRUE)) return(NULL)
  tryCatch(future::value(future), FutureError = identity,
    error = function(e) stop(conditionMessage(e), call. = FALSE)
  )
}

came <- function(crew, c, stretch, sent) {
  crew$deaths[c] <- 0L
  crew$refusals <- 0L
  crew$pace <- next_pace(crew$pace, seconds_now() - sent - stretch$seconds)
  add_left(crew, c, list(stretch$chain))
}
