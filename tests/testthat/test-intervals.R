# Intervals of predictions, and predictions in data frames of new rows.

test_that("intervals are quantiles of draws, with one row per entry, and are reproducible", {
  kinds <- kinds_of_fits()
  for (name in c("gaussian", "meibp", "loadings", "factors", "cascade", "nmf")) {
    fit <- kinds[[name]]
    told <- predict(fit, interval = "predictive", ndraws = 20, level = 0.6)
    expect_identical(names(told), c("row", "column", ".fitted", ".lower", ".upper"))
    expect_identical(told, predict(fit, interval = "predictive", ndraws = 20, level = 0.6))
    draws <- withr::with_seed(fit$seed, posterior_predict(fit, ndraws = 20))
    expect_equal(told$.upper, as.vector(apply(draws, 2:3, stats::quantile, 0.8)))
    means <- withr::with_seed(fit$seed, posterior_epred(fit, ndraws = 20))
    credible <- predict(fit, interval = "credible", ndraws = 20, level = 0.6)
    expect_equal(credible$.lower, as.vector(apply(means, 2:3, stats::quantile, 0.2)))
    expect_identical(credible$.fitted, as.vector(fitted(fit)))
    expect_identical(told$.fitted, as.vector(fitted(fit)))
  }
  flowers <- predict(kinds$loadings, interval = "credible", ndraws = 5)
  expect_identical(unique(flowers$column), names(iris)[1:4])
  expect_identical(predict(kinds$gaussian, interval = "none"), predict(kinds$gaussian))
})

test_that("intervals come from draws of new rows, and means are the result of predict()", {
  kinds <- kinds_of_fits()
  for (name in c("gaussian", "column", "nonnegative", "loadings", "factors", "nmf", "cascade")) {
    fit <- kinds[[name]]
    new <- unname(model_data(fit)[1:6, ])
    new[1, 2:3] <- NA
    colnames(new) <- colnames(model_data(fit))
    drawer <- new_row_drawer(fit, new_row_data(fit, new), apart = FALSE)
    which <- check_ndrawn(15, fit)
    drawn <- withr::with_seed(fit$seed, lapply(which, drawer))
    draws_of <- function(what) simplify2array(lapply(drawn, `[[`, what))
    ends <- list(credible = draws_of("mean"), predictive = draws_of("data"))
    for (interval in c("credible", "predictive")) {
      told <- predict(fit, new, interval = interval, ndraws = 15, level = 0.6)
      expect_identical(told$.fitted, as.vector(predict(fit, new, ndraws = 15)))
      expect_equal(told$.upper, as.vector(apply(ends[[interval]], 1:2, stats::quantile, 0.8)))
    }
  }
})

test_that("the intervals of a row do not depend on the rows next to it", {
  kinds <- kinds_of_fits()
  sampled <- c("gaussian", "column", "nonnegative", "logistic", "loadings", "factors", "nmf",
    "cascade", "mixed")
  for (name in sampled) {
    fit <- kinds[[name]]
    new <- if (name == "mixed") iris[c(3, 60, 120), ] else unname(model_data(fit)[1:3, ])
    if (name %in% c("loadings", "factors")) colnames(new) <- colnames(model_data(fit))
    new[1, 2] <- NA
    for (interval in if (name == "logistic") "credible" else c("credible", "predictive")) {
      ends <- function(rows) {
        told <- predict(fit, new[rows, ], interval = interval, ndraws = 10)
        values <- as.matrix(told[c(".fitted", ".lower", ".upper")])
        array(values, c(length(rows), nrow(told) / length(rows), 3))
      }
      all <- ends(1:3)
      expect_equal(ends(c(3, 1)), all[c(3, 1), , ], tolerance = 1e-10)
      expect_equal(ends(1), all[1, , , drop = FALSE], tolerance = 1e-10)
      expect_equal(ends(c(2, 2)), all[c(2, 2), , ], tolerance = 1e-10)
      expect_gt(max(abs(all[2, , 3] - all[3, , 3])), 0)
    }
  }
  new <- model_data(kinds$topics)[1:3, ]
  words <- predict(kinds$topics, new, "words", 3, 10, "credible")
  alone <- predict(kinds$topics, new[3, , drop = FALSE], "words", 3, 10, "credible")
  expect_equal(words$.lower[words$row == rownames(new)[3]], alone$.lower)
})

