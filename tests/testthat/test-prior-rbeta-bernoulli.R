test_that("the probability of a matrix is the integral over the features' probabilities", {
  z <- cbind(c(1, 0, 1), c(0, 0, 0), c(1, 1, 1))
  a <- 1.7 * 2.5 / 3
  column <- function(k) {
    m <- sum(z[, k])
    integrate(\(p) dbeta(p, a, 2.5) * p^m * (1 - p)^(3 - m), 0, 1, rel.tol = 1e-10)$value
  }
  expect_equal(
    dbeta_bernoulli(z, 1.7, 2.5, class = "ordered"), prod(vapply(1:3, column, 1)), tolerance = 1e-8
  )
})

test_that("concentration 1 is equation 28 of the paper", {
  z <- cbind(c(1, 0, 1), c(0, 0, 0), c(1, 1, 1))
  a <- 1.7 / 3
  m <- colSums(z)
  printed <- prod(a * gamma(m + a) * gamma(3 - m + 1) / gamma(3 + 1 + a))
  expect_equal(dbeta_bernoulli(z, 1.7, class = "ordered"), printed)
})

test_that("an infinite concentration makes the entries independent", {
  # In both columns pi -> (alpha / K) / (1 + alpha / K) = 1/3.
  for (c in c(1e10, 1e300)) {
    p <- dbeta_bernoulli(diag(2), 1, c, class = "ordered")
    expect_equal(p, (1 / 3 * 2 / 3)^2, tolerance = 1e-9)
  }
})

test_that("probabilities of classes are sums over all matrices of the same form", {
  matrices <- all_matrices(3, 3)
  p <- vapply(matrices, dbeta_bernoulli, 1, alpha = 1.7, concentration = 2.5, class = "ordered")
  expect_equal(sum(p), 1)
  forms <- list(
    lof = vapply(matrices, \(z) paste(sort(to_histories(z)), collapse = " "), ""),
    shifted = vapply(matrices, \(z) paste(Filter(sign, to_histories(z)), collapse = " "), "")
  )
  for (class in names(forms)) {
    form <- match(forms[[class]], forms[[class]])
    direct <- vapply(matrices[unique(form)], dbeta_bernoulli, 1, 1.7, 2.5, class = class)
    expect_equal(direct, as.vector(rowsum(p, form, reorder = FALSE)))
  }
})

test_that("dbeta_bernoulli() adds empty columns to reach `n_features`", {
  z <- cbind(c(1, 0, 1), c(0, 1, 1))
  for (class in c("lof", "shifted", "ordered")) {
    expect_equal(
      dbeta_bernoulli(z, 1.7, 2.5, n_features = 5, class = class, log = TRUE),
      dbeta_bernoulli(cbind(z, 0, 0, 0), 1.7, 2.5, class = class, log = TRUE)
    )
  }
  expect_equal(dbeta_bernoulli(matrix(0, 3, 0), 2, n_features = 1), beta(2, 4) / beta(2, 1))
})

test_that("as the number of features grows, the distribution becomes the IBP", {
  set.seed(1)
  z <- ribp(6, 2)
  for (c in c(1, 2.5)) {
    for (class in c("lof", "shifted")) {
      finite <- dbeta_bernoulli(z, 2, c, n_features = 1e5, class = class, log = TRUE)
      expect_lt(abs(finite - dibp(z, 2, c, class = class, log = TRUE)), 1e-3)
    }
  }
})

test_that("matrices from rbeta_bernoulli() have the probabilities of dbeta_bernoulli()", {
  set.seed(1)
  n <- 6000
  seen <- replicate(n, sum(rbeta_bernoulli(2, 2, 1.4, 2) * c(1, 2, 4, 8)))
  p <- vapply(all_matrices(2, 2), dbeta_bernoulli, 1, 1.4, 2, class = "ordered")
  expect_chisq(tabulate(seen + 1, 16), p)
})

test_that("rbeta_bernoulli() returns an integer matrix and keeps empty columns", {
  set.seed(1)
  expect_identical(rbeta_bernoulli(3, 4, 1e-9), matrix(0L, 3, 4))
  expect_identical(dim(rbeta_bernoulli(1, 1, 1)), c(1L, 1L))
})

test_that("shapes of beta distributions that are not numbers are rejected", {
  z <- diag(2)
  refused <- "at most 1e300, not 1e\\+"
  for (use in list(
    function(...) dbeta_bernoulli(z, ...), function(...) rbeta_bernoulli(3, 2, ...),
    function(...) prior_beta_bernoulli(2, ...)
  )) {
    expect_error(use(1e10, 1e300), paste0("^`concentration` must be such .* ", refused))
    expect_error(use(1e308), paste0("^`alpha` must be such .* ", refused))
    expect_error(use(1, 1e308), refused)
  }
  expect_error(prior_ibp(1, 1e308), "^`concentration` must be one number above 0 and at most 1e300")
  learned <- prior_beta_bernoulli(2, gamma_prior(1, 1), 1e300)
  expect_identical(learned$concentration, 1e300)
})
