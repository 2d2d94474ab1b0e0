# Ordinal columns of fit_factor(): an ordered probit model, in which each column has a normal
# utility with noise variance 1, and thresholds between its categories.

# The columns of a data frame, or NULL if all are numbers and no families are given.
# Returns list(x, ordinal): `x`, a numeric matrix with the categories, as 1, 2, ... if they are not
#   numbers; `ordinal`, for each ordinal column by name list(column, levels, codes), codes from 0.
factor_items <- function(x, families) {
  unnamed <- !is.data.frame(x) && is.null(colnames(x))
  if (!is.null(families) && !is.data.frame(x)) x <- as.data.frame(check_data_matrix(x))
  if (!is.data.frame(x)) return(NULL)
  if (is.null(families)) tell_few_numbers(x)
  if (is.null(families) && all(vapply(x, is.numeric, NA))) return(NULL)
  check_frame(x, "x")
  x <- own_frame(read_labelled_columns(x, "x"))
  for (name in names(x)) check_column_numbers(x[[name]], name, "x")
  families <- check_item_families(families, x)
  is_ordinal <- families == "ordinal"
  ordinal <- Map(item_categories, x[is_ordinal], names(x)[is_ordinal])
  for (name in names(ordinal)) ordinal[[name]]$column <- match(name, names(x))
  x[is_ordinal] <- lapply(ordinal, function(of) category_values(of)[of$codes + 1L])
  x <- check_observed(check_data_matrix(x))
  if (unnamed) colnames(x) <- NULL
  list(x = x, ordinal = if (any(is_ordinal)) ordinal)
}

# A message if most columns are numbers that look like ordered categories
tell_few_numbers <- function(x) {
  few <- vapply(x, function(values) {
    known <- values[!is.na(values)]
    is.numeric(known) && length(known) > 0 && is_all_whole(known) && diff(range(known)) %in% 1:9
  }, NA)
  if (sum(few) <= length(few) / 2) return(invisible())
  message(
    "Columns with few distinct whole numbers are modelled as numeric. If they are ordered ",
    "categories, use `families = \"ordinal\"`."
  )
}

# One family for each column: given, or by its class
check_item_families <- function(families, x) {
  out <- vapply(x, function(values) if (is.numeric(values)) "gaussian" else "ordinal", "")
  if (!is.null(families)) {
    if (!is.character(families)) {
      stop_argument("families", "be one family, or a vector named by columns", families)
    }
    families <- name_families(families, names(out), "x")
    unknown <- setdiff(families, c("gaussian", "ordinal"))
    if (length(unknown) > 0) {
      cure <- if (unknown[1] %in% mixed_families) {
        "fit_mixed() has the other families"
      } else if (unknown[1] %in% c("loadings", "factors")) {
        sprintf("`sparse = \"%s\"` is another argument", unknown[1])
      }
      must <- "be \"gaussian\" or \"ordinal\" (ordered categories, yes/no)"
      stop_argument("families", must, unknown[1], cure = cure)
    }
    out[names(families)] <- families
  }
  for (name in names(out)) {
    values <- x[[name]]
    if (out[[name]] == "gaussian" && !is.numeric(values)) {
      must <- sprintf("have numbers in the column \"%s\", which is \"gaussian\"", name)
      stop_argument("x", must, was = sprintf("values of class %s", class(values)[1]))
    }
    unordered <- is.character(values) || is.factor(values) && !is.ordered(values)
    if (unordered && length(unique(values[!is.na(values)])) > 2) {
      must <- sprintf("have ordered categories in the column \"%s\"", name)
      stop_argument("x", must, was = "unordered ones",
        cure = "`factor(, levels = , ordered = TRUE)` orders them; fit_mixed() needs no order"
      )
    }
  }
  out
}

item_categories <- function(values, name) {
  levels <- if (is.factor(values)) levels(droplevels(values)) else sort(unique(values))
  if (length(levels) < 2 || length(levels) > 60) {
    must <- sprintf("have 2 to 60 categories in the column \"%s\", which is \"ordinal\"", name)
    cure <- if (length(levels) < 2) "leave it out"
    stop_argument("x", must, was = as.character(length(levels)), cure = cure)
  }
  list(levels = levels, codes = item_codes(values, levels))
}
item_codes <- function(values, levels) {
  match(if (is.factor(values)) as.character(values) else values, levels) - 1L
}

