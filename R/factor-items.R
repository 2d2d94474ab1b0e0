# Columns of fit_factor() with families. Ordinal columns have an ordered probit model: a normal
# utility with noise variance 1, and thresholds between the categories. Other columns are unordered
# categories, counts or lognormal numbers.

#' @rdname factor_families
#' @param fit A fit by [fit_factor()] with ordinal columns.
#' @export
thresholds <- function(fit) {
  ordinal <- if (inherits(fit, "fit_factor")) fit$internal$model$ordinal
  if (is.null(ordinal)) {
    was <- if (inherits(fit, "fit_factor")) "a fit whose columns are all numbers"
    must <- "be a fit by fit_factor() with ordinal columns"
    cure <- "`families = \"ordinal\"` makes columns ordinal"
    stop_argument("fit", must, fit, was = was, cure = cure)
  }
  size <- sum(own_sizes(ordinal))
  draws <- vapply(seq_along(fit$feature_draws), drawn_thresholds, matrix(0, size, 2), fit = fit)
  sides <- lapply(ordinal, function(of) {
    levels <- as.character(of$levels)
    data.frame(below = levels[-length(levels)], above = levels[-1])
  })
  intervals <- major_table(matrix(draws[, 1, ], size))
  tibble::tibble(
    column = rep(names(ordinal), vapply(sides, nrow, 1L)), do.call(rbind, unname(sides)),
    estimate = intervals$estimate, std.error = apply(draws[, 1, , drop = FALSE], 1, stats::sd),
    intervals[c("conf.low", "conf.high")],
    standardised = rowMeans(matrix(draws[, 2, ], size))
  )
}

# All thresholds of one draw in two columns: as drawn, and for utilities with variance 1
drawn_thresholds <- function(fit, draw) {
  one <- factor_draw(fit, draw)
  finite_cuts <- function(one) {
    items <- one$items[names(fit$internal$model$ordinal)]
    cuts <- unlist(lapply(items, `[[`, "cuts"), use.names = FALSE)
    cuts[is.finite(cuts)]
  }
  cbind(finite_cuts(one), finite_cuts(standardised(one)))
}

# The columns with families in one draw, or NULL if there are none. Ordinal columns have `cuts`,
# their thresholds between -Inf and Inf. Other columns have `level`, which is added to the linear
# predictors. Counts also have `shape`, the size of the negative binomial distribution.
drawn_items <- function(fit, draw, kept = stored_factors(fit, draw)) {
  model <- fit$internal$model
  if (!has_families(model)) return(NULL)
  items <- core_items(model)
  parameters <- utils::tail(kept[, 1], n_item_parameters(model))
  sizes <- own_sizes(items)
  own <- split(parameters[seq_len(sum(sizes))], rep(factor(names(items), names(items)), sizes))
  levels <- utils::tail(parameters, sum(level_sizes(items)))
  levels <- split(levels, rep(factor(names(items), names(items)), level_sizes(items)))
  items <- Map(function(of, own, level) {
    if (of$family == "ordinal") return(c(of, list(cuts = c(-Inf, own, Inf))))
    shape <- switch(of$family, negative_binomial = own, poisson = poisson_size(of))
    c(of, list(level = level, shape = shape))
  }, items, own, levels)
  c(items, model$others[!names(model$others) %in% names(items)])
}

# Replaces the columns of m that have a family
replace_items <- function(items, m, f) {
  for (of in items) m[, of$column] <- f(of)
  m
}

# Keeps only the first linear predictor of each column of m
first_of_each <- function(items, m) {
  others <- unlist(lapply(items, function(of) places(of)[-1]))
  if (length(others) == 0) return(m)
  m <- m[, -others, drop = FALSE]
  if (!is.null(colnames(m))) for (of in items) colnames(m)[of$column] <- of$name
  m
}

# The probabilities of unordered categories, one row per row of `mean`, and the log probabilities of
# codes x. `mean` has the contributions of the factors to the utilities of all columns.
category_law <- function(of, mean, x = rep(NA_real_, nrow(mean))) {
  factor_categories_cpp(t(mean[, places(of), drop = FALSE]) + of$level, as.double(x))
}

# The mean of counts, given the contribution of the factors to their linear predictor
mean_count <- function(of, eta) {
  if (of$family == "binomial") return(of$size * stats::plogis(of$level + eta))
  exp(of$center + of$level + eta)
}

# Variance of the noise of counts on the scale of their linear predictor, around the mean (Nakagawa,
# Johnson and Schielzeth 2017): of the logit of a share of trials, or of the log of a count
# loadings: Matrix with one row per column of the data.
count_variance <- function(of, loadings) {
  common <- sum(loadings[places(of), ]^2)
  if (of$family == "binomial") {
    # The mean of plogis(level + eta) for normal eta
    p <- stats::plogis(of$level / sqrt(1 + (16 * sqrt(3) / (15 * pi))^2 * common))
    return(1 / (of$size * p * (1 - p)))
  }
  mean <- mean_count(of, common / 2)
  trigamma(1 / (1 / mean + 1 / of$shape))
}

