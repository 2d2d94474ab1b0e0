# Posterior means use every saved draw. In the full tier there are more than 1000 draws, but few
# enough for single draws to matter.

long <- method_gibbs(chains = 1, iter = sized(310, 1110), warmup = 50)
quiet <- function(fit, ...) fit(..., method = long, seed = 1, verbose = FALSE)

mean_fits <- function() {
  once("long fits", {
    x <- replace(small_data(), c(2, 9, 17), NA)
    numbers <- abs(small_data())
    holes <- replace(numbers, c(2, 9, 17), NA)
    list(
      normal = quiet(fit_gaussian, x),
      nonnegative = quiet(fit_gaussian, holes, "nonnegative"),
      logistic = quiet(fit_logistic, with_holes(small_binary(), 7)),
      loadings = quiet(fit_factor, x),
      nmf = quiet(fit_nmf, holes, rank = 2),
      mixed = quiet(fit_mixed, data.frame(
        size = c(1.2, NA, 3.1, 2.2, 0.4, 5.3, 2.8, 1.9),
        kind = factor(c("a", "b", NA, "b", "a", "b", "a", "a")), count = c(0, 3, 1, NA, 0, 12, 2, 4)
      )),
      cascade = quiet(fit_cascade, x, init = init_cascade(2))
    )
  })
}

whole_frame <- function() {
  data.frame(size = 1.7, kind = factor(rep("b", 8), c("a", "b")), count = 2)
}

mean_choice <- function() {
  once("long choice", {
    wins <- celebrities
    wins["LBJ", "BB"] <- wins["BB", "LBJ"] <- NA
    quiet(fit_choice, wins)
  })
}

test_that("fitted values are means over all draws", {
  for (name in setdiff(names(mean_fits()), c("normal", "mixed"))) {
    fit <- mean_fits()[[name]]
    expect_gt(length(fit$feature_draws), sized(200, 1000))
    means <- apply(posterior_epred(fit), 2:3, mean)
    expect_equal(fitted(fit), means, label = name)
    expect_identical(predict(fit), fitted(fit))
    expect_equal(residuals(fit), model_data(fit) - means)
    # Means over 200 evenly spaced draws are different.
    some <- apply(posterior_epred(fit, ndraws = 200), 2:3, mean)
    expect_gt(max(abs(some - means)), 1e-5)
  }
  fit <- mean_fits()$normal
  s <- as.data.frame(scalars_of(fit))
  means <- lapply(seq_along(fit$feature_draws), function(i) {
    naive_conditional(model_data(fit), fit$feature_draws[[i]], s$sigma_x[i], s$sigma_a[i])$mean
  })
  expect_equal(fitted(fit), mean_of(means), ignore_attr = TRUE)
})

test_that("fitted values of mixed columns are means over all draws", {
  fit <- mean_fits()$mixed
  means <- apply(posterior_epred(fit), 2:3, mean)
  expect_equal(predict(fit)$count, means[, "count"], ignore_attr = TRUE)
  expect_equal(predict(fit, type = "prob")$kind, means[, c("kind: a", "kind: b")],
    ignore_attr = TRUE)
  told <- predict(fit, type = "interval")
  expect_identical(told$.fitted[told$column == "count"], fitted(fit)$count)
  told <- predict(fit, interval = "credible", ndraws = 50)
  expect_identical(told$.fitted[told$column == "count"], fitted(fit)$count)
})

test_that("densities of left-out entries are means over all draws", {
  fits <- mean_fits()
  expect_density <- function(fit, actual, of_draw) {
    hidden <- is.na(model_data(fit))
    means <- posterior_epred(fit)
    densities <- vapply(seq_along(fit$feature_draws), function(i) {
      of_draw(actual[hidden], means[i, , ][hidden], scalars_of(fit)[i, ])
    }, numeric(sum(hidden)))
    expect_equal(heldout_density(fit, actual), log(rowMeans(densities)))
  }
  normal <- function(x, mean, s) stats::dnorm(x, mean, s[["sigma_x"]])
  expect_density(fits$nonnegative, abs(small_data()), normal)
  expect_density(fits$nmf, abs(small_data()), normal)
  expect_density(fits$logistic, small_binary(), \(x, p, s) x * p + (1 - x) * (1 - p))
  fit <- mean_choice()
  at <- match(c("BB", "LBJ"), rownames(celebrities))
  p <- naive_choices(fit)[max(at), min(at), ]
  won <- celebrities[max(at), min(at)]
  n <- won + celebrities[min(at), max(at)]
  expect_equal(heldout_density(fit, celebrities)[[1]], log(mean(stats::dbinom(won, n, p))))
})

test_that("loadings and covariances of factors are means over all draws", {
  fit <- mean_fits()$loadings
  draws <- lapply(seq_along(fit$feature_draws), factor_draw, fit = fit)
  covariances <- lapply(draws, \(d) tcrossprod(d$loadings) + diag(d$sigma_x^2))
  expect_equal(vcov(fit), mean_of(covariances) * tcrossprod(column_units(fit)), ignore_attr = TRUE)
  found <- vapply(draws, function(d) {
    match_signed(sparse_side(fit, point_factors(fit)), d$loadings)$to > 0
  }, logical(ncol(features(fit))))
  share <- rowMeans(matrix(found, ncol(features(fit))))
  expect_equal(unname(attr(loadings_of(fit), "share")), share)
})

test_that("means do not depend on the number of draws that are read at a time", {
  fits <- c(mean_fits()[c("normal", "mixed", "nmf")], choice = list(mean_choice()))
  actual <- function(name) {
    switch(name,
      choice = celebrities, logistic = small_binary(), mixed = whole_frame(), abs(small_data())
    )
  }
  new <- function(fit) {
    if (inherits(fit, "fit_choice")) return(data.frame(item1 = "ET", item2 = 1:3))
    fit$internal$model$data$frame[2:3, ] %||% model_data(fit)[2:3, ]
  }
  said <- function() {
    lapply(stats::setNames(nm = names(fits)), function(name) {
      fit <- fits[[name]]
      list(fitted(fit), predict(fit, new(fit)), heldout_density(fit, actual(name)))
    })
  }
  by_hundred <- said()
  local_function("draws_in_block", function(fit) 7)
  expect_equal(said(), by_hundred, tolerance = 1e-10)
})

test_that("new rows do not depend on the number of threads, and are means over all draws", {
  fits <- mean_fits()[c("normal", "logistic", "loadings", "mixed")]
  for (name in names(fits)) {
    fit <- fits[[name]]
    new <- (fit$internal$model$data$frame %||% model_data(fit))[1:3, ]
    one <- predict(fit, new)
    two <- withr::with_options(
      list(mc.cores = 2), predict(fit, new, ndraws = length(fit$feature_draws))
    )
    expect_identical(two, one)
    expect_false(identical(predict(fit, new, ndraws = 200), one))
  }
  withr::local_options(mc.cores = "two")
  expect_error(predict(fits$normal, small_data()), "^`mc.cores` must be")
})
