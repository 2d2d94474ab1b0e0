# Factor models of data frames with unordered categories: densities, predictions, reproducibility.

category_loadings <- rbind(
  c(1.5, 0), c(0, 1.5), c(0, 0), c(1, 0), c(1, 0), c(0, 1), c(0, 0.8)
)

#' Simulated data with two true factors. Columns are the largest of three utilities, numbers, an
#' ordinal column and a count. The true probabilities of the categories are included.
sim_categories <- function(n, seed = 1) {
  withr::with_seed(seed, {
    scores <- matrix(rnorm(2 * n), n)
    eta <- tcrossprod(scores, category_loadings)
    eta[, 2] <- eta[, 2] - 1
    u <- eta + rnorm(7 * n)
    x <- data.frame(
      g = factor(c("red", "green", "blue")[max.col(u[, 1:3])], c("red", "green", "blue")),
      n = 10 * u[, 4] + 100, a = u[, 5], o = ordered(findInterval(u[, 6], c(-0.5, 0.5))),
      c = rnbinom(n, 3, mu = exp(1 + eta[, 7]))
    )
    list(x = x, p = probit_probabilities(eta[, 1:3]))
  })
}

#' Probability that each of several normal utilities with variance 1 is the largest, by the
#' trapezoidal rule; eta has one row per observation
probit_probabilities <- function(eta) {
  nodes <- seq(-9, 9, by = 0.1)
  vapply(seq_len(ncol(eta)), function(c) {
    others <- setdiff(seq_len(ncol(eta)), c)
    below <- lapply(others, function(d) stats::pnorm(outer(eta[, c] - eta[, d], nodes, `+`)))
    drop(Reduce(`*`, below) %*% stats::dnorm(nodes)) * 0.1
  }, eta[, 1])
}

categories_with_holes <- function(n = 60) {
  x <- sim_categories(n)$x
  for (j in seq_along(x)) x[c(3 * j, n - 2 * j), j] <- NA
  x
}

quick_categories <- function(x = categories_with_holes(), ..., iter = 200, cores = 1) {
  suppressWarnings(suppressMessages(fit_factor(x, c(c = "negative_binomial", a = "gaussian"), ...,
    method = method_gibbs(2, iter, cores = cores), seed = 1, verbose = FALSE
  )))
}

#' Utilities, without noise, of the first column in one draw, from the values that the core stores
utilities_of <- function(fit, draw) {
  kept <- matrix(select_loadings(fit, draw), fit$internal$model$loading_width)
  n <- nrow(model_data(fit))
  scores <- kept[seq_len(n), -1, drop = FALSE]
  # The parameters are two cut points, one size, and the levels of three utilities and of the count.
  levels <- tail(kept[, 1], 4)[1:3]
  eta <- tcrossprod(scores, kept[n + 1:3, -1, drop = FALSE])
  eta + rep(levels, each = n)
}

test_that("log likelihoods of unordered categories agree with an independent formula", {
  fit <- quick_categories()
  x <- categories_with_holes()
  for (draw in c(5, 60, length(fit$feature_draws))) {
    eta <- utilities_of(fit, draw)
    chosen <- cbind(seq_len(60), as.integer(x$g))
    found <- log_densities(fit, model_data(fit), draw)
    expect_identical(colnames(found), names(x))
    error <- abs(unname(found[, 1]) - log(probit_probabilities(eta)[chosen]))
    expect_identical(is.na(error), is.na(x$g))
    # The core neglects contributions with a probability below P(N(0, 1) < -5).
    likely <- eta[chosen] == apply(eta, 1, max)
    expect_lt(max(error[likely], na.rm = TRUE), 1e-10)
    expect_lt(max(error, na.rm = TRUE), 1e-6)
    of_core <- posterior::extract_variable(posterior::as_draws(fit), "log_lik")
    expect_equal(of_core[draw], sum(found, na.rm = TRUE), tolerance = 1e-10)
  }
  expect_equal(rowSums(log_lik(fit)), of_core, tolerance = 1e-8)
})

test_that("missing categories have the mean of their probabilities over draws", {
  fit <- quick_categories()
  complete <- sim_categories(60)$x
  hidden <- which(is.na(categories_with_holes()$g))
  expect_length(hidden, 2)
  p <- lapply(seq_along(fit$feature_draws), function(draw) {
    probit_probabilities(utilities_of(fit, draw)[hidden, ])
  })
  mean <- Reduce(`+`, p) / length(p)
  found <- heldout_density(fit, complete)[1:2]
  expect_equal(found, log(mean[cbind(1:2, as.integer(complete$g)[hidden])]), tolerance = 1e-8)
  expect_identical(unname(fitted(fit)[hidden, "g"]), as.double(max.col(mean)))
})

