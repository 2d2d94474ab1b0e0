#' Fit a linear-Gaussian latent feature model
#'
#' @description
#' Every row of the data has some binary features and is the sum of their loadings plus noise:
#' \deqn{X = Z A + E, \quad E_{ij} \sim N(0, \sigma_x^2), \quad A_{kj} \sim N(0, \sigma_a^2).}
#' The number of features, the binary matrix Z (which rows have which features) and the loadings A
#' are learned. With `loadings = "nonnegative"` the priors of A are truncated to \[0, Inf). A
#' default fit of `scale(USArrests)`, 50 x 4, takes 11 s on one core.
#'
#' @param x (numeric matrix, data frame, sparse `Matrix` or [row_blocks()]) The data, one
#'   observation per row; `NA` is a [missing entry][missing_values].
#' @param loadings (string) `"normal"` (default) or `"nonnegative"`.
#' @param sigma_x,sigma_a (positive number, [gamma_prior()] or `NULL`) Standard deviations of the
#'   noise and the loadings. A number fixes them; a `gamma_prior()` is a prior on 1/sigma^2; `NULL`,
#'   the default, is a prior scaled to the data; see Priors.
#' @param center (flag or `NULL`) Subtract the column means, and add them to predictions? `NULL`,
#'   the default, means `TRUE` if `scale = TRUE` and loadings are normal.
#' @param scale (flag) Divide columns by their standard deviations? `FALSE` by default. If `TRUE`,
#'   `sigma_x` and `sigma_a` are in units of the scaled data, and results are in the original units.
#' @param noise (string) One noise standard deviation for all columns (`"common"`, default) or one
#'   for each column (`"column"`, for normal loadings and dense data).
#' @param prior Prior on Z: [prior_ibp()] (default), [prior_beta_bernoulli()], [prior_pibp()] or
#'   [prior_attraction()].
#' @param method [method_gibbs()] (default) or, for a point estimate of Z, [method_meibp()],
#'   [method_beam()], [method_variational()] or [method_power_ep()].
#' @param init Where to start; see [init].
#' @param seed (whole number or `NULL`) By default drawn from R's generator; see [seeds].
#' @param verbose (flag) Show a progress bar in a terminal? `TRUE` by default.
#' @param file (path or `NULL`) File from which the run can be resumed; see [checkpoints].
#' @param cl (cluster or `NULL`) Workers that share the rows; see [distributed].
#' @param ... Must be empty. Pass MCMC settings in `method`.
#' @details
#' ## Is it for my data?
#' Use it for numeric data in which each feature that a row has adds to its values. If features vary
#' in strength from row to row, use [fit_factor()]; if columns are counts or categories, use
#' [fit_mixed()].
#'
#' Use `scale = TRUE` if columns have different units, `center = TRUE` if their means are far from
#' zero (otherwise features that every row has explain the means), and `noise = "column"` if they
#' are measured with different precision. Sparse data and [row_blocks()] can be neither scaled nor
#' centred.
#' @return A fit of class `fit_gaussian`, and `fit_mcmc` or `fit_point`; see [buffet_fit].
#' @section Priors:
#' By default \eqn{1/\sigma_x^2} and \eqn{1/\sigma_a^2} are \eqn{\mathrm{Gamma}(1, s^2)}, with s the
#' standard deviation of all observed entries after `center` and `scale`, so the fit does not depend
#' on the unit of the data. With `noise = "column"` the s of each `sigma_x` is the standard
#' deviation of its column, and `sigma_x` can be D numbers. With normal loadings `sigma_x` is at
#' least `sigma_a / 1000`.
#' @references Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an
#'   introduction and review. *Journal of Machine Learning Research* 12, 1185-1224.
#' @seealso [plot()][plot.buffet_fit], [convergence], `vignette("images-and-spectra")`
#' @examples
#' # eruptions of Old Faithful: a feature divides them into short and long ones
#' fit <- fit_gaussian(faithful, scale = TRUE, method = method_gibbs(2, 1500), seed = 1)
#' fit
#' round(loadings_of(fit), 1)
#' plot(faithful, col = 1 + features(fit)[, "f2"])
#'
#' # images that are sums of four features, which are plotted as images
#' fit <- fit_gaussian(sim_images(50), "nonnegative", method = method_gibbs(2, 400), seed = 1)
#' plot(fit, "loadings", dim = c(6, 6))
#' @export
fit_gaussian <- function(x, loadings = c("normal", "nonnegative"), sigma_x = NULL, sigma_a = NULL,
                         center = NULL, scale = FALSE, noise = c("common", "column"),
                         prior = prior_ibp(), method = method_gibbs(), init = NULL, seed = NULL,
                         verbose = TRUE, file = NULL, cl = NULL, ...) {
  arguments <- fit_arguments("fit_gaussian", ...)
  x <- check_observed(check_data(x, method))
  loadings <- check_choice(loadings, c("normal", "nonnegative"), "loadings")
  noise <- check_choice(noise, c("common", "column"), "noise")
  if (noise == "column") check_column_noise(x, loadings, method)
  data <- gaussian_data(x, center %||% (isTRUE(scale) && loadings == "normal"), scale)
  sigma <- list(
    sigma_x = check_noise_of(sigma_x, noise, data),
    sigma_a = check_sigma(sigma_a %||% scaled_prior(spread_of(centred(data))), "sigma_a")
  )
  prior <- check_unknown_prior(prior, "fit_gaussian()")
  traits <- new_traits(data$x, gaussian_samplers(data$x, loadings, noise, prior),
    entries = prod(dim(x)) / if (loadings == "nonnegative") 4 else 1, searches = TRUE,
    normal_noise = TRUE, log_unit = log_unit_of_scales(data)
  )
  model <- new_model("gaussian", data, traits,
    given = arguments[c("center", "scale")], loadings = loadings, noise = noise, sigma = sigma,
    prior = prior,
    prior_spec = prior_spec(prior, traits$rows), loading_width = ncol(x),
    loading_extra = as.integer(noise == "column")
  )
  fit_model(model, arguments, match.call())
}

