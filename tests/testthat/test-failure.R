# Chains that fail, as the core reports them.

fit_of <- function(failures) {
  core <- function(run, plan, watch) {
    chains <- gaussian_sweeps(run, plan, watch)
    Map(function(chain, failure) {
      if (nzchar(failure)) chain$state <- raw()
      chain$failure <- failure
      chain
    }, chains, failures)
  }
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 3, iter = 60))
  run <- gibbs_run(
    whole[c("data", "loadings", "sigma", "prior")], whole$method,
    check_init(NULL, small_data(), whole$sigma, whole$prior, 3), 1L, search = TRUE
  )
  done <- run_to_end(run, core, verbose = FALSE)
  new_fit_mcmc("fit_gaussian", done, run$model, run$method, seed = 1L)
}

test_that("a chain that failed is named and left out, the others are kept", {
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 3, iter = 60))
  out <- with_warnings(fit_of(c("", "no number came out.", "")))
  expect_identical(
    out$warned, "chain 2 failed and is left out of the fit: no number came out."
  )
  fit <- out$value
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

test_that("two failed chains give two warnings, all failed an error", {
  out <- with_warnings(fit_of(c("one.", "", "three.")))
  expect_match(out$warned, "^chain (1|3) failed and is left out of the fit: (one|three)\\.$")
  expect_length(out$warned, 2)
  expect_error(fit_of(c("one.", "two.", "three.")), "^one\\.$")
})
