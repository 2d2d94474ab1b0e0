# Chains in futures: the fits are those of chains in this process.

images <- withr::with_seed(1, block_images(40))

#' A fit of chains in futures is that of chains in threads
expect_same <- function(fit_of, method) {
  in_threads <- fit_of(utils::modifyList(method, list(cores = 2L)))
  expect_identical(fit_of(method), in_threads)
  invisible(in_threads)
}

regrouped <- function(fit) vapply(fit$internal$chains, `[[`, NA, "regrouped")

test_that("fits of every model are the same", {
  local_workers()
  futures <- local_counter("new_future")
  gibbs <- function(...) method_gibbs(chains = 2, iter = 60, ...)
  for (sampler in c("collapsed", "uncollapsed", "slice")) {
    expect_same(function(method) quick_fit(images, method = method), gibbs(sampler = sampler))
  }
  expect_same(function(method) quick_fit(images, noise = "column", method = method), gibbs())
  for (sampler in c("uncollapsed", "neal")) {
    expect_same(function(method) quick_logistic(method = method), gibbs(sampler = sampler))
  }
  tree <- prior_pibp(celebrity_tree)
  expect_same(function(method) quick_choice(prior = tree, method = method), gibbs())
  expect_same(function(method) quick_topics(topic_corpus(), method = method), gibbs())
  expect_same(function(method) quick_cascade(cascade_data(20), method = method), gibbs())
  expect_same(function(method) quick_factor(small_factor_data(), method = method), gibbs())
  expect_same(function(method) quick_mixed(mixed_frame(30), method = method), gibbs())
  expect_same(function(method) quick_nmf(nmf_data(), method = method), gibbs())
  expect_gte(futures(), 12 * 2)
})

test_that("chains meet alike", {
  local_workers()
  # As in the tests of method_gibbs(): two of four go on from others.
  set.seed(1)
  x <- matrix(rbinom(60 * 20, 1, 0.5), 60) %*% matrix(rnorm(20 * 5), 20) + 0.05 * rnorm(300)
  fit_of <- function(method) quick_fit(x, method = method, seed = 2)
  fit <- expect_same(fit_of, method_gibbs(iter = 800, warmup = 700))
  expect_true(any(regrouped(fit)) && !all(regrouped(fit)))
})

test_that("runs are extended alike, and continued, and no other random numbers are drawn", {
  local_workers()
  local_function("rhat_of", function(values) 2)
  before <- .Random.seed
  # As in the tests of runs that are extended: two of four are regrouped.
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

test_that("more chains than workers are the same, and each is one future", {
  local_workers()
  futures <- local_counter("new_future")
  method <- method_gibbs(chains = 5, iter = 300, regroup = FALSE)
  expect_same(function(method) quick_fit(images, method = method), method)
  expect_identical(futures(), 5)
})

test_that("more than one core are threads of this process, as is a plan without workers", {
  local_workers()
  futures <- local_counter("new_future")
  method <- method_gibbs(chains = 2, iter = 20, cores = 2)
  quick_fit(images, method = method)
  future::plan(future::sequential)
  method$cores <- 1L
  quick_fit(images, method = method)
  expect_identical(futures(), 0)
  local_workers()
  # Whatever its size.
  withr::local_options(future.globals.maxSize = 1000)
  quick_fit(images, method = method)
  expect_identical(futures(), 2)
})

test_that("what a worker refuses or fails in is told in one line", {
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

test_that("workers that do something else are waited for, and the plan stays as it was", {
  local_workers()
  plan <- future::plan("list")
  method <- method_gibbs(chains = 2, iter = 20)
  done <- lapply(1:2, function(n) future::future(n))
  fit <- quick_fit(images, method = method)
  busy <- lapply(1:2, function(n) future::future(Sys.sleep(1)))
  expect_identical(quick_fit(images, method = method), fit)
  expect_identical(lapply(done, future::value), list(1L, 2L))
  expect_identical(future::plan("list"), plan)
})

test_that("progress is shown by progressr where that has handlers, by the bar elsewhere", {
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
