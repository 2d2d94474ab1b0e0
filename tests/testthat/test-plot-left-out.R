# Plots omit features that do not distinguish between rows, and draw features with the same rows
# once.

#' A fit whose point estimate has these features and loadings
with_features <- function(fit, ..., loadings) {
  z <- cbind(...)
  storage.mode(z) <- "integer"
  names <- paste0("f", seq_len(ncol(z)))
  fit$features <- structure(z, dimnames = list(rownames(fit$features), names))
  fit$loadings <- structure(loadings, dimnames = list(colnames(fit$features), c("p", "q", "r")))
  fit
}

a <- c(1, 1, 1, 1, 1, 0, 0, 0)
b <- c(0, 0, 1, 1, 0, 1, 0, 1)
x_labels <- function(plot) axis_labels(plot, "x")
caption <- function(plot) gsub("\n", " ", plot$labels$caption)

test_that("features with the same rows are drawn once, with their loadings summed", {
  loadings <- matrix(c(8, 4, 2, 1, 0, 3, -5, 7, 1, 1, 1, 1), 4)
  fit <- with_features(small_fit(), rep(1, 8), a, a, b, loadings = loadings)
  p <- plot(fit, "features")
  expect_identical(x_labels(p), c("f2", "f4"))
  told <- "Left out: 1 feature with the same rows as another%s, 1 that all rows have; "
  told <- paste0(told, "`which` shows them.")
  expect_identical(caption(p), sprintf(told, ""))
  p <- plot(fit, "loadings")
  expect_identical(x_labels(p), c("f2", "f4"))
  expect_equal(p$data$value, c(loadings[2, ] + loadings[3, ], loadings[4, ]))
  expect_identical(caption(p), sprintf(told, " (their loadings are summed)"))
  lines <- plot(fit, "loadings", geom = "line")
  expect_setequal(lines$data$value, p$data$value)
  expect_identical(panels_shown(plot(fit, "loadings", dim = c(1, 3))), c("f2", "f4"))
})

test_that("`which` can show features that are otherwise left out, with their own loadings", {
  loadings <- matrix(1:12, 4)
  fit <- with_features(small_fit(), rep(1, 8), a, a, b, loadings = loadings)
  for (type in c("features", "loadings")) {
    p <- plot(fit, type, which = 1:4)
    expect_identical(x_labels(p), paste0("f", 1:4))
    expect_null(p$labels$caption)
    expect_identical(x_labels(plot(fit, type, which = "f3")), "f3")
  }
  expect_equal(plot(fit, "loadings", which = c("f3", "f1"))$data$value, c(t(loadings[c(3, 1), ])))
})

test_that("all features are drawn if none of them distinguishes between rows", {
  fit <- with_features(small_fit(), rep(1, 8), rep(1, 8), loadings = matrix(1:6, 2))
  for (type in c("features", "loadings")) {
    expect_identical(x_labels(plot(fit, type)), c("f1", "f2"))
    expect_null(plot(fit, type)$labels$caption)
  }
  p <- plot(with_features(small_fit(), a, b, loadings = matrix(1:6, 2)))
  expect_identical(x_labels(p), c("f1", "f2"))
  expect_null(p$labels$caption)
})

test_that("with biases, complements are drawn once, and their loadings are subtracted", {
  z <- cbind(a, 1 - a, b, 1)
  y <- withr::with_seed(1, matrix(stats::rbinom(8 * 5, 1, 0.5), 8))
  of <- function(bias) {
    quick_logistic(y,
      prior = prior_fixed(unname(z)), bias = bias, method = method_gibbs(chains = 1, iter = 20)
    )
  }
  fit <- of(TRUE)
  p <- plot(fit, "loadings")
  w <- loadings_of(fit)
  expect_identical(x_labels(p), c("f1", "f3"))
  expect_equal(p$data$value, c(w[1, ] - w[2, ], w[3, ]))
  expect_identical(x_labels(plot(fit, "features")), c("f1", "f3"))
  expect_identical(x_labels(plot(of(FALSE), "loadings")), c("f1", "f2", "f3"))
})

