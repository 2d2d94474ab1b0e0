# Twenty data frames drawn from the model of fit_mixed(), with two columns of each family, 500 rows
# and five features: are the features found, and do intervals of effects cover? Writes
# vignettes/mixed-recovery.csv. Results are kept by set in build/mixed-recovery, so that a run that
# was stopped goes on.

library(buffet)

families <- c(
  "gaussian", "lognormal", "bernoulli", "ordinal", "categorical", "negative_binomial", "poisson",
  "binomial(10)"
)

#' A column of a family: list(values, weights), `weights` features x predictors in the units of
#' `tidy(fit, scale = "weight")`.
draw_column <- function(family, z) {
  width <- if (family == "categorical") 3 else 1
  w <- matrix(rnorm(ncol(z) * width), ncol(z))
  eta <- sweep(z %*% w, 2, rnorm(width), "+")
  values <- switch(family,
    gaussian = 10 + 2 * (eta[, 1] + rnorm(nrow(z), sd = 0.5)),
    lognormal = exp(1 + 0.5 * (eta[, 1] + rnorm(nrow(z), sd = 0.5))),
    bernoulli = rbinom(nrow(z), 1, plogis(eta[, 1])) == 1,
    ordinal = cut(eta[, 1] + rnorm(nrow(z)), c(-Inf, 0, 1, 2, Inf), letters[1:4],
      ordered_result = TRUE
    ),
    categorical = factor(letters[max.col(eta + rnorm(length(eta)))], letters[1:3]),
    negative_binomial = rnbinom(nrow(z), mu = exp(1 + eta[, 1]), size = 4),
    poisson = rpois(nrow(z), exp(1 + eta[, 1])),
    "binomial(10)" = rbinom(nrow(z), 10, plogis(eta[, 1]))
  )
  units <- switch(family, gaussian = 2, lognormal = 0.5, 1)
  list(values = values, weights = w * units)
}

#' list(data, families, z, weights): a data frame, its families, and what made it
draw_set <- function(seed, n = 500, k = 5) {
  withr::with_seed(seed, {
    z <- vapply(runif(k, 0.2, 0.5), function(p) rbinom(n, 1, p), integer(n))
    of <- rep(families, each = 2)
    columns <- lapply(of, draw_column, z)
  })
  names(columns) <- paste0(gsub("[^a-z]", "", of), 1:2)
  list(
    data = as.data.frame(lapply(columns, `[[`, "values")),
    families = stats::setNames(of, names(columns)), z = z, weights = lapply(columns, `[[`, "weights")
  )
}

#' The feature found that is most like each true one, and how alike they are
match_features <- function(truth, found) {
  alike <- vapply(seq_len(ncol(found)), function(k) {
    vapply(seq_len(ncol(truth)), function(t) mean(truth[, t] == found[, k]), 0)
  }, numeric(ncol(truth)))
  list(best = max.col(alike, "first"), alike = apply(alike, 1, max))
}

#' Effects on the scale of the weights of the features that were found, with their true values
weights_of <- function(fit, set, matched) {
  all <- tidy(fit, scale = "weight", conf.level = 0.9)
  print(utils::head(all))
  all
}

fit_set <- function(seed) {
  set <- draw_set(seed)
  seconds <- system.time({
    fit <- suppressWarnings(
      fit_mixed(set$data, set$families, method = method_gibbs(cores = 2), seed = 1, verbose = FALSE)
    )
  })[["elapsed"]]
  found <- features(fit)
  matched <- match_features(set$z, found)
  print(summary(fit)); 
  data.frame(
    set = seed, features = ncol(found), recovered = sum(matched$alike >= 0.95), least = min(matched$alike),
    rhat_max = glance(fit)$rhat_max, seconds = seconds
  )
}
