# The fits have one draw of Z and its hyperparameters, and the features of a new row are enumerated.

z <- cbind(c(1, 1, 1, 0, 0, 1), c(0, 1, 0, 1, 0, 1), c(0, 0, 1, 1, 1, 0))
x <- withr::with_seed(21, draw_gaussian(z, 3, 0.5, 1.2))
new <- rbind(c(0.7, -0.9, 0.4), c(1.5, NA, -0.2), c(NA, NA, 1), c(NA, NA, NA))

#' Posterior of a new row, over every pattern of the old features and up to `own` singletons.
#' Patterns are weighted by p(X, x_new | Z, z_new), the normal density of whole columns.
enumerate_row <- function(row, fit, ..., draw = 1) {
  z <- feature_draws(fit)[[draw]]
  s <- scalars_of(fit)[draw, ]
  data <- model_data(fit)
  n <- nrow(z)
  cases <- next_cases(z, s[["alpha"]], ...)
  each <- vapply(seq_along(cases$own), function(case) {
    bits <- cases$bits[case, ]
    own <- cases$own[case]
    log_p <- cases$log_p[case]
    whole <- rbind(cbind(z, matrix(0, n, own)), c(bits, rep(1, own)))
    mean <- numeric(length(row))
    for (d in seq_along(row)) {
      seen <- !is.na(c(data[, d], row[d]))
      values <- c(data[, d], row[d])[seen]
      log_p <- log_p + naive_log_lik(
        matrix(values), whole[seen, , drop = FALSE], s[["sigma_x"]], s[["sigma_a"]]
      )
      signal <- s[["sigma_a"]]^2 * tcrossprod(whole)
      noise <- diag(s[["sigma_x"]]^2, n + 1)
      mean[d] <- signal[n + 1, seen] %*% solve((signal + noise)[seen, seen], values)
    }
    c(log_p, mean, bits)
  }, numeric(1 + length(row) + ncol(z)))
  p <- exp(each[1, ] - log_sum_exp(each[1, ]))
  means <- as.vector(each[-1, ] %*% p)
  list(response = means[seq_along(row)], features = means[-seq_along(row)])
}

one_draw_of <- function(prior, data = x) {
  one_draw(data, sigma_x = 0.5, sigma_a = 1.2, prior = prior, init = z)
}

expect_enumerated <- function(fit, ..., rows = sized(1:2, 1:4)) {
  for (i in rows) {
    exact <- enumerate_row(new[i, ], fit, ...)
    row <- new[i, , drop = FALSE]
    expect_replicates(predict_anew(fit, row, 40, takes = 100), exact$response)
    expect_replicates(predict_anew(fit, row, 80, type = "features"), exact$features)
  }
}

test_that("predictions of new rows agree with enumeration under the three-parameter process", {
  prior <- prior_ibp(2, concentration = 3, discount = 0.3)
  expect_enumerated(one_draw_of(prior), concentration = 3, discount = 0.3)
})

test_that("predictions of new rows agree with enumeration under the finite model", {
  prior <- prior_beta_bernoulli(6, 3, concentration = 2)
  expect_enumerated(one_draw_of(prior), concentration = 2, size = 6)
})

test_that("columns of predicted features agree with features()", {
  # If there is little noise, a copy of a row of the data has the features of that row.
  clear <- withr::with_seed(5, draw_gaussian(ribp(30, 3), 20, 0.1, 1))
  fit <- quick_fit(clear, sigma_x = 0.1, sigma_a = 1, init = attr(clear, "features"))
  p <- predict(fit, clear, type = "features")
  expect_identical(dimnames(p), list(NULL, colnames(features(fit))))
  old <- colSums(features(fit)) > 1
  expect_gt(sum(old), 4)
  expect_lt(max(abs(p - features(fit))[, old]), 0.05)
})

test_that("the response is averaged over the draws of a fit", {
  fit <- quick_fit(
    x, prior = prior_ibp(2), method = method_gibbs(chains = 1, iter = 12, warmup = 10)
  )
  each <- vapply(1:2, function(draw) enumerate_row(new[1, ], fit, draw = draw)$response, new[1, ])
  exact <- rowMeans(each)
  expect_replicates(predict_anew(fit, new[1, , drop = FALSE], 40, takes = sized(30, 100)), exact)
})

# The data determine Z, so all draws of Z are equal and only the draws of the loadings vary.
frozen_draws <- sized(1100L, 4000L)
frozen_fit <- function() {
  once("frozen", {
    z <- cbind(c(1, 1, 0, 0), c(0, 1, 1, 0))
    x <- z %*% rbind(c(80, -60), c(-50, 90)) + c(0.5, -1, 2, 0.2)
    fit <- quick_fit(
      x, sigma_x = 1, sigma_a = 5, prior = prior_beta_bernoulli(2, 1), init = z,
      method = method_gibbs(chains = 1, iter = frozen_draws, warmup = 0)
    )
    expect_identical(unique(scalars_of(fit)[, "n_ones"]), 4)
    fit
  })
}

