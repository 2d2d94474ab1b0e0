#' @exportS3Method
mean_response.fit_factor <- function(fit, which) {
  if (has_items(fit)) {
    return(in_model_units(fit, mean_over(which, function(draw) draw_mean(fit, draw))))
  }
  mean_over_blocks(which, draws_in_block(fit), function(some, first) {
    # A single product of the factors of all draws, bound by column, gives the sum over draws.
    draws <- lapply(some, factor_draw, fit = fit)
    side_by_side <- function(side) do.call(cbind, lapply(draws, `[[`, side))
    tcrossprod(side_by_side("weights"), side_by_side("loadings")) / length(some)
  })
}

# If the loadings are sparse, the factors are integrated out given the rest of the row.
#' @exportS3Method
density_at.fit_factor <- function(fit, which, places, values) {
  at <- places + 1L
  if (has_items(fit)) {
    # Densities are conditional on the scores in each draw, and are in the original units of the
    # data.
    x <- model_data(fit)
    units <- column_units(fit)[at[, 2]]
    x[at] <- values * units + column_shift(fit)[at[, 2]]
    return(log_mean_over(which, function(draw) log_densities(fit, x, draw)[at]) + log(units))
  }
  rows <- unique(at[, 1])
  seen <- t(in_model_units(fit, model_data(fit)[rows, , drop = FALSE]))
  within <- cbind(at[, 2], match(at[, 1], rows))
  normals <- function(one) {
    if (of_columns(fit$internal$model)) {
      given <- factor_given_rows_cpp(one$loadings, one$sigma_x, seen)
      return(list(mean = given$mean[within], sd = sqrt(given$variance[within])))
    }
    products <- one$weights[at[, 1], , drop = FALSE] * one$loadings[at[, 2], , drop = FALSE]
    list(mean = rowSums(products), sd = one$sigma_x[at[, 2]])
  }
  log_mean_over(which, function(draw) {
    of <- normals(factor_draw(fit, draw))
    stats::dnorm(values, of$mean, of$sd, log = TRUE)
  })
}

# Mean and standard deviation of every entry in one draw, in the original units of the data
factor_entries <- function(fit, draw) {
  one <- factor_draw(fit, draw)
  mean <- from_model_units(fit, tcrossprod(one$weights, one$loadings))
  dimnames(mean) <- list(rownames(model_data(fit)), names_of_predictors(fit))
  sigma_x <- rep(one$sigma_x * of_predictors(fit, column_units(fit)), each = nrow(mean))
  list(mean = mean, sigma_x = sigma_x, items = one$items)
}

#' @export
residuals.fit_factor <- function(object, ...) {
  out <- NextMethod()
  out[, vapply(unordered_items(object), `[[`, 1L, "column")] <- NA
  out
}

# of: The model of a fit, or factor_items().
has_families <- function(of) !is.null(of$ordinal) || !is.null(of$others)

has_items <- function(fit) has_families(fit$internal$model)

#' @exportS3Method
check_like.fit_factor <- function(fit, x, name, sparse = FALSE) {
  if (has_items(fit)) like_items(fit$internal$model, x, name) else NextMethod()
}

#' @rdname coef.buffet_fit
#' @param cor (flag) Return the posterior mean of the correlation matrix? `FALSE` by default. For
#'   ordinal columns these are polychoric correlations.
#' @importFrom stats vcov
#' @export
vcov.fit_factor <- function(object, cor = FALSE, ...) {
  check_no_more(...)
  cor <- check_flag(cor, "cor")
  check_format(object)
  if (!of_columns(object$internal$model)) {
    stop_argument("object", "have sparse loadings", was = "sparse = \"factors\"")
  }
  all <- seq_along(object$feature_draws)
  out <- mean_over_blocks(all, draws_in_block(object), function(some, first) {
    draws <- lapply(some, function(draw) {
      one <- factor_draw(object, draw)
      if (cor) standardised(one) else one
    })
    sum <- tcrossprod(do.call(cbind, lapply(draws, `[[`, "loadings")))
    diag(sum) <- diag(sum) + Reduce(`+`, lapply(draws, function(one) one$sigma_x^2))
    sum / length(some)
  })
  if (!cor) out <- out * tcrossprod(of_predictors(object, column_units(object)))
  names <- names_of_predictors(object)
  dimnames(out) <- list(names, names)
  out
}

