# Rows and columns have the same names in plots as in the data.

#' Data with these numbers of rows and columns, which have names
named_data <- function(rows, columns, seed = 1) {
  withr::with_seed(seed, matrix(
    stats::rnorm(rows * columns), rows,
    dimnames = list(sprintf("row number %d", seq_len(rows)), sprintf("column_%d", seq_len(columns)))
  ))
}

brief <- function(iter = 20) method_gibbs(chains = 1, iter = iter)

states_fit <- function() {
  once("states", quick_fit(scale(datasets::USArrests[-(1:10), ]), method = brief(100)))
}

test_that("rows and columns have their names in every plot of a matrix", {
  fit <- states_fit()
  expect_identical(axis_labels(plot(fit), "y"), state.name[-(1:10)])
  expect_identical(axis_labels(plot(fit, "fit"), "y"), state.name[-(1:10)])
  expect_identical(axis_labels(plot(fit, "fit"), "x"), colnames(USArrests))
  expect_identical(axis_labels(plot(fit, "loadings"), "y"), colnames(USArrests))
  shared <- plot(fit, "coassignment")
  expect_setequal(axis_labels(shared, "y"), state.name[-(1:10)])
  expect_identical(axis_labels(shared, "x"), axis_labels(shared, "y"))
  # Each name must be at the position of its row.
  truth <- coassignment(fit)[axis_labels(shared, "y"), axis_labels(shared, "y")]
  expect_equal(matrix(shared$data$value, 40), unname(truth))
})

test_that("rows have their names in every model", {
  binary <- 1 * (named_data(40, 8) > 0)
  known <- prior_fixed(matrix(rep(0:1, 40), 40))
  logistic <- fit_logistic(binary, prior = known, method = brief(), seed = 1, verbose = FALSE)
  mixed <- quick_mixed(data.frame(state.x77)[1:40, ], prior = known, method = brief())
  cascade <- quick_cascade(named_data(40, 30), init = init_cascade(4))
  topics <- quick_topics(matrix(1:20, 4, dimnames = list(paste("text", 1:4), letters[1:5])))
  for (type in c("features", "coassignment", "fit")) {
    expect_setequal(axis_labels(plot(logistic, type), "y"), rownames(binary))
  }
  expect_setequal(axis_labels(plot(mixed, "features"), "y"), state.name[1:40])
  expect_identical(axis_labels(plot(mixed, "loadings"), "y"), colnames(data.frame(state.x77)))
  expect_setequal(axis_labels(plot(cascade), "x"), paste0("column_", 1:30))
  expect_identical(axis_labels(plot(cascade, "loadings"), "y"), paste0("column_", 1:30))
  expect_identical(axis_labels(plot(topics, "features"), "y"), paste("text", 1:4))
})

test_that("unnamed rows and columns are numbered unless a plot reorders them", {
  fit <- quick_nmf(unname(abs(named_data(100, 80))))
  expect_identical(axis_labels(plot(fit, "fit"), "y"), as.character(c(1, 20, 40, 60, 80, 100)))
  numbers <- as.numeric(axis_labels(plot(fit, "fit"), "x"))
  expect_true(all(numbers %in% 1:80))
  expect_gt(length(numbers), 2)
  # The labels are NULL, or character() in newer versions of ggplot2.
  panel <- build_plot(plot(wide_fit(), "coassignment"))$layout$panel_params[[1]]
  expect_length(panel$y$get_labels(), 0)
})
