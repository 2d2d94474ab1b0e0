# A model
# name: As in fit_<name>().
# data: list(x, ...): the data, and what was computed from them.
# traits: Properties that follow from the other fields and that functions for all models need: see
#   new_traits().
# loading_width: How many numbers chains keep per feature; see loading_counts(), also for
#   `loading_extra`, which is 0 unless it is given.

# All fields except `given` and the traits enter run_key().
new_model <- function(name, data, traits, loading_width, ...) {
  structure(
    list(data = data, traits = traits, loading_width = loading_width, ...),
    class = c(paste0(name, "_model"), "buffet_model")
  )
}

# Properties of a model that functions for all models need

# samplers: Names of the samplers that method_gibbs() has for the model, the default first.
# entries: The number of entries, which sets the default length of chains; Inf: the same length for
#   all data.
# moves: Default number of the model's own moves per sweep; NULL if it has none.
# searches: True if chains begin with a search unless a start is given.
# complements: True if a feature and its complement are equivalent, because every linear predictor
#   has a bias. Known features stay as they are given.
# side,rows: What the rows of Z are; their number and names.
# fitted: The name of fitted values in plots.
# normal_noise: True if entries are normal given their means, with one variance per column.
# log_unit: The log density of the observed entries as they were given, minus the log density of the
#   numbers that the core uses.
new_traits <- function(x, samplers, entries = Inf, moves = NULL, searches = FALSE,
                       complements = FALSE, side = "row",
                       rows = list(n = nrow(x), names = rownames(x)), fitted = "reconstructed",
                       normal_noise = FALSE, log_unit = 0) {
  list(
    samplers = samplers, entries = entries, moves = moves, searches = searches,
    complements = complements, side = side, rows = rows, fitted = fitted,
    normal_noise = normal_noise, log_unit = log_unit
  )
}

traits_of <- function(fit) fit$internal$model$traits

fit_class <- function(model) sub("(.*)_model$", "fit_\\1", class(model)[1])

argument_of <- function(model, field) {
  if (field %in% c("x", "coding", "columns", "frame")) return(names(formals(fit_class(model)))[1])
  if (field == "sigma" && fit_class(model) == "fit_mixed") "sigma_w" else field
}

# given: The evaluated arguments of the call, the data first.
# method: The method, if it differs from the one in the arguments.
fit_model <- function(model, given, call, method = given$method) {
  check_method(method)
  method <- check_model(if (is.null(given$cl)) method else sharing_rows(method, model), model)
  starts <- check_starts(model, given$init, method)
  control <- list(
    cl = check_cluster(given$cl, method), seed = check_seed(given$seed),
    verbose = check_flag(given$verbose, "verbose"), file = check_file(given$file),
    own_starts = is.null(given$init), search = is.null(given$init) && model$traits$searches
  )
  check_ready(model)
  check_start_of(method, given$init, starts)
  fit <- tryCatch(fit_by(method, model, starts, control), error = function(e) {
    if (!is_out_of_memory(conditionMessage(e))) stop(e)
    abort(out_of_memory(model, method))
  })
  of_call(fit, call, given)
}

# True for the error of a C++ library that could not allocate memory
is_out_of_memory <- function(text) {
  grepl("std::bad_alloc|std::bad_array_new_length|vector::_M_", text)
}

# The error, with the size of the fit that was requested
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
    fit_gaussian = "be one for fit_gaussian() (see there)", "be a method_gibbs()"
  )
  stop_argument("method", must, method)
}

# Default length of chains for this many entries: list(times, most). Chains are `times` as long as
# usual, and at most `most` times that if they do not agree
length_for <- function(entries) {
  if (is.infinite(entries)) return(list(times = 1L, most = 1L))
  list(times = as.integer(min(10, max(1, 5000 %/% entries))), most = if (entries <= 1e5) 8L else 1L)
}

check_starts <- function(model, init, method) UseMethod("check_starts")

check_ready <- function(model) UseMethod("check_ready")

#' @exportS3Method
check_ready.buffet_model <- function(model) invisible()

# Continues the chains of a run from their current states, in the core
sweep_chains <- function(model, method, plan, watch) UseMethod("sweep_chains")
