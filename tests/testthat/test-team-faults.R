# Fits by method_meibp() whose workers, master or user go away on the way.

#' A search of some rows, then of all of them: about a second of work, saved all along
hard_data <- function(rows = 2500) {
  z <- withr::with_seed(1, matrix(stats::rbinom(rows * 8, 1, 0.3), rows))
  bare(draw_nonnegative(z, 12, 1))
}
long_blocks <- function(..., sizes = rep(500, 5)) team_blocks(hard_data(), sizes, ...)
long_run <- function(..., x = once("long blocks", long_blocks())) {
  utils::modifyList(list(
    x = x, loadings = "nonnegative", method = method_meibp(10, tol = 1e-12), seed = 3
  ), list(...))
}
run_here <- function(call, ..., seconds = 0.02) {
  withr::local_options(buffet.checkpoint_seconds = seconds)
  do.call(fit_gaussian, c(call, list(...), verbose = FALSE))
}
whole_run <- function() once("whole run", run_here(long_run()))

#' Calls act() before the master calls one of its functions for the n-th time; gives a function that
#' tells whether that time has come
before_call <- function(n, act, name = "tell", frame = parent.frame()) {
  force(n)
  count <- 0
  local_wrapper(name, function(plain, ...) {
    count <<- count + 1
    if (count == n) act()
    plain(...)
  }, frame)
  function() count >= n
}

#' The lengths of the states that teams are opened with, as they are
spy_on_states <- function(frame = parent.frame()) {
  seen <- NULL
  local_wrapper("open_team", function(plain, workers, job) {
    seen <<- c(seen, length(job$plan$state))
    plain(workers, job)
  }, frame)
  function() seen
}

#' Kills these once a fit can be made of what was kept of a run
kill_when_enough <- function(pids, frame = parent.frame()) {
  local_wrapper("new_keeper", function(plain, team, job, watch) {
    keep <- plain(team, job, watch)
    is_enough <- function() {
      kept <- keep$job()
      !is.null(left_by(kept)) && !is.null(found_without_workers(kept, watch)$features)
    }
    take <- function(count) {
      keep$take(count)
      if (is_enough()) kill(pids)
    }
    utils::modifyList(keep, list(take = take))
  }, frame)
}

#' Questions of a long run, or a few more: how many there are before all rows are searched depends
#' on the time that takes
all_questions <- function() {
  once("all questions", {
    count <- local_counter("tell", environment())
    run_here(long_run(), cl = fork_workers(3, environment()))
    count()
  })
}

half_way <- function() all_questions() %/% 2

#' Some of them, before which something happens: other ones at every run of the tests
some_questions <- function(from = 1) {
  seed <- as.integer(as.numeric(Sys.time()) %% 1e6)
  withr::with_seed(seed, sample(seq(from, all_questions()), sized(2, 10)))
}

kill <- function(pids, signal = tools::SIGKILL) tools::pskill(pids, signal)

lost_one <- "a worker is lost: its rows go to the others, and the fit is the same."

test_that("a worker that is killed at any point changes nothing but the time", {
  killed_some <- FALSE
  for (question in some_questions()) {
    cl <- fork_workers(3)
    killed <- pids_of(cl)[question %% 3 + 1]
    local({
      was_killed <- before_call(question, function() kill(killed))
      out <- with_warnings(run_here(long_run(), cl = cl))
      expect_identical(out$value, whole_run(), label = paste("the fit, killed at", question))
      # A run may have fewer questions than the one that was counted.
      expect_identical(out$warned, if (was_killed()) lost_one else character())
      killed_some <<- killed_some || was_killed()
    })
    kill(killed)
    # The worker stays lost, and the others are as good as before.
    expect_identical(with_warnings(run_here(long_run(), cl = cl))$warned, lost_one)
    expect_listens(cl[-(question %% 3 + 1)])
    stop_workers(cl)
  }
  expect_true(killed_some)
})

test_that("a worker that is killed at any time changes nothing but the time", {
  for (question in some_questions()) {
    cl <- fork_workers(3)
    command <- sprintf("sleep %.3f; kill -9 %d", question / 100, pids_of(cl)[question %% 3 + 1])
    system2("sh", c("-c", shQuote(command)), wait = FALSE)
    out <- with_warnings(run_here(long_run(), cl = cl))
    expect_identical(out$value, whole_run(), label = paste("the fit, killed by", command))
    expect_true(all(out$warned == lost_one))
    stop_workers(cl)
  }
})

