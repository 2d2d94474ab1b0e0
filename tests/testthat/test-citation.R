# What citation() says.

entries <- utils::citation("buffet")

test_that("the package is cited first, with its title and version", {
  package <- entries[[1]]
  expect_identical(package$title, paste0("buffet: ", utils::packageDescription("buffet")$Title))
  expect_match(package$note, as.character(utils::packageVersion("buffet")), fixed = TRUE)
})

test_that("every paper is cited in full, and once", {
  papers <- entries[-1]
  for (k in seq_along(papers)) {
    expect_match(papers[k]$year, "^[0-9]{4}$")
    where <- c(papers[k]$journal, papers[k]$booktitle, papers[k]$note)
    expect_length(where, 1)
    expect_match(paste(utils::toBibtex(papers[k]), collapse = " "), "author = ", fixed = TRUE)
  }
  expect_identical(anyDuplicated(unlist(papers$title)), 0L)
})

test_that("each model has a paper, whose first author its help page names", {
  root <- "../.."
  skip_if_not(dir.exists(file.path(root, "man")), "the repository")
  first <- c(
    gaussian = "Griffiths", logistic = "Neal", mixed = "Valera", factor = "Knowles",
    choice = "G\u00f6r\u00fcr", topics = "Williamson", cascade = "Adams", nmf = "Schmidt"
  )
  cited <- vapply(entries$author[-1], function(authors) authors[1]$family, "")
  expect_identical(setdiff(first, cited), character())
  exported <- grep("^fit_", getNamespaceExports("buffet"), value = TRUE)
  expect_setequal(names(first), sub("^fit_", "", exported))
  for (model in names(first)) {
    page <- readLines(file.path(root, "man", sprintf("fit_%s.Rd", model)), encoding = "UTF-8")
    plain <- chartr("\u00f6\u00fc", "ou", c(first[[model]], page))
    expect_match(plain[-1], plain[1], fixed = TRUE, all = FALSE, info = model)
  }
})
