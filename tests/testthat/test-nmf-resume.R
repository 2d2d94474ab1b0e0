# Factorisations that are interrupted, killed and taken up again.

test_that("chains run longer are those of a longer run", {
  for (x in list(nmf_data(), nmf_holes())) {
    run <- function(iter) quick_nmf(x, method = method_gibbs(2, iter, warmup = 10, thin = 3))
    expect_identical(update(run(30), iter = 50, verbose = FALSE), run(50))
  }
})

long_nmf <- function(...) {
  x <- withr::with_seed(2, matrix(stats::rexp(200 * 60), 200))
  call <- list(
    x = x, rank = 8, seed = 3, method = method_icm(restarts = 4, tol = 1e-12, iter = 400)
  )
  other <- list(...)
  replace(call, names(other), other)
}
run_nmf <- function(call) suppressWarnings(do.call(fit_nmf, c(call, verbose = FALSE)))

test_that("chains that were killed go on as if they had not been", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- long_nmf(method = method_gibbs(2, 400, thin = 4), file = file)
  for (sweeps in sized(120, c(20, 120))) kill_after(call, sweeps, verb = "fit_nmf")
  resumed <- run_nmf(call)
  expect_identical(resumed, run_nmf(long_nmf(method = method_gibbs(2, 400, thin = 4))))
})

test_that("modes that were killed on their way are found as if they had not been", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- long_nmf(file = file)
  child <- start_child(call, verb = "fit_nmf", hold = -Inf)
  wait_until(function() file.exists(file) || !child$is_alive())
  child$kill()
  half <- tools::md5sum(file)
  resumed <- run_nmf(call)
  expect_false(half == tools::md5sum(file))
  expect_identical(resumed, run_nmf(long_nmf()))
  expect_identical(run_nmf(call), resumed)
})

test_that("an interrupted fit returns within about a second with what there is", {
  file <- withr::local_tempfile(fileext = ".rds")
  chains <- method_gibbs(2, 1e6, warmup = 1, thin = 1000)
  cases <- list(
    list(method = method_icm(1e5, tol = 1e-15), size = 0), list(method = chains, size = 5e5)
  )
  for (case in cases) {
    child <- start_child(long_nmf(method = case$method, file = file), verb = "fit_nmf")
    result <- interrupt_when(child, function() {
      file.exists(file) && file.size(file) > case$size
    })
    expect_lt(result$seconds, 3)
    expect_match(result$warned[1], "^interrupted: the fit .*; the same call with the same `file`")
    expect_true(all(is.finite(fitted(result$fit))))
    utils::capture.output(print(result$fit))
    unlink(file)
  }
})

test_that("a file of a run of something else is refused, naming what differs", {
  file <- withr::local_tempfile(fileext = ".rds")
  again <- function(..., x = nmf_data(), rank = 2, seed = 1) {
    quick_nmf(x, rank, ..., seed = seed, file = file)
  }
  fit <- again()
  expect_identical(again(), fit)
  cases <- list(
    x = list(x = nmf_holes()), rank = list(rank = 3), sigma_x = list(sigma_x = 1),
    rate_w = list(rate_w = 2), rate_a = list(rate_a = 2), seed = list(seed = 2),
    init = list(init = icm_fit()), tol = list(method = method_icm(tol = 1e-3)),
    restarts = list(method = method_icm(2)), iter = list(method = method_icm(iter = 5))
  )
  for (what in names(cases)) {
    expect_error(
      do.call(again, cases[[what]]),
      sprintf("^`file` must hold a run with the same `%s` .*, not one with another\\.$", what)
    )
  }
  expect_error(again(method = method_gibbs(1, 10)), "^`file` must hold a run with the same `")
  expect_identical(again(method = method_icm(threads = 2)), fit)
})
