# Makes calls with hostile arguments, in child processes that are monitored. A case is bad if the
# child dies or does not end after an interrupt, or if verdict.R does not accept the error or the
# result of the call. Bad cases are listed with their calls and can be run separately.
#
#   Rscript tests/fuzz/fuzz.R CASES SEED [CASE]      CASE: the number of the first

suppressPackageStartupMessages(library(buffet))
`%||%` <- rlang::`%||%`
for (file in c("values", "signatures", "damage", "draw", "pool", "parent")) {
  source(file.path("tests/fuzz", paste0(file, ".R")))
}

#' Runs a range of cases in as many children as necessary, and returns list(bad, done)
run_cases <- function(seed, from, to) {
  bad <- character()
  done <- 0
  while (from <= to) {
    ended <- watch(start_child(seed, from, to))
    notes <- read_notes()
    begun <- as.numeric(names(notes))
    if (length(begun) == 0) stop("a child has not begun: ", ended %||% last_errors())
    verdicts <- notes[notes != "begins"]
    bad <- c(bad, verdicts[verdicts != "good"])
    done <- done + length(verdicts)
    if (!is.null(ended)) {
      bad <- c(bad, stats::setNames(ended, max(begun)))
      done <- done + 1
    }
    from <- max(begun) + 1
  }
  list(bad = bad, done = done)
}

show_bad <- function(bad, seed) {
  for (case in names(bad)) {
    call <- paste(deparse(draw_case(seed, as.numeric(case))), collapse = " ")
    cat(sprintf("case %s: %s\n  %s\n  make fuzz CASES=1 SEED=%d CASE=%s\n", case, bad[[case]],
      gsub(" +", " ", call), seed, case
    ))
  }
}

main <- function(cases = "200", seed = "1", from = "1") {
  numbers <- as.numeric(c(cases, seed, from))
  check_signatures()
  saveRDS(suppressMessages(make_pool()), pool_file)
  found <- run_cases(numbers[2], numbers[3], numbers[3] + numbers[1] - 1)
  show_bad(found$bad, numbers[2])
  cat(sprintf("fuzz: %d cases, %d bad\n", found$done, length(found$bad)))
  quit(status = as.integer(length(found$bad) > 0))
}

do.call(main, as.list(commandArgs(trailingOnly = TRUE)))
