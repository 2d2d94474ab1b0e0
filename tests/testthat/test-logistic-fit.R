# Fits to binary data: seeds, forms, starts, order, truth recovered.

short <- method_gibbs(chains = 2, iter = 60)

#' Calls that differ in everything that a model has
logistic_calls <- list(
  ibp = list(prior = prior_ibp(concentration = gamma_prior(2, 2))),
  power = list(prior = prior_ibp(1, 0.7, 0.4), bias = FALSE, sigma_a = 1.5),
  finite = list(prior = prior_beta_bernoulli(3), bias = 2),
  tree = list(prior = prior_pibp(caterpillar(10, paste0("row", 10:1)))),
  fixed = list(prior = prior_fixed(cbind(rep(0:1, 5), 1))),
  neal = list(method = method_gibbs(chains = 2, iter = 60, sampler = "neal"))
)

call_logistic <- function(call, y = small_binary(), ...) {
  arguments <- utils::modifyList(list(y = y, method = short), call, keep.null = TRUE)
  do.call(quick_logistic, utils::modifyList(arguments, list(...), keep.null = TRUE))
}
with_plan <- function(call, ...) {
  sampler <- call$method$sampler
  method_gibbs(chains = 2, ..., sampler = sampler)
}

test_that("fits are the same on any number of cores, by the seed alone", {
  y <- with_holes(small_binary(), 6)
  for (call in logistic_calls) {
    fit <- call_logistic(call, y)
    expect_identical(call_logistic(call, y, method = with_plan(call, iter = 60, cores = 2)), fit)
    expect_false(identical(scalars_of(call_logistic(call, y, seed = 2)), scalars_of(fit)))
    chains <- unclass(as_draws_array(fit))[, , "log_lik"]
    expect_false(identical(chains[, 1], chains[, 2]))
  }
  set.seed(4)
  drawn <- fit_logistic(y, method = short, verbose = FALSE)
  set.seed(4)
  expect_identical(fit_logistic(y, method = short, verbose = FALSE), drawn)
  expect_false(identical(fit_logistic(y, method = short, verbose = FALSE), drawn))
})

test_that("a search at the beginning of the warm-up does not depend on cores either", {
  on <- function(cores) {
    quick_logistic(method = method_gibbs(chains = 2, iter = 400, warmup = 300, cores = cores))
  }
  expect_identical(on(1), on(2))
})

test_that("update() gives the fit of a longer run", {
  y <- with_holes(small_binary(), 6)
  for (call in logistic_calls) {
    for (thin in c(1, 3)) {
      fit_of <- function(iter) {
        call_logistic(call, y, method = with_plan(call, iter = iter, warmup = 40, thin = thin))
      }
      whole <- fit_of(150)
      fit <- fit_of(60)
      expect_identical(update(fit, iter = 150, verbose = FALSE), whole)
      between <- update(fit, iter = 100, cores = 2, verbose = FALSE)
      expect_identical(update(between, iter = 150, verbose = FALSE), whole)
    }
  }
})

test_that("sparse and dense data give the identical fit", {
  for (y in list(small_binary(), with_holes(small_binary(), 6))) {
    dense <- quick_logistic(y, method = short)
    sparse <- quick_logistic(Matrix::Matrix(y, sparse = TRUE), method = short)
    expect_s4_class(model_data(sparse), "dgCMatrix")
    expect_identical(scalars_of(sparse), scalars_of(dense))
    expect_identical(feature_draws(sparse), feature_draws(dense))
    expect_identical(sparse$internal$draws_loadings, dense$internal$draws_loadings)
    for (ask in list(fitted, residuals, log_lik, loadings_of, logLik, augment)) {
      expect_identical(ask(sparse), ask(dense))
    }
    if (anyNA(y)) {
      densities <- heldout_density(dense, small_binary())
      expect_identical(heldout_density(sparse, small_binary()), densities)
      full <- Matrix::Matrix(small_binary(), sparse = TRUE)
      expect_identical(heldout_density(sparse, full), densities)
    }
    expect_identical(predict(sparse, y[1:2, ]), predict(dense, y[1:2, ]))
    expect_identical(predict(sparse, Matrix::Matrix(y, sparse = TRUE)), predict(dense, y))
  }
  stored <- Matrix::Matrix(small_binary(), sparse = TRUE)
  stored@x[1] <- 0
  zero <- small_binary()
  zero[which(zero == 1)[1]] <- 0
  expect_identical(scalars_of(quick_logistic(stored)), scalars_of(quick_logistic(zero)))
})

