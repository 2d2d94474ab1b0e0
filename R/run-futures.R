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
  crew <- new_crew(model, method, plan)
  repeat {
    collect(crew)
    meet_all(crew)
    repair_plan(crew)
    send_all(crew)
    watch$report(crew$done)
    save_new(crew, watch)
    if (is_over(crew) || watch$stop()) break
    Sys.sleep(0.02)
  }
  if (!is.null(crew$gave_up)) {
    warning("the chains stopped: the plan runs no more futures (", crew$gave_up, ")", call. = FALSE)
  }
  complete_crew(crew)
}

#' Chains on their way, and what is known of the workers
#'
#' An environment: plan, with the state of each chain; left, what each has left in this run, NULL:
#' nothing yet; waits, ended and done, its sweeps; stretches, list(future, sent) of those that are
#' under way.
#' @noRd
new_crew <- function(model, method, plan) {
  none <- vector("list", length(plan$numbers))
  crew <- list2env(list(
    model = model, method = method, plan = plan, left = none, stretches = none,
    waits = logical(length(none)), deaths = integer(length(none)), pace = new_pace(),
    lost = 0L, refusals = 0L, broken = FALSE, fresh = FALSE, saved = seconds_now()
  ), parent = emptyenv())
  count_sweeps(crew)
  if (any(plan$begin_from != seq_along(none) - 1L)) stand(crew, seq_along(none))
  crew
}

seconds_now <- function() proc.time()[["elapsed"]]

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
  plan$begin_from <- seq_along(which) - 1L
  plan$until <- until
  plan
}

#' Has some chains stand where they are or, where they wait for it, have met or begin from another,
#' without a sweep. It happens here, in the core
#' @noRd
stand <- function(crew, which) {
  plan <- plan_of_chains(crew$plan, which, "meeting")
  if (length(which) == length(crew$left)) plan$begin_from <- crew$plan$begin_from
  watch <- list(stop = function() FALSE, report = identity, save = NULL, seconds = Inf)
  add_left(crew, which, sweep_chains(crew$model, crew$method, plan, watch))
  crew$plan$begin_from <- seq_along(crew$left) - 1L
}

#' Those that are not at their ends meet once all of them wait for it
#' @noRd
meet_all <- function(crew) {
  open <- which(!crew$ended)
  if (length(open) > 0 && all(crew$waits[open])) stand(crew, open)
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

# Stretches.

#' How long stretches are: short at first, later so that fetching and sending take a twentieth
#'
#' @return list(seconds, overheads): that of the next, and what futures took beyond their stretches.
#' @noRd
new_pace <- function() list(seconds = min(1, checkpoint_seconds()), overheads = numeric())

next_pace <- function(pace, overhead) {
  overheads <- utils::tail(c(pace$overheads, overhead), 3)
  # One may have had to wait for its worker: the least of the last.
  enough <- max(checkpoint_seconds(), 20 * min(overheads))
  list(seconds = min(enough, 4 * pace$seconds), overheads = overheads)
}

#' What a worker evaluates. Nothing of another version is called
#' @noRd
stretch_call <- quote({
  found <- tryCatch(unname(getNamespaceVersion("buffet")), error = function(e) NULL)
  if (!identical(found, job$version)) {
    found <- if (is.null(found)) "no buffet" else paste("buffet", found)
    stop("a worker of the plan has ", found, ", not ", job$version, " as here.", call. = FALSE)
  }
  utils::getFromNamespace("run_stretch", "buffet")(job)
})

#' A stretch of one chain, in the worker
#'
#' @param job list(model, method, plan): as sweep_chains() has them.
#' @return list(chain, seconds): what it leaves, and how long its sweeps took.
#' @noRd
run_stretch <- function(job) {
  begun <- NULL
  report <- function(done) begun <<- begun %||% seconds_now()
  watch <- list(stop = is_interrupted, report = report, save = NULL, seconds = Inf)
  left <- sweep_chains(job$model, job$method, job$plan, watch)
  list(chain = left[[1]], seconds = seconds_now() - begun)
}

new_stretch <- function(job) {
  # The data have to go there, whatever their size.
  before <- options(future.globals.maxSize = Inf)
  on.exit(options(before))
  future::future(stretch_call, substitute = FALSE, globals = list(job = job), seed = NULL)
}

#' Sends chains to free workers, those that are furthest behind first
#' @noRd
send_all <- function(crew) {
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
    version = unname(getNamespaceVersion("buffet")), model = crew$model, method = crew$method,
    plan = plan
  )
  sent <- seconds_now()
  future <- tryCatch(new_stretch(job), error = identity)
  if (inherits(future, "error")) return(refused(crew, future))
  crew$stretches[[c]] <- list(future = future, sent = sent)
}

