# fit_gaussian() by method_meibp().

#' @exportS3Method
check_model.method_meibp <- function(method, model) {
  check_gaussian(model, method)
  prior <- model$prior
  if (model$loadings != "nonnegative") {
    stop_argument("loadings", "be \"nonnegative\" for method_meibp()", model$loadings)
  }
  check_exchangeable(prior, "method_meibp()")
  check_finite_alpha(prior, "method_meibp()")
  # Beyond that, doubles cannot resolve the number of rows that have a feature.
  bounded <- c(if (!is.null(prior$n_features)) "alpha", "concentration")
  for (name in bounded) {
    value <- prior[[name]]
    if (value > 1e10) stop_argument(name, "be at most 1e10 for method_meibp()", value)
  }
  method
}

#' @exportS3Method
fit_by.method_meibp <- function(method, model, starts, control) {
  core <- function(run, plan, watch) {
    programs <- list(alone = meibp_cpp, member = meibp_member_cpp)
    work <- list(data = run$model$data, model = point_model(run$model), plan = plan)
    run_on_rows(programs, work, watch, control$cl)
  }
  fit_factorised(method, model, starts, control, core, "all rows were searched")
}

#' @exportS3Method
point_rows.method_meibp <- function(method, fit, rows) {
  known <- fit$internal
  prior <- known$model$prior_spec
  prior$alpha <- hyper_spec(scalar(fit, "alpha"))
  found <- meibp_new_rows_cpp(rows, list(
    mean = known$mean, variance = loading_variances(fit), tau_x = known$factors$tau_x[["mean"]],
    tau_a = known$factors$tau_a[["mean"]], counts = unname(colSums(fit$features)),
    rows = nobs(fit), prior = prior
  ))
  z <- found$features
  list(features = z, probabilities = z, response = t(found$response))
}
