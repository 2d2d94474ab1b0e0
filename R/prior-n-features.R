# Probabilities of numbers of non-empty features under a prior
# Learned hyperparameters are integrated out: alpha of an Indian buffet process in closed form (a
# negative binomial), others over 200 quantiles of their priors.
prior_n_features <- function(prior, rows, n) UseMethod("prior_n_features")

limited_n_features <- function(prior, rows, n, most) {
  if (is.null(most)) return(prior_n_features(prior, rows, n))
  total <- sum(prior_n_features(prior, rows, seq(0, min(most, 1e5))))
  ifelse(n > most, 0, prior_n_features(prior, rows, n)) / total
}

poisson_features <- function(alpha, mean_per_alpha, n) {
  if (!is_learned(alpha)) return(stats::dpois(n, alpha * mean_per_alpha))
  stats::dnbinom(n, alpha$shape, alpha$rate / (alpha$rate + mean_per_alpha))
}

hyper_grid <- function(hyper) {
  if (!is_learned(hyper)) return(hyper)
  stats::qgamma((seq_len(200) - 0.5) / 200, hyper$shape, hyper$rate)
}

average <- function(vectors) Reduce(`+`, vectors) / length(vectors)
