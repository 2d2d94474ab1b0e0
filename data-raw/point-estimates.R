# Compares two point estimates of the features with the truth: the medoid, and the estimate with the
# smallest expected loss. For 100 data sets of each of three kinds, prints the mean FARO distances
# to the true features (with cost 1, the number of entries that differ), the mean difference of
# these distances with its standard error, and the numbers of features. Takes two minutes on one
# core.
#   Rscript data-raw/point-estimates.R [data sets of each kind]
library(buffet)

kinds <- list(
  strong = list(n = 50, columns = 12, features = 3, share = 0.3, loadings = 2, noise = 1.5),
  overlapping = list(n = 60, columns = 15, features = 6, share = 0.5, loadings = 1, noise = 1),
  weak = list(n = 60, columns = 10, features = 4, share = 0.3, loadings = 0.7, noise = 1)
)

#' The loss if the truth is the only draw
distance <- function(z, truth) {
  truth <- truth[, colSums(truth) > 0, drop = FALSE]
  padded <- rbind(truth, matrix(0L, -nrow(truth) %% 64, ncol(truth)))
  draw <- list(rows = nrow(truth), sizes = ncol(truth), bits = packBits(padded))
  buffet:::expected_loss_cpp(draw, z, 1, FALSE)
}

row_of <- function(kind, seed) {
  set.seed(seed)
  of <- kinds[[kind]]
  z <- matrix(rbinom(of$n * of$features, 1, of$share), of$n)
  a <- matrix(rnorm(of$features * of$columns, 0, of$loadings), of$features)
  x <- z %*% a + rnorm(of$n * of$columns, 0, of$noise)
  fit <- suppressWarnings(fit_gaussian(
    x, method = method_gibbs(chains = 1, iter = 600), seed = seed, verbose = FALSE
  ))
  medoid <- suppressMessages(features(fit))
  other <- suppressMessages(features(fit, estimate = "expected_loss"))
  data.frame(
    kind, medoid = distance(medoid, z), expected_loss = distance(other, z),
    loss_of_medoid = expected_loss(fit, medoid), loss_of_other = expected_loss(fit, other),
    features_of_medoid = ncol(medoid), features_of_other = ncol(other)
  )
}

sets <- as.integer(c(commandArgs(TRUE), 100)[1])
rows <- do.call(rbind, lapply(names(kinds), function(kind) {
  do.call(rbind, lapply(seq_len(sets), \(seed) row_of(kind, seed)))
}))
stopifnot(rows$loss_of_other <= rows$loss_of_medoid)
table <- do.call(rbind, lapply(split(rows, factor(rows$kind, names(kinds))), function(of) {
  difference <- of$expected_loss - of$medoid
  data.frame(
    t(colMeans(of[-1])), difference = mean(difference), se = sd(difference) / sqrt(nrow(of))
  )
}))
print(signif(table, 4))
