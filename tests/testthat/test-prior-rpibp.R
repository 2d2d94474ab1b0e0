named <- function(z, tree) `rownames<-`(z, tree$tip.label)

test_that("rows and tips must have the same names", {
  tree <- star_tree(3)
  z <- diag(3)
  expect_refusals(\(x) dpibp(z, x, 1), "tree", list(tree))
  for (names in list(c("t1", "t2", "x"), c("t1", "t2", "T3"))) {
    expect_refusals(\(x) dpibp(`rownames<-`(z, names), x, 1), "tree", list(tree))
  }
  expect_error(
    dpibp(named(z, tree), star_tree(4), 1),
    paste0(
      "^`tree` must have the row names of `z` as its tips; its tip \"t4\" matches no row: ",
      "`ape::keep.tip\\(tree, rownames\\(z\\)"
    )
  )
})

test_that("dpibp() is the sum over the states of all nodes, integrated over pi", {
  set.seed(1)
  for (i in seq_len(sized(12, 30))) {
    tree <- random_tree(sample(3:5, 1))
    n <- length(tree$tip.label)
    z <- named(matrix(stats::rbinom(4 * n, 1, 0.5), n), tree)
    alpha <- stats::runif(1, 0.2, 4)
    z <- cbind(z, z[, 2])[sample(n), ]
    expect_equal(dpibp(z, tree, alpha, log = TRUE), naive_dpibp(z, tree, alpha), tolerance = 1e-9)
    expect_equal(dpibp(z, tree, alpha), exp(naive_dpibp(z, tree, alpha)), tolerance = 1e-8)
  }
})

test_that("the rates of all kinds of columns sum to the rate of the number of columns", {
  set.seed(2)
  for (i in 1:10) {
    tree <- random_tree(4)
    kinds <- all_kinds(tree$tip.label)
    of_one <- function(k) dpibp(kinds[, k, drop = FALSE], tree, 1) / dpibp(kinds[, 0], tree, 1)
    rates <- vapply(1:15, of_one, 0)
    expect_equal(sum(rates), digamma(tree_length(tree) + 1) - digamma(1), tolerance = 1e-9)
    # The rates of the columns that a row has add up to 1.
    expect_equal(as.vector(kinds %*% rates), rep(1, 4), tolerance = 1e-9)
  }
})

test_that("on a star tree, dpibp() is dibp()", {
  set.seed(3)
  for (n in c(1, 2, 5, 50, 1000)) {
    tree <- star_tree(n)
    for (i in 1:3) {
      z <- named(ribp(n, 3), tree)
      z <- cbind(z, z[, seq_len(min(2, ncol(z))), drop = FALSE], 0)
      expect_equal(dpibp(z, tree, 1.7, log = TRUE), dibp(z, 1.7, log = TRUE), tolerance = 1e-10)
    }
  }
})

test_that("neither empty columns nor the order of rows, tips, edges and columns matter", {
  set.seed(4)
  for (i in 1:10) {
    tree <- random_tree(5)
    z <- named(matrix(stats::rbinom(20, 1, 0.5), 5), tree)
    value <- dpibp(z, tree, 2)
    expect_equal(dpibp(cbind(0, z[, 4:1], 0), tree, 2), value, tolerance = 1e-12)
    expect_equal(dpibp(z[sample(5), ], tree, 2), value, tolerance = 1e-12)
    expect_identical(dpibp(as.data.frame(z), tree, 2), value)
    other <- tree
    mixed <- sample(nrow(tree$edge))
    other$edge <- tree$edge[mixed, ]
    other$edge.length <- tree$edge.length[mixed]
    expect_equal(dpibp(z, other, 2), value, tolerance = 1e-12)
    # The same tree with its tips renumbered.
    new <- sample(5)
    other$tip.label[new] <- tree$tip.label
    tips <- other$edge[, 2] <= 5
    other$edge[tips, 2] <- new[other$edge[tips, 2]]
    expect_equal(dpibp(z, other, 2), value, tolerance = 1e-12)
  }
})

test_that("distances are in units of the length of the tree", {
  set.seed(5)
  tree <- random_tree(4, root = TRUE)
  z <- named(matrix(stats::rbinom(12, 1, 0.5), 4), tree)
  longer <- tree
  longer$edge.length <- tree$edge.length * 7
  longer$root.edge <- tree$root.edge * 7
  expect_message(value <- dpibp(z, longer, 2), "^The tree is rescaled .* of 7 to 1\\.\n$")
  expect_equal(value, dpibp(z, tree, 2), tolerance = 1e-12)
  expect_message(rpibp(longer, 2), "rescaled")
})

