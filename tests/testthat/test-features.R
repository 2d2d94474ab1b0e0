test_that("draws are chosen among those that there are", {
  draws <- feature_draws(small_fit())
  expect_length(draws[2:3], 2)
  expect_length(draws[-1], length(draws) - 1)
  for (i in list(length(draws) + 1, NA, "a", list(1), raw(1), sum)) {
    expect_error(draws[i], "^`i` must be among the \\d+ draws")
  }
})

test_that("features are columns, in every model, and rows are what they are told to be", {
  kinds <- kinds_of_fits()
  side <- c(
    gaussian = "row", meibp = "row", logistic = "row", loadings = "column", factors = "row",
    mixed = "row", choice = "item", topics = "document", cascade = "visible unit"
  )
  for (name in names(side)) {
    fit <- kinds[[name]]
    z <- features(fit)
    expect_identical(traits_of(fit)$side, side[[name]])
    expect_identical(nrow(z), traits_of(fit)$rows$n)
    expect_identical(colnames(z), paste0(if (name == "topics") "t" else "f", seq_len(ncol(z))))
    expect_identical(rownames(z), traits_of(fit)$rows$names)
    expect_true(all(z %in% c(0L, 1L, NA)))
    a <- loadings_of(fit)
    if (name != "choice") expect_identical(rownames(a), colnames(z))
  }
})
