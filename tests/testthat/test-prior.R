test_that("every argument of gamma_prior() is checked", {
  expect_refusals(\(x) gamma_prior(x, 1), "shape", not_positive)
  expect_refusals(\(x) gamma_prior(1, x), "rate", not_positive)
})

test_that("every argument of prior_ibp() is checked", {
  expect_refusals(\(x) prior_ibp(x), "alpha", not_positive)
  expect_refusals(\(x) prior_ibp(concentration = x), "concentration", not_positive)
  expect_refusals(\(x) prior_ibp(discount = x), "discount", c(not_numbers, -0.1, 1, 2))
  expect_refusals(\(x) prior_ibp(discount = x), "discount", list(gamma_prior(1, 1)))
})

test_that("the concentration may be as low as minus the discount, and no lower", {
  expect_s3_class(prior_ibp(concentration = -0.4, discount = 0.5), "prior_ibp")
  expect_error(
    prior_ibp(concentration = -0.5, discount = 0.5),
    "`concentration` must be one number above -0.5 or a gamma_prior(), not -0.5.", fixed = TRUE
  )
  expect_error(prior_ibp(concentration = 0), "above 0 or")
})

test_that("every argument of prior_beta_bernoulli() is checked", {
  expect_refusals(prior_beta_bernoulli, "n_features", c(not_counts, list(gamma_prior(1, 1))))
  expect_refusals(\(x) prior_beta_bernoulli(2, x), "alpha", not_positive)
  expect_refusals(\(x) prior_beta_bernoulli(2, 1, x), "concentration", not_positive)
})

test_that("a prior prints as the formula it is, hyperparameters at their defaults left out", {
  expect_equal(format(gamma_prior(1, 0.5)), "Gamma(shape = 1, rate = 0.5)")
  expect_equal(format(prior_ibp(2)), "Z ~ IBP(alpha = 2)")
  expect_equal(
    format(prior_ibp(concentration = gamma_prior(2, 3), discount = 0.25)),
    c(
      "Z ~ IBP(alpha, concentration, discount = 0.25)", "alpha ~ Gamma(shape = 1, rate = 1)",
      "concentration ~ Gamma(shape = 2, rate = 3)"
    )
  )
  expect_equal(
    format(prior_beta_bernoulli(5, 2)),
    "Z ~ beta-Bernoulli(n_features = 5, alpha = 2, concentration = 1)"
  )
  expect_output(print(prior_ibp()), "^Z ~ IBP\\(alpha\\)\nalpha ~ Gamma\\(shape = 1, rate = 1\\)$")
  expect_output(print(gamma_prior(1, 2)), "^Gamma\\(shape = 1, rate = 2\\)$")
})

test_that("the core gets the values as given, and 1 as the start of a learned one", {
  fixed <- function(value) list(value = value, learned = FALSE, shape = 1, rate = 1)
  expect_identical(
    unclass(prior_spec(prior_ibp(2, gamma_prior(3, 4), 0.5))),
    list(
      kind = "exchangeable", alpha = fixed(2),
      concentration = list(value = 1, learned = TRUE, shape = 3, rate = 4), discount = 0.5,
      n_features = 0L, max_features = .Machine$integer.max
    )
  )
  expect_identical(
    unclass(prior_spec(prior_beta_bernoulli(7, 2, 3))),
    list(
      kind = "exchangeable", alpha = fixed(2), concentration = fixed(3), discount = 0,
      n_features = 7L, max_features = .Machine$integer.max
    )
  )
})

test_that("gamma priors with odd or missing fields are refused in one line, wherever they are", {
  odd <- list(
    list(), list(shape = 1), list(rate = 1), list(shape = -1, rate = 2),
    list(shape = "a", rate = 2), list(shape = 1:2, rate = 1), list(shape = 1, rate = 1:3),
    list(shape = 1, rate = NA_real_),
    list(shape = Inf, rate = 1), list(NA)
  )
  odd <- lapply(odd, structure, class = "gamma_prior")
  uses <- list(
    alpha = prior_cascade, alpha_deep = \(x) prior_cascade(1, x), alpha = \(x) rcascade(4, x),
    concentration = \(x) prior_cascade(1, 1, x), alpha_deep = \(x) rcascade(4, 1, x),
    alpha = \(x) dcascade(list(), x, units = 2), alpha = \(x) cascade_depth(3, x),
    alpha = prior_ibp, concentration = \(x) prior_ibp(1, x),
    weights = \(x) fit_choice(celebrities, x), bias = \(x) fit_logistic(diag(2), bias = x),
    sigma_x = \(x) fit_gaussian(diag(2), sigma_x = x)
  )
  for (n in seq_along(uses)) {
    expect_refusals(uses[[n]], names(uses)[n], odd)
    expect_error(uses[[n]](odd[[1]]), "a gamma_prior\\(\\), not one made by hand\\.$")
  }
})
