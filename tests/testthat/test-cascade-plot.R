# Plots of belief networks.

#' A deep fit to data with this number of columns
deep_cascade <- function(columns) {
  once(paste("deep cascade", columns), {
    x <- withr::with_seed(7, matrix(stats::rnorm(15 * columns), 15))
    quick_cascade(x, init = init_cascade(c(14, 8, 6, 4, 2)), method = method_gibbs(2, 2))
  })
}

#' The values shown in a plot of a matrix, as a matrix
put_back <- function(data, x = data$column, y = data$row) {
  m <- matrix(NA_real_, max(y), max(x))
  m[cbind(y, x)] <- data$value
  m
}

#' The data frames of those layers of a plot that a geom draws
drawn_by <- function(plot, geom) {
  Filter(Negate(is.null), lapply(plot$layers, function(layer) {
    if (inherits(layer$geom, geom)) layer$data
  }))
}

test_that("a network without hidden units is plotted", {
  for (type in c("network", "trace", "fit")) build_plot(plot(cascade_bare(), type))
  p <- plot(cascade_bare())
  expect_identical(p$labels$title, "0 hidden layers, 0 units, 0 edges")
  expect_length(drawn_by(p, "GeomSegment"), 0)
  expect_error(
    plot(cascade_bare(), "loadings"),
    "^`x` must be a fit whose point estimate has a hidden unit for this plot, not one without\\.$"  # nolint: line_length_linter.
  )
  expect_error(
    plot(cascade_bare(), "widths"),
    "^`x` must be a fit with a hidden unit in at least one draw, not one without\\.$"
  )
})

test_that("\"network\" has a dot per unit and one line per edge, coloured by the edge's weight", {
  for (fit in list(cascade_fit(), deep_cascade(5))) {
    p <- plot(fit, "network")
    net <- network(fit)
    dots <- drawn_by(p, "GeomPoint")[[1]]
    expect_equal(as.vector(table(dots$y)), unname(lengths(lapply(net, `[[`, "bias"))))
    lines <- drawn_by(p, "GeomSegment")[[1]]
    edges <- tidy(fit, "edges")
    expect_equal(sort(lines$weight), sort(edges$weight))
    expect_identical(as.character(lines$sign), ifelse(lines$weight < 0, "negative", "positive"))
    expect_false(is.unsorted(lines$strength))
    # Edges must end at the positions of units.
    for (m in unique(edges$layer)) {
      own <- lines[lines$y == m, ]
      expect_true(all(own$x %in% dots$x[dots$y == m]))
      expect_true(all(own$to %in% dots$x[dots$y == m + 1]))
    }
    expect_identical(p$labels$title, sprintf(
      "%s, %s, %s", counted(length(net) - 1, "hidden layer"),
      counted(sum(lengths(lapply(net[-1], `[[`, "bias"))), "unit"), counted(nrow(edges), "edge")
    ))
    expect_null(p$labels$subtitle)
  }
  expect_setequal(axis_labels(plot(cascade_fit()), "x"), letters[1:8])
})

test_that("\"loadings\" are weights multiplied down the layers, and colours show their signs", {
  fit <- cascade_fit()
  expect_equal(put_back(plot(fit, "loadings")$data), unname(t(loadings_of(fit))))
  expect_identical(axis_labels(plot(fit, "loadings"), "y"), letters[1:8])
  expect_identical(axis_labels(plot(fit, "loadings"), "x"), rownames(loadings_of(fit)))
  net <- network(deep_cascade(6))
  w <- lapply(net, \(layer) as.matrix(layer$weights))
  third <- w[[3]] %*% w[[2]] %*% w[[1]]
  p <- plot(deep_cascade(6), "loadings", layer = 3)
  expect_equal(put_back(p$data), unname(t(third)))
  expect_match(p$labels$title, "layer 3")
  p <- plot(deep_cascade(6), "loadings", dim = c(2, 3), layer = 3)
  for (unit in rownames(third)) {
    panel <- p$data[p$data$panel == unit, ]
    shown <- put_back(panel, panel$x, panel$y)
    expect_equal(shown, matrix(third[unit, ], 2, 3, byrow = TRUE))
  }
  expect_identical(levels(build_plot(p)$layout$layout$panel), rownames(third))
  colours <- build_plot(p)$data[[1]]$fill
  value <- p$data$value
  channel <- grDevices::col2rgb(colours)
  expect_true(all(channel["red", value > 0.01] >= channel["blue", value > 0.01]))
  expect_true(all(channel["red", value < -0.01] <= channel["blue", value < -0.01]))
  expect_true(all(colours[value == 0] == "#FFFFFF"))
})
