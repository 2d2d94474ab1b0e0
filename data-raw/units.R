# Tests whether fits depend on the units of the data, using ten data sets in units of c and all
# numeric models. Prints whether fit(c * x) has the features of fit(x) in every draw, and the
# largest relative difference in sigma_x / c and sigma_a / c. For fit_nmf() and fit_cascade(), which
# have no such features, the fitted values are compared in units of c. Short chains are sufficient.
# Takes about ten minutes:
# Rscript data-raw/units.R [data set]

library(buffet)

spectra <- function() {
  set.seed(1)
  t <- 1:60
  peaks <- rbind(dnorm(t, 12, 3), dnorm(t, 28, 4), dnorm(t, 45, 5))
  peaks <- peaks / apply(peaks, 1, max)
  0.01 * (matrix(rbinom(150, 1, 0.5), 50) %*% peaks + rnorm(3000, 0, 0.05))
}

set.seed(1)
sets <- list(
  iris = as.matrix(iris[1:4]), mtcars = as.matrix(mtcars), USArrests = as.matrix(USArrests),
  swiss = as.matrix(swiss), faithful = as.matrix(faithful),
  airquality = as.matrix(airquality[1:4]), volcano = volcano[1:30, 1:20], images = sim_images(50),
  trees = as.matrix(trees), spectra = spectra()
)

chains <- function(...) method_gibbs(chains = 2, iter = 60, cores = 1, ...)
models <- list(
  "normal, collapsed" = \(x) fit(fit_gaussian, x, method = chains()),
  "normal, uncollapsed" = \(x) fit(fit_gaussian, x, method = chains(sampler = "uncollapsed")),
  "normal, slice" = \(x) fit(fit_gaussian, x, method = chains(sampler = "slice")),
  "normal, parallel" = \(x) fit(fit_gaussian, x, method = chains(sampler = "parallel")),
  "normal, centred" = \(x) fit(fit_gaussian, x, center = TRUE, method = chains()),
  "noise by column" = \(x) fit(fit_gaussian, x, noise = "column", method = chains()),
  "nonnegative" = \(x) fit(fit_gaussian, x, "nonnegative", method = chains()),
  "nonnegative, slice" = \(x) {
    fit(fit_gaussian, x, "nonnegative", method = chains(sampler = "slice"))
  },
  "nonnegative, parallel" = \(x) {
    fit(fit_gaussian, x, "nonnegative", method = chains(sampler = "parallel"))
  },
  "MEIBP" = \(x) fit(fit_gaussian, x, "nonnegative", method = method_meibp(max_features = 8)),
  "variational" = \(x) fit(fit_gaussian, x, method = method_variational(max_features = 6)),
  "variational, nonnegative" = \(x) {
    fit(fit_gaussian, x, "nonnegative", method = method_variational(max_features = 6))
  },
  "power EP" = \(x) fit(fit_gaussian, x, method = method_power_ep(max_features = 6)),
  "beam" = \(x) fit(fit_gaussian, x, method = method_beam()),
  "factors, sparse loadings" = \(x) fit(fit_factor, x, method = chains()),
  "factors, sparse factors" = \(x) fit(fit_factor, x, "factors", method = chains()),
  "factors, Laplace weights" = \(x) fit(fit_factor, x, weights = "laplace", method = chains()),
  "nmf, ICM" = \(x) fit(fit_nmf, x, 3, method = method_icm()),
  "nmf, Gibbs" = \(x) fit(fit_nmf, x, 3, method = chains()),
  "cascade" = \(x) fit(fit_cascade, x, method = method_gibbs(1, 60))
)

fit <- function(by, x, ...) {
  suppressMessages(suppressWarnings(by(x, ..., seed = 1, verbose = FALSE)))
}

sigmas <- function(fit) {
  scalars <- tidy(fit)
  of <- scalars$term %in% c("sigma_x", "sigma_a")
  stats::setNames(scalars$estimate[of], scalars$term[of])
}

#' Returns list(same, off), which compares a fit in units of `by` with the first fit
compare <- function(scaled, first, by) {
  features <- function(fit) {
    tryCatch(lapply(seq_along(feature_draws(fit)), \(n) feature_draws(fit)[[n]]),
      error = function(e) NULL
    )
  }
  of_first <- if (inherits(first, "fit_nmf")) NULL else features(first)
  same <- if (is.null(of_first) || inherits(first, "fit_cascade")) {
    isTRUE(all.equal(fitted(scaled) / by, fitted(first), tolerance = 1e-6))
  } else {
    identical(features(scaled), of_first)
  }
  a <- sigmas(scaled) / by
  b <- sigmas(first)
  off <- if (length(b) == 0) 0 else if (length(a) == length(b)) max(abs(a / b - 1)) else NA
  list(same = same, off = off)
}

units <- c("1e-6" = 1e-6, "1e-3" = 1e-3, "2^-10" = 2^-10, "2^10" = 2^10, "1e6" = 1e6)

asked <- commandArgs(TRUE)
if (length(asked) > 0) sets <- sets[asked]
rows <- list()
for (set in names(sets)) {
  for (model in names(models)) {
    x <- sets[[set]]
    first <- tryCatch(models[[model]](x), error = identity)
    if (inherits(first, "error")) {
      cat(set, model, conditionMessage(first), "\n")
      next
    }
    for (unit in names(units)) {
      found <- compare(models[[model]](units[[unit]] * x), first, units[[unit]])
      rows[[length(rows) + 1]] <- data.frame(set, model, unit, found)
    }
  }
}
rows <- do.call(rbind, rows)

shown <- with(rows, tapply(same, list(model, unit), function(s) paste0(sum(s), "/", length(s))))
cat("Number of data sets whose fits have identical features\n")
print(shown[intersect(names(models), rownames(shown)), names(units)], quote = FALSE)
cat("\nLargest relative difference in sigma / c if they are identical\n")
kept <- rows[rows$same, ]
print(with(kept, tapply(off, list(model, unit), max))[unique(kept$model), names(units)], digits = 2)
if (any(!rows$same)) {
  cat("\nOthers\n")
  print(rows[!rows$same, ], row.names = FALSE)
}
