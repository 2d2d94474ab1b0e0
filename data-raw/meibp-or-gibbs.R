# Makes the tables in the section "MEIBP or Gibbs" of vignettes/reed-ghahramani.Rmd.
#
#   Rscript data-raw/meibp-or-gibbs.R synthetic     # meibp-or-gibbs.csv, about ten minutes
#   Rscript data-raw/meibp-or-gibbs.R intervals     # meibp-intervals.csv, about five minutes
#   Rscript data-raw/meibp-or-gibbs.R faces FILE    # meibp-faces.csv and .rds, ten minutes
#
# FILE contains the 400 faces of AT&T Laboratories Cambridge as the matrix `olivetti`, 400 x 4096,
# with grey values in [0, 1]. There are ten consecutive images of each person, with pixels in row
# order. The file can be made from any copy of that database.
#
# Everything runs on one thread. Times are processor seconds and exclude the evaluation of the fits.
# Results are saved in build/meibp-or-gibbs, so a second call continues where the first one ended.
# Remove these files after changing the package.

library(buffet)

cache <- "build/meibp-or-gibbs"
dir.create(cache, recursive = TRUE, showWarnings = FALSE)

kept <- function(name, expr) {
  file <- file.path(cache, paste0(gsub("[^A-Za-z0-9]+", "-", name), ".rds"))
  if (!file.exists(file)) saveRDS(expr, file)
  readRDS(file)
}

processor_seconds <- function(expr) {
  before <- proc.time()
  force(expr)
  sum((proc.time() - before)[c("user.self", "sys.self")])
}

write_table <- function(table, name) {
  path <- file.path("vignettes", paste0(name, ".csv"))
  write.csv(table, path, row.names = FALSE)
}

log_mean_exp <- function(v) max(v) + log(mean(exp(v - max(v))))

# Makes one fit. Returns its seconds, including the seconds of the fit from which it starts, and its
# predictions.
measure <- function(method, sweeps, fit, seconds, x) {
  score <- mean(heldout_density(fit, x))
  fits <- if (inherits(fit, "fit_point")) features(fit) else feature_draws(fit)
  counts <- if (is.matrix(fits)) ncol(fits) else as_draws_df(fit)$n_features
  data.frame(
    method, sweeps, seconds = signif(seconds, 3), log_density = round(score, 5),
    features = round(mean(counts), 1)
  )
}

fit_meibp <- function(x, max_features = 20, restarts = 1) {
  method <- method_meibp(max_features = max_features, restarts = restarts)
  seconds <- processor_seconds(
    fit <- fit_gaussian(
      x, "nonnegative", gamma_prior(1, 1), gamma_prior(1, 1), method = method, seed = 1,
      verbose = FALSE
    )
  )
  list(fit = fit, seconds = seconds)
}

fit_gibbs <- function(x, sweeps, ...) {
  method <- method_gibbs(chains = 1, iter = sweeps, cores = 1)
  seconds <- processor_seconds(
    fit <- fit_gaussian(
      x, ..., sigma_x = gamma_prior(1, 1), sigma_a = gamma_prior(1, 1), method = method, seed = 1,
      verbose = FALSE
    )
  )
  list(fit = fit, seconds = seconds)
}

## Synthetic data with 500 rows, 100 columns, 8 features that each row has with probability 0.3,
## loadings |N(0, 1)|, two noise levels, and a fifth of the entries missing.

simulate_synthetic <- function(sigma_x, data_set) {
  set.seed(data_set)
  z <- matrix(rbinom(500 * 8, 1, 0.3), 500)
  loadings <- matrix(abs(rnorm(8 * 100)), 8)
  x <- z %*% loadings + rnorm(500 * 100, sd = sigma_x)
  list(x = x, loadings = loadings, hidden = sample(length(x), length(x) / 5))
}

# The density given the true loadings and noise and the probability 0.3.
oracle <- function(data, sigma_x) {
  z <- as.matrix(expand.grid(rep(list(0:1), 8)))
  means <- z %*% data$loadings
  prior <- rowSums(dbinom(z, 1, 0.3, log = TRUE))
  seen <- matrix(TRUE, nrow(data$x), ncol(data$x))
  seen[data$hidden] <- FALSE
  mean(unlist(lapply(seq_len(nrow(data$x)), function(i) {
    densities <- dnorm(rep(data$x[i, ], each = nrow(z)), means, sigma_x, log = TRUE)
    densities <- matrix(densities, nrow(z))
    weights <- prior + rowSums(densities[, seen[i, ], drop = FALSE])
    of <- function(column) log_mean_exp(weights + column) - log_mean_exp(weights)
    apply(densities[, !seen[i, ], drop = FALSE], 2, of)
  })))
}

