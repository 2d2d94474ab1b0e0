#' The values shown in a plot of a matrix, as a matrix
shown_matrix <- function(data, x = data$column, y = data$row) {
  m <- matrix(NA_real_, max(y), max(x))
  m[cbind(y, x)] <- as.numeric(data$value)
  m
}

test_that("in plots of matrices, rows run from top to bottom and columns from left to right", {
  for (type in c("features", "loadings", "coassignment", "fit")) {
    built <- build_plot(plot(small_fit(), type))
    layer <- built$data[[1]]
    first <- layer[1, ]
    # ggplot2 reverses an axis by a minus sign.
    expect_equal(c(first$x, first$y), c(1, -1))
    expect_lt(min(layer$y), -1)
  }
})

test_that("\"features\" shows the left-ordered point estimate in two colours", {
  p <- plot(small_fit(), "features")
  z <- left_order(features(small_fit()))
  expect_equal(shown_matrix(p$data), unname(z), ignore_attr = TRUE)
  fill <- build_plot(p)$data[[1]]$fill
  expect_identical(fill == "grey15", p$data$value == 1)
  expect_identical(build_plot(p)$layout$panel_params[[1]]$x$get_labels(), colnames(z))
})

test_that("\"loadings\" shows loadings_of(), with the columns of the data from top to bottom", {
  p <- plot(small_fit(), "loadings")
  a <- loadings_of(small_fit())
  expect_equal(shown_matrix(p$data), unname(t(a)))
  expect_identical(axis_labels(p, "y"), c("p", "q", "r"))
  expect_identical(axis_labels(p, "x"), rownames(a))
})

test_that("images are read row by row, with one panel per row of the matrix", {
  x <- withr::with_seed(1, sim_images(20, sigma = 0.1))[, 1:6]
  fit <- quick_fit(x, method = method_gibbs(chains = 1, iter = 60))
  p <- plot(fit, "loadings", dim = c(2, 3))
  a <- loadings_of(fit)
  for (k in rownames(a)) {
    panel <- p$data[p$data$panel == k, ]
    shown <- shown_matrix(panel, panel$x, panel$y)
    expect_equal(shown, matrix(a[k, ], 2, 3, byrow = TRUE))
  }
  expect_identical(levels(build_plot(p)$layout$layout$panel), rownames(a))
  p <- plot(fit, "fit", dim = c(3, 2), rows = c(5, 2))
  expect_setequal(p$data$panel, c("image5", "image2"))
  one <- function(part) {
    panel <- p$data[p$data$panel == "image2" & p$data$part == part, ]
    shown_matrix(panel, panel$x, panel$y)
  }
  as_image <- function(m) matrix(m["image2", ], 3, 2, byrow = TRUE)
  expect_equal(one("observed"), as_image(x))
  expect_equal(one("reconstructed"), as_image(fitted(fit)))
  expect_equal(one("residual"), as_image(x - fitted(fit)))
  expect_identical(nlevels(droplevels(plot(fit, "fit", dim = c(3, 2))$data$panel)), 4L)
})

test_that("\"fit\" shows the data, fitted values and residuals", {
  for (fit in list(small_fit(), wide_fit(), finite_fit())) {
    p <- plot(fit, "fit")
    parts <- split(p$data, p$data$part)
    expect_named(parts, c("observed", "reconstructed", "residual"))
    x <- fitted(fit) + residuals(fit)
    expect_equal(shown_matrix(parts$observed), x, ignore_attr = TRUE)
    expect_equal(shown_matrix(parts$reconstructed), fitted(fit), ignore_attr = TRUE)
    expect_equal(shown_matrix(parts$residual), residuals(fit), ignore_attr = TRUE)
  }
})

