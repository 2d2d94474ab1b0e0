test_that("the concentration must exceed minus the discount", {
  expect_s3_class(prior_ibp(concentration = -0.4, discount = 0.5), "prior_ibp")
  expect_error(
    prior_ibp(concentration = -0.5, discount = 0.5),
    "`concentration` must be one number above -0.5 or a gamma_prior(), not -0.5.", fixed = TRUE
  )
  expect_error(prior_ibp(concentration = 0), "above 0 or")
})

test_that("a prior prints as its formula, without default values of hyperparameters", {
  expect_equal(format(gamma_prior(1, 0.5)), "Gamma(shape = 1, rate = 0.5)")
  expect_equal(format(prior_ibp(2)), "Z ~ IBP(alpha = 2)")
  expect_equal(
    format(prior_ibp(concentration = gamma_prior(2, 3), discount = 0.25)),
    c(
      "Z ~ IBP(alpha, concentration, discount = 0.25)", "alpha ~ Gamma(shape = 1, rate = 1)",
      "concentration ~ Gamma(shape = 2, rate = 3)"
    )
  )
  expect_equal(
    format(prior_beta_bernoulli(5, 2)),
    "Z ~ beta-Bernoulli(n_features = 5, alpha = 2, concentration = 1)"
  )
  expect_output(print(prior_ibp()), "^Z ~ IBP\\(alpha\\)\nalpha ~ Gamma\\(shape = 1, rate = 1\\)$")
  expect_output(print(gamma_prior(1, 2)), "^Gamma\\(shape = 1, rate = 2\\)$")
})

test_that("gamma priors with invalid or missing fields raise a one-line error in all functions", {
  odd <- list(
    list(), list(shape = 1), list(rate = 1), list(shape = -1, rate = 2),
    list(shape = "a", rate = 2), list(shape = 1:2, rate = 1), list(shape = 1, rate = 1:3),
    list(shape = 1, rate = NA_real_),
    list(shape = Inf, rate = 1), list(NA)
  )
  odd <- lapply(odd, structure, class = "gamma_prior")
  uses <- list(
    alpha = prior_cascade, alpha_deep = \(x) prior_cascade(1, x), alpha = \(x) rcascade(4, x),
    concentration = \(x) prior_cascade(1, 1, x), alpha_deep = \(x) rcascade(4, 1, x),
    alpha = \(x) dcascade(list(), x, units = 2), alpha = \(x) cascade_depth(3, x),
    alpha = prior_ibp, concentration = \(x) prior_ibp(1, x),
    weights = \(x) fit_choice(celebrities, x), bias = \(x) fit_logistic(diag(2), bias = x),
    sigma_x = \(x) fit_gaussian(diag(2), sigma_x = x)
  )
  for (n in seq_along(uses)) {
    expect_refusals(uses[[n]], names(uses)[n], odd)
    expect_error(uses[[n]](odd[[1]]), "a gamma_prior\\(\\), not a malformed one\\.$")
  }
})

test_that("a seed gives the same matrices, and R's generator is restored", {
  set.seed(5)
  before <- .Random.seed
  one <- simulate(prior_ibp(), nsim = 3, seed = 1, rows = 4)
  expect_identical(.Random.seed, before)
  expect_identical(simulate(prior_ibp(), nsim = 3, seed = 1, rows = 4), one)
  expect_false(identical(simulate(prior_ibp(), nsim = 3, seed = 2, rows = 4), one))
  expect_identical(as.integer(attr(one, "seed")), 1L)
  expect_identical(attr(attr(one, "seed"), "kind"), as.list(RNGkind()))
})

test_that("without a seed, the state of the generator is recorded, and set.seed() sets the draws", {
  set.seed(5)
  before <- .Random.seed
  one <- simulate(prior_beta_bernoulli(3), nsim = 2, rows = 4)
  expect_identical(attr(one, "seed"), before)
  set.seed(5)
  expect_identical(simulate(prior_beta_bernoulli(3), nsim = 2, rows = 4), one)
  expect_false(identical(simulate(prior_beta_bernoulli(3), nsim = 2, rows = 4), one))
})

test_that("R's generator is restored if a draw fails", {
  set.seed(5)
  before <- .Random.seed
  expect_error(simulate(prior_ibp(), seed = 1, rows = -1))
  expect_identical(.Random.seed, before)
})

test_that("each matrix is returned with the hyperparameters from which it was drawn", {
  z <- simulate(prior_ibp(2, concentration = 3), nsim = 2, seed = 1, rows = 4)
  expect_identical(lapply(z, attr, "alpha"), list(2, 2))
  expect_identical(lapply(z, attr, "concentration"), list(3, 3))
  z <- simulate(prior_beta_bernoulli(6), nsim = 2, seed = 1, rows = 4)
  expect_identical(lapply(z, dim), list(c(4L, 6L), c(4L, 6L)))
})

test_that("for every matrix, learned hyperparameters are drawn from their gamma priors", {
  prior <- prior_ibp(gamma_prior(2, 3), gamma_prior(4, 5))
  z <- simulate(prior, nsim = 4000, seed = 1, rows = 3)
  alpha <- vapply(z, attr, 1, "alpha")
  concentration <- vapply(z, attr, 1, "concentration")
  expect_gt(ks.test(alpha, "pgamma", 2, 3)$p.value, 1e-4)
  expect_gt(ks.test(concentration, "pgamma", 4, 5)$p.value, 1e-4)
  expect_lt(abs(cor(alpha, concentration)), 0.07)
  first <- vapply(z, \(z) sum(z[1, ]), 1)
  expect_law(first, \(k) dnbinom(k, 2, 3 / (3 + 1)))
})

test_that("under the finite prior, the matrices depend on the alpha that was drawn", {
  z <- simulate(prior_beta_bernoulli(1, gamma_prior(2, 3), 2), nsim = 4000, seed = 1, rows = 1)
  odds <- function(a) a / (1 + a) * dgamma(a, 2, 3)
  p <- integrate(odds, 0, Inf)$value
  expect_mean(vapply(z, sum, 1L), p, sqrt(p * (1 - p)))
})

# Known features keep their order and their names in all output.

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

test_that("fits to data frames keep the names and the order of known features", {
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

test_that("features without names are numbered in order", {
  fit <- quick_mixed(mixed_frame(20)["size"], prior = prior_fixed(unname(known)), method = short)
  expect_identical(features(fit), structure(known, dimnames = list(NULL, c("f1", "f2", "f3"))))
  some <- cbind(0L, known)
  colnames(some) <- c("none", "", "age", "f1")
  fit <- quick_mixed(mixed_frame(20)["size"], prior = prior_fixed(some), method = short)
  expect_identical(colnames(features(fit)), c("f1", "age", "f1.1"))
  colnames(some) <- c("a", "a", "b", "b")
  expect_error(prior_fixed(some), "^`z` must have unique column names, not two named \"b\"")
})

test_that("models that learn their features reject known ones, and errors give the name", {
  said <- function(fit) {
    paste0(
      "`prior` must be a prior with unknown features, such as prior_ibp(), for ", fit,
      ", not prior_fixed()."
    )
  }
  x <- diag(4)
  expect_error(fit_gaussian(x, prior = prior_fixed(x)), said("fit_gaussian()"), fixed = TRUE)
  expect_error(fit_factor(x, prior = prior_fixed(x)), said("fit_factor()"), fixed = TRUE)
})
