# The draws of a factor model: what is kept of each, and how factors of different draws are matched.

#' One draw on the scale on which weights are those of the sparse side: weights (the sparse side, Z
#' o V), others (the other side, A'), sigma_x (of the columns of the data)
#' @noRd
factor_draw <- function(fit, draw) {
  model <- fit$model
  kept <- matrix(select_loadings(fit, draw), model$loading_width)
  n <- feature_rows(model)$n
  other <- model$loading_width - 1L - n
  a <- kept[seq_len(other), -1, drop = FALSE]
  v <- kept[other + seq_len(n), -1, drop = FALSE]
  sigma_a <- kept[model$loading_width, 1]
  columns <- if (of_columns(model)) other + seq_len(n) else seq_len(other)
  common <- model$noise == "common"
  sigma_x <- if (common) rep(kept[other + 1, 1], length(columns)) else kept[columns, 1]
  if (of_columns(model)) {
    return(list(loadings = v * sigma_a, weights = a / sigma_a, sigma_x = sigma_x))
  }
  list(loadings = a, weights = v, sigma_x = sigma_x)
}

#' The mean of the data under one draw, before the column means are added
#' @noRd
factor_mean <- function(of_draw) tcrossprod(of_draw$weights, of_draw$loadings)

#' The side whose features the fit has
#' @noRd
sparse_side <- function(fit, of_draw) {
  if (of_columns(fit$model)) of_draw$loadings else of_draw$weights
}

#' For every column of `reference`, the column of `m` that is matched to it, 0 where there is none,
#' and with which sign: pairs in the order of the size of their cosines, each column at most once
#' @noRd
match_signed <- function(reference, m) {
  to <- integer(ncol(reference))
  sign <- rep(1, ncol(reference))
  if (ncol(m) == 0) return(list(to = to, sign = sign))
  cosines <- crossprod(unit_columns(reference), unit_columns(m))
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

#' Loadings (D x K) and weights (N x K) of the factors of the point estimate: their means over at
#' most 1000 draws, each with its factors matched to those of the point estimate, over the draws
#' that have a counterpart; `share`, how many do
#' @noRd
mean_factors <- function(fit) {
  reference <- factor_draw(fit, fit$point)
  z <- features(fit)
  order <- match_columns(z, draw_features_cpp(unclass(fit$draws), fit$point))
  reference <- lapply(reference[c("loadings", "weights")], function(m) m[, order, drop = FALSE])
  sum <- lapply(reference, function(m) 0 * m)
  count <- numeric(ncol(z))
  which <- choose_draws(fit, most_draws(fit, 1000))
  for (draw in which) {
    one <- factor_draw(fit, draw)
    matched <- match_signed(sparse_side(fit, reference), sparse_side(fit, one))
    found <- which(matched$to > 0)
    count[found] <- count[found] + 1
    for (side in names(sum)) {
      columns <- one[[side]][, matched$to[found], drop = FALSE]
      sum[[side]][, found] <- sum[[side]][, found] + sweep(columns, 2, matched$sign[found], "*")
    }
  }
  means <- lapply(sum, function(m) sweep(m, 2, pmax(count, 1), "/"))
  up <- sign(colSums(means$loadings^3))
  up[up == 0] <- 1
  c(lapply(means, sweep, 2, up, "*"), list(share = count / length(which)))
}

#' @exportS3Method
#' @noRd
mean_loadings.fit_factor <- function(fit) {
  means <- mean_factors(fit)
  out <- t(means$loadings)
  dimnames(out) <- list(colnames(features(fit)), colnames(fit$model$data$x))
  attr(out, "sigma_x") <- stats::setNames(
    mean_over(seq_along(fit$draws), function(draw) factor_draw(fit, draw)$sigma_x),
    colnames(fit$model$data$x)
  )
  attr(out, "share") <- stats::setNames(means$share, rownames(out))
  out
}

#' @export
weights_of.fit_factor <- function(fit) {
  out <- mean_factors(fit)$weights
  dimnames(out) <- list(rownames(fit$model$data$x), colnames(features(fit)))
  out
}

#' Factor scores of each row
#' @exportS3Method
#' @noRd
row_columns.fit_factor <- function(fit) weights_of(fit)

#' @exportS3Method
#' @noRd
feature_side.fit_factor <- function(fit) if (of_columns(fit$model)) "column" else "row"

#' The medoid of the draws that have as many common factors as most have
#' @exportS3Method
#' @noRd
point_draw.fit_factor <- function(fit) {
  common <- scalar(fit, "n_common")
  usual <- which(common == as.numeric(names(which.max(table(common)))))
  medoid_cpp(unclass(fit$draws), usual[candidates(select_draws(fit$draws, usual))])
}
