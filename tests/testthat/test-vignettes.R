# Vignettes are built one after the other in one session, so that what one leaves behind is there
# for the next.

test_that("no page gives a constant of R another value", {
  pages <- list.files("../../vignettes", "[.]Rmd([.]orig)?$", full.names = TRUE)
  skip_if(length(pages) == 0, "the repository")
  given <- "^(pi|T|F|letters|LETTERS|month[.]abb|month[.]name) *(<-|=) "
  for (page in pages) {
    expect_identical(grep(given, readLines(page), value = TRUE), character(), info = basename(page))
  }
})

test_that("knitted vignettes are made from their present sources", {
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
    expect_identical(Filter(Negate(file.exists), file.path("../../vignettes", figures)), character())
  }
})
