# A function to which chains report their numbers of sweeps
# Shows one progress bar over all chains, with the time left, or has progressr show it where that
# has handlers.
progress_reporter <- function(method, verbose, env) {
  refresh <- method$refresh %||% max(1, method$iter %/% 100)
  if (!verbose || refresh == 0) return(function(done) NULL)
  if (!shows_bars() && !progressr_listens()) return(function(done) NULL)
  before <- sweeps_before(method)
  total <- method$chains * method$iter - before
  show <- if (progressr_listens()) progressr_shower(total, env) else bar_shower(total, env)
  shown <- 0
  function(done) {
    done <- sum(done) - before
    if (done - shown >= refresh || (done == total && shown < total)) {
      shown <<- done
      show(done)
    }
  }
}

sweeps_before <- function(method) {
  if (isTRUE(method$doublings > 0)) method$chains * (method$warmup %/% 2L) else 0
}

bar_shower <- function(total, env) {
  bar <- cli::cli_progress_bar(
    format = paste(
      "{cli::pb_bar} {cli::pb_percent} | {cli::pb_current}/{cli::pb_total} sweeps",
      "| time left {cli::pb_eta}"
    ),
    total = total, clear = FALSE, auto_terminate = FALSE, .envir = env
  )
  function(done) cli::cli_progress_update(set = done, id = bar, .envir = env)
}

progressr_shower <- function(total, env) {
  progress <- progressr::progressor(total, envir = env)
  shown <- 0
  function(done) {
    progress(amount = done - shown)
    shown <<- done
  }
}

# True in a terminal, not in logs and documents
shows_bars <- function() {
  !isTRUE(getOption("knitr.in.progress")) && isTRUE(cli::is_dynamic_tty())
}

# A function that counts processed draws, with a bar after two seconds
draws_ticker <- function(total, env = parent.frame()) {
  if (total < 2 || !shows_bars()) return(function(n = 1) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_bar} {cli::pb_percent} of the draws | time left {cli::pb_eta}",
    total = total, .envir = env
  )
  function(n = 1) cli::cli_progress_update(inc = n, id = bar, .envir = env)
}

# True if progressr has handlers, global or by with_progress()
progressr_listens <- function() {
  if (!isNamespaceLoaded("progressr")) return(FALSE)
  is_listening <- function(n) identical(sys.function(n), progressr::with_progress)
  isTRUE(progressr::handlers(global = NA)) || any(vapply(seq_len(sys.nframe()), is_listening, NA))
}

# A function that the core calls with its progress, which is shown if `verbose`. The number of steps
# of an optimisation is unknown, so its bar shows the step and the time, ten times a second.
reporter <- function(method, verbose, env = parent.frame()) {
  if (samples(method)) return(progress_reporter(method, verbose, env))
  if (!verbose || !shows_bars()) return(function(...) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$where} [{cli::pb_elapsed}]", clear = FALSE,
    auto_terminate = FALSE, extra = list(where = ""), .envir = env
  )
  shown <- -Inf
  function(at) {
    now <- seconds_now()
    if (now < shown + 0.1) return(NULL)
    shown <<- now
    where <- describe_step(method, at)
    cli::cli_progress_update(extra = list(where = where), id = bar, .envir = env)
  }
}

# at: What the core reports: list(done: its steps, ...).
describe_step <- function(method, at) {
  if (inherits(method, "method_icm")) {
    return(sprintf("iteration %d: log joint density %.1f", at$done, at$log_joint))
  }
  sprintf(
    "step %d%s: %d features, bound %.1f", at$done,
    if (at$all_rows) "" else " (on some of the rows)", at$features, at$bound
  )
}

seconds_now <- function() proc.time()[["elapsed"]]