# Categories as numbers: their own values if numeric, 0 and 1 for logicals, otherwise 1, 2, ...
category_values <- function(of) {
  if (is.character(of$levels)) seq_along(of$levels) else as.numeric(of$levels)
}

# New data in the form of the data of a fit, as a matrix of numbers
like_items <- function(ordinal, x, name) {
  if (!is.data.frame(x)) {
    x <- as.data.frame(check_data_matrix(x, name))
    ordinal <- lapply(ordinal, function(of) list(levels = category_values(of)))
  }
  for (column in intersect(names(ordinal), names(x))) {
    of <- ordinal[[column]]
    values <- x[[column]]
    codes <- item_codes(values, of$levels)
    unknown <- which(is.na(codes) & !is.na(values))
    if (length(unknown) > 0) {
      must <- sprintf("have the categories of the data in the column \"%s\"", column)
      stop_argument(name, must, as.character(values[unknown[1]]))
    }
    x[[column]] <- category_values(of)[codes + 1L]
  }
  check_data_matrix(x, name)
}

# The data of gaussian_data() with initial utilities in place of ordinal columns: the normal scores
# of their categories
with_utilities <- function(data, ordinal) {
  x <- centred(data)
  for (of in ordinal) {
    share <- tabulate(of$codes + 1L, length(of$levels)) / sum(!is.na(of$codes))
    x[, of$column] <- stats::qnorm(cumsum(share) - share / 2)[of$codes + 1L]
    data$center[of$column] <- 0
    data$scale[of$column] <- 1
  }
  data$centred <- x
  data
}

n_thresholds <- function(ordinal) sum(vapply(ordinal, function(of) length(of$levels) - 1L, 1L))

#' Ordinal columns of a factor model
#'
#' @description
#' Columns of the data of [fit_factor()] can be ordered categories, such as the answers to a
#' questionnaire, or have two categories, such as yes and no. They have an ordered probit model: the
#' entry in row n and column j is category c = 1, 2, ... if its utility
#' \deqn{u_{nj} = \sum_k z_{jk} v_{jk} f_{nk} + e_{nj}, \quad e_{nj} \sim N(0, 1)}
#' is between thresholds c - 1 and c of the column. `thresholds()` returns the thresholds.
#'
#' @details
#' In a data frame, ordered factors, logicals, and factors and strings with two values are ordinal
#' columns. For numbers such as 1 to 6, use `families = "ordinal"`. Levels that no row has are
#' dropped. Fits with ordinal columns need the defaults of `sparse`, `weights` and `noise`.
#'
#' Loadings and [vcov()][vcov.fit_factor] refer to the utilities, whose noise has variance 1, so
#' `cov2cor(vcov(fit))` gives polychoric correlations. Predictions, residuals and draws of data are
#' numeric: categories are represented by their own values if they are numbers, by 0 and 1 for
#' logicals, and otherwise by 1, 2, and so on. The scores of new rows are drawn by Gibbs sampling,
#' with 15 sweeps per draw.
#'
#' The prior of the first threshold is N(0, 3^2), and the gaps between thresholds are exponential
#' with mean 3. Every sweep draws the thresholds given the factors and loadings, multiplies the
#' thresholds and loadings of each column by a random factor, and draws the utilities of all entries
#' (Albert and Chib 1993).
#'
#' @param fit A fit by [fit_factor()] with ordinal columns.
#' @return A tibble with a row per threshold: `column`; `below` and `above`, the categories on its
#'   two sides; `estimate`, `std.error`, `conf.low` and `conf.high`, the posterior mean, standard
#'   deviation and central 90 % interval.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and polychotomous
#'   response data. *Journal of the American Statistical Association* 88, 669-679.
#' @seealso [fit_factor()], [fit_mixed()], which models columns of any kind by binary features
#' @examples
#' # ratings of 30 departments, in four categories
#' items <- data.frame(lapply(attitude, cut, 4, labels = FALSE))
#' fit <- fit_factor(items, "ordinal", method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' thresholds(fit)
#' @export
thresholds <- function(fit) {
  ordinal <- if (inherits(fit, "fit_factor")) fit$internal$model$ordinal
  if (is.null(ordinal)) {
    was <- if (inherits(fit, "fit_factor")) "a fit whose columns are all numbers"
    must <- "be a fit by fit_factor() with ordinal columns"
    cure <- "`families = \"ordinal\"` makes columns ordinal"
    stop_argument("fit", must, fit, was = was, cure = cure)
  }
  draws <- vapply(
    seq_along(fit$feature_draws), function(draw) drawn_thresholds(fit, draw),
    numeric(n_thresholds(ordinal))
  )
  draws <- matrix(draws, n_thresholds(ordinal))
  sides <- lapply(ordinal, function(of) {
    levels <- as.character(of$levels)
    data.frame(below = levels[-length(levels)], above = levels[-1])
  })
  quantiles <- apply(draws, 1, stats::quantile, c(0.05, 0.95))
  tibble::tibble(
    column = rep(names(ordinal), vapply(sides, nrow, 1L)), do.call(rbind, unname(sides)),
    estimate = rowMeans(draws), std.error = apply(draws, 1, stats::sd),
    conf.low = quantiles[1, ], conf.high = quantiles[2, ]
  )
}

