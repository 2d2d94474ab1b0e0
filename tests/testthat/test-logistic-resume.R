# Runs of binary data that are interrupted, killed and taken up again.

y <- withr::with_seed(6, {
  z <- matrix(stats::rbinom(120, 1, 0.3), 40)
  with_holes(draw_binary(z, matrix(stats::rnorm(40, sd = 2), 10)), 30)
})

#' Killed in the warm-up or among the draws, then taken up: the same fit as that of a run that
#' nothing happened to
expect_resumed <- function(..., sampler = NULL, at = 200) {
  file <- withr::local_tempfile(fileext = ".rds")
  method <- method_gibbs(
    chains = 2, iter = 1000, warmup = 150, cores = 2, thin = 2, sampler = sampler
  )
  call <- list(y = y, method = method, seed = 3, ...)
  kill_after(c(call, list(file = file)), at, verb = "fit_logistic")
  resumed <- do.call(fit_logistic, c(call, list(file = file, verbose = FALSE)))
  whole <- do.call(fit_logistic, c(call, list(verbose = FALSE)))
  expect_identical(resumed, whole)
  expect_identical(do.call(fit_logistic, c(call, list(file = file, verbose = FALSE))), whole)
}

test_that("runs that were killed go on as if they had not been", {
  expect_resumed(at = 30)
  two <- prior_ibp(concentration = gamma_prior(2, 2))
  expect_resumed(bias = FALSE, sampler = "neal", prior = two)
})

test_that("runs that were killed go on: a search, known features", {
  skip_if_quick()
  expect_resumed()
  expect_resumed(prior = prior_fixed(diag(40)), bias = 1)
})

test_that("an interrupted fit returns within a second, and goes on from its file", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(
    y = y, file = file, method = method_gibbs(chains = 2, iter = 2500, warmup = 200, cores = 2)
  )
  child <- start_child(call, verb = "fit_logistic")
  result <- interrupt_when(child, function() min(sweeps_saved(file)) >= 220)
  expect_lt(result$seconds, 3)
  expect_match(result$warned[1], paste0(
    "^interrupted: the fit has [0-9]+ of 2300 draws per chain; ",
    "the same call with the same `file` resumes the run\\.$"
  ))
  expect_s3_class(result$fit, c("fit_logistic", "fit_mcmc", "buffet_fit"), exact = TRUE)
  expect_true(all(is.finite(as_draws(result$fit))))
  expect_true(all(is.finite(log_lik(result$fit, ndraws = 5))))
  whole <- do.call(fit_logistic, c(call, verbose = FALSE))
  expect_identical(update(result$fit, iter = 2500, verbose = FALSE), whole)
})

test_that("a file goes on with the same data, model, method, start and seed only", {
  file <- withr::local_tempfile(fileext = ".rds")
  kept <- function(y = small_binary(), ..., sampler = NULL) {
    quick_logistic(y, ..., file = file, method = method_gibbs(1, 30, sampler = sampler))
  }
  fit <- kept()
  expect_identical(kept(), fit)
  expect_identical(kept(bias = gamma_prior(1, 1)), fit)
  refused <- function(what, ...) {
    expect_error(
      kept(...), sprintf("^`file` must hold a run with the same `%s` .*, not one with .*\\.$", what)
    )
  }
  refused("y", 1 - small_binary())
  refused("y", Matrix::Matrix(small_binary(), sparse = TRUE))
  refused("bias", bias = FALSE)
  refused("bias", bias = 1)
  refused("bias", bias = gamma_prior(2, 1))
  refused("sigma_a", sigma_a = 1)
  refused("prior", prior = prior_ibp(2))
  refused("seed", seed = 2)
  refused("init", init = diag(10))
  refused("sampler", sampler = "neal")
  # A fit of another likelihood to the same numbers.
  expect_error(
    quick_fit(small_binary(), file = file, method = method_gibbs(1, 30)),
    "^`file` must hold a run of fit_gaussian\\(\\) .*, not one of another model\\.$"
  )
  unlink(file)
  quick_fit(small_binary(), file = file, method = method_gibbs(1, 30))
  expect_error(kept(), "^`file` must hold a run ")
})