# If the loadings are sparse, the factors are normal given the observed entries. If the factors are
# sparse, features are sampled.
#' @exportS3Method
new_rows.fit_factor <- function(fit, rows, which, plan) {
  if (has_items(fit)) return(list(response = new_items(fit, rows, which, plan)))
  rows <- in_model_units(fit, rows)
  if (of_columns(fit$internal$model)) {
    response <- mean_over(which, function(draw) {
      one <- factor_draw(fit, draw)
      factor_given_rows_cpp(one$loadings, one$sigma_x, t(rows))$mean
    })
    return(list(response = response))
  }
  draws <- lapply(which, factor_draw, fit = fit)
  known <- c(
    list(
      draws = unclass(select_draws(fit$feature_draws, which)), weights = fit$internal$model$weights,
      rows = nrow(model_data(fit)), loadings = lapply(draws, `[[`, "loadings"),
      sigma_x = lapply(draws, `[[`, "sigma_x"), sigma_a = scalar(fit, "sigma_a")[which],
      scales_by_feature = fit$internal$model$scales == "feature"
    ),
    prior_of_next(fit, which)
  )
  factor_new_rows_cpp(known, t(rows), plan)
}

#' @exportS3Method
new_row_drawer.fit_factor <- function(fit, rows, apart) {
  if (!of_columns(fit$internal$model)) return(NextMethod())
  drawer <- new_score_drawer(fit, rows, apart)
  function(draw) {
    new <- drawer(draw)
    sigma_x <- new$one$sigma_x * of_predictors(fit, column_units(fit))
    entries <- list(mean = new$mean, sigma_x = rep(sigma_x, each = nrow(new$mean)))
    data <- new$mean + entries$sigma_x * new$noise
    items <- new$one$items
    list(mean = expect_items(items, new$mean), data = cut_items(items, data, entries))
  }
}

# Like new_row_drawer() for sparse loadings, but before entries are drawn
# Returns a function of a draw that returns list(one, factors, mean, noise): the draw as returned by
# factor_draw(), the scores of the rows, their linear predictors, and standard normal variables.
new_score_drawer <- function(fit, rows, apart) {
  x <- code_items(fit, rows)
  # Groups of rows with the same missing entries
  patterns <- split(seq_len(nrow(x)), apply(is.na(x) + 0, 1, rlang::hash))
  function(draw) {
    one <- factor_draw(fit, draw)
    size <- ncol(one$loadings)
    plan <- row_plan(fit, seed = draw_seed(), apart = apart)
    noise <- row_normals_cpp(x, size + ncol(x), plan)
    factors <- if (is.null(one$items)) {
      draw_scores(one, x, noise, patterns)
    } else {
      draw_item_scores(fit, one, x, plan)
    }
    list(
      one = one, factors = factors, noise = noise[, size + seq_len(ncol(x))],
      mean = from_model_units(fit, tcrossprod(factors, one$loadings))
    )
  }
}

# Draws the scores of new rows x, in the units of the model, given a draw from factor_draw(). The
# prior of the scores is N(0, I)
# noise: Matrix of standard normal variables with one row per row of x and at least as many columns
# as factors.
draw_scores <- function(one, x, noise, patterns) {
  size <- ncol(one$loadings)
  factors <- noise[, seq_len(size), drop = FALSE]
  for (at in if (size > 0) patterns) {
    seen <- !is.na(x[at[1], ])
    loadings <- one$loadings[seen, , drop = FALSE]
    weighted <- loadings / one$sigma_x[seen]^2
    root <- chol(diag(1, size) + crossprod(loadings, weighted))
    normals <- t(factors[at, , drop = FALSE])
    mean <- x[at, seen, drop = FALSE] %*% (weighted %*% chol2inv(root))
    factors[at, ] <- mean + t(backsolve(root, normals))
  }
  factors
}

