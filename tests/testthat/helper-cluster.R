# Fits whose rows are divided among the workers of a cluster.

#' A port on which no process listens. All test files run side by side with the same seed, so the
#' package parallel would draw the same ports in all of them
free_port <- function() {
  for (port in 20000 + (Sys.getpid() * 37 + 0:99) %% 10000) {
    socket <- tryCatch(serverSocket(port), error = function(e) NULL, warning = function(w) NULL)
    if (is.null(socket)) next
    close(socket)
    return(port)
  }
  skip("no port is free")
}

#' Starts workers whose connections have no delay
start_quick <- function(count, port = free_port()) {
  before <- options(socketOptions = "no-delay")
  on.exit(options(before))
  quick <- c("-e", shQuote("options(socketOptions = 'no-delay')"))
  cl <- parallel::makeCluster(count, rscript_args = quick, port = port)
  parallel::clusterCall(cl, function(paths) .libPaths(paths), .libPaths())
  cl
}

#' Starts such workers, which are stopped after the test file or the test
start_workers <- function(count, env = testthat::teardown_env()) {
  skip_on_os("windows")
  # R CMD check allows only two processes.
  if (count > 2) skip_on_cran()
  cl <- start_quick(count)
  withr::defer(stop_workers(cl), env)
  cl
}

pids_of <- function(cl) unlist(parallel::clusterCall(cl, Sys.getpid))

#' Stops the workers that are still running
stop_workers <- function(cl) {
  for (n in seq_along(cl)) {
    try(parallel::stopCluster(cl[n]), silent = TRUE)
    try(close(cl[[n]]$con), silent = TRUE)
  }
}

#' Rows that have none, one or both of two features, with names
shared_data <- function(rows, columns = 4, sigma_x = 0.3) {
  z <- withr::with_seed(1, matrix(stats::rbinom(rows * 2, 1, 0.4), rows))
  x <- bare(draw_nonnegative(z, columns, sigma_x, 2))
  dimnames(x) <- list(paste0("r", seq_len(rows)), letters[seq_len(columns)])
  x
}

#' Blocks with a given number of rows, read by a function that takes everything it needs to a worker
blocks_of <- function(x, sizes, act = function(i) NULL) {
  ends <- cumsum(sizes)
  read <- function(i) {
    act(i)
    x[ends[i] - sizes[i] + seq_len(sizes[i]), , drop = FALSE]
  }
  environment(read) <- list2env(list(x = x, ends = ends, sizes = sizes, act = act), NULL, baseenv())
  environment(environment(read)$act) <- list2env(as.list(environment(act)), NULL, baseenv())
  row_blocks(read, length(sizes))
}
