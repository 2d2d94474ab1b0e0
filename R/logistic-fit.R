#' Fit a latent feature model of binary data
#'
#' @description
#' Every row of a binary matrix has some binary features, and each feature makes a 1 more or less
#' probable in every column (Neal 2011, without the biases b):
#' \deqn{P(y_{ij} = 1) = 1 / (1 + \exp(-b_j - \sum_k z_{ik} w_{kj})), \quad
#' w_{kj} \sim N(0, \sigma_a^2), \quad b_j \sim N(0, \sigma_b^2).}
#' The number of features, which rows have which features (Z), and their weights are learned. A
#' default fit of 50 rows and 8 columns takes about 26 s on one core.
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
#' @section Priors:
#' \eqn{1/\sigma_a^2} and \eqn{1/\sigma_b^2} are Gamma(1, 1) by default, and learned standard
#' deviations stay within \[0.01, 30\]. [prior_summary()][prior_summary.buffet_fit] shows all
#' priors.
#'
#' @param y (N x D, one observation per row) The data, zeros and ones; `NA` is a [missing
#'   entry][missing_values]. It is one of
#'   * a numeric or logical matrix, or a sparse `Matrix`, which stays sparse;
#'   * a data frame with columns of numbers, logicals or factors with two levels, whose second level
#'     counts as 1, as in [stats::glm()];
#'   * a table of counts with two categories in each dimension, which is expanded to a row per case.
#' @param sigma_a (number in \[0.01, 30\] or [gamma_prior()]) Standard deviation of the weights. A
#'   `gamma_prior()`, by default `gamma_prior(1, 1)`, is a prior on 1/sigma_a^2.
#' @param bias (flag, number in \[0.01, 30\] or [gamma_prior()]) Biases of the columns. `TRUE`, the
#'   default, means a `gamma_prior(1, 1)` on 1/sigma_b^2; a number fixes sigma_b; `FALSE` omits the
#'   biases.
#' @param prior Prior on Z: [prior_ibp()] (default), [prior_beta_bernoulli()], [prior_pibp()],
#'   [prior_attraction()] or [prior_fixed()].
#' @param method [method_gibbs()] with the `sampler` `"uncollapsed"` (default) or `"neal"`; see
#'   [samplers].
#' @param weights (`NULL` or whole numbers, one per row) Frequency weights, as in [fit_mixed()].
#' @inheritParams fit_gaussian
#' @return A fit of class `fit_logistic` and `fit_mcmc`; see [buffet_fit]. `fitted()` returns the
#'   probability of a 1, including for missing entries.
#' @references Neal, R. M. (2011). Models with multiple latent variables. *CSC 2541: Bayesian
#'   Methods for Machine Learning*, lecture 9. University of Toronto.
#' @seealso [plot()][plot.buffet_fit], [predict()][predict.buffet_fit], `vignette("binary-data")`
#' @examples
#' # which states are above the median in which variables: one feature marks the South
#' y <- sweep(state.x77, 2, apply(state.x77, 2, median), ">")
#' fit <- fit_logistic(y, method = method_gibbs(chains = 2, iter = 1500), seed = 1)
#' round(loadings_of(fit)["f1", ], 1)
#' names(which(features(fit)[, "f1"] == 1))
#' plot(fit, "features")
#' @export
fit_logistic <- function(y, sigma_a = gamma_prior(1, 1), bias = TRUE, prior = prior_ibp(),
                         method = method_gibbs(), init = NULL, seed = NULL, verbose = TRUE,
                         file = NULL, weights = NULL, ...) {
  arguments <- fit_arguments("fit_logistic", ..., except = "weights")
  weights <- evaluate_weights(rlang::enquo(weights), y)
  arguments["weights"] <- list(weights)
  # A contingency table with two categories per dimension is expanded to one row per case.
  if (inherits(y, "table") && all(dim(y) == 2) && !all(y %in% 0:1)) y <- expand_table(y, "y")
  if (!is.null(weights)) {
    if (length(dim(y)) != 2) {
      stop_argument("y", "be a matrix or data frame if `weights` are given", y)
    }
    if (is.data.frame(y)) y <- own_frame(read_labelled_columns(y, "y", character()))
    y <- repeat_rows(y, weights, "y")
  } else if (is.data.frame(y)) {
    tell_count_column(y, "y")
  }
  # The types of the columns as zero-length vectors: one per column, by name, or a single one for a
  # matrix.
  coding <- if (is.matrix(y)) list(as.vector(y[0]))
  if (is.data.frame(y)) coding <- lapply(as.list(y), `[`, 0)
  data <- list(x = check_observed(check_responses(y), "y"), coding = coding)
  sigma <- list(sigma_a = check_sigma(sigma_a, "sigma_a", logistic_sigmas))
  if (isTRUE(bias)) bias <- gamma_prior(1, 1)
  if (!isFALSE(bias)) {
    if (!is_gamma_prior(bias) && !is_positive(bias)) {
      stop_argument("bias", "be TRUE, FALSE, one positive number or a gamma_prior()", bias)
    }
    bias <- check_sigma(bias, "bias", logistic_sigmas)
  }
  prior <- match_prior(check_prior(prior), data$x)
  if (is.data.frame(y)) tell_unlike_columns(y)
  unknown <- is.null(prior$z)
  traits <- new_traits(data$x, c("uncollapsed", "neal"),
    entries = length(data$x) / 4, searches = unknown, complements = !isFALSE(bias) && unknown,
    fitted = "probability"
  )
  model <- new_model("logistic", data, traits,
    sigma = sigma, bias = bias, prior = prior,
    prior_spec = prior_spec(prior, traits$rows), loading_width = ncol(data$x),
    loading_extra = as.integer(!isFALSE(bias))
  )
  fit_model(model, arguments, match.call())
}

