#' Fit a factor model with an unknown number of sparse factors
#'
#' @description
#' Every column of the data is a weighted sum of a few factors plus noise (Knowles and Ghahramani
#' 2011):
#' \deqn{x_{nj} = \sum_k z_{jk} v_{jk} f_{nk} + e_{nj}, \quad f_{nk} \sim N(0, \sigma_{ak}^2), \quad
#'   e_{nj} \sim N(0, \sigma_j^2).}
#' The number of factors, the binary matrix Z and the loadings are learned. With `sparse =
#' "factors"` each row has few factors:
#' \deqn{x_{nj} = \sum_k z_{nk} v_{nk} a_{kj} + e_{nj}, \quad a_{kj} \sim N(0, \sigma_{ak}^2).}
#' The default fit of `mtcars`, 32 x 11, with `scale = TRUE` takes about 19 s on one core.
#'
#' @details
#' ## Is it for my data?
#' Use it for columns with a few common causes of varying strength; if causes are present or absent,
#' see [fit_gaussian()]. The number of factors is `n_common`, which counts factors on which two
#' or more columns load (rows with `sparse = "factors"`). `n_features` also counts factors with one
#' column, which cannot be distinguished from noise. [major_factors()] says how many of them have
#' more variance than one column, and `print()` shows their loadings.
#'
#' Unless columns have the same unit, use `scale = TRUE`. A data frame can combine columns of
#' numbers, categories, yes/no answers and counts: see [factor_families].
#'
#' @inheritParams fit_gaussian
#' @param x (matrix or data frame, N x D) The data, one observation per row: numbers, categories or
#'   counts; `NA` is a [missing entry][missing_values].
#' @param families (strings, or `NULL`) Families of the columns: one for all columns, or a named
#'   vector for some of them. The other columns are `"gaussian"` if all columns are numeric;
#'   otherwise their families are chosen from their values. See [factor_families].
#' @param sparse (string) `"loadings"` (default): columns load on few factors. `"factors"`: rows
#'   have few factors.
#' @param weights (string) Prior on the weights, `"normal"` by default; see [factor_priors].
#' @param sigma_x,sigma_a (positive number, [gamma_prior()] or `NULL`) Standard deviations of the
#'   noise (one number, or D with `noise = "column"`) and of the factors (the loadings if these are
#'   not sparse): a number fixes them, a `gamma_prior()` is a prior on 1/sigma^2, and with `NULL`
#'   the prior depends on the data; see [factor_priors].
#' @param noise (string) One standard deviation of the noise per column (`"column"`, default) or one
#'   for all columns (`"common"`).
#' @param scales (string) Every feature has its own standard deviation of the loadings, around
#'   `sigma_a` (`"feature"`, default), or all share `sigma_a` (`"common"`).
#' @param center (flag) Subtract the column means, and add them to predictions? `TRUE` by default.
#' @param scale (flag or `NULL`) Divide columns by their standard deviations? `NULL`, the default,
#'   means `TRUE` if there are families other than `"gaussian"`.
#' @param prior Prior on Z, whose rows are the columns of `x` (the rows with `sparse = "factors"`):
#'   [prior_ibp()] (default), [prior_beta_bernoulli()], [prior_pibp()] or [prior_attraction()].
#' @param method [method_gibbs()]; see [samplers].
#' @return A fit of class `fit_factor` and `fit_mcmc`; see [buffet_fit]. [loadings_of()] returns the
#'   loadings, K x D, and [weights_of()] the factors, N x K.
#' @seealso [major_factors()], [plot.fit_factor()], [vcov()][vcov.fit_factor],
#'   `vignette("how-many-factors")`
#' @references Knowles, D. and Ghahramani, Z. (2011). Nonparametric Bayesian sparse factor
#'   models with application to gene expression modeling. *Annals of Applied Statistics* 5,
#'   1534-1552. \doi{10.1214/10-AOAS435}
#' @examples
#' fit <- fit_factor(scale(swiss), method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' fit
#' # which variables load on which factor, and how strongly
#' plot(fit)
#' @export
fit_factor <- function(x, families = NULL, sparse = c("loadings", "factors"),
                       weights = c("normal", "nonnegative", "laplace", "counts"),
                       sigma_x = NULL, sigma_a = NULL,
                       noise = c("column", "common"), scales = c("feature", "common"),
                       center = TRUE, scale = NULL, prior = prior_ibp(),
                       method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                       file = NULL, ...) {
  arguments <- fit_arguments("fit_factor", ...)
  items <- factor_items(x, families)
  with_families <- has_families(items)
  frame <- items$frame %||% if (is.data.frame(x)) own_frame(x)
  x <- items$x %||% check_observed(check_data_matrix(x))
  if (is_correlation_matrix(x)) {
    stop_argument("x", "be the data, a row for each observation", was = "a correlation matrix")
  }
  # Fourth powers of the entries must neither overflow nor vanish.
  largest <- max(abs(range(x, na.rm = TRUE)))
  if (largest > 0 && abs(log10(largest)) > 60) {
    must <- "have a largest entry between 1e-60 and 1e60 in size"
    was <- format(largest, digits = 2)
    stop_argument("x", must, was = was, cure = "multiply it by a constant")
  }
  sparse <- check_choice(sparse, c("loadings", "factors"), "sparse")
  weights <- check_choice(weights, c("normal", "nonnegative", "laplace", "counts"), "weights")
  noise <- check_choice(noise, c("column", "common"), "noise")
  scales <- check_choice(scales, c("feature", "common"), "scales")
  if (with_families) check_family_choices(list(sparse = sparse, weights = weights, noise = noise))
  scale <- scale %||% with_families
  without_numbers <- length(core_items(items)) == ncol(x)
  if (without_numbers && !isTRUE(center)) {
    stop_argument("center", "be TRUE if no column is gaussian or lognormal", center)
  }
  data <- if (with_families) {
    with_utilities(items, center, scale)
  } else {
    gaussian_data(x, center, scale)
  }
  data$frame <- frame
  if (without_numbers) {
    if (!is.null(sigma_x)) {
      stop_argument("sigma_x", "be NULL if no column is gaussian or lognormal", sigma_x)
    }
    sigma_x <- 1
  } else if (is.null(sigma_x)) {
    # The residual variance is the prior mode on the log scale. If it were the prior mean of the
    # variance instead (Fruehwirth-Schnatter and Lopes 2018, section 2.3), the prior would favour
    # less noise, and fits with many columns would turn noise into factors.
    variances <- residual_variances(centred(data))
    if (noise == "common") variances <- mean(variances)
    sigma_x <- new_gamma_prior(2.5, 2.5 * variances)
  } else {
    sigma_x <- check_sigma_x(sigma_x, noise, ncol(x))
    several <- is.numeric(sigma_x) && length(sigma_x) > 1
    if (several && !is.null(items$predictors)) sigma_x <- sigma_x[items$predictors$columns]
  }
  sigma <- list(
    sigma_x = sigma_x,
    sigma_a = check_sigma(sigma_a %||% scaled_prior(spread_of(centred(data))), "sigma_a")
  )
  prior <- check_unknown_prior(prior, "fit_factor()")
  side <- if (sparse == "loadings") "column" else "row"
  at <- if (side == "column") 2 else 1
  sides <- widen(data, x)
  traits <- new_traits(x, "uncollapsed",
    entries = length(x) / 5, side = side,
    rows = list(n = dim(sides)[at], names = dimnames(sides)[[at]]),
    normal_noise = !with_families, thin = if (with_families) 8L else 1L,
    log_unit = log_unit_of_scales(data) + log_unit_of_logs(items)
  )
  model <- new_model("factor", data, traits,
    given = arguments[c("sigma_a", "scale")],
    sparse = sparse, weights = weights, noise = noise, sigma = sigma, scales = scales,
    prior = prior, prior_spec = prior_spec(prior, traits$rows, side),
    ordinal = items$ordinal, others = items$others,
    loading_width = sum(dim(sides)) + 1L + n_item_parameters(items), loading_extra = 1L
  )
  fit_model(model, arguments, match.call())
}

