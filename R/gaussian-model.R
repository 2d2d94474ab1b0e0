# The samplers of fit_gaussian(), and how the core runs them.

gaussian_samplers <- function(x, loadings, noise, prior) {
  if (noise == "column") return("uncollapsed")
  in_memory <- !is_in_blocks(x)
  c(
    if (loadings == "normal" && in_memory) "collapsed", if (in_memory) "uncollapsed",
    if (is_exchangeable(prior)) c(if (in_memory) "slice", "parallel")
  )
}

#' @exportS3Method
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

gaussian_spec <- function(model, method) {
  c(
    list(
      prior = limited_prior_spec(model, method), loadings = model$loadings,
      sampler = method$sampler
    ),
    lapply(model$sigma, precision_spec)
  )
}