test_that("predictions are the most probable categories, and expected values are probabilities", {
  fit <- quick_categories()
  x <- categories_with_holes()
  names <- c("g: red", "g: green", "g: blue", "n", "a", "o", "c")
  expected <- posterior_epred(fit)
  expect_identical(dimnames(expected)[[3]], names)
  expect_equal(range(rowSums(expected[, , 1:3], dims = 2)), c(1, 1))
  p <- probit_probabilities(utilities_of(fit, 7))
  expect_equal(unname(expected[7, , 1:3]), p, tolerance = 1e-8)
  fitted <- fitted(fit)
  expect_identical(colnames(fitted), names(x))
  means <- apply(expected, 2:3, mean)
  expect_equal(fitted[, -1], means[, -(1:3)], ignore_attr = TRUE)
  expect_equal(fitted[, 1], max.col(means[, 1:3]), ignore_attr = TRUE)
  expect_true(all(is.na(residuals(fit)[, "g"])))
  expect_false(anyNA(residuals(fit)[!is.na(x$a), "a"]))
  drawn <- withr::with_seed(1, posterior_predict(fit))
  expect_identical(dimnames(drawn)[[3]], names(x))
  shares <- vapply(1:3, function(c) mean(drawn[, , "g"] == c), 0)
  expect_equal(shares, colMeans(means[, 1:3]), tolerance = 0.02, ignore_attr = TRUE)
  credible <- predict(fit, interval = "credible")
  expect_identical(unique(credible$column), names)
  expect_equal(credible$.fitted, as.vector(means))
  expect_message(predictive <- predict(fit, interval = "predictive"), "no predictive intervals: g")
  expect_identical(unique(predictive$column), names(x)[-1])
  expect_message(ends <- predictive_interval(fit), "no predictive intervals: g")
  expect_identical(nrow(ends), 240L)
  filled <- suppressMessages(augment(fit))
  expect_identical(filled$g, x$g)
  new <- sim_categories(5, seed = 2)$x
  new$g[2] <- NA
  found <- predict(fit, new)
  expect_true(all(found[, "g"] %in% 1:3))
  expect_identical(unname(predict(fit, new[1:2, ])), unname(found[1:2, ]))
  expect_identical(dim(posterior_epred(fit, new, ndraws = 10)), c(10L, 5L, 7L))
  expect_identical(dim(posterior_predict(fit, new, ndraws = 10)), c(10L, 5L, 5L))
  credible <- predict(fit, new, interval = "credible")
  expect_identical(unique(credible$column), names)
  expect_error(predict(fit, transform(new, g = "black")), "categories of the data in the column")
})

test_that("loadings, covariances and major factors have one row per category", {
  fit <- quick_categories()
  names <- c("g: red", "g: green", "g: blue", "n", "a", "o", "c")
  expect_identical(colnames(loadings_of(fit)), names)
  expect_identical(rownames(fit$features), names)
  expect_identical(dimnames(vcov(fit)), list(names, names))
  expect_gt(min(eigen(vcov(fit))$values), 0)
  # Numbers must be in their own units, although utilities come before them.
  by_draw <- lapply(seq_along(fit$feature_draws), function(d) {
    one <- factor_draw(fit, d)
    sd(categories_with_holes()$n, na.rm = TRUE)^2 * (sum(one$loadings[4, ]^2) + one$sigma_x[4]^2)
  })
  expect_equal(vcov(fit)["n", "n"], mean(unlist(by_draw)))
  expect_identical(major_factors(fit, 2)$columns$column, names)
  expect_output(print(fit), "including 1 ordinal, 1 categorical, 1 negative_binomial")
  expect_output(print(fit), "g: red")
  expect_match(prior_summary(fit)$parameter, "means of utilities", all = FALSE)
  for (type in c("loadings", "factors", "variance", "scree", "fit")) {
    expect_s3_class(plot(fit, type), "ggplot")
  }
})

