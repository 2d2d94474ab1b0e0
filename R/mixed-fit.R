# nolint start: line_length_linter. Rows of a table cannot be broken.
#' Fit a latent feature model of a data frame
#'
#' Every row of a data frame holds some binary features, and each of these moves the numbers of the
#' row, makes its counts larger or smaller and its categories more or less probable. Numbers,
#' counts, ordered and unordered categories may stand side by side, and entries may be missing. How
#' many features there are, who holds them and what they do is learned.
#'
#' @details
#' Column j has a linear predictor
#' \deqn{\eta_{ij} = b_j + \sum_k z_{ik} w_{kj}, \quad w_{kj} \sim N(0, \sigma_w^2), \quad
#' b_j \sim N(0, \sigma_b^2),}
#' one for each category where there is no order, and a family:
#'
#' | family | columns | the law of an entry |
#' |---|---|---|
#' | `"gaussian"` | numbers | normal around eta, a standard deviation for each column |
#' | `"lognormal"` | positive numbers | the same of the logarithm |
#' | `"bernoulli"` | two values | the second with probability 1 / (1 + exp(-eta)) |
#' | `"ordinal"` | ordered categories | where a normal variable around eta, of variance 1, is among the cut points (probit) |
#' | `"categorical"` | categories | the one whose normal variable around its eta, of variance 1, is the largest (multinomial probit) |
#' | `"negative_binomial"` | counts | mean m exp(eta), m that of the column, variance (mean + mean^2 / size); size is learned |
#' | `"poisson"` | counts | the limit of this for large sizes: the size is fixed at 100 times the mean of the column, so that the variance of an average row is 1 % above its mean |
#' | `"binomial(10)"` | counts of so many (here 10, the same in every row) | binomial with probability 1 / (1 + exp(-eta)) |
#'
#' Numbers (or their logarithms) are standardised inside, and everything that is predicted comes in
#' the units of the data. The model is that of Valera, Pradier, Lomeli and Ghahramani (2020) with
#' other families, and with a bias.
#'
#' ## Families by default
#' Logicals, factors of two levels and numbers that are all 0 or 1 are `"bernoulli"`, ordered
#' factors `"ordinal"`, other factors and characters `"categorical"`. Whole numbers of at least 0
#' whose variance is larger than their mean are `"negative_binomial"`, unless all are positive and
#' their mean is 20 or more. Other numbers are `"lognormal"` where they are all positive, otherwise
#' `"gaussian"`, also counts above 1e9, which no family of counts takes. No column is `"poisson"` or
#' `"binomial(10)"` unless `families` says so. `print()` tells which column has which, and a message names numbers of
#' five values or fewer, which may be codes.
#' Levels that no row has are left out, with a message; a level `NA` counts as missing.
#'
#' ## Sampler
#' Given auxiliary variables every column is a normal regression on the features: Polya-Gamma
#' variables of binary columns and counts (Polson, Scott and Windle 2013), the normal variables
#' behind categories, none of numbers. Given these rows are visited, and features replaced, split,
#' merged, born and lost, with all weights integrated out; then weights are drawn, a column's all at
#' once. Given these rows are visited once more, bit by bit and by pairs of bits, with the variables
#' of binary and ordered columns and counts integrated out. Cut points are drawn with the variables
#' behind categories integrated out.
#'
#' @param data A data frame of numbers, logicals, factors and characters, with `NA` where an entry
#'   is missing. Columns that never change are left out, with a message. A fit keeps a copy of its
#'   own, a plain data frame, also of a tibble or data.table.
#' @param families The families of columns: `NULL` for those above, one name for all, or a named
#'   vector for some columns, such as `c(age = "gaussian")`.
#' @param sigma_w (positive number or [gamma_prior()]) Standard deviation of the weights. A number
#'   fixes it; a `gamma_prior()` is the prior of the precision, which is then learned. Those of
#'   biases and of numbers are learned under `gamma_prior(1, 1)`.
#' @param bias (flag) Has every linear predictor a bias?
#' @param prior A prior on feature matrices: [prior_ibp()] (default), [prior_beta_bernoulli()],
#'   [prior_pibp()], whose tree has the rows as its tips, or [prior_fixed()].
#' @param method [method_gibbs()].
#' @param init Where chains start: `NULL` (default), a binary matrix with a row per row of `data`,
#'   an earlier fit to as many rows, or a list with any of `features`, `alpha`, `concentration`,
#'   `sigma_w`, `sigma_b`; or an unnamed list of such, one a chain. Chains start from the last
#'   draws of a fit's chains, in turn.
#' @inheritParams fit_gaussian
#' @return An object of class `c("fit_mixed", "fit_mcmc", "buffet_fit")`; see [buffet_fit] for what
#'   can be asked of it, and [tidy()][tidy.fit_mixed] and [plot()][plot.fit_mixed], which show what
#'   the features do, [predict()][predict.fit_mixed], and [complete()], multiple imputations.
#' @references
#' Valera, I., Pradier, M. F., Lomeli, M. and Ghahramani, Z. (2020). General latent feature models
#' for heterogeneous datasets. *Journal of Machine Learning Research* 21(100), 1-49.
#'
#' Polson, N. G., Scott, J. G. and Windle, J. (2013). Bayesian inference for logistic models using
#' Polya-Gamma latent variables. *Journal of the American Statistical Association* 108, 1339-1349.
#' \doi{10.1080/01621459.2013.829001}
#' @examples
#' # patients with cancer of the prostate; a fit in earnest takes 4 chains and some thousand sweeps
#' fit <- fit_mixed(prostate, method = method_gibbs(chains = 1, iter = 100), seed = 1)
#' fit
#' head(predict(fit, ndraws = 20))
#' plot(fit, "patterns")
#'
#' # weights of chicks, their diets and whether they lived to the last day
#' chicks <- reshape(as.data.frame(ChickWeight),
#'   direction = "wide", idvar = c("Chick", "Diet"), timevar = "Time"
#' )
#' data <- data.frame(
#'   diet = chicks$Diet, early = chicks$weight.4, late = chicks$weight.18,
#'   lived = !is.na(chicks$weight.21)
#' )
#' fit <- fit_mixed(data, method = method_gibbs(chains = 2, iter = 300), seed = 1)
#' fit
#' head(predict(fit))
#' @export
#' @srrstats {G2.5} Ordered factors are "ordinal" and others "categorical", and `?fit_mixed` says
#'   so; `families` overrides it.
# nolint end
fit_mixed <- function(data, families = NULL, sigma_w = gamma_prior(1, 1), bias = TRUE,
                      prior = prior_ibp(), method = method_gibbs(), init = NULL, seed = NULL,
                      verbose = TRUE, file = NULL) {
  data <- mixed_data(data, families)
  sigma <- list(sigma_w = check_logistic_sigma(sigma_w, "sigma_w"))
  if (check_flag(bias, "bias")) sigma$sigma_b <- gamma_prior(1, 1)
  prior <- match_prior(check_prior(prior), data$x)
  sigma_x <- gamma_prior(1, 1)
  size <- mixed_loading_size_cpp(core_families(data$columns, sigma_x, bias), bias)
  model <- new_model("mixed", data,
    sigma = sigma, bias = bias, sigma_x = sigma_x, prior = prior,
    prior_spec = prior_spec(prior, rownames(data$x)), loading_width = size[1],
    loading_extra = size[2]
  )
  fit_model(model, method, init, seed, verbose, file)
}

