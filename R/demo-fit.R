# Fits in a process of their own, so that the page can be used meanwhile.

start_demo_fit <- function(call, data) {
  callr::r_bg(run_demo_fit, list(call, data), package = "buffet", supervise = TRUE)
}

#' @return list(fit, notes: messages and warnings, but for that of chains, as print() says it).
#' @noRd
run_demo_fit <- function(call, data) {
  notes <- character()
  note <- function(restart) {
    function(condition) {
      notes <<- c(notes, trimws(conditionMessage(condition)))
      invokeRestart(restart)
    }
  }
  fit <- withCallingHandlers(eval(call, list(data = data), asNamespace("buffet")),
    buffet_rhat_warning = function(w) invokeRestart("muffleWarning"),
    message = note("muffleMessage"), warning = note("muffleWarning")
  )
  list(fit = fit, notes = unique(notes))
}

#' What a process has found, or the problem it had
#' @noRd
end_demo_fit <- function(process) {
  tryCatch(process$get_result(), error = function(e) {
    # That of the process is the parent of the one that says it failed.
    cause <- e$parent %||% e
    structure(conditionMessage(cause), class = "demo_problem")
  })
}
