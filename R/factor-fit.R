#' Fit a factor model with an unknown number of sparse factors
#'
#' Every column of the data is a weighted sum of a few factors plus noise. How many factors there
#' are, which columns load on which of them and how much is learned. With `sparse = "factors"` it is
#' the rows that have few factors each.
#'
#' @details
#' With `sparse = "loadings"`, the default, the model is nonparametric sparse factor analysis
#' (Knowles and Ghahramani 2011):
#' \deqn{x_{nj} = \sum_k z_{jk} v_{jk} f_{nk} + e_{nj}, \quad f_{nk} \sim N(0, \sigma_{ak}^2), \quad
#'   e_{nj} \sim N(0, \sigma_j^2),}
#' with a prior on the binary matrix Z, a row per *column* of the data, by default the Indian buffet
#' process. With `sparse = "factors"` the rows of the data have features, each to a degree of its
#' own:
#' \deqn{x_{nj} = \sum_k z_{nk} v_{nk} a_{kj} + e_{nj}, \quad a_{kj} \sim N(0, \sigma_{ak}^2),}
#' which is the model of [fit_gaussian()] with Z replaced by the product of Z and V, entry by entry
#' (Griffiths and Ghahramani 2011, figure 1), and for `weights = "laplace"` infinite independent
#' components analysis (Knowles and Ghahramani 2007). It is the same model of the transposed data,
#' but for the noise, which is always that of the columns.
#'
#' The weights v are
#'
#' | `weights` | law of v | |
#' |---|---|---|
#' | `"normal"` | N(0, 1) | |
#' | `"nonnegative"` | N(0, 1) truncated to \[0, Inf) | a factor never acts in both directions |
#' | `"laplace"` | density exp(-abs(v)) / 2 | few large weights |
#' | `"counts"` | 1, 2, ... with probabilities 1/2, 1/4, ... | how often |
#'
#' ## Factors of one column
#' A factor that a single column loads on cannot be told from noise of that column; the posterior
#' has as many of those as the prior. The scalar `n_common` counts the others, the common factors,
#' on which two or more columns (with `sparse = "factors"`, rows) load; it answers the question how
#' many factors there are. `n_features` counts all, and `variance` is the mean variance of an entry
#' that loadings and noise explain.
#'
#' ## Sampler
#' A sweep of [method_gibbs()] visits the rows of Z. Bits of a row have all its normal weights
#' integrated out; other weights are integrated out one at a time. Features that only the row has
#' are born and die with their loadings integrated out. Then the loadings of all features are drawn,
#' the scale of every feature against that of its weights, and the standard deviations. Bits of
#' features that few rows have are visited once more with the feature's loadings integrated out, and
#' pairs of features with normal weights are rotated against each other. Where rows of Z differ in
#' their noise, features of a row are also born out of its noise and die into it.
#'
#' Normal weights allow more with sparse loadings, and with `noise = "common"`: up to 100 rows of Z
#' a sweep, each at most four times, are drawn with the loadings of all features integrated out,
#' after missing entries have been drawn. Columns of the data then have the covariance matrix
#' \eqn{GG' + \Psi}, and a row of G with its noise is one regression on the others. Chains agree
#' much sooner on the number of factors.
#'
#' ## Scale
#' Columns are not scaled: bring them to standard deviations near 1 first, by `scale()`, unless
#' their units are the same. A message says so where one is below .05 or above 20 and `sigma_a` has
#' its default prior. With `scales = "feature"`, the default, every feature has a precision of its
#' own, as in Knowles and Ghahramani (2011): \eqn{1/\sigma_a^2} times a local precision with the
#' exponential distribution of mean 1. A factor that explains most of the data and another that
#' explains little can then stand beside each other. With `scales = "common"` all features share
#' `sigma_a`.
#'
#' The default prior of the noise, `sigma_x = NULL`, follows the data. For every column it is a
#' gamma prior of the precision with shape 2.5 whose mean is the inverse of the variance of the
#' residuals of a regression of the column on all others (Frühwirth-Schnatter and Lopes 2018 have
#' the same shape, and that variance as the mean of the variance). A prior that allows columns
#' without noise would let a factor become one of the columns, and one that prefers a little less
#' noise in each of many columns would make factors of noise. In 20 rows and 200 columns of
#' independent normal numbers that was 34 common factors on average; with this prior it is .2, and 2
#' or 5 in a second data set with sparse loadings or sparse factors.
#'
#' The regression is a ridge regression, and its residuals are the errors of rows predicted from all
#' other rows; of ridges between 1e-6 and 10, for columns of length 1, the best is taken. The
#' variance of the residuals is at least 1e-4 of the variance of the column. The regressions are of
#' the rows without missing entries if those are half of all; otherwise missing entries count as
#' means. With `noise = "common"` the mean of the columns' variances takes their place.
#' [prior_summary()] shows the rates.
#'
#' Columns are centred by default, for factors have mean 0. With `sparse = "factors"` and weights
#' that are nonnegative or counts the model has a mean of its own: give `center = FALSE` there, or
#' one factor more will stand for what was subtracted.
#'
#' ## Where chains stay
#' Normal weights mix well, for pairs of factors are rotated against each other and, with sparse
#' loadings, bits are drawn with all loadings integrated out. Other weights have no such moves.
#' Chains of counts can stay far from the best mode, all in the same one after they have met
#' ([method_gibbs()], `regroup`); compare `log_joint` over some seeds, or begin from a fit with
#' normal weights, `init`. Chains of Laplace weights start from the independent components of the
#' data (FastICA, Hyvärinen and Oja 1997) and stay near them where there is little noise.
#'
#' @inheritParams fit_gaussian
#' @param x (numeric matrix or data frame) N x D, one row an observation. `NA` is a missing entry;
#'   there must be one that is not. None may be infinite or beyond 1e100 in size.
#' @param sparse (string) `"loadings"`: every column loads on few factors. `"factors"`: every row
#'   has few factors.
#' @param weights (string) The law of the weights, see below.
#' @param sigma_x,sigma_a (positive number or [gamma_prior()]) Standard deviation of the noise, and
#'   of the factors (`sparse = "factors"`: of the loadings), against weights of scale 1. A number
#'   fixes it; a `gamma_prior()` is the prior of the precision 1/sigma^2, which is then learned.
#'   With `noise = "column"` the prior is that of the precision of every column, independently; a
#'   number fixes the noise of all columns, a vector of D numbers that of each. `sigma_x = NULL`,
#'   the default, takes a prior from the data, see *Scale*.
#' @param noise (string) `"column"`: every column has a standard deviation of the noise of its own;
#'   `"common"`: there is one for all.
#' @param scales (string) `"feature"`: the loadings of every feature have a standard deviation of
#'   their own around `sigma_a`; `"common"`: all have `sigma_a`. See *Scale*.
#' @param center (flag) Subtract the column means of the observed entries first? They are recorded
#'   and added to all predictions again.
#' @param scale (flag) Divide the columns by the standard deviations of their observed entries first?
#'   The model is then one of the scaled columns, and so are `sigma_x`, `sigma_a` and their priors.
#'   Everything that is told of columns has their own units again: loadings, covariances,
#'   predictions and densities.
#' @param prior A prior on feature matrices, [prior_ibp()], [prior_beta_bernoulli()] or
#'   [prior_pibp()], whose rows are the columns of `x` with `sparse = "loadings"`.
#' @param method [method_gibbs()]. Draws keep (N + D + 1)(K + 1) numbers each; `thin` saves memory
#'   where that is much.
#' @param init Where chains start: `NULL` (default), a binary matrix with a row per row of Z, an
#'   earlier fit, or a list with any of `features`, `alpha`, `concentration`, `sigma_x`, `sigma_a`;
#'   or an unnamed list of such, one a chain. What is not given starts from its default: one feature
#'   that half of the rows of Z hold (`weights = "laplace"`: those of the independent components),
#'   `alpha` and `concentration` 1, both standard deviations such
#'   that each explains half of the data's mean square.
#' @return An object of class `c("fit_factor", "fit_mcmc", "buffet_fit")`; see [buffet_fit] for what
#'   can be asked of it. [loadings_of()] and [weights_of()] are its loadings and factors; the
#'   attribute `"probability"` of those that are sparse is the probability that each is not 0 in
#'   the draws that have its factor, and `"share"` says how many do. `vcov()` is the covariance
#'   matrix of the columns. When interrupted, a fit of the draws so far, with a warning.
#' @seealso [plot.fit_factor()], [predict()][predict.buffet_fit], [vcov()][vcov.fit_factor]
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224.
#'
#' Frühwirth-Schnatter, S. and Lopes, H. F. (2018). Sparse Bayesian factor analysis when the
#' number of factors is unknown. \doi{10.48550/arXiv.1804.04231}
#'
#' Hyvärinen, A. and Oja, E. (1997). A fast fixed-point algorithm for independent component
#' analysis.
#' *Neural Computation* 9, 1483-1492. \doi{10.1162/neco.1997.9.7.1483}
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
#' fit
#' # which variables belong to which factor, and how much
#' loadings <- loadings_of(fit)
#' round(loadings[, ], 2)
#' # how probable it is that each is not 0
#' round(attr(loadings, "probability"), 2)
#' plot(fit)
#' round(vcov(fit)[1:3, 1:3], 2)
#' @export
fit_factor <- function(x, sparse = c("loadings", "factors"),
                       weights = c("normal", "nonnegative", "laplace", "counts"),
                       sigma_x = NULL, sigma_a = gamma_prior(1, 1),
                       noise = c("column", "common"), scales = c("feature", "common"),
                       center = TRUE, scale = FALSE, prior = prior_ibp(),
                       method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL) {
  x <- check_data_matrix(x, "x")
  if (count_observed(x) == 0) {
    stop_argument("x", "have an entry that is not missing", was = "NA throughout")
  }
  sparse <- check_choice(sparse, c("loadings", "factors"), "sparse")
  weights <- check_choice(weights, c("normal", "nonnegative", "laplace", "counts"), "weights")
  noise <- check_choice(noise, c("column", "common"), "noise")
  scales <- check_choice(scales, c("feature", "common"), "scales")
  units <- column_scales(x, check_flag(scale, "scale"))
  data <- gaussian_data(x, column_means(x, check_flag(center, "center")), units)
  if (is.null(sigma_x)) sigma_x <- noise_prior(centred(data), noise)
  sigma <- list(
    sigma_x = check_sigma_x(sigma_x, noise, ncol(x)), sigma_a = check_sigma(sigma_a, "sigma_a")
  )
  prior <- check_unknown_prior(prior, "fit_factor()")
  side <- if (sparse == "loadings") colnames(x) else rownames(x)
  model <- new_model("factor", data,
    sparse = sparse, weights = weights, sigma = sigma, noise = noise, scales = scales,
    prior = prior, prior_spec = prior_spec(prior, side), loading_width = sum(dim(x)) + 1L,
    loading_extra = 1L
  )
  fit_model(model, method, init, seed, verbose, file)
}

