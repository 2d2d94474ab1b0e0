# fit_gaussian() by method_variational() and method_power_ep(), with probabilities of features.

#' @exportS3Method
check_model.method_soft <- function(method, model) {
  check_gaussian(model, method)
  prior <- model$prior
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
  method
}

check_sticks <- function(prior) {
  if (!is.null(prior$n_features)) {
    stop_argument("form", "be \"finite\" for prior_beta_bernoulli()", "infinite")
  }
  if (prior$concentration != 1) {
    must <- "be 1 for method_variational() with form \"infinite\""
    stop_argument("concentration", must, prior$concentration)
  }
}

#' @exportS3Method
fit_by.method_soft <- function(method, model, starts, control) {
  method$restarts <- method$restarts %||% cheap_restarts(model$data)
  core <- function(run, plan, watch) {
    model <- c(soft_model(run), lapply(run$model$sigma, precision_spec))
    # Power EP adds features one by one.
  plan$only_growing <- inherits(run$method, "method_power_ep")
    programs <- list(alone = variational_cpp, member = variational_member_cpp)
    work <- list(data = run$model$data, model = model, plan = plan)
    run_on_rows(programs, work, watch, control$cl)
  }
  fit_factorised(method, model, starts, control, core, "the first step was done")
}

cheap_restarts <- function(data) if (prod(dim(data$x)) <= 1000) 10L else 1L

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

# Probabilities that new rows have features, rows x K
soft_new_rows <- function(fit, rows) {
  variational_new_rows_cpp(rows, fit$internal$log_odds, known_loadings(fit))
}

#' @exportS3Method
point_rows.method_soft <- function(method, fit, rows) {
  p <- soft_new_rows(fit, rows)
  list(
    features = p[, seq_len(ncol(fit$features)), drop = FALSE], probabilities = p,
    response = tcrossprod(p, fit$internal$mean)
  )
}
