# Trees as arguments of functions.

three <- phylo_of(cbind(c(4, 4, 5, 5), c(1, 5, 2, 3)), c(1, 0.6, 0.4, 0.4), c("a", "b", "c"))

with_parts <- function(...) {
  tree <- unclass(three)
  parts <- list(...)
  tree[names(parts)] <- parts
  structure(tree, class = "phylo")
}

test_that("everything except ultrametric trees with edge lengths raises a one-line error", {
  refused <- function(...) expect_refusals(prior_pibp, "tree", list(...))
  refused(
    NULL, NA, 1, "(a,b);", list(), sum, unclass(three), matrix(1, 2, 2), data.frame(a = 1),
    list(three), structure(list(three, three), class = "multiPhylo"), structure(1, class = "phylo"),
    structure(list(), class = "phylo")
  )
  refused(
    with_parts(edge.length = NULL), with_parts(edge.length = c(1, 0.6, 0.4)),
    with_parts(edge.length = c(1, 1.4, -0.4, -0.4)), with_parts(edge.length = c(1, NA, 0.4, 0.4)),
    with_parts(edge.length = c(1, NaN, 0.4, 0.4)), with_parts(edge.length = c(1, Inf, 0.4, 0.4)),
    with_parts(edge.length = letters[1:4]), with_parts(edge.length = numeric(4)),
    with_parts(edge.length = c(1, 0.6, 0.4, 0.5)), with_parts(edge.length = as.list(1:4)),
    with_parts(edge.length = c(1, 0.6, 0.4, 0.402))
  )
  refused(
    with_parts(root.edge = -1), with_parts(root.edge = NA), with_parts(root.edge = "a"),
    with_parts(root.edge = Inf), with_parts(root.edge = c(1, 2))
  )
  refused(
    with_parts(edge = NULL), with_parts(edge = 1:4), with_parts(edge = matrix(0, 0, 2)),
    with_parts(edge = cbind(c(4, 4, 5, 5), c(1, 5, 2, 2))),
    with_parts(edge = cbind(c(4, 5, 5, 6), c(5, 4, 2, 3))),
    with_parts(edge = cbind(c(4, 4, 6, 6), c(1, 5, 2, 3))),
    with_parts(edge = cbind(c(4, 4, 5, 5), c(1, 5, NA, 3))),
    with_parts(edge = cbind(c(4, 4, 2, 5), c(1, 5, 3, 2))),
    with_parts(edge = cbind(c(4, 4, 5, 5), c(1, 5, 6, 3)))
  )
  refused(
    with_parts(tip.label = c("a", "b", "b")), with_parts(tip.label = NULL),
    with_parts(tip.label = c("a", "b")), with_parts(tip.label = c("a", "b", NA)),
    with_parts(tip.label = letters[1:4]), with_parts(tip.label = character())
  )
})

test_that("errors say what is wrong with a tree", {
  refusal <- function(...) tryCatch(prior_pibp(with_parts(...)), error = conditionMessage)
  expect_identical(
    refusal(edge.length = c(1, 0.6, 0.4, 0.5)),
    paste(
      "`tree` must have the same length from the root to every tip (be ultrametric),",
      "not between 1 and 1.1: `ape::chronos(tree)` or `phytools::force.ultrametric(tree)` makes",
      "it ultrametric."
    )
  )
  expect_identical(
    refusal(edge.length = NULL),
    "`tree` must have edge lengths, not one without: `ape::compute.brlen(tree)` computes them."
  )
  # Lengths can be negative in trees from neighbour joining.
  expect_identical(
    refusal(edge.length = c(1, 0.6, -0.25, 0.4)),
    paste(
      "`tree` must have one finite length of at least 0 per edge, not -0.25:",
      "`tree$edge.length <- pmax(tree$edge.length, 0)`."
    )
  )
  expect_identical(
    refusal(tip.label = c("a", "b", "b")),
    "`tree` must have unique tip labels, not \"b\" more than once."
  )
})

