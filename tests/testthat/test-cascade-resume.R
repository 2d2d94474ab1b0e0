# Belief networks that are interrupted, killed and taken up again.

long_cascade <- function(...) {
  call <- list(
    x = cascade_data(200), seed = 3, init = init_cascade(c(10, 3)),
    method = method_gibbs(2, 300, thin = 3, cores = 2)
  )
  other <- list(...)
  replace(call, names(other), other)
}
run_cascade <- function(call) suppressWarnings(do.call(fit_cascade, c(call, verbose = FALSE)))

test_that("chains run longer are those of a longer run, whatever they were started from", {
  for (x in list(cascade_data(40), cascade_holes())) {
    like <- quick_cascade(x, init = init_cascade(3))
    for (init in list(NULL, init_cascade(integer()), init_cascade(c(6, 2)), like)) {
      run <- function(iter, sampler = "slice", thin = 3) {
        method <- method_gibbs(2, iter, warmup = 10, thin = thin, sampler = sampler)
        quick_cascade(
          x, prior = prior_cascade(concentration = gamma_prior(2, 2)), init = init, method = method
        )
      }
      expect_identical(update(run(30), iter = 50, verbose = FALSE), run(50))
      expect_identical(update(run(50), iter = 50, verbose = FALSE), run(50))
      expect_identical(update(run(30), iter = 50, verbose = FALSE, cores = 2), run(50))
      between <- update(run(30), iter = 41, verbose = FALSE)
      expect_identical(between, run(41))
      expect_identical(update(between, iter = 50, verbose = FALSE), run(50))
    }
    for (sampler in c("multiple_try", "elliptical")) {
      whole <- run(40, sampler, 1)
      expect_identical(update(run(15, sampler, 1), iter = 40, verbose = FALSE), whole)
    }
  }
})

test_that("chains that were left at different sweeps go on", {
  run <- function(iter) quick_cascade(cascade_holes(), method = method_gibbs(2, iter, warmup = 10))
  method <- replace(run(60)$method, "iter", 80L)
  chains <- list(continued_chains(run(60))[[1]], continued_chains(run(40))[[2]])
  left <- with_warnings(new_fit_mcmc(
    list(chains = chains, file = NULL, seed = 1L),
    list(model = run(60)$internal$model, method = method)
  ))
  expect_identical(left$warned, "interrupted: the fit has 30 of 70 draws per chain.")
  expect_identical(update(left$value, iter = 80, verbose = FALSE), run(80))
})

test_that("limits of layers and units hold when chains go on", {
  prior <- prior_cascade(gamma_prior(50, 1), gamma_prior(20, 2), 1, 3, 12)
  run <- function(iter) {
    quick_cascade(cascade_data(30), prior = prior, method = method_gibbs(2, iter, warmup = 5))
  }
  longer <- update(run(20), iter = 60, verbose = FALSE)
  expect_identical(longer, run(60))
  widths <- vapply(1:3, \(m) scalar(longer, paste0("width_", m)), scalar(longer, "n_layers"))
  expect_lte(max(rowSums(widths)), 12)
})

test_that("a run that was saved is taken up where it was left", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- long_cascade(file = file)
  whole <- run_cascade(long_cascade())
  expect_identical(run_cascade(call), whole)
  expect_identical(run_cascade(call), whole)
  expect_match(utils::capture.output(print(readRDS(file)))[1], "with 50, 50 draws kept")
})

test_that("chains that were killed go on as if they had not been", {
  file <- withr::local_tempfile(fileext = ".rds")
  holes <- replace(cascade_data(200), seq(1, 1600, 7), NA)
  call <- long_cascade(x = holes, file = file)
  for (sweeps in sized(100, c(20, 100))) kill_after(call, sweeps, verb = "fit_cascade")
  expect_identical(run_cascade(call), run_cascade(long_cascade(x = holes)))
})

test_that("an interrupted fit returns within about a second with what there is, and goes on", {
  file <- withr::local_tempfile(fileext = ".rds")
  method <- method_gibbs(2, 1e5, warmup = 40, thin = 10, cores = 2)
  call <- long_cascade(method = method, file = file)
  child <- start_child(call, verb = "fit_cascade")
  result <- interrupt_when(child, function() min(sweeps_saved(file)) >= 100)
  expect_lt(result$seconds, 3)
  expect_match(result$warned[1], paste0(
    "^interrupted: the fit has [0-9]+ of 9996 draws per chain; ",
    "the same call with the same `file` resumes the run\\.$"
  ))
  fit <- result$fit
  expect_lt(length(fit$feature_draws), 2 * 9996)
  expect_usable_cascade(fit, pictures = FALSE)
  iter <- max(vapply(fit$internal$chains, sweeps_done, 1L)) + 50
  whole <- run_cascade(long_cascade(method = replace(method, "iter", as.integer(iter))))
  expect_identical(update(fit, iter = iter, verbose = FALSE), whole)
})

test_that("a sweep of many seconds is left at once", {
  x <- withr::with_seed(5, matrix(stats::runif(1500 * 1200), 1500))
  call <- list(
    x = x, seed = 1, method = method_gibbs(1, 50, warmup = 0), init = init_cascade(c(300, 60))
  )
  for (wait in c(4, 15, 40)) {
    child <- start_child(call, verb = "fit_cascade")
    at <- Sys.time() + wait
    result <- tryCatch(
      interrupt_when(child, function() Sys.time() > at), callr_timeout_error = function(e) NULL
    )
    if (!is.null(result)) break
  }
  expect_lt(result$seconds, 3)
})

test_that("a file of a run of something else is refused, naming what differs", {
  file <- withr::local_tempfile(fileext = ".rds")
  again <- function(..., x = cascade_data(20), seed = 1) {
    quick_cascade(x, ..., seed = seed, file = file)
  }
  fit <- again()
  expect_identical(again(), fit)
  expect_identical(again(method = brief_cascade(cores = 2)), fit)
  cases <- list(
    x = list(x = cascade_data(20)[, 8:1]), range = list(range = c(0, 9)),
    prior = list(alpha = 1), prior = list(alpha_deep = 1), prior = list(concentration = 2),
    prior = list(prior = prior_cascade(max_layers = 5)), seed = list(seed = 2),
    init = list(init = init_cascade(2)), iter = list(method = brief_cascade(iter = 48)),
    sampler = list(method = brief_cascade(sampler = "elliptical")),
    max_features = list(method = brief_cascade(max_features = 30))
  )
  for (i in seq_along(cases)) {
    expect_error(
      do.call(again, cases[[i]]), sprintf(
        "^`file` must hold a run with the same `%s` .*, not one with another\\.$", names(cases)[i]
      )
    )
  }
  expect_identical(again(), fit)
})

test_that("update() has a file of its own", {
  file <- withr::local_tempfile(fileext = ".rds")
  fit <- quick_cascade(cascade_data(20))
  longer <- update(fit, iter = 80, file = file, verbose = FALSE)
  expect_identical(update(fit, iter = 80, file = file, verbose = FALSE), longer)
  expect_identical(longer, quick_cascade(cascade_data(20), method = method_gibbs(
    1, 80, warmup = 20, thin = 4
  )))
  other <- quick_cascade(cascade_data(20), init = init_cascade(2))
  expect_error(update(other, iter = 80, file = file, verbose = FALSE), "the same `object` ")
})
