#' Effects of features on the columns of a data frame
#'
#' For a fit by [fit_mixed()], `tidy()` returns a table of the effects of each feature on each
#' column.
#'
#' The features are the point estimate, [features()]. Estimates and intervals come from
#' draws of the weights **given these features**: they include the uncertainty about the standard
#' deviations of weights and biases, cut points and other parameters of families, but not the
#' uncertainty about the features. With [prior_fixed()] all saved draws are used; otherwise the
#' draws come from one more chain, as described in [loadings_of()], and are the same on every call.
#'
#' `scale = "response"` gives how much the expected value of an entry changes if a row has the
#' feature, compared with a row that does not have it, other features being equal:
#'
#' | family | effect | `scale` |
#' |---|---|---|
#' | `"gaussian"` | amount added, in the units of the column | `"difference"` |
#' | `"lognormal"` | factor by which the median changes | `"ratio of medians"` |
#' | `"negative_binomial"`, `"poisson"` | factor by which the mean changes | `"ratio of means"` |
#' | `"binomial(10)"` | amount added to the mean | `"difference in mean"` |
#' | `"bernoulli"` | change in the probability of the second value | `"difference in probability"` |
#' | `"ordinal"`, `"categorical"` | the same for each category | `"difference in probability"` |
#'
#' How much a probability changes depends on the other features of the row. The change is therefore
#' averaged over the rows of the data: it is the mean with the feature in all rows minus the mean
#' with the feature in no row, with the other features as they are (an average marginal effect).
#' These means use all draws, or at least 50 evenly spaced ones if there are many different rows,
#' for speed.
#'
#' `scale = "weight"` returns the weights themselves, a row for each linear predictor, as in
#' [loadings_of()]. Their units are the unit of the column for normal numbers (`"units"`), the
#' logarithm for log-normal numbers and counts (`"log"`), log odds for columns with two values and
#' binomial counts (`"logit"`), and, for other categories, the standard deviation of the normal
#' variables behind them (`"probit"`).
#'
#' @param x A fit by [fit_mixed()].
#' @param matrix (string) What each row describes. `"effects"` (default): a feature and a column,
#'   or one of its categories. `"scalars"`, `"features"` and `"loadings"` are as for
#'   [other fits][tidy.buffet_fit].
#' @param scale (string) The scale of the effects: `"response"` (default) or `"weight"`.
#' @inheritParams tidy.buffet_fit
#' @return A tibble with a row per feature and column, or per feature, column and category. Its
#'   columns are:
#'   * `feature`, `column` and `level`, the category (`NA` for numbers, and for the weight of an
#'     ordered column); `term` combines them;
#'   * `estimate`, the posterior mean; for ratios, the exponential of the posterior mean of their
#'     logarithm;
#'   * `std.error`, the posterior standard deviation, `conf.low` and `conf.high`, all `NA` for
#'     features that no chain has (see [stability]);
#'   * `scale`, the kind of estimate, as in the tables above.
#' @seealso [plot()][plot.fit_mixed] of the fit shows these effects.
#' @examples
#' fit <- fit_mixed(iris, method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # the first feature is setosa: it makes petals almost 3 cm shorter
#' tidy(fit)
#' @export
tidy.fit_mixed <- function(x, matrix = c("effects", "scalars", "features", "loadings"),
                           conf.level = 0.9, scale = c("response", "weight"),
                           conf.int = TRUE, ...) {
  check_no_more(...)
  check_format(x)
  matrix <- check_choice(matrix, c("effects", "scalars", "features", "loadings"), "matrix")
  scale <- check_choice(scale, c("response", "weight"), "scale")
  conf.level <- check_conf(conf.level, conf.int)
  if (matrix != "effects") return(tidy.buffet_fit(x, matrix, conf.level, conf.int))
  with_interval(without_errors(tidy_effects(x, scale, conf.level), x), conf.int)
}

