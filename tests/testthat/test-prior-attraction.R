test_that("an attraction prior prints as its formula", {
  d <- dist(1:4)
  expect_identical(format(prior_attraction(d)), c(
    "Z ~ AIBD(distances of 4 rows, alpha, temperature)", "alpha ~ Gamma(shape = 1, rate = 1)",
    "temperature ~ Gamma(shape = 2, rate = 1)"
  ))
  expect_identical(
    format(prior_attraction(d, 2, 0.5, "reciprocal", 4:1)),
    "Z ~ AIBD(distances of 4 rows, alpha = 2, temperature = 0.5, decay = reciprocal, order given)"
  )
})

test_that("the probabilities of all classes with k columns sum to the probability of k features", {
  set.seed(1)
  for (case in list(list(n = 3, most = 4), list(n = 4, most = sized(2, 3)))) {
    d <- random_distance(case$n)
    order <- sample(case$n)
    for (temperature in c(0, 1, 5)) {
      for (k in 0:case$most) {
        of_class <- function(z) dattraction(z, d, 0.7, temperature, order = order)
        total <- sum(vapply(all_classes(case$n, k), of_class, 0))
        expect_equal(total, dpois(k, 0.7 * sum(1 / seq_len(case$n))), tolerance = 1e-12)
      }
    }
  }
})

test_that("dattraction() equals the product that defines it", {
  set.seed(2)
  for (i in 1:200) {
    n <- sample(2:6, 1)
    d <- random_distance(n)
    z <- matrix(rbinom(4 * n, 1, 0.5), n)
    z <- cbind(z, z[, 2])
    z <- z[, colSums(z) > 0, drop = FALSE]
    decay <- sample(c("exponential", "reciprocal"), 1)
    temperature <- runif(1, 0, 4)
    order <- sample(n)
    alpha <- runif(1, 0.2, 4)
    expected <- naive_attraction(z, similarity(d, temperature, decay), alpha, order)
    log_p <- dattraction(z, d, alpha, temperature, decay, order, log = TRUE)
    expect_lt(abs(log_p - log(expected)), 1e-10)
    expect_equal(dattraction(cbind(0, z), d, alpha, temperature, decay, order), expected)
  }
})

test_that("at temperature 0, or if all distances are equal, dattraction() is dibp()", {
  set.seed(3)
  for (n in c(1, 2, 5, 50)) {
    z <- ribp(n, 3)
    z <- cbind(z, z[, seq_len(min(2, ncol(z))), drop = FALSE], 0)
    d <- as.matrix(random_distance(n))
    value <- dibp(z, 1.7, log = TRUE)
    expect_equal(dattraction(z, d, 1.7, 0, log = TRUE), value, tolerance = 1e-12)
    equal <- 2 - 2 * diag(n)
    expect_equal(
      dattraction(z, equal, 1.7, 3, order = sample(n), log = TRUE), value, tolerance = 1e-12
    )
  }
})

test_that("rows are matched by name, and the order follows the rows of `z`", {
  set.seed(4)
  z <- `rownames<-`(ribp(6, 3), letters[1:6])
  d <- as.matrix(random_distance(6))
  value <- dattraction(z, d, 2, 1)
  dimnames(d) <- list(letters[1:6], letters[1:6])
  expect_identical(dattraction(unname(z), d, 2, 1), value)
  mixed <- sample(6)
  expect_equal(dattraction(z, d[mixed, mixed], 2, 1), value)
  expect_equal(dattraction(z, as.dist(d[mixed, mixed]), 2, 1), value)
  expect_equal(dattraction(z[mixed, ], d, 2, 1, order = order(mixed)), value)
  expect_equal(dattraction(z[, rev(seq_len(ncol(z)))], d, 2, 1), value)
  expect_identical(dattraction(as.data.frame(z), d, 2, 1), value)
})

test_that("log probabilities do not underflow at high temperatures", {
  d <- dist(c(0, 1, 3))
  # The third row takes the dish of the first row but not the dish of the second row, with
  # probability 2/3 exp(-t) up to smaller terms.
  z <- cbind(c(1, 0, 1), c(0, 1, 0))
  expect_equal(
    dattraction(z, d, 1, 1e4, log = TRUE),
    -sum(1 / 1:3) + log(1 / 2) + log(1 / 2) + log(2 / 3) - 1e4 + log(1 / 3)
  )
})

test_that("the numbers of each kind of column in rattraction() are independent Poisson variables", {
  set.seed(5)
  d <- random_distance(3)
  order <- c(2, 3, 1)
  kinds <- histories(3)
  for (decay in c("exponential", "reciprocal")) {
    s <- similarity(d, 1.5, decay)
    drawn <- replicate(sized(4000, 20000), rattraction(d, 1.3, 1.5, decay, order), FALSE)
    counts <- t(vapply(drawn, function(z) tabulate(to_histories(z), 7), numeric(7)))
    expected <- 1.3 * apply(kinds, 2, naive_attracted, s, order)
    for (h in 1:7) expect_poisson(counts[, h], expected[h])
    expect_lt(max(abs(cor(counts)[upper.tri(diag(7))])), 4.8 / sqrt(length(drawn)))
    # Counts of each class.
    classes <- unlist(lapply(0:2, \(k) all_classes(3, k)), FALSE)
    expect_classes(drawn, classes, vapply(classes, dattraction, 0, d, 1.3, 1.5, decay, order))
  }
})

