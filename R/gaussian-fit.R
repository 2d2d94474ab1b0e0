#' Fit a linear-Gaussian latent feature model
#'
#' @description
#' Every row of the data has some binary features and is the sum of their loadings plus noise:
#' \deqn{X = Z A + E, \quad E_{ij} \sim N(0, \sigma_x^2), \quad A_{kj} \sim N(0, \sigma_a^2).}
#' The number of features, the binary matrix Z that says which rows have which features, and the
#' loadings A are learned. The prior on Z is an Indian buffet process by default. With `loadings =
#' "nonnegative"` the normal priors of A are truncated to \[0, Inf).
#'
#' @details
#' ## Is it for my data?
#' Use it for numbers to which features add when they are present. If features vary in strength from
#' row to row, use [fit_factor()]; if columns are counts or categories, use [fit_mixed()].
#'
#' The data are not transformed by default, and normal loadings have prior mean zero. Use `scale =
#' TRUE` if columns have different units, and `center = TRUE` if their means are far from zero;
#' otherwise features that every row has explain the means. A message says if standard deviations
#' differ more than tenfold, or if the means are more than three times as large as the standard
#' deviations. Use `noise = "column"` if columns are measured with different precision; with one
#' noise for all, features would explain the noise of the noisiest columns.
#'
#' ## How long does it take?
#' By default 4 chains make 2000 sweeps each, more for at most 2500 entries (10,000 with nonnegative
#' loadings) and if they do not agree: see [method_gibbs()] and [convergence]. A sweep of 100 x 36
#' numbers with 5 features takes 0.1 ms, and of 1000 x 100 numbers with 10 features 0.8 ms. The
#' default fit of `scale(USArrests)`, 50 x 4, takes about 15 s on one core, and of
#' `sim_images(100)` 3 s. Draws of nonnegative loadings are kept, D x K numbers each.
#'
#' @section Priors:
#' With s the standard deviation of all observed entries, after `center` and `scale`, the default
#' prior of the precisions \eqn{1/\sigma_x^2} and \eqn{1/\sigma_a^2} is \eqn{\mathrm{Gamma}(1,
#' s^2)}, so the fit does not depend on the unit of the data. (If all entries are equal, s is their
#' absolute value, or 1 if they are 0.) With `noise = "column"`, \eqn{1/\sigma_j^2} has the prior
#' \eqn{\mathrm{Gamma}(1, s_j^2)}, with \eqn{s_j} the standard deviation of the column. `alpha` is
#' \eqn{\mathrm{Gamma}(1, 1)}; see [prior_ibp()]. A prior that you give is used as it is.
#' [prior_summary()][prior_summary.buffet_fit] shows all priors with their numbers.
#'
#' @section Methods:
#' [method_gibbs()] draws from the posterior, by one of several [samplers]. The other methods return
#' a point estimate of Z: [method_meibp()] is for nonnegative loadings, [method_beam()] for normal
#' loadings, [method_variational()] and [method_power_ep()] for both. Their prior is [prior_ibp()]
#' or [prior_beta_bernoulli()], with a number as `concentration`; the last two methods also need
#' `discount = 0`. `alpha` must also be a number for the first two with [prior_beta_bernoulli()],
#' and for the last two unless `concentration` is 1.
#'
#' @param x (numeric matrix, data frame, sparse `Matrix` or [row_blocks()], N x D) The data, one
#'   observation per row, at most 1e100 in absolute value; `NA` is a [missing
#'   entry][missing_values]. Names of rows are unique or missing. A sparse matrix is not made dense.
#' @param loadings (string) Prior of the loadings: `"normal"` (default) or `"nonnegative"`.
#' @param sigma_x,sigma_a (positive number, [gamma_prior()] or `NULL`) Standard deviations of the
#'   noise and of the loadings (if nonnegative, before truncation). A number is fixed, a
#'   `gamma_prior()` is for the precision 1/sigma^2, and `NULL`, the default, is scaled by the data;
#'   see Priors. With normal loadings `sigma_x` is at least `sigma_a / 1000`. With `noise =
#'   "column"` it can have D numbers.
#' @param center (flag or `NULL`) Subtract the column means first, and add them to predictions
#'   again? `NULL`, the default, means `TRUE` if `scale = TRUE` and loadings are normal.
#' @param scale (flag) Divide the columns by their standard deviations first? `FALSE` by default.
#'   `sigma_x`, `sigma_a` and their priors are then in these units; everything else stays in the
#'   units of the data. Sparse data and [row_blocks()] can be neither scaled nor centred.
#' @param noise (string) `"common"`, the default: one standard deviation of the noise for all
#'   columns. `"column"`: one for each (Neal 2011), for normal loadings, dense data and the sampler
#'   `"uncollapsed"`. `sigma_x` is then their root mean square; [loadings_of()] has their means.
#' @param prior Prior on Z: [prior_ibp()] (default), [prior_beta_bernoulli()]; if the rows are the
#'   tips of a tree, [prior_pibp()]; if distances between them are known, [prior_attraction()].
#' @param method [method_gibbs()] (default), [method_meibp()], [method_beam()],
#'   [method_variational()] or [method_power_ep()]; see Methods.
#' @param init Where to start: `NULL` (default), a binary matrix with a row per row of `x`, an
#'   earlier fit, or a list with some of `features`, `alpha`, `concentration`, `sigma_x` and
#'   `sigma_a`; see [init].
#' @param seed (whole number or `NULL`) The same seed gives the same result; see [seeds]. `NULL`,
#'   the default, draws the seed from R's generator, so `set.seed()` has its usual effect.
#' @param verbose (flag) Show a progress bar? `TRUE` by default. It appears if messages go to a
#'   terminal.
#' @param file (path or `NULL`) File in which the run is saved; the same call with the same `file`
#'   resumes it. See [checkpoints]. `options(warn = 2)` makes an error of the warning that chains do
#'   not agree (Rhat), and without a `file` the fit is lost.
#' @param cl (cluster or `NULL`) A cluster from [parallel::makeCluster()] whose workers share the
#'   rows, for [method_meibp()], [method_variational()], [method_power_ep()] and the sampler
#'   `"parallel"` of [method_gibbs()]. The fit is the same as without it; see [distributed].
#' @param ... Unused; must be empty. Pass MCMC settings in `method`.
#' @return An object of class `c("fit_gaussian", "fit_mcmc", "buffet_fit")`, or `c("fit_gaussian",
#'   "fit_point", "buffet_fit")` with a method that does not sample. [buffet_fit] lists its elements
#'   and the functions that read it. An interrupt returns the draws or the best point so far, with a
#'   warning, and a chain that fails is left out, with a warning. Fits of [row_blocks()] have
#'   neither residuals nor densities.
#' @references Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an
#'   introduction and review. *Journal of Machine Learning Research* 12, 1185-1224.
#'
#' Neal, R. M. (2011). Models with multiple latent variables. *CSC 2541: Bayesian Methods for
#' Machine Learning*, lecture 9. University of Toronto.
#' @seealso [plot()][plot.buffet_fit], [predict()][predict.buffet_fit], [best_chain()],
#'   `vignette("images-and-spectra")`
#' @examples
#' set.seed(1)
#' x <- sim_images(50)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 2, iter = 400), seed = 1)
#' # the images are sums of four features; the estimate has a fifth, in one row
#' fit
#' features(fit)[1:5, ]
#' plot(fit, "loadings", dim = c(6, 6))
#'
#' # missing entries are completed: here every other pixel of the first image
#' missing <- seq(1, 36, by = 2)
#' true <- x[1, missing]
#' x[1, missing] <- NA
#' fit <- fit_gaussian(x, "nonnegative", method = method_gibbs(chains = 1, iter = 400), seed = 1)
#' round(rbind(completed = fitted(fit)[1, missing], true), 1)
#'
#' # every other column has more noise: a standard deviation of about 2
#' noisy <- x + rnorm(length(x), sd = rep(rep(c(0, 2), 18), each = 50))
#' fit <- fit_gaussian(noisy, noise = "column", method = method_gibbs(1, 400), seed = 1)
#' round(attr(loadings_of(fit), "sigma_x"), 1)
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

