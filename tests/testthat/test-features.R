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

test_that("features_of() is features(), and still so after library(tm)", {
  for (fit in list(small_fit(), kinds_of_fits()$topics)) {
    expect_identical(features_of(fit), features(fit))
  }
  expect_refusals(features_of, "fit", list(NULL, 3))
  skip_if_not_installed("NLP")
  expect_true("features" %in% getNamespaceExports("NLP"))
  expect_false("features_of" %in% getNamespaceExports("NLP"))
})
