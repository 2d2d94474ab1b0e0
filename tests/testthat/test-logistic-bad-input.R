# Every argument of fits to binary data, with values that are not what it must be.

short <- method_gibbs(chains = 1, iter = 2)
y <- small_binary()
fit_with <- function(...) quick_logistic(y, ..., method = short)

#' As expect_refusals(), and no random number is drawn: nothing had begun
expect_refused_early <- function(call, name, values) {
  set.seed(1)
  before <- .Random.seed
  expect_refusals(call, name, values)
  expect_identical(.Random.seed, before, label = sprintf("the generator after bad `%s`", name))
}

sparse <- Matrix::Matrix(y, sparse = TRUE)
bad_responses <- list(
  NULL, 2, 1:3, "a", list(), list(1, 2), sum, factor(1:2), Sys.Date(), quote(x), y ~ x,
  environment(), raw(3), matrix("1"), matrix(1i), matrix(list(1)), matrix(as.raw(1)),
  array(0, c(2, 2, 2)), y[0, ], y[, 0], matrix(0, 0, 0), data.frame(), replace(y, 1, NaN),
  replace(y, 1, Inf), replace(y, 1, -Inf), replace(y, 1, 1e300), replace(y, 1, 2),
  replace(y, 1, -1), replace(y, 1, 0.5), replace(y, 1, 1 + 1e-9), replace(y, 1:2, c(NA, 3)),
  y + 1, y * NaN, data.frame(a = c("0", "1")), data.frame(a = factor(1:3)),
  data.frame(a = factor(c(1, 1))), data.frame(a = Sys.Date()), data.frame(a = I(list(0, 1))),
  data.frame(a = I(matrix(0, 2, 2))), y[c(1, 1), ], sparse[0, ], sparse[, 0],
  replace(sparse, 3, NaN), replace(sparse, 3, Inf), replace(sparse, 3, 2), sparse[c(1, 1), ],
  Matrix::sparseVector(1, 1, 3)
)

test_that("data that cannot be fitted are refused", {
  expect_refused_early(\(v) quick_logistic(v, method = short, seed = NULL), "y", c(
    bad_responses, NA, list(
      y * NA, matrix(NA, 2, 2), data.frame(a = c(NA, NA)),
      data.frame(a = factor(c(NA, NA), levels = 1:2)), sparse * NA
    )
  ))
  expect_error(
    fit_logistic(y * NA), "^`y` must have an entry that is not missing, not NA throughout\\.$"
  )
  expect_error(fit_logistic(), "^`y` must be given\\.$")
})

test_that("every argument of fit_logistic() refuses what it cannot be", {
  cases <- list(
    sigma_a = c(not_positive, 1e-300, 0.009, 31, 1e300),
    bias = c(Filter(Negate(isTRUE), not_positive), list(c(TRUE, FALSE), logical(0), 0.009, 31)),
    prior = list(NULL, NA, 1, "ibp", list(), prior_ibp, gamma_prior(1, 1), short, data.frame(), y),
    method = list(NULL, NA, 1, "gibbs", list(), method_gibbs, prior_ibp(), method_meibp()),
    seed = not_seeds, verbose = not_flags,
    file = list(NA, 1, "", c("a", "b"), tempdir(), file.path(tempdir(), "no", "file"))
  )
  defaults <- list(y = y, method = short, verbose = FALSE)
  for (name in names(cases)) {
    call <- function(v) {
      arguments <- defaults
      arguments[name] <- list(v)
      do.call(fit_logistic, arguments)
    }
    expect_refused_early(call, name, cases[[name]])
  }
  for (sampler in c("collapsed", "slice", "Neal")) {
    expect_error(quick_logistic(method = method_gibbs(1, 2, sampler = sampler)), sprintf(
      "^`sampler` must be one of \"uncollapsed\", \"neal\" for this .*, not \"%s\"\\.$", sampler
    ))
  }
})

