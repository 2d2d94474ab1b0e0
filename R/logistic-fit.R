#' Fit a latent feature model of binary data
#'
#' @description
#' Every row of a binary matrix has some binary features, and each feature makes a 1 more or less
#' probable in every column (Neal 2011):
#' \deqn{P(y_{ij} = 1) = 1 / (1 + \exp(-b_j - \sum_k z_{ik} w_{kj})), \quad
#' w_{kj} \sim N(0, \sigma_a^2), \quad b_j \sim N(0, \sigma_b^2).}
#' The number of features, which rows have which features (Z), and their weights are learned.
#'
#' @details
#' ## Is it for my data?
#' Use it for zeros and ones, such as answers, purchases or symptoms. For columns of several kinds
#' use [fit_mixed()]. With [prior_fixed()] the features are known, and every column is a logistic
#' regression on them.
#'
#' A bias is the log odds of a 1 in a row without features. Without biases such a row has a 1 with
#' probability 1/2 in every column, and a column whose share of ones is far from 1/2 needs a feature
#' that all rows have.
#'
#' ## How long does it take?
#' By default 4 chains make 2000 sweeps each, more for at most 10,000 entries and if they do not
#' agree: see [method_gibbs()] and [convergence]. A sweep of 500 x 60 numbers with 8 features takes
#' about 2.5 ms. The default fit of 100 rows and 6 columns takes about 50 s on one core.
#'
#' @section Priors:
#' \eqn{1/\sigma_a^2} and \eqn{1/\sigma_b^2} are Gamma(1, 1) by default, and learned standard
#' deviations stay within \[0.01, 30\]. `alpha` is \eqn{\mathrm{Gamma}(1, 1)}; see [prior_ibp()].
#' [prior_summary()][prior_summary.buffet_fit] shows all priors.
#'
#' @param y (N x D, one observation per row) The data, 0 and 1; `NA` is a [missing
#'   entry][missing_values]. Names of rows are unique or missing. It is one of
#'   * a numeric or logical matrix, or a sparse `Matrix`, which is not made dense;
#'   * a data frame with numeric, logical or factor columns. The second level of a factor counts as
#'     1, as in [stats::glm()]; a factor must have two levels. All columns are data. If the levels
#'     of a column are not those of most other columns, a message names it, because it may be the
#'     class of the rows;
#'   * a table of counts with two categories in each dimension, such as a 2 x 2 table, which is
#'     expanded to a row per case, with a message.
#' @param sigma_a (number in \[0.01, 30\] or [gamma_prior()]) Standard deviation of the weights. A
#'   number is fixed; a `gamma_prior()`, by default `gamma_prior(1, 1)`, is for the precision
#'   1/sigma_a^2.
#' @param bias (flag, number in \[0.01, 30\] or [gamma_prior()]) Biases of the columns. `TRUE`, the
#'   default, learns their standard deviation sigma_b, with `gamma_prior(1, 1)` for 1/sigma_b^2.
#'   Another `gamma_prior()` replaces this prior, a number fixes sigma_b, and `FALSE` leaves biases
#'   out.
#' @param prior Prior on Z: [prior_ibp()] (default), [prior_beta_bernoulli()], [prior_pibp()] with
#'   the rows as the tips of its tree, or [prior_fixed()].
#' @param method [method_gibbs()] with the `sampler` `"uncollapsed"` (default) or `"neal"`; see
#'   [samplers]. A draw keeps D x (K + 1) numbers.
#' @param init Where chains start: `NULL` (default), a binary matrix with a row per row of `y`, an
#'   earlier fit, or a list with some of `features`, `alpha`, `concentration`, `sigma_a` and
#'   `sigma_b`; see [init].
#' @param weights (`NULL` or whole numbers, one per row) Frequency weights, as in [fit_mixed()].
#' @inheritParams fit_gaussian
#' @return An object of class `c("fit_logistic", "fit_mcmc", "buffet_fit")`; [buffet_fit] lists its
#'   elements and the functions that read it. `fitted()` returns the probability of a 1, also for
#'   missing entries. An interrupt returns the draws so far, and a chain that fails is left out,
#'   each with a warning.
#' @references Neal, R. M. (2011). Models with multiple latent variables. *CSC 2541: Bayesian
#'   Methods for Machine Learning*, lecture 9. University of Toronto.
#' @seealso [plot()][plot.buffet_fit], [predict()][predict.buffet_fit], `vignette("neal")`
#' @examples
#' # two features: the first makes a 1 probable in columns 1 to 4, the second in columns 4 to 6
#' set.seed(1)
#' z <- matrix(rbinom(120, 1, 0.5), 60)
#' w <- rbind(c(5, 5, 5, 5, 0, 0), c(0, 0, 0, 5, 5, 5))
#' y <- matrix(rbinom(360, 1, plogis(z %*% w - 2.5)), 60)
#' fit <- fit_logistic(y, method = method_gibbs(chains = 1, iter = 400), seed = 1)
#' fit
#' # the weights that the fit has found
#' round(loadings_of(fit)[, ], 1)
#' plot(fit, "features")
#'
#' # the probability that a missing entry is 1, and the entry
#' true <- y[1, 1:2]
#' y[1, 1:2] <- NA
#' fit <- fit_logistic(y, method = method_gibbs(chains = 1, iter = 400), seed = 1)
#' round(rbind(probability = fitted(fit)[1, 1:2], true), 2)
#'
#' # known features: a logistic regression for every column
#' fit <- fit_logistic(y, prior = prior_fixed(z), method = method_gibbs(1, 400), seed = 1)
#' round(loadings_of(fit)[, ], 1)
#' @export
fit_logistic <- function(y, sigma_a = gamma_prior(1, 1), bias = TRUE, prior = prior_ibp(),
                         method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                         file = NULL, weights = NULL, ...) {
  check_no_others("fit_logistic", ...)
  check_given(y, "y")
  arguments <- mget(setdiff(names(formals()), c("weights", "...")))
  weights <- evaluate_weights(rlang::enquo(weights), y)
  arguments["weights"] <- list(weights)
  y <- repeated_responses(y, weights)
  data <- list(x = check_responses(y), coding = column_coding(y))
  if (count_observed(data$x) == 0) {
    stop_argument("y", "have an entry that is not missing", was = "NA throughout")
  }
  sigma <- list(sigma_a = check_logistic_sigma(sigma_a, "sigma_a"))
  bias <- check_bias(bias)
  prior <- match_prior(check_prior(prior), data$x)
  tell_unlike_columns(y)
  unknown <- is.null(prior$z)
  traits <- new_traits(data$x, c("uncollapsed", "neal"),
    entries = length(data$x) / 4, searches = unknown, complements = !isFALSE(bias) && unknown,
    fitted = "probability"
  )
  model <- new_model("logistic", data, traits,
    sigma = sigma, bias = bias, prior = prior,
    prior_spec = prior_spec(prior, rownames(data$x)), loading_width = ncol(data$x),
    loading_extra = as.integer(!isFALSE(bias))
  )
  fit_model(model, arguments, match.call())
}

