# fit_nmf() by method_icm(): the run, and the fit that it leaves.

#' @param start list with any of weights, loadings, sigma_x, as check_nmf_init() gives it.
#' @noRd
fit_icm <- function(model, method, start, seed, verbose, file) {
  core <- function(run, plan, watch) {
    plan$init <- run$starts[[1]]
    # More threads than there can be have nothing to do.
    plan$threads <- min(plan$threads, 256L)
    watch$report <- modes_reporter(verbose)
    nmf_icm_cpp(run$model$data$x, nmf_model(run$model), plan, watch)
  }
  run <- list(model = model, method = method, starts = list(start), seed = seed)
  done <- maximise(run, core, file, verbose = FALSE)
  warn_of_icm(done, method)
  new_fit_icm(done$result, model, method, done$seed)
}

#' Says where iterations were too few
#' @noRd
warn_of_icm <- function(done, method) {
  result <- done$result
  if (length(result$trace) == 0) {
    stop("interrupted before the first iteration", how_to_resume(done$file), ".", call. = FALSE)
  }
  if (!result$finished) {
    warning(
      "interrupted: the fit is the best point so far", how_to_resume(done$file), ".", call. = FALSE
    )
  } else if (!result$converged) {
    text <- "the log joint density still rises after `iter` (%d) iterations."
    warning(sprintf(text, method$iter), call. = FALSE)
  }
}

#' A function that iterations are reported to, ten times a second at most shown: list(done,
#' log_joint: the best so far)
#' @noRd
modes_reporter <- function(verbose, env = parent.frame()) {
  if (!verbose) return(function(...) NULL)
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$where} [{cli::pb_elapsed}]", clear = FALSE,
    auto_terminate = FALSE, extra = list(where = ""), .envir = env
  )
  shown <- -Inf
  function(at) {
    now <- proc.time()[["elapsed"]]
    if (now < shown + 0.1) return(NULL)
    shown <<- now
    where <- sprintf("iteration %d: log joint density %.1f", at$done, at$log_joint)
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