#' Scalars of a long run, and the features of the first rows and columns by their names
long_law <- function(y, ..., sampler = NULL, iter = 5000) {
  method <- method_gibbs(chains = 2, iter = iter, warmup = 500, sampler = sampler)
  fit <- quick_logistic(y, ..., method = method)
  s <- scalars_of(fit)
  cbind(s[, c("n_features", "n_ones", "alpha", "log_lik")], log(s[, c("sigma_a", "sigma_b")]))
}

test_that("the law of a fit does not depend on the order of rows or columns", {
  y <- with_holes(small_binary(), 4)[1:6, ]
  truth <- long_law(y)
  expect_same_law(truth, long_law(y[6:1, ], seed = 2))
  expect_same_law(truth, long_law(y[c(5, 2, 1, 3, 6, 4), 4:1], seed = 3))
})

test_that("both samplers have the same law", {
  y <- with_holes(small_binary(), 4)[1:6, ]
  expect_same_law(long_law(y), long_law(y, sampler = "neal", iter = 12000, seed = 2))
})

planted <- withr::with_seed(9, {
  z <- matrix(stats::rbinom(600, 1, 0.4), 200)
  weights <- cbind(stats::rnorm(30), matrix(stats::rnorm(90, sd = 3), 30))
  y <- draw_binary(z, weights)
  p <- stats::plogis(tcrossprod(cbind(1, z), weights))
  list(z = z, y = y, p = p, holes = with_holes(y, 300))
})

test_that("planted features are found, and entries left out predicted", {
  hidden <- is.na(planted$holes)
  truth <- planted$y[hidden]
  p <- planted$p[hidden]
  best <- mean(log(ifelse(truth == 1, p, 1 - p)))
  for (form in list(planted$holes, Matrix::Matrix(planted$holes, sparse = TRUE))) {
    fit <- quick_logistic(form, method = method_gibbs(chains = 2, iter = 600, warmup = 400))
    z <- features(fit)
    expect_gte(ncol(z), 3)
    # Up to a complement, which the biases can take up.
    agreement <- abs(stats::cor(planted$z, z[, 1:3]))
    expect_gt(min(apply(agreement, 1, max)), 0.85)
    expect_true(setequal(apply(agreement, 1, which.max), 1:3))
    expect_gt(mean(heldout_density(fit, planted$y)), best - 0.07)
    expect_gt(mean((fitted(fit)[hidden] > 0.5) == truth), mean((p > 0.5) == truth) - 0.04)
  }
})

test_that("chains start from the features given", {
  # So few sweeps, and so much data, that they stay.
  fit <- quick_logistic(
    planted$y, init = planted$z, prior = prior_beta_bernoulli(3),
    method = method_gibbs(chains = 1, iter = 1, warmup = 0)
  )
  agreement <- abs(stats::cor(planted$z, features(fit)))
  expect_gt(min(apply(agreement, 1, max)), 0.75)
  again <- quick_logistic(
    planted$y, init = list(list(features = planted$z), matrix(0, 200, 0)),
    prior = prior_ibp(1e-9), method = method_gibbs(chains = 2, iter = 1, warmup = 0)
  )
  expect_gte(ncol(feature_draws(again)[[1]]), 2)
  expect_identical(ncol(feature_draws(again)[[2]]), 0L)
})

test_that("a fit hands on its features and what it has learned", {
  one <- method_gibbs(chains = 2, iter = 1, warmup = 0)
  first <- quick_logistic(planted$y, method = method_gibbs(chains = 2, iter = 100))
  second <- quick_logistic(planted$y, init = first, method = one)
  agreement <- abs(stats::cor(feature_draws(first)[[50]], feature_draws(second)[[1]]))
  expect_gt(sort(apply(agreement, 2, max), decreasing = TRUE)[3], 0.8)
  # Of another likelihood too, or without the bias that there is now: brought into the range.
  gaussian <- quick_fit(planted$y, sigma_a = gamma_prior(1e6, 1), method = method_gibbs(1, 20))
  expect_s3_class(quick_logistic(planted$y, init = gaussian, method = one), "fit_logistic")
  without <- quick_logistic(small_binary(), bias = FALSE, method = short)
  expect_s3_class(quick_logistic(small_binary(), init = without, method = short), "fit_logistic")
  expect_s3_class(quick_fit(small_binary(), init = without, method = short), "fit_gaussian")
})