test_that("tips at distance 0 from each other always have the same columns", {
  tree <- phylo_of(cbind(c(4, 4, 5, 5), c(1, 5, 2, 3)), c(1, 1, 0, 0), c("a", "b", "c"))
  expect_identical(dpibp(cbind(c(a = 0, b = 1, c = 0)), tree, 1), 0)
  expect_gt(dpibp(cbind(c(a = 0, b = 1, c = 1)), tree, 1), 0)
  set.seed(7)
  for (i in 1:50) {
    z <- rpibp(tree, 3)
    expect_true(all(z["b", ] == z["c", ]))
  }
})

#' Expects the numbers of each kind of column in these draws to be independent Poisson variables
expect_pibp <- function(drawn, tree, alpha) {
  n <- length(tree$tip.label)
  kinds <- all_kinds(tree$tip.label)
  expected <- alpha * apply(kinds, 2, function(column) naive_rate(tree, column))
  counts <- t(vapply(drawn, function(z) tabulate(to_histories(z), 2^n - 1), numeric(2^n - 1)))
  for (h in seq_along(expected)) expect_poisson(counts[, h], expected[h])
  uncorrelated <- stats::cor(counts)[upper.tri(diag(2^n - 1))]
  expect_lt(max(abs(uncorrelated)), 4.8 / sqrt(length(drawn)))
  expect_poisson(rowSums(counts), alpha * (digamma(tree_length(tree) + 1) - digamma(1)))
  for (i in seq_len(n)) {
    expect_poisson(as.vector(counts %*% kinds[i, ]), alpha)
  }
}

test_that("numbers of each kind of column in rpibp() are independent Poisson: three tips", {
  # (a:.4,(b:.1,c:.1):.3) under a root edge of length .6. The rows and the tips have different
  # orders.
  edge <- cbind(c(4, 4, 5, 5), c(3, 5, 1, 2))
  set.seed(8)
  tree <- phylo_of(edge, c(0.4, 0.3, 0.1, 0.1), c("b", "c", "a"), 0.6)
  expect_pibp(replicate(sized(4000, 20000), rpibp(tree, 1.3), simplify = FALSE), tree, 1.3)
})

test_that("numbers of each kind of column in rpibp() are independent Poisson: four tips", {
  tree <- caterpillar(4)
  drawn <- simulate(prior_pibp(tree, 0.8), nsim = sized(4000, 20000), seed = 9)
  expect_pibp(drawn, tree, 0.8)
  # New dishes of each row. The branches have lengths 1, 1, 2/3 and 1/3.
  first <- vapply(drawn, function(z) tabulate(apply(z == 1, 2, which.max), 4), numeric(4))
  ends <- c(0, 1, 2, 2 + 2 / 3, 3)
  for (i in 1:4) expect_poisson(first[i, ], 0.8 * diff(digamma(ends[i:(i + 1)] + 1)))
})

test_that("the rates of new dishes of each row agree with the length of its branch", {
  tree <- caterpillar(4)
  rates <- apply(all_kinds(tree$tip.label), 2, function(column) naive_rate(tree, column))
  kinds <- all_kinds(tree$tip.label)
  first <- apply(kinds == 1, 2, which.max)
  before <- c(0, 1, 2, 2 + 2 / 3)
  after <- c(1, 2, 2 + 2 / 3, 3)
  expect_equal(
    as.vector(tapply(rates, first, sum)), digamma(after + 1) - digamma(before + 1),
    tolerance = 1e-8
  )
  joins <- tree_joins(check_tree(tree))
  expect_equal(joins$branch, after - before)
  expect_equal(joins$before, before)
})

test_that("rpibp() returns an integer matrix with row names and dishes in order of appearance", {
  set.seed(10)
  for (i in seq_len(sized(25, 100))) {
    tree <- random_tree(sample(2:6, 1))
    z <- rpibp(tree, 2)
    expect_true(is.integer(z) && all(z %in% 0:1) && all(colSums(z) > 0))
    expect_identical(dimnames(z), list(tree$tip.label, NULL))
    expect_false(is.unsorted(apply(z == 1, 2, which.max)))
  }
  expect_identical(dim(rpibp(star_tree(2), 1e-12)), c(2L, 0L))
  deep <- caterpillar(300)
  expect_gt(within(60, dpibp(rpibp(deep, 3), deep, 3, log = TRUE)), -Inf)
})

test_that("on a star tree, rpibp() has the distribution of ribp()", {
  set.seed(11)
  tree <- star_tree(5)
  z <- lapply(seq_len(sized(1500, 4000)), \(i) rpibp(tree, 1.7))
  counts <- vapply(z, \(z) tabulate(colSums(z), 5), double(5))
  for (j in 1:5) expect_poisson(counts[j, ], 1.7 / j)
  first <- vapply(z, \(z) tabulate(apply(z == 1, 2, which.max), 5), double(5))
  for (i in 1:5) expect_poisson(first[i, ], 1.7 / i)
})
