#' Fit a focused topic model
#'
#' The IBP compound Dirichlet model of Williamson, Wang, Heller and Blei (2010).
#' @export
fit_topics <- function(dtm, lengths = c("given", "model"), gamma = gamma_prior(1, 0.05),
                       eta = gamma_prior(1, 1), prior = prior_ibp(alpha = gamma_prior(1, 0.1)),
                       method = method_gibbs(thin = 10), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL) {
  x <- dtm
  lengths <- check_choice(lengths, c("given", "model"), "lengths")
  model <- list(
    data = list(x = x), lengths = lengths, prior = prior,
    hyper = list(gamma = check_hyper(gamma, "gamma"), eta = check_hyper(eta, "eta")),
    moves = 1L, loading_width = 2, loading_extra = 1
  )
  method <- check_gibbs(method, "collapsed")
  starts <- rep(list(list(topics = 50L)), method$chains)
  run <- gibbs_run(model, method, starts, check_seed(seed), search = FALSE)
  chains <- run_to_end(run, topic_sweeps, check_file(file), check_flag(verbose, "verbose"))
  new_fit_mcmc("fit_topics", chains, model, method, seed = chains$seed)
}

#' Sweeps of the chains of a run from where they stand, in the core
#' @noRd
topic_sweeps <- function(run, plan, watch) {
  topics_cpp(run$model$data$x, topic_model(run$model), plan, watch)
}

#' The model as the core reads it
#' @noRd
topic_model <- function(model) {
  list(
    lengths = model$lengths, alpha = hyper_spec(model$prior$alpha),
    gamma = hyper_spec(model$hyper$gamma), eta = hyper_spec(model$hyper$eta), moves = model$moves
  )
}

#' @exportS3Method
#' @noRd
sampling_of.fit_topics <- function(fit) {
  parts <- c("data", "lengths", "prior", "hyper", "moves", "loading_width", "loading_extra")
  list(model = unclass(fit)[parts], sweeps = topic_sweeps)
}
