draws <- function(n, rows, ...) {
  set.seed(1)
  lapply(seq_len(n), \(i) ribp(rows, ...))
}

test_that("ribp() returns an integer matrix with dishes in order of appearance", {
  for (z in draws(sized(50, 200), 5, 2, 1, 0.3)) {
    expect_true(is.integer(z) && nrow(z) == 5 && all(z %in% 0:1))
    first <- apply(z == 1, 2, which.max)
    expect_true(all(colSums(z) > 0) && identical(first, sort(first)))
  }
})

test_that("a single row and an empty buffet work", {
  expect_true(all(ribp(1, 5) == 1))
  set.seed(1)
  expect_identical(ribp(3, 1e-12), matrix(0L, 3, 0))
})

test_that("the number of dishes is Poisson, and its mean is alpha times the sum of the rates", {
  for (p in ibp_variants) {
    z <- draws(3000, 6, 1.3, p[["c"]], p[["d"]])
    expect_poisson(vapply(z, ncol, 1L), 1.3 * sum(printed_rates(6, p[["c"]], p[["d"]])))
  }
})

test_that("without a discount, every row has Poisson(alpha) dishes", {
  for (concentration in c(1, 0.3, 4)) {
    z <- draws(3000, 6, 1.3, concentration)
    for (row in c(1, 2, 6)) expect_poisson(vapply(z, \(z) sum(z[row, ]), 1), 1.3)
  }
})

test_that("the numbers of dishes with j takers are independent Poisson(alpha / j) variables", {
  z <- draws(3000, 5, 1.7)
  counts <- vapply(z, \(z) tabulate(colSums(z), 5), double(5))
  for (j in 1:5) expect_poisson(counts[j, ], 1.7 / j)
  expect_lt(max(abs(cor(t(counts))[upper.tri(diag(5))])), 4.5 / sqrt(3000))
})

test_that("left-ordered forms of ribp() have the probabilities of dibp()", {
  classes <- unlist(lapply(0:3, \(k) all_classes(3, k)), FALSE)
  for (p in ibp_variants) {
    mass <- vapply(classes, dibp, 1, alpha = 0.6, concentration = p[["c"]], discount = p[["d"]])
    expect_classes(draws(sized(3000, 6000), 3, 0.6, p[["c"]], p[["d"]]), classes, mass)
  }
})

test_that("the rates neither overflow nor lose digits by cancellation", {
  expect_equal(ibp_rates(7, 0.7, 0.4), printed_rates(7, 0.7, 0.4), tolerance = 1e-12)
  expect_equal(ibp_rates(1000, 1, 0), 1 / (1:1000), tolerance = 1e-12)
  expect_equal(ibp_rates(5, 1e12, 0.5), rep(1, 5), tolerance = 1e-11)
})