compare_synthetic <- function(sigma_x, data_set) {
  data <- simulate_synthetic(sigma_x, data_set)
  x <- data$x
  holes <- replace(x, data$hidden, NA)
  point <- fit_meibp(holes)
  again <- fit_meibp(holes, restarts = 5)
  kinds <- list(
    "Gibbs, nonnegative" = list("nonnegative"), "Gibbs, normal" = list("normal"),
    "MEIBP, then Gibbs" = list("nonnegative", init = point$fit)
  )
  sweeps <- c(20, 50, 100, 200, 500, 1000, 2000)
  grid <- expand.grid(sweeps = sweeps, kind = names(kinds), stringsAsFactors = FALSE)
  gibbs <- Map(function(kind, sweeps) {
    run <- do.call(fit_gibbs, c(list(holes, sweeps), kinds[[kind]]))
    before <- if (is.null(kinds[[kind]]$init)) 0 else point$seconds
    measure(kind, sweeps, run$fit, before + run$seconds, x)
  }, grid$kind, grid$sweeps)
  cbind(
    sigma_x, data_set, oracle = round(oracle(data, sigma_x), 5),
    rbind(
      measure("MEIBP", 1, point$fit, point$seconds, x),
      measure("MEIBP", 5, again$fit, again$seconds, x), do.call(rbind, unname(gibbs))
    )
  )
}

run_synthetic <- function() {
  cases <- expand.grid(data_set = 1:5, sigma_x = c(1, 3))
  tables <- Map(function(sigma_x, data_set) {
    kept(paste("synthetic", sigma_x, data_set), compare_synthetic(sigma_x, data_set))
  }, cases$sigma_x, cases$data_set)
  write_table(do.call(rbind, tables), "meibp-or-gibbs")
}

## Intervals. Data are drawn from the model, with standard deviations from the priors of the fits.
## Then 90 % intervals should cover the truth in 90 of 100 data sets.

compare_intervals <- function(data_set) {
  set.seed(data_set)
  truth <- c(
    sigma_x = 1 / sqrt(rgamma(1, 10, 2.5)), sigma_a = 1 / sqrt(rgamma(1, 10, 10)), n_features = NA
  )
  z <- ribp(60, alpha = 2)
  truth["n_features"] <- ncol(z)
  loadings <- matrix(abs(rnorm(ncol(z) * 12, sd = truth["sigma_a"])), ncol(z))
  x <- z %*% loadings + rnorm(60 * 12, sd = truth["sigma_x"])
  fit <- function(method) {
    fit_gaussian(
      x, "nonnegative", gamma_prior(10, 2.5), gamma_prior(10, 10), prior = prior_ibp(alpha = 2),
      method = method, seed = data_set, verbose = FALSE
    )
  }
  point <- fit(method_meibp())
  sample <- method_gibbs(chains = 2, iter = 2500, warmup = 500, cores = 1)
  known <- as.data.frame(tidy(point, conf.level = 0.9))
  known <- known[match(names(truth), known$term), c("estimate", "conf.low", "conf.high")]
  known[3, 1] <- ncol(features(point))
  of_draws <- function(fit) {
    draws <- as.data.frame(as_draws_df(fit))[names(truth)]
    t(apply(draws, 2, function(v) c(mean(v), quantile(v, c(0.05, 0.95)))))
  }
  frame <- function(method, m) {
    m <- signif(as.matrix(m), 4)
    data.frame(
      data_set, method, variable = names(truth), truth = signif(truth, 4), estimate = m[, 1],
      low = m[, 2], high = m[, 3], row.names = NULL
    )
  }
  rbind(frame("MEIBP", known), frame("Gibbs", of_draws(fit(sample))))
}

run_intervals <- function() {
  tables <- lapply(1:200, function(d) kept(paste("intervals", d), compare_intervals(d)))
  write_table(do.call(rbind, tables), "meibp-intervals")
}

