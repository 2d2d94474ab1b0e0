# Distributions under the prior over networks, compared with sums over all small networks and with
# the Markov chain of widths.

cascades <- function(n, units, ...) {
  set.seed(1)
  lapply(seq_len(n), \(i) rcascade(units, ...))
}

width_of <- function(z, layer = 1) if (length(z) >= layer) ncol(z[[layer]]) else 0L
harmonic <- function(k, c) sum(c / (c + (seq_len(k) - 1)))

#' Probabilities of widths; alpha is a number, or a list of shape and rate
width_mass <- function(j, k, alpha, c) {
  if (!is.list(alpha)) return(dpois(j, alpha * harmonic(k, c)))
  dnbinom(j, alpha$shape, alpha$rate / (alpha$rate + harmonic(k, c)))
}

#' Probability of a left-ordered class, from the published formula
class_mass <- function(z, alpha, c) {
  same <- table(apply(z, 2, paste, collapse = ""))
  m <- colSums(z)
  (alpha * c)^ncol(z) * exp(-alpha * harmonic(nrow(z), c)) / prod(factorial(same)) *
    prod(gamma(m) * gamma(nrow(z) - m + c) / gamma(nrow(z) + c))
}

#' All cascades above a layer of n units, with at most `layers` layers of at most `width` units each
all_cascades <- function(n, layers, width) {
  if (layers == 0) return(list(list()))
  with_width <- function(k) {
    above <- all_cascades(k, layers - 1, width)
    unlist(lapply(all_classes(n, k), \(z) lapply(above, \(rest) c(list(z), rest))), FALSE)
  }
  c(list(list()), unlist(lapply(seq_len(width), with_width), FALSE))
}

test_that("a cascade is a list of left-ordered matrices, each of them above the previous one", {
  for (z in cascades(sized(15, 40), 5, 1.3, 0.9, 2)) {
    rows <- 5L
    for (layer in z) {
      expect_true(is.integer(layer) && nrow(layer) == rows && all(layer %in% 0:1))
      expect_true(all(colSums(layer) > 0))
      expect_identical(layer, left_order(layer))
      rows <- ncol(layer)
    }
    expect_identical(attr(z, "units"), 5L)
    expect_identical(attr(z, "alpha"), c(1.3, rep(0.9, length(z))))
    expect_identical(attr(z, "concentration"), 2)
    expect_s3_class(z, "cascade")
  }
})

test_that("the first layer's width is Poisson, or negative binomial if alpha has a prior", {
  size <- sized(600, 3000)
  for (c in c(1, 0.4, 3)) {
    widths <- vapply(cascades(size, 4, 1.2, 0.1, c), width_of, 1L)
    expect_law(widths, \(j) width_mass(j, 4, 1.2, c))
    widths <- vapply(cascades(size, 4, gamma_prior(2, 1.5), 0.1, c), width_of, 1L)
    expect_law(widths, \(j) width_mass(j, 4, list(shape = 2, rate = 1.5), c))
  }
})

test_that("the width of the second layer depends on the first width and on its own alpha", {
  z <- cascades(sized(2000, 4000), 3, 1.5, gamma_prior(3, 5), 2)
  z <- z[vapply(z, width_of, 1L) == 3]
  second <- vapply(z, width_of, 1L, layer = 2)
  expect_law(second, \(j) width_mass(j, 3, list(shape = 3, rate = 5), 2))
  alpha <- vapply(z, \(z) attr(z, "alpha")[2], 1)
  expect_gt(ks.test(alpha, "pgamma", 3, 5)$p.value, 1e-4)
})

test_that("mean numbers of layers and of units agree with cascade_depth()", {
  for (alpha in list(1, 1.3, gamma_prior(2, 2), gamma_prior(1, 1))) {
    for (c in c(1, 0.5)) {
      z <- cascades(sized(400, 2000), 3, alpha, concentration = c, max_layers = 1000)
      drawn <- vapply(z, \(z) c(length(z), sum(vapply(z, ncol, 1L))), double(2))
      off <- rowMeans(drawn) - cascade_depth(3, alpha, c)
      expect_lt(max(abs(off / (apply(drawn, 1, sd) / sqrt(ncol(drawn))))), 4)
    }
  }
})

