# Fits by fit_gaussian() with method_meibp(). The bound is computed from its definition, and results
# are compared with other ways to compute them.

images <- bare(withr::with_seed(1, sim_images(100)))
image_holes <- with_holes(images, 400, seed = 2)
searches <- c("climb", "local", "double_greedy")

test_that("mean, mean square and entropy in the reference agree with quadrature", {
  for (place in list(c(0.5, 0.7), c(-0.4, 1.1), c(0, 2), c(-6, 1), c(9, 1))) {
    location <- place[1]
    scale <- place[2]
    log_density <- function(a) {
      stats::dnorm(a, location, scale, log = TRUE) - stats::pnorm(location / scale, log.p = TRUE)
    }
    expected <- function(f) {
      integrand <- function(a) f(a) * exp(log_density(a))
      stats::integrate(integrand, 0, max(0, location) + 12 * scale, rel.tol = 1e-10)$value
    }
    moments <- truncated_moments(location, scale)
    expect_equal(moments$mean, expected(identity), tolerance = 1e-8)
    expect_equal(moments$square, expected(\(a) a^2), tolerance = 1e-8)
    expect_equal(moments$entropy, expected(\(a) -log_density(a)), tolerance = 1e-8)
  }
})

#' Models of all kinds, given by arguments of fit_gaussian()
point_models <- list(
  learned = list(), fixed = list(sigma_x = 0.5, sigma_a = 0.7, prior = prior_ibp(2)),
  noise = list(sigma_x = 0.6), size = list(sigma_a = 0.6, prior = prior_ibp(gamma_prior(3, 2))),
  shapes = list(sigma_x = gamma_prior(3, 0.5), sigma_a = gamma_prior(0.5, 4)),
  three = list(prior = prior_ibp(concentration = 2.5, discount = 0.3)),
  negative = list(prior = prior_ibp(1.5, concentration = -0.2, discount = 0.5)),
  finite = list(prior = prior_beta_bernoulli(6, 1.5, 2)),
  exactly = list(prior = prior_beta_bernoulli(4, 0.7), sigma_x = 0.5, sigma_a = 1)
)

test_that("the bound of a fit agrees with its definition", {
  for (model in point_models) {
    for (x in list(images, image_holes)) {
      fit <- do.call(quick_point, c(list(x), model))
      expect_gt(glance(fit)$n_features, 2)
      expect_bound(fit)
    }
  }
  expect_bound(easy_point())
  expect_bound(holes_point())
})

test_that("the bound agrees with its definition for no, one, few and too many features", {
  noise <- withr::with_seed(3, matrix(stats::rnorm(60), 12))
  none <- quick_point(noise, sigma_x = 1, sigma_a = 1, prior = prior_ibp(1e-9))
  expect_identical(ncol(features(none)), 0L)
  one <- quick_point(images, method = method_meibp(max_features = 1))
  expect_identical(ncol(features(one)), 1L)
  own <- quick_point(diag(4, 6) + 0.1, sigma_x = 0.1)
  expect_identical(range(colSums(features(own))), c(1, 1))
  limited <- quick_point(images, method = method_meibp(max_features = 2))
  expect_identical(ncol(features(limited)), 2L)
  three <- quick_point(image_holes[1:3, ])
  row <- quick_point(images[1, , drop = FALSE])
  for (fit in list(none, one, own, limited, three, row)) expect_bound(fit)
})

test_that("the bound of data from which column means are subtracted agrees with its definition", {
  for (x in list(images, image_holes)) expect_bound(quick_point(x, center = TRUE), center = TRUE)
  # Means are computed from observed entries and are 0 for columns without observed entries.
  expect_bound(quick_point(image_holes + 3, center = TRUE), center = TRUE)
})

test_that("factors of hyperparameters are optimal given the features and the loadings", {
  prior <- prior_ibp(gamma_prior(3, 2), concentration = 2, discount = 0.1)
  fit <- quick_point(
    image_holes, prior = prior, sigma_x = gamma_prior(2, 3), sigma_a = gamma_prior(4, 5)
  )
  z <- features(fit)
  a <- loadings_of(fit)
  a <- truncated_moments(attr(a, "location"), attr(a, "scale"))
  squares <- (image_holes - z %*% a$mean)^2 + z %*% a$variance
  best <- function(shape, rate) c(shape = shape, rate = rate)
  factor <- function(name) fit$internal$factors[[name]][c("shape", "rate")]
  seen <- sum(!is.na(image_holes))
  expect_equal(factor("tau_x"), best(2 + seen / 2, 3 + sum(squares, na.rm = TRUE) / 2))
  expect_equal(factor("tau_a"), best(4 + length(a$mean) / 2, 5 + sum(a$square) / 2))
  rates <- printed_rates(100, 2, 0.1)
  expect_equal(factor("alpha"), best(3 + ncol(z), 2 + sum(rates)))
})

