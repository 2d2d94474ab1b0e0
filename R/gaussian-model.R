# The model of fit_gaussian(): which samplers and methods it has, and how the core runs it.

#' @exportS3Method
#' @noRd
length_of.gaussian_model <- function(model) {
  length_for(prod(dim(model$data$x)) / if (model$loadings == "nonnegative") 4 else 1)
}

#' @exportS3Method
#' @noRd
samplers_of.gaussian_model <- function(model) {
  if (model$noise == "column") return("uncollapsed")
  in_memory <- !is_in_blocks(model$data$x)
  c(
    if (model$loadings == "normal" && in_memory) "collapsed", if (in_memory) "uncollapsed",
    if (has_sticks(model$prior)) c(if (in_memory) "slice", "parallel")
  )
}

#' @exportS3Method
#' @noRd
searches.gaussian_model <- function(model) TRUE

#' @exportS3Method
#' @noRd
refuse_method.gaussian_model <- function(model, method) {
  stop_argument("method", "be one for fit_gaussian() (see there)", method)
}

#' @exportS3Method
#' @noRd
sweep_chains.gaussian_model <- function(model, method, plan, watch) {
  spec <- gaussian_spec(model, method)
  if (method$sampler == "parallel") {
    return(shared_gibbs_cpp(core_data(model$data), spec, plan, watch))
  }
  core <- switch(model$noise,
    common = gaussian_gibbs_cpp, column = gaussian_column_noise_gibbs_cpp,
    stop("unknown noise")
  )
  core(centred(model$data), spec, plan, watch)
}

#' What scaled columns take from the log density
#' @exportS3Method
#' @noRd
log_unit.gaussian_model <- function(model) log_unit_of_scales(model)

#' The model as the core reads it
#' @noRd
gaussian_spec <- function(model, method) {
  c(
    list(
      prior = limited_prior_spec(model, method), loadings = model$loadings,
      sampler = method$sampler
    ),
    lapply(model$sigma, precision_spec)
  )
}