test_that("cascades are drawn with the probabilities given by dcascade()", {
  all <- all_cascades(2, layers = 2, width = 2)
  key <- function(z) paste(vapply(z, \(m) paste(c(ncol(m), m), collapse = ""), ""), collapse = " ")
  keys <- vapply(all, key, "")
  for (alpha in list(0.6, gamma_prior(2, 3))) {
    mass <- vapply(all, dcascade, 1, alpha = alpha, concentration = 1.5, units = 2)
    seen <- vapply(cascades(sized(2000, 5000), 2, alpha, concentration = 1.5), key, "")
    seen <- factor(ifelse(seen %in% keys, seen, "more"), c(keys, "more"))
    expect_chisq(as.vector(table(seen)), c(mass, 1 - sum(mass)))
  }
})

test_that("the probabilities of all small cascades sum to the probability of a small one", {
  ends_within <- function(layers, width, alpha, deep, c) {
    p <- outer(1:width, 0:width, Vectorize(\(k, j) width_mass(j, k, deep, c)))
    ended <- rep(0, width)
    for (layer in seq_len(layers)) ended <- p[, 1] + p[, -1, drop = FALSE] %*% ended
    sum(width_mass(0:width, 2, alpha, c) * c(1, ended))
  }
  priors <- list(
    list(0.7, 0.4), list(0.5, gamma_prior(2, 3)), list(gamma_prior(1, 2), gamma_prior(0.3, 0.5))
  )
  for (prior in priors) {
    for (c in sized(2.5, c(1, 0.3, 2.5))) {
      for (size in list(c(3, 2), c(2, 3), c(6, 1))) {
        all <- all_cascades(2, size[1], size[2])
        mass <- vapply(all, dcascade, 1, prior[[1]], prior[[2]], c, units = 2)
        # The last layer has no parents, so the layer above it must be empty.
        exact <- ends_within(size[1], size[2], prior[[1]], prior[[2]], c)
        expect_equal(sum(mass), exact, tolerance = 1e-12)
      }
    }
  }
  expect_gt(exact, 0.7)
})

test_that("dcascade() is the product of the published probabilities", {
  z <- list(rbind(c(1, 1, 0), c(1, 1, 0), c(0, 0, 1), c(1, 1, 1)), cbind(c(1, 0, 1), c(0, 1, 1)))
  expected <- function(a, b, c) {
    class_mass(z[[1]], a, c) * class_mass(z[[2]], b, c) * exp(-b * harmonic(2, c))
  }
  for (c in c(1, 0.4, 3)) {
    expect_equal(dcascade(z, 1.7, 0.6, c), expected(1.7, 0.6, c), tolerance = 1e-12)
    expect_equal(
      dcascade(z, 1.7, 0.6, c, log = TRUE), log(expected(1.7, 0.6, c)), tolerance = 1e-12
    )
    expect_equal(dcascade(z, 0.9, concentration = c), expected(0.9, 0.9, c), tolerance = 1e-12)
  }
  none <- matrix(0, 5, 0)
  expect_equal(dcascade(list(), 1.7, 3, 2, units = 5), dibp(none, 1.7, 2), tolerance = 1e-12)
})

test_that("the alpha of every layer is integrated over its gamma prior", {
  z <- list(cbind(c(1, 1, 0), c(0, 1, 1)), matrix(1, 2, 1))
  average <- function(f, shape, rate) {
    integrate(\(a) vapply(a, f, 1) * dgamma(a, shape, rate), 0, Inf, rel.tol = 1e-10)$value
  }
  first <- average(\(a) class_mass(z[[1]], a, 2), 3, 2)
  deep <- average(\(a) class_mass(z[[2]], a, 2), 1.5, 4) * average(\(a) exp(-a), 1.5, 4)
  got <- dcascade(z, gamma_prior(3, 2), gamma_prior(1.5, 4), 2)
  expect_equal(got, first * deep, tolerance = 1e-8)
  # Here only one alpha has a prior.
  got <- dcascade(z, 1.1, gamma_prior(1.5, 4), 2)
  expect_equal(got, class_mass(z[[1]], 1.1, 2) * deep, tolerance = 1e-8)
  # A narrow prior acts like a fixed value, even if the gamma function loses precision at its shape.
  narrow <- dcascade(z, gamma_prior(2e15, 1e15), 0.5, log = TRUE)
  expect_equal(narrow, dcascade(z, 2, 0.5, log = TRUE), tolerance = 1e-12)
  expect_true(is.finite(dcascade(z, gamma_prior(1e-10, 1e10), gamma_prior(3, 1e200), log = TRUE)))
})

