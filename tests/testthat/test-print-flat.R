# What print(), features() and plots say of a number of features that is not known well, or is 0.

#' A fit of which a share of the draws has so many features
with_counts <- function(fit, counts) {
  fit$scalars[, , "n_features"] <- rep_len(counts, length(fit$scalars[, , "n_features"]))
  fit
}
printed <- function(fit) gsub("\n *", " ", paste(capture.output(print(fit)), collapse = "\n"))

test_that("a number of features that has no half of the draws is told by an interval", {
  flat <- with_counts(small_fit(), rep(0:4, c(3, 2, 2, 2, 1)))
  told <- "Features: 0 to 4 in 90 % of the draws, most often 0 (30 %)"
  expect_match(printed(flat), told, fixed = TRUE)
  expect_match(format(flat), told, fixed = TRUE, all = FALSE)
  known <- with_counts(small_fit(), rep(2:4, c(5, 3, 2)))
  expect_match(printed(known), "Features: 2 (50 %), 3 (30 %), 4 (20 %) of the draws", fixed = TRUE)
})

test_that("a point estimate without features is told by print(), features() and pictures", {
  fit <- empty_fit()
  expect_match(printed(fit), "The point estimate has no feature\\.$")
  some <- small_fit()
  sizes <- unclass(some$draws)$sizes
  some$draws <- structure(utils::modifyList(unclass(some$draws), list(sizes = replace(sizes, 1:60, 0L))),  # nolint: line_length_linter.
    class = class(some$draws)
  )
  expect_match(
    describe_none(some), "^The point estimate has no feature, but 90 % of the draws have "
  )
  as_user <- function(code, ...) eval(
    substitute(code), list2env(list(...), new.env(parent = globalenv()))
  )
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
