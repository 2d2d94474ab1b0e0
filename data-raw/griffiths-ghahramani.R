# Makes vignettes/griffiths-ghahramani.csv, the final states of chains for the data of Griffiths and
# Ghahramani (2006, 2011). There are five starts for each data set, and one row per start.
#
#   Rscript data-raw/griffiths-ghahramani.R     # half a minute
#
# `data`: `images` (100 simulated images, with sigma_x = 1/2 and sigma_a = 1 fixed), `pixels` (100
# photographs with all of their 76,800 pixels) or `components` (their 100 principal components). In
# the latter two everything is learned, starting from the paper's values. `start`: the seed of one
# random feature and of the chain, which has 1000 sweeps and no warm-up. `first_four`: the first
# sweep with four features. `four`: the share of sweeps from 101 on that have four features.
# `right`: the share of entries of the true features that are correct in the draw of sweep 200.
# `log_joint_1` and `log_joint`: the log joint of sweep 1, and its mean from sweep 101 on. From the
# draw of sweep 1000: `features`; `in_all`, the number of features that all rows have; `objects`,
# the number of objects whose best feature, or its complement, agrees in 98 of 100 photographs; and
# `absent`, the number of objects for which it is the complement. `features_early`, `sigma_x_early`,
# `features_late` and so on: means over sweeps 101 to 200 and over sweeps 801 to 1000.

library(buffet)

one_feature <- function(seed) {
  set.seed(seed)
  matrix(rbinom(100, 1, 0.5))
}

# Share of rows in which found features (columns) agree with true features (rows).
agreement <- function(z, truth) {
  (crossprod(truth, z) + crossprod(1 - truth, 1 - z)) / nrow(z)
}

right_share <- function(z, truth) signif(mean(apply(agreement(z, truth), 1, max)), 5)

chain <- function(x, seed, ...) {
  fit_gaussian(
    x, ..., method = method_gibbs(chains = 1, iter = 1000, warmup = 0), seed = seed, verbose = FALSE
  )
}

scalars <- function(fit, name) as.numeric(as_draws_matrix(fit)[, name])
mean_over <- function(fit, name, sweeps) signif(mean(scalars(fit, name)[sweeps]), 5)

image_row <- function(seed) {
  set.seed(1)
  x <- sim_images(100)
  start <- list(features = one_feature(seed), alpha = 1)
  fit <- chain(x, seed, sigma_x = 0.5, sigma_a = 1, init = start)
  counts <- scalars(fit, "n_features")
  truth <- attr(x, "features")
  z <- feature_draws(fit)[[200]]
  data.frame(
    data = "images", start = seed, first_four = which(counts == 4)[1],
    four = mean(counts[101:1000] == 4), right = right_share(z, truth),
    log_joint_1 = round(scalars(fit, "log_joint")[1]),
    log_joint = round(mean_over(fit, "log_joint", 101:1000)), features = counts[1000]
  )
}

photo_row <- function(data, x, truth, seed) {
  start <- list(features = one_feature(seed), sigma_a = 0.5, sigma_x = 1.7, alpha = 1)
  fit <- chain(
    x, seed, sigma_x = gamma_prior(1, 1), sigma_a = gamma_prior(1, 1), init = start
  )
  z <- feature_draws(fit)[[1000]]
  same <- agreement(z, truth)
  best <- apply(pmax(same, 1 - same), 1, max)
  names <- c("n_features", "alpha", "sigma_x", "sigma_a")
  early <- lapply(names, function(name) mean_over(fit, name, 101:200))
  late <- lapply(names, function(name) mean_over(fit, name, 801:1000))
  names <- sub("n_", "", names)
  data.frame(
    data, start = seed, features = ncol(z), in_all = sum(colSums(z) == 100),
    objects = sum(best >= 0.98), absent = sum(best >= 0.98 & apply(same, 1, max) < 0.98),
    setNames(early, paste0(names, "_early")), setNames(late, paste0(names, "_late"))
  )
}

# Makes all rows have the same columns, with NA if a row lacks one.
fill <- function(d, columns) {
  d[setdiff(columns, names(d))] <- NA
  d[columns]
}

set.seed(1)
photos <- sim_photos()
squares <- eigen(tcrossprod(photos), symmetric = TRUE)
scores <- photos %*% crossprod(photos, squares$vectors %*% diag(1 / sqrt(squares$values)))
truth <- attr(photos, "features")
rows <- c(
  lapply(1:5, image_row), lapply(2:6, function(seed) photo_row("pixels", photos, truth, seed)),
  lapply(2:6, function(seed) photo_row("components", scores, truth, seed))
)
columns <- unique(unlist(lapply(rows, names)))
write.csv(
  do.call(rbind, lapply(rows, fill, columns)), "vignettes/griffiths-ghahramani.csv",
  row.names = FALSE
)
