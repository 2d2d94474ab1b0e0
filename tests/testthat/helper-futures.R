# Plans for futures on this machine.

#' Two processes that load this package from the library of the current process
new_cluster <- function() {
  skip_if_not_installed("future")
  skip_if_not_installed("parallelly")
  parallelly::makeClusterPSOCK(2, rscript_libs = .libPaths())
}

#' Sets a plan until the test ends. The plan has two workers that many tests share, or two new
#' workers, which a test may kill
local_workers <- function(strategy = future::cluster, workers = once("cluster", new_cluster()),
                          frame = parent.frame()) {
  skip_if_not_installed("future")
  if (missing(workers) && !missing(strategy)) workers <- 2
  before <- future::plan(strategy, workers = workers)
  withr::defer(future::plan(before), frame)
}

#' Sets a plan with a given number of workers in a child, and returns their process ids
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
# The function is sent to children without the environment of the tests.
environment(plan_in_child) <- baseenv()

#' Makes the process exit after save number `n` of a run, until the test ends
local_end_after_save <- function(n, frame = parent.frame()) {
  saves <- 0
  local_wrapper("write_checkpoint", function(plain, file, saved) {
    failure <- plain(file, saved)
    saves <<- saves + 1
    if (saves == n) stop("killed")
    failure
  }, frame)
}
