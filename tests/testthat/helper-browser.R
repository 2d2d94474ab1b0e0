# Programs that open a browser, with the packages that only they have on their path: `make browser`.

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
