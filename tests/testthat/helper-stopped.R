# Calls in this process that end at a limit of time.

#' Processor time of a call that is to stop after 0.3 seconds: limits are seen where interrupts are
processor_until_stopped <- function(code) {
  setTimeLimit(elapsed = 0.3, transient = TRUE)
  on.exit(setTimeLimit())
  stopped <- FALSE
  time <- system.time(
    tryCatch(code, interrupt = \(i) stopped <<- TRUE, error = \(e) stopped <<- TRUE)
  )
  expect_true(stopped)
  sum(time[1:2])
}
