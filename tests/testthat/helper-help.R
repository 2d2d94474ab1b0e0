#' The source of a help page on one line, without the marks of code and links
help_text <- function(page) {
  path <- file.path("..", "..", "man", paste0(page, ".Rd"))
  skip_if_not(file.exists(path), "the repository")
  text <- gsub("\\s+", " ", paste(readLines(path), collapse = " "))
  gsub("\\\\code\\{([^{}]*)\\}", "\\1", gsub("\\\\link(\\[[^]]*\\])?\\{([^{}]*)\\}", "\\2", text))
}

expect_help <- function(page, told) {
  expect(grepl(told, help_text(page), fixed = TRUE), sprintf("?%s does not say: %s", page, told))
}