check_unknown_prior <- function(prior, by) {
  if (!is.null(check_prior(prior)$z)) {
    must <- sprintf("be a prior with unknown features, such as prior_ibp(), for %s", by)
    stop_argument("prior", must, was = "prior_fixed()")
  }
  prior
}

gaussian_samplers <- function(x, loadings, noise, prior) {
  if (noise == "column") return("uncollapsed")
  in_memory <- !is_in_blocks(x)
  if (!in_memory && !has_closed_forms(prior)) {
    stop_argument("prior", "be prior_ibp() or prior_beta_bernoulli() for row_blocks()", prior)
  }
  c(
    if (loadings == "normal" && in_memory) "collapsed", if (in_memory) "uncollapsed",
    if (has_closed_forms(prior)) c(if (in_memory) "slice", "parallel")
  )
}

#' @exportS3Method
sweep_chains.gaussian_model <- function(model, method, plan, watch) {
  spec <- gaussian_spec(model, method)
  if (method$sampler == "parallel") {
    return(shared_gibbs_cpp(core_data(model$data), spec, plan, watch))
  }
  core <- switch(model$noise,
    common = gaussian_gibbs_cpp, column = gaussian_column_noise_gibbs_cpp,
    stop("unknown noise")
  )
  core(centred(model$data), spec, plan, watch)
}

gaussian_spec <- function(model, method) {
  c(
    list(
      prior = limited_prior_spec(model, method), loadings = model$loadings,
      sampler = method$sampler
    ),
    lapply(model$sigma, precision_spec)
  )
}

