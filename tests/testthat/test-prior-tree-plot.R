labels_of <- function(plot) {
  layers <- lapply(plot$layers, function(layer) layer$data)
  is_gain <- vapply(plot$layers, function(layer) inherits(layer$geom, "GeomLabel"), NA)
  layers[[which(is_gain)]]
}

#' Numbers in labels, in which three or more that follow each other are joined
numbers_in <- function(labels) {
  parts <- strsplit(unlist(strsplit(labels, "[ \n]")), "-")
  unlist(lapply(parts, function(ends) seq(as.integer(ends[1]), as.integer(ends[length(ends)]))))
}

grouped <- function(root_edge = NULL) {
  tree <- celebrity_tree
  tree$root.edge <- root_edge
  suppressMessages(check_tree(tree))
}

test_that("a feature begins where all rows below have it, and not at a root without an edge", {
  tree <- grouped()
  on <- function(rows) as.integer(seq_len(9) %in% rows)
  expect_identical(gains_of(tree, on(4:6)), 12L)
  expect_identical(gains_of(tree, on(2)), 2L)
  expect_identical(sort(gains_of(tree, on(c(1, 7:9)))), c(1L, 13L))
  expect_identical(sort(gains_of(tree, on(1:9))), 11:13)
  expect_identical(gains_of(tree, on(integer())), integer())
  expect_identical(gains_of(grouped(root_edge = 0.5), on(1:9)), 10L)
})

test_that("\"tree\" numbers features as features() has them, and leaves out those of all items", {
  fit <- fit_choice(
    celebrities, prior = prior_pibp(celebrity_tree), method = method_gibbs(1, 300), seed = 1,
    verbose = FALSE
  )
  z <- features(fit)
  gains <- labels_of(build_plot(plot(fit, "tree"))$plot)
  shown <- sort(unique(numbers_in(gains$label)))
  expect_identical(shown, which(colSums(z) < 9), ignore_attr = TRUE)
})

test_that("\"tree\" is for priors on trees, whatever the likelihood", {
  x <- matrix(rnorm(36), 9, dimnames = list(rownames(celebrities), NULL))
  run <- function(prior) {
    fit_gaussian(x, prior = prior, method = method_gibbs(1, 50), seed = 1, verbose = FALSE)
  }
  fit <- run(prior_pibp(celebrity_tree))
  expect_gt(nchar(build_plot(plot(fit, "tree"))$plot$labels$title), 0)
  expect_error(plot(run(prior_ibp()), "tree"), "`type` must be one of")
})

test_that("the numbers of many features on a branch fold, and stay within the picture", {
  expect_identical(join_runs(c(1L, 2L, 4L, 5L, 6L, 9L)), c("1", "2", "4-6", "9"))
  tree <- grouped()
  nodes <- tree_layout(tree, tree$labels)
  # Every second of 40 features began on the branch to the last tip, the others on that to the
  # first.
  z <- matrix(0L, 9, 40, dimnames = list(tree$labels, NULL))
  z[cbind(rep(c(1, 9), 20), 1:40)] <- 1L
  labels <- gain_frame(tree, z, nodes, 1:40)
  expect_setequal(numbers_in(labels$label), 1:40)
  expect_lte(max(nchar(unlist(strsplit(labels$label, "\n")))), 16)
  half <- 0.015 * max(nchar(unlist(strsplit(labels$label, "\n"))))
  expect_gte(min(labels$x - half), 0)
  expect_lte(max(labels$x + half), 1)
})
