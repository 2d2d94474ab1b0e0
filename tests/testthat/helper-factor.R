# Short, silent fits of factor models, and data generated from these models.

quick_factor <- function(x, ..., method = method_gibbs(chains = 2, iter = 200), seed = 1) {
  fit_factor(x, ..., method = method, seed = seed, verbose = FALSE)
}

#' Data with sparse loadings (a fifth are nonzero) and separate noise for each column
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

# Checks that fits by `quick`, a function of the data and of arguments of method_gibbs() or
# fit_factor(), are the same with any number of cores, if they are extended, and if they are saved.
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

item_loadings <- rbind(
  c(1.5, 0), c(1.2, 0), c(1, 0), c(0.9, 0), c(0, 1.5), c(0, 1), c(0, 0.8), c(0, 1.2)
)
item_cuts <- list(c(-1, 0, 1), 0.3, -0.5, NULL, c(-0.5, 0.5), 0, NULL, c(-1.5, 0.8))

#' Simulated answers with two true factors: items with four categories, yes/no items, and numbers
sim_items <- function(n, seed = 1) {
  withr::with_seed(seed, {
    scores <- matrix(rnorm(2 * n), n)
    u <- tcrossprod(scores, item_loadings) + rnorm(8 * n)
  })
  code <- function(j) findInterval(u[, j], item_cuts[[j]])
  x <- data.frame(
    a = factor(letters[code(1) + 1], letters[1:5], ordered = TRUE), b = code(2) == 1,
    c = factor(code(3), labels = c("no", "yes")), d = u[, 4], e = code(5) + 1L, f = code(6) == 1,
    g = 10 * u[, 7] + 100, h = ordered(code(8))
  )
  for (j in c(1, 2, 4, 5)) x[3 * j, j] <- NA
  x
}

quick_items <- function(x = sim_items(60), ..., iter = 200, seed = 1, cores = 1, most = NULL) {
  suppressWarnings(fit_factor(x, c(e = "ordinal"), ...,
    scale = TRUE, method = method_gibbs(2, iter, cores = cores, max_features = most), seed = seed,
    verbose = FALSE
  ))
}

#' Three uncorrelated factors with four columns each, and two columns with their own factor
three_factors <- function(n = 400) {
  withr::with_seed(1, {
    truth <- matrix(0, 12, 3)
    truth[cbind(1:12, rep(1:3, each = 4))] <- rep(c(0.8, 0.7, -0.8), each = 4)
    scores <- matrix(rnorm(3 * n), n)
    x <- tcrossprod(scores, truth) + matrix(rnorm(12 * n, sd = 0.6), n)
    x[, c(4, 12)] <- x[, c(4, 12)] + 0.5 * rnorm(n)
    colnames(x) <- paste0("v", 1:12)
  })
  list(x = x, truth = truth, scores = scores)
}

major_fit <- function() {
  once("major factors", suppressWarnings(
    quick_factor(three_factors()$x, method = method_gibbs(2, 600, thin = 4))
  ))
}
