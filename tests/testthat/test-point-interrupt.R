# Beam search and mean-field inference that are interrupted.

quick_beam <- function(x, ...) fit_gaussian(x, ..., verbose = FALSE)

test_that("interrupted mean-field inference returns within about a second with the best so far", {
  x <- bare(withr::with_seed(1, block_images(2000)))
  methods <- list(
    method_variational(20, restarts = 500, tol = 1e-12),
    method_power_ep(20, restarts = 500, tol = 1e-12)
  )
  for (method in methods[sized(1, 1:2)]) {
    result <- interrupt_after(list(x = x, method = method, seed = 1))
    expect_lt(result$seconds, 3)
    expect_identical(result$warned, "interrupted: the fit is the best point so far.")
    expect_false(glance(result$fit)$finished)
    expect_true(all(is.finite(fitted(result$fit))))
  }
})

test_that("an interrupted fit by beam search is the best so far, and goes on from its file", {
  file <- withr::local_tempfile(fileext = ".rds")
  big <- bare(withr::with_seed(1, block_images(600, sigma = 0.3)))
  call <- list(x = big, method = method_beam(20, 8), file = file)
  result <- interrupt_when(start_child(call), function() file.exists(file))
  expect_lt(result$seconds, 3)
  expect_identical(result$warned, paste0(
    "interrupted: the fit is the best point so far; ",
    "the same call with the same `file` resumes the run."
  ))
  expect_false(glance(result$fit)$finished)
  whole <- quick_beam(big, method = method_beam(20, 8), file = file)
  expect_identical(whole, quick_beam(big, method = method_beam(20, 8)))
  expect_identical(objective(whole)[seq_along(objective(result$fit))], objective(result$fit))
  expect_identical(quick_beam(big, method = method_beam(20, 8), file = file), whole)
  expect_error(quick_beam(big, method = method_beam(6, 8), file = file), "^`file` must")
})

test_that("a fit interrupted in its first search is an error that can be caught", {
  big <- bare(withr::with_seed(1, block_images(20000, sigma = 0.3)))
  result <- interrupt_after(list(x = big, method = method_beam(50)))
  expect_lt(result$seconds, 3)
  expect_identical(result$fit, "interrupted before the first search was done.")
})
