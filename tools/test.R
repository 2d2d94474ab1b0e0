# Runs the tests against the installed package; the last line says how many expectations passed.
#
#   Rscript tools/test.R [filter]

suppressPackageStartupMessages(library(testthat))

run_tests <- function(filter) {
  Sys.setenv(NOT_CRAN = "true")
  results <- test_dir("tests/testthat",
    filter = filter, package = "buffet", load_package = "installed",
    reporter = SummaryReporter$new(max_reports = Inf), stop_on_failure = FALSE
  )
  as.data.frame(results)
}

count <- function(results) {
  c(
    passed = sum(results$passed),
    failed = sum(results$failed) + sum(results$error),
    skipped = sum(results$skipped)
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
counts <- count(run_tests(if (length(arguments) > 0) arguments[1]))
cat(sprintf("\n%d passed, %d failed, %d skipped\n", counts[1], counts[2], counts[3]))
quit(status = as.integer(counts[["failed"]] > 0))