test_that("a draw may reach the limits, but exceeding them is an error", {
  draw <- function(...) {
    set.seed(3)
    rcascade(5, 2, 1, ...)
  }
  z <- draw()
  layers <- length(z)
  units <- sum(vapply(z, ncol, 1L))
  expect_gt(layers, 1)
  expect_identical(draw(max_layers = layers, max_units = units), z)
  expect_error(
    draw(max_layers = layers - 1),
    "^`max_layers` must be larger for this draw, or the alphas smaller .*, not [0-9]+\\.$"
  )
  expect_error(draw(max_units = units - 1), "^`max_units` must be larger .*, not [0-9]+\\.$")
  expect_error(rcascade(70, 3, max_units = 1e6), "^`max_layers`")
  expect_error(
    rcascade(1e5, 1e300), "^`alpha` must be, or have a mean of, at most 10000, not 1e\\+300"
  )
  within(60, expect_error(rcascade(1e5, 1e4), "^`max_units`"))
})

test_that("draws from the prior are cascades, with hyperparameters drawn from their priors", {
  prior <- prior_cascade(gamma_prior(2, 3), gamma_prior(4, 9), gamma_prior(3, 2))
  z <- simulate(prior, nsim = 2000, seed = 1, rows = 3)
  expect_gt(ks.test(vapply(z, \(z) attr(z, "alpha")[1], 1), "pgamma", 2, 3)$p.value, 1e-4)
  deep <- unlist(lapply(z, \(z) if (length(z)) attr(z, "alpha")[2]))
  expect_gt(ks.test(deep, "pgamma", 4, 9)$p.value, 1e-4)
  expect_gt(ks.test(vapply(z, attr, 1, "concentration"), "pgamma", 3, 2)$p.value, 1e-4)
  fixed <- simulate(prior_cascade(1.1, 0.7, 2), nsim = 3, seed = 1, rows = 4)
  set.seed(1)
  expect_identical(fixed[[1]], rcascade(4, 1.1, 0.7, 2))
  expect_error(simulate(prior_cascade(9, 9, max_units = 5), rows = 4, seed = 1), "^`max_units`")
})

test_that("priors and cascades are described in a few lines", {
  expect_identical(format(prior_cascade()), c(
    "Z ~ cascading IBP(alpha, alpha_deep)", "alpha ~ Gamma(shape = 1, rate = 0.1)",
    "alpha_deep ~ Gamma(shape = 2, rate = 2)"
  ))
  expect_identical(
    format(prior_cascade(2, 0.5, gamma_prior(1, 3))),
    c(
      "Z ~ cascading IBP(alpha = 2, alpha_deep = 0.5, concentration)",
      "concentration ~ Gamma(shape = 1, rate = 3)"
    )
  )
  z <- structure(list(cbind(c(1L, 1L), 1:0), matrix(1L, 2, 1)), class = "cascade", units = 2L)
  expect_output(print(z), paste(
    "Cascade above 2 visible units: 2 hidden layers, 3 units, 5 edges", "widths 2, 1",
    "edges 3, 2", sep = "\n"
  ), fixed = TRUE)
  none <- structure(list(), class = "cascade", units = 1L)
  expect_identical(format(none), "Cascade above 1 visible unit: 0 hidden layers, 0 units, 0 edges")
})

data_of <- function(plot, geom) {
  layers <- Filter(\(layer) inherits(layer$geom, geom), plot$layers)
  lapply(layers, \(layer) layer$data)
}

test_that("the plot has one dot per unit and one line per edge between units", {
  set.seed(4)
  z <- rcascade(8, 2, 1.2)
  plot <- build_plot(plot(z))$plot
  widths <- c(8, vapply(z, ncol, 1L))
  nodes <- data_of(plot, "GeomPoint")[[1]]
  expect_identical(as.vector(table(nodes$y)), as.integer(widths))
  edges <- data_of(plot, "GeomSegment")[[1]]
  expect_identical(nrow(edges), sum(vapply(z, sum, 1L)))
  numbered <- data_of(plot, "GeomText")[[1]]
  place <- function(y, k) numbered$x[numbered$y == y & numbered$number == k]
  at <- which(z[[1]] == 1, arr.ind = TRUE)
  expected <- sort(paste(lapply(at[, 1], \(k) place(0, k)), lapply(at[, 2], \(k) place(1, k))))
  expect_identical(sort(paste(edges$x, edges$to)[edges$y == 0]), expected)
})

test_that("edges of layers with more than 200 units are left out, and the plot says so", {
  set.seed(3)
  z <- rcascade(201, 2, 1.5)
  plot <- build_plot(plot(z))$plot
  edges <- data_of(plot, "GeomSegment")[[1]]
  expect_identical(nrow(edges), sum(vapply(z[-1], sum, 1L)))
  expect_match(plot$labels$subtitle, "more than 200 units are left out")
  expect_null(plot(rcascade(200, 0.5))$labels$subtitle)
})
