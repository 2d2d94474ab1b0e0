# Runs of fits by optimisation: from their start or where they were left, saved on the way.

#' The factor of alpha follows from the features, so that it cannot start anywhere else
#' @noRd
check_point_init <- function(init, method) {
  if (inherits(init, "buffet_fit") || !is.list(init) || !"alpha" %in% names(init)) {
    return(invisible())
  }
  must <- sprintf("not give `alpha` for %s, which finds it from the features", name_of(method))
  stop_argument("init", must, init$alpha)
}

#' The call that made a method
#' @noRd
name_of <- function(method) paste0(class(method)[1], "()")

#' Runs the core to its end, or until interrupted, from where the file left it
#'
#' @param core Function of the run, the plan for the core and the watch.
#' @return list(result, seed, file)
#' @noRd
maximise <- function(run, core, file, verbose) {
  run$key <- if (!is.null(file)) run_key(run, NULL)
  checkpoint <- open_checkpoint(file, run)
  run$seed <- checkpoint$seed %||% run$seed %||% sample.int(.Machine$integer.max, 1)
  store <- new_store(file, run, checkpoint$chains %||% list(NULL))
  save <- function(state) store$save(list(list(state = state, failure = "")))
  start <- run$starts[[1]]
  plan <- c(unclass(run$method), list(
    seed = run$seed, features = start$features, sigma = start$values[c("sigma_x", "sigma_a")],
    state = checkpoint$chains[[1]]$state
  ))
  watch <- list(
    stop = is_interrupted, report = ascent_reporter(verbose), save = if (!is.null(file)) save,
    seconds = if (is.null(file)) 5 else checkpoint_seconds()
  )
  result <- suspendInterrupts(core(run, plan, watch))
  if (!is.null(file)) save(result$state)
  list(result = result, seed = run$seed, file = if (store$intact()) file)
}

#' The fit from what maximise() has left, with a warning where it was interrupted
#' @noRd
finish_point <- function(done, model, method) {
  if (!done$result$finished) {
    warning(
      "interrupted: the fit is the best point so far", how_to_resume(done$file), ".", call. = FALSE
    )
  }
  new_fit_point("fit_gaussian", done$result, model, method, seed = done$seed)
}

#' A function that an ascent reports to: list(done: its steps, all_rows: is it on all rows,
#' features, bound)
#'
#' How many steps there will be nobody knows, so the bar shows how far it is and for how long.
#' @noRd
ascent_reporter <- function(verbose, env = parent.frame()) {
  if (!verbose) return(function(...) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$where} [{cli::pb_elapsed}]", clear = FALSE,
    auto_terminate = FALSE, extra = list(where = ""), .envir = env
  )
  function(at) {
    where <- sprintf(
      "step %d%s: %d features, bound %.1f", at$done,
      if (at$all_rows) "" else " (on some of the rows)", at$features, at$bound
    )
    cli::cli_progress_update(extra = list(where = where), id = bar, .envir = env)
  }
}
