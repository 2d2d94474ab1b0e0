# An interrupted call returns within about a second, with the draws so far or with an error.

#' A fit that would never end
endless <- function(..., iter = 1e7, warmup = 10) {
  x <- withr::with_seed(1, matrix(stats::rnorm(400), 40))
  utils::modifyList(list(
    x = x, sigma_x = 0.3, seed = 1, method = method_gibbs(2, iter, warmup, cores = 1)
  ), list(...))
}
#' A fit that takes at least a minute
endless_point <- function() {
  z <- withr::with_seed(1, matrix(stats::rbinom(60 * 12, 1, 0.3), 60))
  list(
    x = bare(draw_nonnegative(z, 40, 1)), loadings = "nonnegative", seed = 3,
    method = method_meibp(30, restarts = 300, tol = 1e-12)
  )
}
is_finished <- function(fit) glance(fit)$finished

test_that("a fit by sampling that is interrupted has the draws so far", {
  result <- interrupt_after(endless())
  expect_lt(result$seconds, 3)
  expect_match(result$warned, "^interrupted: the fit has [0-9]+ of 9999990 draws per chain\\.$")
  fit <- result$fit
  expect_s3_class(fit, c("fit_gaussian", "fit_mcmc", "buffet_fit"), exact = TRUE)
  draws <- as_draws(fit)
  expect_gt(posterior::niterations(draws), 10)
  expect_identical(posterior::nchains(draws), 2L)
  expect_length(feature_draws(fit), posterior::ndraws(draws))
  expect_usable(fit, pictures = FALSE)
})

test_that("an interrupted fit with a file says how to resume it, and the same call resumes it", {
  images <- withr::with_seed(1, sim_images(40))
  slice <- method_gibbs(2, 2400, 300, thin = 2, sampler = "slice")
  trees <- method_gibbs(2, 1600, 200, thin = 2)
  calls <- list(
    fit_gaussian = list(x = images, method = slice),
    fit_choice = list(wins = celebrities, prior = prior_pibp(celebrity_tree), method = trees)
  )
  for (verb in names(calls)[sized(1, 1:2)]) {
    file <- withr::local_tempfile(fileext = ".rds")
    call <- c(calls[[verb]], file = file)
    child <- start_child(call, verb = verb)
    at <- call$method$warmup + 50
    result <- interrupt_when(child, function() min(sweeps_saved(file)) >= at)
    expect_lt(result$seconds, 3)
    expect_match(result$warned[1], paste0(
      "^interrupted: the fit has [0-9]+ of (1050|700) draws per chain; ",
      "the same call with the same `file` resumes the run\\.$"
    ))
    early <- posterior::niterations(as_draws(result$fit))
    run <- function(...) {
      suppressWarnings(do.call(getExportedValue("buffet", verb), c(call[-length(call)], list(...))))
    }
    whole <- run(file = file, verbose = FALSE)
    expect_identical(whole, run(seed = readRDS(file)$seed, verbose = FALSE))
    expect_identical(update(result$fit, iter = call$method$iter, verbose = FALSE), whole)
    expect_identical(
      scalars_of(result$fit)[seq_len(early), ], scalars_of(whole)[seq_len(early), ],
      ignore_attr = TRUE
    )
  }
})

test_that("an interrupt before the first draw raises an error that can be caught", {
  file <- withr::local_tempfile(fileext = ".rds")
  child <- start_child(endless(warmup = 1e7 - 1, file = file))
  result <- interrupt_when(child, function() file.exists(file))
  expect_lt(result$seconds, 3)
  expect_identical(
    result$fit,
    "interrupted before any draw was saved; the same call with the same `file` resumes the run."
  )
  skip_if_quick()
  x <- bare(withr::with_seed(1, sim_images(20000, sigma = 0.3)))
  result <- interrupt_after(list(x = x, method = method_beam(50)))
  expect_identical(result$fit, "interrupted before the first search was done.")
  call <- endless_point()
  call$x <- call$x[rep(1:60, 90), 1:10]
  call$method <- method_meibp(12, restarts = 300)
  expect_identical(interrupt_after(call)$fit, "interrupted before all rows were searched.")
})

