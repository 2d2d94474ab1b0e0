# The prior over networks: every argument, with values that are not what it must be.

hypers <- c(not_positive, list("gamma", prior_ibp()))

refuse_all <- function(f, defaults, cases) {
  for (name in names(cases)) {
    call <- function(v) {
      arguments <- defaults
      arguments[name] <- list(v)
      do.call(f, arguments)
    }
    expect_refusals(call, name, cases[[name]])
  }
}

test_that("every argument of prior_cascade() refuses what it cannot be", {
  refuse_all(prior_cascade, list(), list(
    alpha = hypers, alpha_deep = hypers, concentration = hypers, max_layers = not_counts,
    max_units = not_counts
  ))
  expect_refusals(\(x) simulate(prior_cascade(), rows = x), "rows", not_counts)
})

test_that("every argument of rcascade() refuses what it cannot be, before anything is drawn", {
  set.seed(1)
  before <- .Random.seed
  refuse_all(rcascade, list(units = 3, alpha = 1), list(
    units = not_counts, alpha = hypers, alpha_deep = hypers,
    concentration = c(not_positive, list(gamma_prior(1, 1))), max_layers = not_counts,
    max_units = not_counts
  ))
  expect_identical(.Random.seed, before)
})

test_that("every argument of dcascade() refuses what it cannot be", {
  z <- list(matrix(1, 3, 1))
  refuse_all(dcascade, list(z = z, alpha = 1), list(
    z = list(NULL, NA, 1, "a", sum, matrix(1, 3, 1), data.frame(a = 1), prior_cascade),
    alpha = hypers, alpha_deep = hypers, concentration = c(not_positive, list(gamma_prior(1, 1))),
    log = not_flags, units = not_counts[-1]
  ))
  expect_refusals(\(x) dcascade(list(), 1, units = x), "units", not_counts)
  expect_refusals(\(x) dcascade(list(x), 1), "z\\[\\[1\\]\\]", not_binary)
})

test_that("layers that do not follow each other are refused in one line", {
  first <- matrix(1, 3, 2)
  expect_refusals(\(x) dcascade(list(first, x), 1), "z\\[\\[2\\]\\]", list(
    matrix(1, 3, 1), matrix(1, 1, 1), diag(3), matrix(0, 2, 1), cbind(c(1, 0), 0), matrix(0, 2, 0)
  ))
  expect_error(
    dcascade(list(first, matrix(1, 3, 1)), 1),
    "^`z\\[\\[2\\]\\]` must have 2 rows, one per unit of the layer, not 3 rows and 1 column\\.$"
  )
  expect_error(
    dcascade(list(first, cbind(1, c(0, 0))), 1),
    "^`z\\[\\[2\\]\\]` must have a one in every column, not none in column 2\\.$"
  )
  expect_refusals(\(x) dcascade(list(first), 1, units = x), "z\\[\\[1\\]\\]", list(2, 4))
})

test_that("every argument of cascade_width() and cascade_depth() refuses what it cannot be", {
  cases <- list(
    k = list(NULL, NA, "a", TRUE, list(1), sum, factor(1), -1, 1.5, c(1, NA), c(1, Inf), 2e7, 1i),
    alpha = hypers, concentration = c(not_positive, list(gamma_prior(1, 1)))
  )
  refuse_all(cascade_width, list(k = 3, alpha = 1), cases)
  cases$k <- c(not_counts, 2e7)
  refuse_all(cascade_depth, list(k = 3, alpha = 1), cases)
})

test_that("no other fit takes a prior over networks", {
  x <- small_data()
  refused <- function(call) expect_refusals(call, "prior", list(prior_cascade()))
  refused(\(v) fit_gaussian(x, prior = v, verbose = FALSE))
  refused(\(v) fit_logistic(x > 0, prior = v, verbose = FALSE))
  refused(\(v) fit_choice(celebrities, prior = v, verbose = FALSE))
  refused(\(v) fit_topics(round(abs(x)) + 1, prior = v, verbose = FALSE))
})

test_that("plot() of a cascade has no further arguments", {
  expect_error(plot(rcascade(2, 1), "network"), "must be left out")
  expect_error(plot(rcascade(2, 1), layer = 1), "^`layer` must be left out")
})

test_that("alphas of which no chain holds a network, and widths beyond doubles, are refused", {
  refused <- "must be, or have a mean of, at most 10000, not"
  expect_error(prior_cascade(1e300), paste("`alpha`", refused))
  expect_error(prior_cascade(1, gamma_prior(1e300, 1)), paste("`alpha_deep`", refused))
  expect_error(cascade_width(3, 1e308), "^`alpha` must be small enough for a mean width that is a")
})
