# The argument `which` selects the features that plots show.

many_images <- function() {
  once("many images", {
    x <- withr::with_seed(1, matrix(stats::rexp(30 * 16), 30))
    quick_nmf(x, rank = 30, method = method_icm(tol = 0.1))
  })
}

test_that("plots of features, loadings and trees show the requested features", {
  fit <- small_fit()
  z <- features(fit)
  for (which in list(2, "f2")) {
    p <- plot(fit, "features", which = which)
    expect_identical(axis_labels(p, "x"), "f2")
    expect_equal(p$data$value, unname(z[, 2]))
    p <- plot(fit, "loadings", which = which)
    expect_identical(axis_labels(p, "x"), "f2")
    expect_equal(p$data$value, unname(loadings_of(fit)[2, ]))
    images <- plot(fit, "loadings", dim = c(1, 3), which = which)
    expect_identical(panels_shown(images), "f2")
  }
  expect_identical(axis_labels(plot(fit, "loadings", which = c("f2", "f1")), "x"), c("f2", "f1"))
  tree <- tree_choice()
  expect_identical(axis_labels(plot(tree, "tree", which = c(5, 2)), "x"), c("5", "2"))
  expect_identical(axis_labels(plot(tree, "features", which = "f3"), "x"), "f3")
})

test_that("24 images are shown unless others are requested, and the plot says so", {
  fit <- many_images()
  p <- plot(fit, dim = c(4, 4))
  expect_identical(panels_shown(p), paste0("c", 1:24))
  expect_identical(p$labels$subtitle, "24 of 30 components; `which` chooses others")
  all <- plot(fit, dim = c(4, 4), which = 1:30)
  expect_identical(panels_shown(all), paste0("c", 1:30))
  expect_null(all$labels$subtitle)
  expect_identical(panels_shown(plot(fit, dim = c(4, 4), which = c("c30", "c2"))), c("c30", "c2"))
  few <- plot(quick_nmf(nmf_data()), dim = c(2, 3))
  expect_null(few$labels$subtitle)
  rows <- plot(fit, "fit", dim = c(4, 4))
  expect_identical(rows$labels$subtitle, "4 of 30 rows; `rows` chooses others")
  expect_null(plot(fit, "fit", dim = c(4, 4), rows = 1:2)$labels$subtitle)
})

test_that("plots show the requested topics, or by default the topics with the most tokens", {
  fit <- topics_given()
  k <- ncol(features(fit))
  p <- plot(fit, "topics", which = c("t2", "t1"))
  expect_identical(levels(p$data$topic), c("t2", "t1"))
  expect_null(p$labels$subtitle)
  p <- plot(fit, "topics", n = 2)
  expect_identical(p$labels$subtitle, sprintf("2 of %d topics; `which` chooses others", k))
  named <- plot(fit, "presence", which = "t2")$layers[[2]]$data
  expect_identical(named$topic, "t2")
  expect_identical(axis_labels(plot(fit, "features", which = "t2"), "x"), "t2")
})

test_that("plots show the requested factors, and the other factors are counted together", {
  fit <- quick_factor(scale(datasets::swiss))
  z <- features(fit)
  last <- colnames(z)[ncol(z)]
  p <- plot(fit, "loadings", which = last)
  expect_match(axis_labels(p, "x"), paste0("^", last, "\n"))
  shares <- plot(fit, "variance", which = last)$data
  expect_identical(as.character(shares$part), c(last, "other factors", "noise"))
  expect_equal(shares$mean[3], plot(fit, "variance")$data$mean[ncol(z[, colSums(z) > 1]) + 2])
  one <- plot(fit, "factors", which = last)
  expect_equal(sort(one$data$score), sort(unname(weights_of(fit)[, last])))
  expect_match(plot(fit, "factors", which = c(2, 1))$labels$x, "^f2, ")
  expect_error(
    plot(fit, "factors", which = 1:3),
    "^`which` must be one or two features for \"factors\", not 3 of them\\.$"
  )
})

test_that("effects, combinations and weights of data frames are shown for requested features", {
  fit <- mixed_fit()
  z <- features(fit)
  expect_gt(ncol(z), 1)
  expect_identical(axis_labels(plot(fit, "loadings", which = "f2"), "x"), "f2")
  patterns <- plot(fit, "patterns", which = 2)
  counts <- sort(table(z[, 2]), decreasing = TRUE)
  expect_identical(patterns$layers[[3]]$data$count, as.integer(counts))
  expect_match(levels(droplevels(plot(fit, which = 2)$data$label)), "^f2: ")
})

test_that("`which` raises a one-line error if it names no feature or the plot has no features", {
  bad <- list(0, 99, 1.5, c("f1", "f1"), numeric(0), "f99", TRUE, factor("f1"), c(1, NA))
  fits <- list(
    loadings = small_fit(), features = tree_choice(), effects = mixed_fit(),
    topics = topics_given(), loadings = cascade_fit(), loadings = icm_fit()
  )
  for (i in seq_along(fits)) {
    expect_refusals(\(v) plot(fits[[i]], names(fits)[i], which = v), "which", bad)
    told <- "^`which` must be NULL unless `type` is [^\n]*, not 1\\.$"
    expect_error(plot(fits[[i]], "trace", which = 1), told)
  }
  told <- "^`which` must be names or numbers of features of the fit, not 99\\.$"
  expect_error(plot(small_fit(), which = 99), told)
})
