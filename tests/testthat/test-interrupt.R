#' Runs `code` in a child process, sends it SIGINT while it fits, and gives what it returned, with
#' the seconds from the signal to the time `at` that it gives
interrupted_child <- function(code) {
  library_paths <- .libPaths()
  ready <- tempfile()
  child <- callr::r_bg(
    function(code, ready) {
      file.create(ready)
      code()
    },
    list(code = code, ready = ready), libpath = library_paths, package = FALSE
  )
  on.exit(child$kill())
  wait_until(function() file.exists(ready))
  Sys.sleep(2)
  sent <- as.numeric(Sys.time())
  child$interrupt()
  child$wait(20000)
  result <- child$get_result()
  c(result, seconds = as.numeric(result$at) - sent)
}

wait_until <- function(condition, seconds = 20) {
  limit <- Sys.time() + seconds
  while (!condition() && Sys.time() < limit) Sys.sleep(0.05)
}

test_that("an interrupted fit returns within about a second with the draws so far", {
  skip_if_not_installed("callr")
  skip_on_os("windows")
  result <- interrupted_child(function() {
    x <- matrix(rnorm(400), 40)
    warned <- character()
    fit <- withCallingHandlers(
      buffet::fit_gaussian(
        x, sigma_x = 0.3, seed = 1, verbose = FALSE,
        method = buffet::method_gibbs(chains = 2, iter = 1e7, warmup = 10, cores = 2)
      ),
      warning = function(w) {
        warned <<- c(warned, conditionMessage(w))
        tryInvokeRestart("muffleWarning")
      }
    )
    at <- Sys.time()
    draws <- posterior::as_draws(fit)
    list(
      at = at, warned = warned, class = class(fit), dim = dim(draws), finite = all(is.finite(draws)),
      features = length(buffet::feature_draws(fit)), fitted = dim(fitted(fit)),
      after = fitted(buffet::fit_gaussian(x[1:3, ], seed = 1, verbose = FALSE,
        method = buffet::method_gibbs(chains = 1, iter = 10)))
    )
  })
  expect_lt(result$seconds, 3)
  expect_match(result$warned, "^interrupted: the fit has [0-9]+ of 9999990 draws a chain\\.$")
  expect_s3_class(structure(list(), class = result$class), "fit_mcmc")
  expect_gt(result$dim[1], 10)
  expect_identical(result$dim[2], 2L)
  expect_identical(result$features, result$dim[1] * 2L)
  expect_true(result$finite)
  expect_identical(result$fitted, c(40L, 10L))
  expect_identical(dim(result$after), c(3L, 10L))
})

test_that("a fit interrupted before any draw is kept is an error that can be caught", {
  skip_if_not_installed("callr")
  skip_on_os("windows")
  result <- interrupted_child(function() {
    tryCatch(
      buffet::fit_gaussian(
        matrix(rnorm(400), 40), seed = 1, verbose = FALSE,
        method = buffet::method_gibbs(chains = 1, iter = 1e7, warmup = 1e7 - 1)
      ),
      error = function(e) list(at = Sys.time(), message = conditionMessage(e))
    )
  })
  expect_lt(result$seconds, 3)
  expect_match(result$message, "interrupted before any draw was kept")
})
