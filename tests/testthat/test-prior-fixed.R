# Features that are known keep their order and their names in what is told of them.

known <- withr::with_seed(1, cbind(
  smoker = rbinom(20, 1, 0.2), age = rbinom(20, 1, 0.5), male = rbinom(20, 1, 0.9)
))
short <- method_gibbs(chains = 1, iter = 40)

expect_as_given <- function(fit, z = known) {
  expect_identical(features(fit), structure(z, dimnames = list(NULL, colnames(z))))
  expect_identical(feature_draws(fit)[[3]], features(fit))
  expect_identical(feature_draws(fit)[2:4][[1]], features(fit))
  expect_identical(rownames(loadings_of(fit)), colnames(z))
  expect_identical(unique(tidy(fit, "features")$feature), colnames(z))
  expect_true(all(paste0(".", colnames(z)) %in% names(augment(fit))))
  expect_identical(features(update(fit, iter = 50, verbose = FALSE)), features(fit))
}

test_that("fits of data frames tell of known features as they were given", {
  data <- mixed_frame(20)
  data$size <- data$size + 9 * known[, "age"]
  fit <- quick_mixed(data[c("size", "member")], prior = prior_fixed(known), method = short)
  expect_as_given(fit)
  effects <- tidy(fit)
  expect_identical(unique(effects$feature), colnames(known))
  sizes <- effects[effects$column == "size", ]
  expect_identical(sizes$feature[which.max(sizes$estimate)], "age")
  expect_identical(names(which.max(loadings_of(fit)[, "size"])), "age")
  for (type in c("effects", "patterns", "features", "loadings")) build_plot(plot(fit, type))
})

test_that("features without names are numbered in their order", {
  fit <- quick_mixed(mixed_frame(20)["size"], prior = prior_fixed(unname(known)), method = short)
  expect_identical(features(fit), structure(known, dimnames = list(NULL, c("f1", "f2", "f3"))))
  some <- cbind(0L, known)
  colnames(some) <- c("none", "", "age", "f1")
  fit <- quick_mixed(mixed_frame(20)["size"], prior = prior_fixed(some), method = short)
  expect_identical(colnames(features(fit)), c("f1", "age", "f1.1"))
  colnames(some) <- c("a", "a", "b", "b")
  expect_error(prior_fixed(some), "^`z` must have unique column names, not two named \"b\"")
})

test_that("models that learn their features refuse known ones by their name", {
  said <- function(fit) {
    paste0(
      "`prior` must be one by which features are learned, such as prior_ibp(), for ", fit,
      ", not prior_fixed()."
    )
  }
  x <- diag(4)
  expect_error(fit_gaussian(x, prior = prior_fixed(x)), said("fit_gaussian()"), fixed = TRUE)
  expect_error(fit_factor(x, prior = prior_fixed(x)), said("fit_factor()"), fixed = TRUE)
})
