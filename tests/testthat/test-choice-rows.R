# Choices as data frames of rows and as objects of other packages.

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

test_that("rows of winner and loser without counts are one choice each", {
  rows <- one_a_row(expected)
  expect_identical(nrow(rows), 11L)
  same_wins(rows, expected)
  same_wins(tibble::as_tibble(rows), expected)
})

players <- data.frame(
  player1 = factor(c("a", "a", "b"), c("a", "b", "c")),
  player2 = factor(c("b", "c", "c"), c("a", "b", "c")), win1 = c(3, 1, 4), win2 = c(1, 2, 0)
)

test_that("player1, player2, win1, win2 are counts of both items", {
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

test_that("an item against itself is left out, as on the diagonal of a matrix", {
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

test_that("what cannot be counted in rows is refused in one line", {
  counts <- "`wins` must have whole numbers from 0 to 1e9 in every row of `%s`, not %s in row %d."
  for (case in list(list("win2", NA, 2), list("win1", -1, 2), list("win2", 0.5, 3))) {
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
# pairs in the order of psychotools: a:b, a:c, b:c
judged <- rbind(c(1, 1, 1), c(1, -1, 1), c(1, -1, 1), c(-1, NA, 1))

test_that("comparisons of psychotools are counts", {
  same_wins(comparisons(judged), expected)
  expect_message(graded <- check_wins(comparisons(3 * judged)), "by how much does not")
  expect_identical(graded, expected)
  # ordered: the last three columns are b:a, c:a, c:b
  both <- cbind(judged, NA, c(1, NA, NA, NA), NA)
  more <- expected
  more["c", "a"] <- 3
  same_wins(comparisons(both, ordered = TRUE), more)
  expect_error(check_wins(comparisons(judged * (judged > 0))),
    "`wins` must have no ties (NA leaves a comparison out), not 3.", fixed = TRUE
  )
})

test_that("objects that the packages themselves make are read as they mean them", {
  skip_if_not_installed("psychotools")
  # Not a dependency, not even a suggested one.
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

test_that("the worth of an item is its mean probability to be chosen over another", {
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

test_that("items of an aspect have commas between them", {
  fit <- tree_choice()
  expect_true("LBJ, HW, CDG" %in% suppressWarnings(summary(fit, aspects = 50))$aspects$items)
  expect_true("LBJ, HW, CDG" %in% plot(fit, "weights")$data$items)
})

test_that("columns that are not read are named, and the diagonal of a table is ignored", {
  rows <- data.frame(winner = c("A", "A", "B"), loser = c("B", "C", "C"), n = c(90, 80, 70))
  wins_of <- function(rows) fit_choice(rows, method = method_gibbs(1, 2), seed = 1, verbose = FALSE)
  expect_message(wins_of(cbind(rows, home = 1)), "Ignoring `home` of `wins`: ")
  expect_message(wins_of(cbind(rows[-3], count = 1)), "Ignoring `count` of `wins`: ")
  table <- as.data.frame(table(
    winner = factor(c("A", "A", "B"), c("A", "B", "C")),
    loser = factor(c("B", "C", "C"), c("A", "B", "C"))
  ), responseName = "n")
  expect_identical(nobs(wins_of(table)), 3L)
})