# True for a symmetric matrix with ones on the diagonal and smaller entries off it, not all of them
# 0
is_correlation_matrix <- function(x) {
  if (nrow(x) != ncol(x) || nrow(x) < 2 || !isTRUE(all.equal(unname(diag(x)), rep(1, nrow(x))))) {
    return(FALSE)
  }
  others <- abs(x[upper.tri(x)])
  isSymmetric(unname(x)) && !anyNA(others) && all(others < 1) && any(others > 0)
}

# Stops unless a fit with families uses the defaults of these arguments
check_family_choices <- function(choices) {
  defaults <- c(sparse = "loadings", weights = "normal", noise = "column")
  for (name in names(defaults)) {
    if (choices[[name]] == defaults[name]) next
    must <- sprintf("be \"%s\" if columns have families", defaults[name])
    stop_argument(name, must, choices[[name]])
  }
}

#' Priors of weights, loadings and noise of factors
#'
#' This page explains the arguments `weights`, `scales`, `sigma_x` and `sigma_a` of [fit_factor()]
#' and their defaults. [prior_summary()][prior_summary.buffet_fit] shows the priors of a fit.
#'
#' @details
#' ## Weights
#' The prior on the weights v is one of the following:
#'
#' | `weights` | prior of v | |
#' |---|---|---|
#' | `"normal"` | N(0, 1) | |
#' | `"nonnegative"` | N(0, 1) truncated to \[0, Inf) | a factor never acts in both directions |
#' | `"laplace"` | density exp(-abs(v)) / 2 | few weights are large |
#' | `"counts"` | 1, 2, ... with probabilities 1/2, 1/4, ... | how often a feature is present |
#'
#' Chains with normal weights mix best. With nonnegative weights or counts use `center = FALSE`,
#' because the model then has its own mean. With counts, compare `log_joint` over several seeds, or
#' start from a fit with normal weights (`init`). With `sparse = "factors"` and `weights =
#' "laplace"` the model is infinite independent components analysis (Knowles and Ghahramani 2007).
#'
#' ## Loadings
#' \eqn{1/\sigma_a^2} is \eqn{\mathrm{Gamma}(1, s^2)} by default, where s is the standard deviation
#' of all observed entries after `center` and `scale`. With `scales = "feature"` the precision of a
#' feature is this precision times a local one with an exponential prior of mean 1, so factors that
#' explain much of the variance can coexist with factors that explain little.
#'
#' ## Noise
#' By default the precision of the noise of a column has a gamma prior with shape 2.5 (as in
#' \doi{10.48550/arXiv.1804.04231}). Its mean is the inverse of the leave-one-out residual variance
#' of a ridge regression of the column on all others (with `noise = "common"`, of the mean of these
#' variances), which is at least 1e-4 of the variance of the column. Priors that allow less noise
#' would turn noise, or single columns, into factors.
#'
#' @references Knowles, D. and Ghahramani, Z. (2007). Infinite sparse factor analysis and infinite
#'   independent components analysis. *ICA*, 381-388. \doi{10.1007/978-3-540-74494-8_48}
#' @examples
#' fit <- fit_factor(scale(swiss), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' prior_summary(fit)
#' @name factor_priors
NULL

