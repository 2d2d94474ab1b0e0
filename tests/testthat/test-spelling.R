# Help pages, vignettes, NEWS and README are in British English; inst/WORDLIST has the names and
# terms that no dictionary knows.

test_that("nothing is misspelt", {
  root <- "../.."
  skip_if_not(file.exists(file.path(root, "DESCRIPTION")), "the repository")
  skip_if_not_installed("spelling")
  found <- spelling::spell_check_package(root, use_wordlist = FALSE)
  known <- readLines(file.path(root, "inst", "WORDLIST"), encoding = "UTF-8")
  expect_identical(setdiff(found$word, known), character())
})
