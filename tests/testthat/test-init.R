#' With one row and one column, a sweep draws the number of features from its exact conditional
#' distribution given the current hyperparameters, and updates the hyperparameters afterwards. The
#' distribution of this number over many chains therefore reveals their starting values.
first_counts <- function(x, init, chains = sized(700, 2000)) {
  method <- method_gibbs(chains = chains, iter = 1, warmup = 0)
  scalars_of(quick_fit(matrix(x), method = method, init = init))[, "n_features"]
}

#' The number of features is Poisson(alpha), and x ~ N(0, sigma_x^2 + j sigma_a^2) given j features
count_law <- function(x, alpha, sigma_x, sigma_a) {
  j <- 0:100
  log_p <- stats::dpois(j, alpha, log = TRUE) +
    stats::dnorm(x, 0, sqrt(sigma_x^2 + j * sigma_a^2), log = TRUE)
  function(k) exp(log_p - log_sum_exp(log_p))[k + 1]
}

test_that("chains start from the given hyperparameters", {
  init <- list(alpha = 3, sigma_x = 0.5, sigma_a = 2)
  expect_law(first_counts(4, init), count_law(4, 3, 0.5, 2))
})

test_that("hyperparameters that are not given start at the documented default", {
  expect_law(first_counts(4, list(alpha = 3)), count_law(4, 3, 4, 4))
  expect_law(first_counts(4, list(sigma_x = 0.5)), count_law(4, 1, 0.5, 4))
  with_features <- list(features = matrix(1), sigma_x = 0.5)
  expect_law(first_counts(4, with_features), count_law(4, 1, 0.5, 4))
})

test_that("a list of starting points has one element for every chain", {
  init <- rep(list(list(alpha = 0.5, sigma_a = 1), list(alpha = 3, sigma_a = 1)), sized(350, 1000))
  k <- first_counts(4, init)
  expect_law(k[c(TRUE, FALSE)], count_law(4, 0.5, 4, 1))
  expect_law(k[c(FALSE, TRUE)], count_law(4, 3, 4, 1))
})

z <- still_features()
start <- left_order(z)
from <- still_fit
ordered_draw <- function(fit, i = 1) unname(left_order(feature_draws(fit)[[i]]))

test_that("chains can start from a matrix, a data frame, a sparse matrix or a list of features", {
  forms <- list(
    z, z == 1, cbind(z, 0), as.data.frame(z), Matrix::Matrix(z, sparse = TRUE), list(features = z)
  )
  for (init in forms) expect_identical(ordered_draw(from(init)), start)
  expect_false(identical(ordered_draw(from(matrix(1, 60, 1))), start))
})

test_that("if the start is a fit, each chain starts from the last draw of one of its chains", {
  one <- cbind(rep(1, 60))
  first <- from(list(z, one), chains = 2)
  second <- from(first, chains = 3)
  expect_identical(ordered_draw(second, 1), start)
  expect_false(identical(ordered_draw(second, 2), start))
  expect_identical(ordered_draw(second, 3), start)
})

test_that("a list of starting points can include fits, whose last draws are used", {
  one <- cbind(rep(1, 60))
  first <- from(list(z, one), chains = 2)
  expect_identical(from(list(first, first), chains = 2), from(first, chains = 2))
  mixed <- from(list(one, first, first), chains = 3)
  expect_false(identical(ordered_draw(mixed, 1), start))
  expect_false(identical(ordered_draw(mixed, 2), start))
  expect_identical(ordered_draw(mixed, 3), start)
  expect_error(from(list(first), chains = 2), "^`init` must have one element per chain \\(2\\)")
  y <- matrix(rbinom(40, 1, 0.5), 10)
  logistic <- quick_logistic(y, method = method_gibbs(2, 10))
  again <- function(init) quick_logistic(y, init = init, method = method_gibbs(2, 10))
  expect_identical(again(list(logistic, logistic)), again(logistic))
})

