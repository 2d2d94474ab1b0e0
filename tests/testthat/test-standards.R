# The table of rOpenSci's standards: tags of code and tests say of each how and where it is met.

root <- normalizePath(file.path("..", ".."))
script <- file.path(root, "tools", "standards.R")
skip_if_not(file.exists(script), "the repository")
standards <- new.env()
sys.source(script, standards)
table <- standards$tabulate_standards(root)

test_that("every standard of the four categories has one status, a place and a reason", {
  expect_setequal(table$category, standards$categories)
  expect_identical(table$standard[!nzchar(table$how) | !nzchar(table$where)], character())
  of_one_status <- table$status %in% c(standards$statuses, "in part")
  expect_identical(table$standard[!of_one_status], character())
})

test_that("the page shows the tags that there are", {
  shown <- utils::read.csv(
    file.path(root, "vignettes", "articles", "standards.csv"),
    colClasses = "character", encoding = "UTF-8"
  )
  expect_identical(shown, table)
})

test_that("files and functions that it names exist", {
  expect_identical(standards$missing_files(table, root), character())
  calls <- gregexpr("[[:alpha:]][[:alnum:]_.:]*(?=\\(\\))", table$how, perl = TRUE)
  named <- unlist(regmatches(table$how, calls))
  ours <- c(ls(asNamespace("buffet"), all.names = TRUE), ls(environment(sized)))
  exists_there <- function(name) {
    if (name %in% ours || exists(name, mode = "function")) return(TRUE)
    parts <- strsplit(name, "::", fixed = TRUE)[[1]]
    length(parts) == 2 && parts[1] %in% c("stats", "bayesplot")
  }
  expect_identical(named[!vapply(named, exists_there, NA)], character())
})

test_that("tags are of known standards", {
  expect_error(standards$parse_tag("@srrstat {G1.0} No such tag.", "R/x.R"), "no tag of a standard")
  expect_error(standards$parse_tag("@srrstats G1.0 No braces.", "R/x.R"), "no tag of a standard")
  tags <- standards$parse_tag("@srrstats {G1.0, G1.1} In part: so.", "R/x.R")
  expect_identical(tags$standard, c("G1.0", "G1.1"))
  expect_identical(tags$status, rep("in part", 2))
  expect_identical(tags$how, rep("so.", 2))
  local_folder <- withr::local_tempdir()
  dir.create(file.path(local_folder, "R"))
  dir.create(file.path(local_folder, "tools"))
  file.copy(file.path(root, "tools", "standards.csv"), file.path(local_folder, "tools"))
  writeLines(c("#' @srrstats {G9.9} None.", "NULL"), file.path(local_folder, "R", "x.R"))
  expect_error(standards$tabulate_standards(local_folder), "no such standard: G9.9", fixed = TRUE)
  lines <- c("#' @srrstats {G1.0} One", "#'   paper.", "NULL")
  writeLines(lines, file.path(local_folder, "R", "x.R"))
  one <- standards$tabulate_standards(local_folder)
  expect_identical(one$how[one$standard == "G1.0"], "One paper.")
  expect_false(any(nzchar(one$status[one$standard != "G1.0"])))
})

test_that("a file that is not there is found", {
  wrong <- data.frame(where = "R/check.R", how = "See vignettes/no-such-page.Rmd and README.md.")
  expect_identical(standards$missing_files(wrong, root), "vignettes/no-such-page.Rmd")
})
