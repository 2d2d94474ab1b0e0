#' Fit a factor model with an unknown number of sparse factors
#'
#' Every column of the data is a weighted sum of a few factors plus noise. The number of factors,
#' which columns load on which factors, and the loadings are learned. With `sparse = "factors"` it
#' is the rows that have few factors each.
#'
#' @details
#' With `sparse = "loadings"`, the default, the model is nonparametric sparse factor analysis
#' (Knowles and Ghahramani 2011):
#' \deqn{x_{nj} = \sum_k z_{jk} v_{jk} f_{nk} + e_{nj}, \quad f_{nk} \sim N(0, \sigma_{ak}^2), \quad
#'   e_{nj} \sim N(0, \sigma_j^2).}
#' The binary matrix Z has a row per *column* of the data; its prior is by default the Indian buffet
#' process.
#'
#' With `sparse = "factors"` the rows of the data have features, each with a weight of its own:
#' \deqn{x_{nj} = \sum_k z_{nk} v_{nk} a_{kj} + e_{nj}, \quad a_{kj} \sim N(0, \sigma_{ak}^2).}
#' This is the model of [fit_gaussian()] with Z replaced by the elementwise product of Z and V
#' (Griffiths and Ghahramani 2011, figure 1). With `weights = "laplace"` it is infinite independent
#' components analysis (Knowles and Ghahramani 2007). It is also the model above of the transposed
#' data, except that each column still has its own noise.
#'
#' The prior of the weights v is one of
#'
#' | `weights` | prior of v | |
#' |---|---|---|
#' | `"normal"` | N(0, 1) | |
#' | `"nonnegative"` | N(0, 1) truncated to \[0, Inf) | a factor never acts in both directions |
#' | `"laplace"` | density exp(-abs(v)) / 2 | few weights are large |
#' | `"counts"` | 1, 2, ... with probabilities 1/2, 1/4, ... | how often a feature is present |
#'
#' ## Factors of one column
#' A factor on which a single column loads cannot be told from noise of that column, so the
#' posterior of their number is close to the prior. The scalar `n_common` counts the other factors,
#' the common ones, on which two or more columns load (two or more rows with `sparse = "factors"`).
#' It is the answer to the question how many factors there are. `n_features` counts all factors, and
#' `variance` is the mean variance of an entry under the model, loadings and noise together.
#'
#' ## Sampler
#' A sweep of [method_gibbs()] visits the rows of Z:
#'
#' * The entries of a row are drawn with all normal weights of the row integrated out; other weights
#'   are integrated out one at a time.
#' * Features that only this row has are added and removed with their loadings integrated out.
#' * Then the loadings of all features are drawn, the scale of every feature against that of its
#'   weights, and the standard deviations.
#' * The entries of features that few rows have are visited once more, with the loadings of the
#'   feature integrated out. Pairs of features with normal weights are rotated against each other.
#' * If the rows of Z differ in their noise, features of a single row can also take up noise of that
#'   row or turn into it.
#'
#' Normal weights allow one more step with sparse loadings, and with `noise = "common"`: up to 100
#' rows of Z per sweep, each at most four times, are drawn with the loadings of all features
#' integrated out, after missing entries have been drawn. Given Z and the weights, the columns of
#' the data have the covariance matrix \eqn{GG' + \Psi}, and a row of G with its noise is a
#' regression on the others. Chains then agree much sooner on the number of factors.
#'
#' ## Scale
#' Columns are not scaled by default. Unless their units are the same, bring them to a common size
#' with `scale = TRUE`. A message says if their sizes differ more than 400 times and `sigma_a` has
#' its default prior.
#'
#' A change of unit of all columns together makes no difference: by default the precision
#' \eqn{1/\sigma_a^2} has the prior \eqn{\mathrm{Gamma}(1, s^2)}, with s the standard deviation of
#' all observed entries, after `center` and `scale`.
#'
#' With `scales = "feature"`, the default, every feature has a precision of its own, as in Knowles
#' and Ghahramani (2011): \eqn{1/\sigma_a^2} times a local precision with an exponential prior of
#' mean 1. A factor that explains most of the data and another that explains little can then exist
#' side by side. With `scales = "common"` all features share `sigma_a`.
#'
#' ## Prior of the noise
#' The default prior of the noise, `sigma_x = NULL`, is taken from the data. The precision of each
#' column has a gamma prior with shape 2.5. Its mean is the inverse of the residual variance of a
#' regression of the column on all others. (Frühwirth-Schnatter and Lopes 2018 use the same shape,
#' with the residual variance as the prior mean of the variance.) A prior that allows columns
#' without noise would let a factor become one of the columns. A prior that prefers slightly less
#' noise in each of many columns would turn noise into factors: in 20 rows and 200 columns of
#' independent normal numbers such a prior found 34 common factors on average. The default finds
#' 0.2, and 2 with sparse loadings and 5 with sparse factors in a second data set.
#'
#' The regression is a ridge regression, and its residuals are the errors of rows that are predicted
#' from all other rows. The ridge is the best between 1e-6 and 10, for columns of length 1. The
#' residual variance is at least 1e-4 of the variance of the column. Rows with missing entries are
#' left out if at least half of the rows are complete; otherwise missing entries count as means.
#' With `noise = "common"` the mean of the residual variances takes the place of each.
#' [prior_summary()][prior_summary.buffet_fit] shows the rates.
#'
#' ## Center
#' Columns are centred by default, because factors have mean 0. With `sparse = "factors"` and
#' weights that are nonnegative or counts the model has a mean of its own. Use `center = FALSE`
#' there; otherwise an additional factor will stand for the means that were subtracted.
#'
#' ## Modes
#' Normal weights mix well, because pairs of factors are rotated against each other and, with sparse
#' loadings, entries of Z are drawn with all loadings integrated out. Other weights have no such
#' steps. Chains with counts can stay far from the best mode, even all of them in the same mode
#' after chains have been regrouped (see `regroup` of [method_gibbs()]). Compare `log_joint` over
#' some seeds, or start from a fit with normal weights (`init`). Chains with Laplace weights start
#' from the independent components of the data (FastICA, Hyvärinen and Oja 1997) and stay near them
#' if there is little noise.
#'
#' @inheritParams fit_gaussian
#' @param x (numeric matrix or data frame, N x D) The data, one observation per row. `NA` is a
#'   missing entry. At least one entry must be observed. No entry may be infinite or larger than
#'   1e100 in absolute value. Names of rows are unique or missing.
#' @param sparse (string) `"loadings"`, the default: every column loads on few factors. `"factors"`:
#'   every row has few factors.
#' @param weights (string) Prior of the weights: `"normal"` (default), `"nonnegative"`, `"laplace"`
#'   or `"counts"`. See Details.
#' @param sigma_x,sigma_a (positive number, [gamma_prior()] or `NULL`) Standard deviations of the
#'   noise and of the factors (of the loadings with `sparse = "factors"`), for weights of scale 1. A
#'   number fixes a standard deviation; with a `gamma_prior()`, the prior of its precision
#'   1/sigma^2, it is learned. With `noise = "column"` a prior applies to the precision of every
#'   column independently, a number for all columns, and a vector of D numbers has one for each.
#'   `NULL`, the default, takes a prior from the data; see Prior of the noise, and Scale for
#'   `sigma_a`.
#' @param noise (string) `"column"`, the default: every column has its own standard deviation of the
#'   noise. `"common"`: all columns have the same.
#' @param scales (string) `"feature"`, the default: every feature has its own standard deviation of
#'   the loadings, around `sigma_a`. `"common"`: all features have `sigma_a`. See Scale.
#' @param center (flag) Subtract the means of the observed entries from the columns first? `TRUE` by
#'   default. The means are added to all predictions again.
#' @param scale (flag) Divide the columns by the standard deviations of their observed entries
#'   first? `FALSE` by default. With `TRUE` the model is one of the scaled columns, and so are
#'   `sigma_x`, `sigma_a` and their priors. Loadings, covariances, predictions and densities are in
#'   the units of the data.
#' @param prior Prior on Z: [prior_ibp()] (default), [prior_beta_bernoulli()] or [prior_pibp()].
#'   With `sparse = "loadings"` the tips of the tree of [prior_pibp()] are the columns of `x`.
#' @param method [method_gibbs()]. A draw keeps (N + D + 1)(K + 1) numbers; `thin` saves memory.
#' @param init Where chains start: `NULL` (default), a binary matrix with a row per row of Z, an
#'   earlier fit, or a list with some of the elements `features`, `alpha`, `concentration`,
#'   `sigma_x` and `sigma_a`. An unnamed list of these has one element per chain. Whatever is not
#'   given has a default: one feature that half of the rows of Z hold (with `weights = "laplace"`
#'   the independent components), `alpha` and `concentration` 1, and both standard deviations such
#'   that loadings and noise each explain half of the mean square of the data.
#' @return An object of class `c("fit_factor", "fit_mcmc", "buffet_fit")`; [buffet_fit] lists the
#'   functions that read it. [loadings_of()] returns the loadings, K x D, and [weights_of()] the
#'   factors, N x K. The attribute `"probability"` of the sparse one of them is the probability that
#'   an entry is not 0, in the draws that have its factor; the attribute `"share"` of the loadings
#'   is the share of these draws. `vcov()` returns the covariance matrix of the columns. If the run
#'   is interrupted, the fit has the draws so far, with a warning.
#' @seealso [plot.fit_factor()], [predict()][predict.buffet_fit], [vcov()][vcov.fit_factor]
#' @references Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an
#'   introduction and review. *Journal of Machine Learning Research* 12, 1185-1224.
#'
#' Frühwirth-Schnatter, S. and Lopes, H. F. (2018). Sparse Bayesian factor analysis when the number
#' of factors is unknown. \doi{10.48550/arXiv.1804.04231}
#'
#' Hyvärinen, A. and Oja, E. (1997). A fast fixed-point algorithm for independent component
#' analysis. *Neural Computation* 9, 1483-1492. \doi{10.1162/neco.1997.9.7.1483}
#'
#' Knowles, D. and Ghahramani, Z. (2007). Infinite sparse factor analysis and infinite independent
#' components analysis. *ICA*, 381-388. \doi{10.1007/978-3-540-74494-8_48}
#'
#' Knowles, D. and Ghahramani, Z. (2011). Nonparametric Bayesian sparse factor models with
#' application to gene expression modeling. *Annals of Applied Statistics* 5, 1534-1552.
#' \doi{10.1214/10-AOAS435}
#' @examples
#' x <- scale(swiss)
#' fit <- fit_factor(x, method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' # the number of common factors and its posterior probabilities
#' fit
#' # which variables load on which factor, and how much
#' loadings <- loadings_of(fit)
#' round(loadings[, ], 2)
#' # the probability that each loading is not 0
#' round(attr(loadings, "probability"), 2)
#' plot(fit)
#' # the covariance matrix of the variables under the model
#' round(vcov(fit)[1:3, 1:3], 2)
#' @export
fit_factor <- function(x, sparse = c("loadings", "factors"),
                       weights = c("normal", "nonnegative", "laplace", "counts"),
                       sigma_x = NULL, sigma_a = NULL,
                       noise = c("column", "common"), scales = c("feature", "common"),
                       center = TRUE, scale = FALSE, prior = prior_ibp(),
                       method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL, ...) {
  check_no_others("fit_factor", ...)
  check_given(x, "x")
  arguments <- mget(setdiff(names(formals()), "..."))
  x <- check_data_matrix(x)
  if (count_observed(x) == 0) {
    stop_argument("x", "have an entry that is not missing", was = "NA throughout")
  }
  sparse <- check_choice(sparse, c("loadings", "factors"), "sparse")
  weights <- check_choice(weights, c("normal", "nonnegative", "laplace", "counts"), "weights")
  noise <- check_choice(noise, c("column", "common"), "noise")
  scales <- check_choice(scales, c("feature", "common"), "scales")
  units <- column_scales(x, check_flag(scale, "scale"))
  data <- gaussian_data(x, column_means(x, check_flag(center, "center")), units)
  sigma <- list(
    sigma_x = check_factor_noise(sigma_x, noise, data),
    sigma_a = check_sigma(sigma_a %||% scaled_prior(spread_of(centred(data))), "sigma_a")
  )
  prior <- check_unknown_prior(prior, "fit_factor()")
  side <- if (sparse == "loadings") "column" else "row"
  at <- if (side == "column") 2 else 1
  traits <- new_traits(x, "uncollapsed",
    entries = length(x) / 5, side = side, rows = list(n = dim(x)[at], names = dimnames(x)[[at]]),
    normal_noise = TRUE, log_unit = log_unit_of_scales(data)
  )
  model <- new_model("factor", data, traits,
    given = arguments["sigma_a"],
    sparse = sparse, weights = weights, noise = noise, sigma = sigma, scales = scales,
    prior = prior, prior_spec = prior_spec(prior, traits$rows$names, side),
    loading_width = sum(dim(x)) + 1L, loading_extra = 1L
  )
  fit_model(model, arguments, match.call())
}