#' @exportS3Method
check_ready.logistic_model <- function(model) {
  y <- model$data$x
  ones <- Matrix::colSums(y, na.rm = TRUE)
  observed <- nrow(y) - Matrix::colSums(is.na(y))
  constant <- which(observed > 0 & (ones == 0 | ones == observed))
  if (length(constant) > 0) tell_constant("y", constant, y, "little")
}

# Range of the learned standard deviations, chosen to keep exp(log odds) finite
logistic_sigmas <- c(0.01, 30)

#' @exportS3Method
sweep_chains.logistic_model <- function(model, method, plan, watch) {
  spec <- list(
    prior = limited_prior_spec(model, method), sampler = method$sampler,
    sigma_a = precision_spec(model$sigma$sigma_a),
    bias = if (!isFALSE(model$bias)) precision_spec(model$bias)
  )
  logistic_gibbs_cpp(model$data$x, spec, plan, watch)
}

#' @exportS3Method
check_starts.logistic_model <- function(model, init, method) {
  sigma <- c(model$sigma, if (!isFALSE(model$bias)) list(sigma_b = model$bias))
  starts <- check_init(init, nrow(model$data$x), sigma, model$prior, method)
  starts <- lapply(starts, function(start) {
    start$values <- c(start$values, c(sigma_b = NA_real_)[isFALSE(model$bias)])
    start
  })
  if (is.null(init)) return(starts)
  Map(function(start, is_fit) {
    sigmas <- c("sigma_a", "sigma_b")
    values <- start$values
    # Values learned with another likelihood may be outside this range.
    if (is_fit) values[sigmas] <- pmin(pmax(values[sigmas], logistic_sigmas[1]), logistic_sigmas[2])
    check_start_alpha(values)
    for (name in sigmas[!is.na(values[sigmas])]) {
      check_sigma(values[[name]], sprintf("init$%s", name), logistic_sigmas)
    }
    list(features = start$features, values = values)
  }, starts, rep_len(are_fits(init), length(starts)))
}

#' @exportS3Method
describe_data.fit_logistic <- function(fit) {
  paste0(
    "Logistic latent feature model of ", describe_matrix(model_data(fit)),
    if (isFALSE(fit$internal$model$bias)) ", without biases"
  )
}

