# nolint start: line_length_linter. Rows of a table cannot be broken.
#' Fit a latent feature model of a data frame
#'
#' Every row of a data frame has some binary features. Each feature shifts the numbers of the row,
#' makes its counts larger or smaller, and makes its categories more or less probable. Numbers,
#' counts, and ordered and unordered categories can be in one data frame, and entries may be
#' missing. The number of features, which rows have which features, and their effects are learned.
#'
#' @details
#' Column j has a linear predictor
#' \deqn{\eta_{ij} = b_j + \sum_k z_{ik} w_{kj}, \quad w_{kj} \sim N(0, \sigma_w^2), \quad
#' b_j \sim N(0, \sigma_b^2),}
#' or one for each category if categories have no order. It also has a family:
#'
#' | family | columns | distribution of an entry |
#' |---|---|---|
#' | `"gaussian"` | numbers | normal with mean eta and a standard deviation for each column |
#' | `"lognormal"` | positive numbers | the logarithm is normal, as above |
#' | `"bernoulli"` | two values | the second value with probability 1 / (1 + exp(-eta)) |
#' | `"ordinal"` | ordered categories | a normal variable with mean eta and variance 1 falls between two cut points (probit) |
#' | `"categorical"` | categories | each has a normal variable with its eta as mean and variance 1; the largest decides (multinomial probit) |
#' | `"negative_binomial"` | counts | mean m exp(eta), where m is the mean of the column, and variance mean + mean^2 / size; the size is learned |
#' | `"poisson"` | counts | the limit of the negative binomial for large sizes: the size is fixed at 100 times the mean of the column, so that the variance of an average row is 1 % above its mean |
#' | `"binomial(10)"` | counts out of a number of trials (here 10, the same in every row) | binomial with probability 1 / (1 + exp(-eta)) |
#'
#' Numbers (or their logarithms) are standardised internally. Predictions are in the units of the
#' data. The model is that of Valera, Pradier, Lomeli and Ghahramani (2020) with other families and
#' with biases.
#'
#' ## Default families
#' * Character columns are made factors, with a message.
#' * Logical columns, factors with two levels and whole numbers with two values at most 10 apart,
#'   such as 0 and 1 or 1 and 2, are `"bernoulli"`.
#' * Other ordered factors are `"ordinal"`, and other factors `"categorical"`.
#' * Other whole numbers with a range of at most 10, such as the answers 1 to 7 of a questionnaire,
#'   are `"ordinal"`. Their categories are the numbers that occur.
#' * Other whole numbers are `"negative_binomial"` if they look like counts: none is negative or
#'   above 1e9, the smallest is at most half a standard deviation, the variance is larger than the
#'   mean, and the sample skewness is above 1. Otherwise, as for ages, years and points of an exam,
#'   they are `"gaussian"`.
#' * Other numbers are `"lognormal"` if they are all positive, their skewness is above 0.5 and their
#'   logarithms are less skewed. Otherwise they are `"gaussian"`.
#'
#' A column is `"poisson"` or `"binomial(10)"` only if `families` says so. `print()` shows the
#' family of each column, and a message names the families of columns of whole numbers, or of
#' numbers with at most five values, which may be codes. Adding a constant to codes does not change
#' their family. Levels that no row has are left out, with a message. A level `NA` counts as
#' missing.
#'
#' ## Priors
#' Numbers are standardised, so no prior depends on their units. By default \eqn{1/\sigma_w^2},
#' \eqn{1/\sigma_b^2} and the precision of each numeric column are Gamma(1, 1); \eqn{\sigma_w} and
#' \eqn{\sigma_b} stay within \[0.01, 30\]. The first cut point of an ordinal column is 0 (without
#' biases it is N(0, 1)), and the gaps between cut points are exponential with mean 1. The logarithm
#' of the size of a negative binomial column is normal with mean 1 and standard deviation 2, and the
#' size stays within \[exp(-7), exp(7)\]. [prior_summary()][prior_summary.buffet_fit] shows all of
#' these.
#'
#' ## Labelled columns
#' A labelled column, as the package haven reads it from SPSS, Stata or SAS files, becomes a factor
#' of its labels, as with `haven::as_factor()`, if more than half of its distinct values have
#' labels. Otherwise, as for an income with a label for "refused", it becomes a column of its values
#' without labels. A message says which. The values that it declares missing (`na_values`,
#' `na_range`) are missing, even if haven is not installed. Make a factor ordered to make it
#' `"ordinal"`.
#'
#' ## Frequency weights
#' A row with weight 3 counts as three rows: the fit is the same as for data that repeat this row,
#' so [nobs()] is the sum of the weights. A row with weight 0 is left out. Columns that are equal to
#' the weights are not modelled. [update()][update.fit_mcmc] keeps the weights; with other data they
#' must be given again. The rows of `prior` and `init` are the repeated rows.
#'
#' ## Sampler
#' Given auxiliary variables every column is a normal regression on the features. Binary columns and
#' counts have Polya-Gamma variables (Polson, Scott and Windle 2013), categories have the normal
#' variables of the table, and numbers need none. A sweep of [method_gibbs()] has these steps:
#'
#' * Given the auxiliary variables, rows are visited, and whole features are replaced, split,
#'   merged, added and removed, with all weights integrated out.
#' * The weights are drawn, all weights of a column at once.
#' * Given the weights, rows are visited once more, by single entries of Z and by pairs, with the
#'   auxiliary variables of binary and ordered columns and of counts integrated out.
#' * Cut points are drawn with the variables of their categories integrated out.
#'
#' @param data (data frame or table) Columns of numbers, logicals, factors and characters, with `NA`
#'   for missing entries. A column can have at most 60 categories. Constant columns are left out,
#'   with a message. The fit keeps its own copy, of a data.table a plain data frame.
#'   A table of counts, such as `Titanic`, is expanded to a row per case, with a message. Labelled
#'   columns, as haven reads them, are described in Details.
#' @param families (string, named character vector or `NULL`) Families of the columns. `NULL`, the
#'   default, chooses them as described in Details. One name is for all columns; a named vector,
#'   such as `c(age = "gaussian")`, is for some.
#' @param sigma_w (number in \[0.01, 30\] or [gamma_prior()]) Standard deviation of the weights, of
#'   standardised numbers. A number fixes it. A `gamma_prior()`, by default `gamma_prior(1, 1)`, is
#'   the prior of the precision 1/sigma_w^2 and learns `sigma_w` within \[0.01, 30\]. The standard
#'   deviations of biases and of numeric columns are always learned, under `gamma_prior(1, 1)` of
#'   the precision.
#' @param bias (flag) Does every linear predictor have a bias? `TRUE` by default.
#' @param prior Prior on the features: [prior_ibp()] (default), [prior_beta_bernoulli()],
#'   [prior_pibp()] with the rows as the tips of its tree, or [prior_fixed()].
#' @param method [method_gibbs()].
#' @param init Where chains start: `NULL` (default), a binary matrix with a row per row of `data`,
#'   an earlier fit to as many rows, or a list with some of the elements `features`, `alpha`,
#'   `concentration`, `sigma_w` and `sigma_b`. An unnamed list of these has one element per chain.
#'   With a fit, chain 1 starts from the last draw of its chain 1, and so on, cycling if there are
#'   more chains. With [prior_fixed()] it must be `NULL`.
#' @param weights (`NULL` or whole numbers, one per row) Frequency weights: how often each row
#'   occurs. As in [stats::lm()], a column of `data` can be named, as in `weights = Freq`; its name
#'   as a string is also allowed. `NULL`, the default: once.
#' @inheritParams fit_gaussian
#' @return An object of class `c("fit_mixed", "fit_mcmc", "buffet_fit")`; [buffet_fit] lists the
#'   functions that read it. [tidy()][tidy.fit_mixed] and [plot()][plot.fit_mixed] show the effects
#'   of the features, [predict()][predict.fit_mixed] predicts entries, and [complete()] makes
#'   multiple imputations.
#' @references Valera, I., Pradier, M. F., Lomeli, M. and Ghahramani, Z. (2020). General latent
#'   feature models for heterogeneous datasets. *Journal of Machine Learning Research* 21(100),
#'   1-49.
#'
#' Polson, N. G., Scott, J. G. and Windle, J. (2013). Bayesian inference for logistic models using
#' Polya-Gamma latent variables. *Journal of the American Statistical Association* 108, 1339-1349.
#' \doi{10.1080/01621459.2013.829001}
#' @examples
#' # patients with prostate cancer; a serious fit takes 4 chains and some thousand sweeps
#' fit <- fit_mixed(prostate[1:100, ], method = method_gibbs(chains = 1, iter = 60), seed = 1)
#' # the families of the columns, and the features
#' fit
#' head(predict(fit))
#' # which features patients have together
#' plot(fit, "patterns")
#'
#' # a table of counts as a data frame: each row as often as it occurs
#' fit_mixed(as.data.frame(HairEyeColor),
#'   weights = Freq, method = method_gibbs(chains = 1, iter = 20), seed = 1
#' )
#'
#' # weights of chicks, their diets and whether they lived to the last day
#' chicks <- reshape(as.data.frame(ChickWeight),
#'   direction = "wide", idvar = c("Chick", "Diet"), timevar = "Time"
#' )
#' data <- data.frame(
#'   diet = chicks$Diet, early = chicks$weight.4, late = chicks$weight.18,
#'   lived = !is.na(chicks$weight.21)
#' )
#' fit <- fit_mixed(data, method = method_gibbs(chains = 2, iter = 600), seed = 1)
#' # what each feature adds to, or multiplies, the columns with
#' tidy(fit)
#' @export
# nolint end
fit_mixed <- function(data, families = NULL, sigma_w = gamma_prior(1, 1), bias = TRUE,
                      prior = prior_ibp(), method = method_gibbs(), init = NULL, seed = NULL,
                      verbose = TRUE, file = NULL, weights = NULL, ...) {
  check_no_others("fit_mixed", ...)
  check_given(data, "data")
  arguments <- mget(setdiff(names(formals()), c("weights", "...")))
  data <- expand_table(data, "data")
  weights <- evaluate_weights(rlang::enquo(weights), data)
  arguments["weights"] <- list(weights)
  data <- mixed_data(data, families, weights)
  sigma <- list(sigma_w = check_logistic_sigma(sigma_w, "sigma_w"))
  if (check_flag(bias, "bias")) sigma$sigma_b <- gamma_prior(1, 1)
  prior <- match_prior(check_prior(prior), data$x)
  sigma_x <- gamma_prior(1, 1)
  size <- mixed_loading_size_cpp(core_families(data$columns, sigma_x, bias), bias)
  unknown <- is.null(prior$z)
  traits <- new_traits(data$x, "uncollapsed",
    entries = 2 * length(data$x), searches = unknown, complements = bias && unknown,
    fitted = "expected", log_unit = log_unit_of_families(data)
  )
  model <- new_model("mixed", data, traits,
    sigma = sigma, bias = bias, sigma_x = sigma_x, prior = prior,
    prior_spec = prior_spec(prior, rownames(data$x)), loading_width = size[1],
    loading_extra = size[2]
  )
  fit_model(model, arguments, match.call())
}