test_that("intervals of the other models agree with their expected values", {
  kinds <- kinds_of_fits()
  means <- withr::with_seed(1, posterior_epred(kinds$mixed))
  told <- predict(kinds$mixed, interval = "credible", level = 0.5)
  expect_equal(told$.lower, as.vector(apply(means, 2:3, stats::quantile, 0.25)))
  expected <- c(predict(kinds$mixed)[1:4], list(predict(kinds$mixed, type = "prob")$Species))
  expect_equal(told$.fitted, unlist(expected, use.names = FALSE))
  expect_identical(
    unique(told$column), c(names(iris)[1:4], paste("Species:", levels(iris$Species)))
  )
  text <- paste(
    "Columns of categories have no predictive intervals: Species.",
    "`predict(fit, interval = \"credible\")` returns intervals of probabilities."
  )
  expect_message(ends <- predict(kinds$mixed, interval = "predictive"), text, fixed = TRUE)
  expect_message(same <- predict(kinds$mixed, type = "interval"), text, fixed = TRUE)
  expect_identical(ends, same)
  expect_message(predictive_interval(kinds$mixed, ndraws = 5), text, fixed = TRUE)
  categories <- data.frame(a = rep(c("x", "y"), 10), b = rep(c("u", "v", "w", "u"), 5))
  fit <- suppressMessages(quick_mixed(categories, method = method_gibbs(1, 20)))
  told <- predict(fit, interval = "credible")
  expect_identical(unique(told$column), c("a: x", "a: y", "b: u", "b: v", "b: w"))
  expect_equal(told$.fitted[21:40], unname(predict(fit, type = "prob")$a[, "y"]))
  refused <- "^`interval` must be \"none\" or \"credible\" if no column has numbers"
  expect_error(predict(fit, interval = "predictive"), refused)
  expect_error(predict(fit, type = "interval"), "numbers, not \"interval\": `predict\\(fit, int")
  words <- predict(kinds$topics, type = "words", interval = "credible", ndraws = 10)
  all_words <- as.vector(predict(kinds$topics, type = "words"))
  expect_equal(words$.fitted, all_words[!is.na(all_words)])
  share <- vapply(seq(1, 20, length.out = 10), function(draw) {
    known_words(kinds$topics, round(draw))[2, 3]
  }, 0)
  at <- words$row == rownames(model_data(kinds$topics))[2] & words$column == "w3"
  expect_equal(words$.upper[at], stats::quantile(share, 0.95, names = FALSE))
  new <- model_data(kinds$topics)[1:2, ]
  expect_identical(nrow(predict(kinds$topics, new, "words", 3, 10, "credible")), 30L)
})

test_that("predictive_interval() returns the quantiles of posterior_predict()", {
  kinds <- kinds_of_fits()
  ends <- withr::with_seed(2, predictive_interval(kinds$loadings, prob = 0.5, ndraws = 50))
  draws <- withr::with_seed(2, posterior_predict(kinds$loadings, ndraws = 50))
  expect_identical(colnames(ends), c("25%", "75%"))
  expect_identical(rownames(ends)[31], "1, Sepal.Width")
  expect_equal(ends[, 1], as.vector(apply(draws, 2:3, stats::quantile, 0.25)), ignore_attr = TRUE)
  new <- iris[1:2, ]
  expect_identical(dim(predictive_interval(kinds$mixed, newdata = new, ndraws = 5)), c(8L, 2L))
  measures <- model_data(kinds$factors)[1:2, ]
  expect_identical(dim(predictive_interval(kinds$factors, newdata = measures)), c(8L, 2L))
  told <- augment(kinds$factors, newdata = measures)
  expect_equal(told$.fitted_Sepal.Width, unname(predict(kinds$factors, measures)[, 2]))
  wins <- withr::with_seed(1, predictive_interval(kinds$choice))
  expect_identical(rownames(wins), colnames(posterior_predict(kinds$choice, ndraws = 1)))
  counts <- pair_counts(kinds$choice, observed_pairs(kinds$choice))
  expect_true(all(wins[, 1] >= 0 & wins[, 2] <= counts))
})

test_that("intervals that carry no information are rejected with a one-line error", {
  kinds <- kinds_of_fits()
  must <- "^`interval` must be \"none\" or \"credible\""
  for (name in c("logistic", "choice")) {
    expect_error(predict(kinds[[name]], interval = "predictive"), must)
  }
  expect_error(predict(kinds$topics, type = "words", interval = "predictive"), must)
  expect_error(predict(kinds$topics, interval = "credible"), "^`interval` must be \"none\" unless")
  expect_error(predict(kinds$icm, interval = "credible"), "be \"none\", not of a fit by")
  for (fit in kinds[c("icm", "logistic", "topics")]) {
    expect_error(predictive_interval(fit), "^`object` must be")
  }
  features <- function() predict(kinds$gaussian, type = "features", interval = "credible")
  expect_error(features(), "unless `type` is \"response\"")
  for (name in setdiff(names(kinds), "choice")) {
    expect_error(predict(kinds[[name]], interval = 0.8), "not 0.8: that is for `level`[.]")
  }
  expect_error(predict(kinds$gaussian, interval = "credible", level = 1), "^`level` must be")
  expect_error(predictive_interval(kinds$gaussian, prob = 90), "^`prob` must be")
})

