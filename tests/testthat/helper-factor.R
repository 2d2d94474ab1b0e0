# Factor models, short and silent, and data made from them.

quick_factor <- function(x, ..., method = method_gibbs(chains = 2, iter = 200), seed = 1) {
  fit_factor(x, ..., method = method, seed = seed, verbose = FALSE)
}

#' Data of sparse loadings, a fifth of which is not 0, with the noise of each column
sparse_factors <- function(seed, rows = 200, columns = 50, factors = 8) {
  withr::with_seed(seed, {
    g <- matrix(stats::rbinom(columns * factors, 1, 0.2), columns) *
      matrix(stats::rnorm(columns * factors), columns)
    sd <- sqrt(stats::runif(columns, 0.2, 1))
    noise <- matrix(stats::rnorm(rows * columns), rows) * rep(sd, each = rows)
    x <- tcrossprod(matrix(stats::rnorm(rows * factors), rows), g) + noise
    colnames(x) <- paste0("v", seq_len(columns))
    list(x = x, loadings = g, covariance = tcrossprod(g) + diag(sd^2))
  })
}

small_factor_data <- function() sparse_factors(3, rows = 20, columns = 6, factors = 2)$x

# Fits by `quick`, a function of data and arguments of method_gibbs() or fit_factor(), are the same
# on any number of cores, if extended, and if saved.
expect_same_runs <- function(quick, x) {
  whole <- quick(x, iter = 60)
  expect_identical(quick(x, iter = 60, cores = 2)$loadings, whole$loadings)
  longer <- suppressWarnings(update(whole, iter = 120))
  again <- suppressWarnings(update(quick(x, iter = 60), iter = 120, verbose = FALSE))
  expect_identical(posterior::as_draws_array(longer), posterior::as_draws_array(again))
  file <- withr::local_tempfile(fileext = ".rds")
  saved <- quick(x, iter = 60, file = file)
  expect_identical(posterior::as_draws_array(saved), posterior::as_draws_array(whole))
}
