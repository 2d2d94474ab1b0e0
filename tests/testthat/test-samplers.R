# All samplers have the same posterior, and sparse and dense data give the same numbers.

samplers <- c("collapsed", "uncollapsed", "slice")
x <- small_data()

law_draws <- function(x, sampler, ..., moves = NULL, seed = 1) {
  method <- method_gibbs(
    chains = 2, iter = sized(4000, 9000), warmup = 1000, sampler = sampler, moves = moves
  )
  s <- scalars_of(quick_fit(x, ..., method = method, seed = seed))
  cbind(s[, c("n_features", "n_ones", "alpha", "log_lik")], log(s[, c("sigma_x", "sigma_a")]))
}

test_that("both samplers have the same posterior of nonnegative loadings", {
  skip_if_quick()
  for (data in list(abs(x), with_holes(abs(x), 5))) {
    draws <- lapply(samplers[-1], function(sampler) {
      law_draws(data, sampler, loadings = "nonnegative")
    })
    expect_same_law(draws[[1]], draws[[2]])
  }
})

test_that("plain Gibbs samplers start from one feature or `init`, without search or restarts", {
  x <- sim_images(60, 0.2)
  run <- function(..., moves = 0, iter = 1000, warmup = 800) {
    method <- method_gibbs(chains = 4, iter = iter, warmup = warmup, moves = moves)
    quick_fit(x, ..., method = method)
  }
  sizes <- function(fit) unname(scalars_of(fit)[, "n_features"])
  found <- run(moves = NULL)
  expect_gt(mean(sizes(found) == 4), 0.9)
  expect_lte(max(sizes(run(iter = 1, warmup = 0))), 3)
  expect_true(all(sizes(run(init = found, iter = 1, warmup = 0)) %in% 4:5))
  long <- run()
  expect_false(any(vapply(long$internal$chains, `[[`, NA, "regrouped")))
  # Sweeps of a search are not recorded.
  expect_identical(
    c(nrow(long$internal$warmup_scalars), nrow(found$internal$warmup_scalars)), c(800L, 450L)
  )
  expect_match(format(long$method), ", no moves$")
})

test_that("every model with extra moves has a plain sampler, and the others accept moves = 0", {
  bare <- method_gibbs(chains = 1, iter = 20, moves = 0)
  x <- small_data()
  binary <- (x > 0) + 0
  moves <- method_gibbs(chains = 1, iter = 20)
  same <- function(fit, ...) {
    run <- function(method) fit(..., method = method, seed = 1, verbose = FALSE)$internal$scalars
    identical(run(bare), run(moves))
  }
  expect_false(same(fit_gaussian, x, noise = "column"))
  expect_false(same(fit_logistic, binary))
  expect_false(same(fit_factor, x))
  expect_false(same(fit_factor, x, weights = "laplace"))
  expect_false(same(fit_mixed, data.frame(x, b = binary[, 3] == 1)))
  expect_false(same(fit_choice, celebrities))
  expect_true(same(fit_nmf, abs(x), rank = 2))
  expect_true(same(fit_cascade, x))
})

test_that("the requested sampler is used, and the default is the first one of the model", {
  plan <- function(sampler = NULL) method_gibbs(chains = 1, iter = 20, sampler = sampler)
  expect_identical(quick_fit(x, method = plan()), quick_fit(x, method = plan("collapsed")))
  expect_identical(
    quick_fit(abs(x), loadings = "nonnegative", method = plan()),
    quick_fit(abs(x), loadings = "nonnegative", method = plan("uncollapsed"))
  )
  expect_identical(
    quick_fit(abs(x), loadings = "nonn", method = plan()),
    quick_fit(abs(x), loadings = "nonnegative", method = plan())
  )
  draws <- lapply(samplers, function(s) unname(scalars_of(quick_fit(x, method = plan(s)))))
  expect_length(unique(draws), 3)
  for (sampler in samplers) {
    expect_match(format(quick_fit(x, method = plan(sampler)))[3:4], sampler, all = FALSE)
  }
})

# Sparse and dense data.

#' Expects two fits with the same draws, one to sparse and one to dense data, to give the same
#' results
expect_same_answers <- function(sparse, dense, actual = NULL) {
  expect_identical(as.list(feature_draws(sparse)), as.list(feature_draws(dense)))
  expect_equal(scalars_of(sparse), scalars_of(dense), tolerance = 1e-8)
  asked <- list(fitted, residuals, loadings_of, features, logLik, coassignment, glance, augment)
  for (ask in asked) {
    expect_equal(ask(sparse), ask(dense), tolerance = 1e-8)
  }
  by_seed <- function(ask) function(fit) withr::with_seed(1, ask(fit))
  replicates <- function(fit) posterior_predict(fit, ndraws = 4)
  for (ask in list(log_lik, replicates, simulate)) {
    expect_equal(by_seed(ask)(sparse), by_seed(ask)(dense), tolerance = 1e-8, ignore_attr = "seed")
  }
  new <- fitted(dense)[1:2, , drop = FALSE]
  expect_equal(predict(sparse, new), predict(dense, new), tolerance = 1e-8)
  if (!is.null(actual)) {
    expect_equal(heldout_density(sparse, actual), heldout_density(dense, actual), tolerance = 1e-8)
  }
}

test_that("sparse data give the same results as dense data", {
  # The data are clear and there are few sweeps, so rounding changes no entry of Z.
  z <- withr::with_seed(1, draw_buffet(15, 2))
  for (columns in c(6, 40)) {
    truth <- withr::with_seed(2, draw_gaussian(z, columns, 0.3, 2))
    truth <- replace(matrix(truth, 15), abs(truth) < 1, 0)
    dimnames(truth) <- list(letters[1:15], NULL)
    for (data in list(truth, with_holes(truth, 20))) {
      sparse <- Matrix::Matrix(data, sparse = TRUE)
      for (case in list(
        c("normal", "collapsed"), c("normal", "uncollapsed"), c("normal", "slice"),
        c("nonnegative", "uncollapsed"), c("nonnegative", "slice")
      )) {
        ask <- function(x) {
          quick_fit(
            x, loadings = case[1], init = z,
            method = method_gibbs(chains = 2, iter = 6, warmup = 2, sampler = case[2])
          )
        }
        expect_same_answers(ask(sparse), ask(data), if (anyNA(data)) truth)
      }
    }
  }
})

test_that("large sparse data stay sparse", {
  x <- withr::with_seed(1, Matrix::rsparsematrix(3000, 4000, 2e-4))
  method <- method_gibbs(chains = 1, iter = 2, warmup = 1, sampler = "uncollapsed")
  fit <- quick_fit(x, sigma_x = 1, init = matrix(1, 3000, 1), method = method)
  # Dense data would take 96 MB.
  expect_lt(as.numeric(object.size(fit)), 5e6)
  # A dense matrix of 8e10 counts would not fit in memory.
  large <- Matrix::sparseMatrix(1:5, c(1, 3, 4, 2, 4e5), x = 1, dims = c(2e5, 4e5))
  expect_identical(check_dtm(large), large)
})
