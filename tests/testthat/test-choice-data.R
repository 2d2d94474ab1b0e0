# Counts of choices in every form that is accepted.

fit_of <- function(wins, ...) {
  quick_choice(wins, ..., method = method_gibbs(chains = 1, iter = 60, warmup = 20))
}
as_rows <- function(wins) {
  at <- which(row(wins) != col(wins) & !is.na(wins), arr.ind = TRUE)
  data.frame(winner = rownames(wins)[at[, 1]], loser = colnames(wins)[at[, 2]], n = wins[at])
}
items <- rownames(celebrities)

test_that("dense and sparse matrices of counts give the same data", {
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

test_that("rows of winner, loser and n give the same data, in any order and form", {
  whole <- fit_of(celebrities)
  rows <- as_rows(celebrities)
  rows$winner <- factor(rows$winner, items)
  rows$loser <- factor(rows$loser, items)
  expect_identical(fit_of(rows), whole)
  set.seed(1)
  expect_identical(fit_of(rows[sample(72), 3:1]), whole)
  expect_identical(fit_of(tibble::as_tibble(rows)), whole)
  # Repeated rows are added up, and additional columns are ignored.
  split <- rbind(transform(rows, n = 3), transform(rows, n = n - 3))
  split$judge <- "someone"
  expect_identical(fit_of(split[sample(144), ]), whole)
  # Strings are in order of appearance, first among the winners and then among the losers.
  plain <- data.frame(winner = c("b", "a", "b"), loser = c("a", "b", "c"), n = c(3, 1, 2))
  expected <- matrix(0, 3, 3, dimnames = list(c("b", "a", "c"), c("b", "a", "c")))
  expected["b", "a"] <- 3
  expected["a", "b"] <- 1
  expected["b", "c"] <- 2
  expect_identical(fit_of(plain), fit_of(expected))
  numbers <- data.frame(winner = c(2L, 1L), loser = c(1L, 2L), n = c(3, 1))
  expect_identical(rownames(features(fit_of(numbers))), c("2", "1"))
  # A level that occurs in no row is an item that was never judged.
  plain$winner <- factor(plain$winner, c("a", "b", "x"))
  expect_identical(rownames(features(fit_of(plain))), c("a", "b", "x", "c"))
})

test_that("pairs that are left out count as not judged", {
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

test_that("the diagonal is ignored", {
  for (value in c(NA, -1.5, 1e300, NaN)) {
    expect_identical(fit_of(`diag<-`(celebrities, value)), fit_of(celebrities))
  }
})

test_that("unusual but valid data are fitted", {
  sound <- function(wins, ..., iter = 800) {
    fit <- quick_choice(wins, ..., method = method_gibbs(chains = 2, iter = iter))
    p <- predict(fit)
    expect_true(all(p[lower.tri(p)] >= 0 & p[lower.tri(p)] <= 1))
    expect_equal(p + t(p), 1 - diag(NA, nrow(p)) * 0, ignore_attr = TRUE)
    expect_true(all(is.finite(scalars_of(fit))) && all(is.finite(log_lik(fit))))
    p
  }
  expect_lt(abs(sound(matrix(c(0, 10, 90, 0), 2), epsilon = 0)[1, 2] - 0.9), 0.03)
  # If only one pair of five items is judged, all pairs of the other three items have probability
  # 1/2 by symmetry.
  one <- replace(matrix(NA, 5, 5), c(6, 2), c(40, 0))
  p <- sound(one)
  expect_gt(p[1, 2], 0.9)
  expect_lt(max(abs(p[3:5, 3:5] - 0.5), na.rm = TRUE), 0.05)
  expect_true(all(p[1, 3:5] > p[2, 3:5]))
  # Every item always beats the items below it. A nested set of features can represent this.
  chain <- matrix(0, 4, 4)
  chain[upper.tri(chain)] <- 50
  expect_gt(min(sound(chain, epsilon = 0)[upper.tri(chain)]), 0.9)
  known <- sound(chain, epsilon = 0, prior = prior_fixed(diag(4)))
  expect_gt(min(known[upper.tri(chain)]), 0.8)
  sound(matrix(c(0, 1e9, 1e9, 0), 2), iter = 100)
})

# Choices in the rows of data frames, and in objects of other packages.

same_wins <- function(given, expected) expect_identical(check_wins(given), expected)

expected <- matrix(
  c(0, 1, 2, 3, 0, 0, 1, 4, 0), 3, dimnames = list(c("a", "b", "c"), c("a", "b", "c"))
)
pairs_of <- function(wins) which(wins > 0, arr.ind = TRUE, useNames = FALSE)
one_a_row <- function(wins) {
  at <- pairs_of(wins)
  at <- at[rep(seq_len(nrow(at)), wins[at]), ]
  items <- rownames(wins)
  data.frame(winner = factor(items[at[, 1]], items), loser = factor(items[at[, 2]], items))
}

test_that("case is ignored in column names unless two names differ only in case", {
  rows <- data.frame(winner = c("a", "b", "a"), loser = c("b", "c", "c"), n = c(2, 3, 4))
  plain <- check_wins(rows)
  for (names in list(c("Winner", "Loser", "N"), c("WINNER", "LOSER", "n"))) {
    expect_no_message(expect_identical(check_wins(stats::setNames(rows, names)), plain))
  }
  expect_message(wins <- check_wins(cbind(rows, Winner = "x")), "Ignoring `Winner` of `wins`")
  expect_identical(wins, plain)
  of_players <- data.frame(Player1 = "a", Player2 = "b", Win1 = 3, Win2 = 1, Ties = 2)
  expect_message(wins <- check_wins(of_players), "2 in all, as half a win")
  expect_identical(wins["a", "b"], 4)
  expect_error(check_wins(data.frame(Won = "a", Loser = "b")), "a data frame without `winner`")
})

test_that("without counts, each row of winner and loser counts as one choice", {
  rows <- one_a_row(expected)
  expect_identical(nrow(rows), 11L)
  same_wins(rows, expected)
  same_wins(tibble::as_tibble(rows), expected)
})

players <- data.frame(
  player1 = factor(c("a", "a", "b"), c("a", "b", "c")),
  player2 = factor(c("b", "c", "c"), c("a", "b", "c")), win1 = c(3, 1, 4), win2 = c(1, 2, 0)
)

test_that("win1 and win2 are the counts for player1 and player2", {
  same_wins(players, expected)
  same_wins(rbind(transform(players, win1 = 0), transform(players, win2 = 0)), expected)
  turned <- data.frame(
    player1 = players$player2, player2 = players$player1, win1 = players$win2, win2 = players$win1
  )
  same_wins(turned, expected)
  same_wins(transform(players, player1 = as.character(player1), player2 = as.character(player2)),
    expected
  )
})

test_that("comparisons of an item with itself are left out, like the diagonal of a matrix", {
  said <- function(rows) capture_messages(same_wins(rows, expected))
  wins <- expected
  diag(wins) <- c(0, 7, NA)
  same_wins(wins, expected)
  expect_identical(
    said(stats::setNames(as.data.frame(as.table(wins)), c("winner", "loser", "n"))),
    "Ignoring 1 row of `wins` with an item against itself (the first is \"b\" in row 5).\n"
  )
  own <- data.frame(player1 = "b", player2 = "b", win1 = 0, win2 = 2)
  expect_match(said(rbind(players, own)), "1 row of .* \"b\" in row 4")
  expect_identical(said(rbind(players, transform(own, win1 = NA, win2 = 0))), character())
  expect_match(said(rbind(one_a_row(expected), list("c", "c"))), "1 row of .* \"c\" in row 12")
  expect_error(
    suppressMessages(check_wins(transform(players, player2 = player1))), "at least one choice"
  )
})

test_that("rows that cannot be counted are rejected with a one-line error", {
  counts <- "`wins` must have numbers from 0 to 1e9 in every row of `%s`, not %s in row %d."
  for (case in list(list("win2", NA, 2), list("win1", -1, 2), list("win2", 2e9, 3))) {
    wrong <- players
    wrong[[case[[1]]]][case[[3]]] <- case[[2]]
    expect_error(check_wins(wrong), do.call(sprintf, c(counts, case)), fixed = TRUE)
  }
  rows <- one_a_row(expected)
  rows$loser[7] <- NA
  expect_error(check_wins(rows), "a name in every row of `loser`, not NA in row 7.", fixed = TRUE)
  nested <- players
  nested$player1 <- data.frame(team = players$player1, at.home = 1)
  expect_refusals(check_wins, "wins", list(
    rows[0, ], players[0, ], players[-3], transform(players, win1 = "1"), nested,
    transform(players, player1 = c("a", NA, "b")), as.data.frame(expected), as.list(expected), "a",
    expected[, 1:2], NULL
  ))
})

comparisons <- function(values, labels = c("a", "b", "c"), ordered = FALSE) {
  structure(values, labels = labels, mscale = c(-1L, 1L), ordered = ordered, class = "paircomp")
}
# psychotools orders the pairs as a:b, a:c, b:c.
judged <- rbind(c(1, 1, 1), c(1, -1, 1), c(1, -1, 1), c(-1, NA, 1))

test_that("comparisons in psychotools become counts", {
  same_wins(comparisons(judged), expected)
  ignored <- "strength of preferences is ignored"
  expect_message(graded <- check_wins(comparisons(3 * judged)), ignored)
  expect_identical(graded, expected)
  # With `ordered`, the last three columns are b:a, c:a, c:b.
  both <- cbind(judged, NA, c(1, NA, NA, NA), NA)
  more <- expected
  more["c", "a"] <- 3
  same_wins(comparisons(both, ordered = TRUE), more)
  # Two of the three subjects who compared a and c are undecided, as is one who compared a and b.
  tied <- judged * (judged > 0)
  more <- expected
  more[cbind(c("a", "b", "a", "c"), c("b", "a", "c", "a"))] <- c(3.5, 0.5, 2, 1)
  expect_message(
    same_wins(comparisons(tied), more),
    "^Counting ties of `wins`, 3 in all, as half a win for each item[.]\n$"
  )
})

test_that("a tie counts as half a win for both items, with a message", {
  games <- data.frame(
    player1 = c("a", "a", "b"), player2 = c("b", "c", "c"), win1 = c(3, 2, 1), win2 = c(1, 2, 4),
    ties = c(2, 1, 0)
  )
  by_hand <- expected
  by_hand[] <- c(0, 2, 2.5, 4, 0, 4, 2.5, 1, 0)
  text <- "^Counting ties of `wins`, 3 in all, as half a win for each item[.]\n$"
  expect_message(same_wins(games, by_hand), text)
  expect_silent(same_wins(transform(games[1:4], win1 = win1 + c(1, 0.5, 0),
    win2 = win2 + c(1, 0.5, 0)
  ), by_hand))
  expect_silent(check_wins(transform(games, ties = 0)))
  expect_error(check_wins(transform(games, ties = NA)), "in every row of `ties`, not a logical")
  expect_error(check_wins(transform(games, ties = c(2, NA, 0))), "of `ties`, not NA in row 2.")
  refusal <- "`wins` must have columns player1, player2, win1 and win2 next to `ties`, not winner"
  expect_error(check_wins(data.frame(winner = "a", loser = "b", ties = 1)), refusal, fixed = TRUE)
  suppressMessages(fit <- fit_of(games))
  expect_match(format(fit)[1], ": 16 choices between pairs of 3 items, 3 pairs$")
  expect_true(all(posterior_predict(fit) %% 1 == 0))
})

test_that("fractional wins give the exact posterior and the exact likelihood", {
  wins <- matrix(c(0, 4.25, 2.5, 0), 2, dimnames = list(c("a", "b"), c("a", "b")))
  fit <- quick_choice(
    wins, prior = prior_fixed(diag(2)), epsilon = 0, method = method_gibbs(2, 8000)
  )
  # Shares of exponential weights are uniform a priori, so the posterior is Beta(1 + 2.5, 1 + 4.25).
  p <- choice_probabilities(fit, cbind(1L, 2L), seq_along(fit$feature_draws))[, 1]
  error <- stats::sd(p) / sqrt(posterior::ess_mean(matrix(p, ncol = 2)))
  expect_lt(abs(mean(p) - 3.5 / 8.75), 4 * error)
  expect_lt(error, 0.01)
  expect_lt(abs(stats::var(p) - 3.5 * 5.25 / (8.75^2 * 9.75)), 0.003)
  p <- choice_probabilities(fit, cbind(2L, 1L), 1:3)
  by_hand <- lgamma(7.75) - lgamma(3.5) - lgamma(5.25) + 4.25 * log(p) + 2.5 * log(1 - p)
  expect_equal(unname(log_lik(fit, ndraws = Inf)[1:3, ]), by_hand[, 1])
  expect_match(format(fit)[1], ": 6.75 choices between")
  expect_equal(unname(posterior_epred(fit)[1:3, ]), 6.75 * p[, 1])
  for (draw in list(posterior_predict, simulate)) {
    expect_error(draw(fit), "^Choices of a pair with 6.75 judgements, .*posterior_epred\\(\\)")
  }
})

test_that("shares of choices are not mistaken for counts", {
  wins <- celebrities / (celebrities + t(celebrities))
  refusal <- "`wins` must have counts, not shares that add up to 1 for each pair: multiply them"
  expect_error(check_wins(wins), refusal, fixed = TRUE)
  expect_equal(check_wins(234 * wins), celebrities, ignore_attr = TRUE)
  # Each pair has one judgement, and one of the judgements is a tie.
  single <- matrix(c(0, 1, 0.5, 0, 0, 1, 0.5, 0, 0), 3)
  expect_identical(check_wins(single), single)
})

test_that("objects from other packages are read as those packages define them", {
  skip_if_not_installed("psychotools")
  # This package is not even a suggested dependency.
  paircomp <- getExportedValue("psychotools", "paircomp")
  made <- paircomp(judged, labels = c("a", "b", "c"))
  same_wins(made, expected)
  told <- summary(made, pcmatrix = TRUE)
  expect_identical(check_wins(made), told, ignore_attr = TRUE)
  four <- paircomp(rbind(c(1, -1, 1, 1, -1, 1)), labels = letters[1:4])
  expect_equal(check_wins(four), summary(four, pcmatrix = TRUE), ignore_attr = TRUE)
  skip_if_not_installed("BradleyTerry2")
  counted <- getExportedValue("BradleyTerry2", "countsToBinomial")(expected)
  same_wins(counted, expected)
})

test_that("the worth of an item is its mean probability of being chosen over another item", {
  fit <- tree_choice()
  worth <- tidy(fit, "worth", conf.level = 0.8)
  draws <- vapply(choice_draws(fit), function(d) {
    rowMeans(naive_choice(d$z, d$w, fit$internal$model$epsilon), na.rm = TRUE)
  }, numeric(9))
  expect_identical(worth$item, rownames(celebrities))
  expect_equal(worth$estimate, unname(rowMeans(draws)))
  expect_equal(worth$std.error, unname(apply(draws, 1, stats::sd)))
  expect_equal(worth$conf.low, unname(apply(draws, 1, stats::quantile, 0.1)))
  expect_equal(worth$conf.high, unname(apply(draws, 1, stats::quantile, 0.9)))
  expect_equal(mean(worth$estimate), 0.5)
  expect_equal(worth$estimate, unname(rowMeans(predict(fit), na.rm = TRUE)))
  summarised <- suppressWarnings(summary(fit))
  expect_identical(summarised$worth, tidy(fit, "worth"))
  best <- worth$item[which.max(worth$estimate)]
  shown <- capture.output(print(summarised))
  expect_match(shown, sprintf("^Worth of items: %s 0\\.", best), all = FALSE)
  expect_lte(max(nchar(grep("^Worth", shown, value = TRUE))), 80)
  expect_error(tidy(fit, "worths"), "`matrix` must be one of")
  expect_error(tidy(fit, "worth", conf.level = 1), "`conf.level`")
})

test_that("unused columns are named in a message, and the diagonal of a table is ignored", {
  rows <- data.frame(winner = c("A", "A", "B"), loser = c("B", "C", "C"), n = c(90, 80, 70))
  wins_of <- function(rows) fit_choice(rows, method = method_gibbs(1, 2), seed = 1, verbose = FALSE)
  expect_message(
    wins_of(cbind(rows, home = 1)),
    "^Ignoring `home` of `wins`: only `winner`, `loser`, `n` are read.\n$"
  )
  expect_message(
    check_wins(cbind(players, draws = 1)), ": only `player1`, `player2`, `win1`, `win2`, `ties` are"
  )
  expect_message(wins_of(cbind(rows[-3], count = 1)), "Ignoring `count` of `wins`: ")
  table <- as.data.frame(table(
    winner = factor(c("A", "A", "B"), c("A", "B", "C")),
    loser = factor(c("B", "C", "C"), c("A", "B", "C"))
  ), responseName = "n")
  expect_identical(nobs(wins_of(table)), 3L)
})
