# Lints R code with the linters in .lintr, except for the two slowest. `make lint` runs all of them.

test_that("R code has no lint", {
  root <- "../.."
  skip_if_not(file.exists(file.path(root, ".lintr")), "the repository")
  skip_if_not_installed("lintr")
  skip_if_not(utils::packageVersion("lintr") < "3.1", "lintr with the same default linters")
  withr::local_dir(root)
  linters <- eval(str2lang(read.dcf(".lintr", "linters")), asNamespace("lintr"))
  linters[c("cyclocomp_linter", "object_usage_linter")] <- NULL
  lints <- lintr::lint_dir(".", linters = linters)
  where <- vapply(lints, \(lint) paste0(lint$filename, ":", lint$line_number), "")
  expect_identical(paste(where, vapply(lints, `[[`, "", "message")), character())
})
