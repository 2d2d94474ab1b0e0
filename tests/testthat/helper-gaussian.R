# The linear-Gaussian model computed from its definition, independently of the package.

#' Calls fit_gaussian(), without messages and by default for a short run
quick_fit <- function(x, ..., method = method_gibbs(chains = 2, iter = 200), seed = 1) {
  fit_gaussian(x, ..., method = method, seed = seed, verbose = FALSE)
}

#' A single draw from a chain that starts at `init`
one_draw <- function(x, ..., seed = 1) {
  quick_fit(x, ..., method = method_gibbs(chains = 1, iter = 1, warmup = 0), seed = seed)
}

#' The scalars of a fit, with one draw per row
scalars_of <- function(fit) unclass(posterior::as_draws_matrix(fit))[, , drop = FALSE]

#' log p(X | Z), in which columns of X are normal with an N x N covariance
naive_log_lik <- function(x, z, sigma_x, sigma_a) {
  v <- sigma_a^2 * tcrossprod(z) + sigma_x^2 * diag(nrow(x))
  -0.5 * (ncol(x) * (nrow(x) * log(2 * pi) + log(det(v))) + sum(x * solve(v, x)))
}

#' E[Z A | X]: the conditional mean of one normal vector given another
naive_fitted <- function(x, z, sigma_x, sigma_a) {
  signal <- sigma_a^2 * tcrossprod(z)
  signal %*% solve(signal + sigma_x^2 * diag(nrow(x)), x)
}

log_sum_exp <- function(x) max(x) + log(sum(exp(x - max(x))))

#' Data generated from the model, with the truth as attributes
draw_gaussian <- function(z, columns, sigma_x, sigma_a) {
  a <- matrix(stats::rnorm(ncol(z) * columns, sd = sigma_a), ncol(z), columns)
  x <- z %*% a + stats::rnorm(nrow(z) * columns, sd = sigma_x)
  structure(x, features = z, loadings = a)
}

#' Draws matrices from a buffet, customer by customer
draw_buffet <- function(rows, alpha, concentration = 1) {
  z <- matrix(0, 0, 0)
  for (i in seq_len(rows)) {
    old <- stats::rbinom(ncol(z), 1, colSums(z) / (i - 1 + concentration))
    new <- stats::rpois(1, alpha * concentration / (concentration + i - 1))
    z <- rbind(cbind(z, matrix(0, i - 1, new)), matrix(c(old, rep(1, new)), 1))
  }
  z
}

#' Expects the means of independent replicates (one per row) to agree with the expected values
expect_replicates <- function(replicates, expected, limit = 4.5) {
  n <- nrow(replicates)
  spread <- apply(replicates, 2, stats::sd) / sqrt(n)
  z <- (colMeans(replicates) - expected) / spread
  expect_lt(max(abs(z)), limit)
}

#' Nearly independent replicates from an autocorrelated sequence of draws, with one row per
#' replicate
batch_means <- function(draws, batches = 40) {
  batch <- ceiling(seq_len(nrow(draws)) * batches / nrow(draws))
  rowsum(draws, batch) / as.vector(table(batch))
}

#' Compares two sequences of draws by the mean and the mean square of every column
expect_same_law <- function(draws, others, limit = 4.5) {
  moments <- function(d) batch_means(cbind(d, d^2))
  a <- moments(draws)
  b <- moments(others)
  error <- sqrt(apply(a, 2, stats::var) / nrow(a) + apply(b, 2, stats::var) / nrow(b))
  expect_lt(max(abs(colMeans(a) - colMeans(b)) / error), limit)
}

#' The rendered layers of a plot, which must not raise a warning or an error
build_plot <- function(plot) {
  expect_s3_class(plot, "ggplot")
  expect_no_warning(built <- ggplot2::ggplot_build(plot))
  built
}

#' The labels along an axis of the first panel of a plot, from left to right or from top to bottom
axis_labels <- function(plot, axis) {
  scale <- build_plot(plot)$layout$panel_params[[1]][[axis]]
  labels <- scale$get_labels()[order(scale$get_breaks())]
  labels <- labels[!is.na(labels)]
  if (axis == "y") rev(labels) else labels
}

panels_shown <- function(plot) as.character(build_plot(plot)$layout$layout$panel)

# Entries may be missing. Each column of the data is a normal vector with this covariance.
column_covariance <- function(z, sigma_x, sigma_a) {
  sigma_a^2 * tcrossprod(z) + sigma_x^2 * diag(nrow(z))
}

#' log p(observed entries | Z)
naive_log_lik_observed <- function(x, z, sigma_x, sigma_a) {
  v <- column_covariance(z, sigma_x, sigma_a)
  sum(apply(x, 2, function(column) {
    seen <- which(!is.na(column))
    if (length(seen) == 0) return(0)
    v <- v[seen, seen, drop = FALSE]
    -0.5 * (log(det(2 * pi * v)) + sum(column[seen] * solve(v, column[seen])))
  }))
}

#' Mean of Z A and variance of Z A + E for every entry, given the observed entries
naive_conditional <- function(x, z, sigma_x, sigma_a) {
  v <- column_covariance(z, sigma_x, sigma_a)
  signal <- v - sigma_x^2 * diag(nrow(z))
  mean <- variance <- matrix(0, nrow(x), ncol(x))
  for (d in seq_len(ncol(x))) {
    seen <- which(!is.na(x[, d]))
    weights <- signal[, seen, drop = FALSE] %*% solve(v[seen, seen, drop = FALSE])
    mean[, d] <- weights %*% x[seen, d]
    variance[, d] <- diag(v) - rowSums(weights * signal[, seen, drop = FALSE])
  }
  list(mean = mean, variance = variance)
}

#' Loadings given the observed entries, computed by regressing each column on the features in the
#' rows in which it is observed
naive_loadings <- function(x, z, sigma_x, sigma_a) {
  vapply(seq_len(ncol(x)), function(d) {
    seen <- !is.na(x[, d])
    rows <- rbind(z[seen, , drop = FALSE], diag(sigma_x / sigma_a, ncol(z)))
    qr.solve(rows, c(x[seen, d], rep(0, ncol(z))))
  }, numeric(ncol(z)))
}

#' Sets some entries to NA
with_holes <- function(x, count, seed = 1) {
  withr::with_seed(seed, x[sample(length(x), count)] <- NA)
  x
}

#' Every draw of a fit as list(z, a, sigma_x, sigma_a); `a` is given only for nonnegative loadings
whole_draws <- function(fit) {
  s <- scalars_of(fit)
  columns <- ncol(fitted(fit))
  end <- 0
  lapply(seq_len(nrow(s)), function(i) {
    z <- draw_features_cpp(unclass(fit$feature_draws), i)
    own <- seq_len(ncol(z) * columns)
    a <- t(matrix(fit$internal$draws_loadings[end + own], columns))
    end <<- end + length(own)
    list(z = z, a = a, sigma_x = s[i, "sigma_x"], sigma_a = s[i, "sigma_a"])
  })
}

mean_of <- function(list) Reduce(`+`, list) / length(list)
