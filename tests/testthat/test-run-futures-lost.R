# Workers that die and runs in futures that end early: what came back is in the file, and the same
# call resumes the run.

images <- withr::with_seed(1, block_images(40))
method <- method_gibbs(chains = 3, iter = 600)
run <- function(file, plan = method) quick_fit(images, method = plan, seed = 3, file = file)
whole <- function() once("in futures", run(NULL))

#' The worker of the chain with this number dies at once
deadly <- function(number, frame = parent.frame()) {
  local_wrapper("new_future", function(plain, job) {
    if (job$plan$numbers != number) return(plain(job))
    future::future(tools::pskill(Sys.getpid(), 9), globals = FALSE)
  }, frame)
}

test_that("a worker that dies is one error, and the plan is not changed", {
  whole()
  local_workers(future::multisession)
  deadly(1)
  plan <- future::plan("list")
  expect_error(run(NULL), paste0(
    "^chain 2 was lost, because its future failed \\(.+\\)\\. Set the plan again, and give a ",
    "`file` so that such a run can be resumed\\.$"
  ))
  expect_identical(future::plan("list"), plan)
})

test_that("chains that were under way are saved, and the same call resumes the run", {
  whole()
  file <- withr::local_tempfile(fileext = ".rds")
  local({
    local_workers(future::multisession)
    # Chain 1 is sent first and comes back. Which others are sent depends on the version of future.
    deadly(1)
    expect_error(run(file), "^chain 2 was lost, .* the same call with the same `file` resumes")
  })
  expect_identical(sweeps_saved(file)[1:2], c(600L, 0L))
  again <- withr::local_tempfile(fileext = ".rds")
  file.copy(file, again)
  # Here, or by workers.
  expect_identical(run(again), whole())
  local_workers()
  futures <- local_counter("new_future")
  expect_identical(run(file), whole())
  expect_lte(futures(), 2)
  # The file of a finished run gives the fit there too.
  expect_identical(run(file), whole())
})

test_that("a future that cannot be made is one error", {
  local_workers()
  local_wrapper("new_future", function(plain, job) stop("no more\nworkers"))
  expect_error(run(NULL), "^chain 1 was lost, because its future failed \\(no more\\)\\. Set ")
})

test_that("runs that ended before, at or after a meeting end as if they had not", {
  local_workers()
  set.seed(1)
  x <- matrix(rbinom(60 * 20, 1, 0.5), 60) %*% matrix(rnorm(20 * 5), 20) + 0.05 * rnorm(300)
  fit_of <- function(cores = 1, ...) {
    quick_fit(x, method = method_gibbs(iter = 800, warmup = 700, cores = cores), seed = 2, ...)
  }
  expected <- fit_of(2)
  # Four chains are saved one after the other, when they wait for the others and at their ends.
  for (saves in c(1, 4, 5)) {
    for (cores in 1:2) {
      file <- withr::local_tempfile(fileext = ".rds")
      local({
        local_end_after_save(saves)
        expect_error(fit_of(file = file), "killed")
      })
      expect_identical(sum(sweeps_saved(file) == 800), as.integer(saves > 4))
      expect_identical(fit_of(cores, file = file), expected)
    }
  }
})

test_that("a run in threads that was killed is resumed by workers", {
  local_workers()
  file <- withr::local_tempfile(fileext = ".rds")
  plan <- method_gibbs(chains = 2, iter = 3000)
  kill_after(list(x = images, method = plan, seed = 3, file = file), 100)
  expect_identical(run(file, plan = plan), run(NULL, plan = plan))
})

test_that("after an interrupt the fit has the chains that came back", {
  local_workers()
  file <- withr::local_tempfile(fileext = ".rds")
  alone <- run(NULL, plan = method_gibbs(chains = 1, iter = 100))
  # As if there were one as soon as the first chain is saved.
  local_function("is_interrupted", function() file.exists(file))
  local_wrapper("new_future", function(plain, job) {
    if (job$plan$numbers > 0) return(future::future(Sys.sleep(2)))
    plain(job)
  })
  plan <- method_gibbs(chains = 2, iter = 100, regroup = FALSE)
  out <- with_warnings(run(file, plan = plan))
  expect_match(out$warned[1], "^interrupted before any draw of 1 of 2 chains was kept: .* `file` ")
  expect_identical(scalars_of(out$value), scalars_of(alone), ignore_attr = TRUE)
})

test_that("an interrupt ends the call at once", {
  skip_if_not_installed("future")
  call <- list(x = images, method = method_gibbs(chains = 3, iter = 1e7, warmup = 10), seed = 3)
  child <- start_child(call, workers = 2)
  at <- Sys.time() + 5
  result <- interrupt_when(child, function() Sys.time() > at)
  expect_lt(result$seconds, 3)
  expect_identical(result$fit, "interrupted before any draw was kept.")
  # Versions of future that cannot cancel leave them running.
  tools::pskill(result$workers, 9)
})
