# Topic models that are interrupted, killed and taken up again.

long_topics <- function(...) {
  x <- withr::with_seed(2, rftm(150, 80, alpha = 3, gamma = 2, lengths = 40)$dtm)
  call <- list(dtm = x, seed = 3, method = method_gibbs(2, 300, thin = 4, cores = 2))
  other <- list(...)
  replace(call, names(other), other)
}
run_topics <- function(call) suppressWarnings(do.call(fit_topics, c(call, verbose = FALSE)))

test_that("chains run longer are those of a longer run, whatever they were started from", {
  x <- topic_corpus()
  for (lengths in c("given", "model")) {
    for (init in sized(list(init_topics(8)), list(init_topics(8), topics_given()))) {
      run <- function(iter) {
        method <- method_gibbs(2, iter, warmup = 10, thin = 3, moves = 2)
        quick_topics(x, lengths, init = init, method = method)
      }
      expect_identical(update(run(30), iter = 50, verbose = FALSE), run(50))
      expect_identical(update(run(50), iter = 50, verbose = FALSE), run(50))
      expect_identical(update(run(30), iter = 50, verbose = FALSE, cores = 2), run(50))
    }
  }
  run <- function(iter) {
    suppressMessages(quick_topics(topic_gaps(), method = method_gibbs(1, iter, warmup = 5)))
  }
  expect_identical(update(run(20), iter = 30, verbose = FALSE), run(30))
})

test_that("a run that was saved is taken up where it was left", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- long_topics(file = file)
  whole <- run_topics(long_topics())
  expect_identical(run_topics(call), whole)
  expect_identical(run_topics(call), whole)
  expect_match(utils::capture.output(print(readRDS(file)))[1], "with 38, 38 draws kept")
})

test_that("chains that were killed go on as if they had not been", {
  for (lengths in c("given", "model")) {
    file <- withr::local_tempfile(fileext = ".rds")
    call <- long_topics(lengths = lengths, file = file)
    for (sweeps in sized(60, c(10, 60))) kill_after(call, sweeps, verb = "fit_topics")
    expect_identical(run_topics(call), run_topics(long_topics(lengths = lengths)))
  }
})

test_that("an interrupted fit returns within about a second with what there is, and goes on", {
  file <- withr::local_tempfile(fileext = ".rds")
  method <- method_gibbs(2, 4000, warmup = 50, thin = 10, cores = 2)
  call <- long_topics(method = method, file = file)
  child <- start_child(call, verb = "fit_topics")
  result <- interrupt_when(child, function() min(sweeps_saved(file)) >= 100)
  expect_lt(result$seconds, 3)
  expect_match(result$warned[1], paste0(
    "^interrupted: the fit has [0-9]+ of 395 draws per chain; ",
    "the same call with the same `file` resumes the run\\.$"
  ))
  fit <- result$fit
  expect_lt(length(fit$feature_draws), 790)
  expect_usable_topics(fit)
  iter <- max(vapply(fit$internal$chains, sweeps_done, 1L)) + 50
  whole <- run_topics(long_topics(method = replace(method, "iter", as.integer(iter))))
  expect_identical(update(fit, iter = iter, verbose = FALSE), whole)
})

test_that("a sweep of many seconds is left at once", {
  x <- withr::with_seed(5, rftm(2000, 3000, alpha = 20, gamma = 30)$dtm)
  method <- method_gibbs(1, 30, warmup = 0, moves = 20)
  result <- interrupt_after(list(dtm = x, seed = 1, method = method), c(5, 15, 40))
  expect_lt(result$seconds, 3)
})

test_that("a file of a run of something else is refused, naming what differs", {
  file <- withr::local_tempfile(fileext = ".rds")
  again <- function(..., dtm = topic_corpus(), seed = 1) {
    quick_topics(dtm, ..., seed = seed, file = file)
  }
  fit <- again()
  expect_identical(again(), fit)
  expect_identical(again(method = short_chains(cores = 2)), fit)
  cases <- list(
    dtm = list(dtm = topic_corpus()[, 15:1]), lengths = list(lengths = "model"),
    gamma = list(gamma = 1), eta = list(eta = gamma_prior(1, 2)),
    prior = list(prior = prior_ibp(1)), seed = list(seed = 2), init = list(init = init_topics(3)),
    iter = list(method = short_chains(iter = 65)), moves = list(method = short_chains(moves = 2)),
    max_features = list(method = short_chains(max_features = 60))
  )
  for (what in names(cases)) {
    expect_error(
      do.call(again, cases[[what]]),
      sprintf("^`file` must hold a run with the same `%s` .*, not one with another\\.$", what)
    )
  }
  expect_identical(again(), fit)
})
