# The index of the web site lists every help page and every article, and nothing else.

root <- file.path("..", "..")
index_file <- file.path(root, "_pkgdown.yml")

read_index <- function() {
  skip_if_not(file.exists(index_file), "the repository")
  skip_if_not_installed("rmarkdown")
  # Reading the index as the header of a document requires only packages that vignettes require.
  document <- withr::local_tempfile(lines = c("---", readLines(index_file), "---"))
  rmarkdown::yaml_front_matter(document)
}

contents_of <- function(sections) unlist(lapply(sections, `[[`, "contents"))

#' Names of all help pages that are not internal, with the topics of each page
help_pages <- function() {
  files <- list.files(file.path(root, "man"), "[.]Rd$", full.names = TRUE)
  pages <- lapply(files, readLines, encoding = "UTF-8")
  pages <- pages[!vapply(pages, \(page) any(page == "\\keyword{internal}"), NA)]
  field <- function(page, name) {
    gsub("\\%", "%", sub("^[^{]*[{](.*)[}]$", "\\1", grep(name, page, value = TRUE)), fixed = TRUE)
  }
  names(pages) <- vapply(pages, field, "", "^[\\]name[{]")
  lapply(pages, \(page) c(field(page, "^[\\]name[{]"), field(page, "^[\\]alias[{]")))
}

#' Names of the pages selected by an item of the index, read as pkgdown would read it
selected_by <- function(item, pages) {
  item <- str2lang(item)
  if (is.call(item) && identical(item[[1]], quote(`-`))) item <- item[[2]]
  is_meant <- if (is.call(item)) {
    how <- switch(as.character(item[[1]]), starts_with = startsWith, matches = \(x, y) grepl(y, x))
    \(aliases) how(aliases, item[[2]])
  } else {
    \(aliases) aliases == as.character(item)
  }
  names(pages)[vapply(pages, \(aliases) any(is_meant(aliases)), NA)]
}

#' The pages of the items in a section, except for pages that the section excludes
shown_in <- function(section, pages) {
  items <- section$contents
  less <- startsWith(items, "-")
  all <- function(items) unlist(lapply(items, selected_by, pages))
  setdiff(all(items[!less]), all(items[less]))
}

test_that("the reference index has every help page, and its items are help pages", {
  index <- read_index()
  pages <- help_pages()
  expect_gt(length(pages), 50)
  shown <- unlist(lapply(index$reference, shown_in, pages))
  expect_identical(setdiff(names(pages), shown), character())
  items <- contents_of(index$reference)
  found <- vapply(items, \(item) length(selected_by(item, pages)) > 0, NA)
  expect_identical(items[!found], character())
})

test_that("the index of articles has every article, and menus lead to articles", {
  index <- read_index()
  folder <- file.path(root, "vignettes")
  articles <- sub("[.]Rmd$", "", list.files(folder, "[.]Rmd$", recursive = TRUE))
  expect_setequal(contents_of(index$articles), articles)
  links <- unlist(index$navbar$structure$left)
  menus <- index$navbar$components[intersect(links, names(index$navbar$components))]
  links <- unlist(lapply(menus, \(menu) lapply(menu$menu, `[[`, "href")))
  expect_gt(length(links), 10)
  files <- sprintf("articles/%s.html", c("index", basename(articles)))
  expect_identical(setdiff(links, files), character())
})
