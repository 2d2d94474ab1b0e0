# Fits by optimisation: one point estimate of Z, with variational posteriors of all else.

#' @param result What the core left: Z (`features`) or the probabilities of its entries, and the
#'   posterior of the loadings, `mean` with `location` and `scale` (all D x K) of independent
#'   normals, truncated where loadings are nonnegative, or with `covariance`, a list, and which of
#'   it is that of a column.
#' @noRd
new_fit_point <- function(class, result, model, method, ...) {
  x <- model$data$x
  raw <- result$features %||% (result$probabilities > 0.5) + 0L
  used <- which(colSums(raw) > 0)
  z <- label_features(raw[, used, drop = FALSE], rownames(x))
  # Those that no row holds come last.
  order <- c(used[match_columns(z, raw[, used, drop = FALSE])], setdiff(seq_len(ncol(raw)), used))
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
      probabilities = result$probabilities[, order, drop = FALSE],
      log_odds = result$log_odds[order], factors = factors,
      # Before the first features that are at most max_features there is nothing to show.
      trace = result$trace[is.finite(result$trace)],
      residual = result$residual, method = method, finished = result$finished,
      version = package_version(getNamespaceVersion("buffet")), ...
    ), ordered_loadings(result, order)),
    class = c(class, "fit_point", "buffet_fit")
  )
}

#' The posterior of the loadings with its features in another order
#' @noRd
ordered_loadings <- function(result, order) {
  some <- function(m) if (!is.null(m)) m[, order, drop = FALSE]
  list(
    mean = some(result$mean), location = some(result$location), scale = some(result$scale),
    covariance = lapply(result$covariance, function(v) v[order, order, drop = FALSE]),
    covariance_of = result$covariance_of
  )
}

#' Expected features of every row, N x K: Z, or its probabilities
#'
#' With these come features that no row holds with a probability above one half.
#' @noRd
expected_features <- function(fit) fit$probabilities %||% features(fit)

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
  stop_argument(name, "be a fit by sampling", was = "one by optimisation")
}

#' @export
as_draws.fit_point <- function(x, ...) stop_no_sampling("x")

#' What a fit by optimisation has raised
#'
#' @param fit A fit by [method_meibp()], [method_variational()], [method_power_ep()],
#'   [method_beam()] or [method_icm()].
#' @param ... Ignored.
#' @return A numeric vector that never falls, and whose last element is that of the fit:
#'   * of [method_meibp()], [method_variational()] and [method_power_ep()] the bound of the log
#'     evidence after every iteration from the start that was kept (on all the rows, after
#'     annealing), of the best features so far that are at most `max_features`. The features count
#'     as ordered for the first, as labelled for the other two;
#'   * of [method_beam()] the log joint density of the best features so far, after every search;
#'   * of [method_icm()] the log joint density after every iteration.
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

#' What objective() of a fit is
#' @noRd
name_objective <- function(fit) {
  if (is_by_beam(fit)) "Log joint density" else "Bound of the log evidence"
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
    sprintf("%s: %.2f", name_objective(x), scalar(x, "bound"))
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
  z <- features(fit)
  labelled <- function(m) {
    out <- t(m)[seq_len(ncol(z)), , drop = FALSE]
    dimnames(out) <- list(colnames(z), colnames(fit$data$x))
    out
  }
  if (fit$loadings == "nonnegative" && !is.null(fit$location)) {
    return(structure(
      labelled(fit$mean), location = labelled(fit$location), scale = labelled(fit$scale)
    ))
  }
  structure(labelled(fit$mean), sd = labelled(sqrt(loading_variances(fit))))
}

#' @exportS3Method
#' @noRd
mean_response.fit_point <- function(fit, which) tcrossprod(expected_features(fit), fit$mean)

#' Variances of the loadings, D x K
#' @noRd
loading_variances <- function(fit) {
  if (is.null(fit$location)) {
    return(do.call(rbind, lapply(fit$covariance, diag))[fit$covariance_of, , drop = FALSE])
  }
  if (fit$loadings == "normal") return(fit$scale^2)
  nonnegative_moments_cpp(fit$location, fit$scale)$variance
}

#' The posterior of the loadings and the noise as the core reads them, with mean and variances or
#' covariances
#' @noRd
known_loadings <- function(fit) {
  joint <- is.null(fit$location)
  list(
    mean = fit$mean, variances = if (!joint) loading_variances(fit),
    covariance = if (joint) fit$covariance, covariance_of = fit$covariance_of,
    variance = scalar(fit, "sigma_x")^2
  )
}

#' @exportS3Method
#' @noRd
new_features.fit_point <- function(fit, rows) {
  if (is_by_beam(fit)) return(beam_new_rows(fit, rows))
  if (is.null(fit$probabilities)) return(search_new_rows(fit, rows)$features)
  soft_new_rows(fit, rows)[, seq_len(ncol(features(fit))), drop = FALSE]
}

#' @exportS3Method
#' @noRd
new_response.fit_point <- function(fit, rows, which) {
  if (is_by_beam(fit)) return(tcrossprod(beam_new_rows(fit, rows), fit$mean))
  if (is.null(fit$probabilities)) return(t(search_new_rows(fit, rows)$response))
  tcrossprod(soft_new_rows(fit, rows), fit$mean)
}

#' @exportS3Method
#' @noRd
density_at.fit_point <- function(fit, which, places, values) {
  truncated <- fit$loadings == "nonnegative" && !is.null(fit$location)
  known <- c(list(
    probabilities = expected_features(fit) + 0, truncated = truncated, location = fit$location,
    scale = fit$scale
  ), known_loadings(fit))
  point_heldout_cpp(known, list(rows = places[, 1], columns = places[, 2], values = values))
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
  if (is.null(fit$location)) return(seeded(seed, draw_joint_loadings(fit)))
  if (fit$loadings == "nonnegative") return(nonnegative_draw_cpp(fit$location, fit$scale, seed))
  seeded(seed, fit$location + fit$scale * stats::rnorm(length(fit$scale)))
}

#' Normal loadings of which those of a column depend on each other
#' @noRd
draw_joint_loadings <- function(fit) {
  if (ncol(fit$mean) == 0) return(fit$mean)
  roots <- lapply(fit$covariance, chol)
  noise <- matrix(stats::rnorm(length(fit$mean)), nrow(fit$mean))
  for (d in seq_len(nrow(noise))) noise[d, ] <- noise[d, ] %*% roots[[fit$covariance_of[d]]]
  fit$mean + noise
}

#' @exportS3Method
#' @noRd
draw_z.fit_point <- function(fit, draw) {
  p <- fit$probabilities
  if (is.null(p)) return(draw_features_cpp(unclass(fit$draws), draw))
  matrix(stats::rbinom(length(p), 1, p), nrow(p))
}

#' @export
coassignment.fit_point <- function(fit) {
  p <- fit$probabilities
  if (is.null(p)) return(NextMethod())
  shared <- tcrossprod(p)
  diag(shared) <- rowSums(p)
  dimnames(shared) <- list(rownames(fit$data$x), rownames(fit$data$x))
  shared
}
