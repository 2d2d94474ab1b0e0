# Plans of futures on this machine.

#' Two processes that find the package where this one has it
new_cluster <- function() {
  skip_if_not_installed("future")
  skip_if_not_installed("parallelly")
  parallelly::makeClusterPSOCK(2, rscript_libs = .libPaths())
}

#' Sets a plan until the test ends, as a rule of two workers that many tests share
local_workers <- function(strategy = future::cluster, workers = once("cluster", new_cluster()),
                          frame = parent.frame()) {
  skip_if_not_installed("future")
  if (missing(workers) && !missing(strategy)) workers <- 2
  before <- future::plan(strategy, workers = workers)
  withr::defer(future::plan(before), frame)
}

#' Process ids of the workers
worker_pids <- function(workers = 2) {
  pids <- lapply(seq_len(workers), function(n) {
    future::future({
      Sys.sleep(0.3)
      Sys.getpid()
    }, seed = NULL)
  })
  unlist(lapply(pids, future::value))
}

#' Sets a plan of so many workers in a child; their process ids
plan_in_child <- function(workers) {
  future::plan(future::multisession, workers = workers)
  pids <- lapply(seq_len(workers), function(n) {
    future::future(
      {
        loadNamespace("buffet")
        Sys.sleep(0.3)
        Sys.getpid()
      },
      globals = FALSE
    )
  })
  unlist(lapply(pids, future::value))
}
# Children are given it without all that tests have.
environment(plan_in_child) <- baseenv()

is_running <- function(pid) {
  state <- suppressWarnings(system2("ps", c("-o", "stat=", "-p", pid), stdout = TRUE))
  length(state) > 0 && !startsWith(state, "Z")
}

#' Stretches as short as can be, so that there are many, until the test ends
local_short_stretches <- function(seconds = 0.05, frame = parent.frame()) {
  local_function("next_pace", function(pace, overhead) {
    list(seconds = seconds, overheads = overhead)
  }, frame)
  withr::local_options(buffet.checkpoint_seconds = seconds, .local_envir = frame)
}
