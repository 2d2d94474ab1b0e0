# Runs the tests against the installed package. Files are run in parallel on all cores, each in its
# own process. Files that interrupt, kill or time other processes are run one after another in a
# single process, so they never compete with each other. The last line gives the number of
# expectations that passed.
#
#   Rscript tools/test.R [filter]
#
# BUFFET_TESTS=full runs the tests at full size. MC_CORES=1 runs one file after another.

suppressPackageStartupMessages(library(testthat))
suppressPackageStartupMessages(library(buffet))

# Functions in tests/testthat/helper-children.R that such files call.
in_turn <- "start_child|kill_after|interrupt_(when|after)"

# The slowest of the other files. They start first, so that no core has to wait for them at the end.
slow <- c(
  "lint", "every-kind", "demo", "cluster", "resume", "bad-input", "topics-new-documents",
  "mixed-fit", "factor-fit", "predict", "new-rows", "intervals", "loo", "best-chain", "init",
  "weight-draws", "cascade-predict"
)

list_files <- function(filter) {
  files <- sub("^test-(.*)[.]R$", "\\1", list.files("tests/testthat", "^test-.*[.]R$"))
  files <- grep(filter, files, value = TRUE)
  if (length(files) == 0) stop("no test file has a name that matches ", filter, call. = FALSE)
  c(intersect(slow, files), setdiff(files, slow))
}

path_of <- function(file) file.path("tests/testthat", paste0("test-", file, ".R"))

run_file <- function(file) {
  # Every file has the same random numbers, whatever ran before it.
  set.seed(1)
  time <- system.time(output <- utils::capture.output({
    results <- test_file(path_of(file),
      package = "buffet", load_package = "installed", stop_on_failure = FALSE,
      reporter = SummaryReporter$new(show_praise = FALSE, omit_dots = TRUE, max_reports = Inf)
    )
  }))
  report <- list(file = file, tests = as.data.frame(results), output = output,
    seconds = time[["elapsed"]], processor = sum(time[-3])
  )
  cat(sprintf("%-30s %s\n", file, say_counts(count(list(report)))))
  report
}

# Results for files that could not be run or whose process died.
broken <- function(files, result) {
  why <- if (inherits(result, "try-error")) as.character(result) else "its process died\n"
  lapply(files, function(file) {
    cat(sprintf("%-32s failed: %s", file, why))
    list(file = file, broken = why)
  })
}

run_job <- function(files) lapply(files, run_file)

checked <- function(files, result) if (is.list(result)) result else broken(files, result)

# Makes the fits that many files use, so that the processes of files inherit them
share_fits <- function() {
  env <- new.env(parent = asNamespace("buffet"))
  testthat::source_test_helpers("tests/testthat", env)
  suppressMessages(suppressWarnings(env$make_shared_fits()))
}

run_files <- function(files) {
  Sys.setenv(NOT_CRAN = "true")
  if (length(files) > 20) share_fits()
  calls <- function(what) vapply(path_of(files), function(p) any(grepl(what, readLines(p))), NA)
  takes_turns <- calls(in_turn)
  jobs <- Filter(length, c(list(files[takes_turns]), as.list(files[!takes_turns])))
  results <- suppressWarnings(parallel::mclapply(jobs, run_job,
    mc.cores = getOption("mc.cores", parallel::detectCores()), mc.preschedule = FALSE
  ))
  unlist(Map(checked, jobs, results), recursive = FALSE)
}

count <- function(reports) {
  total <- function(column) sum(unlist(lapply(reports, function(r) r$tests[[column]])))
  died <- sum(!vapply(reports, function(r) is.null(r$broken), NA))
  c(
    passed = total("passed"), failed = total("failed") + total("error") + died,
    skipped = total("skipped")
  )
}

say_counts <- function(counts) {
  sprintf("%d passed, %d failed, %d skipped", counts[1], counts[2], counts[3])
}

# Prints failures, warnings and skips in full.
print_problems <- function(report) {
  if (!is.null(report$broken)) {
    cat("\n", path_of(report$file), ": ", report$broken, sep = "")
  } else if (any(report$tests[c("failed", "error", "warning", "skipped")] > 0)) {
    cat("\n", path_of(report$file), "\n", sep = "")
    writeLines(report$output)
  }
}

print_slowest <- function(what, names, seconds, processor, most = 10) {
  slowest <- utils::head(order(-seconds), most)
  cat("\nslowest ", what, ": elapsed seconds, and seconds of processor time\n", sep = "")
  cat(sprintf("%7.1f %7.1f  %s\n", seconds, processor, names)[slowest], sep = "")
}

print_times <- function(reports) {
  reports <- Filter(function(r) is.null(r$broken), reports)
  of <- function(name) vapply(reports, `[[`, 0, name)
  print_slowest("files", vapply(reports, `[[`, "", "file"), of("seconds"), of("processor"))
  tests <- do.call(rbind, lapply(reports, `[[`, "tests"))
  names <- paste0(tests$file, ": ", tests$test)
  print_slowest("tests", names, tests$real, tests$user + tests$system)
  cat(sprintf("\nR tests: %.0f s of processor time\n", sum(of("processor"))))
}

main <- function(filter = ".") {
  stopifnot(Sys.getenv("BUFFET_TESTS", "quick") %in% c("quick", "full"))
  reports <- run_files(list_files(filter))
  failed <- vapply(reports, function(report) count(list(report))[["failed"]] > 0, NA)
  for (report in reports[!failed]) print_problems(report)
  print_times(reports)
  # These are printed last, so that even a truncated log contains them.
  for (report in reports[failed]) print_problems(report)
  counts <- count(reports)
  cat("\n", say_counts(counts), "\n", sep = "")
  quit(status = as.integer(counts[["failed"]] > 0))
}

do.call(main, as.list(commandArgs(trailingOnly = TRUE)))
