effects_of <- function(...) tidy(mixed_fit(), ...)
all_effects <- function() once("mixed effects", effects_of())

#' A draw of biases, weights and parameters of families
known_draw <- function(fit, n) {
  kept <- buffet:::mixed_weights(fit)[, , n]
  k <- ncol(features(fit))
  list(bias = kept[, 1], w = kept[, 1 + seq_len(k), drop = FALSE], own = kept[, k + 2])
}

#' Probabilities of the categories of columns of mixed_frame(), averaged over rows
mean_probabilities <- function(z, given) {
  eta <- rep(given$bias, each = nrow(z)) + z %*% t(given$w)
  cuts <- c(-Inf, given$own[4:5], Inf)
  town <- vapply(6:8, function(chosen) {
    mean(vapply(seq_len(nrow(z)), function(i) {
      stats::integrate(function(u) {
        dnorm(u - eta[i, chosen]) * vapply(u, function(t) {
          prod(pnorm(t - eta[i, setdiff(6:8, chosen)]))
        }, 0)
      }, -15, 15, rel.tol = 1e-7)$value
    }, 0))
  }, 0)
  c(
    mean(plogis(eta[, 4])),
    vapply(1:3, function(c) mean(pnorm(cuts[c + 1] - eta[, 5]) - pnorm(cuts[c] - eta[, 5])), 0),
    town
  )
}

test_that("effects on probabilities are average marginal effects, as recomputed in R", {
  fit <- mixed_fit()
  z <- features(fit)
  weights <- buffet:::mixed_weights(fit)
  means <- buffet:::effect_means(fit, weights, seq_len(ncol(z)))
  used <- unique(round(seq(1, dim(weights)[3], length.out = dim(means)[4])))
  for (n in sized(3, c(3, 40))) {
    given <- known_draw(fit, used[n])
    for (k in seq_len(min(sized(1, 2), ncol(z)))) {
      for (has in 0:1) {
        exact <- mean_probabilities(replace(z, cbind(seq_len(60), k), has), given)
        # The first three columns are size, price and visits.
        expect_equal(means[4:10, has + 1, k, n], exact, tolerance = 1e-6)
      }
    }
  }
  change <- apply(means[, 2, , ] - means[, 1, , ], 1:2, mean)
  effects <- all_effects()
  for (name in c("member", "grade", "town")) {
    at <- list(member = 4, grade = 5:7, town = 8:10)[[name]]
    found <- effects[effects$column == name, ]
    expect_equal(found$estimate, as.vector(change[at, ]))
    expect_identical(unique(found$scale), "difference in probability")
  }
  sums <- tapply(effects$estimate, effects[c("column", "feature")], sum)
  expect_equal(as.vector(sums[c("grade", "town"), ]), rep(0, 2 * ncol(z)), tolerance = 1e-8)
})

test_that("effects on numbers and counts are in their units, with quantiles of the draws", {
  fit <- mixed_fit()
  draws <- buffet:::mixed_weights(fit)[, 1 + seq_len(ncol(features(fit))), , drop = FALSE]
  columns <- fit$internal$model$data$columns
  effects <- effects_of(conf.level = 0.8)
  of <- function(name) effects[effects$column == name, ]
  expect_equal(of("size")$estimate, rowMeans(draws[1, , ]) * columns$size$scale)
  expect_equal(of("size")$std.error, apply(draws[1, , ], 1, sd) * columns$size$scale)
  expect_equal(of("price")$estimate, exp(rowMeans(draws[2, , ]) * columns$price$scale))
  expect_equal(of("visits")$estimate, exp(rowMeans(draws[3, , ])))
  expect_equal(
    of("visits")$conf.low, unname(exp(apply(draws[3, , ], 1, quantile, 0.1))), tolerance = 1e-6
  )
  expect_equal(
    of("visits")$conf.high, unname(exp(apply(draws[3, , ], 1, quantile, 0.9))), tolerance = 1e-6
  )
  kinds <- c(size = "difference", price = "ratio of medians", visits = "ratio of means")
  for (name in names(kinds)) expect_identical(unique(of(name)$scale), kinds[[name]])
})

