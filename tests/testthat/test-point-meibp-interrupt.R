# Fits by method_meibp() that are interrupted, killed and taken up again.

#' A second of work and more, saved after every 0.2 seconds of each of two starts
long_data <- function(rows = 4000) {
  z <- withr::with_seed(1, matrix(stats::rbinom(rows * 12, 1, 0.3), rows))
  bare(draw_nonnegative(z, 40, 1))
}
long_call <- function(...) {
  utils::modifyList(list(
    x = long_data(), loadings = "nonnegative", method = method_meibp(15), seed = 3
  ), list(...))
}

#' Takes a minute or more
endless_point <- function(...) {
  long_call(x = long_data(60), method = method_meibp(30, restarts = 300, tol = 1e-12), ...)
}

run_here <- function(call) do.call(fit_gaussian, c(call, verbose = FALSE))

#' Waits until the file has been saved so often, however often that was before
wait_for_saves <- function(child, file, saves) {
  seen <- tools::md5sum(file)
  wait_until(function() {
    seen <<- union(seen, tools::md5sum(file))
    !child$is_alive() || length(seen) > saves
  })
}

is_finished <- function(fit) glance(fit)$finished

test_that("an interrupted fit returns within about a second with the best so far", {
  result <- interrupt_after(endless_point())
  expect_lt(result$seconds, 3)
  expect_identical(result$warned, "interrupted: the fit is the best point so far.")
  fit <- result$fit
  expect_s3_class(fit, c("fit_gaussian", "fit_point", "buffet_fit"), exact = TRUE)
  expect_false(is_finished(fit))
  expect_match(format(fit), "^Method: .* \\(interrupted\\)$", all = FALSE)
  expect_equal(bound_of(fit), bound_by_definition(fit), tolerance = 1e-8)
  expect_true(all(is.finite(fitted(fit))))
  utils::capture.output(print(summary(fit)))
})

test_that("an interrupted fit with a file says how to go on, and does", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- long_call(file = file)
  child <- start_child(call)
  result <- interrupt_when(child, function() file.exists(file))
  expect_lt(result$seconds, 3)
  expect_identical(result$warned, paste0(
    "interrupted: the fit is the best point so far; ",
    "the same call with the same `file` resumes the run."
  ))
  expect_false(is_finished(result$fit))
  whole <- run_here(call)
  expect_identical(whole, run_here(long_call()))
  # The bound may have been reached before the last proposals have failed.
  expect_gte(bound_of(whole), bound_of(result$fit))
})

test_that("a fit interrupted before all rows were searched is an error that can be caught", {
  x <- long_data(60)[rep(1:60, 90), 1:10]
  call <- list(
    x = x, loadings = "nonnegative", seed = 1, method = method_meibp(12, restarts = 300)
  )
  result <- interrupt_after(call)
  expect_lt(result$seconds, 3)
  expect_identical(result$fit, "interrupted before all rows were searched.")
})

#' Runs the call in a child that is killed at its next save; what it left
kill_at_save <- function(call) {
  child <- start_child(call)
  on.exit(child$kill())
  wait_for_saves(child, call$file, 1)
  child$kill()
  tools::md5sum(call$file)
}

#' Killed, twice in the full tier, then taken up: the fit is the same as that of a run that nothing
#' happened to
expect_point_resumed <- function(...) {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- long_call(..., file = file)
  half <- kill_at_save(call)
  if (!is_quick()) kill_at_save(call)
  resumed <- run_here(call)
  # It was killed on its way, not after the end.
  done <- tools::md5sum(file)
  expect_false(is.na(half) || half == done)
  expect_identical(resumed, run_here(long_call(...)))
  # The file of a finished run gives the fit.
  expect_identical(run_here(call), resumed)
}

test_that("runs that were killed go on as if they had not been", {
  expect_point_resumed()
})

test_that("runs that were killed go on: missing entries, fixed noise, another search, threads", {
  expect_point_resumed(
    x = with_holes(long_data(1500)[, 1:20], 6000), sigma_x = 1, prior = prior_ibp(2, 2, 0.1),
    method = method_meibp(15, restarts = 2, search = "double_greedy", threads = 2)
  )
})

