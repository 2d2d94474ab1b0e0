# method_meibp(): every argument, with values that are not what it must be, and data at the edge.

x <- bare(easy_data())

test_that("every argument of method_meibp() refuses what it cannot be", {
  cases <- list(
    max_features = not_counts, restarts = not_counts, threads = not_counts,
    tol = c(not_numbers, 0, 1, -1, 2), search = not_choices, update = not_choices
  )
  for (name in names(cases)) {
    expect_refusals(
      \(v) do.call(method_meibp, stats::setNames(list(v), name)), name, cases[[name]]
    )
  }
  expect_identical(method_meibp(10, 1, 1e-7, "climb", 1, "sweep"), method_meibp(10L))
  expect_identical(method_meibp(search = "loc")$search, "local")
})

test_that("method_meibp() says what it is in one line", {
  expect_output(print(method_meibp()), "^MEIBP: at most 20 features, tolerance 1e-07$")
  expect_output(
    print(method_meibp(5, 3, 1e-4, "double_greedy")),
    "^MEIBP: at most 5 features, 3 restarts, tolerance 0.0001, double greedy search$"
  )
  expect_output(print(method_meibp(update = "row")), ", loadings updated row by row$")
})

test_that("models that it has no maximisation for are refused before anything is drawn", {
  set.seed(1)
  before <- .Random.seed
  refused <- function(name, must, ...) {
    expect_error(
      quick_point(x, ..., seed = NULL),
      sprintf("^`%s` must be %s[^\n]*, not [^\n]+\\.$", name, must)
    )
  }
  refused("loadings", "\"nonnegative\" for method_meibp\\(\\)", loadings = "normal")
  expect_error(
    fit_gaussian(x, method = method_meibp()), "^`loadings` must be \"nonnegative\" for method_meibp"
  )
  learned <- gamma_prior(1, 1)
  refused("concentration", "one number for method_meibp\\(\\)", prior = prior_ibp(1, learned))
  refused(
    "concentration", "one number for method_meibp\\(\\)",
    prior = prior_beta_bernoulli(3, 1, learned)
  )
  refused(
    "alpha", "one number for method_meibp\\(\\) with prior_beta_bernoulli\\(\\)",
    prior = prior_beta_bernoulli(3)
  )
  expect_error(
    quick_point(x, init = list(alpha = 2)), "^`init` must not give `alpha` for method_meibp\\(\\), "
  )
  most <- "at most 1e10 for method_meibp\\(\\)"
  refused("concentration", most, prior = prior_ibp(1, 1e11))
  refused("concentration", most, prior = prior_beta_bernoulli(3, 1, 1e11))
  refused("alpha", most, prior = prior_beta_bernoulli(3, 1e11))
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_error(quick_point(sparse, center = TRUE), "^`center` must be FALSE for a sparse `x`")
  expect_identical(.Random.seed, before)
})

test_that("data that cannot be fitted are refused", {
  expect_refusals(\(v) quick_point(v), "x", list(
    NULL, NA, 1, 1:3, "a", list(), sum, factor(1:3), matrix("1"), matrix(1i), x[0, ], x[, 0],
    data.frame(), replace(x, 1, NaN), replace(x, 1, Inf), replace(x, 1, -Inf),
    replace(x, 1, 1e300), replace(x, 1:2, c(NA, 1e101)), data.frame(a = "1"), x[c(1, 1), ], x * NA
  ))
  expect_refusals(\(v) quick_point(x, sigma_x = v), "sigma_x", c(not_positive[-1], 1e-300, 1e300))
  expect_refusals(\(v) quick_point(x, sigma_a = v), "sigma_a", c(not_positive[-1], 1e-300, 1e300))
  expect_refusals(\(v) quick_point(x, seed = v), "seed", not_seeds)
  expect_refusals(
    \(v) quick_point(x * 1e3, sigma_x = 1, sigma_a = v), "sigma_a", list(1e-3, 1, 10)
  )
  expect_refusals(\(v) quick_point(x, file = v), "file", list(NA, 1, "", c("a", "b"), list("a")))
})

test_that("starting points that do not fit the data or the model are refused", {
  z <- matrix(1, 30, 1)
  expect_refusals(\(v) quick_point(x, init = v), "init", list(
    NA, 1, "a", sum, 1:30, matrix(1, 29, 1), matrix(2, 30, 1), matrix(NA, 30, 1), list(),
    list(z, z), list(zeta = z), list(features = z, gamma = 1), prior_ibp(), method_meibp()
  ))
  expect_refusals(\(v) quick_point(x[1:5, ], init = v), "init", list(easy_point()))
  for (name in c("alpha", "sigma_x", "sigma_a")) {
    call <- function(v) quick_point(x, init = stats::setNames(list(v), name))
    expect_refusals(call, sprintf("init\\$%s", name), not_positive)
  }
  expect_refusals(
    \(v) quick_point(x, init = v, sigma_x = 1), "init", list(list(sigma_x = 2))
  )
  expect_refusals(
    \(v) quick_point(x, init = v, prior = prior_beta_bernoulli(2, 1)), "init",
    list(diag(30), easy_point())
  )
})