## Faces. Either the lower half of the last image of each of the 40 people is hidden, or a random
## tenth of all pixels.

hide <- function(x, side, hidden) {
  if (hidden == "halves") {
    x[seq(10, 400, 10), seq(side^2 / 2 + 1, side^2)] <- NA
    return(x)
  }
  set.seed(1)
  replace(x, sample(length(x), length(x) / 10), NA)
}

halve <- function(x, side) {
  first <- rep(seq(1, side, 2), side / 2)
  corner <- first + side * (rep(seq(1, side, 2), each = side / 2) - 1)
  (x[, corner] + x[, corner + 1] + x[, corner + side] + x[, corner + side + 1]) / 4
}

as_bytes <- function(x, high = 1) {
  array(as.raw(round(255 * pmin(pmax(x / high, 0), 1))), dim(x))
}

run_faces <- function(path) {
  load(path)
  full <- as.matrix(olivetti)
  small <- halve(full, 64)
  one <- function(hidden, x, features, method, sweeps = NA, from = NULL) {
    kept(paste("faces", hidden, ncol(x), features, method, sweeps), {
      holes <- hide(x, sqrt(ncol(x)), hidden)
      gibbs <- function(...) fit_gibbs(holes, sweeps, prior = prior_beta_bernoulli(features), ...)
      run <- switch(method,
        MEIBP = fit_meibp(holes, features),
        "Gibbs, nonnegative" = gibbs("nonnegative"),
        "Gibbs, normal" = gibbs(),
        "MEIBP, then Gibbs" = gibbs("nonnegative", init = from$fit)
      )
      filled <- fitted(run$fit)
      before <- if (is.null(from)) 0 else from$row$seconds
      row <- measure(method, sweeps, run$fit, before + run$seconds, x)
      row$rmse <- round(sqrt(mean((filled - x)[is.na(holes)]^2)), 4)
      row <- cbind(hidden, pixels = ncol(x), max_features = features, row)
      print(row)
      list(fit = run$fit, filled = filled, row = row)
    })
  }
  mean_face <- function(hidden, x) {
    holes <- hide(x, sqrt(ncol(x)), hidden)
    lost <- is.na(holes)
    guess <- matrix(colMeans(holes, na.rm = TRUE), nrow(x), ncol(x), byrow = TRUE)
    sd <- sqrt(mean((guess - x)[!lost]^2))
    data.frame(
      hidden, pixels = ncol(x), max_features = NA, method = "mean face", sweeps = NA, seconds = NA,
      log_density = round(mean(dnorm(x[lost], guess[lost], sd, log = TRUE)), 5), features = NA,
      rmse = round(sqrt(mean((guess - x)[lost]^2)), 4)
    )
  }
  compare <- function(hidden) {
    point <- one(hidden, small, 20, "MEIBP")
    runs <- list(
      point, one(hidden, small, 20, "Gibbs, nonnegative", 200),
      one(hidden, small, 20, "Gibbs, nonnegative", 1200),
      one(hidden, small, 20, "MEIBP, then Gibbs", 200, point)
    )
    rbind(mean_face(hidden, small), do.call(rbind, lapply(runs, `[[`, "row")))
  }
  large <- one("halves", full, 20, "MEIBP")
  tables <- list(
    compare("halves"), compare("pixels"), large$row, one("halves", small, 50, "MEIBP")$row
  )
  write_table(do.call(rbind, tables), "meibp-faces")
  twenty <- one("halves", small, 20, "MEIBP")
  sampled <- one("halves", small, 20, "Gibbs, nonnegative", 1200)
  shown <- c(10, 90, 130, 210, 280, 350)
  a <- loadings_of(large$fit)
  pictures <- list(
    features = as_bytes(a, quantile(a, 0.995)), sizes = colSums(features(large$fit)),
    truth = as_bytes(small[shown, ]), meibp = as_bytes(twenty$filled[shown, ]),
    gibbs = as_bytes(sampled$filled[shown, ])
  )
  saveRDS(pictures, "vignettes/meibp-faces.rds", compress = "xz")
}

arguments <- commandArgs(trailingOnly = TRUE)
switch(arguments[1],
  synthetic = run_synthetic(),
  intervals = run_intervals(),
  faces = run_faces(arguments[2])
)
