# Fits whose rows are on the workers of an MPI cluster are those of one process.

mpi_calls <- function() {
  x <- team_data(9000)
  chains <- method_gibbs(2, 20, sampler = "parallel", regroup = FALSE)
  calls <- list(
    list(x = x, method = method_meibp(4)),
    list(x = with_holes(x, 100), method = method_meibp(4)),
    list(x = x, method = chains),
    list(x = with_holes(x, 100), method = chains)
  )
  lapply(calls, c, list(loadings = "nonnegative", seed = 1, verbose = FALSE))
}

expect_ended <- function(pids) {
  wait_until(function() !are_alive(pids), 20)
  expect_false(are_alive(pids))
}

test_that("fits on workers of MPI are those of one process, and leave the cluster as it was", {
  skip_if_quick()
  calls <- mpi_calls()
  job <- run_mpi(function(cl, calls) {
    pids <- unlist(parallel::clusterCall(cl, Sys.getpid))
    fits <- suppressWarnings(lapply(calls, function(call) {
      do.call(buffet::fit_gaussian, c(call, list(cl = cl)))
    }))
    list(pids = pids, fits = fits, after = unlist(parallel::clusterCall(cl, Sys.getpid)))
  }, calls)
  expect_identical(attr(job, "status"), 0L)
  alone <- suppressWarnings(lapply(calls, function(call) do.call(fit_gaussian, call)))
  expect_identical(job$fits, alone)
  expect_identical(job$after, job$pids)
  expect_length(unique(job$pids), 2)
  expect_ended(job$pids)
})

test_that("what fails on a worker of MPI is told, and the worker is as good as before", {
  skip_if_quick()
  flag <- withr::local_tempfile()
  fails <- function(i) if (i == 3 && file.exists(flag)) stop("no block ", i)
  x <- team_blocks(team_data(40), rep(10, 4), fails)
  file.create(flag)
  call <- list(x = x, loadings = "nonnegative", method = method_meibp(4), seed = 1, verbose = FALSE)
  job <- run_mpi(function(cl, call, flag) {
    fit <- function() do.call(buffet::fit_gaussian, c(call, list(cl = cl)))
    failure <- tryCatch(fit(), error = conditionMessage)
    unlink(flag)
    list(failure = failure, fit = fit())
  }, call, flag)
  expect_identical(job$failure, "worker 2 failed: `read(3)` failed: no block 3")
  expect_identical(features(job$fit), features(do.call(fit_gaussian, call)))
})

test_that("a worker of MPI that is slow for too long is lost, and listens to the next fit again", {
  skip_if_quick()
  flag <- withr::local_tempfile()
  waits <- function(i) if (i == 3 && file.exists(flag)) Sys.sleep(if (file.remove(flag)) 8)
  x <- team_blocks(team_data(40), rep(10, 4), waits)
  call <- list(x = x, loadings = "nonnegative", method = method_meibp(4), seed = 1, verbose = FALSE)
  file.create(flag)
  job <- run_mpi(function(cl, call) {
    parallel::clusterCall(cl, loadNamespace, "buffet")
    fit <- function() do.call(buffet::fit_gaussian, c(call, list(cl = cl)))
    options(buffet.worker_timeout = 3)
    warned <- tryCatch(fit(), warning = conditionMessage)
    options(buffet.worker_timeout = 100)
    list(warned = warned, fit = fit(), after = parallel::clusterCall(cl, function() "here"))
  }, call)
  expect_match(job$warned, "^a worker is lost: ")
  expect_identical(features(job$fit), features(do.call(fit_gaussian, call)))
  expect_identical(job$after, list("here", "here"))
})

test_that("a worker of MPI that is killed ends the job, and its file goes on", {
  skip_if_quick()
  file <- withr::local_tempfile(fileext = ".rds")
  pids <- withr::local_tempfile()
  call <- list(
    x = team_blocks(team_data(300), c(100, 200)), seed = 1, verbose = FALSE, file = file,
    method = method_gibbs(1, 2000, sampler = "parallel", regroup = FALSE)
  )
  job <- run_mpi(function(cl, call, pids) {
    options(buffet.checkpoint_seconds = 0.02)
    workers <- unlist(parallel::clusterCall(cl, Sys.getpid))
    writeLines(as.character(c(Sys.getpid(), workers)), pids)
    command <- sprintf("until test -e %s; do sleep 0.1; done; kill -9 %d", call$file, workers[2])
    system2("sh", c("-c", shQuote(command)), wait = FALSE)
    list(do.call(buffet::fit_gaussian, c(call, list(cl = cl))))
  }, call, pids)
  expect_false(attr(job, "status") == 0)
  expect_length(job, 0)
  expect_ended(as.integer(readLines(pids)))
  fit <- function(call) suppressWarnings(do.call(fit_gaussian, call))
  expect_identical(fit(call), fit(utils::modifyList(call, list(file = NULL))))
})

test_that("an interrupt of what leads workers of MPI gives the fit so far, and they listen again", {
  skip_if_quick()
  call <- list(
    x = team_blocks(team_data(300), c(100, 200)), seed = 1, verbose = FALSE,
    method = method_gibbs(1, 5000, sampler = "parallel", regroup = FALSE),
    file = withr::local_tempfile(fileext = ".rds")
  )
  job <- run_mpi(function(cl, call) {
    options(buffet.checkpoint_seconds = 0.02)
    parallel::clusterCall(cl, loadNamespace, "buffet")
    pid <- Sys.getpid()
    command <- sprintf("until test -e %s; do sleep 0.1; done; kill -INT %d", call$file, pid)
    system2("sh", c("-c", shQuote(command)), wait = FALSE)
    warned <- tryCatch(
      do.call(buffet::fit_gaussian, c(call, list(cl = cl))),
      warning = conditionMessage, error = conditionMessage
    )
    list(warned = warned, after = parallel::clusterCall(cl, function() "here"))
  }, call)
  expect_match(job$warned, "^interrupted")
  expect_identical(job$after, list("here", "here"))
})
