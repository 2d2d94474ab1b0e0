# Runs of fits in child processes, which can be interrupted and killed.

#' Calls fit_gaussian(), or update() with a fit, in a child process, and returns once the child has
#' started. The child saves its run at a given interval in seconds. Its result has the elements fit
#' (or error); warned, the messages of the warnings; and at, the time at which the call returned.
#' Once the child has saved `hold` sweeps of each chain, it waits to be killed, so it never ends too
#' early, however busy the machine is. With `workers`, its chains run on that many workers of its
#' own plan, and the result also has the process ids of the workers.
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

#' Number of sweeps that each chain of a saved run has made, which is the first number of its state;
#' 0 if it has no state
sweeps_of <- function(saved) {
  done <- function(chain) if (is.null(chain)) 0L else readBin(chain$state, "integer")
  vapply(saved$chains, done, 1L)
}
# The function is sent to children without the environment of the tests.
environment(sweeps_of) <- baseenv()

sweeps_saved <- function(file) if (file.exists(file)) sweeps_of(readRDS(file)) else -1L

wait_for_sweeps <- function(child, file, sweeps) {
  wait_until(function() !child$is_alive() || min(sweeps_saved(file)) >= sweeps)
}

#' Runs the call in a child, which is killed once the file contains the given number of sweeps of
#' each chain
kill_after <- function(call, sweeps, ...) {
  child <- start_child(call, ..., hold = sweeps)
  on.exit(child$kill())
  wait_for_sweeps(child, call$file, sweeps)
  expect_true(child$kill())
  expect_gte(min(sweeps_saved(call$file)), sweeps)
}

#' Sends SIGINT once condition(child) is true. Returns the result of the child and the elapsed
#' seconds.
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

#' Interrupts a call that has no file some seconds after its start. On a busy machine the interrupt
#' may arrive before the chains run. Then there is no result, and the call is repeated with a longer
#' wait.
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

#' Returns the value of `code` and, separately, its warnings
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

#' Replaces the function `plain` of the package with around(plain, ...) until the test ends
local_wrapper <- function(name, around, frame = parent.frame()) {
  plain <- utils::getFromNamespace(name, "buffet")
  local_function(name, function(...) around(plain, ...), frame)
}

#' Counts the calls to a function of the package until the test ends. Returns a function that
#' returns the count.
local_counter <- function(name, frame = parent.frame()) {
  calls <- 0
  local_wrapper(name, function(plain, ...) {
    calls <<- calls + 1
    plain(...)
  }, frame)
  function() calls
}
