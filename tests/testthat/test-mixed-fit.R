test_that("families of columns depend on their classes, and print() reports them", {
  data <- data.frame(
    number = c(-1.5, 2, 3), positive = c(0.5, 2, 30), zeros = c(0, 1, 1), yes = c(TRUE, FALSE, NA),
    two = factor(c("a", "b", "a")), many = factor(c("a", "b", "c")), text = c("x", "y", "z"),
    order = factor(c("l", "m", "h"), c("l", "m", "h"), ordered = TRUE), count = c(0L, 9L, 2L),
    even = c(50L, 51L, 50L), large = c(20L, 190L, 60L)
  )
  expect_message(fit <- quick_mixed(data, method = method_gibbs(1, 4)), "to factors: text")
  families <- vapply(fit$internal$model$data$columns, `[[`, "", "family")
  expect_identical(families, c(
    number = "gaussian", positive = "lognormal", zeros = "bernoulli", yes = "bernoulli",
    two = "bernoulli", many = "categorical", text = "categorical", order = "ordinal",
    count = "ordinal", even = "bernoulli", large = "gaussian"
  ))
  expect_match(format(fit), "^  bernoulli: zeros, yes, two, even$", all = FALSE)
  other <- c(number = "ordinal")
  other <- quick_mixed(data["number"], families = other, method = method_gibbs(1, 4))
  expect_match(format(other), "  ordinal: number", all = FALSE)
  some <- quick_mixed(data[1:2], families = "gaussian", method = method_gibbs(1, 4))
  expect_match(format(some), "  gaussian: number, positive", all = FALSE)
})

test_that("constant columns are left out, and others are rejected with a one-line error by name", {
  data <- data.frame(a = c(1, 2, 4), b = 7)
  expect_message(fit <- quick_mixed(data, method = method_gibbs(1, 4)), "never vary: b")
  expect_identical(names(predict(fit)), "a")
  method <- method_gibbs(1, 4)
  expect_message(quick_mixed(cbind(data, c = NA), method = method), "without any value: c[.]\n$")
  # It makes no difference whether a family is given for a constant column.
  family <- function() quick_mixed(data, families = c(b = "gaussian"), method = method_gibbs(1, 4))
  expect_message(family(), "never")
  refused <- function(data, text, ...) {
    expect_error(suppressMessages(quick_mixed(data, ...)), text)
  }
  column <- function(values) data.frame(a = values)
  refused(list(a = 1), "^`data` must be a data frame, not a list\\.$")
  refused(data["b"], "^`data` must have a column that varies, not constant\\.$")
  refused(column(Sys.Date() + 1:3), "not the Date column \"a\": `data\\$a <- as.numeric")
  must <- "non-empty column names, not empty or NA: `names\\(d\\) <- paste0"
  refused(stats::setNames(data, NULL), must)
  twice <- cbind(data, data[1])
  refused(twice, sprintf("not two columns `%s`: `names\\(d\\) <- make", names(data)[1]))
  refused(column(c(1, Inf, 2)), "^`data` must have finite entries or NA in the column \"a\"")
  meant <- "^`families` must be among .*, not \"poison\"\\. Did you mean \"poisson\"\\?$"
  refused(data, meant, families = "poison")
  unknown <- c(c = "gaussian")
  refused(data, "^`families` must name columns of `data`, not \"c\"\\.$", families = unknown)
  positive <- "have positive numbers in the column \"a\", which is \"lognormal\""
  refused(column(c(-1, 2, 4)), positive, families = "lognormal")
  refused(data["a"] + 0.5, "have whole numbers of at least 0", families = "negative_binomial")
  refused(data["a"] * 1e10, "have counts of at most 1e9", families = "negative_binomial")
  refused(iris["Species"], "have numbers in the column \"Species\"", families = "gaussian")
  one <- "^`families` must have one family per column, not "
  for (families in list(list(a = c("gaussian", "poisson")), list(a = NULL))) {
    refused(data, one, families = families)
  }
  refused(data, "must name each column once", families = c(a = "gaussian", a = "ordinal"))
  refused(data["a"] * 1e-300, "^`data` must vary by more than 1e-100 in", families = "gaussian")
  refused(data["a"] * 1e200, "^`data` must have entries of at most 1e100 in size in the column")
  refused(data, "^`sigma_w` must ", sigma_w = -1)
  refused(data, "^`bias` must ", bias = NA)
})

