# What a method asks of data and model in fit_gaussian(), and what fits by it.

#' Data in memory, or for method_meibp() in blocks
#' @noRd
check_data <- function(x, method) {
  if (!is_in_blocks(x)) return(check_data_matrix(x, "x", sparse = TRUE))
  if (!inherits(method, c("method_meibp", "method_soft"))) {
    must <- "be method_meibp(), method_variational() or method_power_ep() for row_blocks()"
    stop_argument("method", must, method)
  }
  x
}

check_gaussian_method <- function(method, loadings, prior, noise) {
  if (inherits(check_method(method), "method_meibp")) {
    check_meibp_model(loadings, prior)
    return(method)
  }
  if (inherits(method, "method_soft")) {
    check_soft_model(method, prior)
    return(method)
  }
  if (inherits(method, "method_beam")) {
    check_beam_model(loadings, prior)
    return(method)
  }
  if (!inherits(method, "method_gibbs")) {
    stop_argument("method", "be one for fit_gaussian() (see there)", method)
  }
  choose_sampler(method, gaussian_samplers(loadings, prior, noise))
}

#' The function that fits by a method that does not sample
#' @noRd
point_fitter <- function(method) {
  switch(class(method)[1], method_meibp = fit_meibp, method_beam = fit_beam, fit_soft)
}

#' Methods that do not sample know exchangeable priors, with a concentration that is a number
#' @param by The call that made the method.
#' @noRd
check_exchangeable <- function(prior, by) {
  if (inherits(prior, "prior_pibp")) {
    stop_argument("prior", paste("be exchangeable for", by), was = "one on a tree")
  }
  if (is_learned(prior$concentration)) {
    stop_argument("concentration", paste("be one number for", by), prior$concentration)
  }
}

#' Where alpha can only be integrated out of the infinite priors
#' @noRd
check_finite_alpha <- function(prior, by) {
  if (inherits(prior, "prior_beta_bernoulli") && is_learned(prior$alpha)) {
    must <- sprintf("be one number for %s with prior_beta_bernoulli()", by)
    stop_argument("alpha", must, prior$alpha)
  }
}

#' Prior and precisions of a model as the core reads them for a method that does not sample
#' @noRd
point_model <- function(model) {
  c(list(prior = prior_spec(model$prior, nrow(model$data$x))), lapply(model$sigma, precision_spec))
}