test_that("new rows with categories are predicted with their scores integrated out", {
  fit <- quick_categories(sim_categories(80)$x, iter = 100)
  of_categories <- vapply(seq_along(fit$feature_draws), function(draw) {
    any(factor_draw(fit, draw)$loadings[1:3, ] != 0)
  }, NA)
  draw <- which(scalar(fit, "n_features") == 2 & of_categories)[1]
  skip_if(is.na(draw))
  rows <- check_like(fit, categories_with_holes(20)[1:4, ], "newdata")
  many <- vapply(1:400, function(seed) {
    new_items(fit, rows, draw, row_plan(fit, seed = seed))
  }, matrix(0, 7, 4))
  one <- factor_draw(fit, draw)
  items <- drawn_items(fit, draw)
  grid <- as.matrix(expand.grid(rep(list(seq(-5, 5, by = 0.2)), 2)))
  mean <- from_model_units(fit, tcrossprod(grid, one$loadings))
  sd <- rep(one$sigma_x * of_predictors(fit, column_units(fit)), each = nrow(grid))
  p <- probit_probabilities(mean[, 1:3] + rep(items$g$level, each = nrow(grid)))
  expected <- vapply(1:4, function(i) {
    at <- matrix(rows[i, ], nrow(grid), 5, byrow = TRUE)
    wide <- at[, c(1, 1, 1, 2:5)]
    densities <- stats::dnorm(wide, mean, sd, log = TRUE)
    densities <- weigh_items(items, densities, at, list(mean = mean, sigma_x = sd))
    densities[, 1] <- if (is.na(rows[i, 1])) 0 else log(p[, rows[i, 1]])
    of_row <- rowSums(densities, na.rm = TRUE) - rowSums(grid^2) / 2
    weight <- exp(of_row - max(of_row))
    response <- in_model_units(fit, expect_items(items, mean))
    response[, 1:3] <- p
    drop(weight %*% response) / sum(weight)
  }, numeric(7))
  error <- apply(many, 1:2, mean) - expected
  expect_lt(max(abs(error) / (apply(many, 1:2, sd) / sqrt(400) + 1e-12)), 4.5)
})

test_that("fits recover the true probabilities of the categories", {
  true <- sim_categories(600)
  fit <- once("recovered categories", quick_categories(true$x, iter = 600))
  # The first 300 rows are passed again without their categories, which the other columns predict.
  new <- transform(true$x[1:300, ], g = factor(NA, levels(g)))
  found <- apply(posterior_epred(fit, new, ndraws = 100)[, , 1:3], 2:3, mean)
  share <- prop.table(table(true$x$g))
  category <- as.integer(true$x$g[1:300])
  score <- function(p) mean(log(p[cbind(1:300, category)]))
  expect_gt(score(found), score(matrix(share, 300, 3, byrow = TRUE)) + 0.05)
  expect_lt(sqrt(mean((colMeans(found) - colMeans(true$p))^2)), 0.03)
  # Draws for the rows of the data, whose categories are observed, are close to the truth.
  of_data <- apply(posterior_epred(fit, ndraws = 100)[, , 1:3], 2:3, mean)
  expect_gt(cor(as.vector(of_data), as.vector(true$p)), 0.8)
})

test_that("fits with categories are the same if extended or saved, on any number of cores", {
  expect_same_runs(quick_categories, sim_categories(30)$x)
})

test_that("families of categories are chosen as in fit_mixed() and are reported", {
  x <- sim_categories(40)$x
  x$two <- rep(c("u", "v"), 20)
  told <- function(...) paste(capture_messages(items <<- factor_items(...)), collapse = "")
  items <- NULL
  expect_match(told(x, NULL), "family \"categorical\"\\): g\\. .*`x\\$g <- factor\\(x\\$g, ord")
  expect_identical(vapply(items$others, `[[`, "", "family")[["g"]], "categorical")
  expect_identical(names(items$ordinal), c("o", "two"))
  expect_identical(items$predictors$columns, c(1L, 1L, 1L, 2:6))
  expect_no_match(told(x, c(g = "categorical")), "without an order")
  told(x, c(g = "categorical", o = "categorical", two = "categorical"))
  expect_identical(names(items$ordinal), "two")
  expect_identical(items$others$o$at, 6:8)
  expect_error(factor_items(x, c(g = "ordinal")), "\"categorical\" needs no order")
  m <- unname(as.matrix(data.frame(rep(1:4, 10), round(rnorm(40)), rep(c(5, 7), 20))))
  told(m, "categorical")
  expect_identical(items$predictors$names[1:4], paste0("V1: ", 1:4))
  expect_error(
    suppressMessages(factor_items(data.frame(g = paste(1:61), a = rnorm(61)), NULL)),
    "have at most 60 categories in the column \"g\", which is \"categorical\", not 61"
  )
})

test_that("probabilities of unordered categories agree with the predicted category", {
  fit <- quick_categories()
  found <- predict(fit, type = "prob")
  expect_identical(colnames(found$g), c("red", "green", "blue"))
  expect_equal(rowSums(found$g), rep(1, 60), ignore_attr = TRUE)
  expect_equal(max.col(found$g), unname(fitted(fit)[, "g"]))
})