test_that("\"trace\" shows every draw at its sweep, with the warm-up shaded", {
  fit <- finite_fit()
  p <- plot(fit, "trace")
  draws <- as_draws(fit)
  expect_setequal(p$data$variable, posterior::variables(draws))
  for (chain in 1:2) {
    kept <- p$data[p$data$variable == "log_lik" & p$data$chain == chain & p$data$sweep > 150, ]
    expect_equal(kept$sweep, seq(152, 300, 2))
    expect_equal(kept$value, as.vector(draws[, chain, "log_lik"]))
  }
  # If a start is given, there is no search, whose sweeps would not be recorded.
  given <- quick_fit(
    small_data(), init = matrix(1, 8, 1), method = method_gibbs(chains = 2, iter = 30)
  )
  p <- plot(given, "trace")
  expect_equal(unique(p$data$sweep), 1:30)
  shade <- build_plot(p)$data[[1]]
  expect_equal(c(unique(shade$xmin), unique(shade$xmax)), c(1, 15))
  whole <- quick_fit(small_data(), method = method_gibbs(chains = 2, iter = 20, warmup = 0))
  expect_length(build_plot(plot(whole, "trace"))$data, 1)
})

test_that("\"n_features\" shows the posterior next to the prior", {
  #' P(K+ = n) as a mean over quantiles of learned hyperparameters, computed from the Poisson and
  #' binomial distributions
  prior_of <- list(
    small = function(n) stats::dnbinom(n, 1, 1 / (1 + sum(1 / 1:8))),
    wide = function(n) {
      c <- stats::qgamma((1:2000 - 0.5) / 2000, 2, 2)
      mean_rate <- vapply(c, function(c) sum(c / (c + 0:2)), 0)
      vapply(n, function(n) mean(stats::dnbinom(n, 2, 3 / (3 + mean_rate))), 0)
    },
    finite = function(n) {
      c <- stats::qgamma((1:2000 - 0.5) / 2000, 3, 3)
      a <- 1.5 * c / 4
      empty <- gamma(a + c) * gamma(8 + c) / (gamma(a + c + 8) * gamma(c))
      vapply(n, function(n) mean(stats::dbinom(n, 4, 1 - empty)), 0)
    },
    empty = function(n) stats::dpois(n, 1e-9 * sum(1 / 1:4))
  )
  for (name in names(all_fits())) {
    fit <- all_fits()[[name]]
    parts <- split(plot(fit, "n_features")$data, ~law)
    n <- scalars_of(fit)[, "n_features"]
    expect_true(all(n %in% parts$posterior$n))
    expect_equal(sum(parts$posterior$probability), 1)
    for (i in seq_len(nrow(parts$posterior))) {
      expect_equal(parts$posterior$probability[i], mean(n == parts$posterior$n[i]))
    }
    expect_equal(parts$prior$probability, prior_of[[name]](parts$prior$n), tolerance = 0.01)
  }
})

test_that("\"coassignment\" shows all pairs of rows, in the same order on both axes", {
  p <- plot(small_fit(), "coassignment")
  shown <- shown_matrix(p$data)
  expect_equal(shown, t(shown))
  truth <- coassignment(small_fit())
  expect_equal(sort(diag(shown)), sort(unname(diag(truth))))
  expect_equal(sort(as.vector(shown)), sort(as.vector(truth)))
  expect_equal(sort(eigen(shown)$values), sort(eigen(truth)$values))
})

test_that("plots of loadings have features on the horizontal axis in every model", {
  fits <- list(
    small_fit(), small_logistic(), quick_factor(scale(datasets::swiss)), icm_fit(), mixed_fit(),
    cascade_fit()
  )
  for (fit in fits) {
    p <- plot(fit, "loadings")
    expect_true(all(sub("\n.*", "", axis_labels(p, "x")) %in% rownames(loadings_of(fit))))
    expect_gte(length(axis_labels(p, "y")), 3)
  }
})

