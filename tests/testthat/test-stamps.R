# Tables of the vignettes say what made them.

test_that("every table of the vignettes has a stamp, and its script is there", {
  root <- "../.."
  file <- file.path(root, "data-raw/stamps.csv")
  skip_if_not(file.exists(file), "the repository")
  stamps <- utils::read.csv(file, colClasses = "character")
  tables <- list.files(file.path(root, "vignettes"), "[.](csv|rds)$")
  expect_setequal(stamps$table, tables)
  expect_identical(stamps$script[!file.exists(file.path(root, stamps$script))], character())
  expect_match(stamps$version, "^[0-9]+[.][0-9]+[.][0-9]+$")
  # All of them are made by `make -C data-raw all`.
  rules <- paste(readLines(file.path(root, "data-raw/Makefile")), collapse = "\n")
  named <- vapply(unique(dirname(stamps$script)), grepl, NA, rules, fixed = TRUE)
  expect_true(all(named))
})
