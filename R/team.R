# A fit whose rows are on the workers of a cluster. Every worker runs the same program on its own
# rows; where that needs a sum over all of them it asks, and the answer is given from here.

#' Runs a job on all rows, in this process or on the workers of a cluster
#' @noRd
run_on_rows <- function(job, watch, cl) {
  if (is.null(cl)) run_alone(job, watch) else run_in_team(job, watch, cl)
}

#' Runs a program on the workers of a cluster, to its end or until interrupted
#'
#' Where workers are lost the others go on from the state that was kept last: the result is the
#' same.
#' @return As run_alone().
#' @noRd
run_in_team <- function(job, watch, cl) {
  note_interrupts_cpp(TRUE)
  hold_interrupts_cpp(TRUE, forget = FALSE)
  on.exit({
    hold_interrupts_cpp(FALSE, forget = FALSE)
    note_interrupts_cpp(FALSE)
  })
  before <- limit_waits(cl, min(ceiling(worker_timeout()), .Machine$integer.max))
  on.exit(limit_waits(cl, before), add = TRUE, after = FALSE)
  workers <- listening(cl)
  check_versions(workers)
  send_at_once(workers)
  if (!job$goes_on) check_workers(workers, job)
  workers <- engage(workers)
  on.exit(dismiss(workers), add = TRUE, after = FALSE)
  report_lost(length(cl), length(workers))
  while (length(workers) > 0) {
    team <- open_team(workers, job)
    done <- lead(team, job, watch)
    if (!is.null(done$result)) return(done$result)
    job <- done$job
    left <- listening(team$workers[!done$lost])
    report_lost(length(team$workers), length(left))
    workers <- c(left, workers[-seq_along(team$workers)])
  }
  without_workers(job, watch)
}

#' There must be some, and more than there are blocks of rows are told of
#' @noRd
check_workers <- function(workers, job) {
  if (length(workers) == 0) {
    stop("no worker of `cl` answers: was the cluster stopped?", call. = FALSE)
  }
  report_idle(length(workers), length(block_sizes(centred(job$data))))
}

report_idle <- function(workers, blocks) {
  idle <- workers - blocks
  if (idle <= 0) return(invisible())
  message(sprintf(
    "%d of the %d workers of `cl` %s nothing to do: the rows are %s, and no block is split.", idle,
    workers, if (idle == 1) "has" else "have",
    if (blocks == 1) "one block" else paste(blocks, "blocks")
  ))
}

report_lost <- function(before, after) {
  if (after == before || after == 0) return(invisible())
  lost <- before - after
  text <- if (lost == 1) "a worker is" else sprintf("%d workers are", lost)
  warning(text, " lost: its rows go to the others, and the fit is the same.", call. = FALSE)
}

#' Has workers forget what they were asked, whatever became of it
#' @noRd
dismiss <- function(workers) {
  workers <- listening(workers)
  receive_all(workers, send_all(workers, leave_team, rep(list(list()), length(workers))))
  release(workers)
}

without_workers <- function(job, watch) {
  if (is.null(left_by(job))) {
    stop("no worker of `cl` is left, and none has returned anything yet.", call. = FALSE)
  }
  warning("no worker of `cl` is left.", call. = FALSE)
  found_without_workers(job, watch)
}

#' @return list(workers, rows, key, asked): the workers that have rows, how many, the key of their
#'   members, and what these ask first.
#' @noRd
open_team <- function(workers, job) {
  shares <- shares_of(job$data, length(workers))
  workers <- workers[seq_along(shares)]
  key <- basename(tempfile("team"))
  work <- lapply(shares, function(share) {
    list(key, list(
      open = paste0(job$program, "_member_cpp"), x = share$x, model = job$model, plan = job$plan,
      share = share$share
    ))
  })
  rows <- vapply(shares, `[[`, 1L, "rows")
  list(workers = workers, rows = rows, key = key, asked = ask_all(workers, open_member, work))
}

#' Answers what the members of a team ask until they have ended
#'
#' @return list(result), or where workers are lost list(lost, job): which are, and the job that goes
#'   on from what was kept last.
#' @noRd
lead <- function(team, job, watch) {
  keep <- new_keeper(team, job, watch)
  hurry <- pace_reporter(names(team$workers))
  stopped <- FALSE
  asked <- team$asked
  while (!any(lost <- vapply(asked, is.null, NA))) {
    stopped <- stopped || has_stopped(watch)
    answer <- team_answer_cpp(lapply(asked, `[[`, 1), keep$is_due(), stopped)
    check_answer(answer, names(team$workers))
    hurry(answer$seconds)
    if (!is.null(answer$status)) watch$report(describe_status(job, answer$status))
    keep$take(answer$kept)
    if (answer$ended) return(end_team(team, keep$job()))
    asked <- tell(team, ask_member, answer$answer)
  }
  list(lost = lost, job = keep$job())
}

#' Have interrupts that are held come?
#' @noRd
has_stopped <- function(watch) {
  hold_interrupts_cpp(FALSE, forget = FALSE)
  on.exit(hold_interrupts_cpp(TRUE, forget = FALSE))
  noted_interrupt_cpp() || watch$stop()
}

#' Asks the members of a team, all the same
#' @noRd
tell <- function(team, fun, ...) {
  ask_all(team$workers, fun, rep(list(list(team$key, ...)), length(team$workers)))
}

check_answer <- function(answer, names) {
  failed <- which(nzchar(answer$failures))
  if (length(failed) == 0) return(invisible())
  first <- failed[1]
  stop(sprintf("worker %s failed: %s", names[first], answer$failures[first]), call. = FALSE)
}

#' What keeps the state of a team: it is asked for every so many seconds, and fetched once workers
#' have it
#' @noRd
new_keeper <- function(team, job, watch) {
  kept <- 0L
  asked <- FALSE
  last <- seconds_now()
  is_due <- function() {
    due <- !asked && seconds_now() > last + watch$seconds
    if (due) asked <<- TRUE
    due
  }
  take <- function(count) {
    if (count == kept) return(invisible())
    kept <<- count
    asked <<- FALSE
    last <<- seconds_now()
    found <- ask_for(team, member_kept, keepers(job, team))
    if (any(vapply(found, is.null, NA))) return(invisible())
    job <<- going_on_from(job, lapply(found, `[[`, 1), team)
    if (!is.null(watch$save)) watch$save(left_by(job))
  }
  list(is_due = is_due, take = take, job = function() job)
}

#' Asks some members for what they have, the first for all of it, the others for what is of their
#' rows
#' @noRd
ask_for <- function(team, fun, which = seq_along(team$workers)) {
  ask_all(team$workers[which], fun, lapply(which == 1, function(all) list(team$key, all)))
}

#' A function of the seconds that each worker took for a question, which says once where one of them
#' is slow
#' @noRd
pace_reporter <- function(names) {
  total <- 0
  told <- FALSE
  function(seconds) {
    total <<- total + seconds
    slow <- which.max(total)
    if (told || length(total) < 2 || total[slow] < 10) return(invisible())
    others <- mean(total[-slow])
    if (total[slow] < 2 * others) return(invisible())
    told <<- TRUE
    message(sprintf(
      "worker %s is slow: it took %.0f seconds where the others took %.0f.", names[slow],
      total[slow], others
    ))
  }
}

#' What a team has found
#' @noRd
end_team <- function(team, job) {
  found <- ask_for(team, member_result)
  lost <- vapply(found, is.null, NA)
  if (any(lost)) return(list(lost = lost, job = job))
  list(result = found_by(job, lapply(found, `[[`, 1), team))
}