test_that("if no order is given, each matrix has a random order with equal probabilities", {
  set.seed(6)
  d <- random_distance(3)
  s <- similarity(d, 2)
  drawn <- replicate(sized(4000, 20000), rattraction(d, 0.8, 2), FALSE)
  classes <- unlist(lapply(0:2, \(k) all_classes(3, k)), FALSE)
  of_class <- function(z) {
    mean(vapply(permutations(3), \(p) dattraction(z, d, 0.8, 2, order = p), 0))
  }
  expect_classes(drawn, classes, vapply(classes, of_class, 0))
})

test_that("the number of features has the distribution of the IBP at every temperature", {
  set.seed(7)
  d <- random_distance(6)
  for (temperature in c(0, 1, 5)) {
    z <- replicate(sized(2000, 10000), rattraction(d, 1.3, temperature), FALSE)
    expect_poisson(vapply(z, ncol, 1L), 1.3 * sum(1 / 1:6))
  }
})

test_that("rattraction() returns a named integer matrix with dishes in order of appearance", {
  set.seed(8)
  d <- as.dist(`dimnames<-`(as.matrix(random_distance(5)), list(letters[1:5], letters[1:5])))
  for (i in 1:25) {
    order <- sample(5)
    z <- rattraction(d, 2, 3, order = order)
    expect_true(is.integer(z) && all(z %in% 0:1) && all(colSums(z) > 0))
    expect_identical(dimnames(z), list(letters[1:5], NULL))
    expect_false(is.unsorted(apply(z[order, , drop = FALSE] == 1, 2, which.max)))
  }
  expect_identical(dim(rattraction(matrix(0), 1e-12, 1)), 1:0)
})

test_that("at a high temperature, each row copies the closest of the earlier rows", {
  set.seed(9)
  d <- dist(c(0, 10, 1, 11))
  z <- replicate(2000, rattraction(d, 2, 100, order = 1:4), FALSE)
  # The fourth row is close to the second one and has each of its dishes with probability 3/4.
  taken <- unlist(lapply(z, \(z) z[4, z[2, ] == 1]))
  expect_mean(taken, 3 / 4, sd = sqrt(3) / 4)
})

test_that("simulate() of an attraction prior draws alpha, temperature and order every time", {
  d <- random_distance(4)
  z <- simulate(prior_attraction(d, gamma_prior(2, 3), gamma_prior(3, 2)), nsim = 4000, seed = 1)
  expect_gt(ks.test(vapply(z, attr, 1, "alpha"), "pgamma", 2, 3)$p.value, 1e-4)
  expect_gt(ks.test(vapply(z, attr, 1, "temperature"), "pgamma", 3, 2)$p.value, 1e-4)
  p <- prior_n_features(prior_attraction(d, gamma_prior(2, 3)), 4, 0:60)
  expect_equal(sum(p), 1)
  expect_law(vapply(z, ncol, 1L), \(k) p[k + 1])
  expect_refusals(\(x) simulate(prior_attraction(d), rows = x), "rows", c(not_counts[-1], 3, 5))
})

test_that("input without distances is rejected with a one-line error", {
  d <- as.matrix(dist(1:3))
  bad <- list(
    NULL, NA, 1:3, "a", list(), d[, 1:2], d[0, 0], replace(d, 2, NA), replace(d, 2, -1),
    replace(d, 2, 3), d + diag(3), array(0, c(2, 2, 2)), data.frame(d), d == 0,
    `dimnames<-`(d, list(letters[1:3], letters[3:1])),
    `dimnames<-`(d, list(c("a", "a", "b"), NULL))
  )
  expect_refusals(\(x) prior_attraction(x), "distance", bad)
  expect_refusals(\(x) rattraction(x, 1, 1), "distance", bad)
  expect_refusals(\(x) dattraction(diag(3), x, 1, 1), "distance", c(bad, list(dist(1:4))))
  expect_error(
    prior_attraction(replace(d, 2, -1)),
    "^`distance` must have finite entries of at least 0, not -1 at row 2, column 1\\.$"
  )
  expect_error(
    prior_attraction(exp(-d)), "^`distance` must have zeros on its diagonal, not 1\\.$"
  )
  expect_error(prior_attraction(dist(c(1, 1, 2)), decay = "rec"), "distances above 0 with `decay")
  not_temperatures <- Filter(\(x) !identical(x, 0), not_positive)
  expect_refusals(\(x) rattraction(d, 1, x), "temperature", not_temperatures)
  expect_refusals(\(x) rattraction(d, x, 1), "alpha", not_positive)
  expect_refusals(\(x) rattraction(d, 1, 1, x), "decay", not_choices)
  orders <- list(1:2, 1:4, c(1, 1, 2), c(0, 1, 2), c(1.5, 2, 3), "a", NA, c(1, 2, NA), letters[1:3])
  expect_refusals(\(x) prior_attraction(d, order = x), "order", orders)
  expect_refusals(\(x) dattraction(diag(3), d, 1, 1, order = x), "order", c(list(NULL), orders))
  expect_refusals(\(x) prior_attraction(d, temperature = x), "temperature", list(-1, NA, "a", NULL))
})