#' Are the features those of the columns of the data?
#' @noRd
of_columns <- function(model) model$sparse == "loadings"

#' @exportS3Method
#' @noRd
feature_rows.factor_model <- function(model) {
  x <- model$data$x
  if (of_columns(model)) list(n = ncol(x), names = colnames(x)) else NextMethod()
}

#' @exportS3Method
#' @noRd
length_of.factor_model <- function(model) length_for(prod(dim(model$data$x)) / 5)

#' @exportS3Method
#' @noRd
samplers_of.factor_model <- function(model) "uncollapsed"

#' @exportS3Method
#' @noRd
check_starts.factor_model <- function(model, init, method) {
  learned <- c(learned_by(model$prior), vapply(model$sigma, is_learned, NA))
  starts <- check_init(init, feature_rows(model)$n, learned, model$prior, method)
  for (start in starts) check_start_alpha(start$values)
  starts
}

#' The default prior of sigma_a is for columns of standard deviations near 1
#' @exportS3Method
#' @noRd
check_ready.factor_model <- function(model) {
  if (!identical(model$sigma$sigma_a, gamma_prior(1, 1))) return(invisible())
  sizes <- sqrt(colMeans(centred(model$data)^2, na.rm = TRUE))
  sizes <- sizes[!is.na(sizes) & sizes > 0]
  if (all(sizes > 0.05 & sizes < 20)) return(invisible())
  message(sprintf(paste(
    "Columns have standard deviations from %.3g to %.3g. The default prior of `sigma_a` is for",
    "standard deviations near 1: `scale = TRUE` brings the columns there."
  ), min(sizes), max(sizes)))
}

#' @exportS3Method
#' @noRd
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
#' @noRd
log_unit.factor_model <- function(model) log_unit_of_scales(model)

#' @exportS3Method
#' @noRd
describe_data.fit_factor <- function(fit) {
  model <- fit$model
  paste0(
    if (of_columns(model)) "Sparse factor analysis of " else "Weighted latent features of ",
    describe_matrix(model$data$x),
    if (model$weights != "normal") paste0(", weights ", model$weights),
    if (model$noise == "common") ", one noise for all columns", describe_scale(model)
  )
}

#' How many factors there are is how many are common
#' @exportS3Method
#' @noRd
describe_result.fit_factor <- function(fit, found) {
  single <- mean(scalar(fit, "n_features") - scalar(fit, "n_common"))
  c(
    describe_model_size("Common factors:", fit, "n_common", found),
    sprintf(
      "Besides, features of one %s: %s on average, %d in the point estimate", feature_side(fit),
      short(single), point_size(fit) - as.integer(scalar(fit, "n_common")[fit$point])
    )
  )
}

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_factor <- function(fit) fit$model$sigma

#' @exportS3Method
#' @noRd
column_parameters.fit_factor <- function(fit) if (fit$model$noise == "column") "sigma_x"