test_that("chains continue from the last learned hyperparameters of an earlier fit", {
  method <- method_gibbs(chains = 1, iter = 3)
  first <- quick_fit(matrix(4), method = method, init = list(alpha = 3, sigma_x = 0.5))
  last <- utils::tail(scalars_of(first), 1)
  law <- count_law(4, last[, "alpha"], last[, "sigma_x"], last[, "sigma_a"])
  expect_law(first_counts(4, first), law)
  one_fixed <- quick_fit(matrix(4), sigma_a = 2, method = method, init = first)
  expect_true(all(scalars_of(one_fixed)[, "sigma_a"] == 2))
})

test_that("with a starting point there is no search at the beginning of the warm-up", {
  traces <- function(init) {
    fit <- still_fit(init, iter = 400, warmup = 200)
    data <- plot(fit, "trace")$data
    list(sweeps = data$sweep[data$variable == "n_features"], features = ordered_draw(fit))
  }
  expect_identical(traces(z), list(sweeps = 1:400, features = start))
  expect_gt(min(traces(NULL)$sweeps), 1)
})

test_that("iter, warmup and thin determine the number of saved draws", {
  plans <- list(
    c(iter = 100, warmup = 50, thin = 1), c(iter = 100, warmup = 0, thin = 1),
    c(iter = 100, warmup = 99, thin = 1), c(iter = 100, warmup = 50, thin = 3),
    c(iter = 101, warmup = 50, thin = 7), c(iter = 1, warmup = 0, thin = 1),
    c(iter = 10, warmup = 5, thin = 10)
  )
  for (plan in plans) {
    method <- method_gibbs(
      chains = 2, iter = plan[["iter"]], warmup = plan[["warmup"]], thin = plan[["thin"]]
    )
    fit <- quick_fit(small_data(), method = method)
    sweeps <- seq_len(plan[["iter"]])
    kept <- sum(sweeps > plan[["warmup"]] & sweeps %% plan[["thin"]] == 0)
    expect_identical(posterior::niterations(as_draws(fit)), kept)
    expect_identical(posterior::nchains(as_draws(fit)), 2L)
    expect_length(feature_draws(fit), 2 * kept)
  }
})

test_that("a thinned fit has every n-th draw of the full fit", {
  x <- small_data()
  whole <- quick_fit(x, method = method_gibbs(chains = 1, iter = 60, warmup = 30))
  thinned <- quick_fit(x, method = method_gibbs(chains = 1, iter = 60, warmup = 30, thin = 5))
  expect_identical(scalars_of(thinned)[, ], scalars_of(whole)[seq(5, 30, 5), ], ignore_attr = TRUE)
  expect_identical(feature_draws(thinned)[[2]], feature_draws(whole)[[10]])
})

test_that("starts that imply far more features than the data can have are rejected", {
  method <- method_gibbs(chains = 1, iter = 4)
  y <- matrix(c(0, 1, 1, 0), 2)
  many <- list(alpha = 101)
  refused <- "^`init\\$alpha` must be at most 100, not 101\\.$"
  expect_error(quick_fit(y, method = method, init = many), refused)
  expect_error(quick_logistic(y, method = method, init = many), refused)
  expect_error(fit_choice(celebrities, method = method, init = many), refused)
  expect_error(fit_factor(y, method = method, init = many), refused)
  expect_error(
    fit_choice(celebrities, init = list(alpha = 1e300)), "be between 1e-150 and 1e\\+150"
  )
  expect_error(
    quick_fit(10 * y, method = method, init = list(sigma_x = 0.1, sigma_a = 0.2)),
    "^`init` must have a `sigma_x` or a `sigma_a` of at least a tenth of .*, not 0\\.1 and 0\\.2"
  )
  # One large value alone is accepted.
  expect_s3_class(quick_fit(10 * y, method = method, init = list(sigma_a = 0.2)), "fit_gaussian")
})

test_that("samplers that store probabilities of features reject an unbounded number of features", {
  for (sampler in c("slice", "parallel")) {
    expect_error(
      quick_fit(
        z, prior = prior_beta_bernoulli(2147483647),
        method = method_gibbs(1, 4, sampler = sampler)
      ),
      sprintf("^`n_features` must be at most 100000 for sampler = \"%s\", not 2147483647", sampler)
    )
  }
})
