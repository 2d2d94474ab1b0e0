# fit_gaussian() by method_meibp(): what it can do, the run, and the fit that it leaves.

#' What method_meibp() asks of the model
#' @noRd
check_meibp_model <- function(loadings, prior) {
  if (loadings != "nonnegative") {
    stop_argument("loadings", "be \"nonnegative\" for method_meibp()", loadings)
  }
  check_exchangeable(prior, "method_meibp()")
  check_finite_alpha(prior, "method_meibp()")
  # Beyond that doubles do not tell one number of rows that hold a feature from another.
  bounded <- c(if (inherits(prior, "prior_beta_bernoulli")) "alpha", "concentration")
  for (name in bounded) {
    if (prior[[name]] > 1e10) stop_argument(name, "be at most 1e10 for method_meibp()", prior[[name]])
  }
}

#' @param start list(features, values) as check_init() gives it.
#' @noRd
fit_meibp <- function(model, method, start, seed, verbose, file) {
  core <- function(run, plan, watch) {
    meibp_cpp(core_data(run$model$data), point_model(run$model), plan, watch)
  }
  run <- list(model = model, method = method, starts = list(start), seed = seed)
  done <- maximise(run, core, file, verbose)
  if (is.null(done$result$features)) {
    stop("interrupted before all rows were searched", how_to_resume(done$file), ".", call. = FALSE)
  }
  finish_point(done, model, method)
}

#' list(features, response): those of greatest bound, for rows that are not in the data
#' @noRd
search_new_rows <- function(fit, rows) {
  n <- nobs(fit)
  prior <- fit$prior
  prior$alpha <- scalar(fit, "alpha")
  meibp_new_rows_cpp(rows - rep(fit$data$means, each = nrow(rows)), list(
    mean = fit$mean, variance = loading_variances(fit), tau_x = fit$factors$tau_x[["mean"]],
    tau_a = fit$factors$tau_a[["mean"]], counts = unname(colSums(features(fit))), rows = n,
    prior = prior_spec(prior, n + 1)
  ))
}
