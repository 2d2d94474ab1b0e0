# A fit whose rows are on the workers of a cluster. Every worker runs the same program on its own
# rows; where that needs a sum over all of them it asks, and the answer is given from here.

#' Runs a program of the core on all rows, in this process or on the workers of a cluster
#'
#' @param job list(program, data, model, plan): the name of the program, which <program>_cpp() runs
#'   in one process and <program>_member_cpp() in a team, and its arguments.
#' @noRd
run_on_rows <- function(job, watch, cl) {
  if (is.null(cl)) run_alone(job, watch) else run_in_team(job, watch, cl)
}

run_alone <- function(job, watch) {
  run <- get(paste0(job$program, "_cpp"), envir = asNamespace("buffet"))
  run(core_data(job$data), job$model, job$plan, watch)
}

#' Runs a program on the workers of a cluster, to its end or until interrupted
#'
#' Where workers are lost the others go on from the state that was kept last: the result is the
#' same.
#' @return As run_alone().
#' @noRd
run_in_team <- function(job, watch, cl) {
  hold_interrupts_cpp(TRUE, forget = FALSE)
  on.exit(hold_interrupts_cpp(FALSE, forget = FALSE))
  before <- limit_waits(cl, ceiling(worker_timeout()))
  on.exit(limit_waits(cl, before), add = TRUE, after = FALSE)
  workers <- listening(cl)
  on.exit(dismiss(workers), add = TRUE, after = FALSE)
  report_lost(length(cl), length(workers))
  while (length(workers) > 0) {
    team <- open_team(workers, job)
    done <- lead(team, watch)
    if (!is.null(done$result)) return(done$result)
    job$plan["state"] <- list(done$state %||% job$plan$state)
    left <- listening(team$workers[!done$lost])
    report_lost(length(team$workers), length(left))
    workers <- c(left, workers[-seq_along(team$workers)])
  }
  without_workers(job, watch)
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
}

#' The best so far, from the state that was kept last
#' @noRd
without_workers <- function(job, watch) {
  if (is.null(job$plan$state)) {
    stop("no worker is left, and none has given anything yet.", call. = FALSE)
  }
  warning("no worker is left.", call. = FALSE)
  watch$stop <- function() TRUE
  run_alone(job, watch)
}

#' @return list(workers, key, asked): the workers that have rows, the key of their members, and
#'   what these ask first.
#' @noRd
open_team <- function(workers, job) {
  shares <- shares_of(job$data, length(workers))
  workers <- workers[seq_along(shares)]
  key <- basename(tempfile("team"))
  work <- lapply(shares, function(share) {
    list(key, list(
      open = paste0(job$program, "_member_cpp"), x = share$x, model = job$model, plan = job$plan,
      share = share$share, version = own_version()
    ))
  })
  list(workers = workers, key = key, asked = ask_all(workers, open_member, work))
}

#' Answers what the members of a team ask until they have ended
#'
#' @return list(result), or where workers are lost list(lost, state): which are, and the state that
#'   was kept last.
#' @noRd
lead <- function(team, watch) {
  keep <- new_keeper(team, watch)
  hurry <- pace_reporter(names(team$workers))
  stopped <- FALSE
  asked <- team$asked
  while (!any(lost <- vapply(asked, is.null, NA))) {
    stopped <- stopped || has_stopped(watch)
    answer <- team_answer_cpp(lapply(asked, `[[`, 1), keep$is_due(), stopped)
    check_answer(answer, names(team$workers))
    hurry(answer$seconds)
    if (!is.null(answer$status)) watch$report(answer$status)
    if (answer$ended) return(end_team(team, keep))
    keep$take(answer$kept)
    asked <- tell(team, ask_member, answer$answer)
  }
  list(lost = lost, state = keep$state())
}

#' Have interrupts that are held come?
#' @noRd
has_stopped <- function(watch) {
  hold_interrupts_cpp(FALSE, forget = FALSE)
  on.exit(hold_interrupts_cpp(TRUE, forget = FALSE))
  watch$stop()
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

#' What keeps the state of a team: it is asked for every so many seconds, and fetched from the first
#' worker once that has it
#' @noRd
new_keeper <- function(team, watch) {
  state <- NULL
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
    fetched <- ask_all(team$workers[1], member_state, list(list(team$key)))[[1]]
    if (is.null(fetched)) return(invisible())
    state <<- fetched[[1]]
    if (!is.null(watch$save)) watch$save(state)
  }
  list(is_due = is_due, take = take, state = function() state)
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

#' What a team has found, as one process would have
#' @noRd
end_team <- function(team, keep) {
  first <- seq_along(team$workers) == 1
  found <- ask_all(team$workers, member_result, lapply(first, function(all) list(team$key, all)))
  lost <- vapply(found, is.null, NA)
  if (any(lost)) return(list(lost = lost, state = keep$state()))
  result <- found[[1]][[1]]
  for (name in intersect(of_rows, names(result))) {
    result[[name]] <- do.call(rbind, lapply(found, function(own) own[[1]][[name]]))
  }
  list(result = result)
}