#' A fit to spectra of two substances with one peak each; every row has one or both of them
spectra_fit <- function() {
  at <- seq_len(30)
  peaks <- rbind(stats::dnorm(at, 8, 2), stats::dnorm(at, 20, 3)) * 10
  z <- matrix(c(1, 0, 0, 1, 1, 1, 0, 1), 12, 2, byrow = TRUE)
  x <- withr::with_seed(1, z %*% peaks + stats::rnorm(12 * 30, 0, 0.05))
  colnames(x) <- sprintf("%d nm", seq(900, 958, 2))
  quick_fit(x, init = z, method = method_gibbs(chains = 1, iter = 20))
}

test_that("geom = \"line\" draws loadings against the numbers in the column names", {
  fit <- spectra_fit()
  p <- plot(fit, "loadings", geom = "line")
  a <- loadings_of(fit)
  for (k in seq_len(2)) {
    of <- p$data[p$data$panel == rownames(a)[k], ]
    expect_equal(of$at, seq(900, 958, 2))
    expect_equal(of$value, unname(a[k, ]))
  }
  # The peaks are in columns 8 and 20.
  tops <- vapply(split(p$data, p$data$panel), \(of) of$at[which.max(of$value)], 0)
  expect_setequal(tops, c(914, 938))
  expect_identical(panels_shown(p), rownames(a))
  expect_identical(panels_shown(plot(fit, "loadings", geom = "line", which = 2)), rownames(a)[2])
})

test_that("column names that differ only in a number give the positions of the columns", {
  at <- function(...) column_positions(c(...), length(c(...)))$values
  expect_equal(at("X1000nm", "X998nm", "X990.5nm"), c(1000, 998, 990.5))
  expect_equal(at("NIR.900 nm", "NIR.902 nm"), c(900, 902))
  expect_equal(at("-10", "0", "2.5e1"), c(-10, 0, 25))
  expect_equal(at("V1", "V2", "V10"), c(1, 2, 10))
  # If there are few columns, the axis has their names, and otherwise whole numbers.
  expect_identical(column_positions(month.abb, 12)[c("breaks", "labels")],
    list(breaks = 1:12, labels = month.abb)
  )
  many <- column_positions(NULL, 60)
  expect_identical(many$labels, many$breaks)
  expect_true(all(many$breaks == round(many$breaks)))
  # The names are of several kinds, or have no number, several numbers, or the same number.
  expect_equal(at("a1", "b7"), 1:2)
  expect_equal(at("tall", "heavy"), 1:2)
  expect_equal(at("q3_1", "q3_9"), 1:2)
  expect_equal(at("t05", "t5"), 1:2)
  expect_equal(column_positions(NULL, 3)$values, 1:3)
})

test_that("factors and components can be drawn as lines", {
  factors <- quick_factor(scale(datasets::swiss))
  p <- plot(factors, geom = "line")
  shown <- plot(factors)
  values <- \(plot) sort(round(plot$data$value, 12))
  expect_equal(values(p), values(shown))
  expect_identical(panels_shown(p), sub("\n", ", ", axis_labels(shown, "x")))
  p <- plot(icm_fit(), geom = "line")
  expect_equal(
    unname(tapply(p$data$value, p$data$panel, sum)), unname(rowSums(loadings_of(icm_fit()))),
    ignore_attr = TRUE
  )
  expect_identical(panels_shown(p), rownames(loadings_of(icm_fit())))
})

test_that("plots without lines reject them, and `type = \"line\"` gives a hint", {
  for (fit in list(small_fit(), icm_fit(), quick_factor(scale(datasets::swiss)))) {
    expect_error(
      plot(fit, "loadings", type = "line"),
      "^`type` must be .*, not \"line\": `plot\\(fit, \"loadings\", geom = \"line\"\\)` draws"
    )
    expect_error(plot(fit, "trace", geom = "line"), "^`geom` must be \"tile\" unless `type` is")
    dim <- c(1, ncol(loadings_of(fit)))
    expect_error(
      plot(fit, "loadings", geom = "line", dim = dim), "^`geom` must be \"tile\" if `dim` is given"
    )
  }
})
