# README.Rmd in a new session. Every chunk must run without a warning, show what the text promises,
# and occur unchanged in README.md.

root <- "../.."
source_of <- file.path(root, "README.Rmd")

#' The code in the chunks of an R Markdown file, or of the Markdown file made from it
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

test_that("README.md has the same tables as ?buffet, with the same words", {
  skip_if_not(file.exists(source_of), "the repository")
  shown <- readLines(file.path(root, "README.md"))
  # README.md has links to vignettes, which are removed.
  words <- function(lines) gsub("[][`| :-]+", " ", gsub("\\]\\([^)]*\\)", "]", lines))
  help <- sub("^#' ", "", readLines(file.path(root, "R", "buffet-package.R")))
  tables <- grep("^[|]", help, value = TRUE)
  expect_gt(length(tables), 15)
  expect_true(all(words(tables) %in% words(shown)), info = paste(
    tables[!words(tables) %in% words(shown)], collapse = "\n"
  ))
})

test_that("every chunk runs in a new session and shows what the text promises", {
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
  expect_match(shown, "^#> The chains agree", all = FALSE)
  expect_match(shown, "^#> Common factors: 3 \\(", all = FALSE)
})

test_that("the first fit uses default settings and real data", {
  skip_if_not(file.exists(source_of), "the repository")
  calls <- grep("fit_[a-z]+\\(", code_in(readLines(source_of)), value = TRUE)
  expect_match(calls[1], "^fit <- fit_factor\\(swiss, scale = TRUE, seed = 1\\)")
  expect_no_match(calls, "sigma_a")
})

test_that("the times in README.md agree with bench/results.md", {
  results <- file.path(root, "bench", "results.md")
  skip_if_not(file.exists(results), "the repository")
  shown <- gsub("\u00a0", " ", readLines(file.path(root, "README.md"), encoding = "UTF-8"))
  shown <- grep("^[|].*\\b(GLFM|PyIBP|aibd) [(].*ms", shown, value = TRUE)
  lines <- readLines(results, encoding = "UTF-8")
  measured <- lapply(c("images100", "gauss1000"), function(workload) {
    grep(sprintf("^[|] %s .*times ours", workload), lines, value = TRUE)
  })
  expect_length(shown, sum(lengths(strsplit(unlist(measured), ";"))))
  cells <- lapply(strsplit(shown, " *[|] *"), `[`, -1)
  first <- cumsum(vapply(cells, \(cell) nzchar(cell[1]), NA))
  for (k in seq_along(cells)) {
    cell <- cells[[k]]
    times <- sub(" [(][^)]*[)]", "", cell[3])
    expect_match(measured[[first[k]]], sprintf("%s, %s times ours", times, cell[4]), fixed = TRUE)
    ours <- sub(" ms", "", cell[2])
    if (nzchar(ours)) expect_match(measured[[first[k]]], sprintf("| %s (", ours), fixed = TRUE)
  }
})

test_that("the article has sources for every program in README.md's comparison", {
  file <- file.path(root, "vignettes", "articles", "compared.csv")
  skip_if_not(file.exists(file), "the repository")
  facts <- utils::read.csv(file)
  expect_true(all(nzchar(facts$source) & nzchar(facts$answer)))
  expect_true(all(table(facts$program) == length(unique(facts$question))))
  shown <- readLines(file.path(root, "README.md"), encoding = "UTF-8")
  head <- grep("missing entries [|] new rows", gsub(" +", " ", shown))
  rows <- shown[head + seq_len(match("", shown[-seq_len(head)]) - 1)][-1]
  programs <- gsub("^[|] *\\[?|[] ].*", "", rows)
  expect_setequal(programs, facts$program)
})