# Names of all linear predictors
all_predictors <- function(columns) unlist(lapply(columns, predictor_names), use.names = FALSE)

#' @exportS3Method
sweep_chains.mixed_model <- function(model, method, plan, watch) {
  mixed_gibbs_cpp(t(model$data$x), mixed_spec(model, method), plan, watch)
}

log_unit_of_families <- function(data) {
  x <- data$x
  of_columns <- Map(function(column, j) sum(log_jacobian(column, x[!is.na(x[, j]), j])),
    data$columns, seq_len(ncol(x))
  )
  -sum(unlist(of_columns))
}

# The model as the core reads it
mixed_spec <- function(model, method) {
  list(
    prior = limited_prior_spec(model, method), sigma_w = precision_spec(model$sigma$sigma_w),
    families = core_families(model$data$columns, model$sigma_x, model$bias),
    bias = if (model$bias) precision_spec(model$sigma$sigma_b)
  )
}

#' @exportS3Method
check_starts.mixed_model <- function(model, init, method) {
  learned <- c(learned_by(model$prior), vapply(model$sigma, is_learned, NA))
  starts <- check_init(init, nrow(model$data$x), learned, model$prior, method)
  lapply(starts, function(start) {
    given <- intersect(names(which(!is.na(start$values))), names(model$sigma))
    for (name in given) check_logistic_sigma(start$values[[name]], sprintf("init$%s", name))
    start$values <- c(start$values, c(sigma_b = NA_real_)[!model$bias])
    start
  })
}

