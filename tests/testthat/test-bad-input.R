# Every argument, with values that are not what it must be.

x <- small_data()
short <- method_gibbs(chains = 1, iter = 2)
fit_with <- function(...) quick_fit(..., method = short)

#' As expect_refusals(), and no random number is drawn: nothing had begun
expect_refused_early <- function(call, name, values) {
  set.seed(1)
  before <- .Random.seed
  expect_refusals(call, name, values)
  expect_identical(.Random.seed, before, label = sprintf("the generator after bad `%s`", name))
}

bad_data <- list(
  NULL, NA, 1, 1:3, "a", list(), list(1, 2), sum, factor(1:3), Sys.Date(), quote(x), y ~ x,
  environment(), raw(3), matrix("1"), matrix(1i), matrix(list(1)), matrix(as.raw(1)),
  array(0, c(2, 2, 2)), x[0, ], x[, 0], matrix(0, 0, 0), data.frame(), replace(x, 1, NaN),
  replace(x, 1, Inf), replace(x, 1, -Inf), replace(x, 1, 1e300), x * NaN,
  replace(x, 1:2, c(NA, NaN)), replace(x, 1:2, c(NA, Inf)), replace(x, 1:2, c(NA, 1e101)),
  data.frame(a = factor(1:2)), data.frame(a = c("1", "2")), data.frame(a = Sys.Date()),
  data.frame(a = I(list(1, 2))), data.frame(a = I(matrix(0, 2, 2))), x[c(1, 1), ]
)

test_that("data that cannot be fitted are refused", {
  expect_refused_early(\(v) quick_fit(v, method = short, seed = NULL), "x", bad_data)
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_refused_early(\(v) quick_fit(v, method = short, seed = NULL), "x", list(
    replace(x, TRUE, NA), matrix(NA, 2, 2), data.frame(a = c(NA, NA)), sparse[0, ], sparse[, 0],
    replace(sparse, 3, NaN), replace(sparse, 3, Inf), replace(sparse, 3, -1e101),
    sparse[c(1, 1), ], replace(sparse, seq_along(x), NA), Matrix::sparseVector(1, 1, 3)
  ))
  expect_error(
    quick_fit(x * NA), "^`x` must have an entry that is not missing, not NA throughout\\.$"
  )
  expect_error(fit_gaussian(), "^`x` must be given\\.$")
})

test_that("what does not go together is refused", {
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_refused_early(\(v) fit_with(sparse, center = v), "center", list(TRUE))
  call <- function(sampler, loadings) {
    method <- method_gibbs(chains = 1, iter = 2, sampler = sampler)
    quick_fit(x, loadings = loadings, method = method, seed = NULL)
  }
  expect_refused_early(\(v) call(v, "nonnegative"), "sampler", list("collapsed", "gibbs", "slices"))
  expect_refused_early(\(v) call(v, "normal"), "sampler", list("Collapsed", "exact", "coll"))
  expect_error(
    call("collapsed", "nonnegative"),
    paste(
      "must be one of \"uncollapsed\", \"slice\", \"parallel\" for this likelihood and prior, not",
      "\"collapsed\""
    )
  )
})

test_that("every argument of fit_gaussian() refuses what it cannot be", {
  cases <- list(
    loadings = not_choices, sigma_x = c(not_positive[-1], 1e-300, 1e300),
    sigma_a = c(not_positive[-1], 1e-300, 1e300), center = Filter(Negate(is.null), not_flags),
    scale = not_flags,
    prior = list(
      NULL, NA, 1, "ibp", list(), prior_ibp, gamma_prior(1, 1), short, data.frame(), x
    ),
    method = list(
      NULL, NA, 1, "gibbs", list(), method_gibbs, prior_ibp(), method_gibbs(sampler = "nonsense")
    ),
    seed = not_seeds, verbose = not_flags
  )
  defaults <- list(x = x, method = short, verbose = FALSE)
  for (name in names(cases)) {
    call <- function(v) {
      arguments <- defaults
      arguments[name] <- list(v)
      do.call(fit_gaussian, arguments)
    }
    wrong_sampler <- name == "method"
    values <- if (wrong_sampler) cases[[name]][-8] else cases[[name]]
    expect_refused_early(call, name, values)
    if (wrong_sampler) expect_refused_early(call, "sampler", cases[[name]][8])
  }
})