test_that("columns may be Poisson, or binomial with a given number of trials", {
  data <- withr::with_seed(3, data.frame(a = rpois(40, 3), right = rbinom(40, 10, 0.3)))
  data[2, "right"] <- NA
  families <- c(a = "poisson", right = "binomial(10)")
  fit <- quick_mixed(data, families = families, method = method_gibbs(1, 60))
  expect_match(format(fit), "^  poisson: a$", all = FALSE)
  expect_match(format(fit), "^  binomial\\(10\\): right$", all = FALSE)
  z <- cbind(1, draw_features_cpp(unclass(fit$feature_draws), 11))
  eta <- tcrossprod(z, matrix(select_loadings(fit, 11), 2))
  mean <- mean(data$a)
  exact <- cbind(
    dnbinom(data$a, size = 100 * mean, mu = mean * exp(eta[, 1]), log = TRUE),
    dbinom(data$right, 10, plogis(eta[, 2]), log = TRUE)
  )
  expect_equal(log_densities(fit, model_data(fit), 11), exact, ignore_attr = TRUE)
  expect_true(all(posterior_predict(fit, ndraws = 20)[, , "right"] %in% 0:10))
  expect_lt(predict(fit)[2, "right"], 10)
  for (family in c("binomial", "binomial(0)", "binomial(1)")) {
    expect_error(quick_mixed(data, families = c(right = family)), "^`(families|data)` must ")
  }
  more <- data.frame(a = 1, right = 11)
  expect_error(predict(fit, more), "^`newdata` must have values of at most 10 in the column")
})

test_that("unused levels are dropped with a message, and NA as a level counts as missing", {
  data <- data.frame(
    f = factor(c("a", "c", "a", "d"), letters[1:5]), g = addNA(factor(c("u", NA, "v", "w")))
  )
  expect_message(
    fit <- quick_mixed(data, method = method_gibbs(1, 10)),
    "Dropping unused factor levels in f"
  )
  response <- predict(fit)
  # As in complete(), they are still levels of the predictions, but are never predicted.
  expect_identical(levels(response$f), levels(data$f))
  expect_identical(levels(response$g), levels(data$g))
  expect_true(all(response$f %in% c("a", "c", "d")))
  expect_false(anyNA(response))
  expect_identical(sum(is.na(model_data(fit))), 1L)
})

test_that("predicted and simulated columns have the classes and the levels of the data", {
  data <- data.frame(
    f = factor(rep(c("a", "b", "c"), 10), c("none", "c", "b", "a")),
    o = factor(rep(1:3, each = 10), 0:3, ordered = TRUE), text = rep(c("u", "v"), 15),
    two = factor(rep(c("no", "yes"), 15), c("no", "unknown", "yes")), n = rep(1:10, 3)
  )
  data$f[1] <- data$text[2] <- NA
  fit <- suppressMessages(quick_mixed(data, method = method_gibbs(1, 20)))
  categories <- c("f", "o", "text", "two")
  like <- function(frame) lapply(frame[categories], `[`, 0)
  frames <- list(
    fitted(fit), predict(fit, data[1:3, ]), predict(fit, type = "class"),
    simulate(fit, 1, seed = 1)[[1]], complete(fit, 1)[[1]]
  )
  for (frame in frames) {
    expect_identical(like(frame), like(data))
    expect_false(anyNA(frame))
    for (name in categories) expect_true(all(paste(frame[[name]]) %in% paste(data[[name]])))
  }
  expect_identical(colnames(predict(fit, type = "prob")$f), c("c", "b", "a"))
  expect_error(predict(fit, data[0, ]), "^`newdata` must have at least one row")
  expect_error(
    predict(fit, data["n"]),
    "it lacks \"f\", \"o\", \"text\", \"two\": add them as columns of NA\\.$"
  )
})

test_that("new rows may have NA as a level, and columns of any class with all entries missing", {
  data <- mixed_frame()
  data$town[3] <- NA
  data$town <- addNA(data$town)
  fit <- quick_mixed(data, method = method_gibbs(1, 40))
  expect_identical(nrow(predict(fit, data[3:4, ])), 2L)
  expect_length(heldout_density(fit, mixed_frame()), 1)
  new <- data[1:2, ]
  expected <- predict(fit, transform(new, visits = NA_real_))
  expect_identical(predict(fit, transform(new, visits = NA_character_)), expected)
  expect_identical(predict(fit, transform(new, visits = factor(NA))), expected)
})

