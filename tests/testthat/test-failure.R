# Chains that fail, as the core reports them.

fit_of <- function(failures) {
  core <- function(run, plan, watch) {
    chains <- run_sweeps(run, plan, watch)
    Map(function(chain, failure) {
      if (nzchar(failure)) chain$state <- raw()
      chain$failure <- failure
      chain
    }, chains, failures)
  }
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 3, iter = 60))
  starts <- check_starts(whole$internal$model, NULL, whole$method)
  run <- new_run(whole$method, whole$internal$model, starts, list(seed = 1L, search = TRUE))
  new_fit_mcmc(run_to_end(run, core, verbose = FALSE), run)
}

test_that("a chain that failed is named and left out, the others are kept", {
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 3, iter = 60))
  out <- with_warnings(fit_of(c("", "no number came out.", "")))
  expect_identical(
    out$warned, "chain 2 failed and is left out of the fit: no number came out."
  )
  fit <- out$value
  expect_match(format(fit$method), ": 2 chains of 60 sweeps")
  draws <- as_draws_array(fit)
  others <- unclass(as_draws_array(whole))[, c(1, 3), ]
  expect_identical(unclass(draws)[], others, ignore_attr = TRUE)
  expect_identical(as.list(feature_draws(fit)), as.list(feature_draws(whole))[c(1:30, 61:90)])
  expect_usable(fit)
  # It can go on without it.
  longer <- update(fit, iter = 90, verbose = FALSE)
  others <- update(whole, iter = 90, verbose = FALSE)
  expect_identical(
    unclass(as_draws_array(longer))[], unclass(as_draws_array(others))[, c(1, 3), ],
    ignore_attr = TRUE
  )
})

test_that("chains without a draw are left out with a warning, and not counted", {
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 3, iter = 60))
  chains <- continued_chains(whole)
  for (c in 2:3) chains[[c]][c("sizes", "bits")] <- list(integer(), raw())
  fit_without <- function(lost, file = NULL) {
    run <- list(chains = chains[c(1, lost)], seed = 1L, file = file)
    with_warnings(new_fit_mcmc(run, list(model = whole$internal$model, method = whole$method)))
  }
  one <- fit_without(2, "run")
  expect_identical(one$warned, paste0(
    "interrupted before any draw of 1 of 2 chains was kept: the fit does not include it; ",
    "the same call with the same `file` resumes the run."
  ))
  expect_match(format(one$value$method), ": 1 chain of 60 sweeps")
  expect_match(
    fit_without(2:3)$warned, "^interrupted .* 2 of 3 chains .* does not include them\\.$"
  )
})

test_that("two failed chains give two warnings, all failed an error", {
  out <- with_warnings(fit_of(c("one.", "", "three.")))
  expect_match(out$warned, "^chain (1|3) failed and is left out of the fit: (one|three)\\.$")
  expect_length(out$warned, 2)
  expect_error(fit_of(c("one.", "two.", "three.")), "^one\\.$")
})