test_that("standard deviations that would ask for thousands of features are refused", {
  both <- function(sigma_a, sigma_x) fit_with(x * 1e3, sigma_x = sigma_x, sigma_a = sigma_a)
  expect_refused_early(\(v) both(v, 1), "sigma_a", list(1e-3, 1, 10))
  expect_refused_early(\(v) both(1e3, v), "sigma_x", list(1e-90, 1e-4))
})

test_that("starting points that do not fit the data or the model are refused", {
  z <- matrix(1, 8, 1)
  shapes <- list(
    NA, 1, "a", sum, 1:8, factor(1:8), Sys.Date(), matrix(1, 7, 1), matrix(1, 9, 1),
    matrix(0, 0, 0), matrix(2, 8, 1), matrix(-1, 8, 1), matrix(NA, 8, 1), matrix(0.5, 8, 1),
    matrix("1", 8, 1), data.frame(a = letters[1:8]), list(), list(1, 2), list(z, z),
    list(features = 1), list(zeta = z), list(features = z, gamma = 1), prior_ibp()
  )
  expect_refused_early(\(v) fit_with(x, init = v), "init", shapes)
  for (name in c("alpha", "sigma_x", "sigma_a")) {
    call <- function(v) fit_with(x, init = stats::setNames(list(v), name))
    expect_refused_early(call, sprintf("init\\$%s", name), not_positive)
  }
  expect_refused_early(
    \(v) fit_with(x, init = v, sigma_x = 1), "init",
    list(list(sigma_x = 2), list(concentration = 2))
  )
  expect_refused_early(
    \(v) fit_with(x, init = v, prior = prior_beta_bernoulli(2)), "init", list(diag(8))
  )
  expect_refused_early(\(v) fit_with(x[1:5, ], init = v), "init", list(small_fit()))
})

test_that("every argument of method_gibbs() refuses what it cannot be", {
  negative <- not_counts[!vapply(not_counts, identical, NA, 0)]
  cases <- list(
    chains = not_counts, iter = not_counts[-1], thin = c(not_counts[-1], 2001), cores = not_counts,
    warmup = c(negative[-1], 2000, 2001), refresh = negative[-1],
    sampler = list(NA, 1, "", c("a", "b"), list("a"), sum), max_features = not_counts[-1],
    regroup = list(NULL, NA, 1, "yes", c(TRUE, FALSE)), max_iter = c(not_counts[-1], 1999)
  )
  for (name in names(cases)) {
    iter <- if (name != "iter") list(iter = 2000)
    expect_refused_early(
      \(v) do.call(method_gibbs, c(stats::setNames(list(v), name), iter)), name, cases[[name]]
    )
  }
})

test_that("chains whose length the data decide refuse a warm-up or thinning that leaves nothing", {
  large <- matrix(0, 50, 100)
  with <- function(...) fit_gaussian(large, method = method_gibbs(...), verbose = FALSE)
  expect_refused_early(\(v) with(warmup = v), "warmup", c(2000, 20000))
  expect_refused_early(\(v) with(thin = v), "thin", 2001)
  expect_refused_early(\(v) with(max_iter = v), "max_iter", 1999)
})

test_that("what is asked of a fit refuses what it cannot be", {
  fit <- small_fit()
  expect_refused_early(\(v) predict(fit, v), "newdata", c(bad_data[-c(1, 4)], list(
    1:2, 1:4, x[, 1:2], cbind(x, 1), data.frame(p = "a", q = 1, r = 1)
  )))
  expect_refused_early(\(v) predict(fit, type = v), "type", not_choices)
  too_many <- c(not_ndraws, 601)
  expect_refused_early(\(v) predict(fit, x, ndraws = v), "ndraws", too_many)
  expect_refused_early(\(v) posterior_predict(fit, ndraws = v), "ndraws", c(not_ndraws, 601))
  expect_refused_early(\(v) log_lik(fit, ndraws = v), "ndraws", too_many)
  expect_refused_early(\(v) log_lik(fit, by = v), "by", not_choices)
  expect_refused_early(\(v) simulate(fit, nsim = v), "nsim", not_counts)
  expect_refused_early(\(v) simulate(fit, seed = v), "seed", not_seeds)
  expect_refused_early(\(v) tidy(fit, v), "matrix", not_choices)
  expect_refused_early(\(v) tidy(fit, conf.level = v), "conf.level", c(not_numbers, 0, 1, -1, 2))
  expect_refused_early(\(v) feature_draws(fit)[[v]], "i", c(not_counts, 601))
})

