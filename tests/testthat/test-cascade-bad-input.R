# Belief networks: every argument, with values that are not what it must be.

x <- cascade_data(20)

test_that("every argument of fit_cascade() refuses what it cannot be, before anything is drawn", {
  cases <- list(
    x = list(
      NULL, NA, 1, 1:3, "a", list(), sum, factor(1:3), matrix("1"), matrix(1i), x[1, ], x[0, ],
      x[, 0], data.frame(), data.frame(a = "b"), replace(x, 1, NaN), replace(x, 1, Inf),
      replace(x, 1, -Inf), replace(x, 1, 1e300), x[c(1, 1), ], array(1, c(2, 2, 2)),
      cascade_bare(), row_blocks(\(i) x, 1)
    ),
    range = list(
      NA, 1, "a", c("0", "9"), list(0, 9), c(0, NA), c(0, NaN), c(-Inf, 9), c(0, Inf), c(9, 0),
      c(3, 3), 1:3, matrix(0:9), sum, TRUE, c(TRUE, FALSE), range
    ),
    prior = list(
      NULL, NA, 1, "cascade", list(), prior_cascade, gamma_prior(1, 1), prior_ibp(), init_cascade()
    ),
    method = list(
      NULL, NA, 1, "gibbs", list(), method_gibbs, prior_cascade(), method_icm(), method_meibp(),
      method_variational(), method_beam(), method_power_ep()
    ),
    init = list(
      NA, 1, c(70, 20), "a", sum, list(), list(1, 2), diag(20), init_cascade, small_fit(),
      cascade_fit(), init_topics(3), list(init_cascade())
    ),
    seed = not_seeds, verbose = not_flags,
    file = list(NA, 1, "", c("a", "b"), tempdir(), file.path(tempdir(), "no", "file"))
  )
  set.seed(1)
  before <- .Random.seed
  for (name in names(cases)) {
    call <- function(v) {
      arguments <- list(x = x, verbose = FALSE)
      arguments[name] <- list(v)
      do.call(fit_cascade, arguments)
    }
    expect_refusals(call, name, cases[[name]])
  }
  expect_identical(.Random.seed, before)
  expect_error(fit_cascade(), "^`x` must be given\\.$")
})

test_that("data and range that do not go together are refused", {
  expect_error(
    quick_cascade(matrix(2, 3, 3)),
    "^`range` must be given, as the data have no two different entries, not NULL\\.$"
  )
  expect_error(quick_cascade(matrix(NA, 3, 3)), "^`range` must be given, as the data have no two")
  expect_error(
    quick_cascade(x, range = c(3, 9)),
    "^`x` must have entries within `range` \\(3 to 9\\), not one from 2\\.[0-9]+ to 4\\.[0-9]+\\.$"
  )
  expect_error(
    quick_cascade(x, range = c(-9, 4)), "^`x` must have entries within `range` \\(-9 to 4"
  )
})

test_that("hyperparameters are those of the prior; beside it they are taken with a message", {
  prior <- prior_cascade()
  hyper <- c("alpha", "alpha_deep", "concentration")
  expect_false(any(hyper %in% names(formals(fit_cascade))))
  for (name in hyper) {
    part <- stats::setNames(list(2), name)
    text <- sprintf("write `prior = prior_cascade(%s = )`", name)
    expect_message(fit <- do.call(quick_cascade, c(list(x), part)), text, fixed = TRUE)
    expect_identical(fit, quick_cascade(x, prior = do.call(prior_cascade, part)))
    expect_error(
      do.call(quick_cascade, c(list(x, prior = prior), part)),
      sprintf("^`prior` must be left out if `%s` is given, not an object of class", name)
    )
    call <- \(v) suppressMessages(
      do.call(quick_cascade, c(list(x), stats::setNames(list(v), name)))
    )
    expect_refusals(call, name, c(not_positive, "gamma_prior", list(prior_ibp())))
  }
  expect_error(
    quick_cascade(x, rank = 2), "^`rank` must be left out: it is not an argument of fit_cascade"
  )
  expect_identical(quick_cascade(x, prior = prior), quick_cascade(x))
  expect_error(fit_gaussian(x, prior = prior), "^`prior` must be one over a matrix of features")
})

test_that("samplers that it does not have are refused", {
  for (sampler in c("collapsed", "uncollapsed", "gibbs")) {
    expect_error(
      quick_cascade(x, method = brief_cascade(sampler = sampler)), paste0(
        "^`sampler` must be one of \"slice\", \"multiple_try\", \"elliptical\" .*, ",
        sprintf("not \"%s\"\\.$", sampler)
      )
    )
  }
  expect_error(quick_cascade(x, method = brief_cascade(moves = 2)), "^`moves` must be 0 or NULL: ")
})