#' @exportS3Method
describe_data.fit_mixed <- function(fit) {
  columns <- fit$internal$model$data$columns
  families <- vapply(columns, family_label, "")
  of_each <- vapply(unique(families), function(family) {
    paste0(family, ": ", paste(names(columns)[families == family], collapse = ", "))
  }, "")
  c(
    paste("Latent feature model of", describe_matrix(model_data(fit))),
    strwrap(of_each, 80, indent = 2, exdent = 4)
  )
}

#' @exportS3Method
further_priors.fit_mixed <- function(fit) {
  model <- fit$internal$model
  columns <- model$data$columns
  families <- vapply(columns, `[[`, "", "family")
  has <- function(...) any(families %in% c(...))
  rbind(
    prior_row("weights", "N(0, sigma_w^2)"),
    if (model$bias) prior_row("biases", "N(0, sigma_b^2)"),
    if (has("gaussian", "lognormal")) {
      text <- "%s on 1/sigma^2 of each numeric column, standardised"
      prior_row("sigma_x", sprintf(text, format(model$sigma_x)))
    },
    if (has("ordinal")) {
      first <- if (model$bias) "0" else "N(0, 1)"
      prior_row("cut_points", sprintf("first %s, gaps between them Exponential(1)", first))
    },
    if (has("negative_binomial")) {
      law <- "log(size) ~ N(1, 2^2), size within [exp(-7), exp(7)]"
      prior_row("size", paste0(law, ", of each negative_binomial column"))
    },
    if (has("poisson")) {
      of <- vapply(columns[families == "poisson"], poisson_size, 0)
      prior_row("size_poisson", paste(describe_hyper(of), "(100 times the mean)"), FALSE)
    }
  )
}