lost_two <- "2 workers are lost: its rows go to the others, and the fit is the same."

test_that("two that are killed, at once or one after the other, leave their rows to the third", {
  killed_some <- FALSE
  for (question in some_questions()) {
    cl <- fork_workers(3)
    pids <- pids_of(cl)
    local({
      were_killed <- before_call(question, function() kill(pids[2:3]))
      out <- with_warnings(run_here(long_run(), cl = cl))
      expect_identical(out$value, whole_run(), label = paste("the fit, two killed at", question))
      expect_identical(out$warned, if (were_killed()) lost_two else character())
      killed_some <<- killed_some || were_killed()
    })
    stop_workers(cl)
  }
  expect_true(killed_some)
  cl <- fork_workers(3)
  pids <- pids_of(cl)
  before_call(half_way(), function() kill(pids[1]))
  before_call(half_way() + 5, function() kill(pids[3]))
  out <- with_warnings(run_here(long_run(), cl = cl))
  expect_identical(out$value, whole_run())
  expect_identical(out$warned, c(lost_one, lost_one))
})

test_that("the others go on from where the run was kept last, and not from its start", {
  cl <- fork_workers(3)
  pids <- pids_of(cl)
  late <- all_questions() - 10
  states <- spy_on_states()
  before_call(late, function() kill(pids[1]))
  file <- withr::local_tempfile(fileext = ".rds")
  out <- with_warnings(run_here(long_run(file = file), cl = cl))
  expect_identical(out$value, whole_run())
  expect_identical(states() > 0, c(FALSE, TRUE))
})

#' Errors where there is nothing yet that a fit could be made of
early <- paste0(
  "^interrupted before all rows were searched; the same call|",
  "^no worker of `cl` is left, and none has returned anything yet\\.$"
)

test_that("with no worker left the fit is that so far, and its file goes on without workers", {
  cl <- fork_workers(2)
  pids <- pids_of(cl)
  call <- long_run(file = withr::local_tempfile(fileext = ".rds"))
  local({
    kill_when_enough(pids)
    out <- with_warnings(run_here(call, cl = cl, seconds = 0.001))
    expect_identical(out$warned[1], "no worker of `cl` is left.")
    expect_match(out$warned[2], "^interrupted: the fit is the best point so far; the same call ")
    expect_length(out$warned, 2)
    expect_s3_class(out$value, "fit_point")
    expect_lt(length(objective(out$value)), length(objective(whole_run())))
  })
  expect_identical(run_here(call), whole_run())
})

test_that("with no worker left at any point there is a fit, or an error that says why", {
  killed_some <- FALSE
  for (question in c(half_way(), some_questions(from = 4))) {
    cl <- fork_workers(2)
    pids <- pids_of(cl)
    call <- long_run(file = withr::local_tempfile(fileext = ".rds"))
    local({
      were_killed <- before_call(question, function() kill(pids))
      out <- with_warnings(tryCatch(run_here(call, cl = cl), error = conditionMessage))
      # A warning, or the error where there is nothing yet.
      said <- c(out$warned, if (is.character(out$value)) out$value)
      at <- paste("what was said, killed at", question)
      if (were_killed()) expect_match(said[1], "^no worker of `cl` is left", label = at)
      if (is.character(out$value)) expect_match(out$value, early, label = at)
      else expect_s3_class(out$value, "fit_point")
      killed_some <<- killed_some || were_killed()
    })
    expect_identical(run_here(call), whole_run())
    stop_workers(cl)
  }
  expect_true(killed_some)
})

test_that("with no worker left before anything was found there is an error", {
  cl <- fork_workers(2)
  pids <- pids_of(cl)
  before_call(3, function() kill(pids))
  expect_error(
    run_here(long_run(), cl = cl),
    "^no worker of `cl` is left, and none has returned anything yet\\.$"
  )
  expect_error(
    run_here(long_run(), cl = cl), "^no worker of `cl` answers: was the cluster stopped\\?$"
  )
})

test_that("a worker that dies while it reads its rows leaves them to the others", {
  cl <- fork_workers(3)
  flag <- withr::local_tempfile()
  dies <- function(i) {
    if (i < 4 || !file.exists(flag)) return(NULL)
    unlink(flag)
    tools::pskill(Sys.getpid(), 9)
  }
  x <- long_blocks(dies)
  file.create(flag)
  out <- with_warnings(run_here(long_run(x = x), cl = cl))
  expect_false(file.exists(flag))
  expect_identical(out$warned, lost_one)
  expect_identical(features(out$value), features(whole_run()))
  expect_identical(objective(out$value), objective(whole_run()))
})

