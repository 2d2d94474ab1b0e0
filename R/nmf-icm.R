# fit_nmf() by method_icm(): the run, and the fit that it leaves.

#' @param start list with any of weights, loadings, sigma_x, as check_nmf_init() gives it.
#' @noRd
fit_icm <- function(model, method, start, seed, verbose, file) {
  run <- list(model = model, method = method, starts = list(start), seed = seed)
  done <- climb_to_end(run, file, verbose)
  result <- done$result
  if (length(result$trace) == 0) {
    stop("interrupted before the first iteration", how_to_resume(done$file), ".", call. = FALSE)
  }
  if (!result$finished) {
    warning(
      "interrupted: the fit is the best point so far", how_to_resume(done$file), ".", call. = FALSE
    )
  } else if (!result$converged) {
    warning(
      sprintf("the log joint density still rises after `iter` (%d) iterations.", method$iter),
      call. = FALSE
    )
  }
  new_fit_icm(result, model, method, done$seed)
}

#' Runs the core to its end, or until interrupted, from where the file left it
#' @noRd
climb_to_end <- function(run, file, verbose) {
  run$key <- if (!is.null(file)) run_key(run, NULL)
  checkpoint <- open_checkpoint(file, run)
  run$seed <- checkpoint$seed %||% run$seed %||% sample.int(.Machine$integer.max, 1)
  store <- new_store(file, run, checkpoint$chains %||% list(NULL))
  save <- function(state) store$save(list(list(state = state, failure = "")))
  method <- unclass(run$method)
  # More threads than there are blocks of rows have nothing to do.
  method$threads <- min(method$threads, 256L)
  result <- suspendInterrupts(nmf_icm_cpp(
    run$model$data$x, nmf_model(run$model),
    c(method, list(
      seed = run$seed, init = run$starts[[1]], state = checkpoint$chains[[1]]$state
    )),
    list(
      stop = is_interrupted, report = modes_reporter(verbose),
      save = if (!is.null(file)) save,
      seconds = if (is.null(file)) 5 else checkpoint_seconds()
    )
  ))
  if (!is.null(file)) save(result$state)
  list(result = result, seed = run$seed, file = if (store$intact()) file)
}

#' A function that iterations are reported to, with the best log joint density so far
#' @noRd
modes_reporter <- function(verbose, env = parent.frame()) {
  if (!verbose) return(function(...) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$where} [{cli::pb_elapsed}]", clear = FALSE,
    auto_terminate = FALSE, extra = list(where = ""), .envir = env
  )
  function(done, best) {
    where <- sprintf("iteration %d: log joint density %.1f", done, best)
    cli::cli_progress_update(extra = list(where = where), id = bar, .envir = env)
  }
}

#' A fit with one draw, of which all rows hold all components
#' @noRd
new_fit_icm <- function(result, model, method, seed) {
  x <- model$data$x
  values <- unlist(result[c("sigma_x", "log_lik", "log_joint")])
  method["threads"] <- NULL
  structure(
    c(model, list(
      draws = new_feature_draws(
        nrow(x), model$rank, pack_bits(matrix(1L, nrow(x), model$rank)), rownames(x)
      ),
      point = 1L, scalars = array(values, c(1, 1, 3), list(NULL, NULL, names(values))),
      draws_loadings = as.double(result$loadings), trace = result$trace, method = method,
      converged = result$converged, finished = result$finished,
      version = package_version(getNamespaceVersion("buffet")), seed = seed
    )),
    class = c("fit_nmf", "fit_point", "buffet_fit")
  )
}

#' Stop because a fit by optimisation has no draws
#' @noRd
check_sampled <- function(fit, name) {
  if (inherits(fit, "fit_point")) {
    stop_argument(name, "be a fit by sampling", was = "one by method_icm()")
  }
}

#' @export
as_draws.fit_nmf <- function(x, ...) {
  check_sampled(x, "x")
  NextMethod()
}

#' @export
update.fit_nmf <- function(object, ...) {
  check_sampled(object, "object")
  NextMethod()
}