tidy_effects <- function(fit, scale, conf_level, which = seq_len(ncol(fit$features)),
                         weights = mixed_weights(fit)) {
  columns <- fit$internal$model$data$columns
  of_features <- weights[, fit$internal$model$bias + which, , drop = FALSE]
  predictors <- split_rows(columns, function(column) length(predictor_names(column)))
  responses <- split_rows(columns, response_width)
  means <- if (scale == "response") effect_means(fit, weights, which)
  features <- colnames(fit$features)[which]
  tail <- (1 - conf_level) / 2
  of_columns <- Map(function(column, at, response) {
    w <- of_features[at, , , drop = FALSE]
    effects <- if (scale == "response") {
      column_effects(column, w, means[response, , , , drop = FALSE])
    } else {
      new_effects(column, w * (column$scale %||% 1), switch(column$family,
        gaussian = "units", bernoulli = , binomial = "logit", ordinal = , categorical = "probit",
        "log"
      ))
    }
    if (scale == "weight" && column$family == "ordinal") effects$levels <- NA_character_
    level <- rep(as.character(effects$levels), length(features))
    feature <- rep(as.character(features), each = length(effects$levels))
    named <- ifelse(is.na(level), column$name, paste(column$name, level, sep = ": "))
    value <- if (effects$ratio) exp else identity
    of_each <- function(statistic, ...) as.vector(apply(effects$draws, 1:2, statistic, ...))
    tibble::tibble(
      term = paste(feature, named, sep = ": ", recycle0 = TRUE), feature = feature,
      column = rep(column$name, length(feature)), level = level, estimate = value(of_each(mean)),
      std.error = of_each(function(draws) stats::sd(value(draws))),
      conf.low = value(of_each(stats::quantile, tail)),
      conf.high = value(of_each(stats::quantile, 1 - tail)),
      scale = rep(effects$scale, length(feature))
    )
  }, columns, predictors, responses)
  table <- do.call(rbind, unname(of_columns))
  table[order(match(table$feature, colnames(fit$features))), ]
}

split_rows <- function(columns, width) {
  widths <- vapply(columns, width, 1L)
  Map(function(end, size) end - size + seq_len(size), cumsum(widths), widths)
}

# Draws of biases (if any), weights and parameters of families for standardised numbers, given the
# point estimate: an array, linear predictors x these parameters x draws
mixed_weights <- function(fit) {
  model <- fit$internal$model
  responses <- sum(vapply(model$data$columns, response_width, 1L))
  weight_draws(fit, 3 * nrow(model$data$x) * responses)
}

# Mean expected values without and with each feature: an array, responses x 2 x features x draws
effect_means <- function(fit, weights, which) {
  model <- fit$internal$model
  z <- fit$features
  row <- do.call(paste0, c(list(character(nrow(z))), as.data.frame(z)))
  share <- as.vector(table(factor(row, unique(row)))) / nrow(z)
  cost <- length(share) * max(1, length(which))
  most <- min(dim(weights)[3], max(50, floor(5e5 / cost)))
  used <- unique(round(seq(1, dim(weights)[3], length.out = most)))
  known <- list(
    x = matrix(NA_real_, ncol(model$data$x), 1), model = mixed_spec(model, fit$method),
    z = z[!duplicated(row), , drop = FALSE], share = share
  )
  height <- sum(vapply(model$data$columns, response_width, 1L))
  array(
    mixed_effects_cpp(known, weights[, , used], which - 1L),
    c(height, 2, length(which), length(used))
  )
}

# Returns list(draws, levels, scale, ratio), where `draws` is an array, levels x features x draws,
# of logarithms in the case of ratios.
column_effects <- function(column, w, means) {
  change <- means[, 2, , , drop = FALSE] - means[, 1, , , drop = FALSE]
  change <- array(change, dim(change)[-2])
  of <- if (is.null(column$levels)) "mean" else "probability"
  switch(column$family,
    gaussian = new_effects(column, column$scale * w, "difference"),
    lognormal = new_effects(column, column$scale * w, "ratio of medians", ratio = TRUE),
    negative_binomial = , poisson = new_effects(column, w, "ratio of means", ratio = TRUE),
    new_effects(column, change, paste("difference in", of))
  )
}

new_effects <- function(column, draws, scale, ratio = FALSE) {
  levels <- if (is.null(column$levels)) NA else as.character(column$levels)
  list(draws = draws, levels = utils::tail(levels, dim(draws)[1]), scale = scale, ratio = ratio)
}

# Loadings are on the scale of the linear predictors, in the units of numeric columns.
#' @exportS3Method
mean_loadings.fit_mixed <- function(fit) {
  columns <- fit$internal$model$data$columns
  weights <- mean_mixed_weights(fit)
  times <- lengths(lapply(columns, predictor_names))
  scale <- rep(vapply(columns, \(column) column$scale %||% 1, 1), times)
  center <- rep(vapply(columns, \(column) column$center %||% 0, 1), times)
  out <- t(unname(scale) * weights)
  bias <- attr(weights, "bias")
  if (!is.null(bias)) attr(out, "bias") <- unname(scale) * bias + unname(center)
  out
}

# Mean weights for standardised numbers, linear predictors x features
mean_mixed_weights <- function(fit) {
  z <- fit$features
  names <- unlist(lapply(fit$internal$model$data$columns, predictor_names), use.names = FALSE)
  all <- rowMeans(mixed_weights(fit), dims = 2)
  out <- all[, fit$internal$model$bias + seq_len(ncol(z)), drop = FALSE]
  dimnames(out) <- list(names, colnames(z))
  if (fit$internal$model$bias) attr(out, "bias") <- stats::setNames(all[, 1], names)
  out
}