#' Takes in the stretches that have ended
#' @noRd
collect <- function(crew) {
  for (c in under_way(crew)) {
    stretch <- crew$stretches[[c]]
    if (!has_ended(stretch$future)) next
    crew$stretches[c] <- list(NULL)
    value <- tryCatch(future::value(stretch$future), FutureError = identity,
      error = function(e) stop(conditionMessage(e), call. = FALSE)
    )
    if (inherits(value, "FutureError")) lost(crew, c) else came(crew, c, value, stretch$sent)
  }
}

#' What is wrong with a future its value will say
#' @noRd
has_ended <- function(future) tryCatch(future::resolved(future), error = function(e) TRUE)

came <- function(crew, c, stretch, sent) {
  crew$deaths[c] <- 0L
  crew$refusals <- 0L
  crew$pace <- next_pace(crew$pace, seconds_now() - sent - stretch$seconds)
  add_left(crew, c, list(stretch$chain))
}

# Workers.

#' How many stretches can be sent
#' @noRd
free_workers <- function(crew) {
  own <- length(under_way(crew))
  most <- future::nbrOfWorkers() - own
  if (most <= 0) return(0)
  free <- tryCatch(future::nbrOfFreeWorkers(), error = function(e) most)
  # A dead worker is not offered as long as nobody asks.
  if (free == 0 && (crew$lost == 0 || own == 0)) nudge(crew)
  min(most, free)
}

#' Has future find the workers that are done with what others gave them: it looks for them when it
#' has something to run
#' @noRd
nudge <- function(crew) {
  tryCatch(
    {
      if (is.null(crew$nudge)) crew$nudge <- future::future(NULL, lazy = TRUE, globals = FALSE)
      if (future::resolved(crew$nudge)) crew$nudge <- NULL
    },
    error = function(e) {
      crew$nudge <- NULL
      refused(crew, e)
    }
  )
}

#' A worker died: its stretch is sent again, at most three times
#' @noRd
lost <- function(crew, c) {
  crew$lost <- crew$lost + 1L
  crew$broken <- TRUE
  crew$deaths[c] <- crew$deaths[c] + 1L
  if (crew$deaths[c] < 3) return()
  failure <- sprintf("its worker died three times in a row after sweep %d.", crew$done[c])
  add_left(crew, c, list(list(state = raw(), failure = failure)))
}

#' A future could not be made
#' @noRd
refused <- function(crew, error) {
  crew$broken <- TRUE
  crew$refusals <- crew$refusals + 1L
  if (crew$refusals >= 3) crew$gave_up <- sub("\n.*", "", conditionMessage(error))
}

#' Once nothing is under way, a plan of which workers died is set again, which starts them anew
#'
#' Those of multisession plans alone: others start a process for every future, or cannot start one,
#' and go on with those that are left. Nor where others have futures there.
#' @noRd
repair_plan <- function(crew) {
  if (!crew$broken) return()
  if (!inherits(future::plan("next"), "multisession")) return(crew$broken <- FALSE)
  if (length(under_way(crew)) > 0) return()
  if (future::nbrOfWorkers() - future::nbrOfFreeWorkers() <= crew$lost) {
    future::plan(future::plan("list"))
    crew$lost <- 0L
  }
  crew$broken <- FALSE
}