test_that("predictions are a data frame like the data, with missing entries completed", {
  fit <- mixed_fit()
  data <- mixed_frame()
  response <- predict(fit)
  expect_identical(dim(response), dim(data))
  expect_identical(names(response), names(data))
  expect_false(anyNA(response))
  for (name in c("member", "grade", "town")) {
    expect_identical(class(response[[name]]), class(data[[name]]))
    expect_identical(levels(response[[name]]), levels(data[[name]]))
    expect_gt(mean(response[[name]] == data[[name]]), 0.6)
  }
  for (name in c("size", "price")) expect_gt(stats::cor(response[[name]], data[[name]]), 0.8)
  expect_true(all(response$visits > 0))
  expect_identical(fitted(fit), response)

  of_categories <- predict(fit, type = "prob")
  expect_named(of_categories, c("member", "grade", "town"))
  expect_identical(colnames(of_categories$grade), c("low", "mid", "high"))
  for (p in of_categories) expect_equal(rowSums(p), rep(1, 60))
  expect_identical(
    as.character(response$town), c("Rome", "Oslo", "Lima")[max.col(of_categories$town, "first")]
  )
})

test_that("new rows are predicted from their observed entries", {
  fit <- mixed_fit()
  new <- mixed_frame()[c(1, 7), ]
  new$price <- NA
  new$member <- NA
  response <- predict(fit, new)
  expect_identical(rownames(response), rownames(new))
  expect_false(anyNA(response))
  expect_lt(max(abs(log(response$price) - log(mixed_frame()$price[c(1, 7)]))), 1.2)
  expect_identical(dim(predict(fit, new, type = "features")), c(2L, ncol(features(fit))))
  refused <- function(name, values, text) {
    new[[name]] <- values
    expect_error(predict(fit, new), paste0("^`newdata` must have ", text))
  }
  refused("town", "Bonn", paste(
    "the categories of the data in the column \"town\", not \"Bonn\":",
    "set it to NA, or refit to data that have it\\.$"
  ))
  refused("visits", c(-3, 1), "whole numbers of at least 0 in the column \"visits\"")
  refused("price", c(0, 2), "positive numbers in the column \"price\"")
  refused("size", Inf, "finite entries or NA in the column \"size\"")
  refused("size", "big", "numbers in the column \"size\"")
  refused("town", list(1, 2), "columns of numbers, logicals, factors and characters only")
  actual <- replace(mixed_frame(), cbind(4, 3), -1)
  expect_error(heldout_density(fit, actual), "^`actual` must have whole numbers")
})

test_that("log densities agree with R's density functions in the units of the data", {
  fit <- mixed_fit()
  data <- mixed_frame()
  columns <- fit$internal$model$data$columns
  draw <- 17
  z <- cbind(1, draw_features_cpp(unclass(fit$feature_draws), draw))
  kept <- matrix(select_loadings(fit, draw), 8)
  eta <- tcrossprod(z, kept[, seq_len(ncol(z))])
  # The parameters are one standard deviation for each of the two numbers, a size, and the cut
  # points.
  own <- kept[, ncol(z) + 1]
  cuts <- c(-Inf, own[4:5], Inf)
  grade <- as.integer(data$grade)
  choice <- function(i) {
    chosen <- 5 + as.integer(data$town)[i]
    density <- function(u) {
      vapply(u, function(t) {
        stats::dnorm(t - eta[i, chosen]) * prod(stats::pnorm(t - eta[i, setdiff(6:8, chosen)]))
      }, 0)
    }
    log(stats::integrate(density, -15, 15, rel.tol = 1e-9)$value)
  }
  scale <- function(name) columns[[name]]$scale
  center <- function(name) columns[[name]]$center
  exact <- cbind(
    dnorm(data$size, center("size") + scale("size") * eta[, 1], scale("size") * own[1], TRUE),
    dlnorm(data$price, center("price") + scale("price") * eta[, 2], scale("price") * own[2], TRUE),
    dnbinom(data$visits, own[3], mu = exp(center("visits") + eta[, 3]), log = TRUE),
    dbinom(data$member, 1, plogis(eta[, 4]), log = TRUE),
    log(pnorm(cuts[grade + 1] - eta[, 5]) - pnorm(cuts[grade] - eta[, 5])),
    vapply(seq_len(60), choice, 0)
  )
  hidden <- is.na(model_data(fit))
  exact[hidden] <- NA
  ours <- log_densities(fit, model_data(fit), draw)
  expect_equal(ours, exact, ignore_attr = TRUE, tolerance = 1e-7)
  expect_equal(rowSums(log_lik(fit)[1:3, ]), vapply(choose_draws(fit, 600)[1:3], function(d) {
    sum(log_densities(fit, model_data(fit), d), na.rm = TRUE)
  }, 0))
  held <- heldout_density(fit, data)
  expect_length(held, sum(hidden))
  expect_true(all(is.finite(held)))
})