#' Blocks whose function takes little with it to another process, and some time to read
slow_blocks <- function(x, seconds) {
  read <- function(i) {
    Sys.sleep(seconds)
    x[i * 500 - 499:0, ]
  }
  environment(read) <- list2env(list(x = x, seconds = seconds), parent = baseenv())
  row_blocks(read, nrow(x) %/% 500)
}

test_that("runs that were killed go on: blocks of rows", {
  x <- long_data(3000)[, 1:15]
  expect_point_resumed(
    x = slow_blocks(x, 0.01), method = method_meibp(15, tol = 1e-9), init = diag(3000)[, 1:8]
  )
})

test_that("without a seed the run goes on with the seed in its file, and draws none", {
  file <- withr::local_tempfile(fileext = ".rds")
  x <- bare(easy_data())
  set.seed(1)
  fit <- quick_point(x, seed = NULL, file = file)
  before <- .Random.seed
  expect_identical(quick_point(x, seed = NULL, file = file), fit)
  expect_identical(.Random.seed, before)
  expect_identical(fit$seed, readRDS(file)$seed)
  expect_output(print(readRDS(file)), "^A run of buffet on its way to a point estimate\n")
})

# Refusals.

test_that("a file of a run of something else is refused, naming what differs", {
  x <- bare(easy_data())
  file <- withr::local_tempfile(fileext = ".rds")
  again <- function(..., x = bare(easy_data()), plan = list(), seed = 1) {
    quick_point(x, ..., method = do.call(method_meibp, plan), seed = seed, file = file)
  }
  fit <- again()
  bytes <- readBin(file, "raw", 1e7)
  cases <- list(
    x = list(x = x + 1), x = list(x = replace(x, 7, NA)), x = list(x = x[, 6:1]),
    x = list(x = row_blocks(\(i) x, 1)), center = list(center = TRUE),
    sigma_x = list(sigma_x = 0.2), sigma_a = list(sigma_a = gamma_prior(1, 2)),
    prior = list(prior = prior_ibp(1)), prior = list(prior = prior_beta_bernoulli(5, 1)),
    max_features = list(plan = list(max_features = 19)), restarts = list(plan = list(restarts = 2)),
    tol = list(plan = list(tol = 1e-6)), search = list(plan = list(search = "local")),
    init = list(init = matrix(1, 30, 1)), seed = list(seed = 2)
  )
  for (case in seq_along(cases)) {
    name <- names(cases)[case]
    expect_error(do.call(again, cases[[case]]), sprintf(
      "^`file` must hold a run with the same `%s` [^\n]*, not one with another\\.$", name
    ), label = paste(name, case))
  }
  expect_error(
    quick_fit(x, loadings = "nonnegative", file = file), "^`file` must hold a run with the same `"
  )
  expect_identical(readBin(file, "raw", 1e7), bytes)
  expect_identical(again(plan = list(threads = 2)), fit)
  # Nor does a run by sampling go on with another method.
  other <- withr::local_tempfile(fileext = ".rds")
  quick_fit(x, loadings = "nonnegative", method = method_gibbs(1, 10), file = other)
  expect_error(quick_point(x, file = other), "^`file` must hold a run with the same `")
})

test_that("a damaged file is refused", {
  x <- bare(easy_data())
  file <- withr::local_tempfile(fileext = ".rds")
  quick_point(x, file = file)
  saved <- read_checkpoint(file)
  state <- saved$chains[[1]]$state
  for (damaged in list(state[1:20], raw(), c(state, as.raw(1)))) {
    saved$chains[[1]]$state <- damaged
    write_checkpoint(file, saved)
    expect_error(quick_point(x, file = file), "saved state is (damaged in|incomplete)")
  }
})

test_that("a run that cannot be saved goes on to its end, with one warning", {
  directory <- withr::local_tempdir()
  local_wrapper("new_store", function(plain, ...) {
    unlink(directory, recursive = TRUE)
    plain(...)
  })
  x <- bare(easy_data())
  out <- with_warnings(quick_point(x, file = file.path(directory, "run.rds")))
  expect_match(out$warned, "^the run could not be saved: .+")
  expect_identical(out$value, easy_point())
})
