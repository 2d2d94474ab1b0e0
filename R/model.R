# The help page ?buffet_fit, about the elements of a fit and the functions that use it.

# nolint start: line_length_linter. Rows of a table cannot be broken.
#' Fits and the functions that use them
#'
#' A fit is an object of class `buffet_fit`. It also has the class of its likelihood
#' (`fit_gaussian`, `fit_logistic`, `fit_mixed`, `fit_factor`, `fit_choice`, `fit_topics`,
#' `fit_cascade` or `fit_nmf`) and one of two classes for its kind of inference:
#'
#' * `fit_mcmc` for fits by sampling ([method_gibbs()]);
#' * `fit_point` for fits by optimisation ([method_meibp()], [method_variational()],
#'   [method_power_ep()], [method_beam()], [method_icm()]).
#'
#' A fit is a list. Its elements are:
#'
#' | element | what it is |
#' |---|---|
#' | `call` | the call that made it; [update()][update.fit_mcmc] changes its arguments if it refits, and leaves it unchanged if it continues the chains |
#' | `seed` | the seed of its random numbers: the same call with this seed gives the same fit, unless the run was interrupted, `max_time` ended its extension, or `update()` has changed the length or the number of the chains |
#' | `draws` | the draws of the scalars, a [posterior::draws_array()]: iterations x chains x variables (`fit_mcmc`; otherwise `NULL`) |
#' | `features` | the point estimate of Z, as [features()] returns it; `NULL` for [fit_nmf()] |
#' | `loadings` | what the features add to the columns, as returned by [loadings_of()] and `stats::loadings()` |
#' | `feature_draws` | the draws of Z, as [feature_draws()] returns them |
#' | `prior` | the prior of the features |
#' | `method` | the method, including the values that were chosen by default, such as `fit$method$iter`; if the run was interrupted, this is the number of sweeps that were made |
#' | `data` | the data as given |
#' | `args` | the evaluated arguments of the call, which `update()` uses to refit |
#' | `version` | the version of buffet that made it |
#' | `internal` | other information that the functions below need; it may change between versions |
#'
#' Access a fit through these elements or the functions below. The functions use `features`,
#' `loadings`, `feature_draws`, `prior`, `method`, `seed` and `internal`, and `update()` also uses
#' `call`, `data` and `args`. `draws` and `version` are for your use only: changing them does not
#' affect results. A fit saved with `saveRDS()` can be read by every version of buffet with the same
#' number `fit$internal$format`, and its elements can be read in any R session. Fits with the same
#' data, model, method and seed have the same draws, whatever `cores`, `file` or cluster they were
#' made with; only `call` and `args` differ.
#'
#' `print()`, `features()`, `glance()` and the plots report the most probable number of features;
#' see [features()]. `print()` and `glance()` give its posterior probability. Some generics of stats
#' are not defined for fits; their errors say what to call instead. See [coef()][coef.buffet_fit].
#'
#' | call | gives |
#' |---|---|
#' | `print()`, [summary()][summary.fit_mcmc] | the fit in a few lines; a posterior summary with diagnostics (for [choices][summary.fit_choice] also of the aspects; for a [fit by optimisation][summary.fit_point] estimates and variational intervals) |
#' | [as_draws()][as_draws.fit_mcmc] and related functions, `as.matrix()`, `as.data.frame()`, `coda::as.mcmc.list()` | the draws of the scalars (`fit_mcmc`) |
#' | [ndraws()][as_draws.fit_mcmc], `nchains()`, `niterations()`, `variables()`, `posterior_interval()` | the numbers of draws and chains, the names of the scalars and their posterior intervals (`fit_mcmc`) |
#' | [objective()] | the bound or the log joint density during the optimisation (`fit_point`) |
#' | [features()], [feature_draws()], [loadings_of()], [coassignment()] | the features and their loadings; a fit by optimisation has one draw of the features |
#' | [coef()][coef.buffet_fit], `loadings()`, `sigma()` | the loadings and the noise, under the names of stats |
#' | [weights_of()] | the weights of a factorisation (`fit_nmf`) or the factors of the rows (`fit_factor`) |
#' | [vcov()][vcov.fit_factor] | the covariance matrix of the columns (`fit_factor`) |
#' | [top_words()], [topic_table()], [perplexity()] | the words and sizes of topics, and how well the topics predict new documents (`fit_topics`) |
#' | [network()] | the units, edges and weights of a cascade (`fit_cascade`) |
#' | `predict()`, `fitted()`, `residuals()` ([matrix][predict.buffet_fit], [data frame][predict.fit_mixed], [choices][predict.fit_choice], [topics][predict.fit_topics], [cascade][predict.fit_cascade], [factorisation][predict.fit_nmf]) | posterior means and residuals |
#' | `posterior_predict()`, `posterior_epred()`, `simulate()`, `log_lik()` ([matrix][posterior_predict.buffet_fit], [data frame][predict.fit_mixed], [choices][predict.fit_choice]) | draws of data and of their means, and pointwise log likelihoods |
#' | [loo::loo()][loo.fit_mcmc], `loo::waic()` | leave-one-out cross-validation (`fit_mcmc`) |
#' | [compare_heldout()], [heldout_density()] | fits ranked by the predictive density of data that were left out |
#' | `plot()`, `autoplot()` ([matrix][plot.buffet_fit], [choices][plot.fit_choice], [factors][plot.fit_factor], [topics][plot.fit_topics], [cascade][plot.fit_cascade], [data frame][plot.fit_mixed], [factorisation][plot.fit_nmf]) | plots |
#' | [bayesplot::pp_check()][pp_check.buffet_fit] | a comparison of the data with replicated data |
#' | [tidy()][tidy.buffet_fit] ([data frame][tidy.fit_mixed], [choices][tidy.fit_choice]), `glance()`, `augment()` | data frames, as in broom |
#' | [complete()] | data frames whose missing entries are drawn from their posterior (`fit_mixed`, `fit_factor`) |
#' | [update()][update.fit_mcmc] | the same chains, run for longer (`fit_mcmc`); a fit with other arguments |
#' | [best_chain()] | a common start for the chains of another run (`fit_mcmc`) |
#' | `nobs()`, `logLik()`, [prior_summary()][prior_summary.buffet_fit] | the number of observations, the log likelihood at the point estimate, the priors |
#'
#' @name buffet_fit
NULL
# nolint end

