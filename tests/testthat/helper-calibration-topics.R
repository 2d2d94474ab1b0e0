# Cases of fit_topics() and fit_cascade() for simulation-based calibration.

#' Draws rows from Dirichlet distributions, on the log scale because parameters can be tiny
draw_shares <- function(shapes) {
  log_gamma <- log(stats::rgamma(length(shapes), shapes + 1)) +
    log(stats::runif(length(shapes))) / shapes
  log_gamma[shapes == 0] <- -Inf
  weights <- matrix(exp(log_gamma - apply(matrix(log_gamma, nrow(shapes)), 1, max)), nrow(shapes))
  weights / rowSums(weights)
}

#' Log probability of the words, with the distributions of words integrated out
#' @param counts Topics x words.
#' @noRd
word_density <- function(counts, eta) {
  v <- ncol(counts)
  sum(lgamma(counts + eta) - lgamma(eta)) +
    sum(lgamma(v * eta) - lgamma(rowSums(counts) + v * eta))
}

#' Draws documents, and all of their parameters. Returns NULL if a document with a given length has
#' no topic, or if there are no words
#' @param lengths A number, or NULL if the weights determine the lengths.
#' @noRd
draw_documents <- function(gamma_of, alpha_of, lengths, rows = 8, words = 6) {
  b <- draw_from_ibp(rows, draw_gamma(alpha_of))
  gamma <- draw_gamma(gamma_of)
  eta <- draw_gamma(gamma_prior(1, 1))
  if (ncol(b$z) == 0 || !is.null(lengths) && any(rowSums(b$z) == 0)) return(NULL)
  shapes <- b$z * rep(stats::rgamma(ncol(b$z), gamma), each = rows)
  if (!is.null(lengths)) {
    theta <- draw_shares(shapes)
    counts <- t(apply(theta, 1, \(p) stats::rmultinom(1, lengths, p)))
  } else {
    rates <- stats::rgamma(length(shapes), shapes)
    theta <- matrix(rates, rows) / pmax(rowSums(matrix(rates, rows)), 1e-300)
    counts <- stats::rpois(length(rates), rates)
  }
  counts <- matrix(counts, rows)
  if (sum(counts) == 0) return(NULL)
  beta <- draw_shares(matrix(eta, ncol(b$z), words))
  tokens <- lapply(seq_len(ncol(counts)), function(k) {
    t(vapply(counts[, k], \(n) stats::rmultinom(1, n, beta[k, ])[, 1], integer(words)))
  })
  dtm <- Reduce(`+`, tokens)
  seen <- colSums(counts) > 0
  truth <- c(
    n_features = sum(seen), n_ones = sum(b$z[, seen]), b$scalars["alpha"], gamma = gamma, eta = eta,
    log_lik = word_density(do.call(rbind, lapply(tokens[seen], colSums)), eta),
    fitted = sum((rowSums(counts) * theta %*% beta)^2)
  )
  list(data = dtm, truth = truth)
}

topic_cases <- function() {
  list(
    topics = calibration_case("fit_topics(dtm)",
      "alpha Gamma(1, 0.1), gamma Gamma(1, 0.05), eta Gamma(1, 1), every document with a topic",
      \() draw_until(\() draw_documents(gamma_prior(1, 0.05), gamma_prior(1, 0.1), 10)), fit_topics
    ),
    topics_lengths = calibration_case(
      "fit_topics(dtm, \"model\", gamma = gamma_prior(2, 1), prior = prior_ibp())",
      "alpha and eta Gamma(1, 1), gamma Gamma(2, 1)",
      \() draw_until(\() draw_documents(gamma_prior(2, 1), gamma_prior(1, 1), NULL)), fit_topics,
      list(lengths = "model", gamma = gamma_prior(2, 1), prior = prior_ibp())
    )
  )
}

#' The biases or weights of a layer are normal with their own precision and mean.
draw_from_own_law <- function(n) {
  precision <- draw_gamma(gamma_prior(1, 1))
  center <- stats::rnorm(1, sd = precision^-0.5)
  stats::rnorm(n, center, precision^-0.5)
}

#' Draws list(edges, w, bias, precision) for the units of a layer; `z` is units x parents
draw_layer_of <- function(z) {
  w <- z
  w[z == 1] <- draw_from_own_law(sum(z))
  noise <- gamma_prior(2, draw_gamma(gamma_prior(1, 0.1)))
  list(z = z, w = t(w), bias = draw_from_own_law(nrow(z)), precision = draw_gamma(noise, nrow(z)))
}

#' Draws activations of a network above three visible units, or NULL if an activation is outside the
#' range that the package allows
draw_belief_network <- function(alpha_of, rows = 8, visible = 3) {
  alpha <- draw_gamma(alpha_of)
  layers <- list(draw_layer_of(draw_buffet(visible, alpha)))
  while (ncol(last <- layers[[length(layers)]]$z) > 0) {
    layers <- c(layers, list(draw_layer_of(draw_buffet(ncol(last), draw_gamma(gamma_prior(2, 2))))))
  }
  hidden <- layers[-1]
  u <- naive_fantasies(hidden, rows)
  first <- layers[[1]]
  mean <- u %*% first$w + rep(first$bias, each = rows)
  sd <- rep(first$precision^-0.5, each = rows)
  x <- mean + stats::rnorm(length(mean)) * sd
  data <- tanh(x / 2)
  if (max(abs(data)) > 0.98) return(NULL)
  log_slopes <- sum(log(2 / (1 - data^2)))
  truth <- c(
    n_layers = length(hidden), width_1 = ncol(first$z), n_edges_1 = sum(first$z), alpha_0 = alpha,
    log_lik = sum(stats::dnorm(x, mean, sd, TRUE)) + log_slopes,
    fitted = sum(naive_squash(mean, first$precision)^2)
  )
  list(data = data, truth = truth)
}

cascade_cases <- function() {
  alpha <- gamma_prior(1, 0.1)
  list(cascade = calibration_case(
    "fit_cascade(x, range = c(-0.98, 0.98))",
    "alpha Gamma(1, 0.1), alpha_deep Gamma(2, 2), given that data are within the range",
    \() draw_until(\() draw_belief_network(alpha)), fit_cascade, list(range = c(-0.98, 0.98))
  ))
}
