# Runs of choices and on trees that are interrupted, killed and taken up again.

items <- letters[1:14]
many <- withr::with_seed(1, matrix(stats::rpois(196, 4), 14, dimnames = list(items, items)))
images <- withr::with_seed(1, block_images(40))
nine <- structure(unclass(images)[1:9, ], dimnames = list(paste0("t", 1:9), NULL))
rows <- structure(unclass(images)[1:30, ], dimnames = list(paste0("t", 1:30), NULL))

#' Killed in the warm-up or among the draws, then taken up: the same fit as that of a run that
#' nothing happened to
expect_resumed <- function(call, verb = "fit_choice", iter = 3000, warmup = 200, at = 300) {
  file <- withr::local_tempfile(fileext = ".rds")
  call$method <- method_gibbs(chains = 2, iter = iter, warmup = warmup, cores = 2, thin = 2)
  call <- c(call, list(seed = 3))
  kill_after(c(call, list(file = file)), at, verb = verb)
  fit <- getExportedValue("buffet", verb)
  resumed <- do.call(fit, c(call, list(file = file, verbose = FALSE)))
  whole <- do.call(fit, c(call, list(verbose = FALSE)))
  expect_identical(resumed, whole)
  expect_identical(do.call(fit, c(call, list(file = file, verbose = FALSE))), whole)
}

test_that("runs of choices that were killed go on as if they had not been", {
  priors <- list(
    prior_ibp(concentration = gamma_prior(2, 2)), prior_pibp(celebrity_tree),
    prior_beta_bernoulli(12)
  )
  for (prior in priors[sized(1, 1:3)]) {
    expect_resumed(list(wins = celebrities, prior = prior))
  }
  expect_resumed(list(wins = many, prior = prior_pibp(caterpillar(14, items))), iter = 1500)
})

test_that("runs of choices with known features that were killed go on", {
  skip_if_quick()
  known <- list(wins = celebrities, prior = prior_fixed(diag(9)))
  expect_resumed(known, iter = 15000, warmup = 1000, at = 500)
})

test_that("runs on a tree that were killed go on as if they had not been", {
  call <- function(x, loadings) {
    list(x = x, loadings = loadings, prior = prior_pibp(caterpillar(nrow(x))))
  }
  expect_resumed(call(nine, "normal"), "fit_gaussian", iter = 2000)
  expect_resumed(call(rows, "normal"), "fit_gaussian", iter = 700, warmup = 120, at = 60)
  expect_resumed(call(rows, "nonnegative"), "fit_gaussian", iter = 700, warmup = 120, at = 200)
})

test_that("an interrupted fit to choices returns within a second, and goes on from its file", {
  file <- withr::local_tempfile(fileext = ".rds")
  call <- list(
    wins = celebrities, prior = prior_pibp(celebrity_tree), file = file,
    method = method_gibbs(chains = 2, iter = 5000, warmup = 200, cores = 2)
  )
  child <- start_child(call, verb = "fit_choice")
  result <- interrupt_when(child, function() min(sweeps_saved(file)) >= 220)
  expect_lt(result$seconds, 3)
  expect_match(result$warned[1], paste0(
    "^interrupted: the fit has [0-9]+ of 4800 draws per chain; ",
    "the same call with the same `file` resumes the run\\.$"
  ))
  expect_s3_class(result$fit, c("fit_choice", "fit_mcmc", "buffet_fit"), exact = TRUE)
  expect_true(all(is.finite(as_draws(result$fit))))
  expect_true(all(is.finite(log_lik(result$fit))))
  build_plot(plot(result$fit, "fit"))
  whole <- do.call(fit_choice, c(call, verbose = FALSE))
  expect_identical(whole, do.call(quick_choice, c(call[c("wins", "prior", "method")], list(
    seed = readRDS(file)$seed
  ))))
  expect_identical(update(result$fit, iter = 5000, verbose = FALSE), whole)
})

test_that("fits on a tree of many tips are left at once", {
  tips <- 400
  z <- withr::with_seed(1, matrix(stats::rbinom(tips * 30, 1, 0.2), tips))
  x <- withr::with_seed(2, matrix(draw_gaussian(z, 20, 1, 1), tips))
  rownames(x) <- paste0("t", seq_len(tips))
  file <- withr::local_tempfile(fileext = ".rds")
  child <- start_child(list(
    x = x, prior = prior_pibp(caterpillar(tips)), init = z, file = file, seed = 1,
    method = method_gibbs(chains = 2, iter = 1e6, warmup = 0, cores = 2)
  ))
  result <- interrupt_when(child, function() file.exists(file) && min(sweeps_saved(file)) >= 1)
  expect_lt(result$seconds, 3)
  expect_match(result$warned[1], "^interrupted: ")
})

test_that("a file of choices goes on with the same counts, weights, lapses and prior only", {
  file <- withr::local_tempfile(fileext = ".rds")
  kept <- function(wins = celebrities, ..., prior = prior_pibp(celebrity_tree)) {
    quick_choice(wins, ..., prior = prior, file = file, method = method_gibbs(1, 30))
  }
  fit <- kept()
  expect_identical(kept(), fit)
  refused <- function(what, ...) {
    expect_error(
      kept(...), sprintf("^`file` must hold a run with the same `%s` .*, not one with .*\\.$", what)
    )
  }
  refused("wins", replace(celebrities, cbind(1, 2), 160))
  refused("weights", weights = gamma_prior(2, 1))
  refused("epsilon", epsilon = 0.02)
  refused("prior", prior = prior_ibp())
  refused("seed", seed = 2)
  refused("init", init = diag(9))
  tree <- celebrity_tree
  tree$edge.length <- ifelse(tree$edge[, 2] > 9, 0.4, 0.6)
  refused("prior", prior = prior_pibp(tree))
  expect_match(capture.output(print(readRDS(file)))[1], "A run of buffet with 15 draws kept")
})

test_that("a start that takes long is left at once", {
  wins <- withr::with_seed(1, matrix(stats::rpois(150^2, 2), 150))
  child <- start_child(verb = "fit_choice", list(
    wins = wins, prior = prior_beta_bernoulli(3), method = method_gibbs(chains = 2, iter = 100)
  ))
  at <- Sys.time() + 2
  result <- interrupt_when(child, function() Sys.time() > at)
  expect_lt(result$seconds, 3)
  expect_identical(result$fit, "interrupted before any draw was kept.")
})