# Are the features those of the columns of the data?
of_columns <- function(model) model$sparse == "loadings"

#' @exportS3Method
check_starts.factor_model <- function(model, init, method) {
  learned <- c(learned_by(model$prior), vapply(model$sigma, is_learned, NA))
  check_init(init, model$traits$rows$n, learned, model$prior, method)
}

# One default prior of the loadings serves all columns
#' @exportS3Method
check_ready.factor_model <- function(model) {
  tell_constant_scaled(model)
  if (!is.null(model$given$sigma_a)) return(invisible())
  sizes <- sqrt(colMeans(centred(model$data)^2, na.rm = TRUE))
  sizes <- sizes[!is.na(sizes) & sizes > 0]
  if (length(sizes) == 0 || max(sizes) <= 400 * min(sizes)) return(invisible())
  message(sprintf(paste(
    "Columns have standard deviations from %.3g to %.3g, and the default prior of `sigma_a` is for",
    "the largest: `scale = TRUE` gives all columns the same weight."
  ), min(sizes), max(sizes)))
}

#' @exportS3Method
sweep_chains.factor_model <- function(model, method, plan, watch) {
  spec <- c(
    list(
      prior = limited_prior_spec(model, method), of_columns = of_columns(model),
      weights = model$weights, common_noise = model$noise == "common",
      scales_by_feature = model$scales == "feature"
    ),
    lapply(model$sigma, precision_spec)
  )
  factor_gibbs_cpp(centred(model$data), spec, plan, watch)
}