tell_scale <- function(model) {
  x <- centred(model$data)
  if (is_in_blocks(x) || isS4(x)) return(invisible())
  sds <- column_sds(x)
  sds <- sds[!is.na(sds) & sds > 0]
  if (length(sds) == 0) return(invisible())
  if (max(sds) > 10 * min(sds)) {
    return(message(sprintf(paste(
      "Columns have standard deviations from %.3g to %.3g, and features mostly describe columns",
      "with the largest: `scale = TRUE` gives all columns the same weight."
    ), min(sds), max(sds))))
  }
  distance <- sqrt(mean(colMeans(x, na.rm = TRUE)^2, na.rm = TRUE))
  size <- sqrt(mean(sds^2))
  may_be_centred <- model$loadings == "normal" && is.null(model$given$center)
  if (may_be_centred && distance >= 3 * size) {
    message(sprintf(paste(
      "Columns have means of about %.3g and standard deviations of about %.3g, and features that",
      "every row has explain the means: `center = TRUE` subtracts them."
    ), distance, size))
  }
}

tell_binary <- function(x) {
  if (is_in_blocks(x)) return(invisible())
  values <- if (isS4(x)) c(0, x@x) else x
  if (!identical(range(values, na.rm = TRUE), c(0, 1)) || !is_all_whole(values)) return(invisible())
  message("`x` has only the values 0 and 1: `fit_logistic(x)` models the probability of a 1.")
}

# Noise around 0 has negative values, but they are small compared with the signal.
warn_of_negative <- function(x, instead) {
  if (!is.matrix(x)) return(invisible())
  share <- sum(x[which(x < 0)]^2) / max(sum(x^2, na.rm = TRUE), .Machine$double.xmin)
  if (share <= 1 / 3) return(invisible())
  warning(sprintf(paste(
    "%.0f %% of the sum of squares of `x` comes from negative entries, which nonnegative loadings",
    "explain as noise. %s explains both signs."
  ), 100 * share, instead), call. = FALSE)
}

# Fixed standard deviations must be able to explain the data in double precision
# Data much larger than both standard deviations would need an impossible number of features. Too
# little noise is a problem only if the loadings are integrated out.
#' @exportS3Method
check_ready.gaussian_model <- function(model) {
  tell_binary(model$data$x)
  tell_scale(model)
  tell_constant_columns(model)
  if (model$loadings == "nonnegative") {
    warn_of_negative(centred(model$data), "`loadings = \"normal\"`")
  }
  sigma <- model$sigma
  fixed <- vapply(sigma, is.numeric, NA)
  if (!all(fixed)) return(invisible())
  least <- min(sigma$sigma_x)
  if (model$loadings == "normal" && least < 1e-3 * sigma$sigma_a) {
    must <- sprintf("be at least a thousandth of `sigma_a` (%g)", sigma$sigma_a)
    stop_argument("sigma_x", must, least)
  }
  size <- root_mean_square(centred(model$data))
  if (size^2 > max(sigma$sigma_x)^2 + 1000 * sigma$sigma_a^2) {
    must <- sprintf("fit data with root mean square %.3g (more than 1000 features)", size)
    stop_argument("sigma_a", must, sigma$sigma_a)
  }
}

check_data <- function(x, method) {
  if (!is_in_blocks(x)) return(check_data_matrix(x, "x", sparse = TRUE))
  # Only these methods can read the data block by block.
  of_points <- inherits(method, c("method_soft", "method_meibp"))
  of_chains <- isTRUE(samples(method)) && identical(method$sampler %||% "parallel", "parallel")
  if (!of_points && !of_chains) {
    must <- paste(
      "be method_meibp(), method_variational(), method_power_ep() or method_gibbs() with the",
      "sampler \"parallel\" for row_blocks()"
    )
    sampler <- if (inherits(method, "method_gibbs")) method$sampler
    was <- if (!is.null(sampler)) sprintf("one with the sampler \"%s\"", sampler)
    stop_argument("method", must, was = was %||% describe_value(method))
  }
  x
}

check_dense <- function(x, name) {
  if (isS4(x)) stop_argument(name, "be FALSE for a sparse `x`, which would become dense", TRUE)
  if (is_in_blocks(x)) stop_argument(name, "be FALSE for row_blocks()", TRUE)
}

