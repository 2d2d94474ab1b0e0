#' Major factors of a factor model
#'
#' @description
#' How many factors are there, which columns load on which of them, and what are the scores? Real
#' questionnaires have a few factors that many items share, and many minor ones, often shared by
#' only two items with similar wording. [fit_factor()] learns all of them. `major_factors()` reports
#' the factors that explain more variance than one item has, in the form of an exploratory factor
#' analysis: rotated loadings, communalities and scores, with posterior intervals.
#'
#' @details
#' In each draw, let S be the loadings of the factors on which at least two columns load, for
#' columns and factors with variance 1. The communality of a column, the part of its variance that
#' it shares with others, is a diagonal entry of SS'. All results except the scores depend on the
#' draw only through SS', and all are the same for every rotation of the factors.
#'
#' **Number.** The number of major factors in a draw is the number of eigenvalues above 1 of the
#' correlation matrix of the columns, SS' with ones on the diagonal: the dimensions with more
#' variance than one column. This number is at most the number of common factors (Guttman 1954).
#' Sampling error, which makes the same rule find too many factors in a sample correlation matrix,
#' does not spread these eigenvalues, and the number has a posterior distribution.
#'
#' **Rotation.** The n largest principal axes of SS', where n is the most probable number, are
#' rotated in each draw by [stats::varimax()], [stats::promax()] or `GPArotation::oblimin()`, and
#' matched across draws in order and sign (Papastamoulis and Ntzoufras 2022). The scores, which have
#' variance 1 under the model, are rotated and matched in the same way. Intervals include the
#' uncertainty of the rotation. The other dimensions of SS' are minor factors. [loadings_of()]
#' returns the sparse factors before rotation.
#'
#' At most 500 evenly spaced draws are used, or fewer if the data have many rows and columns, but at
#' least 25 of each chain, if it has so many. Data with 2,800 rows and 25 columns take a few
#' seconds.
#'
#' @param fit A fit by [fit_factor()] with sparse loadings (its default).
#' @param n (positive integer or `NULL`) Number of major factors. `NULL`, the default: the most
#'   probable number.
#' @param rotate (string) `"varimax"` (default): uncorrelated factors. `"promax"` and `"oblimin"`
#'   (package GPArotation): correlated factors.
#' @return An object of class `major_factors`, a list. `print()` shows a sorted table of loadings,
#'   in which loadings below 0.3 in size are blank. Intervals are central 90 % intervals.
#'   * `number`: the posterior probabilities of the number of major factors, named by number.
#'   * `loadings`: a tibble with a row per column and factor: `column`, `factor`, `estimate`,
#'     `std.error`, `conf.low`, `conf.high` and `probability`, the probability that the column loads
#'     most on this factor. If factors are correlated, these are pattern coefficients.
#'   * `columns`: a tibble with a row per column: `communality` (shared with the major factors),
#'     `conf.low` and `conf.high`; `minor`, shared with minor factors only; and `uniqueness`. The
#'     three add up to 1. `rhat` is the Rhat of the communality.
#'   * `variance`: a tibble with a row per factor: `sum_of_squares` of its loadings, `conf.low`,
#'     `conf.high`, and its `share` of the variance of all columns.
#'   * `eigenvalues`: a tibble with a row per dimension: eigenvalues of SS' with a mean above 0.001
#'     (`estimate`, `conf.low`, `conf.high` and `rhat`) and the cumulative `share` of their sum.
#'   * `scores`: a tibble with a row per row of the data and factor: `row`, `factor`, `estimate`,
#'     `std.error`, `conf.low` and `conf.high`. `predict(fit, newdata, type = "scores")` returns
#'     the scores of new rows.
#'   * `correlations`: the correlation matrix of the factors (the posterior mean if they are
#'     correlated).
#'   * `pairs`: a tibble of the 20 pairs of columns with the largest correlations that the best n
#'     factors do not explain (local dependence): `column1`, `column2`, `estimate`, `conf.low` and
#'     `conf.high`. `NULL` if there are more than 200 columns.
#' @references Guttman, L. (1954). Some necessary conditions for common-factor analysis.
#'   *Psychometrika* 19, 149-161.
#'
#' Papastamoulis, P. and Ntzoufras, I. (2022). On the identifiability of Bayesian factor analytic
#'   models. *Statistics and Computing* 32, 23.
#' @seealso `plot(fit, "scree")` and `plot(fit, "items")`: [plot.fit_factor()]; [thresholds()];
#'   `vignette("how-many-factors")`
#' @examples
#' fit <- fit_factor(scale(swiss), method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' found <- major_factors(fit)
#' found
#' # the provinces with the highest scores on the first factor
#' scores <- found$scores[found$scores$factor == "M1", ]
#' head(scores[order(-scores$estimate), ])
#' @export
major_factors <- function(fit, n = NULL, rotate = c("varimax", "promax", "oblimin")) {
  check_given(fit, "fit")
  if (!inherits(fit, "fit_factor")) stop_argument("fit", "be a fit by fit_factor()", fit)
  check_format(fit)
  if (!of_columns(fit$internal$model)) {
    stop_argument("fit", "have sparse loadings", was = "one with sparse = \"factors\"")
  }
  if (!is.null(n)) n <- check_count(n, "n")
  columns <- predictor_count(fit)
  if (isTRUE(n > columns)) {
    stop_argument("n", sprintf("be at most %d, the number of rows of the loadings", columns), n)
  }
  rotate <- check_choice(rotate, c("varimax", "promax", "oblimin"), "rotate")
  if (rotate == "oblimin") rlang::check_installed("GPArotation", "for `rotate = \"oblimin\"`.")
  major <- rotate_draws(fit, n, rotate)
  out <- describe_major(fit, major)
  out$scores <- major_scores(fit, major)
  out["pairs"] <- list(if (columns <= 200) minor_pairs(major))
  structure(out, class = "major_factors")
}