# Messages about columns with unequal scales or large means
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

# Noise around 0 is negative half of the time, but small compared with the signal.
warn_of_negative <- function(x, instead) {
  if (!is.matrix(x)) return(invisible())
  share <- sum(x[which(x < 0)]^2) / max(sum(x^2, na.rm = TRUE), .Machine$double.xmin)
  if (share <= 1 / 3) return(invisible())
  warning(sprintf(paste(
    "%.0f %% of the sum of squares of `x` is negative, which nonnegative loadings explain as",
    "noise. %s explains both signs."
  ), 100 * share, instead), call. = FALSE)
}

# Fixed standard deviations must be able to explain the data in double precision
# Data much larger than both would need an impossible number of features. Too little noise is a
# problem only if loadings are integrated out.
#' @exportS3Method
check_ready.gaussian_model <- function(model) {
  tell_binary(model$data$x)
  tell_scale(model)
  tell_constant_scaled(model)
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
  # Only these methods can read data block by block.
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

column_means <- function(x, center) {
  if (!center) return(rep(0, ncol(x)))
  check_dense(x, "center")
  means <- colMeans(x, na.rm = TRUE)
  replace(means, is.nan(means), 0)
}

# Standard deviations of the observed entries of each column; 1 if all are equal
column_scales <- function(x, scale) {
  if (!scale) return(rep(1, ncol(x)))
  check_dense(x, "scale")
  sds <- column_sds(x)
  replace(sds, is.na(sds) | sds == 0, 1)
}

column_sds <- function(x) unname(apply(x, 2, stats::sd, na.rm = TRUE))

# Standard deviation of all observed entries. If they are all equal, their absolute value, or 1 if
# they are 0
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

# Joins the moments of parts of the data, one column per part
joint_moments <- function(parts) {
  n <- sum(parts["n", ])
  mean <- sum(parts["n", ] * parts["mean", ]) / max(1, n)
  squares <- sum(parts["squares", ] + parts["n", ] * (parts["mean", ] - mean)^2)
  c(n = n, mean = mean, squares = squares)
}

# Default prior of a precision: Gamma(1, 1) in units of `scale`
scaled_prior <- function(scale) new_gamma_prior(1, scale^2)

is_scaled <- function(model) any(model$data$scale != 1)

centred <- function(data) data$centred %||% data$x

# list(x, center, scale, centred): the data, shift and scale of their columns, and the data in the
# units of the model (NULL if these are the same)
gaussian_data <- function(x, center, scale) {
  scale <- column_scales(x, check_flag(scale, "scale"))
  center <- column_means(x, check_flag(center, "center"))
  changed <- any(center != 0) || any(scale != 1)
  centred <- if (changed) sweep(sweep(x, 2, center), 2, scale, "/")
  list(x = x, center = center, scale = scale, centred = centred)
}

column_shift <- function(fit) fit$internal$model$data$center %||% rep(0, ncol(model_data(fit)))
column_units <- function(fit) fit$internal$model$data$scale %||% rep(1, ncol(model_data(fit)))

# Rows of data in the units of the model, and back
in_model_units <- function(fit, rows) {
  (rows - rep(column_shift(fit), each = nrow(rows))) / rep(column_units(fit), each = nrow(rows))
}

from_model_units <- function(fit, m) {
  m * rep(column_units(fit), each = nrow(m)) + rep(column_shift(fit), each = nrow(m))
}

# Loadings, K x D, and their attributes in the units of the columns
loadings_in_units <- function(fit, a) {
  by_column <- function(m) {
    m[] <- m * rep(column_units(fit), each = nrow(m))
    m
  }
  told <- intersect(c("sd", "location", "scale"), names(attributes(a)))
  for (name in told) attr(a, name) <- by_column(attr(a, name))
  by_column(a)
}

# Log Jacobian: log density of the observed entries minus log density of the scaled ones
log_unit_of_scales <- function(data) {
  if (!any(data$scale != 1)) return(0)
  -sum(colSums(!is.na(data$x)) * log(data$scale))
}
