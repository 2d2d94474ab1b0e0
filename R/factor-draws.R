# The draws of a factor model, and how factors of different draws are matched.

# One draw: weights (the sparse side, Z o V), others (the other side, A'), sigma_x (of the columns)
factor_draw <- function(fit, draw) {
  model <- fit$internal$model
  kept <- matrix(select_loadings(fit, draw), model$loading_width)
  n <- model$traits$rows$n
  other <- model$loading_width - 1L - n
  a <- kept[seq_len(other), -1, drop = FALSE]
  v <- kept[other + seq_len(n), -1, drop = FALSE]
  sigma_a <- kept[model$loading_width, -1]
  columns <- if (of_columns(model)) other + seq_len(n) else seq_len(other)
  common <- model$noise == "common"
  sigma_x <- if (common) rep(kept[other + 1, 1], length(columns)) else kept[columns, 1]
  if (of_columns(model)) {
    return(list(
      loadings = sweep(v, 2, sigma_a, "*"), weights = sweep(a, 2, sigma_a, "/"), sigma_x = sigma_x
    ))
  }
  list(loadings = a, weights = v, sigma_x = sigma_x)
}

factor_mean <- function(of_draw) tcrossprod(of_draw$weights, of_draw$loadings)

sparse_side <- function(fit, of_draw) {
  if (of_columns(fit$internal$model)) of_draw$loadings else of_draw$weights
}

# For every column of `reference`, the matched column of `m`, or 0, and its sign: pairs in order of
# absolute cosines, each column at most once
match_signed <- function(reference, m) {
  to <- integer(ncol(reference))
  sign <- rep(1, ncol(reference))
  if (ncol(m) == 0) return(list(to = to, sign = sign))
  cosines <- crossprod(unit_columns(reference), unit_columns(m))
  # Features of a single column are ties, whose order must not depend on rounding.
  cosines <- round(cosines, 12)
  while (any(abs(cosines) > 0.5)) {
    at <- arrayInd(which.max(abs(cosines)), dim(cosines))
    to[at[1]] <- at[2]
    sign[at[1]] <- sign(cosines[at])
    cosines[at[1], ] <- 0
    cosines[, at[2]] <- 0
  }
  list(to = to, sign = sign)
}

unit_columns <- function(m) sweep(m, 2, pmax(sqrt(colSums(m^2)), 1e-300), "/")

point_factors <- function(fit) {
  reference <- factor_draw(fit, fit$internal$point)
  order <- match_columns(fit$features, drawn_features(fit))
  lapply(reference[c("loadings", "weights")], function(m) m[, order, drop = FALSE])
}

# Loadings (D x K) and weights (N x K): means over the draws that have a factor matched to each
# factor of the point estimate; `share` of these draws; `probability` in them that an entry of the
# sparse side is not 0; `variance`, variance_shares() of each draw
mean_factors <- function(fit) {
  reference <- point_factors(fit)
  sum <- lapply(reference, function(m) 0 * m)
  there <- 0 * sparse_side(fit, reference)
  draws <- length(fit$feature_draws)
  variance <- matrix(NA_real_, draws, ncol(there) + 2)
  tick <- draws_ticker(draws)
  for (i in seq_len(draws)) {
    one <- factor_draw(fit, i)
    matched <- match_signed(sparse_side(fit, reference), sparse_side(fit, one))
    found <- which(matched$to > 0)
    to <- matched$to[found]
    there[, found] <- there[, found] + (sparse_side(fit, one)[, to, drop = FALSE] != 0)
    variance[i, ] <- variance_shares(one, matched$to)
    for (side in names(sum)) {
      columns <- one[[side]][, to, drop = FALSE]
      sum[[side]][, found] <- sum[[side]][, found] + sweep(columns, 2, matched$sign[found], "*")
    }
    tick()
  }
  count <- colSums(!is.na(variance[, seq_len(ncol(there)), drop = FALSE]))
  mean_of <- function(m) sweep(m, 2, pmax(count, 1), "/")
  means <- lapply(sum, mean_of)
  up <- sign(colSums(means$loadings^3))
  up[up == 0] <- 1
  c(
    lapply(means, sweep, 2, up, "*"),
    list(share = count / draws, probability = mean_of(there), variance = variance)
  )
}

# Shares of the variance of all columns: factors matched to the point estimate (NA if none is), all
# other factors, and the noise
variance_shares <- function(one, to) {
  parts <- colSums(one$loadings^2) * colMeans(one$weights^2)
  noise <- sum(one$sigma_x^2)
  others <- sum(parts[setdiff(seq_along(parts), to)])
  c(parts[replace(to, to == 0, NA)], others, noise) / (sum(parts) + noise)
}

#' @exportS3Method
mean_loadings.fit_factor <- function(fit) {
  means <- mean_factors(fit)
  out <- t(means$loadings)
  dimnames(out) <- list(colnames(fit$features), colnames(model_data(fit)))
  out <- loadings_in_units(fit, out)
  attr(out, "sigma_x") <- stats::setNames(
    column_units(fit) *
      mean_over(seq_along(fit$feature_draws), function(d) factor_draw(fit, d)$sigma_x),
    colnames(model_data(fit))
  )
  attr(out, "share") <- stats::setNames(means$share, rownames(out))
  if (of_columns(fit$internal$model)) {
    attr(out, "probability") <- structure(t(means$probability), dimnames = dimnames(out))
  }
  shown_bare(out)
}

#' @export
weights_of.fit_factor <- function(fit) {
  means <- mean_factors(fit)
  out <- means$weights
  dimnames(out) <- list(rownames(model_data(fit)), colnames(fit$features))
  if (!of_columns(fit$internal$model)) {
    attr(out, "probability") <- structure(means$probability, dimnames = dimnames(out))
  }
  shown_bare(out)
}

# A matrix that prints without its attributes
shown_bare <- function(x) structure(x, class = c("buffet_matrix", class(x)))

#' @export
print.buffet_matrix <- function(x, ...) {
  print(x[, , drop = FALSE], ...)
  invisible(x)
}
