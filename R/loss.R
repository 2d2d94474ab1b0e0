#' @param z A matrix of zeros and ones with a row per row of Z.
#' @section Expected loss:
#' `expected_loss()` is the mean over the draws Y of the FARO loss (Dahl, Johnson and Andros 2023),
#'
#' \deqn{\min_\pi \sum_{ik} c z_{ik} (1 - y_{i \pi(k)}) + (2 - c) (1 - z_{ik}) y_{i \pi(k)},}
#'
#' where c is `cost`, the permutation \eqn{\pi} matches the features, and columns of zeros replace
#' missing features. With `cost = 1` the loss is the number of entries that differ. If the chains
#' are separated, only the draws of the [best_chain()] are used. If features have complements, `z`
#' is coded as in `features()`, and each feature of a draw is coded like the feature to which it is
#' matched.
#'
#' `features(fit, estimate = "expected_loss")` searches for the matrix with the smallest expected
#' loss, starting from the medoid and from 16 draws. The result never has a larger expected loss
#' than the medoid. At most 1000 evenly spaced draws are used. The search takes seconds for 300 rows
#' and 20 features, and longer if many features are similar. Loadings, effects and plots refer to
#' the medoid.
#'
#' @references Dahl, D. B., Johnson, D. J. and Andros, R. J. (2023). Comparison and Bayesian
#'   estimation of feature allocations. *Journal of Computational and Graphical Statistics*.
#'   \doi{10.1080/10618600.2023.2204136}
#' @rdname features
#' @export
expected_loss <- function(fit, z, cost = 1) {
  check_features(fit)
  check_given(z, "z")
  cost <- check_number(cost, "cost", 0, 2, "()")
  n <- traits_of(fit)$rows$n
  # Empty documents are NA in the point estimate, but have no features in the draws.
  if (is.matrix(z) && nrow(z) == n) z[is.na(rowSums(fit$features)), ] <- 0L
  z <- check_binary_matrix(z)
  if (nrow(z) != n) {
    must <- sprintf("have %s, like the feature matrix of the fit", counted(n, "row"))
    stop_argument("z", must, was = describe_size(z))
  }
  mean_loss(fit, z, cost, trusted_draws(fit))
}

# which: Numbers of the draws to average over.
mean_loss <- function(fit, z, cost, which) {
  both <- traits_of(fit)$complements
  draws <- unclass(select_draws(fit$feature_draws, which))
  expected_loss_cpp(draws, if (both) coded_like(z) else z, cost, both)
}

# Returns the point estimate unless the search finds a matrix with a smaller expected loss
search_features <- function(fit, cost) {
  which <- trusted_draws(fit)
  fields <- unclass(fit$feature_draws)
  # Limits the search to a few seconds. Matching a draw takes k^3 operations and k^2 counts of
  # shared rows, and about 64 + 4 k matrices are compared with all draws.
  k <- max(1, mean(fields$sizes[which]))
  most <- 4e9 / (64 + 4 * k) / (k^3 + k^2 * fields$rows / 32 + k * fields$rows)
  some <- evenly_spaced(which, max(50, min(1000, floor(most))))
  medoid <- replace(fit$features, is.na(fit$features), 0L)
  draws <- unclass(select_draws(fit$feature_draws, some))
  z <- search_estimate_cpp(draws, medoid, cost, traits_of(fit)$complements)
  if (mean_loss(fit, z, cost, which) >= mean_loss(fit, medoid, cost, which)) return(fit$features)
  as_estimate(label_features(z, fields$row_names), fit)
}
