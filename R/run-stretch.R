# Stretches of one chain, from where it stands to the end of a sweep some seconds later.

#' How long stretches are: short at first, later so that fetching and sending take a twentieth
#'
#' @return list(seconds, overheads): that of the next, and what futures took beyond their stretches.
#' @noRd
new_pace <- function() list(seconds = min(1, checkpoint_seconds()), overheads = numeric())

next_pace <- function(pace, overhead) {
  overheads <- utils::tail(c(pace$overheads, overhead), 3)
  # One may have had to wait for its worker: the least of the last.
  enough <- max(checkpoint_seconds(), 20 * min(overheads))
  list(seconds = min(enough, 4 * pace$seconds), overheads = overheads)
}

#' What a worker evaluates. Nothing of another version is called
#' @noRd
stretch_call <- bquote({
  found <- .(version_there)
  if (found != job$version) {
    stop("a worker of the plan must have buffet ", job$version, ", not ", found, ".", call. = FALSE)
  }
  utils::getFromNamespace("run_stretch", "buffet")(job)
})

#' A stretch of one chain, in the worker
#'
#' @param job list(model, method, plan): as sweep_chains() has them.
#' @return list(chain, seconds): what it leaves, and how long its sweeps took.
#' @noRd
run_stretch <- function(job) {
  begun <- NULL
  report <- function(done) begun <<- begun %||% seconds_now()
  watch <- list(stop = is_interrupted, report = report, save = NULL, seconds = Inf)
  left <- sweep_chains(job$model, job$method, job$plan, watch)
  list(chain = left[[1]], seconds = seconds_now() - begun)
}

new_stretch <- function(job) {
  # The data have to go there, whatever their size.
  before <- options(future.globals.maxSize = Inf)
  on.exit(options(before))
  future::future(stretch_call, substitute = FALSE, globals = list(job = job), seed = NULL)
}
