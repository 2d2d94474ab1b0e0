#' A function that chains report the sweeps they have done to
#'
#' Shows one progress bar over all chains, with the time left.
#' @noRd
progress_reporter <- function(method, verbose, env = parent.frame()) {
  refresh <- method$refresh %||% max(1, method$iter %/% 100)
  if (!verbose || refresh == 0) return(function(done) NULL)
  total <- method$chains * method$iter
  bar <- cli::cli_progress_bar(
    format = paste(
      "{cli::pb_bar} {cli::pb_percent} | {cli::pb_current}/{cli::pb_total} sweeps",
      "| time left {cli::pb_eta}"
    ),
    total = total, clear = FALSE, auto_terminate = FALSE, .envir = env
  )
  shown <- 0
  function(done) {
    done <- sum(done)
    if (done - shown >= refresh || (done == total && shown < total)) {
      shown <<- done
      cli::cli_progress_update(set = done, id = bar, .envir = env)
    }
  }
}