test_that("a worker that is lost at the end, or before the beginning, changes nothing", {
  cl <- fork_workers(3)
  pids <- pids_of(cl)
  local({
    before_call(1, function() kill(pids[2]), "end_team")
    out <- with_warnings(run_here(long_run(), cl = cl))
    expect_identical(out$value, whole_run())
    expect_identical(out$warned, lost_one)
  })
  kill(pids[1])
  out <- with_warnings(run_here(long_run(), cl = cl))
  expect_identical(out$value, whole_run())
  expect_identical(
    out$warned, "2 workers are lost: its rows go to the others, and the fit is the same."
  )
})

test_that("a worker that had no rows takes those of one that is lost", {
  cl <- fork_workers(3)
  pids <- pids_of(cl)
  call <- long_run(x = long_blocks(sizes = c(2000, 500)))
  whole <- run_here(call)
  sizes <- NULL
  local_wrapper("open_team", function(plain, ...) {
    team <- plain(...)
    sizes <<- c(sizes, length(team$workers))
    team
  })
  before_call(half_way(), function() kill(pids[1]))
  out <- with_warnings(suppressMessages(run_here(call, cl = cl)))
  expect_identical(out$value, whole)
  expect_identical(sizes, c(2L, 2L))
})

test_that("a worker that hangs is lost after the time given, and of use again when it goes on", {
  cl <- fork_workers(3)
  pids <- pids_of(cl)
  withr::defer(kill(pids, tools::SIGCONT))
  local({
    withr::local_options(buffet.worker_timeout = 4)
    before_call(half_way(), function() kill(pids[2], tools::SIGSTOP))
    out <- with_warnings(run_here(long_run(), cl = cl))
    expect_identical(out$value, whole_run())
    expect_identical(out$warned, lost_one)
  })
  kill(pids[2], tools::SIGCONT)
  expect_identical(expect_no_warning(run_here(long_run(), cl = cl)), whole_run())
  expect_listens(cl)
})

# Masters that are other processes than this one.

#' Fits on two workers in a child process, then fits `again`, once it has written the ids of the
#' workers. Its result: fit (or error), warned and at, as of start_child(), and again, that fit
start_master <- function(call, again, pids) {
  skip_if_not_installed("callr")
  skip_on_os("windows")
  main <- function(call, again, pids, port, start_quick, with_warnings) {
    options(buffet.checkpoint_seconds = 0.02, buffet.worker_timeout = 30)
    cl <- start_quick(2, port)
    ids <- parallel::clusterCall(cl, function() {
      loadNamespace("buffet")
      Sys.getpid()
    })
    writeLines(as.character(unlist(ids)), pids)
    fit <- function(call) do.call(buffet::fit_gaussian, c(call, list(cl = cl), verbose = FALSE))
    out <- with_warnings(tryCatch(fit(call), error = conditionMessage))
    list(fit = out$value, warned = out$warned, at = Sys.time(), again = fit(again))
  }
  # Children are given functions without all that tests have.
  environment(start_quick) <- environment(with_warnings) <- baseenv()
  arguments <- list(call, again, pids, free_port(), start_quick, with_warnings)
  callr::r_bg(main, arguments, libpath = .libPaths(), package = FALSE)
}

short_run <- function() {
  list(
    x = team_blocks(team_data(40), rep(10, 4)), loadings = "nonnegative",
    method = method_meibp(4), seed = 1
  )
}

#' Seconds of work after it is saved first, all of it on all rows
slow_run <- function(...) {
  x <- hard_data(20000)
  init <- withr::with_seed(2, matrix(stats::rbinom(nrow(x) * 10, 1, 0.3), nrow(x)))
  c(long_run(x = x), list(init = init, ...))
}

test_that("an interrupt from the terminal, which workers see too, gives the fit so far, soon", {
  pids <- withr::local_tempfile()
  file <- withr::local_tempfile(fileext = ".rds")
  child <- start_master(slow_run(file = file), short_run(), pids)
  on.exit(child$kill())
  wait_until(function() file.exists(file) || !child$is_alive())
  sent <- Sys.time()
  tools::pskill(c(child$get_pid(), as.integer(readLines(pids))), tools::SIGINT)
  child$wait(20000)
  result <- child$get_result()
  expect_lt(as.numeric(result$at - sent, units = "secs"), 3)
  expect_identical(result$warned, paste0(
    "interrupted: the fit is the best point so far; ",
    "the same call with the same `file` resumes the run."
  ))
  expect_false(glance(result$fit)$finished)
  expect_identical(features(result$again), features(run_here(short_run())))
})

