# The number of draws that are returned. Means always use all draws.

many_draws <- function() {
  once("many draws", quick_fit(
    replace(small_data(), c(2, 9, 17), NA), method = method_gibbs(2, 650, warmup = 100)
  ))
}

test_that("ndraws is NULL, Inf or at most the number of draws", {
  fit <- small_fit()
  new <- \(...) predict(fit, small_data()[1:3, ], ...)
  drawn <- \(...) withr::with_seed(1, posterior_epred(fit, ...))
  for (verb in list(new, drawn)) {
    expect_identical(verb(), verb(ndraws = Inf))
    expect_identical(verb(), verb(ndraws = 600))
    expect_false(identical(verb(), verb(ndraws = 200)))
    expect_error(verb(ndraws = 601), "^`ndraws` must be at most 600, not 601\\.$")
    for (bad in list(0, -1, 1.5, NA, "1", c(1, 2), -Inf, NaN, TRUE)) {
      expect_error(
        verb(ndraws = bad), "^`ndraws` must be NULL, Inf or one whole number of at least 1"
      )
    }
  }
  # The draws are evenly spaced across all chains.
  expect_identical(range(check_ndraws(200, fit)), c(1L, 600L))
  expect_identical(length(check_ndraws(200, fit)), 200L)
})

test_that("means for the rows of the data have no ndraws", {
  for (fit in sampled_kinds()) {
    for (verb in list(fitted, residuals, heldout_density)) {
      if (identical(verb, heldout_density) && inherits(fit, "fit_topics")) next
      expect_error(verb(fit, ndraws = 5), "`ndraws`")
    }
    if (inherits(fit, "fit_topics")) next
    expect_error(predict(fit, ndraws = 5), "`ndraws`")
  }
  expect_error(vcov(kinds_of_fits()$loadings, ndraws = 5), "`ndraws`")
})

test_that("by default all draws are returned, but log densities and intervals use 1000", {
  many <- many_draws()
  expect_identical(dim(posterior_predict(many))[1], 1100L)
  expect_identical(dim(posterior_epred(many))[1], 1100L)
  expect_identical(nrow(bayes_R2(many)), 1100L)
  expect_identical(nrow(log_lik(many)), 1000L)
  expect_identical(nrow(log_lik(many, ndraws = Inf)), 1100L)
  expect_identical(nrow(log_lik(small_fit())), 600L)
  told <- predict(many, interval = "credible")
  expect_identical(told, predict(many, interval = "credible", ndraws = 1000))
  expect_identical(told$.fitted, as.vector(fitted(many)))
  new <- small_data()[1, ]
  told <- predict(many, new, interval = "credible")
  expect_identical(told$.lower, predict(many, new, interval = "credible", ndraws = 1000)$.lower)
  expect_identical(told$.fitted, as.vector(predict(many, new)))
  choice <- tree_choice()
  expect_identical(nrow(posterior_predict(choice)), 600L)
  expect_identical(nrow(posterior_epred(choice)), 600L)
})

test_that("any number of draws can be requested from a variational posterior", {
  fit <- fit_gaussian(abs(small_data()), "nonnegative", method = method_meibp(4), seed = 1)
  expect_identical(dim(posterior_predict(fit))[1], 1000L)
  expect_identical(dim(posterior_predict(fit, ndraws = 900))[1], 900L)
  expect_error(posterior_predict(fit, ndraws = Inf), "^`ndraws` must be a number")
  expect_error(log_lik(fit, ndraws = Inf), "^`ndraws` must be a number")
})

test_that("a progress bar is shown for predictions, but only in a terminal", {
  fit <- small_fit()
  shown <- function() utils::capture.output(p <- predict(fit, small_data()[1:3, ]), type = "output")
  expect_silent(predict(fit, small_data()[1:3, ]))
  withr::local_options(
    cli.dynamic = TRUE, cli.progress_show_after = 0, cli.progress_handlers_only = "logger"
  )
  expect_match(shown(), "600/600|updated", all = FALSE)
  run <- function() {
    method <- method_gibbs(chains = 1, iter = 30, refresh = 1)
    utils::capture.output(f <- fit_gaussian(small_data(), method = method, seed = 1))
  }
  expect_match(run(), " 30/30 ", all = FALSE)
  # Knitted documents and logs are not terminals.
  withr::with_options(list(knitr.in.progress = TRUE), {
    expect_identical(shown(), character())
    expect_identical(run(), character())
  })
  withr::with_options(list(cli.dynamic = FALSE), {
    expect_identical(shown(), character())
    expect_identical(run(), character())
  })
})
