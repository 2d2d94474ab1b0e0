# Chains whose rows are on the workers of a cluster are those of one process.

if (.Platform$OS.type != "windows") cl <- start_workers(3)
shared <- function(chains = 2, iter = 60, ...) {
  method_gibbs(chains, iter, sampler = "parallel", ...)
}
quick_chains <- function(x, ..., method = shared()) {
  suppressWarnings(fit_gaussian(x, ..., method = method, seed = 4, verbose = FALSE))
}

#' The fit in this process, which those on so many workers are
expect_same_chains <- function(x, ..., workers = 2:3) {
  skip_on_os("windows")
  alone <- quick_chains(x, ...)
  for (count in workers) {
    fit <- quick_chains(x, ..., cl = cl[seq_len(count)])
    expect_identical(fit, alone, label = paste("the fit on", count, "workers"))
  }
  expect_gt(ncol(features(alone)), 0)
  invisible(alone)
}

test_that("chains on one, two or three workers are those without any, names included", {
  fit <- expect_same_chains(team_data(9000), workers = 1:3)
  expect_identical(dimnames(fitted(fit)), dimnames(team_data(9000)))
  expect_same_chains(team_data(9000), "nonnegative")
})

test_that("missing entries, sparse data, centred data and finite priors are shared as they are", {
  x <- team_data(9000)
  expect_same_chains(with_holes(x, 500), workers = 3)
  expect_same_chains(as.data.frame(x), center = TRUE, workers = 2)
  expect_same_chains(x, prior = prior_beta_bernoulli(2, n_features = 5), workers = 2)
  x[x < 0.5] <- 0
  expect_same_chains(Matrix::Matrix(x, sparse = TRUE), "nonnegative", workers = 3)
})

test_that("blocks of rows are shared, and their chains are those of the whole data", {
  skip_on_os("windows")
  x <- team_data(300)
  blocks <- team_blocks(x, c(100, 3, 14, 1, 182))
  for (loadings in c("normal", "nonnegative")) {
    fit <- expect_same_chains(blocks, loadings)
    expect_identical(dim(predict(fit, newdata = x[1:3, ])), c(3L, 4L))
    expect_lt(mean((fitted(fit) - x)^2), 0.3)
  }
  one <- quick_chains(team_blocks(x, 300))
  expect_equal(as_draws_df(one)$n_features, as_draws_df(quick_chains(x))$n_features)
})

test_that("with a cluster chains share rows by themselves, and go on with any cluster or none", {
  skip_on_os("windows")
  x <- team_blocks(team_data(300), c(100, 100, 100))
  fit <- quick_chains(x)
  expect_identical(quick_chains(x, method = method_gibbs(2, 60), cl = cl[1:2]), fit)
  quiet <- function(...) suppressWarnings(update(fit, 100, verbose = FALSE, ...))
  expect_identical(quiet(cl = cl[1:2]), quiet())
  # Those that do not agree are extended.
  method <- shared(max_iter = 240)
  expect_identical(quick_chains(x, method = method, cl = cl), quick_chains(x, method = method))
})

test_that("update() refuses a cluster that was stopped, as fits do", {
  skip_on_os("windows")
  fit <- quick_chains(team_data(300))
  stopped <- start_workers(2)
  parallel::stopCluster(stopped)
  expect_no_message(expect_error(
    update(fit, 100, cl = stopped, verbose = FALSE),
    "^no worker of `cl` answers: was the cluster stop"
  ))
})

test_that("a run of chains on workers is taken up from its file, with other workers", {
  skip_on_os("windows")
  withr::local_options(buffet.checkpoint_seconds = 0.05)
  x <- team_data(9000)
  whole <- quick_chains(x)
  file <- withr::local_tempfile(fileext = ".rds")
  asked <- 0
  partly <- local({
    local_function("is_interrupted", function() {
      asked <<- asked + 1
      asked > 90
    })
    tryCatch(quick_chains(x, file = file, cl = cl), error = identity)
  })
  expect_true(inherits(partly, "error") || length(feature_draws(partly)) < 60)
  expect_gt(sweeps_done(readRDS(file)$chains[[1]]), 0)
  expect_identical(quick_chains(x, file = file, cl = cl[1:2]), whole)
})

test_that("what cannot share rows is refused at once", {
  skip_on_os("windows")
  x <- team_data(50)
  expect_error(quick_chains(x, method = method_gibbs(1, 9, sampler = "slice"), cl = cl), "`cl`")
  tree <- prior_pibp(ape::rcoal(50, tip.label = rownames(x)))
  anyhow <- method_gibbs(1, 9)
  expect_error(quick_chains(x, prior = tree, method = anyhow, cl = cl), "^`cl` must be NULL with")
  expect_error(quick_chains(x, noise = "column", method = anyhow, cl = cl), "^`cl` must be NULL")
  blocks <- team_blocks(x, c(30, 20))
  collapsed <- method_gibbs(1, 9, sampler = "collapsed")
  expect_error(
    quick_chains(blocks, method = collapsed),
    "^`method` .*, not one with the sampler \"collapsed\"\\.$"
  )
})

test_that("what is drawn of chains with shared rows has the loadings that they have drawn", {
  fit <- quick_chains(team_data(60))
  expect_identical(log_lik(fit), log_lik(fit))
  expect_equal(rowSums(log_lik(fit)), as_draws_df(fit)$log_lik)
})