# Common factors of one draw, scaled so that columns and factors have variance 1: s, D x K, and
# scores, N x K
standard_factors <- function(fit, draw) {
  one <- standardised(factor_draw(fit, draw))
  common <- common_of(one)
  list(
    s = one$loadings[, common, drop = FALSE], scores = one$weights[, common, drop = FALSE]
  )
}

common_of <- function(one) which(colSums(one$loadings != 0) > 1)

# Standard deviations of the columns of the data, or of their utilities, in one draw
drawn_sds <- function(one) sqrt(rowSums(one$loadings^2) + one$sigma_x^2)

# Scales a draw so that the columns, or their utilities, have variance 1
standardised <- function(one, sds = drawn_sds(one)) {
  one$loadings <- one$loadings / sds
  one$sigma_x <- one$sigma_x / sds
  for (name in names(Filter(function(of) !is.null(of$cuts), one$items))) {
    one$items[[name]]$cuts <- one$items[[name]]$cuts / sds[places(one$items[[name]])]
  }
  one
}

# Number of eigenvalues above 1 of ss' with ones on the diagonal. Let h be the diagonal of ss'. The
# result is the number of positive eigenvalues of ss' - diag(h), and therefore the number of
# eigenvalues above 1 of the K x K matrix s' diag(1 / h) s (Sylvester's law of inertia).
n_major <- function(s) {
  h <- rowSums(s^2)
  s <- s[h > 0, , drop = FALSE] / sqrt(h[h > 0])
  if (length(s) == 0) return(0L)
  sum(eigen(crossprod(s), TRUE, only.values = TRUE)$values > 1 + 1e-9)
}

# At most this many draws, evenly spaced within every chain; fewer if each draw has many numbers,
# but at least 25 of each chain, if it has so many
major_which <- function(fit, most = 500) {
  kept <- dim(fit$internal$scalars)[1]
  chains <- dim(fit$internal$scalars)[2]
  size <- sum(dim(model_data(fit))) * max(1, mean(unclass(fit$feature_draws)$sizes))
  each <- evenly_spaced(seq_len(kept), max(25, min(most, 2e7 %/% size) %/% chains))
  as.vector(outer(each, kept * (seq_len(chains) - 1), `+`))
}

# The eigenvalues of ss', and its n largest principal axes, K x n, for which s %*% axes are the
# principal loadings
principal_axes <- function(s, n) {
  of <- if (ncol(s) > 0) svd(s, nu = 0)
  axes <- matrix(0, ncol(s), n)
  some <- seq_len(min(n, length(of$d)))
  axes[, some] <- of$v[, some]
  list(eigenvalues = of$d^2, axes = axes)
}