test_that("starting values are where chains start", {
  # A row is visited before alpha is updated: it then has Poisson(alpha) features of its own where
  # nothing is seen of it.
  from <- function(...) {
    quick_logistic(
      matrix(c(NA, 1), 1), init = list(...),
      method = method_gibbs(chains = 400, iter = 1, warmup = 0)
    )
  }
  means <- vapply(c(0.1, 2), \(alpha) mean(scalars_of(from(alpha = alpha))[, "n_features"]), 0)
  expect_lt(means[1], 0.6)
  expect_gt(means[2], 1)
  # Of hundreds of weights the standard deviation changes little in a sweep, and they with it.
  sigma <- vapply(c(0.05, 8), function(sigma) {
    fit <- quick_logistic(
      planted$y, init = list(features = planted$z, sigma_a = sigma, sigma_b = sigma),
      method = method_gibbs(chains = 1, iter = 1, warmup = 0)
    )
    scalars_of(fit)[1, c("sigma_a", "sigma_b")]
  }, c(0, 0))
  expect_true(all(sigma[, 1] < 0.7 * sigma[, 2]))
})

test_that("rows of known features are matched by name", {
  y <- small_binary()
  z <- cbind(rep(0:1, 5), c(1, 1, 1, 0, 0))
  named <- `rownames<-`(z, rownames(y))
  fit <- quick_logistic(prior = prior_fixed(z), method = short)
  turned <- quick_logistic(prior = prior_fixed(named[10:1, ]), method = short)
  expect_identical(turned, quick_logistic(prior = prior_fixed(named), method = short))
  expect_identical(scalars_of(turned), scalars_of(fit))
  expect_equal(unname(left_order(features(fit))), left_order(z))
  expect_identical(unique(scalars_of(fit)[, "n_features"]), 2)
  expect_error(
    quick_logistic(prior = prior_fixed(z[1:9, ])),
    "^`z` must have a row per row of the data \\(10\\), not a 9 x 2 numeric matrix\\.$"
  )
  rownames(named)[3] <- "other"
  expect_error(quick_logistic(prior = prior_fixed(named)), paste0(
    "^`z` must have a row named as every row of the data, or no row names, ",
    "not one without \"row3\"\\.$"
  ))
})

test_that("unusual data give fits of which everything can be asked", {
  y <- unname(small_binary())
  patterns <- list(
    row = replace(y, row(y) == 3, NA), column = replace(y, col(y) == 2, NA),
    ones = replace(y, TRUE, 1), zeros = replace(y, TRUE, 0), constant = replace(y, col(y) == 1, 1),
    one_row = matrix(c(1, NA, 0, NA), 1), one_column = matrix(c(1, NA, 0, NA)),
    one_entry = replace(matrix(NA_real_, 3, 4), 5, 1), one_number = matrix(1), wide = t(y),
    copies = y[rep(1:10, 3), rep(1:4, 2)]
  )
  for (name in names(patterns)) {
    call <- list(method = method_gibbs(chains = 1, iter = 12))
    expect_usable(call_logistic(call, patterns[[name]]), pictures = name == "one_number")
    call <- list(
      method = method_gibbs(chains = 1, iter = 12, sampler = "neal"), bias = FALSE, seed = 2
    )
    fit <- call_logistic(call, patterns[[name]])
    expect_true(all(is.finite(scalars_of(fit)), is.finite(fitted(fit)), is.finite(log_lik(fit))))
  }
})

test_that("everything can be asked of a fit, whatever its model", {
  fits <- logistic_fits()
  for (name in names(fits)) expect_usable(fits[[name]], pictures = name %in% c("holes", "empty"))
  build_plot(plot(tree_logistic(), "tree"))
})

test_that("standard deviations at the ends of their range, and vague priors, give finite draws", {
  for (sigma in c(0.01, 30)) {
    for (sampler in c("uncollapsed", "neal")) {
      fit <- quick_logistic(
        sigma_a = sigma, bias = sigma, method = method_gibbs(1, 40, sampler = sampler)
      )
      expect_true(all(is.finite(scalars_of(fit))))
      expect_true(all(is.finite(log_lik(fit))))
      expect_true(all(is.finite(predict(fit, small_binary()))))
    }
  }
  for (prior in list(gamma_prior(1e-300, 1), gamma_prior(1, 1e-300), gamma_prior(1, 1e300))) {
    s <- scalars_of(quick_logistic(sigma_a = prior, bias = prior, method = short))
    expect_true(all(is.finite(s)))
    sigma <- s[, c("sigma_a", "sigma_b")]
    expect_true(all(sigma > 0.01 - 1e-9 & sigma < 30 + 1e-9))
  }
})
