#' Never ends by itself
endless <- function(..., chains = 2) {
  x <- withr::with_seed(1, matrix(stats::rnorm(400), 40))
  utils::modifyList(list(
    x = x, sigma_x = 0.3, seed = 1,
    method = method_gibbs(chains = chains, iter = 1e7, warmup = 10, cores = 2)
  ), list(...))
}

test_that("an interrupted fit returns within about a second with the draws so far", {
  result <- interrupt_after(endless())
  expect_lt(result$seconds, 3)
  expect_match(result$warned, "^interrupted: the fit has [0-9]+ of 9999990 draws per chain\\.$")
  fit <- result$fit
  expect_s3_class(fit, c("fit_gaussian", "fit_mcmc", "buffet_fit"), exact = TRUE)
  draws <- as_draws(fit)
  expect_gt(posterior::niterations(draws), 10)
  expect_identical(posterior::nchains(draws), 2L)
  expect_length(feature_draws(fit), posterior::ndraws(draws))
  expect_true(all(is.finite(draws)))
  expect_usable(fit)
})

test_that("an interrupted fit with a file says how to go on, and does", {
  for (sampler in sized("slice", c("collapsed", "slice"))) {
    file <- withr::local_tempfile(fileext = ".rds")
    method <- method_gibbs(chains = 2, iter = 6000, warmup = 400, thin = 2, sampler = sampler)
    call <- list(x = withr::with_seed(1, block_images(40)), method = method, file = file)
    child <- start_child(call)
    result <- interrupt_when(child, function() min(sweeps_saved(file)) >= 450)
    expect_lt(result$seconds, 3)
    expect_match(result$warned, paste0(
      "^interrupted: the fit has [0-9]+ of 2800 draws per chain; ",
      "the same call with the same `file` resumes the run\\.$"
    ))
    early <- posterior::niterations(as_draws(result$fit))
    expect_lt(early, 2800)
    # The seed was drawn in the child, and the file has it.
    whole <- fit_gaussian(call$x, method = method, file = file, verbose = FALSE)
    expect_identical(whole, quick_fit(call$x, method = method, seed = readRDS(file)$seed))
    expect_identical(update(result$fit, iter = 6000, verbose = FALSE), whole)
    expect_identical(
      scalars_of(result$fit)[seq_len(early), ], scalars_of(whole)[seq_len(early), ],
      ignore_attr = TRUE
    )
  }
})

test_that("a fit interrupted before any draw is kept is an error that can be caught", {
  method <- method_gibbs(chains = 1, iter = 1e7, warmup = 1e7 - 1)
  result <- interrupt_after(endless(method = method))
  expect_lt(result$seconds, 3)
  expect_identical(result$fit, "interrupted before any draw was kept.")

  file <- withr::local_tempfile(fileext = ".rds")
  child <- start_child(endless(method = method, file = file))
  result <- interrupt_when(child, function() file.exists(file))
  expect_identical(
    result$fit,
    "interrupted before any draw was kept; the same call with the same `file` resumes the run."
  )
})

test_that("an interrupt while the run is being saved is not lost, nor is the run", {
  file <- withr::local_tempfile(fileext = ".rds")
  child <- start_child(endless(file = file), seconds = 0.001)
  result <- interrupt_when(child, function() min(sweeps_saved(file)) >= 1000)
  expect_match(result$warned, "^interrupted: ")
  expect_s3_class(result$fit, "fit_gaussian")
})

test_that("a chain that is stopped within a sweep goes on from before it", {
  z <- withr::with_seed(1, matrix(stats::rbinom(1500 * 200, 1, 0.2), 1500))
  x <- withr::with_seed(2, draw_gaussian(z, 100, 1, 1))
  for (sampler in c("collapsed", "uncollapsed")) {
    file <- withr::local_tempfile(fileext = ".rds")
    call <- list(
      x = x, init = z, seed = 1, sigma_x = 1, sigma_a = 1, file = file,
      method = method_gibbs(chains = 2, iter = 1e5, warmup = 0, cores = 2, sampler = sampler)
    )
    result <- interrupt_when(start_child(call), function() file.exists(file))
    expect_lt(result$seconds, 3)
    done <- sweeps_saved(file)
    expect_gte(min(done), 1)
    expect_identical(posterior::niterations(as_draws(result$fit)), min(done))
  }
})

test_that("a sweep of many seconds is left at once", {
  z <- withr::with_seed(1, matrix(stats::rbinom(3000 * 1200, 1, 0.2), 3000))
  x <- withr::with_seed(2, draw_gaussian(z, 20, 1, 1))
  result <- interrupt_after(list(
    x = x, init = z, seed = 1, sigma_x = 1, sigma_a = 1,
    method = method_gibbs(chains = 1, iter = 20, warmup = 0)
  ), c(5, 15, 40))
  expect_lt(result$seconds, 3)
})