test_that("the bound never decreases and ends at the bound of the fit, whatever the search", {
  for (search in searches) {
    for (x in list(images, image_holes)) {
      fit <- quick_point(x, method = method_meibp(search = search))
      bound <- objective(fit)
      expect_gt(length(bound), 4)
      expect_gte(min(diff(bound[is.finite(bound)])), 0)
      expect_bound(fit)
      # The features of the fit are an equally good start, but may lead to another optimum nearby.
      again <- quick_point(x, method = method_meibp(search = search), init = fit)
      expect_gte(bound_of(again), bound_of(fit) - 1e-4 * abs(bound_of(fit)))
    }
  }
})

test_that("updating loadings after every changed row leads to nearly the same features", {
  rows <- function(x, ...) quick_point(x, method = method_meibp(update = "row"), ...)
  for (x in list(images, image_holes)) {
    fit <- rows(x)
    bound <- objective(fit)
    expect_gte(min(diff(bound[is.finite(bound)])), 0)
    expect_bound(fit)
    by_sweeps <- features(quick_point(x))
    expect_identical(dim(features(fit)), dim(by_sweeps))
    expect_lt(mean(features(fit) != by_sweeps), 0.01)
  }
  expect_identical(features(rows(in_blocks(images, c(50, nrow(images))))), features(rows(images)))
})

test_that("easy data have the same features, whatever the seed, the search and the start", {
  x <- bare(easy_data())
  truth <- attr(easy_data(), "features")
  random <- withr::with_seed(1, matrix(stats::rbinom(150, 1, 0.3), 30))
  starts <- list(
    NULL, truth, random, easy_point(), matrix(0, 30, 0), diag(30)[, 1:9],
    list(features = random, sigma_x = 1, sigma_a = 0.5), list(sigma_x = 0.2),
    Matrix::Matrix(random, sparse = TRUE), list(truth), truth == 1
  )
  for (i in seq_along(starts)) {
    method <- method_meibp(search = searches[i %% 3 + 1])
    fit <- quick_point(x, init = starts[[i]], method = method, seed = i)
    expect_identical(features(fit), features(easy_point()))
    expect_equal(bound_of(fit), bound_of(easy_point()), tolerance = 1e-5)
  }
})

test_that("the ascent begins at the given start", {
  truth <- attr(withr::with_seed(1, sim_images(100)), "features")
  # If the data come in blocks, there are no proposals, so the ascent goes from the truth to the
  # nearest optimum.
  blocks <- row_blocks(\(i) images[i * 50 - 49:0, ], 2)
  fit <- quick_point(blocks, init = truth, sigma_x = 0.5)
  expect_gt(mean(sorted_columns(features(fit)) == sorted_columns(truth)), 0.98)
  one <- quick_point(blocks, init = matrix(1, 100, 1), sigma_x = 0.5)
  expect_identical(ncol(features(one)), 1L)
  # Starting from the features of a fit requires fewer iterations.
  whole <- quick_point(images)
  again <- quick_point(images, init = whole)
  expect_lt(length(objective(again)), length(objective(whole)))
})

test_that("chains continue from the features and the standard deviations of a fit", {
  x <- bare(easy_data())
  fit <- easy_point()
  # Normal loadings require some noise, but nonnegative loadings do not.
  exact <- quick_point(bare(easy_data(sigma_x = 0)) * 1000,
    sigma_x = gamma_prior(1, 1), sigma_a = gamma_prior(1, 1)
  )
  expect_lt(glance(exact)$sigma_x, 2e-3 * glance(exact)$sigma_a)
  for (loadings in c("normal", "nonnegative")) {
    chain <- one_draw(x, loadings = loadings, init = fit)
    expect_identical(features(chain), features(fit))
    expect_lt(abs(log(glance(chain)$sigma_x / glance(fit)$sigma_x)), 0.5)
    chain <- one_draw(model_data(exact), loadings = loadings, init = exact)
    expect_true(all(is.finite(scalars_of(chain))))
  }
})

test_that("all four features of images are found at every noise level (Reed & Ghahramani S.5.1)", {
  levels <- sized(c(1, 5, 10), 1:10)
  found <- vapply(levels, function(level) {
    noise <- level / 10
    images <- withr::with_seed(level, sim_images(2000, noise))
    fit <- quick_point(bare(images), method = method_meibp(cores = 2), seed = level)
    expect_lt(abs(glance(fit)$sigma_x / noise - 1), 0.05)
    errors <- sorted_columns(features(fit)) != sorted_columns(attr(images, "features"))
    if (noise <= 0.3) expect_lt(mean(errors), 0.01)
    ncol(features(fit))
  }, 1L)
  expect_identical(found, rep(4L, length(levels)))
})

test_that("the trace of the bound starts once the number of features is within its limit", {
  x <- withr::with_seed(2, matrix(stats::rnorm(1200), 60) + 3)
  many <- withr::with_seed(3, matrix(stats::rbinom(1800, 1, 0.3), 60))
  bound <- objective(quick_point(x, init = many, method = method_meibp(3)))
  expect_true(all(is.finite(bound)))
  expect_gte(min(diff(bound), 0), 0)
})
