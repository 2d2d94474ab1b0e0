test_that("the objective is the log joint density by its definition, and never falls", {
  x <- nmf_data()
  cases <- list(
    icm_fit(), icm_holes(), quick_nmf(x, 3, sigma_x = 0.3), quick_nmf(-x, 1), quick_nmf(t(x), 7),
    quick_nmf(x, 2, sigma_x = gamma_prior(3, 0.5), rate_w = 5, rate_a = 0.1),
    quick_nmf(x[1, , drop = FALSE], 1), quick_nmf(x[, 1, drop = FALSE], 1)
  )
  for (fit in cases) {
    x <- model_data(fit)
    sigma_x <- glance(fit)$sigma_x
    naive <- naive_nmf(x, weights_of(fit), loadings_of(fit), sigma_x, fit)
    expect_equal(utils::tail(objective(fit), 1), naive[["log_joint"]], tolerance = 1e-8)
    expect_equal(as.numeric(logLik(fit)), naive[["log_lik"]], tolerance = 1e-8)
    expect_equal(glance(fit)$log_joint, naive[["log_joint"]], tolerance = 1e-8)
    expect_gte(min(diff(objective(fit)), 0), -1e-9)
    expect_true(glance(fit)$converged && glance(fit)$finished)
  }
})

test_that("at the end each entry and the noise are at their modes given all else", {
  for (holes in c(FALSE, TRUE)) {
    x <- if (holes) nmf_holes() else nmf_data()
    fit <- quick_nmf(x,
      method = method_icm(tol = 1e-15, iter = 20000), sigma_x = gamma_prior(1, 1), rate_w = 0.7,
      rate_a = 1.4
    )
    w <- weights_of(fit)
    a <- loadings_of(fit)
    variance <- glance(fit)$sigma_x^2
    seen <- !is.na(x)
    mode <- function(x, v, other, rate) {
      left <- x - v %*% other
      update <- function(i, k) {
        on <- !is.na(x[i, ])
        r <- left[i, on] + v[i, k] * other[k, on]
        max(0, (sum(r * other[k, on]) - variance * rate) / sum(other[k, on]^2))
      }
      outer(seq_len(nrow(v)), seq_len(ncol(v)), Vectorize(update))
    }
    expect_equal(unname(w), mode(x, w, a, 0.7), tolerance = 1e-5)
    expect_equal(unname(t(a)), mode(t(x), t(a), t(w), 1.4), tolerance = 1e-5)
    squares <- sum((x - w %*% a)^2, na.rm = TRUE)
    expect_equal(variance, (1 + squares / 2) / (1 + sum(seen) / 2 + 1), tolerance = 1e-10)
  }
})

test_that("factors of little noise are found", {
  withr::with_seed(5, {
    w <- matrix(stats::rexp(300) * stats::rbinom(300, 1, 0.5), 100)
    a <- matrix(stats::rexp(60) * stats::rbinom(60, 1, 0.5), 3)
    x <- w %*% a + stats::rnorm(2000, sd = 0.01)
  })
  fit <- quick_nmf(x, 3, method = method_icm(restarts = 5, tol = 1e-9))
  expect_lt(sqrt(mean((fitted(fit) - w %*% a)^2)), 0.02)
  found <- weights_of(fit)
  best <- apply(stats::cor(w, found), 1, max)
  expect_gt(min(best), 0.99)
})

test_that("the draws of scalars are those of the draws of factors", {
  for (fit in list(chains_fit(), chains_holes())) {
    scalars <- scalars_of(fit)
    draws <- naive_factors(fit)
    expect_length(draws, nrow(scalars))
    for (i in c(1, 57, 200)) {
      sigma_x <- scalars[i, "sigma_x"]
      naive <- naive_nmf(model_data(fit), draws[[i]]$w, draws[[i]]$a, sigma_x, fit)
      expect_equal(scalars[i, c("log_lik", "log_joint")], naive, tolerance = 1e-8)
      expect_gte(min(draws[[i]]$w, draws[[i]]$a), 0)
    }
    expect_identical(colnames(scalars), c("sigma_x", "log_lik", "log_joint"))
  }
})

test_that("the factors of a fit by sampling are those of its most probable draw", {
  fit <- chains_holes()
  best <- which.max(scalars_of(fit)[, "log_joint"])
  draw <- naive_factors(fit)[[best]]
  expect_equal(unname(weights_of(fit) %*% loadings_of(fit)), draw$w %*% draw$a)
  expect_setequal(as.vector(weights_of(fit)), as.vector(draw$w))
  expect_equal(as.numeric(logLik(fit)), scalars_of(fit)[best, "log_lik"], ignore_attr = TRUE)
})