# Replaces the columns with families by their expected values: numbers for ordered categories,
# medians for lognormal columns, and probabilities, in place of utilities, for unordered categories
expect_items <- function(items, mean) {
  out <- mean
  for (of in items) out[, places(of)] <- expect_item(of, mean)
  out
}
expect_item <- function(of, mean) {
  if (of$family == "categorical") return(category_shares(of, mean))
  eta <- mean[, places(of)]
  if (of$family == "lognormal") return(exp(eta))
  if (is_count(of)) return(mean_count(of, eta))
  drop(category_shares(of, mean) %*% category_values(of))
}

# Probabilities of ordered or unordered categories, with one column per category
category_shares <- function(of, mean) {
  if (of$family == "categorical") return(t(category_law(of, mean)$probability))
  below <- stats::pnorm(outer(-mean[, places(of)], of$cuts, `+`))
  below[, -1, drop = FALSE] - below[, -ncol(below), drop = FALSE]
}

# Probabilities of the categories of all columns, bound by column
item_probabilities <- function(items, mean) {
  do.call(cbind, lapply(unname(Filter(has_levels, items)), category_shares, mean))
}

# Predictions from expected values, in which an unordered column becomes its most probable category
most_probable <- function(fit, m) {
  items <- unordered_items(fit)
  replace_items(items, first_of_each(items, m), function(of) largest_of(of, m))
}
unordered_items <- function(fit) {
  others <- if (inherits(fit, "fit_factor")) fit$internal$model$others
  Filter(function(of) of$family == "categorical", others)
}
largest_of <- function(of, m, level = 0) {
  m <- t(t(m[, places(of), drop = FALSE]) + level)
  category_values(of)[max.col(m, "first")]
}

# Generates values of columns with families from drawn utilities or linear predictors with noise.
# Categories become numbers, and counts are the quantiles given by the noise
# entries: list(mean, sigma_x) of the utilities, by entry.
cut_items <- function(items, drawn, entries) {
  replace_items(items, first_of_each(items, drawn), function(of) {
    if (of$family == "categorical") return(largest_of(of, drawn, of$level))
    u <- drawn[, places(of)]
    if (of$family == "lognormal") return(exp(u))
    if (!is_count(of)) {
      return(category_values(of)[findInterval(u, of$cuts, left.open = TRUE)])
    }
    eta <- entries$mean[, places(of)]
    sigma_x <- matrix(entries$sigma_x, nrow(drawn))[, places(of)]
    below <- stats::pnorm((u - eta) / sigma_x, log.p = TRUE)
    if (of$family == "binomial") {
      return(stats::qbinom(below, of$size, mean_count(of, eta) / of$size, log.p = TRUE))
    }
    stats::qnbinom(below, of$shape, mu = pmin(mean_count(of, eta), most_count), log.p = TRUE)
  })
}

# Intervals of the utilities minus their means, given the categories as numbers. Returns list(up,
# from, to). Intervals in the upper tail are mirrored (`up`), because the lower tail has more
# digits.
utility_intervals <- function(of, x, mean) {
  c <- match(x[, of$column], category_values(of))
  low <- of$cuts[c] - mean[, places(of)]
  high <- of$cuts[c + 1] - mean[, places(of)]
  up <- !is.na(low) & low > 0
  list(up = up, from = ifelse(up, -high, low), to = ifelse(up, -low, high))
}

# Replaces the log densities of columns with families by the log densities of their values x, in
# which categories are numbers
# entries: list(mean, sigma_x) of the utilities, by entry.
weigh_items <- function(items, densities, x, entries) {
  replace_items(items, first_of_each(items, densities), function(of) {
    values <- x[, of$column]
    if (of$family == "categorical") {
      return(category_law(of, entries$mean, match(values, category_values(of)) - 1)$log_lik)
    }
    eta <- entries$mean[, places(of)]
    if (of$family == "lognormal") {
      sigma_x <- matrix(entries$sigma_x, nrow(x))[, places(of)]
      return(stats::dlnorm(values, eta, sigma_x, log = TRUE))
    }
    if (of$family == "binomial") {
      return(stats::dbinom(values, of$size, mean_count(of, eta) / of$size, log = TRUE))
    }
    if (is_count(of)) {
      return(stats::dnbinom(values, of$shape, mu = mean_count(of, eta), log = TRUE))
    }
    at <- utility_intervals(of, x, entries$mean)
    log_to <- stats::pnorm(at$to, log.p = TRUE)
    log_to + log1p(-exp(stats::pnorm(at$from, log.p = TRUE) - log_to))
  })
}

# Rows of data in the units of the core: codes of categories, counts, and numbers in model units
code_items <- function(fit, rows) {
  items <- c(fit$internal$model$ordinal, fit$internal$model$others)
  coded <- replace_items(items, rows, function(of) {
    values <- rows[, of$column]
    switch(of$family,
      ordinal = , categorical = match(values, category_values(of)) - 1, lognormal = log(values),
      values
    )
  })
  in_model_units(fit, widen(fit$internal$model$data, coded))
}
