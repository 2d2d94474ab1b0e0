# Data that are read block by block give the same fit as data in memory, and errors are never
# silent.

x <- bare(easy_data())
holes <- easy_holes()

#' Expects the same features and bound, after fewer iterations because the start comes from few rows
expect_same_optimum <- function(fit, other, tolerance = 1e-6) {
  expect_identical(features(fit), features(other))
  expect_equal(bound_of(fit), bound_of(other), tolerance = tolerance)
  expect_equal(loadings_of(fit), loadings_of(other), tolerance = 1e-3)
}

test_that("a fit of blocks equals the fit of the same data in memory", {
  for (ends in list(30, c(10, 30), c(1, 2, 29, 30), seq_len(30))) {
    expect_same_optimum(quick_point(in_blocks(x, ends)), easy_point())
    expect_same_optimum(quick_point(in_blocks(holes, ends)), holes_point())
  }
})

test_that("the bound of blocks agrees with its definition", {
  for (data in list(x, holes)) {
    fit <- quick_point(in_blocks(data), prior = prior_ibp(2, 2, 0.2), sigma_a = 1.5)
    expect_equal(bound_of(fit), bound_by_definition(fit, data), tolerance = 1e-8)
    expect_gte(min(diff(objective(fit))), 0)
  }
})

test_that("with more than 2000 rows, the result for a subset is extended to all rows", {
  images <- bare(withr::with_seed(1, sim_images(6000)))
  memory <- quick_point(images)
  blocks <- quick_point(in_blocks(images, c(2500, 4000, 6000)))
  for (fit in list(memory, blocks)) {
    expect_identical(ncol(features(fit)), 4L)
    expect_equal(bound_of(fit), bound_by_definition(fit, images), tolerance = 1e-8)
  }
  expect_equal(bound_of(blocks), bound_of(memory), tolerance = 1e-5)
  expect_identical(
    features(quick_point(in_blocks(images, c(3000, 6000)), method = method_meibp(cores = 2))),
    features(blocks)
  )
})

test_that("blocks may be data frames or sparse matrices, with or without names", {
  as_is <- quick_point(in_blocks(holes))
  expect_identical(quick_point(in_blocks(holes, form = as.data.frame))$mean, as_is$mean)
  sparse <- quick_point(in_blocks(holes, form = \(b) Matrix::Matrix(b, sparse = TRUE)))
  expect_same_optimum(sparse, as_is, 1e-12)
  bare_names <- in_blocks(unname(x))
  expect_null(dimnames(bare_names))
  expect_identical(dimnames(in_blocks(x)), dimnames(x))
  # Row names are used only if all blocks have them.
  half <- row_blocks(function(i) if (i == 1) x[1:10, ] else unname(x)[11:30, ], 2)
  expect_identical(dimnames(half), list(NULL, letters[1:6]))
  expect_identical(rownames(fitted(quick_point(half))), NULL)
})

test_that("matrices, data frames and sparse matrices are split into blocks of rows", {
  for (form in list(identity, as.data.frame, \(x) Matrix::Matrix(x, sparse = TRUE))) {
    blocks <- row_blocks(form(holes), 12)
    expect_identical(blocks$sizes, c(12L, 12L, 6L))
    expect_equal(as.matrix(read_block(blocks, 2)), holes[13:24, ])
    expect_same_optimum(quick_point(blocks), quick_point(in_blocks(holes, c(12, 24, 30))), 1e-12)
  }
  expect_error(row_blocks(x, blocks = 2), "^`blocks` must be left out")
})

test_that("row_blocks() objects have dimensions and print a description", {
  blocks <- in_blocks(x)
  expect_identical(dim(blocks), c(30L, 6L))
  expect_output(print(blocks), "^Data of 30 rows and 6 columns in 2 blocks$")
  expect_output(print(in_blocks(x, 30)), " in 1 block$")
  fit <- quick_point(in_blocks(holes))
  expect_match(
    format(fit)[1], " 30 rows and 6 columns \\(20 entries missing\\), nonnegative loadings$"
  )
})

