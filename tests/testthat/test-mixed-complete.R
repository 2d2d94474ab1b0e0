completed <- function(...) complete(mixed_fit(), ...)

#' The data to which mixed_fit() is fitted
given_frame <- function() {
  data <- mixed_frame()
  data[2, "size"] <- NA
  data[3, "town"] <- NA
  data[4, c("visits", "grade")] <- NA
  data
}

test_that("observed entries are unchanged, missing ones are drawn, and classes are kept", {
  data <- given_frame()
  copies <- completed(40)
  expect_length(copies, 40)
  for (copy in copies) {
    expect_false(anyNA(copy))
    expect_identical(lapply(copy, class), lapply(data, class))
    expect_identical(lapply(copy, levels), lapply(data, levels))
    for (name in names(data)) {
      seen <- !is.na(data[[name]])
      expect_identical(copy[[name]][seen], data[[name]][seen])
    }
  }
  sizes <- vapply(copies, function(copy) copy$size[2], 0)
  expect_gt(length(unique(sizes)), 30)
  expect_identical(completed(40), copies)
  expect_identical(completed(40, seed = 7), completed(40, seed = 7))
  expect_false(identical(completed(40, seed = 7), copies))
})

test_that("entries are drawn from their posterior predictive distribution", {
  fit <- mixed_fit()
  copies <- completed(length(fit$feature_draws))
  draws <- withr::with_seed(1, posterior_predict(fit, ndraws = length(fit$feature_draws)))
  expect_same_mean <- function(a, b) {
    expect_lt(abs(mean(a) - mean(b)) / sqrt(var(a) / length(a) + var(b) / length(b)), 4.5)
  }
  of <- function(i, name) vapply(copies, function(copy) as.numeric(copy[[name]][i]), 0)
  expect_same_mean(of(2, "size"), draws[, 2, "size"])
  expect_same_mean(log1p(of(4, "visits")), log1p(draws[, 4, "visits"]))
  for (level in 1:3) {
    expect_same_mean(of(3, "town") == level, draws[, 3, "town"] == level)
    expect_same_mean(of(4, "grade") == level, draws[, 4, "grade"] == level)
  }
})

test_that("classes, row names and columns that were left out of the fit are returned", {
  data <- data.frame(
    age = c(20L, NA, 35:52), text = rep(c("x", "y", NA, "z"), 5), same = "one",
    yes = rep(c(TRUE, NA, FALSE, TRUE), 5), number = c(NA, 1:19) + 0.5,
    sparse = factor(rep(c("a", "b", "c", NA), 5), letters[1:5]), none = NA_real_,
    once = c("z", rep(NA, 19))
  )
  rownames(data) <- paste0("r", 1:20)
  fit <- suppressMessages(quick_mixed(data, method = method_gibbs(chains = 1, iter = 100)))
  told <- paste0(
    "^Columns that the fit left out, or that have no values, keep their missing entries: ",
    "none, once\\.\n$"
  )
  expect_message(copies <- complete(fit, 10), told)
  expect_no_message(complete(mixed_fit(), 2))
  for (copy in copies) {
    expect_identical(copy[c("none", "once")], data[c("none", "once")])
    expect_identical(lapply(copy, class), lapply(data, class))
    expect_identical(levels(copy$sparse), letters[1:5])
    expect_identical(rownames(copy), rownames(data))
    expect_identical(copy$same, data$same)
    expect_false(anyNA(copy[setdiff(names(copy), c("none", "once"))]))
    expect_gte(min(copy$age), 1L)
  }
  long <- complete(fit, 2, "long")
  expect_identical(long$.id, rep(rownames(data), 3))
  expect_identical(long$.imp, rep(0:2, each = 20))
  expect_identical(unname(as.list(long[1:20, -(1:2)])), unname(as.list(data)))
  expect_identical(unname(as.list(long[41:60, -(1:2)])), unname(as.list(complete(fit, 2)[[2]])))
})

test_that("drawn numbers are whole if all observed numbers are, and integers stay integers", {
  data <- withr::with_seed(1, data.frame(
    age = round(exp(rnorm(40, 3, 0.6))), change = round(rnorm(40, 0, 3)),
    small = 1 + rpois(40, 0.3), days = as.integer(rpois(40, 90)),
    visits = as.integer(rnbinom(40, mu = 4, size = 1)), weight = exp(rnorm(40))
  ))
  for (name in names(data)) data[[name]][withr::with_seed(2, sample(40, 10))] <- NA
  fit <- quick_mixed(data, families = c(small = "lognormal"), method = method_gibbs(1, 60))
  whole <- setdiff(names(data), "weight")
  for (drawn in c(complete(fit, 5), simulate(fit, 5, seed = 1))) {
    expect_identical(lapply(drawn, class), lapply(data, class))
    for (name in whole) expect_equal(drawn[[name]], round(drawn[[name]]), tolerance = 0)
    expect_gte(min(drawn$small), 1)
    expect_false(any(drawn$weight == round(drawn$weight)))
  }
  expect_lt(min(simulate(fit, 1, seed = 1)[[1]]$change), 0)
  replicates <- withr::with_seed(3, posterior_predict(fit, ndraws = 5))
  expect_identical(replicates[, , whole], round(replicates[, , whole]))
  expect_false(any(replicates[, , "weight"] == round(replicates[, , "weight"])))
  ends <- predict(fit, type = "interval")
  of_whole <- ends[ends$column %in% whole, c(".lower", ".upper")]
  expect_identical(of_whole, round(of_whole))
  expect_false(any(predict(fit)$age == round(predict(fit)$age)))
})

test_that("complete() works without tidyr, and with tidyr attached", {
  expect_refusals(complete, "data", list(small_fit(), 1, list(), matrix(1), data.frame(a = 1)))
  skip_if_not_installed("tidyr")
  expect_identical(tidyr::complete(mixed_fit(), 2), completed(2))
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(list(fit = mixed_fit(), copies = completed(2)), file)
  code <- paste0(
    ".libPaths(", deparse1(.libPaths()), "); library(tidyr); library(buffet); saved <- readRDS('",
    file, "'); cat(identical(complete(saved$fit, 2), saved$copies))"
  )
  out <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), TRUE, FALSE)
  expect_identical(utils::tail(out, 1), "TRUE")
})

test_that("drawn values of 0 or less in positive columns are reported, with a remedy", {
  set.seed(1)
  x <- data.frame(a = c(rlnorm(40, 0, 1.5), rep(NA, 20)), b = rnorm(60), c = c(1.5 + 1:59, NA))
  short <- method_gibbs(chains = 1, iter = 60)
  fit <- fit_mixed(x, c(a = "gaussian"), method = short, seed = 1, verbose = FALSE)
  told <- testthat::capture_messages(filled <- complete(fit, 10))
  share <- mean(vapply(filled, function(one) mean(one$a[41:60] <= 0), 1))
  expect_gt(share, 0)
  text <- "Drawn values of 0 or less in columns whose observed values are positive: a (%.0f %%)."
  expect_match(told, sprintf(text, 100 * share), fixed = TRUE)
  expect_match(told, "`families = c(a = \"lognormal\")` excludes them.", fixed = TRUE)
  fit <- fit_mixed(x, c(a = "lognormal"), method = short, seed = 1, verbose = FALSE)
  expect_silent(complete(fit, 10))
})
