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

prior_hyperparameters <- function(prior) UseMethod("prior_hyperparameters")

is_exchangeable <- function(prior) inherits(prior, c("prior_ibp", "prior_beta_bernoulli"))

# Hyperparameters that are not shown: the concentration of a one-parameter IBP
hidden_hyperparameters <- function(prior) {
  if (identical(prior_hyperparameters(prior)$concentration, 1)) "concentration"
}

check_new_rows <- function(prior, newdata) {
  if (is_exchangeable(prior)) return(invisible())
  must <- if (!is.null(prior$z)) {
    "be NULL: the features of new rows are not known"
  } else if (!is.null(prior$tree)) {
    "be NULL: new rows have no place on the tree of the prior"
  } else {
    "be NULL: the prior says nothing about new rows"
  }
  stop_argument("newdata", must, newdata)
}

# Puts known features in the order of the rows of the data

match_prior <- function(prior, x, row = "row of the data") {
  z <- prior$z
  if (is.null(z)) return(prior)
  if (nrow(z) != nrow(x)) stop_argument("z", sprintf("have a row per %s (%d)", row, nrow(x)), z)
  if (is.null(rownames(z)) || is.null(rownames(x))) return(prior)
  lost <- setdiff(rownames(x), rownames(z))
  if (length(lost) > 0) {
    must <- sprintf("have a row named as every %s, or no row names", row)
    stop_argument("z", must, was = sprintf("one without \"%s\"", lost[1]))
  }
  prior$z <- z[rownames(x), , drop = FALSE]
  prior
}

# A prior as a plain list for the core

# side: Do `"row"`s or `"column"`s of the data have features?
# Returns From new_prior_spec(): `kind`; every hyperparameter as hyper_spec() has it; of the
#   exchangeable priors `discount` and `n_features`, 0 if unbounded; of one on a tree `tree` as
#   tree_spec() has it and `sampled`: are the probabilities drawn on few rows too? Priors of unknown
#   features have `max_features`, which a method may lower.
prior_spec <- function(prior, names = NULL, side = "row") UseMethod("prior_spec")

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

exchangeable_spec <- function(prior, discount, n_features) {
  new_prior_spec(
    kind = "exchangeable", alpha = hyper_spec(prior$alpha),
    concentration = hyper_spec(prior$concentration),
    discount = discount, n_features = n_features, max_features = .Machine$integer.max
  )
}

new_prior_spec <- function(kind, ...) structure(list(kind = kind, ...), class = "prior_spec")

# The prior with the `max_features` of the method
limited_prior_spec <- function(model, method) {
  spec <- model$prior_spec
  spec$max_features <- method$max_features %||% spec$max_features
  spec
}
