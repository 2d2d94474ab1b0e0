# Jobs of MPI: one process leads, two are its workers.

#' Calls main(cl, ...) in the leader of a job, where cl is the cluster of its workers. Its value, a
#' list, with the status of mpirun as an attribute
run_mpi <- function(main, ..., seconds = 300) {
  skip_without_mpi()
  folder <- withr::local_tempdir()
  paths <- as.list(file.path(folder, c(task = "task", script = "script", value = "value")))
  names(paths) <- c("task", "script", "value")
  # The job is given it without all that tests have.
  environment(main) <- baseenv()
  saveRDS(list(main = main, args = list(...), libraries = .libPaths()), paths$task)
  writeLines(leader(paths), paths$script)
  status <- suppressWarnings(system2(
    "mpirun", c("-n", 3, rmpisnow(), "--no-echo", "-f", paths$script),
    stdin = nullfile(), stdout = FALSE, stderr = FALSE, env = mpi_settings, timeout = seconds
  ))
  value <- if (file.exists(paths$value)) readRDS(paths$value) else list()
  structure(value, status = status)
}

#' What the leader runs
leader <- function(paths) {
  c(
    sprintf("task <- readRDS(\"%s\")", paths$task),
    ".libPaths(task$libraries)",
    "cl <- snow::makeMPIcluster()",
    "invisible(parallel::clusterCall(cl, .libPaths, task$libraries))",
    sprintf("saveRDS(do.call(task$main, c(list(cl), task$args)), \"%s\")", paths$value),
    "snow::stopCluster(cl)",
    "Rmpi::mpi.quit()"
  )
}

rmpisnow <- function() system.file("RMPISNOW", package = "snow")

#' More processes than cores, as root in a container
mpi_settings <- paste0("OMPI_", c(
  "MCA_rmaps_base_oversubscribe=1", "MCA_mpi_yield_when_idle=1", "ALLOW_RUN_AS_ROOT=1",
  "ALLOW_RUN_AS_ROOT_CONFIRM=1"
))

#' Rmpi is loaded in a child, since it starts MPI in whatever loads it
skip_without_mpi <- function() {
  skip_on_os("windows")
  skip_on_cran()
  skip_if(!nzchar(Sys.which("mpirun")), "there is no mpirun")
  skip_if(!nzchar(rmpisnow()), "snow is not installed")
  rscript <- file.path(R.home("bin"), "Rscript")
  loads <- system2(
    rscript, c("-e", shQuote("loadNamespace(\"Rmpi\")")),
    stdout = FALSE, stderr = FALSE, env = mpi_settings
  )
  skip_if(loads != 0, "Rmpi cannot be loaded")
}
