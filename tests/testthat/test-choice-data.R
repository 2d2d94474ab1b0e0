# Counts of choices in the forms in which they come.

fit_of <- function(wins, ...) {
  quick_choice(wins, ..., method = method_gibbs(chains = 1, iter = 60, warmup = 20))
}
as_rows <- function(wins) {
  at <- which(row(wins) != col(wins) & !is.na(wins), arr.ind = TRUE)
  data.frame(winner = rownames(wins)[at[, 1]], loser = colnames(wins)[at[, 2]], n = wins[at])
}
items <- rownames(celebrities)

test_that("matrices and sparse matrices of counts are the same data", {
  whole <- fit_of(celebrities)
  integers <- celebrities
  storage.mode(integers) <- "integer"
  expect_identical(fit_of(integers), whole)
  expect_identical(fit_of(Matrix::Matrix(celebrities, sparse = TRUE)), whole)
  one_named <- celebrities
  colnames(one_named) <- NULL
  expect_identical(fit_of(one_named), whole)
  dimnames(one_named) <- list(NULL, items)
  expect_identical(fit_of(one_named), whole)
  expect_identical(fit_of(celebrities[, c(3, 1, 9, 2, 8, 4, 5, 7, 6)]), whole)
  expect_identical(rownames(features(fit_of(unname(celebrities)))), NULL)
  expect_identical(scalars_of(fit_of(unname(celebrities))), scalars_of(whole))
})

test_that("rows of winner, loser and n are the same data, in any order and form", {
  whole <- fit_of(celebrities)
  rows <- as_rows(celebrities)
  rows$winner <- factor(rows$winner, items)
  rows$loser <- factor(rows$loser, items)
  expect_identical(fit_of(rows), whole)
  set.seed(1)
  expect_identical(fit_of(rows[sample(72), 3:1]), whole)
  expect_identical(fit_of(tibble::as_tibble(rows)), whole)
  # Repeated rows add up; further columns are not looked at.
  split <- rbind(transform(rows, n = 3), transform(rows, n = n - 3))
  split$judge <- "someone"
  expect_identical(fit_of(split[sample(144), ]), whole)
  # Strings come in the order of their first appearance among the winners, then the losers.
  plain <- data.frame(winner = c("b", "a", "b"), loser = c("a", "b", "c"), n = c(3, 1, 2))
  expected <- matrix(0, 3, 3, dimnames = list(c("b", "a", "c"), c("b", "a", "c")))
  expected["b", "a"] <- 3
  expected["a", "b"] <- 1
  expected["b", "c"] <- 2
  expect_identical(fit_of(plain), fit_of(expected))
  numbers <- data.frame(winner = c(2L, 1L), loser = c(1L, 2L), n = c(3, 1))
  expect_identical(rownames(features(fit_of(numbers))), c("2", "1"))
  # A level that no row has is an item that was never judged.
  plain$winner <- factor(plain$winner, c("a", "b", "x"))
  expect_identical(rownames(features(fit_of(plain))), c("a", "b", "x", "c"))
})

test_that("pairs that are left out are not judged", {
  holes <- without_pairs(celebrities, c(1, 2), c(7, 9))
  zeros <- replace(holes, is.na(holes), 0)
  expect_identical(scalars_of(fit_of(holes)), scalars_of(fit_of(zeros)))
  expect_identical(nobs(fit_of(holes)), 34L)
  expect_identical(nobs(fit_of(zeros)), 34L)
  judged <- as_rows(zeros)[as_rows(zeros)$n > 0, ]
  expect_identical(fit_of(judged)$internal$model$data$x[items, items], zeros)
  expect_match(format(fit_of(holes))[1], "7956 choices between pairs of 9 items, 34 pairs")
  expect_match(format(fit_of(holes))[1], "\\(2 not judged\\)$")
  expect_match(format(fit_of(celebrities))[1], ": 8424 choices between pairs of 9 items, 36 pairs$")
})

test_that("the diagonal is not looked at", {
  for (value in c(NA, -1.5, 1e300, NaN)) {
    expect_identical(fit_of(`diag<-`(celebrities, value)), fit_of(celebrities))
  }
})

test_that("what is unusual but legal is fitted", {
  sound <- function(wins, ..., iter = 800) {
    fit <- quick_choice(wins, ..., method = method_gibbs(chains = 2, iter = iter))
    p <- predict(fit)
    expect_true(all(p[lower.tri(p)] >= 0 & p[lower.tri(p)] <= 1))
    expect_equal(p + t(p), 1 - diag(NA, nrow(p)) * 0, ignore_attr = TRUE)
    expect_true(all(is.finite(scalars_of(fit))) && all(is.finite(log_lik(fit))))
    p
  }
  expect_lt(abs(sound(matrix(c(0, 10, 90, 0), 2), epsilon = 0)[1, 2] - 0.9), 0.03)
  # One pair of five judged: the others are even by symmetry but for what is learned of two.
  one <- replace(matrix(NA, 5, 5), c(6, 2), c(40, 0))
  p <- sound(one)
  expect_gt(p[1, 2], 0.9)
  expect_lt(max(abs(p[3:5, 3:5] - 0.5), na.rm = TRUE), 0.05)
  expect_true(all(p[1, 3:5] > p[2, 3:5]))
  # Always won, without lapses: a nested set of features can say so.
  chain <- matrix(0, 4, 4)
  chain[upper.tri(chain)] <- 50
  expect_gt(min(sound(chain, epsilon = 0)[upper.tri(chain)]), 0.9)
  known <- sound(chain, epsilon = 0, prior = prior_fixed(diag(4)))
  expect_gt(min(known[upper.tri(chain)]), 0.8)
  never <- celebrities[1:4, 1:4]
  never[4, ] <- never[, 4] <- 0
  expect_lt(max(abs(sound(never)[4, 1:3] - 0.5)), 0.4)
  sound(1 - diag(6), iter = 100)
  sound(matrix(c(0, 1e9, 1e9, 0), 2), iter = 100)
})

test_that("seventy items are more than a word of bits", {
  strength <- seq(2, -2, length.out = 70)
  p <- stats::plogis(outer(strength, strength, `-`))
  n <- withr::with_seed(1, matrix(stats::rbinom(4900, 20, p), 70))
  wins <- ifelse(lower.tri(n), t(20 - n), n)
  wins[lower.tri(wins)] <- t(20 - wins)[lower.tri(wins)]
  for (prior in list(prior_pibp(star_tree(70)), prior_fixed(diag(70)))) {
    dimnames(wins) <- list(paste0("t", 1:70), paste0("t", 1:70))
    fit <- quick_choice(wins, prior = prior, method = method_gibbs(1, 50, 30))
    expect_identical(dim(features(fit))[1], 70L)
    found <- predict(fit)
    expect_gt(stats::cor(found[lower.tri(p)], p[lower.tri(p)]), 0.95)
    expect_equal(found, apply(naive_choices(fit), 1:2, mean), ignore_attr = TRUE, tolerance = 1e-10)
  }
})
