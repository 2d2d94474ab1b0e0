# Calls in this process that end at a limit of time.

#' Processor time of a call that is to stop after two seconds: limits are seen where interrupts are
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