test_that("functions that need no data in memory work, and others raise a one-line error", {
  fit <- quick_point(in_blocks(holes))
  expect_identical(dimnames(fitted(fit)), dimnames(x))
  expect_identical(predict(fit, x, type = "features"), predict(holes_point(), x, "features"))
  expect_identical(dim(posterior_predict(fit, ndraws = 3)), c(3L, 30L, 6L))
  expect_identical(dimnames(simulate(fit)[[1]]), dimnames(x))
  expect_identical(nobs(fit), 30L)
  expect_identical(glance(fit)$n_columns, 6L)
  utils::capture.output(print(summary(fit)))
  for (type in c("features", "loadings", "trace", "coassignment")) build_plot(plot(fit, type))
  needy <- list(
    "residuals()" = residuals, "augment()" = augment, "log_lik()" = log_lik, "logLik()" = logLik,
    "heldout_density()" = \(fit) heldout_density(fit, x), "this plot" = \(fit) plot(fit, "fit")
  )
  for (what in names(needy)) {
    expect_error(
      needy[[what]](fit), paste(what, "needs data in memory: the fit is to row_blocks()."),
      fixed = TRUE
    )
  }
})

test_that("blocks work only with methods that can read them, and without centring", {
  blocks <- in_blocks(x)
  told <- "^`method` must be method_meibp\\(\\), .* for row_blocks\\(\\), not "
  methods <- list(method_gibbs(1, 9, sampler = "slice"), method_beam(), "gibbs", 3, NULL)
  for (method in methods) expect_error(quick_fit(blocks, method = method), told)
  expect_error(quick_point(blocks, center = TRUE), "^`center` must be FALSE for row_blocks")
  none <- in_blocks(unname(x) * NA)
  expect_error(quick_point(none), "^`x` must have at least one observed entry, not NA ")
  small <- function() quick_point(blocks, sigma_x = 1e-3, sigma_a = 1e-3)
  expect_error(small(), "^`sigma_a` must fit data with root mean")
})

test_that("row_blocks() rejects everything except blocks of one matrix", {
  expect_identical(dim(row_blocks(read = \(i) unname(x), blocks = 2)), c(60L, 6L))
  expect_error(row_blocks(\(i) x, 1, rows = 2), "^`rows` must be left out")
  expect_refusals(\(v) row_blocks(v, 1), "read", list(NULL, NA, 1, "a", list()))
  expect_refusals(\(v) row_blocks(x, v), "rows", list(0, 1.5, "a", NA, c(1, 2)))
  expect_refusals(\(v) row_blocks(\(i) x, v), "blocks", not_counts)
  expect_error(row_blocks(\(i) x, 2), "^`read` must give unique row names or none, not \"row1\"")
  second <- function(value) row_blocks(function(i) if (i == 1) unname(x) else value, 2)
  expect_refusals(second, "read\\(2\\)", list(
    NULL, 1, "a", list(), x[, 1:5], cbind(x, 1), x[0, ], matrix("a", 2, 6), replace(x, 3, Inf),
    replace(x, 3, NaN), replace(x, 3, 1e300), x[c(1, 1), ], factor(1:6)
  ))
  swapped <- function(i) if (i == 1) x[1:10, ] else x[11:30, 6:1]
  same <- "^`read\\(2\\)` must have the same column names as read\\(1\\), not "
  expect_error(row_blocks(swapped, 2), same)
  later <- function(i) if (i == 1) x else stop("no\n such file\n")
  expect_error(row_blocks(later, 2), "^`read\\(2\\)` failed: no such file$")
})

#' Blocks that change after `calls` calls to read()
changing <- function(change, calls = 6) {
  count <- 0
  row_blocks(function(i) {
    count <<- count + 1
    block <- unname(x)
    if (count > calls) change(block) else block
  }, 2)
}

test_that("if blocks have changed, the fit stops with a one-line error", {
  changes <- list(
    \(b) b + 1, \(b) b[1:10, ], \(b) replace(b, 3, NA), \(b) replace(b, 3, NaN), \(b) b[, 1:5],
    \(b) NULL, \(b) b[30:1, ], \(b) replace(b, 3, b[3] * (1 + 1e-15))
  )
  for (calls in c(3, 6, 9)) {
    for (change in changes) {
      expect_error(quick_point(changing(change, calls)), "^`read\\([12]\\)` must [^\n]+\\.$")
    }
  }
  file <- withr::local_tempfile()
  gone <- changing(\(b) stop("disk gone"), 9)
  expect_error(quick_point(gone, file = file), "^`read\\(1\\)` failed: disk gone$")
  # The session is still usable.
  expect_identical(quick_point(x), easy_point())
})