#' @exportS3Method
further_priors.fit_logistic <- function(fit) {
  biases <- if (!isFALSE(fit$internal$model$bias)) prior_row("biases", "N(0, sigma_b^2)")
  rbind(prior_row("loadings", "N(0, sigma_a^2)"), biases)
}

# coding: The types of the columns of the data. If they are factors, their levels determine which
# value is 0 and which is 1.
# Returns a double matrix of 0, 1 and NA, or a dgCMatrix.
check_responses <- function(y, name = "y", sparse = TRUE, coding = NULL) {
  if (is.character(y) && is.matrix(y)) {
    must <- "be a numeric or logical matrix or a data frame"
    stop_argument(name, must, y, cure = binary_code(y, name))
  }
  if (is.data.frame(y)) y <- factors_as_numbers(y, name, coding)
  values <- data_matrix(y, name, sparse)
  entries <- if (isS4(values)) values@x else values
  wrong <- which(is.nan(entries) | !(is.na(entries) | entries == 0 | entries == 1))
  if (length(wrong) > 0) {
    was <- sprintf("%s at %s", format(entries[wrong[1]]), place(wrong[1], values))
    cure <- if (!isS4(values)) binary_code(entries, name)
    stop_argument(name, "contain only 0, 1 and NA", was = was, cure = cure)
  }
  values
}

# Code that recodes two values as 0 and 1, or NULL if the number of distinct values is not two
binary_code <- function(values, name) {
  two <- sort(unique(values[!is.na(values)]))
  if (length(two) != 2) return(NULL)
  code <- sprintf("`%s <- %s == %s`", name, name, deparse(two[2]))
  sprintf("%s codes %s as 0 and %s as 1", code, deparse(two[1]), deparse(two[2]))
}

# Converts factor columns to 0 and 1, where 1 is the second level. Character columns are read with
# the levels of the data
factors_as_numbers <- function(y, name, coding) {
  text <- names(y)[vapply(y, is.character, NA)]
  read <- text[vapply(text, function(column) is.factor(coding[[column]]), NA)]
  y[read] <- lapply(y[read], factor)
  if (length(text) > length(read)) {
    must <- "have columns of numbers, logicals and factors of two levels only"
    column <- setdiff(text, read)[1]
    two <- length(setdiff(y[[column]], NA)) == 2
    column <- encodeString(column, quote = "\"")
    cure <- binary_code(unlist(lapply(y, as.character)), name) %||% if (two) {
      sprintf("`%1$s[%2$s] <- lapply(%1$s[%2$s], factor)` makes it a factor", name, column)
    } else {
      "fit_mixed() accepts such columns"
    }
    stop_argument(name, must, was = paste("the character column", column), cure = cure)
  }
  for (j in which(vapply(y, is.factor, NA))) {
    column <- encodeString(names(y)[j], quote = "\"")
    two <- levels(coding[[names(y)[j]]]) %||% levels(y[[j]])
    if (length(two) != 2) {
      was <- sprintf("the column %s of %d", column, length(two))
      cure <- if (nlevels(droplevels(y[[j]])) == 2) {
        sprintf("`%1$s <- droplevels(%1$s)` drops levels that no row has", name)
      } else if (length(two) > 2) {
        "fit_mixed() accepts such columns"
      }
      stop_argument(name, "have factors of two levels only", was = was, cure = cure)
    }
    unknown <- setdiff(y[[j]], c(two, NA))
    if (length(unknown) > 0) {
      must <- sprintf("have the levels of the data in the column %s", column)
      stop_argument(name, must, unknown[1], cure = cure_of_level)
    }
    y[[j]] <- match(y[[j]], two) - 1
  }
  y
}

decode_responses <- function(values, coding) {
  if (is.logical(coding)) return(as.logical(values))
  if (!is.factor(coding)) return(values)
  levels <- levels(coding)
  factor(levels[values + 1], levels, ordered = is.ordered(coding))
}

