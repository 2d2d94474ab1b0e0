# How print(), features() and plots report a number of features that is uncertain or 0.

#' A fit in which a given share of the draws has each of the given numbers of features
with_counts <- function(fit, counts) {
  n <- length(fit$internal$scalars[, , "n_features"])
  fit$internal$scalars[, , "n_features"] <- rep_len(counts, n)
  fit
}
printed <- function(fit) gsub("\n *", " ", paste(capture.output(print(fit)), collapse = "\n"))

test_that("an interval is reported if no number of features has half of the draws", {
  flat <- with_counts(small_fit(), rep(0:4, c(3, 2, 2, 2, 1)))
  told <- "Features: 0 to 4 in 90 % of the draws, most often 0 (30 %)"
  expect_match(printed(flat), told, fixed = TRUE)
  expect_match(format(flat), told, fixed = TRUE, all = FALSE)
  known <- with_counts(small_fit(), rep(2:4, c(5, 3, 2)))
  expect_match(printed(known), "Features: 2 (50 %), 3 (30 %), 4 (20 %) of the draws", fixed = TRUE)
})

test_that("numbers of features that round to 0 % of the draws are not reported", {
  rare <- with_counts(small_fit(), rep(1:3, c(597, 2, 1)))
  expect_match(printed(rare), "Features: 1 (100 %) of the draws", fixed = TRUE)
  often <- with_counts(small_fit(), rep(1:3, c(567, 30, 3)))
  expect_match(printed(often), "Features: 1 (94 %), 2 (5 %) of the draws", fixed = TRUE)
  # Half a percent also rounds to 0 %, because R rounds half to even.
  expect_identical(describe_counts(rep(1:5, c(560, 30, 4, 3, 3))), "1 (93 %), 2 (5 %), 3 (1 %)")
  many <- rep(1:6, c(500, 20, 20, 20, 20, 20))
  expect_identical(describe_counts(many), "1 (83 %), 2 (3 %), 3 (3 %), 4 (3 %), ...")
})

test_that("the word feature is in the singular if the count is one", {
  expect_identical(describe_matrix(matrix(c(NA, 1), 1)), "1 row and 2 columns (1 entry missing)")
  one <- fit_choice(matrix(c(0, 1, 0, 0), 2), method = method_gibbs(1, 2), verbose = FALSE)
  told <- "Elimination by aspects: 1 choice between pairs of 2 items, 1 pair"
  expect_identical(describe_data(one), told)
  single <- format(method_gibbs(iter = 1, warmup = 0, max_features = 1))
  expect_match(single, "chains of 1 sweep (0 warm-up), at most 1 feature", fixed = TRUE)
  beam <- format(method_beam(max_features = 1, lookahead = 1))
  expect_match(beam, "at most 1 feature, looking 1 row ahead$")
  narrow <- quick_fit(small_data()[, 1, drop = FALSE], method = method_gibbs(1, 20))
  expect_error(predict(narrow, matrix(1, 8, 2)), "^`newdata` must have 1 column, like the data")
})

test_that("print(), features() and plots say if the point estimate has no feature", {
  fit <- empty_fit()
  expect_match(printed(fit), "The point estimate has no feature\\.$")
  some <- small_fit()
  sizes <- unclass(some$feature_draws)$sizes
  some$feature_draws <- structure(utils::modifyList(unclass(some$feature_draws), list(sizes = replace(sizes, 1:60, 0L))),  # nolint: line_length_linter.
    class = class(some$feature_draws)
  )
  expect_match(
    describe_none(some), "^The point estimate has no feature, but 90 % of the draws have "
  )
  few <- unclass(some$feature_draws)
  few$sizes <- replace(0 * few$sizes, 1, 1L)
  some$feature_draws <- structure(few, class = class(some$feature_draws))
  expect_identical(describe_none(some), "The point estimate has no feature.")
  as_user <- function(code, ...) {
    eval(substitute(code), list2env(list(...), new.env(parent = globalenv())))
  }
  expect_message(
    z <- as_user(buffet::features(fit), fit = fit), "^The point estimate has no feature\\.\n$"
  )
  expect_identical(dim(z), c(4L, 0L))
  expect_no_message(as_user(buffet::features(fit), fit = small_fit()))
  for (type in c("features", "loadings")) {
    expect_no_message(as_user(plot(fit, type), fit = fit, type = type))
    expect_identical(plot(fit, type)$labels$subtitle, "The point estimate has no feature.")
  }
  expect_no_message(capture.output(as_user(print(fit), fit = fit)))
})

test_that("only chains that never change Z are reported as constant", {
  told <- "Z is the same in all draws of each chain"
  still <- still_fit(still_features(), chains = 2, iter = 40, warmup = 20)
  expect_match(printed(still), told)
  expect_no_match(printed(still_fit(still_features(), chains = 2, iter = 3)), told)
  expect_no_match(printed(small_fit()), told)
})

test_that("lines are no wider than the option `width`", {
  for (width in c(60, 100)) {
    withr::local_options(width = width)
    lines <- format(best_chain(small_fit()))
    free <- lines[!startsWith(lines, "Prior") & !startsWith(lines, "Method")]
    expect_lte(max(nchar(free)), width)
  }
})