test_that("an interrupt of the master alone gives the fit so far, soon", {
  pids <- withr::local_tempfile()
  file <- withr::local_tempfile(fileext = ".rds")
  child <- start_master(slow_run(file = file), short_run(), pids)
  result <- interrupt_when(child, function() file.exists(file) || !child$is_alive())
  expect_lt(result$seconds, 3)
  expect_match(result$warned, "^interrupted: the fit is the best point so far")
  expect_identical(features(result$again), features(run_here(short_run())))
})

test_that("an interrupt that comes when a fit on workers needs no more of them is not lost", {
  cl <- fork_workers(2)
  before_call(1, function() tools::pskill(Sys.getpid(), tools::SIGINT), "end_team")
  fit_then_wait <- function() {
    run_here(long_run(), cl = cl)
    Sys.sleep(1)
    "went on"
  }
  expect_identical(tryCatch(fit_then_wait(), interrupt = function(i) "interrupted"), "interrupted")
  expect_listens(cl)
})

test_that("workers end when their master is killed, and its file goes on", {
  # Seconds after it has begun to write its file.
  for (later in c(0, some_questions()[-1] / 100)) {
    pids <- withr::local_tempfile()
    file <- withr::local_tempfile(fileext = ".rds")
    call <- long_run(file = file)
    child <- start_master(call, short_run(), pids)
    withr::defer(child$kill())
    wait_until(function() file.exists(file) || !child$is_alive())
    Sys.sleep(later)
    child$kill()
    workers <- as.integer(readLines(pids))
    wait_until(function() !are_alive(workers), 20)
    expect_false(are_alive(workers))
    expect_identical(run_here(call), whole_run(), label = paste("the fit, killed after", later))
  }
})

chains_run <- function() {
  method <- method_gibbs(2, 120, sampler = "parallel", regroup = FALSE)
  list(x = once("long blocks", long_blocks()), method = method, seed = 3)
}
whole_chains <- function() once("whole chains", with_warnings(run_here(chains_run()))$value)
#' Other warnings are of chains that do not agree
losses <- function(warned) grep("lost|left", warned, value = TRUE)

test_that("a worker of chains that is killed at any point changes nothing but the time", {
  for (question in sample(300, sized(2, 10))) {
    cl <- fork_workers(3)
    killed <- pids_of(cl)[question %% 3 + 1]
    local({
      before_call(question, function() kill(killed))
      out <- with_warnings(run_here(chains_run(), cl = cl))
      expect_identical(out$value, whole_chains(), label = paste("chains, killed at", question))
      expect_identical(losses(out$warned), lost_one)
    })
    stop_workers(cl)
  }
})

test_that("chains that have no worker left as they are extended have the draws of the warm-up", {
  cl <- fork_workers(2)
  pids <- pids_of(cl)
  local_function("rhat_of", function(values) 2)
  call <- utils::modifyList(chains_run(), list(
    method = method_gibbs(2, 20, sampler = "parallel", regroup = FALSE, max_iter = 40),
    init = matrix(1, 2500, 1)
  ))
  before_call(1, function() kill(pids), "double_length")
  out <- with_warnings(run_here(call, cl = cl))
  expect_true("no worker of `cl` is left." %in% out$warned)
  expect_match(
    out$warned, "interrupted in the warm-up: the fit has the draws of its sweeps 7 to 10.",
    fixed = TRUE, all = FALSE
  )
  expect_length(feature_draws(out$value), 2 * 4)
})

test_that("chains of which no worker is left are those kept last, and go on from their file", {
  cl <- fork_workers(2)
  pids <- pids_of(cl)
  file <- withr::local_tempfile(fileext = ".rds")
  local({
    before_call(600, function() kill(pids))
    out <- with_warnings(run_here(chains_run(), cl = cl, file = file))
    expect_true("no worker of `cl` is left." %in% out$warned)
    kept <- length(feature_draws(out$value))
    expect_true(kept > 0 && kept < 120)
  })
  stop_workers(cl)
  again <- fork_workers(2)
  out <- with_warnings(run_here(chains_run(), cl = again, file = file))
  expect_identical(out$value, whole_chains())
  stop_workers(again)
})
