#' @export
print.buffet_method <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

check_method <- function(method) {
  if (!inherits(method, "buffet_method")) {
    stop_argument("method", "be made by a method_*() function", method)
  }
  method
}

name_of <- function(method) paste0(class(method)[1], "()")

check_model <- function(method, model) UseMethod("check_model")

#' @exportS3Method
check_model.default <- function(method, model) check_method(method)

#' @exportS3Method
check_model.buffet_method <- function(method, model) refuse_method(model, method)

# starts: From check_starts().
# control: list(seed, verbose, file, search).
fit_by <- function(method, model, starts, control) UseMethod("fit_by")

# True if a method samples; NA if it is not a method
samples <- function(method) {
  if (inherits(method, "buffet_method")) inherits(method, "method_gibbs") else NA
}

# True if the workers of a cluster can share the rows of the data
shares_rows <- function(method) {
  inherits(method, "method_soft") || identical(method$update, "sweep") ||
    identical(method$sampler, "parallel")
}

# A method for shared rows: the sampler is "parallel" unless another was chosen
sharing_rows <- function(method, model) {
  if (!samples(method)) return(method)
  if (!"parallel" %in% model$traits$samplers) {
    must <- "be NULL with prior_pibp() or `noise = \"column\"`, whose rows are not shared"
    stop_argument("cl", must, was = "a cluster")
  }
  method$sampler <- method$sampler %||% "parallel"
  method
}

# True if a method can read data block by block
reads_blocks <- function(method) {
  inherits(method, c("method_soft", "method_meibp")) ||
    isTRUE(samples(method)) && identical(method$sampler %||% "parallel", "parallel")
}

# Requirements of methods on starts
# With method_factor the variational factor of alpha follows from the features, so it cannot be
# given. A beam search starts without features. If features have probabilities, all given ones are
# kept.
check_start_of <- function(method, init, starts) {
  if (!inherits(method, "method_factor")) return(invisible())
  features <- starts[[1]]$features
  alpha <- starts[[1]]$values["alpha"]
  if (!any(are_fits(init)) && !is.na(alpha)) {
    must <- sprintf("not give `alpha` for %s, which finds it from the features", name_of(method))
    stop_argument("init", must, alpha)
  }
  if (inherits(method, "method_beam") && length(features) > 0) {
    stop_argument("init", "not give features for method_beam()", features)
  }
  if (inherits(method, "method_soft")) {
    check_start_size(features, method$max_features, "as `max_features` says")
  }
}

`%||%` <- function(x, y) if (is.null(x)) y else x # nolint: object_name_linter.