test_that("log likelihoods of draws are in the units of the data, during warm-up and afterwards", {
  fit <- mixed_fit()
  log_liks <- scalar(fit, "log_lik")
  expect_equal(rowSums(log_lik(fit, ndraws = 600)), log_liks, tolerance = 1e-6)
  expect_equal(glance(fit)$log_lik, mean(log_liks))
  expect_equal(as.numeric(logLik(fit)), sum(log_lik(fit)[fit$internal$point, ]), tolerance = 1e-6)
  data <- mixed_frame(20)
  fit_of <- function(data) {
    quick_mixed(data, families = c(size = "gaussian", price = "lognormal"),
      method = method_gibbs(chains = 1, iter = 40)
    )
  }
  data[3, "size"] <- NA
  plain <- fit_of(data)
  wide <- fit_of(transform(data, size = 1000 * size))
  for (name in c("log_lik", "log_joint")) {
    expect_equal(scalar(wide, name), scalar(plain, name) - 19 * log(1000))
    expect_equal(
      wide$internal$warmup_scalars[, 1, name],
      plain$internal$warmup_scalars[, 1, name] - 19 * log(1000)
    )
  }
  longer <- update(wide, iter = 60, verbose = FALSE)
  expect_identical(scalar(longer, "log_lik")[1:20], scalar(wide, "log_lik"))
})

test_that("replicates have the classes and the distributions of the data", {
  fit <- mixed_fit()
  data <- mixed_frame()
  drawn <- simulate(fit, 40, seed = 1)
  expect_identical(vapply(drawn[[1]], function(v) class(v)[1], ""), c(
    size = "numeric", price = "numeric", visits = "numeric", member = "logical", grade = "ordered",
    town = "factor"
  ))
  expect_identical(simulate(fit, 40, seed = 1), drawn)
  means <- rowMeans(vapply(drawn, function(d) {
    c(mean(d$size), mean(log(d$price)), mean(d$member), mean(d$town == "Oslo"))
  }, numeric(4)))
  exact <- c(mean(data$size), mean(log(data$price)), mean(data$member), mean(data$town == "Oslo"))
  expect_lt(max(abs(means - exact) / c(0.5, 0.4, 0.1, 0.1)), 1)
  replicates <- withr::with_seed(1, posterior_predict(fit, ndraws = 3))
  expect_identical(dim(replicates), c(3L, 60L, 6L))
  expect_true(all(replicates[, , 6] %in% 1:3))
  expect_gt(min(replicates[, , 2]), 0)
})

test_that("fits start from the given `init`", {
  data <- mixed_frame(20)
  z <- matrix(rbinom(40, 1, 0.5), 20)
  start <- list(features = z, sigma_w = 0.5, sigma_b = 2, alpha = 1)
  fit <- quick_mixed(data, init = start, method = method_gibbs(chains = 1, iter = 20, warmup = 0))
  again <- quick_mixed(data, init = fit, method = method_gibbs(chains = 1, iter = 20, warmup = 0))
  expect_s3_class(again, "fit_mixed")
  expect_error(quick_mixed(data, init = list(sigma_w = 99)), "^`init\\$sigma_w` must ")
  known <- quick_mixed(data, prior = prior_fixed(z), method = method_gibbs(chains = 1, iter = 40))
  expect_identical(unname(features(known)), z)
})
