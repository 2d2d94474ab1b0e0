test_that("end points of intervals are quantiles of draws from posterior_predict()", {
  fit <- mixed_fit()
  intervals <- predict(fit, type = "interval", level = 0.8)
  draws <- withr::with_seed(1, posterior_predict(fit, ndraws = length(fit$feature_draws)))
  for (name in c("size", "price")) {
    exact <- apply(log(draws[, , name]), 2, quantile, c(0.1, 0.9))
    found <- intervals[intervals$column == name, ]
    expect_lt(max(abs(colMeans(t(exact)) - colMeans(log(found[c(".lower", ".upper")])))), 0.05)
  }
  response <- predict(fit)
  expect_identical(intervals$.fitted, c(response$size, response$price, response$visits))
  expect_true(all(intervals$.lower <= intervals$.upper))
  expect_identical(predict(fit, type = "interval", level = 0.8), intervals)
})

test_that("new rows have intervals, which are narrower if more entries are known", {
  fit <- mixed_fit()
  new <- mixed_frame()[c(1, 7), ]
  rownames(new) <- c("first", "second")
  known <- predict(fit, new, type = "interval")
  expect_identical(known$row, rep(c("first", "second"), 3))
  expect_identical(known$.fitted[1:2], predict(fit, new)$size)
  expect_identical(predict(fit, new, type = "interval"), known)
  one <- predict(fit, new[1, ], type = "interval", ndraws = 20)
  expect_identical(dim(one), c(3L, 5L))
  unknown <- new
  unknown[] <- lapply(new, function(values) replace(values, 1:2, NA))
  wide <- predict(fit, unknown, type = "interval")
  size <- known$column == "size"
  expect_gt(min((wide$.upper - wide$.lower)[size]), max((known$.upper - known$.lower)[size]))
})

test_that("classes are the most probable categories, and exist only for categorical columns", {
  fit <- mixed_fit()
  class <- predict(fit, type = "class")
  expect_identical(class, predict(fit)[c("member", "grade", "town")])
  numbers <- quick_mixed(mixed_frame(20)["price"], method = method_gibbs(1, 20))
  expect_identical(dim(predict(numbers, type = "class")), c(20L, 0L))
  expect_error(predict(fit, type = "interval", level = 1), "^`level` must be one number in \\(0, 1")
  expect_error(predict(fit, type = "median"), "^`type` must be one of \"response\"")
})

# Predictions of rows that are not in the data.

test_that("probabilities of features of new rows agree with enumeration", {
  data <- mixed_frame()[c("size", "member", "town")]
  fit <- quick_mixed(data, families = c(size = "gaussian"))
  new <- data.frame(size = c(11, 11.5, NA), member = c(TRUE, NA, FALSE), town = c("Oslo", NA, NA))
  ours <- predict(fit, new, type = "features")
  all <- as.matrix(expand.grid(rep(list(0:1), ncol(ours))))
  z <- draw_features_cpp(unclass(fit$feature_draws), fit$internal$point)
  kept <- matrix(select_loadings(fit, fit$internal$point), 5)
  eta <- tcrossprod(cbind(1, all), kept[, seq_len(ncol(z) + 1)])
  size <- fit$internal$model$data$columns$size
  oslo <- function(eta) {
    f <- function(t) dnorm(t - eta[2]) * pnorm(t - eta[1]) * pnorm(t - eta[3])
    stats::integrate(f, -15, 15)$value
  }
  log_lik <- cbind(
    dnorm((11 - size$center) / size$scale, eta[, 1], kept[1, ncol(z) + 2], TRUE) +
      plogis(eta[, 2], log.p = TRUE) + log(apply(eta[, 3:5], 1, oslo)),
    dnorm((11.5 - size$center) / size$scale, eta[, 1], kept[1, ncol(z) + 2], TRUE),
    plogis(-eta[, 2], log.p = TRUE)
  )
  log_odds <- log(colSums(z) / (61 - colSums(z)))
  weights <- exp(log_lik + as.vector(all %*% log_odds))
  exact <- t(weights) %*% all / colSums(weights)
  # Singletons are rare if there are so many rows.
  shown <- match_columns(features(fit), z)
  expect_lt(max(abs(exact[, shown, drop = FALSE] - ours)), 0.08)
})

# How data frames are stored in fits by fit_mixed().

test_that("changing a data.table by reference does not affect the fit, or vice versa", {
  skip_if_not_installed("data.table")
  frame <- mixed_frame(20)
  frame[2, "size"] <- NA
  data <- data.table::as.data.table(frame)
  fit <- quick_mixed(data, method = method_gibbs(chains = 1, iter = 20))
  before <- rlang::duplicate(list(fit, complete(fit, 2), augment(fit)))
  expect_identical(class(complete(fit, 1)[[1]]), "data.frame")
  expect_identical(class(augment(fit)), c("tbl_df", "tbl", "data.frame"))
  data.table::set(data, 1L, "price", -99)
  data.table::setnames(data, "price", "cost")
  data.table::setcolorder(data, rev(names(data)))
  data.table::set(data, j = "new", value = 1)
  expect_identical(list(fit, complete(fit, 2), augment(fit)), before)
  for (shown in list(complete(fit, 2)[[1]], complete(fit, 2, "long"), augment(fit))) {
    data.table::setDT(shown)
    data.table::set(shown, 1L, "price", -99)
    data.table::set(shown, 1L, "town", NA)
    expect_identical(list(fit, complete(fit, 2), augment(fit)), before)
  }
})

test_that("data are stored as a plain data frame that keeps the row names", {
  frame <- mixed_frame(20)
  method <- method_gibbs(chains = 1, iter = 4)
  kept <- function(data) {
    suppressMessages(quick_mixed(data, method = method))$internal$model$data$frame
  }
  expect_identical(kept(frame), frame)
  expect_identical(kept(tibble::as_tibble(frame)), frame)
  expect_identical(kept(frame[11:20, ]), frame[11:20, ])
  rownames(frame) <- sprintf("row %d", 1:20)
  expect_identical(kept(frame), frame)
})
