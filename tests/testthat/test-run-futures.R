# Chains in futures must give the same fits as chains in this process.

images <- withr::with_seed(1, sim_images(40))

#' Expects a fit with chains in futures to equal the fit with chains in threads
expect_same <- function(fit_of, method) {
  in_threads <- fit_of(utils::modifyList(method, list(cores = 2L)))
  expect_identical(fit_of(method), in_threads)
  invisible(in_threads)
}

regrouped <- function(fit) vapply(fit$internal$chains, `[[`, NA, "regrouped")

test_that("fits of every model are the same with and without futures", {
  local_workers()
  futures <- local_counter("new_future")
  gibbs <- function(...) method_gibbs(chains = 2, iter = 60, ...)
  expect_same(function(method) quick_fit(images, method = method), gibbs(sampler = "slice"))
  expect_same(function(method) quick_fit(images, noise = "column", method = method), gibbs())
  expect_same(function(method) quick_logistic(method = method), gibbs())
  tree <- prior_pibp(celebrity_tree)
  expect_same(function(method) quick_choice(prior = tree, method = method), gibbs())
  expect_same(function(method) quick_topics(topic_corpus(), method = method), gibbs())
  expect_same(function(method) quick_cascade(cascade_data(20), method = method), gibbs())
  expect_same(function(method) quick_factor(small_factor_data(), method = method), gibbs())
  expect_same(function(method) quick_mixed(mixed_frame(30), method = method), gibbs())
  expect_same(function(method) quick_nmf(nmf_data(), method = method), gibbs())
  expect_gte(futures(), 9 * 2)
})

test_that("runs are extended and continued in the same way, with the same random numbers", {
  local_workers()
  local_function("rhat_of", function(values) 2)
  before <- .Random.seed
  # As in the tests of method_gibbs(), two of the four chains restart from the best one.
  apart <- withr::with_seed(1, {
    matrix(rbinom(60 * 20, 1, 0.5), 60) %*% matrix(rnorm(20 * 5), 20) + 0.05 * rnorm(300)
  })
  fit <- expect_same(
    function(method) quick_fit(apart, method = method, seed = 2),
    method_gibbs(iter = 700, warmup = 350, max_iter = 1400)
  )
  expect_true(any(regrouped(fit)) && !all(regrouped(fit)))
  fit <- quick_fit(images)
  expect_identical(
    update(fit, iter = 300, verbose = FALSE), update(fit, iter = 300, verbose = FALSE, cores = 2)
  )
  expect_identical(.Random.seed, before)
})

test_that("with several cores, or a plan without workers, chains run in threads of this process", {
  local_workers()
  futures <- local_counter("new_future")
  method <- method_gibbs(chains = 2, iter = 20, cores = 2)
  quick_fit(images, method = method)
  future::plan(future::sequential)
  method$cores <- 1L
  quick_fit(images, method = method)
  expect_identical(futures(), 0)
  local_workers()
  # The limit on the size of data does not apply.
  withr::local_options(future.globals.maxSize = 1000)
  quick_fit(images, method = method)
  expect_identical(futures(), 2)
})

test_that("errors on a worker are reported in one line", {
  local_workers()
  changed <- function(change) {
    local_wrapper("new_future", function(plain, job) plain(change(job)))
    tryCatch(quick_fit(images), error = conditionMessage)
  }
  here <- as.character(utils::packageVersion("buffet"))
  expect_identical(
    changed(function(job) utils::modifyList(job, list(version = "0.0.1"))),
    sprintf("a worker of the plan must have buffet 0.0.1, not %s.", here)
  )
  expect_identical(
    changed(function(job) {
      job$plan$states <- list(as.raw(1:3))
      job
    }),
    "the saved state is incomplete."
  )
})

