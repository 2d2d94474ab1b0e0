# Help pages, vignettes, NEWS and README are in British English; inst/WORDLIST has the names and
# terms that no dictionary knows.

# Pages of Markdown, of knitted vignettes their sources: output is not prose.
markdown_files <- function(root) {
  pages <- c(
    file.path(root, c("README.md", "NEWS.md")),
    list.files(file.path(root, "vignettes"), "[.]Rmd([.]orig)?$", recursive = TRUE, full.names = TRUE)
  )
  pages <- pages[!file.exists(paste0(pages, ".orig"))]
  copies <- file.path(withr::local_tempdir(.local_envir = parent.frame()), basename(pages))
  copies <- sub("[.]orig$", "", copies)
  file.copy(pages, copies)
  copies
}

test_that("nothing is misspelt", {
  root <- "../.."
  skip_if_not(file.exists(file.path(root, "DESCRIPTION")), "the repository")
  skip_if_not_installed("spelling")
  known <- readLines(file.path(root, "inst", "WORDLIST"), encoding = "UTF-8")
  found <- spelling::spell_check_package(root, vignettes = FALSE, use_wordlist = FALSE)$word
  pages <- spelling::spell_check_files(markdown_files(root), ignore = "buffet", lang = "en-GB")$word
  expect_identical(setdiff(c(found, pages), known), character())
})