test_that("replicated data have the distribution implied by the model given Z", {
  fit <- frozen_fit()
  draws <- withr::with_seed(1, posterior_predict(fit, ndraws = frozen_draws))
  expect_identical(dim(draws), c(frozen_draws, 4L, 2L))
  z <- features(fit)
  signal <- 25 * tcrossprod(z)
  mean <- naive_fitted(fitted(fit) + residuals(fit), z, 1, 5)
  covariance <- signal - signal %*% solve(signal + diag(4), signal) + diag(4)
  for (d in 1:2) {
    centred <- sweep(draws[, , d], 2, mean[, d])
    products <- t(apply(centred, 1, function(e) as.vector(e %o% e)))
    expect_replicates(cbind(centred, products), c(rep(0, 4), as.vector(covariance)))
  }
  # Given Z, the columns are independent.
  e <- sweep(draws, 2:3, mean)
  expect_replicates(e[, , 1] * e[, , 2], rep(0, 4))
})

test_that("simulate() draws from the same distribution", {
  e <- t(vapply(simulate(frozen_fit(), frozen_draws, seed = 3), as.vector, numeric(8)))
  expect_replicates(e, as.vector(fitted(frozen_fit())))
  expect_identical(dimnames(simulate(small_fit())[[1]]), dimnames(small_data()))
})

test_that("log_lik() is the density of rows given drawn loadings", {
  fit <- frozen_fit()
  l <- withr::with_seed(1, log_lik(fit, by = "row", ndraws = Inf))
  expect_identical(dim(l), c(frozen_draws, 4L))
  entries <- withr::with_seed(1, log_lik(fit, ndraws = frozen_draws))
  expect_equal(entries[, 1:4] + entries[, 5:8], l, ignore_attr = TRUE)
  expect_identical(dim(log_lik(fit)), c(1000L, 8L))
  x <- fitted(fit) + residuals(fit)
  z <- features(fit)
  mean <- naive_fitted(x, z, 1, 5)
  # E|x - zA|^2 = |x - E zA|^2 + D var(zA)
  signal <- 25 * tcrossprod(z)
  spread <- diag(signal - signal %*% solve(signal + diag(4), signal))
  expected <- -log(2 * pi) - 0.5 * (rowSums((x - mean)^2) + 2 * spread)
  varies <- rowSums(z) > 0
  expect_replicates(l[, varies], expected[varies])
  expect_equal(l[, !varies], rep(expected[!varies], frozen_draws), ignore_attr = TRUE)
  expect_identical(dim(log_lik(small_fit(), ndraws = 7)), c(7L, 24L))
  expect_identical(dim(log_lik(small_fit(), "row", 7)), c(7L, 8L))
  expect_identical(colnames(log_lik(small_fit(), "row")), paste0("row", 1:8))
})

test_that("errors name columns of new rows if their names are unique, and otherwise number them", {
  x <- withr::with_seed(1, matrix(stats::rnorm(80), 20))
  fit_named <- function(names) quick_fit(`colnames<-`(x, names), method = method_gibbs(1, 40))
  by_position <- predict(fit_named(NULL), x[1:3, ])
  new <- `colnames<-`(x[1:3, ], letters[1:4])
  expect_equal(predict(fit_named(letters[1:4]), new[, 4:1]), by_position, ignore_attr = TRUE)
  for (names in list(c("", "b", "c", "d"), c("a", "a", "b", "c"), c(NA, "b", NA, "d"))) {
    fit <- fit_named(names)
    colnames(new) <- names
    expect_equal(predict(fit, new), by_position, ignore_attr = TRUE)
    expect_equal(predict(fit, unname(new)), by_position, ignore_attr = TRUE)
    told <- "^`newdata` must have no column names or exactly those"
    expect_error(predict(fit, new[, 4:1]), told)
    expect_error(predict(fit, `colnames<-`(new, c("p", "q", "r", "s"))), told)
  }
})

test_that("a vector with names is a row, and columns that are not in the data are dropped", {
  x <- as.matrix(iris[1:20, 1:3])
  method <- method_gibbs(chains = 1, iter = 40)
  fit <- fit_gaussian(x, center = TRUE, method = method, seed = 1, verbose = FALSE)
  row <- x[1, ]
  expect_identical(predict(fit, rev(row)), predict(fit, t(row)))
  expect_identical(predict(fit, unname(row)), predict(fit, t(row)))
  expect_error(predict(fit, stats::setNames(row, c("a", "b", "c"))), "^`newdata` must have")
  new <- iris[c(60, 120), ]
  known <- predict(fit, new[1:3])
  expect_identical(predict(fit, new), known)
  expect_identical(predict(fit, new[5:1]), known)
  expect_error(
    predict(fit, new[2:4]), "it lacks \"Sepal.Length\": add it as a column of NA\\.$"
  )
  expect_error(
    predict(fit, new[4]), paste(
      "^`newdata` must have all columns of the data; it lacks \"Sepal.Length\",",
      "\"Sepal.Width\", \"Petal.Length\": add them as columns of NA\\.$"
    )
  )
  expect_error(predict(fit, new[0, ]), "^`newdata` must have at least one row")
  expect_error(predict(fit, unname(as.matrix(new[1:4]))), "have 3 columns, like the data")
})

# New rows are predicted from what the fit has learned.
