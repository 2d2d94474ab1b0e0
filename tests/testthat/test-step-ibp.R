# What recipes requires of every step, and the columns of step_ibp().

skip_if_not_installed("recipes")
quick_ibp <- method_gibbs(chains = 1, iter = 60)

pictures <- function(n = 50) {
  x <- withr::with_seed(1, sim_images(n, sigma = 0.3))
  data.frame(unclass(x)[, 1:12], y = attr(x, "features")[, 1], row.names = NULL)
}

printed <- function(x) {
  out <- utils::capture.output(said <- testthat::capture_messages(print(x)))
  c(out, said)
}

#' All pixels have the same unit, and 0 means that nothing is present
trained <- function(data = pictures(), model = "gaussian",
                    options = if (identical(model, "gaussian")) list(scale = FALSE) else list(),
                    ...) {
  rec <- step_ibp(recipes::recipe(y ~ ., data), recipes::all_predictors(),
    model = model, options = options, method = quick_ibp, seed = 1, ...
  )
  recipes::prep(rec)
}

baked <- function(rec, data = NULL) recipes::bake(rec, new_data = data)

added <- function(data) as.matrix(data[grepl("^feature", names(data))])

test_that("columns are replaced by the probabilities of the features of the fit", {
  data <- pictures()
  rec <- trained(data)
  fit <- rec$steps[[1]]$res
  expect_s3_class(fit, "fit_gaussian")
  expect_identical(fit, fit_gaussian(data[1:12], method = quick_ibp, seed = 1))
  out <- baked(rec)
  k <- ncol(features(fit))
  expect_named(out, c("y", paste0("feature", seq_len(k))))
  for (i in c(1, 20)) {
    alone <- predict(fit, data[i, 1:12], type = "features")
    expect_equal(unname(added(out)[i, ]), unname(alone[1, ]))
  }
  # The features were learned from these rows, so they are nearly certain.
  expect_gt(mean((added(out) > 0.5) == features(fit)), 0.97)
  expect_identical(summary(rec)$role[-1], rep("predictor", k))
  expect_true(all(baked(trained(data, role = "other"))$y == data$y))
  expect_identical(summary(trained(data, role = "other"))$role[2], "other")
})

test_that("a row is baked the same way in the training set, in new data and on its own", {
  binary <- pictures()
  binary[1:12] <- lapply(binary[1:12], function(x) as.integer(x > 0.5))
  for (rec in list(trained(), trained(binary, model = "logistic"), trained(model = "mixed"))) {
    data <- if (inherits(rec$steps[[1]]$res, "fit_logistic")) binary else pictures()
    all <- added(baked(rec))
    expect_identical(added(baked(rec, data)), all)
    expect_identical(added(baked(rec, data[c(7, 3, 3), ])), all[c(7, 3, 3), ])
  }
  expect_identical(nrow(baked(rec, data[0, ])), 0L)
})

test_that("seed, or set.seed() before prep(), fixes the result, and bake() draws nothing", {
  expect_identical(baked(trained()), baked(trained()))
  rec <- step_ibp(recipes::recipe(y ~ ., pictures()), recipes::all_predictors(), method = quick_ibp)
  by_seed <- function(seed) {
    set.seed(seed)
    recipes::prep(rec)
  }
  expect_identical(baked(by_seed(5)), baked(by_seed(5)))
  expect_false(identical(by_seed(5)$steps[[1]]$res, by_seed(6)$steps[[1]]$res))
  rec <- by_seed(5)
  data <- pictures()
  before <- .Random.seed
  baked(rec, data)
  expect_identical(.Random.seed, before)
})

test_that("the options are passed to the fitting function", {
  for (options in list(list(scale = TRUE), list(scale = FALSE, noise = "column"))) {
    direct <- c(list(pictures()[1:12], method = quick_ibp, seed = 1), options)
    expect_identical(trained(options = options)$steps[[1]]$res, do.call(fit_gaussian, direct))
  }
  of <- function(options) trained(options = options)$steps[[1]]$res
  expect_identical(of(list()), of(list(scale = TRUE)))
  rec <- trained(model = "mixed", options = list(families = "gaussian", sigma_w = 2))
  expect_identical(prior_summary(rec$steps[[1]]$res)$learned[3], FALSE)
  climbed <- recipes::prep(step_ibp(recipes::recipe(y ~ ., pictures()), recipes::all_predictors(),
    method = method_meibp(5), prior = prior_ibp(1), options = list(loadings = "nonnegative"),
    seed = 1
  ))
  expect_true(all(added(baked(climbed)) %in% 0:1))
})

