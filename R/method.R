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

#' The call that made a method
#' @noRd
name_of <- function(method) paste0(class(method)[1], "()")

#' A method as a fit of the model takes it, or an error where it is not one for the model
#' @noRd
check_model <- function(method, model) UseMethod("check_model")

#' @exportS3Method
#' @noRd
check_model.default <- function(method, model) check_method(method)

#' @exportS3Method
#' @noRd
check_model.buffet_method <- function(method, model) refuse_method(model, method)

#' Fits a model
#'
#' @param starts From check_starts().
#' @param control list(seed, verbose, file, search).
#' @noRd
fit_by <- function(method, model, starts, control) UseMethod("fit_by")

#' Does a method sample? NA: it is no method
#' @noRd
samples <- function(method) UseMethod("samples")

#' @exportS3Method
#' @noRd
samples.default <- function(method) NA

#' @exportS3Method
#' @noRd
samples.buffet_method <- function(method) FALSE

#' Can the rows of the data be on the workers of a cluster?
#' @noRd
shares_rows <- function(method) UseMethod("shares_rows")

#' @exportS3Method
#' @noRd
shares_rows.default <- function(method) FALSE

#' A method where the rows of the data are shared: one that leaves open how it is to sample does so
#' as it can share them
#' @noRd
sharing_rows <- function(method, model) UseMethod("sharing_rows")

#' @exportS3Method
#' @noRd
sharing_rows.default <- function(method, model) method

#' Can a method read data block by block?
#' @noRd
reads_blocks <- function(method) UseMethod("reads_blocks")

#' @exportS3Method
#' @noRd
reads_blocks.default <- function(method) FALSE

#' What a method asks of starts beyond what the model does
#' @noRd
check_start_of <- function(method, init, starts) UseMethod("check_start_of")

#' @exportS3Method
#' @noRd
check_start_of.buffet_method <- function(method, init, starts) invisible()

`%||%` <- function(x, y) if (is.null(x)) y else x # nolint: object_name_linter.
