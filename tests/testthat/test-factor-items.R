# Factor models with ordinal columns: coding, recovery of the truth, predictions and
# reproducibility.

test_that("fits with ordinal columns recover the true correlations and thresholds", {
  fit <- once("recovered items", quick_items(sim_items(600), iter = 1000))
  covariance <- tcrossprod(item_loadings) + diag(8)
  # With 600 rows, standard errors of polychoric correlations are up to .06.
  expect_lt(max(abs(cov2cor(vcov(fit)) - cov2cor(covariance))), 0.2)
  found <- thresholds(fit)
  expect_identical(unique(found$column), c("a", "b", "c", "e", "f", "h"))
  expect_identical(found$below[1:3], c("a", "b", "c"))
  expect_identical(found$above[4], "TRUE")
  error <- (found$estimate - unlist(item_cuts)) / found$std.error
  expect_lt(max(abs(error)), 3.5)
  expect_gt(max(abs(error)), 0)
  expect_equal(as.vector(attr(fit$loadings, "sigma_x")[c("a", "b", "c", "e", "f", "h")]), rep(1, 6))
})

test_that("predictions of ordinal columns agree with the probit model", {
  fit <- quick_items()
  x <- fit$internal$model$data$x
  expect_identical(x[1:3, "b"], as.numeric(sim_items(60)$b[1:3]))
  expect_identical(sort(unique(x[, "a"])), as.numeric(1:4))
  all <- seq_along(fit$feature_draws)
  sizes <- c(a = 3, b = 1, c = 1, e = 2, f = 1, h = 2)
  numbers <- list(a = 1:4, b = 0:1, c = 1:2, e = 1:3, f = 0:1, h = 1:3)
  expected <- 0
  probability <- 0
  for (draw in all) {
    one <- factor_draw(fit, draw)
    eta <- tcrossprod(one$weights, one$loadings)
    cuts <- split(drawn_thresholds(fit, draw)[, 1], rep(names(sizes), sizes))
    mean <- from_model_units(fit, eta)
    for (name in names(sizes)) {
      j <- match(name, colnames(x))
      edges <- c(-Inf, cuts[[name]], Inf)
      p <- vapply(seq_along(numbers[[name]]), function(c) {
        pnorm(edges[c + 1], eta[, j]) - pnorm(edges[c], eta[, j])
      }, numeric(60))
      mean[, j] <- p %*% numbers[[name]]
      if (name == "a") probability <- probability + p[3, ] / length(all)
    }
    expected <- expected + mean / length(all)
  }
  expect_equal(fitted(fit), expected, ignore_attr = TRUE)
  # In row 3, column a is missing.
  actual <- sim_items(60)
  for (category in 1:4) {
    actual$a[3] <- letters[category]
    at <- matrix(heldout_density(fit, actual), 1)
    expect_equal(exp(at[1]), probability[category])
  }
  drawn <- posterior_predict(fit, ndraws = 200)
  expect_true(all(drawn[, , "a"] %in% 1:4) && all(drawn[, , "b"] %in% 0:1))
  means <- apply(drawn[, , "a"], 2, mean)
  expect_lt(max(abs(means - expected[, 1])), 0.5)
  densities <- rowSums(log_lik(fit, ndraws = 200))
  expect_equal(densities, posterior::extract_variable(posterior::as_draws(fit), "log_lik"))
})

test_that("class or `families` makes columns ordinal, and fits to numbers do not change", {
  x <- sim_items(40)
  families <- vapply(quick_items(x)$internal$model$ordinal, function(of) length(of$levels), 1L)
  expect_identical(families, c(a = 4L, b = 2L, c = 2L, e = 3L, f = 2L, h = 3L))
  flowers <- iris[seq(1, 150, 5), 1:4]
  of_numbers <- function(x, ...) {
    suppressWarnings(fit_factor(x, ..., method = method_gibbs(1, 50), seed = 1, verbose = FALSE))
  }
  same <- of_numbers(flowers, "gaussian")
  expect_identical(posterior::as_draws_array(same), posterior::as_draws_array(of_numbers(flowers)))
  texts <- transform(x, a = as.character(c), h = as.numeric(h))
  ordinal <- quick_items(texts)$internal$model$ordinal
  expect_identical(names(ordinal), c("a", "b", "c", "e", "f", "h"))
})