test_that("components come by what they add to the data, with the data's names", {
  for (fit in list(icm_holes(), chains_fit(), quick_nmf(nmf_data(), 4))) {
    w <- weights_of(fit)
    a <- loadings_of(fit)
    sizes <- colSums(w) * rowSums(a)
    expect_false(is.unsorted(rev(sizes)))
    expect_identical(dimnames(w), list(rownames(nmf_data()), paste0("c", seq_len(ncol(w)))))
    expect_identical(dimnames(a), list(colnames(w), colnames(nmf_data())))
  }
  bare <- quick_nmf(unname(nmf_data()))
  expect_identical(rownames(weights_of(bare)), NULL)
  expect_identical(unname(weights_of(bare)), unname(weights_of(quick_nmf(nmf_data()))))
})

test_that("sparse data, data frames and dense data have the same fit", {
  x <- replace(nmf_holes(), nmf_data() < 0.3 & !is.na(nmf_holes()), 0)
  dense <- quick_nmf(x)
  expect_identical(quick_nmf(as.data.frame(x)), dense)
  sparse <- quick_nmf(Matrix::Matrix(x, sparse = TRUE))
  expect_equal(objective(sparse), objective(dense), tolerance = 1e-9)
  expect_equal(fitted(sparse), fitted(dense), tolerance = 1e-6)
  expect_equal(residuals(sparse), residuals(dense), tolerance = 1e-6)
  expect_equal(heldout_density(sparse, nmf_data()), heldout_density(dense, nmf_data()),
    tolerance = 1e-6
  )
  chains <- nmf_chains(Matrix::Matrix(x, sparse = TRUE), iter = 20)
  expect_equal(scalars_of(chains), scalars_of(nmf_chains(x, iter = 20)), tolerance = 1e-6)
})

test_that("rows and columns in another order have the same fit in that order", {
  x <- nmf_holes()
  rows <- withr::with_seed(1, sample(20))
  start <- withr::with_seed(2, list(
    weights = matrix(stats::rexp(40), 20), loadings = matrix(stats::rexp(12), 2)
  ))
  fit <- quick_nmf(x, init = start)
  other <- list(weights = start$weights[rows, ], loadings = start$loadings[, 6:1])
  permuted <- quick_nmf(x[rows, 6:1], init = other)
  expect_equal(objective(permuted), objective(fit), tolerance = 1e-10)
  expect_equal(fitted(permuted), fitted(fit)[rows, 6:1], tolerance = 1e-8)
  turned <- quick_nmf(t(x), init = list(weights = t(start$loadings), loadings = t(start$weights)))
  expect_equal(fitted(turned), t(fitted(fit)), tolerance = 1e-2)
})

test_that("a missing entry does not count, whatever it is", {
  x <- nmf_holes()
  # A row without entries has the prior mean.
  hidden <- rbind(x, none = NA)
  fit <- quick_nmf(hidden, init = list(loadings = loadings_of(icm_holes())))
  expect_identical(unname(weights_of(fit)["none", ]), c(1, 1))
  without <- quick_nmf(x, init = list(loadings = loadings_of(icm_holes())))
  expect_equal(fitted(fit)[1:20, ], fitted(without), tolerance = 1e-6)
})

test_that("an earlier fit is a start, and so is what is given of one", {
  fit <- icm_fit()
  again <- quick_nmf(nmf_data(), init = fit, method = method_icm(restarts = 3))
  expect_lte(length(objective(again)), 3)
  expect_equal(fitted(again), fitted(fit), tolerance = 1e-4)
  chain <- quick_nmf(nmf_data(), init = fit, method = method_gibbs(1, 1, warmup = 0))
  other <- quick_nmf(nmf_data(), method = method_gibbs(1, 1, warmup = 0))
  expect_gt(scalars_of(chain)[, "log_lik"], scalars_of(other)[, "log_lik"])
  noise <- quick_nmf(
    nmf_data(), init = list(loadings = loadings_of(fit), sigma_x = 100),
    method = method_gibbs(1, 1, warmup = 0)
  )
  expect_true(all(is.finite(scalars_of(noise))))
  starts <- list(list(weights = weights_of(fit)), list(sigma_x = 1))
  expect_s3_class(nmf_chains(nmf_data(), init = starts, iter = 4), "fit_nmf")
  expect_s3_class(nmf_chains(nmf_data(), init = chains_fit(), iter = 4), "fit_nmf")
})