drawn_thresholds <- function(fit, draw) {
  kept <- matrix(select_loadings(fit, draw), fit$internal$model$loading_width)
  utils::tail(kept[, 1], n_thresholds(fit$internal$model$ordinal))
}

# The ordinal columns with `cuts`, their thresholds in one draw, between -Inf and Inf; NULL if there
# are none
drawn_items <- function(fit, draw) {
  ordinal <- fit$internal$model$ordinal
  if (is.null(ordinal)) return(NULL)
  sizes <- vapply(ordinal, function(of) length(of$levels) - 1L, 1L)
  cuts <- split(drawn_thresholds(fit, draw), rep(factor(names(ordinal), names(ordinal)), sizes))
  Map(function(of, cuts) c(of, list(cuts = c(-Inf, cuts, Inf))), ordinal, cuts)
}

# Replaces the ordinal columns of m
replace_items <- function(items, m, f) {
  for (of in items) m[, of$column] <- f(of)
  m
}

# Expected values of ordinal columns, with categories as numbers
expect_items <- function(items, mean) {
  replace_items(items, mean, function(of) {
    below <- stats::pnorm(outer(-mean[, of$column], of$cuts, `+`))
    shares <- below[, -1, drop = FALSE] - below[, -ncol(below), drop = FALSE]
    drop(shares %*% category_values(of))
  })
}

# Cuts drawn utilities into categories, as numbers
cut_items <- function(items, drawn) {
  replace_items(items, drawn, function(of) {
    category_values(of)[findInterval(drawn[, of$column], of$cuts, left.open = TRUE)]
  })
}

# Intervals of utilities minus their means given categories, as numbers: list(up, from, to).
# Intervals of the upper tail are mirrored (`up`), because the lower tail has more digits
utility_intervals <- function(of, x, mean) {
  c <- match(x[, of$column], category_values(of))
  low <- of$cuts[c] - mean[, of$column]
  high <- of$cuts[c + 1] - mean[, of$column]
  up <- !is.na(low) & low > 0
  list(up = up, from = ifelse(up, -high, low), to = ifelse(up, -low, high))
}

# Replaces the log densities of ordinal columns by the log probabilities of their categories x,
# which are given as numbers
weigh_items <- function(items, densities, x, mean) {
  replace_items(items, densities, function(of) {
    at <- utility_intervals(of, x, mean)
    log_to <- stats::pnorm(at$to, log.p = TRUE)
    log_to + log1p(-exp(stats::pnorm(at$from, log.p = TRUE) - log_to))
  })
}

# Replaces the categories in x by utilities: normal around `mean`, truncated to the interval between
# their thresholds, by inverting the distribution function
# normals: Standard normals, whose probabilities choose the quantiles.
draw_utilities <- function(items, x, mean, normals) {
  replace_items(items, x, function(of) {
    at <- utility_intervals(of, x, mean)
    from <- stats::pnorm(at$from)
    share <- stats::pnorm(normals[, of$column])
    drawn <- stats::qnorm(from + share * (stats::pnorm(at$to) - from))
    # If the quantile is not finite, the nearest threshold.
    mean[, of$column] + ifelse(at$up, -1, 1) * ifelse(is.finite(drawn), drawn, at$to)
  })
}
