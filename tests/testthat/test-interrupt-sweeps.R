# Work of many seconds without a sweep between: it answers within two seconds of processor time.

choices <- function(items, ...) {
  list(
    wins = withr::with_seed(1, matrix(stats::rpois(items^2, 2), items)), seed = 1, ...,
    method = method_gibbs(chains = 1, iter = 1e5)
  )
}
binary <- list(
  y = withr::with_seed(1, matrix(stats::rbinom(5e5, 1, 0.4), 100)), seed = 1,
  method = method_gibbs(chains = 1, iter = 1e5)
)
calls <- list(
  list("fit_choice", choices(100, prior = prior_beta_bernoulli(10))),
  list("fit_choice", choices(200, prior = prior_beta_bernoulli(10))),
  list("fit_choice", choices(1000)),
  list("fit_logistic", binary)
)

processor_seconds <- function(child) sum(ps::ps_cpu_times(child$as_ps_handle())[1:2])

#' Has a call ended two seconds of processor time after an interrupt, sent after so many seconds?
ends_soon <- function(verb, call, after) {
  child <- start_child(call, verb = verb)
  on.exit(child$kill())
  begun <- processor_seconds(child)
  wait_until(function() processor_seconds(child) > begun + after, 300)
  child$interrupt()
  sent <- processor_seconds(child)
  wait_until(function() !child$is_alive() || processor_seconds(child) > sent + 2, 300)
  !child$is_alive()
}

test_that("starts and sweeps of many seconds are left soon", {
  skip_if_not_installed("ps")
  for (call in sized(calls[c(2, 4)], calls)) {
    times <- withr::with_seed(1, stats::runif(sized(1, 5), 0.2, sized(1, 10)))
    for (after in times) expect_true(ends_soon(call[[1]], call[[2]], after))
  }
})
