# Choices under elimination by aspects, computed from the definition.

#' Calls fit_choice(), without messages and by default for a short run
quick_choice <- function(wins = celebrities, ..., method = method_gibbs(chains = 2, iter = 400),
                         seed = 1) {
  fit_choice(wins, ..., method = method, seed = seed, verbose = FALSE)
}

tree_choice <- function() {
  once("tree_choice", quick_choice(
    prior = prior_pibp(celebrity_tree), method = method_gibbs(chains = 2, iter = 600)
  ))
}
fixed_choice <- function() {
  once("fixed_choice", quick_choice(
    prior = prior_fixed(diag(9)), epsilon = 0, method = method_gibbs(chains = 2, iter = 600)
  ))
}
#' A fit with two pairs left out and a learned concentration
holes_choice <- function() {
  once("holes_choice", quick_choice(
    without_pairs(celebrities, c(1, 2), c(7, 9)), epsilon = 0.05,
    prior = prior_ibp(concentration = gamma_prior(2, 2))
  ))
}
finite_choice <- function() {
  once("finite_choice", quick_choice(
    unname(celebrities)[1:5, 1:5], weights = gamma_prior(2, 5), prior = prior_beta_bernoulli(6)
  ))
}
choice_fits <- function() {
  list(
    tree = tree_choice(), fixed = fixed_choice(), holes = holes_choice(), finite = finite_choice()
  )
}

#' Sets the entries of pairs (i, j) to NA on both sides of the diagonal
without_pairs <- function(wins, ...) {
  for (pair in list(...)) wins[rbind(pair, rev(pair))] <- NA
  wins
}

#' P(row chosen over column), which is 1/2 if neither item has a feature that the other lacks
naive_choice <- function(z, w, epsilon) {
  # Total weight of the features that the row's item has and the column's item lacks.
  own <- tcrossprod(z * rep(w, each = nrow(z)), 1 - z)
  both <- own + t(own)
  p <- ifelse(both > 0, (1 - epsilon) * own / both + epsilon / 2, 0.5)
  diag(p) <- NA
  p
}

#' Every draw of a fit, as list(z, w)
choice_draws <- function(fit) {
  sizes <- scalars_of(fit)[, "n_features"]
  ends <- cumsum(sizes)
  lapply(seq_along(sizes), function(i) {
    z <- draw_features_cpp(unclass(fit$feature_draws), i)
    list(z = z, w = fit$internal$draws_loadings[ends[i] - sizes[i] + seq_len(sizes[i])])
  })
}

#' P(row chosen over column) in every draw, as an array n x n x draws
naive_choices <- function(fit) {
  n <- nrow(features(fit))
  epsilon <- fit$internal$model$epsilon
  vapply(choice_draws(fit), \(d) naive_choice(d$z, d$w, epsilon), matrix(0, n, n))
}

#' Pairs of items that were judged, in the documented order, by column of the lower triangle
judged <- function(wins) {
  at <- which(lower.tri(wins), arr.ind = TRUE, useNames = FALSE)
  total <- wins[at] + t(wins)[at]
  at[!is.na(total) & total > 0, , drop = FALSE]
}

naive_choice_log_lik <- function(wins, p) {
  at <- judged(wins)
  stats::dbinom(wins[at], wins[at] + wins[at[, 2:1]], p[at], log = TRUE)
}
