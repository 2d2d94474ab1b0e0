# Workers that die, chains that fail in them, and plans that run nothing any more.

images <- withr::with_seed(1, block_images(40))
method <- method_gibbs(chains = 3, iter = 1500)
whole <- function() once("many stretches", quick_fit(images, method = method))

#' Calls change(n, job) after the n-th future is made, of this job, until the test ends
after_futures <- function(change, frame = parent.frame()) {
  made <- 0
  local_wrapper("new_stretch", function(plain, job) {
    stretch <- plain(job)
    made <<- made + 1
    change(made, job)
    stretch
  }, frame)
}

kill <- function(pids) for (pid in pids) tools::pskill(pid, 9)

#' Workers of the chain with this number die at once
deadly <- function(number, frame = parent.frame()) {
  local_wrapper("new_stretch", function(plain, job) {
    if (job$plan$numbers != number) return(plain(job))
    future::future(tools::pskill(Sys.getpid(), 9), globals = FALSE)
  }, frame)
}

test_that("workers that are killed cost time alone, idle or not", {
  local_workers(future::multisession)
  local_short_stretches(0.1)
  kill(worker_pids())
  expect_identical(quick_fit(images, method = method), whole())
  pids <- worker_pids()
  after_futures(function(made, job) if (made == 4) kill(pids))
  expect_identical(quick_fit(images, method = method), whole())
  expect_length(intersect(worker_pids(), pids), 0)
})

test_that("a chain whose workers die three times in a row is left out, the others are kept", {
  local_workers(future::multisession)
  deadly(1)
  out <- with_warnings(quick_fit(images, method = method_gibbs(chains = 2, iter = 60)))
  expect_identical(out$warned, paste(
    "chain 2 failed and is left out of the fit: its worker died three times in a row after",
    "sweep 0."
  ))
  other <- quick_fit(images, method = method_gibbs(chains = 1, iter = 60, cores = 2))
  expect_identical(scalars_of(out$value), scalars_of(other), ignore_attr = TRUE)
})

test_that("a cluster goes on without the worker that died, or with those that replace them", {
  local_short_stretches(0.1)
  cluster <- new_cluster()
  withr::defer(try(parallel::stopCluster(cluster), silent = TRUE))
  local_workers(future::cluster, cluster)
  pids <- worker_pids()
  after_futures(function(made, job) {
    if (made == 4) kill(if (relaunches()) pids else pids[1])
  })
  expect_identical(quick_fit(images, method = method), whole())
  expect_false(is_running(pids[1]))
  # The plan stays that of its owner.
  expect_identical(future::nbrOfWorkers(), 2L)
})

test_that("a cluster without a worker left has the fit so far", {
  skip_if_not_installed("future")
  skip_if(relaunches(), "future replaces workers")
  local_short_stretches(0.1)
  cluster <- new_cluster()
  withr::defer(try(parallel::stopCluster(cluster), silent = TRUE))
  local_workers(future::cluster, cluster)
  pids <- worker_pids()
  endless <- method_gibbs(chains = 2, iter = 1e6, warmup = 10)
  # Both chains have draws at home.
  draws <- c(FALSE, FALSE)
  after_futures(function(made, job) {
    state <- job$plan$states[[1]]
    draws[job$plan$numbers + 1] <<- length(state) > 0 && sweeps_done(list(state = state)) > 10
    if (all(draws)) kill(pids)
  })
  out <- with_warnings(quick_fit(images, method = endless))
  expect_identical(
    out$warned[1],
    "the chains stopped: the plan no longer runs futures (all its workers have died)"
  )
  expect_match(out$warned[2], "^interrupted: the fit has [0-9]+ of 999990 draws per chain\\.$")
  expect_s3_class(out$value, "fit_gaussian")
})
