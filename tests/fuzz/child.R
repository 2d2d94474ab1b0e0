# Runs a range of cases, and records in a file when each of them begins and how it ends. Every line
# has the number of the case and the time; a line for the end also has "good" or the problem.
#
#   Rscript tests/fuzz/child.R POOL NOTES SEED FROM TO

suppressPackageStartupMessages(library(buffet))
for (file in c("values", "signatures", "damage", "resume", "draw", "verdict", "pool")) {
  source(file.path("tests/fuzz", paste0(file, ".R")))
}

note <- function(file, ...) cat(paste0(c(...), collapse = "\t"), "\n", file = file, append = TRUE)

run_case <- function(seed, case) {
  call <- draw_case(seed, case)
  set.seed(case)
  outcome <- tryCatch(
    allowInterrupts(suppressMessages(suppressWarnings(eval(call, new.env(parent = attached))))),
    error = identity, interrupt = identity
  )
  judge(outcome, call) %||% "good"
}

arguments <- commandArgs(trailingOnly = TRUE)
pool <- readRDS(arguments[1])
attached <- list2env(pool, parent = globalenv())
`%||%` <- rlang::`%||%`
sink(nullfile())
grDevices::pdf(NULL)
numbers <- as.numeric(arguments[3:5])
# Cases may write files, so they run in a temporary folder.
setwd(tempdir())
# An interrupt that arrives after its case has ended must not end the process.
suspendInterrupts(for (case in seq(numbers[2], numbers[3])) {
  note(arguments[2], case, "begins")
  verdict <- run_case(numbers[1], case)
  note(arguments[2], case, encodeString(substr(verdict, 1, 300)))
})