column_sds <- function(x) unname(apply(x, 2, stats::sd, na.rm = TRUE))

# Standard deviation of all observed entries. If they are all equal, returns their absolute value,
# or 1 if they are all 0.
spread_of <- function(x) {
  moments <- if (is_in_blocks(x)) x$moments else moments_of(x)
  spread <- sqrt(moments[["squares"]] / max(1, moments[["n"]] - 1))
  size <- root_mean_square(x)
  if (spread > 1e-12 * size) return(spread)
  if (size > 0) size else 1
}

moments_of <- function(x) {
  n <- count_observed(x)
  values <- if (isS4(x)) x@x else x
  mean <- sum(values, na.rm = TRUE) / max(1, n)
  not_stored <- if (isS4(x)) n - sum(!is.na(values)) else 0
  c(n = n, mean = mean, squares = sum((values - mean)^2, na.rm = TRUE) + not_stored * mean^2)
}

# Default prior of a precision: Gamma(1, 1) in units of `scale`
scaled_prior <- function(scale) new_gamma_prior(1, scale^2)

is_scaled <- function(model) any(model$data$scale != 1)

centred <- function(data) data$centred %||% data$x

# Returns list(x, center, scale, centred): the data, the shift and scale of the columns, and the
# data in the units of the model (NULL if they equal the data)
gaussian_data <- function(x, center, scale) {
  scales <- rep(1, ncol(x))
  if (check_flag(scale, "scale")) {
    check_dense(x, "scale")
    sds <- column_sds(x)
    scales <- replace(sds, is.na(sds) | sds == 0, 1)
  }
  means <- rep(0, ncol(x))
  if (check_flag(center, "center")) {
    check_dense(x, "center")
    means <- colMeans(x, na.rm = TRUE)
    means <- replace(means, is.nan(means), 0)
  }
  changed <- any(means != 0) || any(scales != 1)
  centred <- if (changed) sweep(sweep(x, 2, means), 2, scales, "/")
  list(x = x, center = means, scale = scales, centred = centred)
}

column_shift <- function(fit) fit$internal$model$data$center %||% rep(0, ncol(model_data(fit)))
column_units <- function(fit) fit$internal$model$data$scale %||% rep(1, ncol(model_data(fit)))

# Converts rows of data to the units of the model and back, with one column per linear predictor
in_model_units <- function(fit, rows) {
  rows <- rows - rep(of_predictors(fit, column_shift(fit)), each = nrow(rows))
  rows / rep(of_predictors(fit, column_units(fit)), each = nrow(rows))
}

from_model_units <- function(fit, m) {
  m * rep(of_predictors(fit, column_units(fit)), each = nrow(m)) +
    rep(of_predictors(fit, column_shift(fit)), each = nrow(m))
}

# Repeats the values of columns for each linear predictor; in fit_factor() a column may have several
of_predictors <- function(fit, values) {
  columns <- fit$internal$model$data$predictors$columns
  if (is.null(columns)) values else values[columns]
}

# The names of the linear predictors, and their number
names_of_predictors <- function(fit) {
  fit$internal$model$data$predictors$names %||% colnames(model_data(fit))
}
predictor_count <- function(fit) length(of_predictors(fit, seq_len(ncol(model_data(fit)))))

# Converts loadings, K x D, and their attributes to the units of the columns
loadings_in_units <- function(fit, a) {
  by_column <- function(m) {
    m[] <- m * rep(of_predictors(fit, column_units(fit)), each = nrow(m))
    m
  }
  told <- intersect(c("sd", "location", "scale"), names(attributes(a)))
  for (name in told) attr(a, name) <- by_column(attr(a, name))
  by_column(a)
}

# Log Jacobian of scaling: what is added to the log density of the scaled entries to obtain the log
# density of the observed entries
log_unit_of_scales <- function(data) {
  if (!any(data$scale != 1)) return(0)
  -sum(colSums(!is.na(data$x)) * log(data$scale))
}
