# codemeta.json says what DESCRIPTION does. make codemeta writes it.

test_that("codemeta.json has the title, description and version of DESCRIPTION", {
  root <- "../.."
  file <- file.path(root, "codemeta.json")
  skip_if_not(file.exists(file.path(root, "Makefile")), "the repository")
  lines <- readLines(file, encoding = "UTF-8")
  # Fields of the software itself are indented by two.
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
