# Calls in this process that are stopped at a time limit.

#' Stops a call that would otherwise never return. No ordinary call comes close to this limit.
within <- function(seconds, code) {
  setTimeLimit(elapsed = seconds, transient = TRUE)
  on.exit(setTimeLimit())
  code
}

#' Processor time of a call that must stop after two seconds. Limits are checked wherever interrupts
#' are checked.
processor_until_stopped <- function(code) {
  setTimeLimit(elapsed = 2, transient = TRUE)
  on.exit(setTimeLimit())
  how <- "not"
  time <- system.time(
    tryCatch(code, interrupt = \(i) how <<- "limit", error = \(e) how <<- conditionMessage(e))
  )
  expect_match(how, "limit")
  sum(time[1:2])
}