test_that("errors contain code that makes a tree, and the code works", {
  skip_if_not_installed("ape")
  clusters <- stats::hclust(stats::dist(c(1, 2, 4)))
  newick <- "((a:1,b:1):1,c:2);"
  given <- list(
    clusters, stats::as.dendrogram(clusters), stats::dist(c(1, 2, 4)), newick,
    structure(list(three, three), class = "multiPhylo")
  )
  for (tree in given) {
    error <- expect_error(prior_pibp(tree), "^`tree` must be a tree of class phylo")
    cure <- sub(".*: `(.*)` is one[.]$", "\\1", conditionMessage(error))
    expect_s3_class(suppressMessages(prior_pibp(eval(str2lang(cure)))), "prior_pibp")
  }
  tree <- with_parts(edge.length = NULL)
  expect_s3_class(suppressMessages(prior_pibp(ape::compute.brlen(tree))), "prior_pibp")
  # The code in the error reduces a tree with more tips than rows to a tree of the rows.
  tree <- phylo_of(cbind(c(5, 5, 5, 5), 1:4), rep(1, 4), letters[1:4])
  x <- matrix(0:1, 3, 2, dimnames = list(c("c", "a", "b"), NULL))
  error <- expect_error(quick_logistic(x, prior = prior_pibp(tree)), "tip \"d\" matches no row: ")
  tree <- eval(str2lang(sub(".*`(ape.*)`.*", "\\1", conditionMessage(error))))
  fit <- quick_logistic(x, prior = prior_pibp(tree), method = method_gibbs(1, 4))
  expect_identical(rownames(features(fit)), rownames(x))
})

test_that("tips at nearly equal heights are moved to the same height, with a message", {
  # ((a, b), (c, d)), in which a and b are identical; the heights are 2, 2, 2.001 and 2.0005.
  tree <- phylo_of(
    cbind(c(5, 5, 6, 6, 7, 7), c(6, 7, 1, 2, 3, 4)), c(2, 1, 0, 0, 1.001, 1.0005), letters[1:4]
  )
  told <- capture_messages(out <- check_tree(tree))
  expect_identical(told[1], paste0(
    "The root-to-tip lengths of the tree are 2 to 2.001: edges are lengthened to make all 2.001.\n"
  ))
  heights <- node_heights(out$parents, out$lengths)
  expect_equal(heights[1:4], rep(1, 4), tolerance = 1e-15)
  # A hand calculation gives .001 more for the edge above a and b, .0005 more for the edge above d,
  # and no change for the other edges.
  by_hand <- c(2.001, 1, 0, 0, 1.001, 1.001) / 2.001
  expect_equal(out$phylo$edge.length, by_hand)
  expect_equal(out$lengths[tree$edge[, 2]], by_hand)
  z <- suppressMessages(withr::with_seed(1, rpibp(tree, 20)))
  expect_identical(z["a", ], z["b", ])
  tree$edge.length[5] <- 1.0031
  expect_error(check_tree(tree), "between 2 and 2.003: `ape::chronos")
  expect_silent(prior_pibp(with_parts(edge.length = c(1, 0.6, 0.4, 0.4000005))))
})

test_that("trees are rescaled to length 1, with a message if this changes them", {
  expect_silent(prior_pibp(three))
  expect_silent(prior_pibp(with_parts(edge.length = three$edge.length * (1 + 1e-9))))
  expect_message(
    prior <- prior_pibp(with_parts(edge.length = three$edge.length * 12.5)),
    "^The tree is rescaled from a root-to-tip length of 12.5 to 1\\.\n$"
  )
  expect_equal(prior, prior_pibp(three))
  whole <- with_parts(edge.length = c(5, 3, 2, 2), root.edge = 5)
  expect_message(prior <- prior_pibp(whole), "length of 10 to 1")
  expect_equal(total_length(prior$tree), 1.7)
  # Trees from files with rounding errors are accepted.
  expect_s3_class(prior_pibp(with_parts(edge.length = c(1, 0.6, 0.4, 0.4000005))), "prior_pibp")
})

