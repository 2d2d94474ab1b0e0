# Draws of biases (if any), weights and parameters of families given `features(fit)`, with
# everything else integrated out: from the fit if features are known, otherwise from one more chain
# cost: Of a sweep, in units of about 100 ns, so that the draws take about a second.
weight_draws <- function(fit, cost) {
  model <- fit$internal$model
  known <- !is.null(model$prior$z)
  kept <- if (known) fit$internal$draws_loadings else loadings_given_features(fit, cost)
  width <- c(model$loading_width, point_size(fit) + model$loading_extra)
  draws <- if (known) length(fit$feature_draws) else max(1, length(kept) / max(1, prod(width)))
  array(as.double(kept), c(width, draws))
}

loadings_given_features <- function(fit, cost) {
  model <- fit$internal$model
  if (prod(model$loading_width, point_size(fit) + model$loading_extra) == 0) return(double())
  model$prior <- prior_fixed(fit$features)
  model$prior_spec <- prior_spec(model$prior)
  model$traits[c("searches", "complements")] <- FALSE
  draws <- as.integer(min(4000, max(500, 1e7 / cost)))
  warmup <- draws %/% 4L
  method <- check_model(method_gibbs(1, draws + warmup, warmup, cores = 1), model)
  run <- new_run(method, model, check_starts(model, NULL, method), list(seed = fit$seed))
  done <- run_to_end(run, function(run, plan, watch) {
    sweep_chains(run$model, run$method, plan, watch)
  })
  chain <- drop_failed(done$chains, run)[[1]]
  if (length(chain$sizes) < draws) rlang::interrupt()
  chain$loadings
}