# Creates a model
# name: The name of the model, as in fit_<name>().
# data: list(x, ...): the data, and values computed from them.
# traits: Properties that follow from the other fields and are needed by functions for all models;
# see new_traits().
# loading_width: Number of values that chains save per feature. See loading_counts(), also for
# `loading_extra`, whose default is 0.
# All fields except `given` and the traits enter run_key().
new_model <- function(name, data, traits, loading_width, ...) {
  structure(
    list(data = data, traits = traits, loading_width = loading_width, ...),
    class = c(paste0(name, "_model"), "buffet_model")
  )
}

# samplers: Names of the samplers that method_gibbs() supports for the model, starting with the
# default.
# entries: The number of entries, which determines the default length of chains. If it is Inf, the
# length is the same for all data.
# moves: Default number of model-specific moves per sweep, or NULL if the model has no such moves.
# searches: True if chains begin with a search unless a start is given.
# complements: True if a feature and its complement are equivalent, because every linear predictor
# has a bias. Known features are left unchanged.
# side,rows: What the rows of Z represent; their number and names.
# fitted: What plots call the fitted values.
# normal_noise: True if entries are normal given their means, with one variance per column.
# thin: The smallest default `thin` for chains of default length.
# log_unit: The log density of the observed entries as given, minus the log density of the numbers
# that the core uses.
new_traits <- function(x, samplers, entries = Inf, moves = NULL, searches = FALSE,
                       complements = FALSE, side = "row",
                       rows = list(n = nrow(x), names = rownames(x)), fitted = "reconstructed",
                       normal_noise = FALSE, thin = 1L, log_unit = 0) {
  list(
    samplers = samplers, entries = entries, moves = moves, searches = searches,
    complements = complements, side = side, rows = rows, fitted = fitted,
    normal_noise = normal_noise, thin = thin, log_unit = log_unit
  )
}

traits_of <- function(fit) fit$internal$model$traits

fit_class <- function(model) sub("(.*)_model$", "fit_\\1", class(model)[1])