test_that("trees made by ape are accepted", {
  skip_if_not_installed("ape")
  tree <- ape::read.tree(text = "((a:1,b:1):1,(c:0.5,d:0.5,e:0.5):1.5);")
  expect_message(prior <- prior_pibp(tree), "length of 2 to 1")
  expect_equal(total_length(prior$tree), 0.5 + 0.5 + 0.75 + 0.5 + 3 * 0.25)
  expect_message(prior_pibp(ape::reorder.phylo(tree, "postorder")), "length of 2 to 1")
  set.seed(1)
  tree <- ape::rcoal(30)
  z <- suppressMessages(rpibp(tree, 3))
  expect_identical(rownames(z), tree$tip.label)
  expect_refusals(prior_pibp, "tree", list(ape::rtree(5), ape::unroot(ape::rtree(4))))
  expect_s3_class(celebrity_tree, "phylo")
  expect_true(ape::is.ultrametric(celebrity_tree))
})

test_that("a feature originates at the tops of the maximal subtrees whose tips all have it", {
  # ((a, b), (c, d), e). Nodes are 6 (root), 7 = ab and 8 = cd.
  edge <- cbind(c(6, 6, 6, 7, 7, 8, 8), c(7, 8, 5, 1, 2, 3, 4))
  tree <- check_tree(phylo_of(edge, c(0.5, 0.5, 1, 0.5, 0.5, 0.5, 0.5), letters[1:5]))
  gains <- function(...) sort(gains_of(tree, c(...)))
  expect_identical(gains(1, 1, 0, 0, 0), 7L)
  expect_identical(gains(1, 1, 1, 1, 0), 7:8)
  # A root without an edge is not included.
  expect_identical(gains(1, 1, 1, 1, 1), c(5L, 7L, 8L))
  expect_identical(gains(1, 0, 1, 1, 1), c(1L, 5L, 8L))
  expect_identical(gains(0, 0, 0, 0, 0), integer())
  tree <- suppressMessages(
    check_tree(phylo_of(edge, c(0.5, 0.5, 1, 0.5, 0.5, 0.5, 0.5), letters[1:5], 1))
  )
  expect_identical(gains(1, 1, 1, 1, 1), 6L)
})

labels_of <- function(plot) {
  layers <- lapply(plot$layers, function(layer) layer$data)
  is_gain <- vapply(plot$layers, function(layer) inherits(layer$geom, "GeomLabel"), NA)
  layers[[which(is_gain)]]
}

#' The numbers in labels, in which runs of three or more numbers are abbreviated
numbers_in <- function(labels) {
  parts <- strsplit(unlist(strsplit(labels, "[ \n]")), "-")
  unlist(lapply(parts, function(ends) seq(as.integer(ends[1]), as.integer(ends[length(ends)]))))
}

test_that("\"tree\" uses the numbers in features() and leaves out features of all items", {
  fit <- fit_choice(
    celebrities, prior = prior_pibp(celebrity_tree), method = method_gibbs(1, 300), seed = 1,
    verbose = FALSE
  )
  z <- features(fit)
  gains <- labels_of(build_plot(plot(fit, "tree"))$plot)
  shown <- sort(unique(numbers_in(gains$label)))
  expect_identical(shown, which(colSums(z) < 9), ignore_attr = TRUE)
})

test_that("\"tree\" is available for priors on trees in every model", {
  x <- matrix(rnorm(36), 9, dimnames = list(rownames(celebrities), NULL))
  run <- function(prior) {
    fit_gaussian(x, prior = prior, method = method_gibbs(1, 50), seed = 1, verbose = FALSE)
  }
  fit <- run(prior_pibp(celebrity_tree))
  expect_gt(nchar(build_plot(plot(fit, "tree"))$plot$labels$title), 0)
  expect_error(plot(run(prior_ibp()), "tree"), "`type` must be one of")
})
