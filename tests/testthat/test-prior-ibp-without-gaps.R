#' Probabilities that each of m rows has at least one dish, for 0, 1, ..., m
p_no_gap <- function(m, alpha) {
  harmonic <- cumsum(c(0, 1 / seq_len(m)))
  vapply(0:m, \(r) sum((-1)^(0:r) * choose(r, 0:r) * exp(-alpha * harmonic[0:r + 1])), 0)
}

test_that("left-ordered forms are drawn with the probabilities of dibp() given no empty row", {
  set.seed(2)
  classes <- unlist(lapply(1:4, \(k) all_classes(3, k)), FALSE)
  classes <- Filter(\(z) all(rowSums(z) > 0), classes)
  for (alpha in c(0.2, 1.1)) {
    mass <- vapply(classes, dibp, 1, alpha = alpha) / p_no_gap(3, alpha)[4]
    drawn <- lapply(seq_len(sized(2000, 6000)), \(i) draw_ibp_without_gaps(3, alpha))
    expect_classes(drawn, classes, mass)
  }
})

test_that("the mean numbers of dishes with j takers follow from Mecke's formula", {
  set.seed(3)
  rows <- 15
  size <- sized(800, 2500)
  j <- seq_len(rows)
  for (alpha in c(0.1, 0.7, 2.5)) {
    p <- p_no_gap(rows, alpha)
    expected <- alpha / j * p[rows - j + 1] / p[rows + 1]
    drawn <- lapply(seq_len(size), \(i) draw_ibp_without_gaps(rows, alpha))
    counts <- vapply(drawn, \(z) tabulate(colSums(z), rows), double(rows))
    z <- (rowMeans(counts) - expected) / (apply(counts, 1, stats::sd) / sqrt(size))
    expect_lt(max(abs(z)), 4.5)
    # The dishes of row 1 are not drawn in the same way as those of the other rows.
    for (row in c(1, 2, rows)) {
      dishes <- vapply(drawn, \(z) sum(z[row, ]), 1)
      expect_mean(dishes, sum(j * expected) / rows, stats::sd(dishes))
    }
  }
})

test_that("thousands of rows can be drawn, although draws of the IBP without empty rows are rare", {
  set.seed(4)
  for (alpha in c(0.01, 1, 10)) {
    z <- within(60, draw_ibp_without_gaps(5000, alpha))
    expect_identical(nrow(z), 5000L)
    expect_true(all(rowSums(z) > 0))
  }
})