test_that("plots of fit_mixed() leave out features with the same rows", {
  z <- cbind(rep(0:1, 30), rep(1:0, 30), rep(c(0, 0, 1), 20), rep(c(0, 0, 1), 20), 1)
  fit <- quick_mixed(mixed_frame(), prior = prior_fixed(z), method = method_gibbs(1, 20))
  for (type in c("patterns", "loadings")) {
    p <- plot(fit, type)
    expect_identical(setdiff(x_labels(p), "rows"), c("f1", "f3"))
    expect_match(p$labels$caption, "^Left out: 2 features with the same rows as others.*, 1 that")
  }
  expect_equal(sum(plot(fit, "patterns")$layers[[3]]$data$count), 60)
  p <- plot(fit)
  expect_identical(unique(sub(":.*", "", levels(p$data$label))), c("f1", "f3"))
  expect_match(p$labels$caption, "\nLeft out: 2 features with the same rows as others \\(their")
  expect_match(levels(plot(fit, which = "f5")$data$label)[1], "^f5")
})

test_that("the effect above a panel is the joint effect of all features with the same rows", {
  a <- rep(0:1, 30)
  b <- rep(c(0, 0, 1), 20)
  data <- withr::with_seed(1, data.frame(
    x = 3 * a + stats::rnorm(60), y = 2 * b + stats::rnorm(60),
    g = factor(c("no", "yes")[1 + stats::rbinom(60, 1, 0.1 + 0.8 * a)])
  ))
  of <- function(z) {
    quick_mixed(data, prior = prior_fixed(z), method = method_gibbs(chains = 2, iter = 2000))
  }
  told <- function(fit) {
    labels <- levels(plot(fit)$data$label)
    text <- sub(".*\n", "", labels)
    names(text) <- sub("\n.*", "", labels)
    vapply(text, \(t) as.numeric(sub(".* ", "", t)), 0)
  }
  fit <- of(cbind(a, 1 - a, b, b, 1, deparse.level = 0))
  all <- tidy(fit)
  effect <- function(feature, column) {
    all$estimate[all$feature == feature & all$column == column]
  }
  shown <- told(fit)
  expect_equal(shown[["f1: x"]], effect("f1", "x") - effect("f2", "x"), tolerance = 0.03)
  expect_equal(shown[["f3: y"]], effect("f3", "y") + effect("f4", "y"), tolerance = 0.03)
  # A single feature has this effect, except for the influence of the prior of its weights.
  alone <- told(of(cbind(a, b, deparse.level = 0)))
  expect_equal(shown[["f1: g"]], alone[["f1: g"]], tolerance = 0.1)
})

test_that("items that share several features with the same weight are drawn once", {
  z <- cbind(diag(4), rep(1:0, each = 2), rep(1:0, each = 2), 1)
  fit <- quick_choice(celebrities[1:4, 1:4],
    prior = prior_fixed(z), method = method_gibbs(chains = 1, iter = 20)
  )
  p <- plot(fit, "features")
  expect_setequal(x_labels(p), paste0("f", 1:5))
  expect_match(p$labels$caption, "^Left out: 1 feature with the same items as another, 1 that all")
})

test_that("features of no rows are left out", {
  none <- rep(0, 8)
  fit <- with_features(small_fit(), a, none, b, none, loadings = matrix(1:12, 4))
  expect_identical(x_labels(plot(fit)), c("f1", "f3"))
  expect_identical(caption(plot(fit)), "Left out: 2 features that no row has; `which` shows them.")
})

test_that("topics and factors with the same rows are distinct, so all of them are drawn", {
  fit <- quick_factor(scale(datasets::swiss))
  z <- fit$features
  fit$features[, 2] <- fit$features[, 1]
  expect_length(x_labels(plot(fit, "features")), ncol(z))
})