# The result of principal_axes() for s, together with `turn`, the n x n matrix that rotates the
# principal loadings
# target: Loadings to which the rotated loadings are matched, or NULL.
rotate_draw <- function(s, of, rotate, target = NULL) {
  n <- ncol(of$axes)
  principal <- s %*% of$axes
  # The search for the best rotation starts near the target.
  near <- if (!is.null(target)) svd(crossprod(principal, target))
  turn <- if (is.null(near)) diag(1, n) else tcrossprod(near$u, near$v)
  # Kaiser's normalisation divides by communalities.
  used <- rowSums(principal^2) > 1e-12
  if (n > 1 && length(of$eigenvalues) >= n && sum(used) >= n) {
    by <- list(varimax = stats::varimax, promax = stats::promax, oblimin = oblimin)[[rotate]]
    turn <- turn %*% by((principal %*% turn)[used, , drop = FALSE])$rotmat
  }
  if (!is.null(target)) turn <- turn %*% order_like(principal %*% turn, target)
  c(of, list(turn = turn))
}

oblimin <- function(l) list(rotmat = solve(t(GPArotation::oblimin(l)$Th)))

# The signed permutation of the columns of l that makes them most similar to the columns of the
# target
order_like <- function(l, target) {
  cosines <- crossprod(unit_columns(target), unit_columns(l))
  # Every column has a match.
  to <- match_greedily(1 + abs(cosines))
  at <- cbind(seq_along(to), to)
  out <- diag(0, length(to))
  out[at] <- ifelse(cosines[at[, 2:1, drop = FALSE]] < 0, -1, 1)
  out
}

# Rotates the factors of draws. Returns a list: the draws that are used; s in each draw; `number`,
# the number of major factors in each draw; n; `loadings`, D x n x draws; `turned`, the result of
# rotate_draw() for each draw; and the names of the columns.
rotate_draws <- function(fit, n = NULL, rotate = "varimax") {
  which <- major_which(fit)
  s <- lapply(which, function(draw) standard_factors(fit, draw)$s)
  number <- vapply(s, n_major, 1L)
  if (is.null(n)) {
    counts <- table(number)
    n <- as.integer(names(counts)[which.max(counts)])
  }
  names <- names_of_predictors(fit) %||% as.character(seq_len(predictor_count(fit)))
  out <- list(rotate = rotate, which = which, s = s, number = number, n = n, names = names)
  axes <- lapply(s, principal_axes, n)
  # All draws are first matched to one draw, and then to the mean of the matched draws, whose
  # factors are in order.
  target <- if (n > 0) {
    point <- standard_factors(fit, fit$internal$point)$s
    first <- rotate_all(list(point), list(principal_axes(point, n)), rotate, NULL)
    target_of(rotate_all(s, axes, rotate, target_of(first)))
  }
  c(out, rotate_all(s, axes, rotate, target))
}

# Returns `turned`, a list by draw, and `loadings`, D x n x draws
rotate_all <- function(s, axes, rotate, target) {
  turned <- Map(rotate_draw, s, axes, rotate, list(target))
  drawn <- Map(function(s, of) s %*% of$axes %*% of$turn, s, turned)
  list(turned = turned, loadings = array(unlist(drawn), c(dim(drawn[[1]]), length(drawn))))
}

# Mean loadings, with the factors in order and with signs that make the sum positive over the
# columns that load most on the factor
target_of <- function(rotated) {
  mean <- apply(rotated$loadings, 1:2, mean)
  own <- mean * (col(mean) == max.col(abs(mean), "first"))
  up <- ifelse(colSums(own) < 0, -1, 1)
  sweep(mean, 2, up, "*")[, order(-colSums(mean^2)), drop = FALSE]
}

turned_correlations <- function(of) invert(crossprod(of$turn))

# Like solve(), but also accepts a matrix without rows
invert <- function(m) if (length(m) > 0) solve(m) else m

# Posterior means and central 90 % intervals for each row of a matrix with draws in columns
major_table <- function(draws) {
  ends <- interval_ends(t(draws), 0.9)
  tibble::tibble(estimate = rowMeans(draws), conf.low = ends[1, ], conf.high = ends[2, ])
}

# Rhat of each row of draws, or NA for a constant row
major_rhats <- function(fit, draws) {
  chains <- dim(fit$internal$scalars)[2]
  apply(draws, 1, function(x) {
    if (all(x == x[1])) NA_real_ else posterior::rhat(matrix(x, ncol = chains))
  })
}