test_that("missing entries and text are accepted, and unknown categories count as missing", {
  data <- pictures()
  data$X1[3] <- NA
  expect_false(anyNA(added(baked(trained(data)))))
  expect_false(anyNA(added(baked(trained(data), data[3, ]))))
  data$kind <- ifelse(pictures()$y == 1, "one", ifelse(pictures()$X5 > 0.5, "two", "three"))
  rec <- trained(data, model = "mixed")
  expect_identical(added(baked(rec, data)), added(baked(rec)))
  strange <- transform(data[1:2, ], kind = factor(c("one", "nine")))
  lacking <- transform(data[2, ], kind = factor(NA, c("one", "two", "three")))
  told <- "step_ibp() treats categories of \"kind\" that it was not trained on as missing: \"nine\"."  # nolint: line_length_linter.
  expect_warning(rows <- baked(rec, strange), told, fixed = TRUE)
  expect_identical(added(rows)[2, ], added(baked(rec, lacking))[1, ])
  text <- data.frame(y = 1, a = rep(c("yes", "no", "no"), 10), b = rep(c("no", "yes"), 15))
  rec <- trained(text, model = "logistic", keep_original_cols = TRUE)
  expect_identical(added(baked(rec, text)), added(baked(rec)))
})

test_that("a threshold turns the probabilities into zeros and ones", {
  shares <- added(baked(trained()))
  ones <- added(baked(trained(threshold = 0.2)))
  expect_type(ones, "integer")
  expect_identical(ones, 1L * (shares > 0.2))
  expect_true(any(shares > 0.2 & shares < 1))
})

test_that("original columns are kept on request, and a prefix names the new columns", {
  data <- pictures()
  out <- baked(trained(data, keep_original_cols = TRUE, prefix = "f"))
  expect_identical(names(out)[1:14], c(names(data), "f1"))
  expect_identical(as.data.frame(out[1:13]), data)
  data$feature1 <- data$X1
  expect_error(trained(data), "feature1")
})

test_that("an empty selection changes nothing", {
  rec <- step_ibp(recipes::recipe(mpg ~ ., mtcars), id = "none")
  expect_identical(
    recipes::tidy(rec, number = 1),
    tibble::tibble(terms = character(), value = double(), component = character(), id = "none")
  )
  done <- recipes::prep(rec, mtcars)
  expect_identical(baked(done), baked(recipes::prep(recipes::recipe(mpg ~ ., mtcars), mtcars)))
  expect_identical(baked(done, mtcars), baked(done))
  expect_identical(recipes::tidy(done, number = 1), recipes::tidy(rec, number = 1))
  expect_match(paste(printed(rec), collapse = " "), "IBP features from:? <none>")
  expect_match(paste(printed(done), collapse = " "), "0 IBP features from:? <none>")
})

test_that("if no feature is found, the columns stay and there is a warning", {
  data <- withr::with_seed(1, data.frame(a = rnorm(15), b = rnorm(15), y = 1))
  # alpha is so small that no feature improves the posterior.
  rec <- step_ibp(recipes::recipe(y ~ ., data), a, b,
    prior = prior_ibp(1e-12), method = quick_ibp, seed = 1
  )
  expect_warning(done <- recipes::prep(rec), "found no feature and leaves the columns")
  expect_identical(as.data.frame(baked(done)), data)
  expect_identical(nrow(recipes::tidy(done, number = 1)), 0L)
})

test_that("tidy() returns the loadings or, before training, the selectors", {
  rec <- trained(id = "step")
  a <- loadings_of(rec$steps[[1]]$res)
  out <- recipes::tidy(rec, number = 1)
  expect_named(out, c("terms", "value", "component", "id"))
  expect_identical(out$value[out$terms == "X2" & out$component == "feature1"], a[1, "X2"])
  expect_identical(nrow(out), length(a))
  before <- step_ibp(recipes::recipe(y ~ ., pictures()), X1, recipes::starts_with("X2"))
  out <- recipes::tidy(before, number = 1)
  expect_identical(out$terms, c("X1", "recipes::starts_with(\"X2\")"))
  expect_true(all(is.na(out$value) & is.na(out$component)))
  mixed <- recipes::prep(step_ibp(recipes::recipe(~., iris[c(1:20, 61:80, 121:140), ]),
    recipes::all_predictors(), model = "mixed", method = quick_ibp, seed = 1
  ))
  expect_true("Species: virginica" %in% recipes::tidy(mixed, number = 1)$terms)
})

test_that("an error names a column that is missing from new data", {
  rec <- trained(keep_original_cols = TRUE)
  expect_error(baked(rec, pictures()[-3]), "X3")
  expect_error(recipes::bake(rec$steps[[1]], tibble::as_tibble(pictures()[-3])), "X3")
  expect_match(paste(printed(rec), collapse = " "), "[0-9] IBP features from:? X1,? ")
})

test_that("invalid arguments are rejected with a one-line error before anything is fitted", {
  rec <- recipes::recipe(y ~ ., pictures())
  cases <- list(
    model = list("poisson"), prior = list(2, prior_pibp(celebrity_tree), prior_fixed(diag(2))),
    method = list("gibbs"), threshold = list(1), seed = list(0.5), prefix = list(""),
    keep_original_cols = list(NA), options = list(list(1))
  )
  for (name in names(cases)) {
    step <- function(v) do.call(step_ibp, c(list(rec, "X1"), stats::setNames(list(v), name)))
    expect_refusals(step, name, cases[[name]])
  }
  expect_error(step_ibp(pictures(), X1), "^`recipe` must be a recipe\\(\\), not a data frame ")
  expect_error(trained(options = list(foo = 1)), "`foo` must be left out", fixed = TRUE)
})
