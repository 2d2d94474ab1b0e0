# fit_gaussian() by method_beam(): what it can do, the run, and the fit that it leaves.

#' What method_beam() asks of the model
#' @noRd
check_beam_model <- function(loadings, prior) {
  if (loadings != "normal") stop_argument("loadings", "be \"normal\" for method_beam()", loadings)
  check_exchangeable(prior, "method_beam()")
  check_finite_alpha(prior, "method_beam()")
}

#' A beam starts without features
#' @noRd
check_beam_init <- function(start) {
  if (is.null(start$features)) return(invisible())
  stop_argument("init", "not give features for method_beam()", start$features)
}

#' @param start list(features, values) as check_init() gives it.
#' @noRd
fit_beam <- function(model, method, start, seed, verbose, file) {
  check_beam_init(start)
  core <- function(run, plan, watch) {
    beam_cpp(centred(run$model$data), point_model(run$model), plan, watch)
  }
  # Nothing is random, and R's generator is left alone.
  run <- list(model = model, method = method, starts = list(start), seed = seed %||% 1L)
  done <- maximise(run, core, file, verbose)
  if (is.null(done$result$features)) {
    stop("interrupted before the first search was done", how_to_resume(done$file), ".",
      call. = FALSE
    )
  }
  finish_point(done, model, method)
}

#' Features of rows that are not in the data, the most probable of each
#' @noRd
beam_new_rows <- function(fit, rows) {
  n <- nobs(fit)
  beam_new_rows_cpp(rows - rep(fit$data$means, each = nrow(rows)), c(known_loadings(fit), list(
    sigma_a = scalar(fit, "sigma_a"), counts = unname(colSums(features(fit))), rows = n,
    prior = prior_spec(fit$prior, n + 1)
  )))
}

#' Is a fit one by method_beam()?
#' @noRd
is_by_beam <- function(fit) inherits(fit$method, "method_beam")