# Draws, by Gibbs sampling, the scores of rows x with families, given a draw from factor_draw(). The
# rows are coded by code_items().
draw_item_scores <- function(fit, one, x, plan) {
  model <- fit$internal$model
  families <- Map(function(spec, of) {
    spec$parameters <- switch(of$family,
      ordinal = of$cuts[is.finite(of$cuts)], negative_binomial = of$shape, numeric()
    )
    c(spec, level = list(of[["level"]] %||% 0))
  }, core_item_specs(model, values = FALSE), unname(one$items[names(core_items(model))]))
  t(factor_scores_cpp(t(x), c(one[c("loadings", "sigma_x")], list(families = families)), plan))
}

# Expected values of new rows, in the units of the model, with one column per new row
new_items <- function(fit, rows, which, plan) {
  x <- code_items(fit, rows)
  t(mean_over(which, function(draw) {
    one <- factor_draw(fit, draw)
    plan$seed <- as.integer((as.double(plan$seed) + draw) %% .Machine$integer.max)
    factors <- draw_item_scores(fit, one, x, plan)
    mean <- from_model_units(fit, tcrossprod(factors, one$loadings))
    in_model_units(fit, expect_items(one$items, mean))
  }))
}

# The stored state of one draw. The columns after the first are features.
stored_factors <- function(fit, draw) {
  matrix(select_loadings(fit, draw), fit$internal$model$loading_width)
}

# One draw as a list: loadings, D x K, and weights, N x K; the sparse matrix is Z o V;
# sigma_x, one for each column; and `items`, the columns with families as returned by drawn_items()
factor_draw <- function(fit, draw) {
  model <- fit$internal$model
  kept <- stored_factors(fit, draw)
  n <- model$traits$rows$n
  last <- model$loading_width - n_item_parameters(model)
  other <- last - 1L - n
  a <- kept[seq_len(other), -1, drop = FALSE]
  v <- kept[other + seq_len(n), -1, drop = FALSE]
  sigma_a <- kept[last, -1]
  columns <- if (of_columns(model)) other + seq_len(n) else seq_len(other)
  common <- model$noise == "common"
  sigma_x <- if (common) rep(kept[other + 1, 1], length(columns)) else kept[columns, 1]
  if (of_columns(model)) {
    loadings <- sweep(v, 2, sigma_a, "*")
    items <- drawn_items(fit, draw, kept)
    for (of in Filter(is_count, items)) sigma_x[places(of)] <- sqrt(count_variance(of, loadings))
    weights <- sweep(a, 2, sigma_a, "/")
    return(list(loadings = loadings, weights = weights, sigma_x = sigma_x, items = items))
  }
  list(loadings = a, weights = v, sigma_x = sigma_x)
}

sparse_side <- function(fit, of_draw) {
  if (of_columns(fit$internal$model)) of_draw$loadings else of_draw$weights
}

# For every column of `reference`, the matched column of `m` and its sign; 0 if it has no match.
# Pairs are matched in decreasing order of absolute cosine, and each column is used at most once.
match_signed <- function(reference, m) {
  # Features of a single column have tied cosines, whose order must not depend on rounding.
  cosines <- round(crossprod(unit_columns(reference), unit_columns(m)), 12)
  columns <- seq_len(ncol(reference))
  to <- match(columns, match_greedily(abs(cosines)), 0L)
  sign <- rep(1, ncol(reference))
  sign[to > 0] <- sign(cosines[cbind(columns, to)[to > 0, , drop = FALSE]])
  list(to = to, sign = sign)
}

unit_columns <- function(m) sweep(m, 2, pmax(sqrt(colSums(m^2)), 1e-300), "/")

point_factors <- function(fit) {
  reference <- factor_draw(fit, fit$internal$point)
  order <- match_columns(fit$features, drawn_features(fit))
  lapply(reference[c("loadings", "weights")], function(m) m[, order, drop = FALSE])
}

