log_ordered <- function(z, ...) dibp(z, ..., class = "ordered", log = TRUE)

test_that("the probability of two customers with one common dish agrees with a hand calculation", {
  z <- matrix(1, 2, 1)
  expect_equal(dibp(z, 1), exp(-1) * (1 / 2) * exp(-1 / 2))
  # c = 2, d = 0.5. The dish is taken again with probability (1 - d) / (1 + c) = 1/6. The number of
  # new dishes is then Poisson(5/3).
  expect_equal(dibp(z, 2, 2, 0.5), 2 * exp(-2) * (1 / 6) * exp(-5 / 3))
})

test_that("the probability of a matrix without features is the probability of no dishes", {
  for (class in c("lof", "shifted", "ordered")) {
    expect_equal(dibp(matrix(0, 3, 0), 2, class = class), exp(-2 * (1 + 1 / 2 + 1 / 3)))
  }
})

test_that("the probabilities of all classes with up to K features sum to P(K+ <= K)", {
  for (p in ibp_variants) {
    for (n in 2:3) {
      largest <- c(10, 6)[n - 1]
      classes <- unlist(lapply(0:largest, \(k) all_classes(n, k)), FALSE)
      mass <- vapply(classes, dibp, 1, alpha = 0.8, concentration = p[["c"]], discount = p[["d"]])
      mean <- 0.8 * sum(printed_rates(n, p[["c"]], p[["d"]]))
      expect_equal(sum(mass), ppois(largest, mean), tolerance = 1e-12)
      expect_gt(sum(mass), 0.99)
    }
  }
})

test_that("with one parameter, dibp() is the formula of Griffiths and Ghahramani", {
  z <- rbind(c(1, 1, 0, 0), c(1, 1, 1, 1), c(1, 1, 1, 0))
  m <- colSums(z)
  printed <- 1.7^4 / 2 * exp(-1.7 * (1 + 1 / 2 + 1 / 3)) *
    prod(factorial(3 - m) * factorial(m - 1) / factorial(3))
  expect_equal(dibp(z, 1.7), printed)
  expect_equal(dibp(z, 1.7, class = "shifted"), printed * 2 / factorial(4))
})

test_that("with two parameters, dibp() is the formula of Ghahramani, Griffiths and Sollich", {
  z <- rbind(c(1, 1, 0), c(1, 0, 1), c(0, 0, 1), c(1, 0, 0))
  m <- colSums(z)
  printed <- (1.7 * 2.5)^3 * exp(-1.7 * sum(2.5 / (2.5 + 0:3))) * prod(beta(m, 4 - m + 2.5))
  expect_equal(dibp(z, 1.7, 2.5), printed)
})

#' The buffet as it is usually described: customer by customer and dish by dish
walk_buffet <- function(z, alpha, c, d) {
  rates <- alpha * printed_rates(nrow(z), c, d)
  out <- 0
  for (n in seq_len(nrow(z))) {
    m <- colSums(z[seq_len(n - 1), , drop = FALSE])
    old <- m > 0
    p <- (m[old] - d) / (n - 1 + c)
    out <- out + sum(log(ifelse(z[n, old] == 1, p, 1 - p))) +
      dpois(sum(z[n, !old]), rates[n], log = TRUE)
  }
  out
}

test_that("the class \"ordered\" has the probability of the customers' choices one by one", {
  set.seed(2)
  for (p in ibp_variants) {
    for (i in 1:20) {
      z <- ribp(6, 2, p[["c"]], p[["d"]])
      expect_equal(
        log_ordered(z, 2, p[["c"]], p[["d"]]), walk_buffet(z, 2, p[["c"]], p[["d"]]),
        tolerance = 1e-10
      )
    }
  }
})

test_that("the probability of a class is the sum over the reorderings of its columns", {
  for (z in list(
    from_histories(c(7, 5, 5, 1), 3), from_histories(c(6, 6, 6), 3), from_histories(c(4, 3, 1), 3)
  )) {
    total <- function(class) sum(vapply(reorderings(z), dibp, 1, 1.5, 2, 0.3, class))
    expect_equal(total("ordered"), dibp(z, 1.5, 2, 0.3))
    expect_equal(total("shifted"), dibp(z, 1.5, 2, 0.3))
  }
})

test_that("a matrix that the sequential buffet cannot produce has probability 0", {
  expect_identical(dibp(rbind(0:1, 1:0), 1, class = "ordered"), 0)
  expect_identical(log_ordered(rbind(1:0, 1:0), 1), -Inf)
  expect_gt(dibp(rbind(1:0, 0:1), 1, class = "ordered"), 0)
})

test_that("the probability of a class ignores empty columns and the order of the rows", {
  set.seed(3)
  z <- ribp(6, 3, 2, 0.3)
  for (class in c("lof", "shifted")) {
    p <- dibp(z, 3, 2, 0.3, class)
    expect_equal(dibp(cbind(0, z, 0), 3, 2, 0.3, class), p)
    expect_equal(dibp(z[c(4, 1, 6, 2, 3, 5), ], 3, 2, 0.3, class), p)
  }
})

test_that("log = TRUE returns the logarithm, which is finite even if the probability underflows", {
  z <- matrix(1, 3, 1)
  expect_equal(dibp(z, 2, log = TRUE), log(dibp(z, 2)))
  set.seed(4)
  large <- ribp(500, 20)
  expect_identical(dibp(large, 20), 0)
  expect_true(is.finite(dibp(large, 20, log = TRUE)))
  for (c in c(1e-300, 1e300)) expect_true(is.finite(dibp(z, 2, c, log = TRUE)))
})