test_that("a chain that is stopped within a sweep continues from the previous sweep", {
  skip_if_quick()
  z <- withr::with_seed(1, matrix(stats::rbinom(1500 * 200, 1, 0.2), 1500))
  x <- withr::with_seed(2, draw_gaussian(z, 100, 1, 1))
  for (sampler in sized("collapsed", c("collapsed", "uncollapsed"))) {
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

test_that("an interrupted optimisation returns the best point so far", {
  skip_if_quick()
  images <- bare(withr::with_seed(1, sim_images(2000)))
  soft <- method_variational(20, restarts = 500, tol = 1e-12)
  modes <- list(
    x = withr::with_seed(2, matrix(stats::rexp(200 * 60), 200)), rank = 8,
    method = method_icm(1e5, tol = 1e-15)
  )
  calls <- list(
    fit_gaussian = endless_point(), fit_gaussian = list(x = images, method = soft), fit_nmf = modes
  )
  for (n in seq_along(calls)[sized(1, 1:3)]) {
    child <- start_child(calls[[n]], verb = names(calls)[n])
    at <- Sys.time() + 2
    result <- interrupt_when(child, function() Sys.time() > at)
    expect_lt(result$seconds, 3)
    expect_match(result$warned, "^interrupted: the fit is the best point so far\\.$")
    fit <- result$fit
    expect_false(is_finished(fit))
    expect_match(format(fit), "^Method: .* \\(interrupted\\)$", all = FALSE)
    expect_true(all(is.finite(fitted(fit))))
    if (n == 1) expect_equal(bound_of(fit), bound_by_definition(fit), tolerance = 1e-8)
  }
})

#' Calls of every fit_*(), with data so large that the calls take long
long_calls <- function() {
  chains <- function(...) method_gibbs(chains = 1, iter = 1e6, warmup = 10, cores = 1, ...)
  x <- withr::with_seed(1, matrix(stats::rnorm(60000), 300))
  y <- (x > 0) + 0
  wins <- withr::with_seed(1, matrix(stats::rpois(3600, 2), 60))
  dtm <- withr::with_seed(1, matrix(stats::rpois(12000, 1), 60))
  frame <- data.frame(a = x[, 1], b = factor(y[, 2]), c = rowSums(y), d = y[, 3] > 0, x[, 4:20])
  list(
    list(fit_gaussian, x, method = chains()),
    list(fit_gaussian, x, method = chains(sampler = "uncollapsed")),
    list(fit_gaussian, x, "nonnegative", method = chains()),
    list(fit_gaussian, replace(x, 1:999, NA), noise = "column", method = chains()),
    list(fit_gaussian, x, "nonnegative", method = method_meibp(50, restarts = 1000)),
    list(fit_gaussian, x, method = method_variational(50, restarts = 1000)),
    list(fit_gaussian, x, method = method_power_ep(20, restarts = 1000)),
    list(fit_gaussian, x, method = method_beam(1000)),
    list(fit_logistic, y, method = chains()), list(fit_factor, x, method = chains()),
    list(fit_factor, x, sparse = "factors", method = chains()),
    list(fit_mixed, frame, method = chains()), list(fit_choice, wins, method = chains()),
    list(fit_topics, dtm, method = chains()), list(fit_cascade, x[, 1:40], method = chains()),
    list(fit_nmf, abs(x), rank = 20, method = chains()),
    list(fit_nmf, abs(x), rank = 20, method = method_icm(restarts = 1e5))
  )
}

test_that("calls of all fits end within two seconds of an interrupt", {
  # Time limits are checked wherever interrupts are. Without a limit, these calls would take hours.
  calls <- long_calls()
  stopped_after <- function(call) {
    force(call)
    setTimeLimit(elapsed = 2, transient = TRUE)
    on.exit(setTimeLimit())
    quietly <- function(code) suppressMessages(suppressWarnings(code))
    time <- system.time(tryCatch(
      quietly(do.call(call[[1]], c(call[-1], seed = 1, verbose = FALSE))), error = identity,
      interrupt = identity
    ), gcFirst = FALSE)
    sum(time[1:2])
  }
  for (n in sized(c(1, 13), seq_along(calls))) {
    expect_lt(stopped_after(calls[[n]]), 4, label = paste("call", n))
  }
})
