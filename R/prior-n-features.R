#' Probabilities of numbers of non-empty features under a prior
#'
#' Learned hyperparameters are integrated out: alpha of an Indian buffet process in closed form
#' (a negative binomial), others over 200 quantiles of their priors.
#' @noRd
prior_n_features <- function(prior, rows, n) UseMethod("prior_n_features")

#' @exportS3Method
#' @noRd
prior_n_features.prior_ibp <- function(prior, rows, n) {
  one <- function(concentration) {
    poisson_features(prior$alpha, sum(ibp_rates(rows, concentration, prior$discount)), n)
  }
  average(lapply(hyper_grid(prior$concentration), one))
}

#' The same given that there are at most `most`, or NULL for no such limit
#' @noRd
limited_n_features <- function(prior, rows, n, most) {
  if (is.null(most)) return(prior_n_features(prior, rows, n))
  total <- sum(prior_n_features(prior, rows, seq(0, min(most, 1e5))))
  ifelse(n > most, 0, prior_n_features(prior, rows, n)) / total
}

#' Poisson numbers with this mean for alpha = 1
#' @noRd
poisson_features <- function(alpha, mean_per_alpha, n) {
  if (!is_learned(alpha)) return(stats::dpois(n, alpha * mean_per_alpha))
  stats::dnbinom(n, alpha$shape, alpha$rate / (alpha$rate + mean_per_alpha))
}

#' @exportS3Method
#' @noRd
prior_n_features.prior_beta_bernoulli <- function(prior, rows, n) {
  grid <- expand.grid(alpha = hyper_grid(prior$alpha), c = hyper_grid(prior$concentration))
  a <- grid$alpha * grid$c / prior$n_features
  held <- -expm1(lbeta(a, rows + grid$c) - lbeta(a, grid$c))
  average(lapply(held, function(p) stats::dbinom(n, prior$n_features, p)))
}

hyper_grid <- function(hyper) {
  if (!is_learned(hyper)) return(hyper)
  stats::qgamma((seq_len(200) - 0.5) / 200, hyper$shape, hyper$rate)
}

average <- function(vectors) Reduce(`+`, vectors) / length(vectors)