test_that("augment() returns new rows with their predictions and features", {
  kinds <- kinds_of_fits()
  new <- model_data(kinds$gaussian)[1:2, ]
  for (fit in kinds[c("gaussian", "meibp", "logistic")]) {
    rows <- if (inherits(fit, "fit_logistic")) (new > 0.5) * 1 else new
    told <- augment(fit, newdata = rows)
    expect_identical(told$.rownames, rownames(new))
    fitted <- as.matrix(told[paste0(".fitted_", 1:36)])
    expect_equal(fitted, predict(fit, rows), ignore_attr = TRUE)
    features <- as.matrix(told[paste0(".", colnames(features(fit)))])
    expect_equal(features, predict(fit, rows, type = "features"), ignore_attr = TRUE)
    expect_equal(as.matrix(told[2:37]), rows, ignore_attr = TRUE)
  }
  flowers <- augment(kinds$mixed, newdata = cbind(iris[c(1, 60), ], note = c("a", "b")))
  expect_identical(flowers$note, c("a", "b"))
  expect_identical(flowers$.fitted_Species, predict(kinds$mixed, iris[c(1, 60), ])$Species)
  weights <- augment(kinds$nmf, newdata = new)
  expect_equal(weights$.c1, unname(predict(kinds$nmf, new, type = "weights")[, 1]))
  expect_identical(ncol(augment(kinds$cascade, newdata = unname(new))), 72L)
  pairs <- data.frame(item1 = "LBJ", item2 = c("HW", "BB"))
  expect_equal(augment(kinds$choice, newdata = pairs)$.fitted, predict(kinds$choice, pairs))
  documents <- augment(kinds$topics, newdata = model_data(kinds$topics)[3:4, ])
  expect_identical(sum(documents$count), as.integer(sum(model_data(kinds$topics)[3:4, ])))
})

test_that("new rows of binary data may be character if the data were factors", {
  y <- withr::with_seed(1, data.frame(
    a = factor(sample(c("no", "yes"), 20, TRUE)), b = stats::rbinom(20, 1, 0.5)
  ))
  fit <- fit_logistic(y, method = method_gibbs(chains = 1, iter = 20), seed = 1, verbose = FALSE)
  new <- data.frame(a = c("yes", NA), b = c(0, NA))
  asked <- transform(new, a = factor(a, c("no", "yes")))
  expect_identical(predict(fit, new), predict(fit, asked))
  expect_identical(predict(fit, new[1, ]), predict(fit, asked[1, ]))
  new$a[1] <- "maybe"
  expect_error(predict(fit, new), "^`newdata` must have the levels of the data in the column \"a\"")
  new <- data.frame(a = "yes", b = "1")
  expect_error(predict(fit, new), "two levels only, not the character column \"b\"")
  expect_error(fit_logistic(data.frame(a = c("no", "yes"))), "^`y` must have columns of numbers")
})

test_that("all models treat duplicate names and missing entries in new rows the same way", {
  kinds <- kinds_of_fits()
  for (name in c("gaussian", "logistic", "meibp", "nmf", "cascade")) {
    fit <- kinds[[name]]
    rows <- (model_data(fit)[c(1, 1), ] > 0.5) * 1
    for (verb in list(predict, posterior_predict, function(f, x) augment(f, newdata = x))) {
      expect_error(verb(fit, rows), "^`newdata` must have unique row names or none, not \"image1\"")
    }
    rownames(rows) <- NULL
    rows[2, ] <- NA
    expect_true(all(is.finite(posterior_predict(fit, rows, ndraws = 3))))
    expect_true(all(is.finite(predict(fit, rows))))
  }
  empty <- iris[1:2, ]
  empty[] <- NA
  expect_true(all(is.finite(posterior_predict(kinds$mixed, empty, ndraws = 3))))
  expect_error(posterior_predict(kinds$topics, data.frame(a = NA)), "^`newdata`")
  pairs <- data.frame(item1 = NA, item2 = "BB")
  expect_error(posterior_predict(kinds$choice, pairs), "^`newdata` must have items of the data")
})
