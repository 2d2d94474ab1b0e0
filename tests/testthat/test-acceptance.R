# Numbers of attempted and accepted moves.

#' Number of attempts of a move, by chain
tried <- function(fit, move) {
  moves <- acceptance(fit)
  moves$tried[moves$move == move]
}

two <- function(iter = 60, warmup = 20, ...) method_gibbs(2, iter, warmup = warmup, ...)

test_that("moves are counted in every chain over the sweeps after the warm-up", {
  fit <- quick_fit(small_data(), method = two())
  moves <- acceptance(fit)
  expect_s3_class(moves, "tbl_df")
  expect_named(moves, c("chain", "move", "tried", "accepted", "share"))
  expect_identical(moves$chain, rep(1:2, each = 3))
  expect_identical(moves$move, rep(c("exclusive-or", "split-merge", "separate-share"), 2))
  # Three splits or merges are attempted per sweep.
  expect_identical(tried(fit, "split-merge"), c(120, 120))
  # At most one of these moves is attempted per sweep, if features overlap or are disjoint.
  expect_true(all(tried(fit, "separate-share") > 0 & tried(fit, "separate-share") <= 40))
  expect_true(all(moves$accepted < moves$tried))
  expect_true(all(moves$accepted[moves$move != "separate-share"] > 0))
  expect_identical(moves$share, moves$accepted / moves$tried)
  longer <- update(fit, iter = 100, verbose = FALSE)
  expect_identical(tried(longer, "split-merge"), c(240, 240))
  best <- which.max(colMeans(unclass(as_draws(fit))[, , "log_joint"]))
  of_best <- moves[moves$chain == best, -1]
  expect_identical(acceptance(best_chain(fit))[-1], of_best)
})

test_that("sweeps of an extended warm-up are not counted", {
  extended <- suppressWarnings(quick_fit(small_data(), method = method_gibbs(2, 8, max_iter = 64)))
  expect_gt(extended$method$iter, 8)
  sweeps <- extended$method$iter - extended$method$warmup
  expect_identical(tried(extended, "split-merge"), rep(3 * sweeps, 2))
})

test_that("every model names its moves, and plain Gibbs samplers have none", {
  regressions <- c("exclusive-or", "split-merge", "birth-death")
  normal <- c("exclusive-or", "split-merge", "separate-share")
  expected <- list(
    gaussian = normal, column = c(normal, "birth-death"),
    nonnegative = c("split-merge", "separate-share", "duplicate-unite"),
    logistic = c("complement", regressions), loadings = c("entries", "rotation"),
    items = c("entries", "rotation"), factors = c("entries", "rotation"),
    mixed = c("complement", regressions),
    choice = c("exchange", "unite-divide", "copies", "birth-death", "held by all"),
    topics = "topics", cascade = character(), nmf = character()
  )
  for (name in names(sampled_kinds())) {
    moves <- acceptance(sampled_kinds()[[name]])
    expect_identical(unique(moves$move), expected[[name]], label = name)
    expect_identical(is.na(moves$share), moves$tried == 0)
    expect_true(all(moves$accepted <= moves$tried))
  }
  expect_identical(nrow(acceptance(quick_fit(small_data(), method = two(moves = 0)))), 0L)
  expect_error(acceptance(icm_fit()), "^`fit` must be a fit by sampling, not one by .*\\.$")
  expect_error(acceptance(1), "^`fit` must be a fit by a fit_\\*\\(\\) function, not 1\\.$")
})

test_that("summary() names moves that were never accepted, and print() does not", {
  fit <- quick_fit(small_data(), method = two())
  with_moves <- function(tried, accepted) {
    fit$internal$chains <- lapply(fit$internal$chains, function(chain) {
      chain$moves[] <- 0
      chain$moves[1:2, ] <- c(tried, accepted)
      chain
    })
    fit
  }
  shown <- function(x) gsub(" +", " ", paste(capture.output(print(x)), collapse = " "))
  said <- function(...) shown(suppressWarnings(summary(with_moves(...))))
  text <- "Moves that were never accepted"
  expect_no_match(said(c(900, 400), c(3, 0)), text)
  expect_no_match(said(c(900, 600), c(3, 1)), text)
  expect_match(said(c(900, 600), c(3, 0)), paste0(text, ": split-merge (1200 tries); see"),
    fixed = TRUE
  )
  both <- "exclusive-or (1800 tries) and split-merge (1200 tries)"
  expect_match(said(c(900, 600), c(0, 0)), both, fixed = TRUE)
  expect_no_match(shown(with_moves(c(900, 600), c(0, 0))), text)
})