#' Names of all linear predictors
#' @noRd
all_predictors <- function(columns) unlist(lapply(columns, predictor_names), use.names = FALSE)

#' @exportS3Method
#' @noRd
argument_of.mixed_model <- function(model, field) {
  if (field %in% c("x", "columns", "frame")) "data" else if (field == "sigma") "sigma_w" else field
}

#' @exportS3Method
#' @noRd
length_of.mixed_model <- function(model) length_for(2 * prod(dim(model$data$x)))

#' @exportS3Method
#' @noRd
samplers_of.mixed_model <- function(model) "uncollapsed"

#' @exportS3Method
#' @noRd
searches.mixed_model <- function(model) is.null(known_features(model$prior))

#' @exportS3Method
#' @noRd
sweep_chains.mixed_model <- function(model, method, plan, watch) {
  mixed_gibbs_cpp(t(model$data$x), mixed_spec(model, method), plan, watch)
}

#' @exportS3Method
#' @noRd
log_unit.mixed_model <- function(model) {
  x <- model$data$x
  of_columns <- Map(function(column, j) sum(log_jacobian(column, x[!is.na(x[, j]), j])),
    model$data$columns, seq_len(ncol(x))
  )
  -sum(unlist(of_columns))
}

#' The model as the core reads it
#' @noRd
mixed_spec <- function(model, method) {
  list(
    prior = limited_prior_spec(model, method), sigma_w = precision_spec(model$sigma$sigma_w),
    families = core_families(model$data$columns, model$sigma_x, model$bias),
    bias = if (model$bias) precision_spec(model$sigma$sigma_b)
  )
}

#' @exportS3Method
#' @noRd
check_starts.mixed_model <- function(model, init, method) {
  learned <- c(learned_by(model$prior), vapply(model$sigma, is_learned, NA))
  starts <- check_init(init, nrow(model$data$x), learned, model$prior, method)
  lapply(starts, function(start) {
    check_start_alpha(start$values)
    given <- intersect(names(which(!is.na(start$values))), names(model$sigma))
    for (name in given) check_logistic_sigma(start$values[[name]], sprintf("init$%s", name))
    start$values <- c(start$values, c(sigma_b = NA_real_)[!model$bias])
    start
  })
}

#' @exportS3Method
#' @noRd
describe_data.fit_mixed <- function(fit) {
  columns <- fit$model$data$columns
  families <- vapply(columns, family_label, "")
  of_each <- vapply(unique(families), function(family) {
    paste0(family, ": ", paste(names(columns)[families == family], collapse = ", "))
  }, "")
  c(
    paste("Latent feature model of", describe_matrix(fit$model$data$x)),
    strwrap(of_each, 80, indent = 2, exdent = 4)
  )
}

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_mixed <- function(fit) fit$model$sigma

#' @exportS3Method
#' @noRd
hidden_scalars.fit_mixed <- function(fit) c(NextMethod(), if (!fit$model$bias) "sigma_b")
