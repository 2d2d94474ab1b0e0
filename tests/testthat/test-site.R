# The web site in headless Chromium. tools/site-check.R opens every page and reports problems.

#' Runs Rscript with the packages installed by `make browser` on its library path
run_browser <- function(arguments) {
  own <- normalizePath("../../build/browser", mustWork = FALSE)
  libraries <- paste(c(own, .libPaths()), collapse = .Platform$path.sep)
  said <- withr::local_tempfile()
  log <- withr::local_tempfile()
  status <- system2(
    file.path(R.home("bin"), "Rscript"), arguments,
    env = paste0("R_LIBS=", shQuote(libraries)), stdout = said, stderr = log
  )
  list(status = status, said = readLines(said), log = paste(readLines(log), collapse = "\n"))
}

skip_without_browser <- function() {
  code <- "loadNamespace('httpuv'); stopifnot(nzchar(chromote::find_chrome()))"
  found <- run_browser(c("-e", shQuote(code)))$status == 0
  testthat::skip_if_not(found, "Chromium and chromote: make browser")
}

test_that("every page of the site loads on its own, with its links, plots and formulas", {
  skip_if_quick()
  skip_if_not(file.exists("../../docs/search.json"), "the site: make site")
  skip_without_browser()
  run <- run_browser(c("../../tools/site-check.R", shQuote(normalizePath("../../docs"))))
  # An extra line may be printed when the connection to the browser is closed.
  expect_identical(grep("^[^ ]+[.]html: ", run$said, value = TRUE), character())
  expect_identical(run$status, 0L, info = run$log)
})
