#' @exportS3Method
check_model.method_icm <- function(method, model) {
  if (!inherits(model, "nmf_model")) refuse_method(model, method)
  method
}

#' @exportS3Method
run_plan.method_icm <- function(method, run, chains) {
  # At most 256 threads are useful.
  method$threads <- min(method$threads, 256L)
  c(unclass(method), list(
    seed = run$seed, init = run$starts[[1]], state = chains[[1]]$state
  ))
}

#' @exportS3Method
fit_by.method_icm <- function(method, model, starts, control) {
  core <- function(run, plan, watch) {
    nmf_icm_cpp(run$model$data$x, nmf_spec(run$model), plan, watch)
  }
  run <- new_run(method, model, starts, control)
  done <- run_to_end(run, core, control$file, control$verbose)
  warn_of_icm(done, method)
  new_fit_icm(done$result, model, method, done$seed)
}

warn_of_icm <- function(done, method) {
  result <- done$result
  if (length(result$trace) == 0) {
    abort("interrupted before the first iteration", how_to_resume(done$file), ".")
  }
  check_objective(result, method)
  if (!result$finished) {
    warning(
      "interrupted: the fit is the best point so far", how_to_resume(done$file), ".", call. = FALSE
    )
  } else if (!result$converged) {
    text <- "the log joint density is still rising after `iter` (%d) iterations."
    warning(sprintf(text, method$iter), call. = FALSE)
  }
}

# A fit with one draw, in which all rows have all components
new_fit_icm <- function(result, model, method, seed) {
  x <- model$data$x
  rank <- model$rank
  values <- unlist(result[c("sigma_x", "log_lik", "log_joint")])
  method["threads"] <- NULL
  draws <- new_feature_draws(nrow(x), rank, pack_bits(matrix(1L, nrow(x), rank)), rownames(x))
  with_estimates(new_fit(model, method, "fit_point", seed, draws,
    point = 1L, scalars = array(values, c(1, 1, 3), list(NULL, NULL, names(values))),
    # A mode has no interval.
    factors = list(tau_x = c(shape = NA_real_, rate = NA_real_)),
    draws_loadings = as.double(with_prior_means(result$loadings, model)), trace = result$trace,
    converged = result$converged, finished = result$finished
  ))
}

# Loadings of columns and weights of rows, (D + N) x R, with the prior mean instead of the mode, 0,
# if no entry is observed
with_prior_means <- function(factors, model) {
  none <- unobserved(model$data$x)
  factors[none$columns, ] <- 1 / model$rate_a
  factors[ncol(model$data$x) + none$rows, ] <- 1 / model$rate_w
  factors
}
