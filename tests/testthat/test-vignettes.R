# Vignettes are built one after the other in one session, so that what one leaves behind is there for
# the next.

test_that("no page gives a constant of R another value", {
  pages <- list.files("../../vignettes", "[.]Rmd$", full.names = TRUE)
  skip_if(length(pages) == 0, "the repository")
  constants <- c("pi", "T", "F", "letters", "LETTERS", "month.abb", "month.name")
  for (page in pages) {
    code <- knitr::purl(page, tempfile(fileext = ".R"), quiet = TRUE, documentation = 0)
    given <- Filter(function(e) is.call(e) && as.character(e[[1]])[1] %in% c("<-", "="), parse(code))
    names <- vapply(given, function(e) as.character(e[[2]])[1], "")
    expect_identical(intersect(names, constants), character(), info = basename(page))
  }
})
