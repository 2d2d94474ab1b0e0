test_that("\"fit\" shows observed shares against predictions and their intervals", {
  fit <- holes_choice()
  set.seed(1)
  p <- plot(fit, "fit")
  frame <- augment(fit)
  expect_equal(p$data$predicted, frame$.fitted)
  expect_equal(p$data$observed, frame$wins / frame$n)
  set.seed(1)
  draws <- t(posterior_predict(fit)) / frame$n
  expect_equal(p$data$lower, unname(apply(draws, 1, stats::quantile, 0.05)))
  expect_equal(p$data$upper, unname(apply(draws, 1, stats::quantile, 0.95)))
  inside <- p$data$observed >= p$data$lower & p$data$observed <= p$data$upper
  expect_gt(mean(inside), 0.8)
})

test_that("\"weights\" shows the shares of summary(), the largest on top", {
  fit <- tree_choice()
  p <- plot(fit, "weights")
  table <- suppressWarnings(summary(fit, aspects = nrow(p$data)))$aspects
  expect_identical(as.character(p$data$items), table$items)
  expect_equal(p$data$share, table$share)
  expect_equal(p$data$q95, table$q95)
  expect_identical(levels(p$data$items), rev(table$items))
})

test_that("\"n_features\" has the prior of the tree", {
  data <- plot(tree_choice(), "n_features")$data
  rate <- digamma(7) - digamma(1)
  prior <- data[data$law == "prior", ]
  expect_equal(prior$probability, stats::dnbinom(prior$n, 1, 1 / (1 + rate)))
})

test_that("\"tree\" has tips beside their rows, and features on the branches above their items", {
  fit <- tree_choice()
  p <- plot(fit, "tree")
  z <- features(fit)
  tree <- check_tree(celebrity_tree)
  told <- which(colSums(z) < 9)
  # Every number stands on as many branches as there are tops of subtrees that have the feature.
  tops <- function(on) {
    inside <- vapply(split(on, rep(1:3, each = 3)), sum, 0)
    sum(ifelse(inside == 3, 1, inside))
  }
  expected <- vapply(told, \(k) tops(z[, k]), 0)
  labels <- unlist(lapply(p$layers, function(layer) {
    if (inherits(layer$geom, "GeomLabel")) strsplit(layer$data$label, "[ \n]")
  }))
  # Numbers that follow on each other stand as 4-6.
  labels <- unlist(lapply(strsplit(labels, "-"), \(ends) seq(ends[1], ends[length(ends)])))
  expect_equal(as.vector(table(factor(labels, told))), unname(expected))
  names <- axis_labels(p, "y")
  cells <- Filter(\(layer) inherits(layer$geom, "GeomTile"), p$layers)[[1]]$data
  held <- tapply(cells$value, cells$row, sum)
  expect_setequal(names, rownames(celebrities))
  expect_equal(as.vector(held), unname(rowSums(z[names, told])))
})