#' @exportS3Method
check_ready.logistic_model <- function(model) tell_constant_bits(model$data$x)

# Range of the standard deviations that are learned, so that exp(log odds) stays finite
logistic_sigmas <- c(0.01, 30)

check_logistic_sigma <- function(x, name) {
  check_sigma(x, name, logistic_sigmas[1], logistic_sigmas[2])
}

check_bias <- function(bias) {
  if (isFALSE(bias)) return(FALSE)
  if (isTRUE(bias)) return(gamma_prior(1, 1))
  if (!is_gamma_prior(bias) && !is_positive(bias)) {
    stop_hyper("bias", "be TRUE, FALSE, one positive number or a gamma_prior()", bias)
  }
  check_logistic_sigma(bias, "bias")
}

has_bias <- function(model) !isFALSE(model$bias)

#' @exportS3Method
sweep_chains.logistic_model <- function(model, method, plan, watch) {
  logistic_gibbs_cpp(model$data$x, logistic_spec(model, method), plan, watch)
}

logistic_spec <- function(model, method) {
  list(
    prior = limited_prior_spec(model, method), sampler = method$sampler,
    sigma_a = precision_spec(model$sigma$sigma_a),
    bias = if (has_bias(model)) precision_spec(model$bias)
  )
}

#' @exportS3Method
check_starts.logistic_model <- function(model, init, method) {
  learned <- c(
    learned_by(model$prior), sigma_a = is_learned(model$sigma$sigma_a),
    if (has_bias(model)) c(sigma_b = is_learned(model$bias))
  )
  starts <- check_init(init, nrow(model$data$x), learned, model$prior, method)
  Map(function(start, is_fit) {
    sigmas <- c("sigma_a", "sigma_b")
    values <- c(start$values, c(sigma_b = NA_real_)[!has_bias(model)])
    # Another likelihood may have learned what is out of range here.
    if (is_fit) {
      values[sigmas] <- pmin(pmax(values[sigmas], logistic_sigmas[1]), logistic_sigmas[2])
    }
    check_start_alpha(values)
    for (name in sigmas[!is.na(values[sigmas])]) {
      check_logistic_sigma(values[[name]], sprintf("init$%s", name))
    }
    list(features = start$features, values = values)
  }, starts, rep_len(are_fits(init), length(starts)))
}

#' @exportS3Method
describe_data.fit_logistic <- function(fit) {
  paste0(
    "Logistic latent feature model of ", describe_matrix(model_data(fit)),
    if (!has_bias(fit$internal$model)) ", without biases"
  )
}

sigma_range <- function(model) {
  sigmas <- c(model$sigma, if (is_learned(model$bias)) list(sigma_b = model$bias))
  learned <- vapply(sigmas, is_learned, NA)
  range <- sprintf(", sigma within [%s, %s]", logistic_sigmas[1], logistic_sigmas[2])
  stats::setNames(rep(range, sum(learned)), names(sigmas)[learned])
}

#' @exportS3Method
further_priors.fit_logistic <- function(fit) {
  biases <- if (has_bias(fit$internal$model)) prior_row("biases", "N(0, sigma_b^2)")
  rbind(prior_row("loadings", "N(0, sigma_a^2)"), biases)
}
