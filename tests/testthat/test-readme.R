# README.Rmd in a new session: every chunk runs without a warning, shows what the text promises, and
# is in README.md as it is.

root <- "../.."
source_of <- file.path(root, "README.Rmd")

#' The chunks of an R Markdown file or of its Markdown as code alone
code_in <- function(lines) {
  fence <- grepl("^```", lines)
  begins <- grepl("^``` ?[{]?r\\b", lines) & !grepl("include *= *FALSE", lines)
  inside <- cumsum(begins) > 0 & vapply(seq_along(lines), function(i) {
    last <- max(c(0, which(fence[seq_len(i)])))
    last > 0 && begins[last] && last != i
  }, NA)
  code <- lines[inside]
  code[!grepl("^#>", code) & nzchar(code)]
}

test_that("README.md has the code of README.Rmd", {
  skip_if_not(file.exists(source_of), "the repository")
  expect_identical(code_in(readLines(file.path(root, "README.md"))), code_in(readLines(source_of)))
})

test_that("README.md has the tables of ?buffet in the same words", {
  skip_if_not(file.exists(source_of), "the repository")
  shown <- readLines(file.path(root, "README.md"))
  words <- function(lines) gsub("[][`| :-]+", " ", lines)
  help <- sub("^#' ", "", readLines(file.path(root, "R", "buffet-package.R")))
  tables <- grep("^[|]", help, value = TRUE)
  expect_gt(length(tables), 15)
  expect_true(all(words(tables) %in% words(shown)), info = paste(
    tables[!words(tables) %in% words(shown)], collapse = "\n"
  ))
})

test_that("every chunk runs in a new session and shows what it promises", {
  skip_if_quick()
  skip_if_not(file.exists(source_of), "the repository")
  skip_if_not_installed("knitr")
  folder <- withr::local_tempdir()
  dir.create(file.path(folder, "R"))
  file.copy(source_of, folder)
  file.copy(file.path(root, "R", "buffet-package.R"), file.path(folder, "R"))
  run <- sprintf(
    "setwd(%s); options(warn = 2); invisible(knitr::knit('README.Rmd', quiet = TRUE))",
    encodeString(folder, quote = "'")
  )
  status <- system2(
    file.path(R.home("bin"), "Rscript"), c("-e", shQuote(run)),
    stdout = file.path(folder, "log"), stderr = file.path(folder, "log")
  )
  expect_identical(status, 0L, info = paste(readLines(file.path(folder, "log")), collapse = "\n"))
  shown <- readLines(file.path(folder, "README.md"))
  expect_no_match(shown, "^#> (Error|Warning)|(are separated|do not yet agree)")
  expect_match(shown, "^#> Features: 4 \\(", all = FALSE)
  expect_match(shown, "^#> Common factors: [23] \\(", all = FALSE)
  held <- grep("^#> +-0[.]", shown, value = TRUE)
  expect_length(held, 1)
  scores <- as.numeric(strsplit(trimws(sub("#>", "", held)), " +")[[1]])
  expect_gt(scores[2], scores[1])
})
