#' @export
print.buffet_prior <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

check_prior <- function(prior) {
  if (!inherits(prior, "buffet_prior")) {
    stop_argument("prior", "be made by a prior_*() function", prior)
  }
  prior
}

#' The hyperparameters of a prior by their names, each a number or a gamma_prior()
#' @noRd
prior_hyperparameters <- function(prior) UseMethod("prior_hyperparameters")

#' Hyperparameters that a prior has and that are not shown: the concentration of an IBP of one
#' parameter
#' @noRd
hidden_hyperparameters <- function(prior) {
  if (identical(prior_hyperparameters(prior)$concentration, 1)) "concentration"
}

#' Are rows exchangeable, so that a new one can be added?
#' @noRd
is_exchangeable <- function(prior) UseMethod("is_exchangeable")

#' @exportS3Method
#' @noRd
is_exchangeable.buffet_prior <- function(prior) FALSE

#' Stop because a prior is not exchangeable
#' @noRd
refuse_dependent <- function(prior, must) UseMethod("refuse_dependent")

#' @exportS3Method
#' @noRd
refuse_dependent.buffet_prior <- function(prior, must) stop_argument("prior", must, prior)

#' Can a prior be represented by sticks, as slice sampling does?
#' @noRd
has_sticks <- function(prior) UseMethod("has_sticks")

#' @exportS3Method
#' @noRd
has_sticks.buffet_prior <- function(prior) FALSE

#' The features of a prior that knows them; NULL: they are learned
#' @noRd
known_features <- function(prior) UseMethod("known_features")

#' @exportS3Method
#' @noRd
known_features.buffet_prior <- function(prior) NULL

#' Stop where a prior says nothing of rows that are not in the data
#' @noRd
check_new_rows <- function(prior, newdata) UseMethod("check_new_rows")

#' @exportS3Method
#' @noRd
check_new_rows.buffet_prior <- function(prior, newdata) {
  if (is_exchangeable(prior)) return(invisible())
  stop_argument("newdata", "be NULL: the prior says nothing of new rows", newdata)
}

#' A prior for data with these rows: known features are put in their order
#'
#' @param row What a row is, for errors.
#' @noRd
match_prior <- function(prior, x, row = "row of the data") UseMethod("match_prior")

#' @exportS3Method
#' @noRd
match_prior.buffet_prior <- function(prior, x, row = "row of the data") prior

#' A prior as the plain list that the compiled core reads
#'
#' @param names Names of what has features, or NULL.
#' @param side What that is of the data: `"row"` or `"column"`.
#' @return From new_prior_spec(): `kind`; every hyperparameter as hyper_spec() has it; of the
#'   exchangeable priors `discount` and `n_features`, 0 if unbounded; of one on a tree `tree` as
#'   tree_spec() has it and `sampled`: are the probabilities drawn on few rows too? Priors of
#'   unknown features have `max_features`, which a method may lower.
#' @noRd
prior_spec <- function(prior, names = NULL, side = "row") UseMethod("prior_spec")

#' One line for the features, one for every hyperparameter that is learned
#' @noRd
format_prior <- function(law, parameters) {
  learned <- vapply(parameters, is_learned, NA)
  values <- vapply(parameters, \(p) if (is.numeric(p)) short(p) else "", "")
  arguments <- ifelse(learned, names(parameters), paste(names(parameters), "=", values))
  hyper <- vapply(parameters[learned], format, "")
  c(
    sprintf("Z ~ %s(%s)", law, paste(arguments, collapse = ", ")),
    sprintf("%s ~ %s", names(hyper), hyper)
  )
}

short <- function(x) format(x, digits = 4)

#' The exchangeable priors as the core reads them
#' @noRd
exchangeable_spec <- function(prior, discount, n_features) {
  new_prior_spec(
    kind = "exchangeable", alpha = hyper_spec(prior$alpha),
    concentration = hyper_spec(prior$concentration),
    discount = discount, n_features = n_features, max_features = .Machine$integer.max
  )
}

#' @noRd
new_prior_spec <- function(kind, ...) structure(list(kind = kind, ...), class = "prior_spec")

#' The prior of a model, with no more features than a method has room for
#' @noRd
limited_prior_spec <- function(model, method) {
  spec <- model$prior_spec
  spec$max_features <- method$max_features %||% spec$max_features
  spec
}