test_that("progress is shown by progressr if it has handlers, and otherwise by the bar", {
  skip_if_not_installed("progressr")
  withr::local_options(
    progressr.enable = TRUE, cli.dynamic = TRUE, cli.progress_show_after = 0,
    cli.progress_handlers_only = "logger"
  )
  method <- method_gibbs(chains = 2, iter = 30, refresh = 1)
  amounts <- NULL
  run <- function(verbose = TRUE) {
    amounts <<- NULL
    withCallingHandlers(
      utils::capture.output(
        fit <- fit_gaussian(images, method = method, seed = 1, verbose = verbose)
      ),
      progression = function(p) if (p$type == "update") amounts <<- c(amounts, p$amount)
    )
  }
  listening <- function(...) progressr::with_progress(run(...), progressr::handler_void())
  for (plan in c(FALSE, TRUE)) {
    if (plan) local_workers()
    expect_identical(listening(), character())
    expect_equal(sum(amounts), 60)
    expect_match(run(), " 60/60 ", all = FALSE)
    expect_null(amounts)
    expect_identical(listening(FALSE), character())
    expect_null(amounts)
  }
})

# Workers that die and runs that end early. Chains that have returned are in the file.

method <- method_gibbs(chains = 3, iter = 600)
run <- function(file, plan = method) quick_fit(images, method = plan, seed = 3, file = file)
whole <- function() once("in futures", run(NULL))

#' Makes the worker of the chain with this number exit at once
deadly <- function(number, frame = parent.frame()) {
  local_wrapper("new_future", function(plain, job) {
    if (job$plan$numbers != number) return(plain(job))
    future::future(tools::pskill(Sys.getpid(), 9), globals = FALSE)
  }, frame)
}

test_that("a worker that dies raises a single error, and the plan is unchanged", {
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

test_that("running chains are saved, and the same call resumes the run", {
  whole()
  file <- withr::local_tempfile(fileext = ".rds")
  local({
    local_workers(future::multisession)
    # Chain 1 is sent first and returns. Which of the other chains are sent depends on the version
    # of future.
    deadly(1)
    expect_error(run(file), "^chain 2 was lost, .* the same call with the same `file` resumes")
  })
  expect_identical(sweeps_saved(file)[1:2], c(600L, 0L))
  again <- withr::local_tempfile(fileext = ".rds")
  file.copy(file, again)
  # The run can be resumed in this process or on workers.
  expect_identical(run(again), whole())
  local_workers()
  futures <- local_counter("new_future")
  expect_identical(run(file), whole())
  expect_lte(futures(), 2)
  # If the run is finished, its file returns the fit on workers as well.
  expect_identical(run(file), whole())
})

test_that("after an interrupt, the fit has the chains that have returned", {
  local_workers()
  file <- withr::local_tempfile(fileext = ".rds")
  alone <- run(NULL, plan = method_gibbs(chains = 1, iter = 100))
  # The run appears to be interrupted as soon as the first chain is saved.
  local_function("is_interrupted", function() file.exists(file))
  local_wrapper("new_future", function(plain, job) {
    if (job$plan$numbers > 0) return(future::future(Sys.sleep(2)))
    plain(job)
  })
  plan <- method_gibbs(chains = 2, iter = 100, restart_stuck = FALSE)
  out <- with_warnings(run(file, plan = plan))
  expect_match(out$warned[1], "^interrupted before any draw of 1 of 2 chains was saved: .* `file` ")
  expect_identical(scalars_of(out$value), scalars_of(alone), ignore_attr = TRUE)
})

test_that("the call ends at once when it is interrupted", {
  skip_if_not_installed("future")
  call <- list(x = images, method = method_gibbs(chains = 3, iter = 1e7, warmup = 10), seed = 3)
  child <- start_child(call, workers = 2)
  at <- Sys.time() + 5
  result <- interrupt_when(child, function() Sys.time() > at)
  expect_lt(result$seconds, 3)
  expect_identical(result$fit, "interrupted before any draw was saved.")
  # Versions of future that cannot cancel futures leave them running.
  tools::pskill(result$workers, 9)
})
