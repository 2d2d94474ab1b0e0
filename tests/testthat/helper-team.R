# Fits whose rows are on the workers of a cluster.

#' A port that nothing listens at. Those that parallel draws are the same in all files of tests,
#' which have the same seed and run side by side
free_port <- function() {
  for (port in 20000 + (Sys.getpid() * 37 + 0:99) %% 10000) {
    socket <- tryCatch(serverSocket(port), error = function(e) NULL, warning = function(w) NULL)
    if (is.null(socket)) next
    close(socket)
    return(port)
  }
  skip("no port is free")
}

#' Processes of their own, which answer at once
start_quick <- function(count, port = free_port()) {
  options(socketOptions = "no-delay")
  quick <- c("-e", shQuote("options(socketOptions = 'no-delay')"))
  cl <- parallel::makeCluster(count, rscript_args = quick, port = port)
  parallel::clusterCall(cl, function(paths) .libPaths(paths), .libPaths())
  cl
}

#' No forks on Windows, and R CMD check allows two processes
skip_if_too_many <- function(count) {
  skip_on_os("windows")
  if (count > 2) skip_on_cran()
}

#' The same, to be stopped after the file of tests
start_workers <- function(count, env = testthat::teardown_env()) {
  skip_if_too_many(count)
  withr::local_options(socketOptions = "no-delay")
  cl <- start_quick(count)
  withr::defer(stop_workers(cl), env)
  cl
}

#' Copies of this process, which have nothing to load, for the time of a test
fork_workers <- function(count, env = parent.frame()) {
  skip_if_too_many(count)
  withr::local_options(socketOptions = "no-delay")
  cl <- parallel::makeForkCluster(count, port = free_port())
  pids <- pids_of(cl)
  withr::defer(stop_workers(cl, pids), env)
  cl
}

pids_of <- function(cl) unlist(parallel::clusterCall(cl, Sys.getpid))

#' Stops those that are left, by force where they do not listen
stop_workers <- function(cl, pids = integer()) {
  for (node in cl) {
    try(parallel::stopCluster(structure(list(node), class = class(cl))), silent = TRUE)
    try(close(node$con), silent = TRUE)
  }
  tools::pskill(pids, tools::SIGKILL)
}

#' Are processes there, neither ended nor waiting to be buried?
are_alive <- function(pids) {
  states <- suppressWarnings(system2("ps", c("-o", "stat=", "-p", paste(pids, collapse = ",")),
    stdout = TRUE
  ))
  any(!startsWith(states, "Z"))
}

#' Rows that hold some of two features, with names
team_data <- function(rows, columns = 4, sigma_x = 0.3) {
  z <- withr::with_seed(1, matrix(stats::rbinom(rows * 2, 1, 0.4), rows))
  x <- bare(draw_nonnegative(z, columns, sigma_x, 2))
  dimnames(x) <- list(paste0("r", seq_len(rows)), letters[seq_len(columns)])
  x
}

#' Blocks of so many rows each, whose function takes with it to a worker what it needs
team_blocks <- function(x, sizes, act = function(i) NULL) {
  ends <- cumsum(sizes)
  read <- function(i) {
    act(i)
    x[ends[i] - sizes[i] + seq_len(sizes[i]), , drop = FALSE]
  }
  environment(read) <- list2env(list(x = x, ends = ends, sizes = sizes, act = act), NULL, baseenv())
  environment(environment(read)$act) <- list2env(as.list(environment(act)), NULL, baseenv())
  row_blocks(read, length(sizes))
}

expect_listens <- function(cl) {
  expect_identical(parallel::clusterCall(cl, function() "here"), rep(list("here"), length(cl)))
}
