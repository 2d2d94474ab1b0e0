# Vignettes are built one after the other in one session, so that what one leaves behind is there
# for the next.

test_that("no page gives a constant of R another value", {
  pages <- list.files("../../vignettes", "[.]Rmd$", full.names = TRUE)
  skip_if(length(pages) == 0, "the repository")
  given <- "^(pi|T|F|letters|LETTERS|month[.]abb|month[.]name) *(<-|=) "
  for (page in pages) {
    expect_identical(grep(given, readLines(page), value = TRUE), character(), info = basename(page))
  }
})