# Loadings (D x K) and weights (N x K), each the mean over the draws that have a factor matched to
# the factor of the point estimate. Attributes: `share`, the share of these draws; `chains`, the
# number of chains that have the factor; `probability`, the probability in these draws that an entry
# of the sparse side is not 0; `variance`, the shares of the variance, with one row per draw; and
# `sds`, the standard deviations of the columns or of their utilities.
mean_factors <- function(fit) {
  reference <- point_factors(fit)
  sum <- lapply(reference, function(m) 0 * m)
  there <- 0 * sparse_side(fit, reference)
  draws <- length(fit$feature_draws)
  variance <- matrix(NA_real_, draws, ncol(there) + 2)
  sds <- 0
  tick <- draws_ticker(draws)
  for (i in seq_len(draws)) {
    one <- factor_draw(fit, i)
    sd <- drawn_sds(one)
    sds <- sds + sd / draws
    matched <- match_signed(sparse_side(fit, reference), sparse_side(fit, one))
    found <- which(matched$to > 0)
    to <- matched$to[found]
    there[, found] <- there[, found] + (sparse_side(fit, one)[, to, drop = FALSE] != 0)
    # Shares of the total variance: of each matched factor (NA if unmatched), of the other factors,
    # and of the noise. Columns with families have no common unit, so they are standardised.
    of <- if (has_items(fit)) standardised(one, sd) else one
    parts <- colSums(of$loadings^2) * colMeans(of$weights^2)
    noise <- sum(of$sigma_x^2)
    variance[i, ] <- c(
      parts[replace(matched$to, matched$to == 0, NA)],
      sum(parts[setdiff(seq_along(parts), matched$to)]), noise
    ) / (sum(parts) + noise)
    for (side in names(sum)) {
      columns <- one[[side]][, to, drop = FALSE]
      sum[[side]][, found] <- sum[[side]][, found] + sweep(columns, 2, matched$sign[found], "*")
    }
    tick()
  }
  found <- !is.na(variance[, seq_len(ncol(there)), drop = FALSE])
  count <- colSums(found)
  mean_of <- function(m) sweep(m, 2, pmax(count, 1), "/")
  means <- lapply(sum, mean_of)
  up <- sign(colSums(means$loadings^3))
  up[up == 0] <- 1
  c(
    lapply(means, sweep, 2, up, "*"),
    list(share = count / draws, probability = mean_of(there), variance = variance, sds = sds),
    summarise_shares(shares_by_chain(found, fit))["chains"]
  )
}

#' @exportS3Method
mean_loadings.fit_factor <- function(fit) {
  means <- mean_factors(fit)
  out <- t(means$loadings)
  dimnames(out) <- list(colnames(fit$features), names_of_predictors(fit))
  out <- loadings_in_units(fit, out)
  attr(out, "sigma_x") <- stats::setNames(
    of_predictors(fit, column_units(fit)) *
      mean_over(seq_along(fit$feature_draws), function(d) factor_draw(fit, d)$sigma_x),
    names_of_predictors(fit)
  )
  attr(out, "share") <- stats::setNames(means$share, rownames(out))
  attr(out, "chains") <- stats::setNames(means$chains, rownames(out))
  if (of_columns(fit$internal$model)) {
    attr(out, "probability") <- structure(t(means$probability), dimnames = dimnames(out))
  }
  shown_bare(out)
}

factor_weights <- function(fit) {
  means <- mean_factors(fit)
  out <- means$weights
  dimnames(out) <- list(rownames(model_data(fit)), colnames(fit$features))
  if (!of_columns(fit$internal$model)) {
    attr(out, "probability") <- structure(means$probability, dimnames = dimnames(out))
  }
  shown_bare(out)
}

shown_bare <- function(x) structure(x, class = c("buffet_matrix", class(x)))

#' @export
print.buffet_matrix <- function(x, ...) {
  print(x[, , drop = FALSE], ...)
  # t() keeps the attributes.
  factors <- names(attr(x, "share"))
  if (length(factors) > 0 && identical(rownames(x), factors)) {
    cat("Factors x columns of the data. Rotate the transpose: `varimax(t(loadings(fit)))`.\n")
  }
  invisible(x)
}
