# Fits that are made again, with some of their arguments changed.

#' A fit with other arguments, from the start
#'
#' @param changes What is changed, by name: arguments of fit_*() and of the method.
#' @param run The same, of how it is run.
#' @noRd
fit_again <- function(fit, changes, run) {
  by <- fit_class(fit$model)
  make <- get(by, mode = "function")
  changes <- name_changes(changes, by, names(formals(make))[1])
  given <- c(run, changes)
  own <- given[names(given) %in% names(formals(make))]
  of_method <- given[setdiff(names(given), names(own))]
  method <- if (is.null(own$method)) as_given(fit$method, fit$model) else check_method(own$method)
  check_has(names(of_method), by, method)
  arguments <- arguments_of(fit$model)
  arguments["seed"] <- list(fit$seed)
  arguments[names(own)] <- own
  arguments$method <- change_method(method, of_method)
  if (check_flag(run$verbose, "verbose") && length(changes) > 0) {
    message("Refitting from the start with new ", enumerate(sprintf("`%s`", names(changes))), ".")
  }
  do.call(make, arguments, quote = TRUE)
}

#' Changes by the names that they have in the call, those of data that are called as in other
#' packages too
#' @param data What fit_*() calls its data.
#' @noRd
name_changes <- function(changes, by, data) {
  names <- names(changes) %||% rep("", length(changes))
  if (!all(nzchar(names))) {
    stop("Further arguments must be named, as in ", by, "() or its method.", call. = FALSE)
  }
  others <- names %in% c("newdata", "data")
  of_data <- names[others | names == data]
  if (length(of_data) > 1) {
    stop_argument(data, "be given once", was = enumerate(sprintf("`%s`", of_data)))
  }
  stats::setNames(changes, replace(names, others, data))
}

#' Stop because of an argument that neither fit_*() nor the method has
#' @noRd
check_has <- function(names, by, method) {
  unknown <- setdiff(names, names(formals(class(method)[1])))
  if (length(unknown) == 0) return(invisible())
  stop(sprintf("`%s` must be left out: it is not an argument of %s() or %s.", unknown[1], by,
    name_of(method)
  ), call. = FALSE)
}

#' The arguments of fit_*() that make a model, its data first
#' @noRd
arguments_of <- function(model) UseMethod("arguments_of")

#' A method as it was given, without what it has from the model
#' @noRd
as_given <- function(method, model) UseMethod("as_given")

#' @exportS3Method
#' @noRd
as_given.buffet_method <- function(method, model) method

#' Another model has other samplers
#' @exportS3Method
#' @noRd
as_given.method_gibbs <- function(method, model) {
  if (identical(method$sampler, samplers_of(model)[1])) method["sampler"] <- list(NULL)
  if (identical(method$moves, moves_of(model))) method["moves"] <- list(NULL)
  method
}

#' A method with other arguments, checked as its own call does
#' @noRd
change_method <- function(method, changes) UseMethod("change_method")

#' @exportS3Method
#' @noRd
change_method.buffet_method <- function(method, changes) {
  call <- class(method)[1]
  fields <- unclass(method)[intersect(names(formals(call)), names(method))]
  fields[names(changes)] <- changes
  do.call(call, fields, quote = TRUE)
}

#' Chains of another length have a warm-up of their own
#' @exportS3Method
#' @noRd
change_method.method_gibbs <- function(method, changes) {
  if ("iter" %in% names(changes)) method[c("warmup", "max_iter", "goes_on_with")] <- NULL
  out <- change_method.buffet_method(method, changes)
  out$goes_on_with <- method$goes_on_with
  out
}
