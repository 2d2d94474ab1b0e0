# The draws of a factor model: what is kept of each, and how factors of different draws are matched.

# One draw on the scale on which weights are those of the sparse side: weights (the sparse side, Z o
# V), others (the other side, A'), sigma_x (of the columns of the data)
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

# The mean of the data under one draw, in the units of the model
factor_mean <- function(of_draw) tcrossprod(of_draw$weights, of_draw$loadings)

# The side whose features the fit has
sparse_side <- function(fit, of_draw) {
  if (of_columns(fit$internal$model)) of_draw$loadings else of_draw$weights
}

# For every column of `reference`, the column of `m` that is matched to it, 0 where there is none,
# and with which sign: pairs in the order of the size of their cosines, each column at most once
match_signed <- function(reference, m) {
  to <- integer(ncol(reference))
  sign <- rep(1, ncol(reference))
  if (ncol(m) == 0) return(list(to = to, sign = sign))
  cosines <- crossprod(unit_columns(reference), unit_columns(m))
  # Features of one column are all alike: what comes first must not depend on rounding.
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

# Loadings and weights of the point estimate's draw, its factors in the order of features()
point_factors <- function(fit) {
  reference <- factor_draw(fit, fit$internal$point)
  order <- match_columns(fit$features, drawn_features(fit))
  lapply(reference[c("loadings", "weights")], function(m) m[, order, drop = FALSE])
}

# Loadings (D x K) and weights (N x K) of the factors of the point estimate: their means over its
# own draw and all others, each with its factors matched to those, over the draws that have a
# counterpart; `share`, how many do; `probability`, in how many of these an entry of the sparse side
# is not 0; `variance`, what each draw says of variance_shares()
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

# Of the variance of all columns, what the factors have that are matched to those of the point
# estimate, NA where none is; then all other factors together; then the noise
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

# A matrix that prints without what its attributes say of it
shown_bare <- function(x) structure(x, class = c("buffet_matrix", class(x)))

#' @export
print.buffet_matrix <- function(x, ...) {
  print(x[, , drop = FALSE], ...)
  invisible(x)
}