#' @exportS3Method
describe_data.fit_factor <- function(fit) {
  model <- fit$internal$model
  paste0(
    if (of_columns(model)) "Sparse factor analysis of " else "Weighted latent features of ",
    describe_matrix(model$data$x),
    if (model$weights != "normal") paste0(", weights ", model$weights),
    if (model$noise == "common") ", one noise for all columns", describe_scale(model)
  )
}

# How many factors there are is how many are common
#' @exportS3Method
describe_result.fit_factor <- function(fit, found) {
  single <- mean(scalar(fit, "n_features") - scalar(fit, "n_common"))
  c(
    describe_model_size("Common factors:", fit, "n_common", found),
    sprintf(
      "Plus %.2f single-%s features on average (%d in the point estimate)", single,
      traits_of(fit)$side,
      point_size(fit) - as.integer(scalar(fit, "n_common")[fit$internal$point])
    )
  )
}

#' @exportS3Method
further_priors.fit_factor <- function(fit) {
  law <- switch(fit$internal$model$weights,
    normal = "N(0, 1)", nonnegative = "N(0, 1) truncated to [0, Inf)",
    laplace = "Laplace(0, 1)", counts = "1, 2, ... with probabilities 1/2, 1/4, ..."
  )
  of <- of_columns(fit$internal$model)
  sides <- if (of) c("loadings", "factors") else c("weights", "loadings")
  prior_row(sides, c(law, "N(0, sigma_a^2)"))
}