test_that("what is asked of a fit refuses what it cannot be", {
  fit <- holes_point()
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
  expect_error(
    heldout_density(easy_point(), x), "^`fit` must be a fit to data with missing entries\\.$"
  )
  expect_identical(heldout_density(fit, x * NA), rep(NA_real_, 20))
  expect_refusals(\(v) plot(fit, v), "type", not_choices)
  expect_refusals(\(v) plot(fit, "loadings", dim = v), "dim", list(NA, 6, c(1, 5), c(-2, -3), "a"))
  for (verb in list(objective, summary, glance, tidy, logLik, augment, fitted, residuals)) {
    expect_error(verb(fit, nonsense = 1), "`nonsense`|unused argument")
  }
})

test_that("data at the edge have a fit, whose bound is that of its definition", {
  none <- function(at) replace(x, at, NA)
  cases <- list(
    one_row = x[1, , drop = FALSE], one_column = x[, 1, drop = FALSE], one = matrix(2),
    zero = matrix(0), zeros = 0 * x, constant = 0 * x + 3, negative = -x,
    constant_column = cbind(x, 7), zero_column = cbind(x, 0), one_left = replace(x * NA, 7, 2),
    no_column = none(cbind(1:30, 2)), no_row = none(cbind(3, 1:6)),
    no_row_nor_column = none(rbind(cbind(1:30, 2), cbind(3, 1:6))),
    twins = unname(x[rep(1:5, 6), ]), flags = x > 1, counts = matrix(rep(0:9, 6), 20),
    tiny = x * 1e-50, huge = x * 1e50, hugest = x / max(x) * 1e100
  )
  for (case in names(cases)) {
    fit <- quick_point(cases[[case]])
    expect_true(is.finite(bound_of(fit)), label = case)
    expect_equal(bound_of(fit), bound_by_definition(fit), tolerance = 1e-8, label = case)
    expect_identical(dim(fitted(fit)), dim(cases[[case]]))
    expect_true(all(is.finite(fitted(fit))), label = case)
    expect_true(all(loadings_of(fit) >= 0), label = case)
  }
  names <- structure(x, dimnames = list(NULL, rep("a", 6)))
  expect_identical(bound_of(quick_point(names)), bound_of(easy_point()))
  expect_identical(ncol(features(quick_point(-x))), 0L)
  expect_identical(ncol(features(quick_point(0 * x))), 0L)
  # A row that nobody has seen holds what most hold.
  fit <- quick_point(cases$no_row)
  expect_identical(unname(features(fit)[3, ]), as.integer(colSums(features(fit)) > 15))
})

test_that("an entry beside which the others are rounding leaves noise of the size of rounding", {
  for (size in c(1e10, 1e99)) {
    fit <- quick_point(replace(x, 3, size))
    expect_true(is.finite(bound_of(fit)))
    # The residual is known to 1e-12 of the sum of squares.
    expect_gte(glance(fit)$sigma_x, 0.99 * size * 1e-6 / sqrt(length(x) + 2))
  }
})

test_that("hyperparameters at the ends of their ranges end in a finite fit", {
  finite <- function(...) {
    fit <- quick_point(x, ...)
    expect_true(is.finite(bound_of(fit)))
    expect_true(all(is.finite(fitted(fit))))
  }
  for (sigma_x in c(1, 1e10, 1e100)) finite(sigma_x = sigma_x, sigma_a = 1)
  finite(sigma_x = 1e100, sigma_a = 1e100)
  finite(sigma_a = 1e100)
  finite(sigma_a = 1e-100)
  for (value in c(1e-300, 1, 1e10)) {
    finite(prior = prior_ibp(1, concentration = value))
    finite(prior = prior_beta_bernoulli(3, value))
    finite(prior = prior_beta_bernoulli(3, 1, concentration = value))
  }
  for (value in c(1e-300, 1e300)) finite(prior = prior_ibp(value))
  finite(prior = prior_beta_bernoulli(.Machine$integer.max, 1))
  for (prior in list(gamma_prior(1e-300, 1), gamma_prior(1, 1e-300), gamma_prior(1, 1e300))) {
    finite(sigma_x = prior)
    finite(sigma_a = prior)
    finite(prior = prior_ibp(prior))
  }
})

test_that("more threads and features than there can be do no harm", {
  expect_identical(quick_point(x, method = method_meibp(threads = 1000)), easy_point())
  for (most in c(100, .Machine$integer.max)) {
    many <- quick_point(x, method = method_meibp(most))
    expect_identical(features(many), features(easy_point()))
    expect_bound(many)
  }
})

test_that("fits say nothing while they run without a terminal, nor with verbose = FALSE", {
  run <- function(...) {
    fit_gaussian(x, "nonnegative", method = method_meibp(), seed = 1, ...)
  }
  expect_silent(run(verbose = FALSE))
  expect_silent(run())
  withr::local_options(cli.dynamic = TRUE, cli.progress_show_after = 0,
    cli.progress_handlers_only = "logger")
  shown <- utils::capture.output(run())
  expect_match(shown, "updated$", all = FALSE)
  expect_identical(utils::capture.output(fit <- run(verbose = FALSE)), character())
})
