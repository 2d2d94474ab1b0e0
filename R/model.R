# The model of a fit as one object, whose fields are named once, where fit_*() makes it.

#' A model
#'
#' @param name As in fit_<name>().
#' @param data list(x, ...): the data, and what was taken from them.
#' @param loading_width How many numbers chains keep of a feature; with `loading_extra`, which is 0
#'   where it is not given, see loading_counts().
#' @param ... The other fields, named as the arguments that they come from.
#' @return An object of class `c("<name>_model", "buffet_model")`. Every field counts in run_key().
#' @noRd
new_model <- function(name, data, loading_width, ...) {
  structure(
    list(data = data, loading_width = loading_width, ...),
    class = c(paste0(name, "_model"), "buffet_model")
  )
}

#' The class of the fits of a model
#' @noRd
fit_class <- function(model) sub("(.*)_model$", "fit_\\1", class(model)[1])

#' The argument of fit_*() from which a field of the model comes
#' @noRd
argument_of <- function(model, field) UseMethod("argument_of")

#' @exportS3Method
#' @noRd
argument_of.buffet_model <- function(model, field) field

#' What all fit_*() functions end in
#' @noRd
fit_model <- function(model, method, init, seed, verbose, file, cl = NULL) {
  check_method(method)
  method <- check_model(if (is.null(cl)) method else sharing_rows(method, model), model)
  starts <- check_starts(model, init, method)
  control <- list(
    cl = check_cluster(cl, method),
    seed = check_seed(seed), verbose = check_flag(verbose, "verbose"), file = check_file(file),
    own_starts = is.null(init), search = is.null(init) && searches(model)
  )
  check_ready(model)
  check_start_of(method, init, starts)
  tryCatch(fit_by(method, model, starts, control), error = function(e) {
    if (!is_out_of_memory(conditionMessage(e))) stop(e)
    stop(out_of_memory(model, method), call. = FALSE)
  })
}

#' Is this an error of the C++ library that could not allocate?
#' @noRd
is_out_of_memory <- function(text) {
  grepl("std::bad_alloc|std::bad_array_new_length|vector::_M_", text)
}

#' The error, with the size of what was asked for
#' @noRd
out_of_memory <- function(model, method) {
  draws <- if (samples(method)) {
    sprintf(
      ", %s of %s; a larger `thin` needs less", counted(method$chains, "chain"),
      counted(planned_draws(method), "saved draw")
    )
  }
  paste0(fit_class(model), "() ran out of memory: ", describe_size(model$data$x), draws, ".")
}

#' Stop because a method is not one for the model
#' @noRd
refuse_method <- function(model, method) UseMethod("refuse_method")

#' @exportS3Method
#' @noRd
refuse_method.buffet_model <- function(model, method) {
  stop_argument("method", "be a method_gibbs()", method)
}

#' Names of the samplers that method_gibbs() has for a model, its default first
#' @noRd
samplers_of <- function(model) UseMethod("samplers_of")

#' How many moves of its own kind a sweep of a model makes by default; NULL: it has no such moves
#' @noRd
moves_of <- function(model) UseMethod("moves_of")

#' @exportS3Method
#' @noRd
moves_of.buffet_model <- function(model) NULL

#' How long the chains of a model are by default: list(times, most), `times` as long as usual, and
#' `most` times that where they do not agree
#' @noRd
length_of <- function(model) UseMethod("length_of")

#' @exportS3Method
#' @noRd
length_of.buffet_model <- function(model) list(times = 1L, most = 1L)

#' The same where it is for the number of entries of the data
#' @noRd
length_for <- function(entries) {
  list(times = as.integer(min(10, max(1, 5000 %/% entries))), most = if (entries <= 1e5) 8L else 1L)
}

#' Starting points of all chains, or of the one run of an optimisation
#' @noRd
check_starts <- function(model, init, method) UseMethod("check_starts")

#' Do chains of a model begin with a search where no start is given?
#' @noRd
searches <- function(model) UseMethod("searches")

#' @exportS3Method
#' @noRd
searches.buffet_model <- function(model) FALSE

#' The last checks, and messages, before a run begins
#' @noRd
check_ready <- function(model) UseMethod("check_ready")

#' @exportS3Method
#' @noRd
check_ready.buffet_model <- function(model) invisible()

#' Sweeps of the chains of a run from where they stand, in the core
#' @noRd
sweep_chains <- function(model, method, plan, watch) UseMethod("sweep_chains")

#' Number and names of the rows of Z
#' @noRd
feature_rows <- function(model) UseMethod("feature_rows")

#' @exportS3Method
#' @noRd
feature_rows.buffet_model <- function(model) {
  x <- model$data$x
  list(n = nrow(x), names = rownames(x))
}