test_that("the weights agree with loadings_of()", {
  fit <- mixed_fit()
  weights <- tidy(fit, scale = "weight")
  a <- loadings_of(fit)
  for (k in rownames(a)) {
    expect_equal(weights$estimate[weights$feature == k], unname(a[k, ]))
  }
  expect_identical(weights$column[1:8], c(names(mixed_frame()), "town", "town"))
  expect_identical(weights$level[1:8], c(NA, NA, NA, "TRUE", NA, "Rome", "Oslo", "Lima"))
  expect_identical(weights$term[c(1, 8)], c("f1: size", "f1: town: Lima"))
  expect_true(all(weights$conf.low < weights$estimate & weights$estimate < weights$conf.high))
})

test_that("effects of features that no chain has come without errors and intervals", {
  errors <- c("std.error", "conf.low", "conf.high")
  z <- cbind(rep(0:1, 30), rep(0:1, each = 30))
  y <- withr::with_seed(1, draw_binary(z, cbind(-2, c(5, 5, 5, 5, 0, 0), c(0, 0, 0, 5, 5, 5))))
  fits <- list(mixed_fit(), quick_logistic(y))
  tables <- list(function(fit) tidy(fit), function(fit) tidy(fit, "loadings"))
  for (n in 1:2) {
    fit <- fits[[n]]
    k <- ncol(features(fit))
    expect_gt(k, 1)
    fit$internal$shares <- rbind(c(0.09, 0.05), matrix(c(1, 0.02), k - 1, 2, byrow = TRUE))
    table <- tables[[n]](fit)
    lone <- table$feature == "f1"
    expect_true(all(is.na(table[lone, errors])) && !anyNA(table[!lone, errors]))
    expect_false(anyNA(table[[c("estimate", "value")[n]]]))
    fit$internal$shares[1, 1] <- 0.1
    expect_false(anyNA(tables[[n]](fit)[errors]))
  }
})

test_that("tidy() uses the column names of broom, and bad arguments raise a one-line error", {
  expect_named(all_effects(), c(
    "term", "feature", "column", "level", "estimate", "std.error", "conf.low", "conf.high", "scale"
  ))
  expect_false(anyDuplicated(all_effects()$term) > 0)
  expect_error(effects_of("nothing"), "^`matrix` must be one of \"effects\"")
  expect_error(effects_of(scale = "none"), "^`scale` must be one of")
  expect_error(effects_of(conf.level = 2), "^`conf.level` must be one number in")
})

test_that("a fit without features has no effects", {
  fit <- quick_mixed(mixed_frame(20), prior = prior_fixed(matrix(0, 20, 1)),
    method = method_gibbs(chains = 1, iter = 20)
  )
  expect_identical(nrow(tidy(fit)), 0L)
  expect_identical(names(tidy(fit)), names(all_effects()))
  expect_s3_class(plot(fit), "ggplot")
  expect_s3_class(plot(fit, "patterns"), "ggplot")
})

test_that("augment() returns the original data, and renames columns whose names clash", {
  data <- mixed_frame(20)
  data$.f1 <- rnorm(20)
  data$same <- 1
  data$size[3] <- NA
  fit <- suppressMessages(quick_mixed(data, method = method_gibbs(chains = 1, iter = 40)))
  augmented <- suppressMessages(augment(fit))
  expect_identical(as.data.frame(augmented)[names(mixed_frame())], data[names(mixed_frame())])
  expect_true("same" %in% names(augmented))
  expect_identical(ncol(augmented), 8L + ncol(features(fit)))
  expect_identical(augmented[[7]], data$.f1)
  expect_identical(augmented[[9]], unname(features(fit)[, 1]))
})

test_that("a column may be called NA, but every column must have a name", {
  data <- data.frame(a = rnorm(20), b = rnorm(20))
  names(data)[2] <- "NA"
  fit <- quick_mixed(data, method = method_gibbs(chains = 1, iter = 20))
  expect_named(predict(fit), c("a", "NA"))
  names(data)[2] <- NA
  must <- "^`data` must have unique, non-empty column names, not empty or NA: "
  expect_error(quick_mixed(data), must)
})
