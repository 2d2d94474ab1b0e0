# fit_gaussian() by method_beam().

#' @exportS3Method
check_model.method_beam <- function(method, model) {
  check_gaussian(model, method)
  if (model$loadings != "normal") {
    stop_argument("loadings", "be \"normal\" for method_beam()", model$loadings)
  }
  check_exchangeable(model$prior, "method_beam()")
  check_finite_alpha(model$prior, "method_beam()")
  method
}

#' @exportS3Method
fit_by.method_beam <- function(method, model, starts, control) {
  core <- function(run, plan, watch) {
    beam_cpp(centred(run$model$data), point_model(run$model), plan, watch)
  }
  fit_factorised(method, model, starts, control, core, "the first search was done")
}

#' @exportS3Method
point_rows.method_beam <- function(method, fit, rows) {
  z <- beam_new_rows_cpp(rows, c(known_loadings(fit), list(
    sigma_a = scalar(fit, "sigma_a"), counts = unname(colSums(fit$features)), rows = nobs(fit),
    prior = fit$internal$model$prior_spec
  )))
  list(features = z, probabilities = z, response = tcrossprod(z, fit$internal$mean))
}