# given: The evaluated arguments of the call, starting with the data.
# method: The method, by default the one in `given`.
fit_model <- function(model, given, call, method = given$method) {
  check_method(method)
  on_cluster <- !is.null(given$cl)
  # The default sampler on a cluster is "parallel".
  if (on_cluster && samples(method)) {
    if (!"parallel" %in% model$traits$samplers) {
      must <- paste(
        "be NULL with prior_pibp(), prior_attraction() or `noise = \"column\"`,",
        "whose fits cannot be distributed"
      )
      stop_argument("cl", must, was = "a cluster")
    }
    method$sampler <- method$sampler %||% "parallel"
  }
  method <- check_model(method, model)
  starts <- check_starts(model, given$init, method)
  control <- list(
    cl = if (on_cluster) check_cluster(given$cl, method), seed = check_seed(given$seed),
    verbose = check_flag(given$verbose, "verbose"),
    file = if (!is.null(given$file)) check_file(given$file),
    own_starts = is.null(given$init), search = is.null(given$init) && model$traits$searches
  )
  check_ready(model)
  if (inherits(method, "method_factor")) check_start_of(method, given$init, starts[[1]])
  fit <- tryCatch(fit_by(method, model, starts, control), error = function(e) {
    if (!is_out_of_memory(conditionMessage(e))) stop(e)
    abort(out_of_memory(model, method))
  })
  fit$call <- call
  fit["data"] <- given[1]
  # A data.table could later be changed by reference.
  if (inherits(fit$data, "data.table")) fit$data <- as.data.frame(fit$data)
  fit$args <- given[setdiff(names(given)[-1], c("init", "seed", "verbose", "file", "cl"))]
  fit
}

# True if the error message is from a C++ library that could not allocate memory
is_out_of_memory <- function(text) {
  grepl("std::bad_alloc|std::bad_array_new_length|vector::_M_", text)
}

# An error that reports the size of the fit that was requested
out_of_memory <- function(model, method) {
  draws <- if (samples(method)) {
    sprintf(
      ", %s of %s; a larger `thin` needs less", counted(method$chains, "chain"),
      counted(planned_draws(method), "saved draw")
    )
  }
  paste0(fit_class(model), "() ran out of memory: ", describe_size(model$data$x), draws, ".")
}

refuse_method <- function(model, method) {
  must <- switch(fit_class(model),
    fit_nmf = "be a method_icm() or a method_gibbs()",
    fit_gaussian = "be a method for fit_gaussian()", "be a method_gibbs()"
  )
  stop_argument("method", must, method)
}

# Default length of chains for this number of entries, as list(times, most). Chains are `times` as
# long as usual. If they do not agree, they are extended to at most `most` times that length.
length_for <- function(entries) {
  if (is.infinite(entries)) return(list(times = 1L, most = 1L))
  list(times = as.integer(min(10, max(1, 5000 %/% entries))), most = if (entries <= 1e5) 8L else 1L)
}

check_starts <- function(model, init, method) UseMethod("check_starts")

check_ready <- function(model) UseMethod("check_ready")

#' @exportS3Method
check_ready.buffet_model <- function(model) invisible()

# Continues the chains of a run in the core, starting from their current states
sweep_chains <- function(model, method, plan, watch) UseMethod("sweep_chains")

#' @export
print.buffet_method <- print_lines

check_method <- function(method) {
  if (!inherits(method, "buffet_method")) {
    stop_argument("method", "be made by a method_*() function", method)
  }
  # The fields of the method may have been changed since it was created.
  make <- get0(class(method)[1], mode = "function")
  if (!is.null(make)) do.call(make, method_arguments(method), quote = TRUE)
  method
}

# The constructor arguments that recreate a method
method_arguments <- function(method) {
  unclass(method)[intersect(names(formals(class(method)[1])), names(method))]
}

name_of <- function(method) paste0(class(method)[1], "()")

check_model <- function(method, model) UseMethod("check_model")

#' @exportS3Method
check_model.buffet_method <- function(method, model) refuse_method(model, method)

# starts: The result of check_starts().
# control: list(cl, seed, verbose, file, own_starts, search).
fit_by <- function(method, model, starts, control) UseMethod("fit_by")

# True if a method samples; NA if it is not a method
samples <- function(method) {
  if (inherits(method, "buffet_method")) inherits(method, "method_gibbs") else NA
}

# Checks that an optimisation method can use a start
# The variational factor of alpha follows from the features, so a start cannot include it. A beam
# search starts without features. Methods with feature probabilities keep all of the given features,
# so their number must not exceed `max_features`.
check_start_of <- function(method, init, start) {
  alpha <- start$values["alpha"]
  if (!any(are_fits(init)) && !is.na(alpha)) {
    must <- sprintf("not give `alpha` for %s, which computes it from the features", name_of(method))
    stop_argument("init", must, alpha)
  }
  if (inherits(method, "method_beam") && length(start$features) > 0) {
    stop_argument("init", "not give features for method_beam()", start$features)
  }
  if (inherits(method, "method_soft")) {
    check_start_size(start$features, method$max_features, "the limit `max_features`")
  }
}