# Reports columns that differ from most others, such as a class label among answers, because they
# are treated as data
tell_unlike_columns <- function(y) {
  kinds <- vapply(y, function(column) {
    if (is.factor(column)) paste(levels(column), collapse = ", ") else "0, 1"
  }, "")
  common <- names(which.max(table(kinds)))
  odd <- which(kinds != common)
  if (length(odd) == 0 || 2 * length(odd) >= length(kinds)) return(invisible())
  message(sprintf(
    "`y`: %s %s unlike the others (%s) but used as data; y[names(y) != %s] leaves it out.",
    in_words("column", odd, names(y), kinds[odd]), if (length(odd) == 1) "is" else "are", common,
    encodeString(names(y)[odd[1]], quote = "\"")
  ))
}

# Methods of fit_logistic() for generics in other files.

logistic_draws <- function(fit, which) {
  list(
    y = model_data(fit), draws = unclass(select_draws(fit$feature_draws, which)),
    loadings = as.double(select_loadings(fit, which)), sigma_a = scalar(fit, "sigma_a")[which],
    bias = !isFALSE(fit$internal$model$bias)
  )
}

#' @exportS3Method
check_like.fit_logistic <- function(fit, x, name, sparse = FALSE) {
  check_responses(x, name, sparse, fit$internal$model$data$coding)
}

#' @exportS3Method
mean_response.fit_logistic <- function(fit, which) {
  t(mean_over_blocks(which, draws_in_block(fit), function(some, first) {
    logistic_fitted_cpp(logistic_draws(fit, some))
  }))
}

#' @exportS3Method
new_rows.fit_logistic <- function(fit, rows, which, plan) {
  known <- c(logistic_draws(fit, which), prior_of_next(fit, which))
  logistic_new_rows_cpp(known, t(rows), plan)
}

#' @exportS3Method
density_at.fit_logistic <- function(fit, which, places, values) {
  logistic_heldout_cpp(logistic_draws(fit, which), places[, 1], places[, 2], values)
}

#' @exportS3Method
mean_loadings.fit_logistic <- function(fit) {
  weights <- t(rowMeans(weight_draws(fit), dims = 2))
  colnames(weights) <- colnames(model_data(fit))
  own <- if (!isFALSE(fit$internal$model$bias)) -1 else seq_len(nrow(weights))
  out <- weights[own, , drop = FALSE]
  rownames(out) <- colnames(fit$features)
  if (!isFALSE(fit$internal$model$bias)) attr(out, "bias") <- weights[1, ]
  out
}

log_odds_of <- function(fit, draw) {
  z <- drawn_features(fit, draw)
  if (!isFALSE(fit$internal$model$bias)) z <- cbind(1, z)
  tcrossprod(z, matrix(select_loadings(fit, draw), ncol(model_data(fit))))
}

#' @exportS3Method
draw_mean.fit_logistic <- function(fit, draw) stats::plogis(log_odds_of(fit, draw))

#' @exportS3Method
draw_data.fit_logistic <- function(fit, draw) {
  p <- draw_mean(fit, draw)
  matrix(stats::rbinom(length(p), 1, p), nrow(p), dimnames = data_names(fit))
}

#' @exportS3Method
log_densities.fit_logistic <- function(fit, x, draw) {
  stats::plogis((2 * x - 1) * log_odds_of(fit, draw), log.p = TRUE)
}

tidy_logistic_loadings <- function(fit, conf_level) {
  draws <- weight_draws(fit)
  if (!isFALSE(fit$internal$model$bias)) draws <- draws[, -1, , drop = FALSE]
  of_each <- function(statistic, ...) t(apply(draws, 1:2, statistic, ...))
  mean <- of_each(mean)
  dimnames(mean) <- list(colnames(fit$features), colnames(model_data(fit)))
  tail <- (1 - conf_level) / 2
  tibble::tibble(
    tidy_loadings(mean), std.error = as.vector(of_each(stats::sd)),
    conf.low = as.vector(of_each(stats::quantile, tail)),
    conf.high = as.vector(of_each(stats::quantile, 1 - tail))
  )
}
