# Plans of futures on this machine.

#' Sets a plan of two workers until the test ends, which find the package where this process has it
local_workers <- function(workers = 2, frame = parent.frame()) {
  skip_if_not_installed("future")
  before <- future::plan(future::multisession, workers = workers)
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
