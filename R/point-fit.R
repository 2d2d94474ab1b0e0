stop_no_sampling <- function(fit, name, cure = NULL) {
  stop_argument(
    name, "be a fit by sampling", was = paste("one by", way_of(fit$method)), cure = cure
  )
}

way_of <- function(method) {
  if (inherits(method, "method_icm")) name_of(method) else "optimisation"
}

#' Objective and summary of a fit by optimisation
#'
#' `objective()` returns the values of the objective over the run of a fit by optimisation.
#' `summary()` shows the estimates of the hyperparameters with their variational intervals, which
#' are narrower than intervals from the true posterior.
#'
#' @param fit A fit by [method_meibp()], [method_variational()], [method_power_ep()],
#'   [method_beam()] or [method_icm()]. A fit by sampling raises an error.
#' @param ... Must be empty.
#' @return `objective()`: a numeric vector that never decreases. Its last element is the value of
#'   the fit. What it contains depends on the method:
#'   * [method_meibp()], [method_variational()] and [method_power_ep()]: the lower bound on the log
#'     marginal likelihood for the best features so far, after every iteration on all rows from the
#'     start that was kept. Annealed iterations and iterations with more than `max_features`
#'     features are left out. [method_meibp()] treats Z as a class `"shifted"` of [dibp()] and the
#'     other two as a matrix with labelled columns, so its bound cannot be compared with theirs.
#'   * [method_beam()]: the log joint density of the best features so far, after every search;
#'   * [method_icm()]: the log joint density after every iteration.
#'
#'   `summary()`: an object of class `summary_fit_point`, a list that is printed in at most 20
#'   lines. Its element `table` is a tibble with a row per hyperparameter: `term`, `estimate`, and
#'   `conf.low` and `conf.high`, the ends of the central 90 % interval of its variational posterior
#'   (of its posterior given the features for `alpha` and [method_beam()]). The intervals of
#'   `sigma_x` and `sigma_a` are computed from the intervals of the precisions. Intervals are `NA`,
#'   and printed as blanks, if a hyperparameter is fixed, and for the standard deviations of
#'   [method_beam()] and [method_icm()], which are at a mode.
#' @examples
#' fit <- fit_gaussian(sim_images(50), "nonnegative", method = method_meibp(), seed = 1)
#' # the bound jumps when a new feature is added and hardly changes at the end
#' objective(fit)
#' summary(fit)
#' @export
objective <- function(fit, ...) {
  if (!inherits(fit, "fit_point")) {
    stop_argument("fit", "be a fit by optimisation, such as one by method_meibp()", fit)
  }
  check_no_more(...)
  fit$internal$trace
}

# The name of the objective, and of the scalar that contains its last value
name_objective <- function(method) {
  if (inherits(method, "method_icm")) return(c(log_joint = "Log joint density"))
  beam <- inherits(method, "method_beam")
  c(bound = if (beam) "Log joint density" else "Bound on the log evidence")
}

#' @exportS3Method
describe_result.fit_point <- function(fit, found) {
  n <- scalar(fit, "n_features")
  most <- fit$internal$model$prior$n_features %||% Inf
  at_limit <- n == (fit$method$max_features %||% Inf) && n < most
  c(
    sprintf("Features: %d%s", n, if (at_limit) " (`max_features`; more might fit better)" else ""),
    describe_misfit(fit), describe_course(fit)
  )
}

describe_course <- function(fit) {
  if (samples(fit$method)) return(NULL)
  title <- name_objective(fit$method)
  reached <- sprintf("%s: %.2f", title, scalar(fit, names(title)))
  found <- fit$internal
  if (is.null(found$converged)) return(reached)
  still <- if (found$converged) "" else " (still rising)"
  sprintf("%s after %d iterations%s", reached, length(found$trace), still)
}

#' @rdname objective
#' @param object A fit by one of these methods.
#' @export
summary.fit_point <- function(object, ...) {
  check_no_more(...)
  structure(
    list(header = format(object), table = tidy(object, conf.level = 0.9)),
    class = "summary_fit_point"
  )
}

#' @export
print.summary_fit_point <- function(x, ...) {
  title <- "Estimates (q5 to q95: 90 % interval of the variational posterior, if any):"
  cat(x$header, title, sep = "\n")
  table <- x$table
  names(table) <- c("variable", "estimate", "q5", "q95")
  numbers <- c("estimate", "q5", "q95")
  table[numbers] <- lapply(table[numbers], function(v) ifelse(is.na(v), "", format(v, digits = 4)))
  print(as.data.frame(table), row.names = FALSE)
  invisible(x)
}

tidy_factors <- function(fit, conf_level) {
  factors <- fit$internal$factors
  names <- names(factors) %||% character()
  terms <- sub("^tau_", "sigma_", names)
  # Central intervals under the gamma factors, or NA if a hyperparameter is fixed
  ends <- vapply(names, function(name) {
    shape <- factors[[name]][["shape"]]
    if (is.na(shape)) return(c(NA_real_, NA_real_))
    tail <- (1 - conf_level) / 2
    ends <- stats::qgamma(c(tail, 1 - tail), shape, factors[[name]][["rate"]])
    if (startsWith(name, "tau_")) rev(1 / sqrt(ends)) else ends
  }, c(0, 0), USE.NAMES = FALSE)
  tibble::tibble(
    term = terms, estimate = vapply(terms, function(term) scalar(fit, term), 0, USE.NAMES = FALSE),
    conf.low = ends[1, ], conf.high = ends[2, ]
  )
}
