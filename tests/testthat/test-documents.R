# The output of citation().

entries <- utils::citation("buffet")

test_that("the package is cited first, with its title and its version", {
  package <- entries[[1]]
  expect_identical(package$title, paste0("buffet: ", utils::packageDescription("buffet")$Title))
  expect_match(package$note, as.character(utils::packageVersion("buffet")), fixed = TRUE)
})

test_that("every paper is cited in full and only once", {
  papers <- entries[-1]
  for (k in seq_along(papers)) {
    expect_match(papers[k]$year, "^[0-9]{4}$")
    where <- c(papers[k]$journal, papers[k]$booktitle, papers[k]$note)
    expect_length(where, 1)
    expect_match(paste(utils::toBibtex(papers[k]), collapse = " "), "author = ", fixed = TRUE)
  }
  expect_identical(anyDuplicated(unlist(papers$title)), 0L)
})

# codemeta.json must agree with DESCRIPTION. `make codemeta` updates it.

test_that("codemeta.json has the title, description and version of DESCRIPTION", {
  root <- "../.."
  file <- file.path(root, "codemeta.json")
  skip_if_not(file.exists(file.path(root, "Makefile")), "the repository")
  lines <- readLines(file, encoding = "UTF-8")
  # Fields of the software itself are indented by two spaces.
  field <- function(name) {
    pattern <- sprintf("^  \"%s\": \"(.*)\",$", name)
    gsub("\\\\(.)", "\\1", sub(pattern, "\\1", grep(pattern, lines, value = TRUE)))
  }
  description <- read.dcf(file.path(root, "DESCRIPTION"))[1, ]
  expect_identical(field("identifier"), description[["Package"]])
  expect_identical(field("version"), description[["Version"]])
  expect_identical(field("name"), paste0("buffet: ", description[["Title"]]))
  expect_identical(field("description"), gsub("\\s+", " ", description[["Description"]]))
})

# Help pages, vignettes, NEWS and README use British spelling. inst/WORDLIST has names and terms
# that are in no dictionary.

# The Markdown pages. Knitted vignettes are replaced by their sources, because output is not prose.
markdown_files <- function(root) {
  pages <- c(
    file.path(root, c("README.md", "NEWS.md")),
    list.files(file.path(root, "vignettes"), "[.]Rmd([.]orig)?$",
      recursive = TRUE, full.names = TRUE
    )
  )
  pages <- pages[!file.exists(paste0(pages, ".orig"))]
  copies <- file.path(withr::local_tempdir(.local_envir = parent.frame()), basename(pages))
  copies <- sub("[.]orig$", "", copies)
  file.copy(pages, copies)
  copies
}

test_that("there are no spelling mistakes", {
  root <- "../.."
  skip_if_not(file.exists(file.path(root, "DESCRIPTION")), "the repository")
  skip_if_not_installed("spelling")
  known <- readLines(file.path(root, "inst", "WORDLIST"), encoding = "UTF-8")
  found <- spelling::spell_check_package(root, vignettes = FALSE, use_wordlist = FALSE)$word
  pages <- spelling::spell_check_files(markdown_files(root), ignore = "buffet", lang = "en-GB")$word
  expect_identical(setdiff(c(found, pages), known), character())
})

# Every table in the vignettes has a stamp that identifies the script that made it.

test_that("every table in the vignettes has a stamp, and the script that made it exists", {
  root <- "../.."
  file <- file.path(root, "data-raw/stamps.csv")
  skip_if_not(file.exists(file), "the repository")
  stamps <- utils::read.csv(file, colClasses = "character")
  tables <- list.files(file.path(root, "vignettes"), "[.](csv|rds)$")
  expect_setequal(stamps$table, tables)
  expect_identical(stamps$script[!file.exists(file.path(root, stamps$script))], character())
  expect_match(stamps$version, "^[0-9]+[.][0-9]+[.][0-9]+$")
})

# Vignettes are built one after another in the same session, so objects made in one of them are
# visible in the next.

test_that("knitted vignettes are up to date with their sources", {
  script <- "../../tools/vignettes.R"
  skip_if_not(file.exists(script), "the repository")
  tools <- new.env()
  sys.source(script, tools)
  sources <- list.files("../../vignettes", "[.]Rmd[.]orig$", full.names = TRUE)
  expect_gt(length(sources), 5)
  for (source in sources) {
    made <- readLines(sub("[.]orig$", "", source))
    expect_true(tools$stamp(source) %in% made, label = paste(basename(source), "is knitted"))
    figures <- regmatches(made, regexpr("figures/[^\")]*png", made))
    expect_true(all(file.exists(file.path("../../vignettes", figures))), label = source)
  }
})
