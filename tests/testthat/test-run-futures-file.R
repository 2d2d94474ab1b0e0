# Runs with chains in futures that are interrupted, killed and taken up again.

images <- withr::with_seed(1, block_images(40))
call_with <- function(file, ...) {
  list(x = images, method = method_gibbs(chains = 2, iter = 3000, ...), seed = 3, file = file)
}
whole <- function() once("whole", quick_fit(images, method = call_with("")$method, seed = 3))

test_that("an interrupt gives the fit so far, and no worker stays", {
  skip_if_not_installed("future")
  call <- utils::modifyList(call_with(NULL), list(file = NULL))
  call$method <- method_gibbs(chains = 3, iter = 1e7, warmup = 10)
  child <- start_child(call, workers = 2)
  at <- Sys.time() + 5
  result <- interrupt_when(child, function() Sys.time() > at)
  expect_lt(result$seconds, 3)
  expect_match(result$warned, "^interrupted: the fit has [0-9]+ of 9999990 draws per chain\\.$")
  expect_usable(result$fit, pictures = FALSE)
  draws <- as_draws(result$fit)
  early <- quick_fit(images,
    method = method_gibbs(chains = 3, iter = 10 + posterior::niterations(draws), warmup = 10),
    seed = 3
  )
  expect_identical(scalars_of(early), scalars_of(result$fit))
  expect_length(result$workers, 2)
  wait_until(function() !any(vapply(result$workers, is_running, NA)))
  expect_false(any(vapply(result$workers, is_running, NA)))
})

test_that("a run that was killed is taken up here or there", {
  skip_if_not_installed("future")
  file <- withr::local_tempfile(fileext = ".rds")
  kill_after(call_with(file), 1, workers = 2)
  expect_lt(min(sweeps_saved(file)), 3000)
  again <- withr::local_tempfile(fileext = ".rds")
  file.copy(file, again)
  expect_identical(do.call(fit_gaussian, c(call_with(file), verbose = FALSE)), whole())
  local_workers()
  expect_identical(do.call(fit_gaussian, c(call_with(again), verbose = FALSE)), whole())
  # A file of a finished run gives the fit there too.
  expect_identical(do.call(fit_gaussian, c(call_with(again), verbose = FALSE)), whole())
})

test_that("a run in threads that was killed is taken up by workers", {
  local_workers()
  file <- withr::local_tempfile(fileext = ".rds")
  for (sweeps in c(100, 1600)) kill_after(call_with(file), sweeps)
  expect_identical(do.call(fit_gaussian, c(call_with(file), verbose = FALSE)), whole())
})

test_that("runs that were left before, at or after a meeting end as if they had not been", {
  local_workers()
  local_short_stretches()
  set.seed(1)
  x <- matrix(rbinom(60 * 20, 1, 0.5), 60) %*% matrix(rnorm(20 * 5), 20) + 0.05 * rnorm(300)
  method <- method_gibbs(iter = 800, warmup = 700)
  expected <- quick_fit(x, method = method, seed = 2)
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(x = x, method = method, seed = 2, file = file, verbose = FALSE)
  save <- utils::getFromNamespace("write_checkpoint", "buffet")
  withr::local_options(buffet.checkpoint_seconds = 0.001)
  for (cores in c(1, 2)) {
    for (sweeps in list(c(380, 420), 421)) {
      # As if the process had ended once so many sweeps were saved.
      left <- function(file, saved) {
        done <- sweeps_of(saved)
        failure <- save(file, saved)
        if (min(done) >= sweeps[1]) stop("killed")
        failure
      }
      local_function("write_checkpoint", left)
      expect_error(do.call(fit_gaussian, call), "killed")
      local_function("write_checkpoint", save)
    }
    call$method$cores <- cores
    expect_identical(do.call(fit_gaussian, call), expected)
    unlink(file)
  }
})
