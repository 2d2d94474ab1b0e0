# fit_nmf() and method_icm(): every argument, with values that are not what it must be.

x <- nmf_data()

test_that("every argument of method_icm() refuses what it cannot be", {
  cases <- list(
    restarts = not_counts, iter = not_counts, threads = not_counts,
    tol = c(not_numbers, 0, 1, -1, 2)
  )
  for (name in names(cases)) {
    expect_refusals(
      \(v) do.call(method_icm, stats::setNames(list(v), name)), name, cases[[name]]
    )
  }
  expect_identical(method_icm(1, 1e-6, 10000, 1), method_icm())
})

test_that("every argument of fit_nmf() refuses what it cannot be, before anything is drawn", {
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  rates <- c(not_positive[-1], 1e-60, 1e60, 1e300, list(gamma_prior(1, 1)))
  cases <- list(
    x = list(
      NULL, NA, 1, 1:3, "a", list(), sum, factor(1:3), matrix("1"), matrix(1i), x[0, ], x[, 0],
      data.frame(), replace(x, 1, NaN), replace(x, 1, Inf), replace(x, 1, -Inf),
      replace(x, 1, 1e300), replace(x, 1:2, c(NA, 1e101)), data.frame(a = "1"), x[c(1, 1), ],
      x * NA, sparse * NA, row_blocks(\(i) x, 1)
    ),
    rank = c(not_counts, 5001), sigma_x = c(not_positive[-1], 1e-300, 1e300, 1e-13),
    rate_w = rates, rate_a = rates,
    method = list(NA, 1, "icm", list(), method_icm, prior_ibp(), method_meibp()),
    init = list(
      NA, 1, "a", sum, 1:20, matrix(1, 20, 2), list(), list(1, 2), list(zeta = 1), prior_ibp(),
      list(weights = weights_of(icm_fit()), zeta = 1), list(weights = 1, weights = 2), icm_wide(),
      small_fit(), data.frame(weights = 1), list(sigma_x = 1, 2)
    ),
    seed = not_seeds, verbose = not_flags,
    file = list(NA, 1, "", c("a", "b"), tempdir(), file.path(tempdir(), "no", "file"))
  )
  set.seed(1)
  before <- .Random.seed
  defaults <- list(x = x, rank = 2, verbose = FALSE)
  for (name in names(cases)) {
    call <- function(v) {
      arguments <- defaults
      arguments[name] <- list(v)
      do.call(fit_nmf, arguments)
    }
    expect_refusals(call, name, cases[[name]])
  }
  expect_identical(.Random.seed, before)
  expect_error(fit_nmf(x), "^`rank` must be given\\.$")
})

test_that("starts that do not fit are refused by name", {
  w <- unname(weights_of(icm_fit()))
  a <- unname(loadings_of(icm_fit()))
  bad <- function(m) {
    list(
      NA, 1, "a", sum, list(), m[-1, ], m[, -1], t(m), -m, m * NA, replace(m, 1, NA),
      replace(m, 1, -1e-9), replace(m, 1, Inf), replace(m, 1, NaN), replace(m, 1, 1e60)
    )
  }
  start <- function(name) function(v) quick_nmf(x, init = stats::setNames(list(v), name))
  expect_refusals(start("weights"), "init\\$weights", bad(w))
  expect_refusals(start("loadings"), "init\\$loadings", bad(a))
  expect_refusals(start("sigma_x"), "init\\$sigma_x", c(not_positive[-1], 1e-300, 1e300, 1e-13))
  expect_refusals(\(v) quick_nmf(x, init = v, sigma_x = 1), "init", list(list(sigma_x = 1)))
  expect_refusals(\(v) nmf_chains(x, init = v), "init", list(
    list(list(), list(), list()), list(1, 2), list(list(weights = w), list(zeta = 1))
  ))
  expect_error(
    quick_nmf(x, 3, init = icm_fit()), "^`init` must be a fit of rank 3, not one of rank 2\\.$"
  )
})

test_that("a factorisation is no start for a model of binary features", {
  for (fit in list(icm_fit(), chains_fit())) {
    expect_refusals(\(v) quick_fit(x, init = v), "init", list(fit))
    expect_refusals(\(v) quick_logistic(1 * (x > 0.5), init = v), "init", list(fit))
  }
})

test_that("samplers that it does not have are refused", {
  for (sampler in c("collapsed", "slice", "gibbs")) {
    expect_error(
      quick_nmf(x, method = method_gibbs(1, 2, sampler = sampler)),
      sprintf("^`sampler` must be \"uncollapsed\" for this .*, not \"%s\"\\.$", sampler)
    )
  }
})

test_that("what is asked of a fit refuses what it cannot be", {
  for (fit in list(icm_holes(), chains_holes())) {
    expect_refusals(\(v) predict(fit, v), "newdata", list(
      NA, "a", list(), sum, 1:2, x[0, ], x[, 1:5], cbind(x, 1), replace(x, 1, Inf),
      stats::setNames(as.data.frame(x), letters[2:7])
    ))
    expect_refusals(\(v) predict(fit, type = v), "type", not_choices)
    completed <- function(fit, ndraws) predict(fit, x, ndraws = ndraws)
    for (verb in list(log_lik, posterior_predict, completed)) {
      expect_refusals(\(v) verb(fit, ndraws = v), "ndraws", not_ndraws)
    }
    expect_refusals(\(v) log_lik(fit, by = v), "by", not_choices)
    expect_refusals(\(v) simulate(fit, nsim = v), "nsim", not_counts)
    expect_refusals(\(v) simulate(fit, seed = v), "seed", not_seeds)
    expect_refusals(\(v) tidy(fit, v), "matrix", not_choices)
    expect_refusals(\(v) tidy(fit, conf.level = v), "conf.level", c(not_numbers, 0, 1, -1, 2))
    expect_refusals(\(v) heldout_density(fit, v), "actual", list(
      NULL, 1, "a", x[1:7, ], x[, 1:2], t(x), replace(x, 1, Inf)
    ))
    expect_refusals(\(v) plot(fit, v), "type", not_choices)
    expect_refusals(\(v) plot(fit, dim = v), "dim", list(NA, 6, c(1, 5), c(-2, -3), "a"))
    expect_refusals(\(v) plot(fit, "fit", rows = v), "rows", list(NA, 0, 21, "a", numeric()))
    for (verb in list(summary, glance, tidy, logLik, augment, fitted, residuals, predict, plot)) {
      expect_error(verb(fit, nonsense = 1), "`nonsense`")
    }
  }
})

test_that("fits say nothing while they run without a terminal, nor with verbose = FALSE", {
  expect_silent(fit_nmf(x, 2, seed = 1, verbose = FALSE))
  expect_silent(fit_nmf(x, 2, seed = 1))
  expect_silent(fit_nmf(x, 2, seed = 1, method = method_gibbs(1, 10)))
})