test_that("starts are networks that the prior and the method allow", {
  expect_refusals(\(v) init_cascade(v), "widths", list(
    NULL, NA, "a", 0, -1, 1.5, c(3, 0), c(3, NA), c(3, Inf), 1e10, list(), sum, TRUE, factor(1),
    c(a = "b"), data.frame(a = 1)
  ))
  expect_refusals(\(v) init_cascade(density = v), "density", c(not_positive, 1.01, 2))
  refused <- function(must, was, ...) {
    expect_error(
      quick_cascade(x, ...), sprintf("^`init` must have at most %s, not one with %d\\.$", must, was)
    )
  }
  refused("2 hidden layers, as `max_layers` says", 3,
    prior = prior_cascade(max_layers = 2), init = init_cascade(c(2, 2, 2))
  )
  refused("9 hidden units, as `max_units` says", 10,
    prior = prior_cascade(max_units = 9), init = init_cascade(c(8, 2))
  )
  refused("4 units in layer 1, as `max_features` says", 5,
    method = brief_cascade(max_features = 4), init = init_cascade(c(5, 2))
  )
  fit <- quick_cascade(x, init = init_cascade(c(8, 5)), method = method_gibbs(1, 1, warmup = 0))
  expect_error(quick_cascade(x, init = fit, prior = prior_cascade(max_units = 3)), "`max_units`")
  expect_error(
    quick_cascade(x[-1, ], init = fit),
    "^`init` must be a fit to data of 19 rows and 8 columns, not one to 20 rows and 8 columns\\.$"
  )
  # The start that nobody asked for goes with everything.
  for (most in 1:3) {
    prior <- prior_cascade(max_layers = 1, max_units = most)
    expect_s3_class(quick_cascade(x, prior = prior), "fit_cascade")
    expect_s3_class(quick_cascade(x, method = brief_cascade(max_features = most)), "fit_cascade")
  }
})

test_that("what is asked of a fit refuses what it cannot be", {
  for (fit in list(cascade_fit(), cascade_gaps())) {
    x <- model_data(fit)
    bad <- list(
      NA, 1, "a", list(), sum, x[0, ], x[, 0], unname(x[, -1]), unname(cbind(x, 1)),
      replace(x, 1, Inf), replace(x, 1, NaN), replace(x, 1, 1e300), matrix("a", 1, 8),
      data.frame(a = "a"), TRUE
    )
    counts <- c(not_ndraws, 1000)
    expect_refusals(\(v) predict(fit, v), "newdata", bad)
    expect_refusals(\(v) predict(fit, ndraws = v), "ndraws", counts)
    expect_refusals(\(v) predict(fit, x, ndraws = v), "ndraws", counts)
    expect_refusals(\(v) predict(fit, x, sweeps = v), "sweeps", not_counts)
    expect_refusals(\(v) predict(fit, sweeps = v), "sweeps", not_counts)
    expect_refusals(\(v) simulate(fit, v), "nsim", not_counts)
    expect_refusals(\(v) simulate(fit, seed = v), "seed", not_seeds)
    expect_refusals(\(v) simulate(fit, rows = v), "rows", not_counts[-1])
    expect_refusals(\(v) simulate(fit, noise = v), "noise", not_flags)
    expect_refusals(\(v) tidy(fit, v), "matrix", c(not_choices, "loadings", "features"))
    expect_refusals(\(v) tidy(fit, conf.level = v), "conf.level", c(not_numbers, 0, 1, -1, 2))
    expect_refusals(\(v) log_lik(fit, ndraws = v), "ndraws", counts)
    expect_refusals(\(v) posterior_predict(fit, ndraws = v), "ndraws", counts)
    expect_refusals(\(v) log_lik(fit, by = v), "by", not_choices)
    for (verb in list(
      summary, glance, tidy, logLik, augment, fitted, residuals, predict, plot, simulate, log_lik,
      posterior_predict
    )) {
      expect_error(verb(fit, nonsense = 1), "`nonsense`")
    }
    expect_refusals(\(v) update(fit, iter = v), "iter", c(not_counts, 1))
  }
  holes <- cascade_gaps()
  full <- replace(model_data(holes), TRUE, 3)
  expect_refusals(\(v) heldout_density(holes, v), "actual", list(
    NULL, NA, 1, "a", list(), sum, full[-1, ], full[, -1], t(full), replace(full, 1, NaN)
  ))
  expect_error(heldout_density(holes), "^`actual` must be given: the full data\\.$")
  expect_error(
    heldout_density(cascade_fit(), cascade_data()),
    "^`fit` must be a fit to data with missing entries\\.$"
  )
})

test_that("networks are of fits by fit_cascade()", {
  for (other in list(NULL, 1, "a", list(), small_fit(), icm_fit(), rcascade(4, 1))) {
    expect_refusals(network, "fit", list(other))
  }
})

test_that("fits say nothing while they run without a terminal, nor with verbose = FALSE", {
  expect_silent(fit_cascade(x, seed = 1, verbose = FALSE, method = brief_cascade()))
  expect_silent(fit_cascade(x, seed = 1, method = brief_cascade()))
})

test_that("ranges that leave doubles and too many visible units are refused", {
  x <- matrix(c(0.1, 0.4, 0.2, 0.9), 2)
  expect_error(fit_cascade(x, range = c(-1e308, 1e308)), "`range` must have ends of at most 1e100")
  expect_error(
    fit_cascade(x * 1e-310),
    "size, not [0-9.e-]+ at most \\(multiply it by a constant\\)\\.$"
  )
  expect_error(rcascade(1e7, 1), "`units` must be at most 1e6")
})