test_that("errors say the argument, what it must be and what it was", {
  message_of <- function(...) tryCatch(fit_with(...), error = conditionMessage)
  expect_identical(
    message_of(bias = "yes"),
    "`bias` must be TRUE, FALSE, one positive number or a gamma_prior(), not \"yes\"."
  )
  expect_identical(message_of(bias = 50), "`bias` must be between 0.01 and 30, not 50.")
  expect_identical(message_of(sigma_a = 50), "`sigma_a` must be between 0.01 and 30, not 50.")
  expect_identical(
    message_of(init = list(sigma_a = 50)), "`init$sigma_a` must be between 0.01 and 30, not 50."
  )
  expect_identical(
    message_of(prior = prior_pibp(star_tree(10)), seed = 1),
    tryCatch(quick_fit(y, prior = prior_pibp(star_tree(10))), error = conditionMessage)
  )
})

test_that("starting points that do not fit the data or the model are refused", {
  z <- matrix(1, 10, 1)
  shapes <- list(
    NA, 1, "a", sum, 1:10, factor(1:10), Sys.Date(), matrix(1, 9, 1), matrix(1, 11, 1),
    matrix(0, 0, 0), matrix(2, 10, 1), matrix(-1, 10, 1), matrix(NA, 10, 1), matrix(0.5, 10, 1),
    matrix("1", 10, 1), data.frame(a = letters[1:10]), list(), list(1, 2), list(z, z),
    list(features = 1), list(zeta = z), list(features = z, sigma_x = 1), prior_ibp(),
    list(concentration = 2)
  )
  expect_refused_early(\(v) fit_with(init = v), "init", shapes)
  for (name in c("alpha", "sigma_a", "sigma_b")) {
    call <- function(v) fit_with(init = stats::setNames(list(v), name))
    expect_refused_early(call, sprintf("init\\$%s", name), c(not_positive, 1001))
  }
  expect_refused_early(\(v) fit_with(init = v, sigma_a = 1), "init", list(list(sigma_a = 2)))
  expect_refused_early(\(v) fit_with(init = v, bias = 1), "init", list(list(sigma_b = 2)))
  expect_refused_early(\(v) fit_with(init = v, bias = FALSE), "init", list(list(sigma_b = 2)))
  expect_refused_early(
    \(v) fit_with(init = v, prior = prior_beta_bernoulli(2)), "init", list(diag(10))
  )
  expect_refused_early(
    \(v) fit_with(init = v, prior = prior_fixed(diag(10))), "init", list(diag(10), list(), 1)
  )
  expect_refused_early(
    \(v) quick_logistic(y[1:5, ], init = v, method = short), "init", list(small_logistic())
  )
})

test_that("what is asked of a fit refuses what it cannot be", {
  fit <- holes_logistic()
  expect_refused_early(\(v) predict(fit, v), "newdata", c(bad_responses[-1], list(
    c(0, 1), numeric(5), y[, 1:2], cbind(y, 1), data.frame(p = "a", q = 1, r = 1, s = 0)
  )))
  expect_refused_early(\(v) predict(fit, type = v), "type", not_choices)
  too_many <- c(not_ndraws, 201)
  expect_refused_early(\(v) predict(fit, y, ndraws = v), "ndraws", too_many)
  expect_refused_early(\(v) posterior_predict(fit, ndraws = v), "ndraws", c(not_ndraws, 201))
  expect_refused_early(\(v) log_lik(fit, ndraws = v), "ndraws", too_many)
  expect_refused_early(\(v) log_lik(fit, by = v), "by", not_choices)
  expect_refused_early(\(v) simulate(fit, nsim = v), "nsim", not_counts)
  expect_refused_early(\(v) simulate(fit, seed = v), "seed", not_seeds)
  expect_refused_early(\(v) tidy(fit, v), "matrix", not_choices)
  expect_refused_early(\(v) plot(fit, v), "type", not_choices)
  expect_refused_early(\(v) plot(fit, "loadings", dim = v), "dim", list(NA, 3, c(1, 2), "a"))
  expect_refused_early(\(v) heldout_density(fit, v), "actual", c(bad_responses, list(
    NA, y[1:5, ], t(y)
  )))
  expect_error(heldout_density(fit), "^`actual` must be given: the full data\\.$")
  for (method in list(
    predict, fitted, residuals, posterior_predict, simulate, log_lik, logLik, summary, tidy, glance,
    augment, plot
  )) {
    expect_error(method(fit, newcomers = 1), "^`newcomers` must be left out: .*\\.$")
  }
})
