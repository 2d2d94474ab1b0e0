# Fits by optimisation: one point estimate of Z, with variational posteriors of all else.

#' @param result What the core left; see from_run() there.
#' @noRd
new_fit_point <- function(class, result, model, method, ...) {
  x <- model$data$x
  raw <- result$features
  z <- label_features(raw, rownames(x))
  order <- match_columns(z, raw)
  factors <- result[c("tau_x", "tau_a", "alpha")]
  size <- function(tau) unname(1 / sqrt(tau[["mean"]]))
  values <- c(
    n_features = ncol(z), n_ones = sum(z), alpha = factors$alpha[["mean"]],
    concentration = model$prior$concentration, sigma_x = size(factors$tau_x),
    sigma_a = size(factors$tau_a), bound = result$bound
  )
  method["threads"] <- NULL
  structure(
    c(model, list(
      draws = new_feature_draws(nrow(x), ncol(z), pack_bits(z), rownames(x)), point = 1L,
      scalars = array(values, c(1, 1, length(values)), list(NULL, NULL, names(values))),
      mean = result$mean[, order, drop = FALSE], location = result$location[, order, drop = FALSE],
      scale = result$scale[, order, drop = FALSE], factors = factors,
      # Before the first features that are at most max_features there is nothing to show.
      trace = result$trace[is.finite(result$trace)],
      residual = result$residual, method = method, finished = result$finished,
      version = package_version(getNamespaceVersion("buffet")), ...
    )),
    class = c(class, "fit_point", "buffet_fit")
  )
}

#' A binary matrix as the bits of a draw: columns of whole 64-bit words
#' @noRd
pack_bits <- function(z) {
  filled <- matrix(FALSE, 64 * ceiling(nrow(z) / 64), ncol(z))
  filled[seq_len(nrow(z)), ] <- z == 1
  packBits(as.vector(filled))
}

#' Stop because a fit by optimisation has neither chains nor draws of scalars
#' @noRd
stop_no_sampling <- function(name) {
  stop_argument(name, "be a fit by sampling", was = "one by method_meibp()")
}

#' @export
as_draws.fit_point <- function(x, ...) stop_no_sampling("x")

#' The bound of a fit by optimisation
#'
#' @param fit A fit by [method_meibp()].
#' @param ... Ignored.
#' @return A numeric vector: the lower bound of the log evidence after every iteration from the start
#'   that was kept (on all the rows), of the best features so far that are at most `max_features`. It
#'   never falls; its last element is that of the fit. The features count as ordered.
#' @examples
#' x <- block_images(50)
#' fit <- fit_gaussian(x, "nonnegative", method = method_meibp(), seed = 1)
#' objective(fit)
#' @export
objective <- function(fit, ...) UseMethod("objective")

#' @export
objective.default <- function(fit, ...) {
  stop_argument("fit", "be a fit by optimisation, as method_meibp() gives it", fit)
}

#' @export
objective.fit_point <- function(fit, ...) {
  check_no_more(...)
  fit$trace
}

#' @export
format.fit_point <- function(x, ...) {
  n <- scalar(x, "n_features")
  at_limit <- n == x$method$max_features && n < (x$prior$n_features %||% Inf)
  c(
    describe_data(x),
    paste0(c("Prior: ", rep("       ", length(format(x$prior)) - 1)), format(x$prior)),
    paste0("Method: ", format(x$method), if (!x$finished) " (interrupted)"),
    sprintf("Features: %d%s", n, if (at_limit) " (`max_features`; more might fit better)" else ""),
    sprintf("Bound of the log evidence: %.2f", scalar(x, "bound"))
  )
}

#' Summary of a fit by optimisation
#'
#' @param object A fit by [method_meibp()].
#' @param ... Ignored.
#' @return An object of class `summary_fit_point`, printed in at most 20 lines, with the element
#'   `table`: for every hyperparameter its estimate and the central 90 % interval of its variational
#'   posterior, where it is learned. Those of `sigma_x` and `sigma_a` come from the precisions. They are
#'   narrower than the true posteriors, as variational ones are.
#' @examples
#' fit <- fit_gaussian(block_images(50), "nonnegative", method = method_meibp(), seed = 1)
#' summary(fit)
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
  cat(x$header, sep = "\n")
  cat("\n")
  table <- x$table
  names(table) <- c("variable", "estimate", "q5", "q95")
  numbers <- c("estimate", "q5", "q95")
  table[numbers] <- lapply(table[numbers], function(v) ifelse(is.na(v), "", format(v, digits = 4)))
  print(as.data.frame(table), row.names = FALSE)
  invisible(x)
}