test_that("new rows with ordinal columns are predicted with their scores integrated out", {
  fit <- quick_items(sim_items(80), iter = 100, most = 2)
  rows <- sim_items(20, seed = 2)[1:3, ]
  rows$a[] <- NA
  rows$g[2] <- NA
  # One draw is repeated many times, so only the sampler of scores contributes to the average.
  draw <- length(fit$feature_draws)
  expect_identical(scalar(fit, "n_features")[draw], 2)
  like <- check_like(fit, rows, "newdata")
  x <- in_model_units(fit, like)
  many <- vapply(1:400, function(seed) {
    new_items(fit, like, draw, row_plan(fit, seed = seed))
  }, matrix(0, 8, 3))
  one <- factor_draw(fit, draw)
  items <- drawn_items(fit, draw)
  loadings <- one$loadings
  # Exact values are computed on a grid of scores.
  grid <- as.matrix(expand.grid(rep(list(seq(-5, 5, by = 0.1)), 2)))
  eta <- tcrossprod(grid, loadings)
  expected <- vapply(1:3, function(i) {
    at <- matrix(x[i, ], nrow(grid), 8, byrow = TRUE)
    sd <- rep(one$sigma_x, each = nrow(grid))
    densities <- stats::dnorm(at, eta, sd, log = TRUE)
    densities <- weigh_items(items, densities, at, list(mean = eta, sigma_x = sd))
    weight <- exp(rowSums(densities, na.rm = TRUE) - rowSums(grid^2) / 2)
    drop(weight %*% expect_items(items, eta)) / sum(weight)
  }, numeric(8))
  error <- apply(many, 1:2, mean) - expected
  expect_lt(max(abs(error) / (apply(many, 1:2, sd) / sqrt(400) + 1e-12)), 4.5)
})

test_that("rows are predicted even if draws have no factor, and unknown categories are rejected", {
  d <- withr::with_seed(4, as.data.frame(matrix(sample(1:3, 120, TRUE), 40)))
  fit <- suppressWarnings(
    fit_factor(d, "ordinal", method = method_gibbs(2, 400), seed = 1, verbose = FALSE)
  )
  expect_gt(sum(scalar(fit, "n_features") == 0), 0)
  found <- predict(fit, d)
  expect_true(all(found > 1 & found < 3))
  # The columns are independent, so the mean predictions are close to the column means.
  expect_lt(max(abs(colMeans(found) - colMeans(d))), 0.2)
  holes <- as.matrix(d)
  holes[1, 1] <- NA
  fit <- suppressWarnings(
    fit_factor(holes, "ordinal", method = method_gibbs(1, 20), seed = 1, verbose = FALSE)
  )
  expect_error(heldout_density(fit, replace(as.matrix(d), 1, 9)), "categories of the data.*\"V1\"")
  mixed <- suppressWarnings(fit_mixed(as.data.frame(holes), "ordinal",
    method = method_gibbs(1, 20), seed = 1, verbose = FALSE
  ))
  expect_identical(nrow(compare_heldout(fit, mixed, actual = d)), 2L)
})

test_that("thresholds of rare answers are not shrunk towards 0", {
  y <- withr::with_seed(3, {
    g <- rnorm(300)
    as.data.frame(sapply(1:8, function(j) 2 * g + rnorm(300) > qnorm(0.93) * sqrt(5)))
  })
  fit <- suppressWarnings(
    fit_factor(y, method = method_gibbs(2, 800), seed = 1, verbose = FALSE)
  )
  found <- thresholds(fit)
  truth <- qnorm(0.93) * sqrt(5)
  expect_gte(sum(found$conf.low < truth & truth < found$conf.high), 5)
})

test_that("a matrix of items gives the same fit as a data frame", {
  items <- vapply(attitude, cut, integer(30), 4, labels = FALSE)
  of_items <- function(x) {
    short <- method_gibbs(1, 20)
    suppressWarnings(fit_factor(x, "ordinal", method = short, seed = 1, verbose = FALSE))
  }
  fit <- of_items(as.data.frame(items))
  for (form in list(items, unname(items), `storage.mode<-`(items, "double"))) {
    expect_equal(unname(fitted(of_items(form))), unname(fitted(fit)), ignore_attr = TRUE)
  }
  expect_null(colnames(of_items(unname(items))$internal$model$data$x))
})

test_that("fits with ordinal columns are the same if extended or saved, on any number of cores", {
  expect_same_runs(quick_items, sim_items(30))
})

