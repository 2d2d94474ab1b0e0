# Fits in child processes, which can be interrupted and killed.

#' Calls fit_gaussian(), or update() of a fit, in a child process that saves at a given interval in
#' seconds. Its result has the elements fit (or error), warned (the messages of the warnings) and at
#' (the time at which the call returned). Returns once the child has begun. Once it has saved `hold`
#' sweeps of each chain, the child waits to be killed, so it never ends earlier, however busy the
#' machine. With `workers`, its chains run on that many workers of its own plan, and the result also
#' has their process ids.
start_child <- function(call, seconds = 0.02, verb = "fit_gaussian", hold = NULL, workers = 0) {
  skip_if_not_installed("callr")
  skip_on_os("windows")
  ready <- tempfile()
  on.exit(unlink(ready))
  child <- child_process(call, verb, list(seconds = seconds, hold = hold, workers = workers), ready)
  wait_until(function() file.exists(ready) || !child$is_alive())
  child
}

child_process <- function(call, verb, control, ready) {
  callr::r_bg(
    function(call, verb, control, sweeps_of, workers_of, ready) {
      options(buffet.checkpoint_seconds = control$seconds)
      workers <- if (control$workers > 0) workers_of(control$workers)
      save <- utils::getFromNamespace("write_checkpoint", "buffet")
      save_and_wait <- function(file, saved) {
        failure <- save(file, saved)
        if (min(sweeps_of(saved)) >= control$hold) Sys.sleep(600)
        failure
      }
      if (!is.null(control$hold)) {
        utils::assignInNamespace("write_checkpoint", save_and_wait, "buffet")
      }
      verb <- if (verb == "update") stats::update else getExportedValue("buffet", verb)
      warned <- character()
      file.create(ready)
      fit <- tryCatch(
        withCallingHandlers(do.call(verb, c(call, verbose = FALSE)), warning = function(w) {
          warned <<- c(warned, conditionMessage(w))
          tryInvokeRestart("muffleWarning")
        }),
        error = conditionMessage
      )
      list(fit = fit, warned = warned, at = Sys.time(), workers = workers)
    },
    list(
      call = call, verb = verb, control = control, sweeps_of = sweeps_of,
      workers_of = plan_in_child, ready = ready
    ),
    libpath = .libPaths(), package = FALSE
  )
}

wait_until <- function(condition, seconds = 60) {
  limit <- Sys.time() + seconds
  while (!condition() && Sys.time() < limit) Sys.sleep(0.05)
}

#' Number of sweeps that each chain of a saved run has made, the first number of its state; 0
#' without a state
sweeps_of <- function(saved) {
  done <- function(chain) if (is.null(chain)) 0L else readBin(chain$state, "integer")
  vapply(saved$chains, done, 1L)
}
# Children receive the function without the environment of the tests.
environment(sweeps_of) <- baseenv()

sweeps_saved <- function(file) if (file.exists(file)) sweeps_of(readRDS(file)) else -1L

wait_for_sweeps <- function(child, file, sweeps) {
  wait_until(function() !child$is_alive() || min(sweeps_saved(file)) >= sweeps)
}

#' Runs the call in a child that is killed once the file has the given number of sweeps of each
#' chain
kill_after <- function(call, sweeps, ...) {
  child <- start_child(call, ..., hold = sweeps)
  on.exit(child$kill())
  wait_for_sweeps(child, call$file, sweeps)
  expect_true(child$kill())
  expect_gte(min(sweeps_saved(call$file)), sweeps)
}

#' Sends SIGINT once condition(child) is true; returns the result of the child and the seconds that
#' it took
interrupt_when <- function(child, condition) {
  force(child)
  on.exit(child$kill())
  wait_until(condition)
  sent <- Sys.time()
  child$interrupt()
  child$wait(20000)
  result <- child$get_result()
  c(result, seconds = as.numeric(result$at - sent, units = "secs"))
}

#' Interrupts a call without a file some seconds after it started. An interrupt that arrives before
#' the chains run, as on a busy machine, gives no result; the call is then run with a longer wait.
interrupt_after <- function(call, seconds = c(2, 10, 30)) {
  for (wait in seconds) {
    child <- start_child(call)
    at <- Sys.time() + wait
    result <- tryCatch(
      interrupt_when(child, function() Sys.time() > at),
      callr_timeout_error = function(e) NULL
    )
    if (!is.null(result)) return(result)
  }
}

#' The value of `code`, with its warnings separate
with_warnings <- function(code) {
  warned <- character()
  value <- withCallingHandlers(code, warning = function(w) {
    warned <<- c(warned, conditionMessage(w))
    tryInvokeRestart("muffleWarning")
  })
  list(value = value, warned = warned)
}

#' Replaces a function of the package until the test ends
local_function <- function(name, value, frame = parent.frame()) {
  before <- utils::getFromNamespace(name, "buffet")
  utils::assignInNamespace(name, value, "buffet")
  withr::defer(utils::assignInNamespace(name, before, "buffet"), frame)
}

#' Replaces a function of the package, `plain`, by around(plain, ...) until the test ends
local_wrapper <- function(name, around, frame = parent.frame()) {
  plain <- utils::getFromNamespace(name, "buffet")
  local_function(name, function(...) around(plain, ...), frame)
}

#' Counts the calls of a function of the package until the test ends; returns a function that
#' returns their number
local_counter <- function(name, frame = parent.frame()) {
  calls <- 0
  local_wrapper(name, function(plain, ...) {
    calls <<- calls + 1
    plain(...)
  }, frame)
  function() calls
}