#' Central interval of a hyperparameter under its gamma factor; NA where it is fixed
#' @noRd
factor_interval <- function(factor, level, on_precision) {
  if (is.na(factor[["shape"]])) return(c(NA_real_, NA_real_))
  tail <- (1 - level) / 2
  ends <- stats::qgamma(c(tail, 1 - tail), factor[["shape"]], factor[["rate"]])
  if (on_precision) rev(1 / sqrt(ends)) else ends
}

#' @exportS3Method
#' @noRd
tidy_scalars.fit_point <- function(fit, conf_level) {
  ends <- rbind(
    factor_interval(fit$factors$alpha, conf_level, FALSE),
    factor_interval(fit$factors$tau_x, conf_level, TRUE),
    factor_interval(fit$factors$tau_a, conf_level, TRUE)
  )
  terms <- c("alpha", "sigma_x", "sigma_a")
  tibble::tibble(
    term = terms, estimate = vapply(terms, function(term) scalar(fit, term), 0, USE.NAMES = FALSE),
    conf.low = ends[, 1], conf.high = ends[, 2]
  )
}

#' @rdname tidy.buffet_fit
#' @export
glance.fit_point <- function(x, ...) {
  check_no_more(...)
  tibble::tibble(
    nobs = nobs(x), n_columns = ncol(x$data$x), n_features = as.integer(scalar(x, "n_features")),
    alpha = scalar(x, "alpha"), sigma_x = scalar(x, "sigma_x"), sigma_a = scalar(x, "sigma_a"),
    bound = scalar(x, "bound"), iterations = length(x$trace), finished = x$finished
  )
}

#' @exportS3Method
#' @noRd
mean_loadings.fit_point <- function(fit) {
  labelled <- function(m) {
    out <- t(m)
    dimnames(out) <- list(colnames(features(fit)), colnames(fit$data$x))
    out
  }
  structure(
    labelled(fit$mean), location = labelled(fit$location), scale = labelled(fit$scale)
  )
}

#' @exportS3Method
#' @noRd
mean_response.fit_point <- function(fit, which) tcrossprod(features(fit), fit$mean)

#' Means and variances of the loadings, D x K
#' @noRd
moments_of <- function(fit) nonnegative_moments_cpp(fit$location, fit$scale)

search_new_rows <- function(fit, rows) {
  n <- nobs(fit)
  prior <- fit$prior
  prior$alpha <- scalar(fit, "alpha")
  meibp_new_rows_cpp(rows - rep(fit$data$means, each = nrow(rows)), c(moments_of(fit), list(
    tau_x = fit$factors$tau_x[["mean"]], tau_a = fit$factors$tau_a[["mean"]],
    counts = unname(colSums(features(fit))), rows = n, prior = prior_spec(prior, n + 1)
  )))
}

#' @exportS3Method
#' @noRd
new_features.fit_point <- function(fit, rows) search_new_rows(fit, rows)$features

#' @exportS3Method
#' @noRd
new_response.fit_point <- function(fit, rows, which) t(search_new_rows(fit, rows)$response)

#' @exportS3Method
#' @noRd
density_at.fit_point <- function(fit, which, places, values) {
  known <- list(
    features = features(fit), location = fit$location, scale = fit$scale,
    variance = scalar(fit, "sigma_x")^2
  )
  meibp_heldout_cpp(known, places[, 1], places[, 2], values)
}

#' At the mean loadings and precision
#' @noRd
#' @exportS3Method
point_log_lik.fit_point <- function(fit) {
  x <- in_memory(fit, "logLik()")
  sum(stats::dnorm(as.matrix(x), fitted(fit), scalar(fit, "sigma_x"), log = TRUE), na.rm = TRUE)
}

#' @exportS3Method
#' @noRd
draw_loadings.fit_point <- function(fit, draw, seed) {
  nonnegative_draw_cpp(fit$location, fit$scale, seed)
}