test_that("labelled columns and factors of numbers are ordered by value", {
  codes <- rep(c(2, 1, 4, 3, NA), 8)
  x <- data.frame(
    l = structure(codes, labels = c(no = 1, "a bit" = 2, rather = 3, yes = 4)),
    f = factor(10 * codes - 5), t = as.character(5 * codes), n = codes
  )
  class(x$l) <- c("haven_labelled", "vctrs_vctr", "double")
  expect_message(items <- factor_items(x, "ordinal"), "by their values, in l, f, t\\.")
  levels <- lapply(items$ordinal, `[[`, "levels")
  expect_identical(levels$l, c("no", "a bit", "rather", "yes"))
  expect_identical(levels$f, c("5", "15", "25", "35"))
  expect_identical(levels$t, c("5", "10", "15", "20"))
  for (of in items$ordinal) expect_identical(of$codes, as.integer(codes - 1))
  like <- suppressMessages(like_items(list(ordinal = items$ordinal), x, "newdata"))
  expect_identical(like, items$x)
  fails <- function(...) expect_error(suppressMessages(factor_items(...)), class = "buffet_error")
  told <- paste(capture_messages(factor_items(x, c(n = "ordinal"))), collapse = "")
  way <- "`families = c\\(l = \"ordinal\"\\)` orders l by"
  expect_match(told, paste0("order .*: l, f, t\\. If they are ordered: ", way))
  three <- data.frame(v = factor(rep(c("a", "b", "c"), 5)), w = rnorm(15))
  told <- conditionMessage(fails(three, c(v = "ordinal")))
  expect_match(told, "in the column \"v\", not unordered ones: if its levels are in order")
  repaired <- local({
    x <- three
    eval(str2lang(sub(".*in order, `(.*)`; .*", "\\1", told)))
    x
  })
  expect_identical(names(factor_items(repaired, c(v = "ordinal"))$ordinal), "v")
  expect_error(factor_items(three, c(v = "bernoulli")), "two values in the column \"v\"")
  expect_error(factor_items(three, c(v = "poisson")), "numbers in the column \"v\"")
})

test_that("invalid ordinal columns are rejected before the run", {
  x <- sim_items(20)
  fails <- function(regexp, ...) expect_error(fit_factor(...), regexp, class = "buffet_error")
  unordered <- data.frame(s = c("u", "v", "w"), t = 1:3)
  fails("ordered categories in the column \"s\"", unordered, c(s = "ordinal"))
  fails("have numbers in the column \"a\", which is \"poisson\"", x, "poisson")
  for (r in list(cor(swiss), as.data.frame(round(cor(swiss), 2)))) {
    fails("^`x` must be the data, a row for each observation, not a correlation matrix", r)
  }
  fails("not a correlation matrix", cor(swiss), "gaussian")
  expect_false(is_correlation_matrix(diag(3)) || is_correlation_matrix(cor(swiss)[1:3, ]))
  fails("name columns of `x`, not \"q\"", x, c(q = "ordinal"))
  fails("numbers in the column \"a\"", x, c(a = "gaussian"))
  fails("^`sparse` must be \"loadings\" if .*, not \"factors\"", x, sparse = "factors")
  fails("^`weights` must be \"normal\" if", x, weights = "laplace")
  fails("not \"factors\": `sparse = ", x, "factors")
  fails("^`noise` must be \"column\" if", x, noise = "common")
  fails("values that repeat in the column \"V1\", which is \"ordinal\", not 40 numbers of which 40",
    matrix(rnorm(80), 40), "ordinal"
  )
  fails("two categories in the column \"v\".*not 1: leave it out", data.frame(v = TRUE, w = 1:9))
  fails("at most 60 categories in the column \"v\".*not 100", data.frame(v = 1:100), "ordinal")
  fit <- quick_items(sim_items(30))
  expect_error(predict(fit, newdata = transform(x, a = "z")), "categories of the data")
  expect_error(heldout_density(fit, transform(sim_items(30), a = "z")), "categories of the data")
  expect_error(thresholds(kinds_of_fits()$loadings), "whose columns are all numbers: `families")
  expect_error(plot(fit, "items", which = "d"), "names of ordinal columns, not \"d\"")
  twice <- setNames(x[c("a", "b")], c("u", "u"))
  fails("unique, non-empty column names, not two columns `u`: `names", twice)
  for (names in list(c("u", ""), c("u", NA), c("", ""), c(NA, NA), NULL)) {
    d <- setNames(x[c("a", "b")], names)
    error <- expect_error(fit_factor(d), "not empty or NA: `names", class = "buffet_error")
    eval(str2lang(sub(".*: `(names.*)` renames.*", "\\1", conditionMessage(error))))
    expect_silent(check_frame(d))
  }
  fails("name each column once", x, c(a = "ordinal", a = "ordinal"))
  fails("be NULL if no column is gaussian", x[c("a", "b")], sigma_x = 3)
  few <- data.frame(u = 1:4, v = 4:1, w = c(0.5, 1, 2, 3), k = c(1L, 50L, 2L, 3L))
  expect_message(tell_few_numbers(few), "numeric: u, v.*`families = c\\(u = \"ordinal\"\\)`")
  expect_message(tell_few_numbers(few[1:2]), "`families = \"ordinal\"`")
  expect_silent(tell_few_numbers(iris[1:4]))
  coded <- data.frame(u = c(1:5, 1:5, 99, 99), v = seq(0, 1, length.out = 12))
  expect_message(factor_items(coded, NULL), "99 in u")
  # Naming one numeric column leaves the others unchanged.
  named <- suppressMessages(factor_items(few, c(u = "ordinal")))
  expect_identical(names(named$ordinal), "u")
  expect_null(named$others)
})