#' Families of the columns of a factor model
#'
#' A data frame passed to [fit_factor()] can combine columns of numbers, categories, yes/no answers
#' and counts. `thresholds()` returns the thresholds between ordered categories.
#'
#' @details
#' Every column has a family. If all columns are numeric, the columns that `families` does not name
#' are `"gaussian"`. Otherwise families are chosen by the rules of [fit_mixed()] (see [families]),
#' and a message reports the choice for whole numbers. If `families` makes them ordinal, labelled
#' columns (package haven) and unordered factors of numbers are ordered by their values. With
#' \eqn{\eta_{nj} = \sum_k z_{jk} v_{jk} f_{nk}}:
#'
#' | family | values | distribution of an entry |
#' |---|---|---|
#' | `"gaussian"` | numbers | \eqn{\eta} plus normal noise |
#' | `"lognormal"` | positive numbers | the logarithm is gaussian |
#' | `"ordinal"` | ordered categories | ordered probit, see below |
#' | `"bernoulli"` | two values | ordinal with two categories |
#' | `"categorical"` | unordered categories | the largest of their utilities, see below |
#' | `"negative_binomial"` | counts | mean \eqn{m = \exp(b_j + \eta)}, variance m + m^2 / s |
#' | `"poisson"` | counts | negative binomial, s = 100 times the mean of the column |
#' | `"binomial(10)"` | successes in 10 trials | probability \eqn{1 / (1 + \exp(-b_j - \eta))} |
#'
#' An entry is the ordered category c = 1, 2, ... if its utility, \eqn{\eta} plus noise with
#' variance 1, is between thresholds c - 1 and c of the column. The prior on the first threshold is
#' N(0, 3^2), and the gaps between thresholds are exponential with mean 3 (Albert and Chib 1993). In
#' a data frame, ordered factors, logicals, and factors and strings with two values are ordinal; for
#' numbers such as 1 to 6, use `families = "ordinal"`. Levels that no row has are dropped.
#'
#' Each of the unordered categories has its own utility, \eqn{b + \eta} plus noise with variance 1,
#' with its own loadings, and the category with the largest utility is observed (multinomial
#' probit). Loadings, [vcov()][vcov.fit_factor] and [major_factors()] have a row for each of these
#' categories, `"column: category"`, and a factor on which two of them load is a common factor. Only
#' the differences between the loadings of a column's categories affect its entries, whereas
#' communalities also depend on their common level, and shares of the variance count every category
#' as a column. `predict()` returns the most probable category; `posterior_epred()` returns the
#' probabilities of the categories, and credible intervals refer to these probabilities.
#'
#' All families are sampled by data augmentation, with Polya-Gamma variables for counts (Polson,
#' Scott and Windle 2013). New rows are drawn by Gibbs sampling, with 25 sweeps per draw. Fits with
#' families require the defaults of `sparse`, `weights` and `noise`. Loadings are in the units of
#' \eqn{\eta}, so `vcov(fit, cor = TRUE)` gives polychoric correlations. For counts, `vcov()` adds
#' the approximate variance of the noise on this scale (Nakagawa, Johnson and Schielzeth 2017): 1 /
#' (n p (1 - p)) for n trials, and trigamma(1 / (1 / m + 1 / s)) for others. Predictions, residuals
#' and draws are in the units of the data: categories are represented by their own values if they
#' are numbers, by 0 and 1 for logicals, and otherwise by 1, 2, and so on. Residuals of unordered
#' categories are `NA`, and predicted lognormal values are medians. Unless `scale` is given, numeric
#' columns are scaled, because \eqn{\eta} has a scale of about 1 for the other families.
#'
#' @references Polson, N. G., Scott, J. G. and Windle, J. (2013). Bayesian inference for logistic
#'   models using Polya-Gamma latent variables. *Journal of the American Statistical Association*
#'   108, 1339-1349. \doi{10.1080/01621459.2013.829001}
#'
#' Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and polychotomous response data.
#' *Journal of the American Statistical Association* 88, 669-679.
#'
#' Nakagawa, S., Johnson, P. C. D. and Schielzeth, H. (2017). The coefficient of determination R^2
#' and intra-class correlation coefficient from generalized linear mixed-effects models revisited
#' and expanded. *Journal of the Royal Society Interface* 14, 20170213.
#' @return `thresholds()`: a tibble with a row per threshold: `column`; `below` and `above`, the
#'   categories on its two sides; `estimate`, `std.error`, `conf.low` and `conf.high`, the posterior
#'   mean, standard deviation and central 90 % interval; and `standardised`, the posterior mean for
#'   a utility with variance 1, which is on the scale of `psych::polychoric()`.
#' @seealso [fit_mixed()], which has binary features
#' @examples
#' # numbers, counts and yes/no answers in one model
#' cars <- transform(mtcars[c("mpg", "disp", "wt", "carb", "am")], am = am == 1)
#' fit <- fit_factor(cars, c(carb = "poisson"), method = method_gibbs(2, 500), seed = 1)
#' major_factors(fit)
#' thresholds(fit)
#' @name factor_families
NULL