test_that("seeds make fits, set.seed() where there are none, and chains differ", {
  x <- nmf_data()
  for (method in list(method_icm(), method_gibbs(2, 20))) {
    run <- function(seed) quick_nmf(x, method = method, seed = seed)
    expect_identical(run(5), run(5))
    expect_false(identical(weights_of(run(5)), weights_of(run(6))))
    set.seed(3)
    first <- run(NULL)
    expect_false(identical(run(NULL)$seed, first$seed))
    set.seed(3)
    expect_identical(run(NULL), first)
    expect_identical(run(first$seed), first)
    before <- .Random.seed
    run(5)
    expect_identical(.Random.seed, before)
  }
  draws <- as_draws(nmf_chains(x, iter = 20))
  expect_false(any(draws[, 1, "sigma_x"] == draws[, 2, "sigma_x"]))
})

test_that("results depend on neither threads nor cores", {
  x <- withr::with_seed(4, matrix(stats::rexp(700 * 4), 700))
  fits <- lapply(c(1, 2, 5), function(n) {
    quick_nmf(x, 3, method = method_icm(restarts = 2, tol = 1e-3, threads = n))
  })
  expect_identical(fits[[2]], fits[[1]])
  expect_identical(fits[[3]], fits[[1]])
  chains <- lapply(c(1, 2, 5), function(n) {
    quick_nmf(nmf_data(), method = method_gibbs(3, 40, cores = n))
  })
  expect_identical(chains[[2]], chains[[1]])
  expect_identical(chains[[3]], chains[[1]])
})

test_that("the two methods agree where data leave little doubt", {
  x <- nmf_data(60, 12, 0.05)
  point <- quick_nmf(x, method = method_icm(restarts = 3))
  chains <- quick_nmf(x, method = method_gibbs(2, 600), init = point)
  expect_lt(sqrt(mean((fitted(point) - fitted(chains))^2)), 0.03)
  expect_equal(glance(chains)$sigma_x, glance(point)$sigma_x, tolerance = 0.15)
  expect_lt(glance(chains)$rhat_max, 1.1)
})

test_that("more iterations are asked for where there were too few", {
  expect_warning(
    fit <- quick_nmf(nmf_data(), method = method_icm(iter = 3)),
    "^the log joint density is still rising after `iter` \\(3\\) iterations\\.$"
  )
  expect_length(objective(fit), 3)
  expect_false(glance(fit)$converged)
  expect_match(format(fit), "\\(still rising\\)$", all = FALSE)
})

test_that("data at the edge have a finite fit", {
  x <- unname(nmf_data())
  cases <- list(
    one = matrix(2), zero = matrix(0), zeros = 0 * x, negative = -x, constant = 0 * x + 3,
    one_row = x[1, , drop = FALSE], one_column = x[, 1, drop = FALSE],
    zero_column = cbind(x, 0), one_left = replace(x * NA, 7, 2),
    no_column = replace(x, cbind(1:20, 2), NA), flags = x > 1, tiny = x * 1e-50,
    huge = x * 1e50, hugest = x / max(x) * 1e100
  )
  for (case in names(cases)) {
    for (method in list(method_icm(), method_gibbs(1, 20))) {
      fit <- quick_nmf(cases[[case]], 3, method = method)
      expect_true(all(is.finite(fitted(fit))), label = case)
      expect_gte(min(weights_of(fit), loadings_of(fit)), 0, label = case)
      expect_true(is.finite(glance(fit)$log_joint), label = case)
      expect_identical(dim(fitted(fit)), dim(cases[[case]]))
    }
  }
  for (rate in c(1e-50, 1e50)) {
    expect_true(all(is.finite(fitted(quick_nmf(x, rate_w = rate, rate_a = 1)))))
    expect_true(all(is.finite(fitted(quick_nmf(x, rate_w = 1, rate_a = rate)))))
    expect_true(all(is.finite(scalars_of(nmf_chains(x, rate_w = rate, iter = 10)))))
  }
  for (prior in list(gamma_prior(1e-300, 1), gamma_prior(1, 1e-300), gamma_prior(1, 1e300))) {
    expect_true(all(is.finite(fitted(quick_nmf(x, sigma_x = prior)))))
    expect_true(all(is.finite(scalars_of(nmf_chains(x, sigma_x = prior, iter = 10)))))
  }
})
