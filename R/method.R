#' @export
print.buffet_method <- print_lines

check_method <- function(method) {
  if (!inherits(method, "buffet_method")) {
    stop_argument("method", "be made by a method_*() function", method)
  }
  # Its fields may have been changed since.
  make <- get0(class(method)[1], mode = "function")
  if (!is.null(make)) do.call(make, method_arguments(method), quote = TRUE)
  method
}

# The arguments with which a method can be made again
method_arguments <- function(method) {
  unclass(method)[intersect(names(formals(class(method)[1])), names(method))]
}

name_of <- function(method) paste0(class(method)[1], "()")

check_model <- function(method, model) UseMethod("check_model")

#' @exportS3Method
check_model.buffet_method <- function(method, model) refuse_method(model, method)

# starts: From check_starts().
# control: list(seed, verbose, file, search).
fit_by <- function(method, model, starts, control) UseMethod("fit_by")

# True if a method samples; NA if it is not a method
samples <- function(method) {
  if (inherits(method, "buffet_method")) inherits(method, "method_gibbs") else NA
}

# Checks that a method of optimisation can use a start
# The variational factor of alpha follows from the features, so it cannot be given. A beam search
# starts without features. Methods with feature probabilities keep all given features, so these must
# not exceed `max_features`.
check_start_of <- function(method, init, start) {
  alpha <- start$values["alpha"]
  if (!any(are_fits(init)) && !is.na(alpha)) {
    must <- sprintf("not give `alpha` for %s, which finds it from the features", name_of(method))
    stop_argument("init", must, alpha)
  }
  if (inherits(method, "method_beam") && length(start$features) > 0) {
    stop_argument("init", "not give features for method_beam()", start$features)
  }
  if (inherits(method, "method_soft")) {
    check_start_size(start$features, method$max_features, "as `max_features` says")
  }
}

`%||%` <- function(x, y) if (is.null(x)) y else x # nolint: object_name_linter.
