# What fit_mixed() makes of the data frames that it is given.

test_that("data.tables are changed by reference without the fit, and fits without the data", {
  skip_if_not_installed("data.table")
  frame <- mixed_frame(20)
  frame[2, "size"] <- NA
  data <- data.table::as.data.table(frame)
  fit <- quick_mixed(data, method = method_gibbs(chains = 1, iter = 20))
  before <- rlang::duplicate(list(fit, complete(fit, 2), augment(fit)))
  expect_identical(class(complete(fit, 1)[[1]]), "data.frame")
  expect_identical(class(augment(fit)), c("tbl_df", "tbl", "data.frame"))
  data.table::set(data, 1L, "price", -99)
  data.table::setnames(data, "price", "cost")
  data.table::setcolorder(data, rev(names(data)))
  data.table::set(data, j = "new", value = 1)
  expect_identical(list(fit, complete(fit, 2), augment(fit)), before)
  for (shown in list(complete(fit, 2)[[1]], complete(fit, 2, "long"), augment(fit))) {
    data.table::setDT(shown)
    data.table::set(shown, 1L, "price", -99)
    data.table::set(shown, 1L, "town", NA)
    expect_identical(list(fit, complete(fit, 2), augment(fit)), before)
  }
})

test_that("data are kept as a plain data frame with its names of rows", {
  frame <- mixed_frame(20)
  method <- method_gibbs(chains = 1, iter = 4)
  kept <- function(data) {
    suppressMessages(quick_mixed(data, method = method))$internal$model$data$frame
  }
  expect_identical(kept(frame), frame)
  expect_identical(kept(tibble::as_tibble(frame)), frame)
  expect_identical(kept(frame[11:20, ]), frame[11:20, ])
  rownames(frame) <- sprintf("row %d", 1:20)
  expect_identical(kept(frame), frame)
})
