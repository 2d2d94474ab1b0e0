# Recovery of features and weights by fit_mixed(). Twenty data frames are drawn from its model, with
# two columns of each family, 500 rows and five features, and twenty more with weights of standard
# deviation 1.5 instead of 1. The script tests whether four chains of 2000 sweeps find the features,
# and whether intervals of the weights cover the truth. It writes vignettes/mixed-recovery.csv.
# Results for each data frame are saved in build/mixed-recovery, so a run that was stopped can be
# continued.

library(buffet)

families <- c(
  "gaussian", "lognormal", "bernoulli", "ordinal", "categorical", "negative_binomial", "poisson",
  "binomial(10)"
)

#' Draws a column of a family. Returns list(values, weights, w, eta, family): `weights`, features x
#' predictors, are in the units of `tidy(fit, scale = "weight")`, and `w` is in the units of the
#' linear predictors `eta`.
draw_column <- function(family, z, sd) {
  width <- if (family == "categorical") 3 else 1
  w <- sd * matrix(rnorm(ncol(z) * width), ncol(z))
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
  list(values = values, weights = w * units, w = w, eta = eta, family = family)
}

#' Log densities of the values of a column given these linear predictors, up to a constant
log_density <- function(column, eta) {
  x <- column$values
  code <- as.integer(x)
  switch(column$family,
    gaussian = dnorm(x / 2 - 5, eta[, 1], 0.5, TRUE),
    lognormal = dnorm(2 * (log(x) - 1), eta[, 1], 0.5, TRUE),
    bernoulli = dbinom(code, 1, plogis(eta[, 1]), TRUE),
    ordinal = {
      cuts <- c(-Inf, 0, 1, 2, Inf)
      log(pnorm(cuts[code + 1] - eta[, 1]) - pnorm(cuts[code] - eta[, 1]))
    },
    categorical = {
      chosen <- eta[cbind(seq_along(code), code)]
      others <- matrix(t(eta)[-(3 * (seq_along(code) - 1) + code)], 2)
      at <- seq(-6, 6, 0.05)
      log(rowSums(vapply(at, function(u) {
        dnorm(u) * pnorm(chosen + u - others[1, ]) * pnorm(chosen + u - others[2, ])
      }, numeric(length(code)))) * 0.05)
    },
    negative_binomial = dnbinom(x, mu = exp(1 + eta[, 1]), size = 4, log = TRUE),
    poisson = dpois(x, exp(1 + eta[, 1]), TRUE),
    "binomial(10)" = dbinom(x, 10, plogis(eta[, 1]), TRUE)
  )
}

#' Share of the rows in which each feature would be recovered if all weights, all other features and
#' its frequency were known, which is an upper bound for every method
known_by_oracle <- function(set) {
  vapply(seq_len(ncol(set$z)), function(k) {
    log_odds <- qlogis(mean(set$z[, k]))
    for (column in set$columns) {
      without <- column$eta - outer(set$z[, k], column$w[k, ])
      with <- sweep(without, 2, column$w[k, ], "+")
      log_odds <- log_odds + log_density(column, with) - log_density(column, without)
    }
    mean((log_odds > 0) == set$z[, k])
  }, 0)
}

#' Returns list(data, families, z, weights): a data frame, its families, and the true parameters
draw_set <- function(seed, sd, n = 500, k = 5) {
  withr::with_seed(seed, {
    z <- vapply(runif(k, 0.2, 0.5), function(p) rbinom(n, 1, p), integer(n))
    of <- rep(families, each = 2)
    columns <- lapply(of, draw_column, z, sd)
  })
  names(columns) <- paste0(gsub("[^a-z]", "", of), 1:2)
  list(
    data = as.data.frame(lapply(columns, `[[`, "values")),
    families = stats::setNames(of, names(columns)), z = z, columns = columns,
    weights = lapply(columns, `[[`, "weights")
  )
}

#' Returns list(best, alike, sign) for each feature found: the true feature that is most similar to
#' it or to its complement, the number of rows in which they agree, and which of the two it is. With
#' a bias, a feature and its complement, whose weights have the opposite sign, fit equally well. The
#' prior favours the rarer one by its odds.
match_features <- function(truth, found) {
  same <- crossprod(found, truth) + crossprod(1 - found, 1 - truth)
  alike <- pmax(same, nrow(truth) - same) / nrow(truth)
  best <- max.col(alike, "first")
  at <- cbind(seq_along(best), best)
  list(best = best, alike = alike[at], sign = ifelse(same[at] > nrow(truth) / 2, 1, -1))
}

#' Share of the weights of recovered features whose 90 % intervals contain the true weights
coverage <- function(fit, set, matched) {
  all <- tidy(fit, scale = "weight", conf.level = 0.9)
  held <- unlist(lapply(names(set$weights), function(column) {
    of <- all[all$column == column, ]
    vapply(seq_along(matched$best), function(k) {
      if (matched$alike[k] < 0.95) return(rep(NA, ncol(set$weights[[column]])))
      one <- of[of$feature == paste0("f", k), ]
      truth <- matched$sign[k] * set$weights[[column]][matched$best[k], ]
      one$conf.low <= truth & truth <= one$conf.high
    }, logical(ncol(set$weights[[column]])))
  }))
  mean(held, na.rm = TRUE)
}

#' Number of rows in which each true feature agrees with the most similar feature found
best_alike <- function(truth, found) {
  matched <- match_features(truth, found)
  vapply(seq_len(ncol(truth)), function(t) max(0, matched$alike[matched$best == t]), 0)
}

#' Number of features that a chain keeps if it starts from the true features, which is the number
#' that the data support
kept_from_truth <- function(set) {
  method <- method_gibbs(iter = 1000, chains = 1)
  fit <- suppressWarnings(
    fit_mixed(set$data, set$families, method = method, init = set$z, seed = 1, verbose = FALSE)
  )
  sum(best_alike(set$z, features(fit)) >= 0.95)
}

fit_set <- function(seed, sd, folder) {
  kept <- file.path(folder, sprintf("set-%g-%02d.rds", sd, seed))
  if (file.exists(kept)) return(readRDS(kept))
  set <- draw_set(seed, sd)
  method <- method_gibbs(iter = 2000, cores = 2)
  seconds <- system.time({
    fit <- suppressWarnings(
      fit_mixed(set$data, set$families, method = method, seed = 1, verbose = FALSE)
    )
  })[["elapsed"]]
  matched <- match_features(set$z, features(fit))
  best <- best_alike(set$z, features(fit))
  row <- data.frame(
    sd = sd, set = seed, features = ncol(features(fit)),
    common = sum(colSums(features(fit)) > 10), recovered = sum(best >= 0.95),
    from_truth = kept_from_truth(set), least = min(best),
    coverage = coverage(fit, set, matched),
    rhat_max = as.double(glance(fit)$rhat_max),
    seconds = seconds
  )
  saveRDS(row, kept)
  row
}

folder <- "build/mixed-recovery"
dir.create(folder, FALSE, TRUE)
rows <- Map(function(seed, sd) {
  row <- fit_set(seed, sd, folder)
  row$oracle <- min(known_by_oracle(draw_set(seed, sd)))
  print(row, row.names = FALSE)
  row
}, rep(1:20, 2), rep(c(1, 1.5), each = 20))
table <- do.call(rbind, rows)
table[-(1:6)] <- lapply(table[-(1:6)], round, 3)
write.csv(table, "vignettes/mixed-recovery.csv", row.names = FALSE)
