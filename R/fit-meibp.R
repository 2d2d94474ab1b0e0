# fit_gaussian() by method_meibp(): what it can do, the run, and the fit that it leaves.

#' What method_meibp() asks of the model
#' @noRd
check_meibp_model <- function(loadings, prior) {
  if (loadings != "nonnegative") {
    stop_argument("loadings", "be \"nonnegative\" for method_meibp()", loadings)
  }
  if (inherits(prior, "prior_pibp")) {
    stop_argument("prior", "be exchangeable for method_meibp()", was = "one on a tree")
  }
  if (is_learned(prior$concentration)) {
    stop_argument("concentration", "be one number for method_meibp()", prior$concentration)
  }
  if (inherits(prior, "prior_beta_bernoulli") && is_learned(prior$alpha)) {
    must <- "be one number for method_meibp() with prior_beta_bernoulli()"
    stop_argument("alpha", must, prior$alpha)
  }
  # Beyond that doubles do not tell one number of rows that hold a feature from another.
  bounded <- c(if (inherits(prior, "prior_beta_bernoulli")) "alpha", "concentration")
  for (name in bounded) {
    if (prior[[name]] > 1e10) stop_argument(name, "be at most 1e10 for method_meibp()", prior[[name]])
  }
}

#' The factor of alpha follows from the features, so that it cannot start anywhere else
#' @noRd
check_meibp_init <- function(init) {
  if (inherits(init, "buffet_fit") || !is.list(init) || !"alpha" %in% names(init)) {
    return(invisible())
  }
  must <- "not give `alpha` for method_meibp(), which finds it from the features"
  stop_argument("init", must, init$alpha)
}

#' @param start list(features, values) as check_init() gives it.
#' @noRd
fit_meibp <- function(model, method, start, seed, verbose, file) {
  run <- list(model = model, method = method, starts = list(start), seed = seed)
  done <- maximise(run, file, verbose)
  result <- done$result
  if (is.null(result$features)) {
    stop("interrupted before all rows were searched", how_to_resume(done$file), ".", call. = FALSE)
  }
  if (!result$finished) {
    warning(
      "interrupted: the fit is the best point so far", how_to_resume(done$file), ".", call. = FALSE
    )
  }
  new_fit_point("fit_gaussian", result, model, method, seed = done$seed)
}

#' Runs the core to its end, or until interrupted, from where the file left it
#' @noRd
maximise <- function(run, file, verbose) {
  run$key <- if (!is.null(file)) run_key(run, NULL)
  checkpoint <- open_checkpoint(file, run)
  run$seed <- checkpoint$seed %||% run$seed %||% sample.int(.Machine$integer.max, 1)
  store <- new_store(file, run, checkpoint$chains %||% list(NULL))
  save <- function(state) store$save(list(list(state = state, failure = "")))
  start <- run$starts[[1]]
  model <- run$model
  result <- suspendInterrupts(meibp_cpp(
    core_data(model$data),
    c(
      list(prior = prior_spec(model$prior, nrow(model$data$x))),
      lapply(model$sigma, precision_spec)
    ),
    c(unclass(run$method), list(
      seed = run$seed, features = start$features, sigma = start$values[c("sigma_x", "sigma_a")],
      state = checkpoint$chains[[1]]$state
    )),
    list(
      stop = is_interrupted, report = ascent_reporter(verbose), save = if (!is.null(file)) save,
      seconds = if (is.null(file)) 5 else checkpoint_seconds()
    )
  ))
  if (!is.null(file)) save(result$state)
  list(result = result, seed = run$seed, file = if (store$intact()) file)
}

#' A function that an ascent reports to: its steps, whether it is on all rows, features, bound
#'
#' How many steps there will be nobody knows, so the bar shows how far it is and for how long.
#' @noRd
ascent_reporter <- function(verbose, env = parent.frame()) {
  if (!verbose) return(function(...) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$where} [{cli::pb_elapsed}]", clear = FALSE,
    auto_terminate = FALSE, extra = list(where = ""), .envir = env
  )
  function(done, all_rows, features, bound) {
    where <- sprintf(
      "step %d%s: %d features, bound %.1f", done, if (all_rows) "" else " (on some of the rows)",
      features, bound
    )
    cli::cli_progress_update(extra = list(where = where), id = bar, .envir = env)
  }
}
