test_that("a tree prior prints as its formula", {
  expect_identical(
    format(prior_pibp(celebrity_tree)),
    c("Z ~ pIBP(tree of 9 tips, 6 long, alpha)", "alpha ~ Gamma(shape = 1, rate = 1)")
  )
  expect_identical(
    format(prior_pibp(star_tree(3), 2)), "Z ~ pIBP(tree of 3 tips, 3 long, alpha = 2)"
  )
  expect_output(
    print(prior_pibp(star_tree(3), gamma_prior(2, 3))),
    "^Z ~ pIBP\\(tree of 3 tips, 3 long, alpha\\)\nalpha ~ Gamma\\(shape = 2, rate = 3\\)$"
  )
  expect_identical(format(prior_fixed(diag(4))), "Z known: 4 features")
  expect_identical(format(prior_fixed(cbind(0, diag(4)))), "Z known: 4 features")
  expect_output(print(prior_fixed(matrix(1, 3, 1))), "^Z known: 1 feature$")
})

test_that("simulate() of a tree prior draws matrices with the tips as rows, and their alphas", {
  tree <- star_tree(3)
  z <- simulate(prior_pibp(tree, 1.3), nsim = 4000, seed = 1)
  expect_identical(lapply(z[1:2], attr, "alpha"), list(1.3, 1.3))
  expect_identical(rownames(z[[1]]), tree$tip.label)
  expect_poisson(vapply(z, ncol, 1L), 1.3 * (1 + 1 / 2 + 1 / 3))
  learned <- simulate(prior_pibp(caterpillar(5), gamma_prior(2, 3)), nsim = 4000, seed = 2)
  alpha <- vapply(learned, attr, 1, "alpha")
  expect_gt(ks.test(alpha, "pgamma", 2, 3)$p.value, 1e-4)
  for (i in c(1, 5)) {
    expect_law(vapply(learned, \(z) sum(z[i, ]), 1), \(k) dnbinom(k, 2, 3 / (3 + 1)))
  }
  rate <- digamma(tree_length(caterpillar(5)) + 1) - digamma(1)
  expect_law(vapply(learned, ncol, 1L), \(k) dnbinom(k, 2, 3 / (3 + rate)))
  expect_identical(
    simulate(prior_pibp(tree), 2, seed = 1, rows = 3), simulate(prior_pibp(tree), 2, seed = 1)
  )
})

test_that("priors for given rows reject a different number of rows", {
  for (prior in list(prior_pibp(star_tree(3)), prior_fixed(diag(3)))) {
    expect_refusals(\(x) simulate(prior, rows = x), "rows", c(not_counts[-1], 2, 4))
  }
  z <- rbind(a = 1:0, b = 1:1)
  expect_identical(simulate(prior_fixed(z), 2, seed = 1)[[2]], z)
})

test_that("the prior distribution of the number of features agrees with simulate()", {
  tree <- caterpillar(5)
  n <- 0:60
  for (alpha in list(1.3, gamma_prior(2, 3))) {
    prior <- prior_pibp(tree, alpha)
    p <- prior_n_features(prior, 5, n)
    expect_equal(sum(p), 1)
    z <- simulate(prior, nsim = 4000, seed = 3)
    expect_law(vapply(z, ncol, 1L), \(k) p[k + 1])
  }
  expect_identical(prior_n_features(prior_fixed(diag(3)), 3, 2:4), c(0, 1, 0))
})

test_that("rows of a fit must be the tips, with no tip at distance 0 from another", {
  wins <- celebrities
  with_tree <- function(tree, wins = celebrities) {
    prior <- prior_pibp(tree)
    fit_choice(wins, prior = prior, seed = 1, method = method_gibbs(1, 4), verbose = FALSE)
  }
  renamed <- celebrity_tree
  renamed$tip.label[1] <- "lbj"
  fewer <- star_tree(8, rownames(wins)[1:8])
  more <- star_tree(10, c(rownames(wins), "NN"))
  expect_refusals(with_tree, "tree", list(renamed, fewer, more))
  expect_error(with_tree(fewer), "; it has no tip for the row \"SL\": leave it out")
  expect_error(with_tree(more), "tip \"NN\" matches no row: `ape::keep.tip\\(tree, rownames")
  expect_error(
    with_tree(celebrity_tree, unname(wins)),
    "^`tree` must .*; the rows have no names: `rownames\\(x\\) <- tree\\$tip.label`"
  )
  twins <- star_tree(9, rownames(wins))
  twins$edge <- rbind(twins$edge, c(10, 11))
  twins$edge[c(3, 7), 1] <- 11
  twins$edge.length <- c(1, 1, 0, 1, 1, 1, 0, 1, 1, 1)
  twins$Nnode <- 2L
  expect_error(
    with_tree(twins),
    paste0(
      "^`tree` must have no two tips at distance 0 from each other, not \"CDG\" and \"BB\": .*",
      "`ape::drop.tip\\(tree, \"BB\"\\)`"
    )
  )
})

test_that("the tips are the columns if these have the features, and errors say so", {
  x <- withr::with_seed(1, matrix(rnorm(24), 6, dimnames = list(letters[1:6], paste0("c", 1:4))))
  with_tree <- function(x, tips, sparse = "loadings") {
    prior <- prior_pibp(star_tree(length(tips), tips))
    fit_factor(x, sparse = sparse, prior = prior, method = method_gibbs(1, 4), verbose = FALSE)
  }
  columns <- "^`tree` must have the column names of the data as its tips; "
  expect_error(
    with_tree(x, letters[1:6]), paste0(columns, "it has no tip for the column \"c1\": `intersect")
  )
  expect_error(
    with_tree(x, paste0("c", 1:5)),
    paste0(columns, "its tip \"c5\" matches no column: `ape::keep.tip\\(tree, colnames")
  )
  expect_error(with_tree(unname(x), letters[1:4]), paste0(columns, "the columns have no names: "))
  expect_error(
    with_tree(x, paste0("c", 1:4), "factors"),
    "^`tree` must have the row names of the data as its tips; it has no tip for the row \"a\": "
  )
  expect_s3_class(with_tree(x, paste0("c", 1:4)), "fit_factor")
})