of_columns <- function(model) model$sparse == "loadings"

#' @exportS3Method
check_starts.factor_model <- function(model, init, method) {
  check_init(init, model$traits$rows$n, model$sigma, model$prior, method)
}

#' @exportS3Method
check_ready.factor_model <- function(model) {
  tell_constant_columns(model)
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
      scales_by_feature = model$scales == "feature",
      families = core_item_specs(model)
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
    describe_item_families(model),
    if (model$weights != "normal") paste0(", weights ", model$weights),
    if (model$noise == "common") ", one noise for all columns", describe_scale(model)
  )
}

# Reports the number of common factors as the number of factors
#' @exportS3Method
describe_result.fit_factor <- function(fit, found) {
  single <- mean(scalar(fit, "n_features") - scalar(fit, "n_common"))
  c(
    describe_model_size("Common factors:", fit, "n_common", found),
    sprintf(
      "Plus %.2f single-%s features on average (%d in the point estimate)", single,
      traits_of(fit)$side, point_size(fit) - as.integer(scalar(fit, "n_common")[fit$internal$point])
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
  rbind(prior_row(sides, c(law, "N(0, sigma_a^2)")), item_priors(fit$internal$model))
}

# For every column, the leave-one-out residual variance of the best ridge regression on all other
# columns, but at least 1e-4 of the variance. If few rows are complete, missing entries are replaced
# by column means. Constant columns are treated as if they varied slightly.
residual_variances <- function(x) {
  whole <- rowSums(is.na(x)) == 0
  if (mean(whole) >= 0.5 && sum(whole) > 2) x <- x[whole, , drop = FALSE]
  variances <- apply(x, 2, stats::var, na.rm = TRUE)
  variances[is.na(variances)] <- 0
  if (all(variances == 0)) return(rep(spread_of(x)^2, ncol(x)))
  z <- sweep(x, 2, colMeans(x, na.rm = TRUE))
  z[is.na(z)] <- 0
  z <- unit_columns(z)
  of_z <- svd(z)
  d <- pmax(of_z$d, 1e-12)
  # The residuals and leverages of all columns, with an intercept, come from a single inverse P =
  # (z'z + ridge I)^-1: for column j they are (z P)_ij / P_jj and (z P z')_ii - (z P)_ij^2 / P_jj.
  shares <- vapply(10^seq(-6, 1, by = 0.5), function(ridge) {
    spread <- d^2 + ridge
    products <- of_z$u %*% (d / spread * t(of_z$v))
    inverse <- 1 / ridge + drop(of_z$v^2 %*% (1 / spread - 1 / ridge))
    residuals <- sweep(products, 2, inverse, "/")
    leverages <- drop(of_z$u^2 %*% (d^2 / spread)) - products * residuals
    colSums((residuals / (1 - 1 / nrow(products) - leverages))^2)
  }, numeric(ncol(z)))
  shares <- apply(matrix(shares, ncol(z)), 1, min)
  shares[colSums(z^2) == 0] <- 1
  pmax(unname(variances), 1e-6 * mean(variances)) * pmin(pmax(shares, 1e-4), 1)
}