test_that("heldout_density() refuses what are not the full data", {
  fit <- fit_with(replace(x, c(2, 9), NA))
  expect_refused_early(\(v) heldout_density(fit, v), "actual", c(bad_data, list(
    x[1:7, ], x[, 1:2], cbind(x, 1), rbind(x, 1), t(x), matrix(0, 3, 8), x[2, 1],
    Matrix::Matrix(x[1:7, ], sparse = TRUE)
  )))
  expect_error(heldout_density(fit), "^`actual` must be given: the full data\\.$")
  expect_error(
    heldout_density(small_fit(), x), "^`fit` must be a fit to data with missing entries\\.$"
  )
  expect_error(heldout_density(1, x), "^`fit` must be a fit by .*, not 1\\.$")
  expect_identical(heldout_density(fit, x * NA), c(NA_real_, NA_real_))
})

test_that("pictures refuse what cannot be drawn", {
  fit <- small_fit()
  expect_refused_early(\(v) plot(fit, v), "type", not_choices)
  expect_refused_early(\(v) plot(fit, "loadings", dim = v), "dim", list(
    NA, 3, c(1, 2), c(-1, -3), c(1.5, 2), c(0, 3), c(NA, 3), c(Inf, 1), c(1, 3, 1), numeric(0),
    "a", c("1", "3"), list(1, 3), sum, TRUE, factor(1:2)
  ))
  expect_refused_early(\(v) plot(fit, "fit", dim = c(1, 3), rows = v), "rows", list(
    NA, 0, 9, -1, 1.5, Inf, c(1, 9), numeric(0), "a", "1", list(1), sum, TRUE
  ))
})

test_that("errors can be caught, and say the argument, what it must be and what it was", {
  message <- tryCatch(fit_with(x, sigma_x = -1), error = conditionMessage)
  expect_identical(message, "`sigma_x` must be one positive number or a gamma_prior(), not -1.")
  expect_s3_class(try(fit_with(NULL), silent = TRUE), "try-error")
})

test_that("fits say nothing while they run without a terminal, nor with verbose = FALSE", {
  run <- function(verbose, refresh = 1) {
    method <- method_gibbs(chains = 1, iter = 30, refresh = refresh)
    fit_gaussian(x, method = method, seed = 1, verbose = verbose)
  }
  expect_silent(run(FALSE))
  expect_silent(run(TRUE, refresh = 0))
  expect_silent(run(TRUE))
})

test_that("the progress bar counts the sweeps of all chains, unless it is not wanted", {
  run <- function(verbose, refresh = 1) {
    method <- method_gibbs(chains = 2, iter = 30, refresh = refresh)
    withr::local_options(
      cli.dynamic = TRUE, cli.progress_show_after = 0,
    cli.progress_handlers_only = "logger"
    )
    utils::capture.output(fit <- fit_gaussian(x, method = method, seed = 1, verbose = verbose))
  }
  expect_match(run(TRUE), " 60/60 ", all = FALSE)
  expect_identical(run(FALSE), character())
  expect_identical(run(TRUE, refresh = 0), character())
})

test_that("more cores than chains, and more than there are, do no harm", {
  many <- method_gibbs(chains = 2, iter = 20, cores = .Machine$integer.max)
  expect_identical(
    scalars_of(quick_fit(x, method = many)),
    scalars_of(quick_fit(x, method = method_gibbs(chains = 2, iter = 20)))
  )
})

test_that("hyperparameters at the ends of their ranges give finite draws", {
  finite <- function(...) expect_true(all(is.finite(scalars_of(quick_fit(x, ..., method = short)))))
  for (sigma_x in c(1, 1e10, 1e100)) finite(sigma_x = sigma_x, sigma_a = 1)
  finite(sigma_x = 1e100, sigma_a = 1e100)
  for (value in c(1e-300, 1, 1e300)) {
    finite(prior = prior_ibp(concentration = value))
    finite(prior = prior_beta_bernoulli(3, concentration = value))
    finite(prior = prior_beta_bernoulli(3, alpha = value))
  }
  finite(prior = prior_ibp(1e-300))
  finite(prior = prior_beta_bernoulli(.Machine$integer.max))
  for (prior in list(gamma_prior(1e-300, 1), gamma_prior(1, 1e-300), gamma_prior(1, 1e300))) {
    finite(sigma_x = prior)
    finite(sigma_a = prior)
    finite(prior = prior_beta_bernoulli(3, prior))
  }
})