# Everything that major_factors() returns except the scores and the pairs
describe_major <- function(fit, major) {
  n <- major$n
  names <- major$names
  columns <- length(names)
  factors <- paste0("M", seq_len(n), recycle0 = TRUE)
  # of_draw: Function of s, its rotation and the rotated loadings that returns `size` numbers. The
  # result has one row per number and one column per draw.
  by_draw <- function(size, of_draw) {
    matrix(vapply(seq_along(major$which), function(i) {
      of_draw(major$s[[i]], major$turned[[i]], matrix(major$loadings[, , i], columns))
    }, numeric(size)), size)
  }
  flat <- matrix(major$loadings, columns * n)
  most <- by_draw(columns, function(s, of, l) {
    if (n > 0) max.col(abs(l), "first") else numeric(columns)
  })
  loadings <- major_table(flat)
  shared <- by_draw(columns, function(s, of, l) rowSums((s %*% of$axes)^2))
  common <- by_draw(columns, function(s, of, l) rowSums(s^2))
  squares <- by_draw(n, function(s, of, l) colSums(l * (l %*% turned_correlations(of))))
  eigenvalues <- by_draw(columns, function(s, of, l) {
    c(of$eigenvalues, numeric(columns))[seq_len(columns)]
  })
  explained <- cumsum(rowMeans(eigenvalues)) / max(sum(rowMeans(eigenvalues)), 1e-300)
  eigenvalues <- eigenvalues[rowMeans(eigenvalues) > 1e-3, , drop = FALSE]
  of_columns <- major_table(shared)
  of_variance <- major_table(squares)
  of_eigenvalues <- major_table(eigenvalues)
  list(
    number = c(prop.table(table(major$number))), rotate = major$rotate,
    loadings = tibble::tibble(
      column = rep(names, n), factor = rep(factors, each = columns), estimate = loadings$estimate,
      std.error = apply(flat, 1, stats::sd), loadings[c("conf.low", "conf.high")],
      probability = unlist(lapply(seq_len(n), function(k) rowMeans(most == k))) %||% double()
    ),
    columns = tibble::tibble(
      column = names, communality = of_columns$estimate, of_columns[c("conf.low", "conf.high")],
      minor = pmax(rowMeans(common - shared), 0), uniqueness = 1 - rowMeans(common),
      rhat = major_rhats(fit, shared)
    ),
    variance = tibble::tibble(
      factor = factors, sum_of_squares = of_variance$estimate,
      of_variance[c("conf.low", "conf.high")], share = of_variance$estimate / columns
    ),
    eigenvalues = tibble::tibble(
      dimension = seq_len(nrow(eigenvalues)), of_eigenvalues,
      rhat = major_rhats(fit, eigenvalues),
      share = explained[seq_len(nrow(eigenvalues))]
    ),
    correlations = structure(
      Reduce(`+`, lapply(major$turned, turned_correlations)) / length(major$which),
      dimnames = list(factors, factors)
    )
  )
}

# The pairs of columns whose correlations are explained worst by n factors, with the residual
# correlations, in at most 100 draws
minor_pairs <- function(major) {
  pairs <- which(upper.tri(diag(length(major$names))), arr.ind = TRUE)
  drawn <- vapply(evenly_spaced(major$s, 100), function(s) {
    residual_correlations(tcrossprod(s), major$n)[pairs]
  }, numeric(nrow(pairs)))
  drawn <- matrix(drawn, nrow(pairs))
  largest <- utils::head(order(-abs(rowMeans(drawn))), 20)
  tibble::tibble(
    column1 = major$names[pairs[largest, 1]], column2 = major$names[pairs[largest, 2]],
    major_table(drawn[largest, , drop = FALSE])
  )
}

# Residual correlations that remain after n factors are fitted by least squares to the entries off
# the diagonal (iterated principal axes)
residual_correlations <- function(r, n) {
  if (n == 0) return(r)
  for (step in 1:50) {
    of <- eigen(r, TRUE)
    some <- seq_len(n)
    fitted <- of$vectors[, some, drop = FALSE] %*%
      (pmax(of$values[some], 0) * t(of$vectors[, some, drop = FALSE]))
    change <- max(abs(diag(fitted) - diag(r)))
    diag(r) <- pmin(diag(fitted), 1)
    if (change < 1e-3) break
  }
  r - fitted
}
