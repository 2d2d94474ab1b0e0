# The table in vignettes/knowles-ghahramani.Rmd on data drawn from the model, with 200 rows, 50
# columns, 8 factors, a fifth of the loadings nonzero, and noise variances from .2 to 1. Takes a
# quarter of an hour on one core.
#   Rscript data-raw/factor-recovery.R
library(buffet)

make_data <- function(seed, rows = 200, columns = 50, factors = 8) {
  set.seed(seed)
  g <- matrix(rbinom(columns * factors, 1, 0.2) * rnorm(columns * factors), columns)
  variance <- runif(columns, 0.2, 1)
  noise <- matrix(rnorm(rows * columns), rows) * rep(sqrt(variance), each = rows)
  x <- tcrossprod(matrix(rnorm(rows * factors), rows), g) + noise
  list(x = x, loadings = g, variance = variance, covariance = tcrossprod(g) + diag(variance))
}

#' Share of the pairs of a nonzero and a zero loading in which the nonzero one has the larger score
area_under_curve <- function(score, nonzero) {
  ranks <- rank(score)
  (sum(ranks[nonzero]) / sum(nonzero) - (sum(nonzero) + 1) / 2) / sum(!nonzero)
}

#' The area under the curve for least squares given the true factors and noise. The estimate of a
#' loading has variance s^2 if the loading is zero, and 1 + s^2 otherwise.
largest_area <- function(made) {
  s <- sqrt(made$variance / nrow(made$x))
  mean(1 - 2 / pi * atan(s / sqrt(1 + s^2)))
}

#' Share of the entries of the covariance matrix that are within their 90 % intervals
coverage <- function(fit, made) {
  entries <- upper.tri(made$covariance, diag = TRUE)
  draws <- round(seq(1, posterior::ndraws(as_draws_array(fit)), length.out = 400))
  each <- vapply(draws, function(draw) {
    one <- buffet:::factor_draw(fit, draw)
    (tcrossprod(one$loadings) + diag(one$sigma_x^2))[entries]
  }, numeric(sum(entries)))
  ends <- apply(each, 1, quantile, c(0.05, 0.95))
  truth <- made$covariance[entries]
  mean(ends[1, ] <= truth & truth <= ends[2, ])
}

rows <- lapply(1:20, function(seed) {
  made <- make_data(seed)
  fit <- fit_factor(made$x, sigma_a = gamma_prior(1, 1), seed = 1, verbose = FALSE)
  common <- as.vector(as_draws_array(fit)[, , "n_common"])
  found <- t(loadings_of(fit))
  cosine <- abs(cor(made$loadings, found))
  of <- apply(cosine, 1, which.max)
  share <- attr(loadings_of(fit), "share")[of]
  score <- t(attr(loadings_of(fit), "probability"))[, of] * rep(share, each = 50)
  row <- data.frame(
    seed = seed, factors = as.integer(names(which.max(table(common)))), mean_factors = mean(common),
    largest_rhat = as.numeric(max(posterior::summarise_draws(as_draws_array(fit), "rhat")$rhat)),
    least_cosine = min(apply(cosine, 1, max)), coverage = coverage(fit, made),
    area = area_under_curve(as.vector(score), as.vector(made$loadings != 0)),
    largest_area = largest_area(made)
  )
  print(row, row.names = FALSE)
  row
})
table <- do.call(rbind, rows)
table[-(1:2)] <- lapply(table[-(1:2)], round, 3)
write.csv(table, "vignettes/factor-recovery.csv", row.names = FALSE)
