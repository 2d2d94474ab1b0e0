# fit_gaussian() by method_variational() and method_power_ep(): what they can do, the run, and the
# fit that it leaves, in which rows hold features with probabilities.

#' What these methods ask of the model
#' @noRd
check_soft_model <- function(method, prior) {
  by <- name_of(method)
  check_exchangeable(prior, by)
  if (isTRUE(prior$discount > 0)) stop_argument("discount", paste("be 0 for", by), prior$discount)
  if (identical(method$form, "infinite")) check_sticks(prior)
  if (is_learned(prior$alpha) && prior$concentration != 1) {
    must <- paste("be one number for", by, "where `concentration` is not 1")
    stop_argument("alpha", must, prior$alpha)
  }
  if (prior$concentration > 1e10) {
    stop_argument("concentration", paste("be at most 1e10 for", by), prior$concentration)
  }
}

#' What the stick-breaking construction asks of the prior
#' @noRd
check_sticks <- function(prior) {
  if (inherits(prior, "prior_beta_bernoulli")) {
    stop_argument("form", "be \"finite\" for prior_beta_bernoulli()", "infinite")
  }
  if (prior$concentration != 1) {
    must <- "be 1 for method_variational() with form \"infinite\""
    stop_argument("concentration", must, prior$concentration)
  }
}

fit_soft <- function(model, method, start, seed, verbose, file) {
  core <- function(run, plan, watch) {
    model <- c(soft_model(run), lapply(run$model$sigma, precision_spec))
    plan$only_growing <- inherits(run$method, "method_power_ep")
    variational_cpp(core_data(run$model$data), model, plan, watch)
  }
  run <- list(model = model, method = method, starts = list(start), seed = seed)
  done <- maximise(run, core, file, verbose)
  finish_point(done, model, method)
}

#' The model of a run as the core reads it
#' @noRd
soft_model <- function(run) {
  prior <- run$model$prior
  list(
    form = run$method$form %||% "joint", loadings = run$model$loadings,
    probabilities = list(
      alpha = hyper_spec(prior$alpha), concentration = prior$concentration,
      features = prior$n_features %||% run$method$max_features
    )
  )
}

#' Probabilities that rows which are not in the data hold features, rows x K
#' @noRd
soft_new_rows <- function(fit, rows) {
  rows <- rows - rep(fit$data$means, each = nrow(rows))
  variational_new_rows_cpp(rows, fit$log_odds, known_loadings(fit))
}
