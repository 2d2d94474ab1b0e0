# What the core is given of a fit must fit together: an error names the part that does not, where
# memory beyond its end would be read.

expect_damaged <- function(code, part) {
  text <- sprintf("^the (fit is damaged in its|kept draws are damaged in their) %s\\.$", part)
  expect_error(code, text)
}

#' With some parts changed
changed <- function(known, ...) {
  parts <- list(...)
  known[names(parts)] <- parts
  known
}

test_that("posteriors of loadings are compared with the columns and features", {
  x <- bare(easy_data())
  soft <- quick_point(x, loadings = "normal", method = method_variational(4))
  joint <- quick_point(x, loadings = "normal", method = method_power_ep(4))
  new_rows <- function(fit, ..., log_odds = fit$internal$log_odds) {
    variational_new_rows_cpp(x[1:2, ], log_odds, changed(known_loadings(fit), ...))
  }
  expect_damaged(new_rows(soft, log_odds = soft$internal$log_odds[0]), "mean")
  expect_damaged(new_rows(soft, mean = soft$internal$mean[-1, ]), "mean")
  expect_damaged(new_rows(soft, variances = soft$internal$mean[, 0]), "variances")
  expect_damaged(new_rows(joint, covariance = joint$internal$covariance[0]), "covariances")
  expect_damaged(new_rows(joint, covariance = list(diag(1))), "covariances")
  expect_damaged(new_rows(joint, covariance_of = joint$internal$covariance_of + 1e6L), "covariances")
  expect_damaged(new_rows(joint, covariance_of = joint$internal$covariance_of[-1]), "covariances")
  at <- list(rows = 0L, columns = 0L, values = 1)
  density <- function(at, ...) {
    known <- list(probabilities = expected_features(soft), truncated = FALSE)
    point_heldout_cpp(changed(c(known, known_loadings(soft)), ...), at)
  }
  expect_true(is.finite(density(at)))
  expect_damaged(density(changed(at, rows = 1000L)), "rows")
  expect_damaged(density(changed(at, columns = -1L)), "columns")
  expect_damaged(density(changed(at, values = 1:2 + 0)), "data")
  truncated <- function(...) density(at, truncated = TRUE, ...)
  expect_damaged(truncated(location = soft$internal$mean[, 0], scale = soft$internal$mean), "location")
  expect_damaged(truncated(location = soft$internal$mean, scale = soft$internal$mean[-1, ]), "scale")
  expect_damaged(nonnegative_moments_cpp(soft$internal$mean, soft$internal$mean[-1, ]), "scale")
  expect_damaged(nonnegative_draw_cpp(soft$internal$mean, soft$internal$mean[-1, ], 1L), "scale")
})

test_that("what is known of features is compared with what predicts new rows by them", {
  fit <- easy_point()
  rows <- model_data(fit)[1:2, ]
  known <- list(
    mean = fit$internal$mean, variance = loading_variances(fit), tau_x = 1, tau_a = 1,
    counts = unname(colSums(features(fit))), rows = nobs(fit), prior = fit$internal$model$prior_spec
  )
  known$prior$alpha <- hyper_spec(1)
  meibp <- function(...) meibp_new_rows_cpp(rows, changed(known, ...))
  expect_no_error(meibp())
  expect_damaged(meibp(mean = fit$internal$mean[-1, ]), "mean")
  expect_damaged(meibp(variance = fit$internal$mean[, 0]), "variances")
  expect_damaged(meibp(counts = known$counts[0]), "features")
  expect_damaged(meibp(counts = known$counts + 1000), "features")
  expect_damaged(meibp(rows = 0L), "rows")
  beam <- quick_point(rows, loadings = "normal", method = method_beam(3))
  of_beam <- c(known_loadings(beam), list(
    sigma_a = 1, counts = unname(colSums(features(beam))), rows = 2L,
    prior = beam$internal$model$prior_spec
  ))
  new_rows <- function(...) beam_new_rows_cpp(rows, changed(of_beam, ...))
  expect_no_error(new_rows())
  expect_damaged(new_rows(mean = beam$internal$mean[-1, , drop = FALSE]), "mean")
  expect_damaged(new_rows(covariance_of = beam$internal$covariance_of[-1]), "covariances")
  expect_damaged(new_rows(covariance_of = beam$internal$covariance_of - 5L), "covariances")
  expect_damaged(new_rows(counts = c(of_beam$counts, 1)), "features")
})

test_that("kept draws are asked for no draw, row, column or number that they lack", {
  fit <- once("damaged nonnegative", quick_fit(easy_data(), loadings = "nonnegative"))
  known <- gaussian_draws(fit, 1:2)
  expect_damaged(gaussian_nonnegative_mean_cpp(gaussian_draws(fit, integer()), 5L, 1L), "number")
  expect_damaged(gaussian_heldout_cpp(known, 1000L, 0L, 1), "rows")
  expect_damaged(gaussian_heldout_cpp(known, 0L, -1L, 1), "columns")
  new <- c(known, prior_of_next(fit, 1:2))
  plan <- c(row_plan(fit), list(sweeps = 2L, drawn = FALSE))
  expect_damaged(gaussian_new_rows_cpp(new, matrix(0, 1, 2), plan), "columns")
  of_one <- changed(new, hyper = new$hyper[, 1, drop = FALSE])
  expect_damaged(gaussian_new_rows_cpp(of_one, t(model_data(fit))[, 1:2], plan), "hyperparameters")
  expect_damaged(coassignment_cpp(unclass(fit$feature_draws), c(0L, 1L), NULL), "rows")

  logistic <- logistic_draws(small_logistic(), 1:2)
  expect_damaged(logistic_heldout_cpp(logistic, 1000L, 0L, 1), "rows")
  expect_damaged(logistic_heldout_cpp(logistic, 0L, 1000L, 1), "columns")

  choice <- quick_choice()
  pairs <- function(...) {
    weights <- as.double(choice$internal$draws_loadings)
    choice_probabilities_cpp(unclass(choice$feature_draws), weights, 0.1, matrix(c(...), 1))
  }
  expect_damaged(pairs(1L, 1000L), "pairs")
  expect_damaged(pairs(0L, 1L), "pairs")

  nmf <- nmf_draws(chains_fit(), 1:2)
  places <- matrix(0L, 1, 2)
  expect_damaged(nmf_heldout_cpp(changed(nmf, sigma_x = numeric()), places, 1), "number")
  expect_damaged(nmf_heldout_cpp(changed(nmf, sigma_x = rep(1, 7)), places, 1), "loadings")
  expect_damaged(nmf_heldout_cpp(changed(nmf, columns = 1000L), places, 1), "loadings")
  expect_damaged(nmf_heldout_cpp(nmf, places + 1000L, 1), "data")
  expect_damaged(nmf_fitted_cpp(nmf$loadings, 1000L, 2L), "loadings")

  loadings <- matrix(1, 3, 2)
  expect_damaged(factor_given_rows_cpp(loadings, rep(1, 3), matrix(0, 4, 1)), "loadings")
  expect_damaged(factor_given_rows_cpp(loadings, 1, matrix(0, 3, 1)), "standard deviations")

  cascade <- cascade_fit()
  plan <- row_plan(cascade, sweeps = 1L)
  fold <- c(plan, list(warmup = 1L, sampler = "slice", draws = 1L))
  bytes <- select_bytes(cascade, 1)
  expect_damaged(cascade_fold_cpp(list(bytes), matrix(0, 1, 2), fold), "visible units")
})

test_that("draws of other sizes than were kept are refused before any is read", {
  fit <- unclass(quick_fit(easy_data()))
  with_sizes <- function(sizes) {
    fit$feature_draws <- changed(fit$feature_draws, sizes = sizes)
    structure(fit, class = c("fit_gaussian", "fit_mcmc", "buffet_fit"))
  }
  sizes <- fit$feature_draws$sizes
  expect_true(all(is.finite(predict(with_sizes(sizes)))))
  for (other in list(2L * sizes, 1000000L * sizes, sizes[-1], replace(sizes, 1, NA), sizes + 1L)) {
    expect_damaged(predict(with_sizes(other)), "bits")
  }
})

test_that("trees and sparse matrices that do not fit together are refused", {
  integral <- function(parents, lengths) {
    tree_integrals_cpp(list(parents = parents, lengths = lengths), matrix(1:0, 2, 1))
  }
  expect_true(is.finite(integral(c(2L, 2L, -1L), c(1, 1, 0))))
  for (parents in list(c(2L, 2L, 0L), c(2L, 2L, 5L), c(2L, 2L), c(3L, 3L, -1L, 3L), integer())) {
    expect_damaged(integral(parents, rep(1, length(parents))), "tree")
  }
  expect_damaged(integral(c(2L, 2L, -1L), c(1, 1)), "tree")
  expect_damaged(integral(c(2L, 2L, -1L), c(1, NaN, 0)), "tree")

  sparse <- Matrix::Matrix(diag(3), sparse = TRUE)
  sparse <- methods::as(methods::as(sparse, "generalMatrix"), "CsparseMatrix")
  slots <- list(i = c(0L, 1L, 9L), i = c(0, 1, 2), p = c(0L, 1L, 2L, 9L), p = c(0L, 2L, 1L, 3L),
    p = 0L, x = 1, Dim = 3L
  )
  for (n in seq_along(slots)) {
    x <- sparse
    attr(x, names(slots)[n]) <- slots[[n]]
    expect_damaged(nmf_icm_cpp(x, list(), list(), list()), "sparse matrix")
  }
})

#' The value of `code`, garbage collected at every allocation within the calls of this C++ function
collecting <- function(name, code) {
  calls <- local_counter(name)
  local_wrapper(name, function(plain, ...) {
    gctorture(TRUE)
    on.exit(gctorture(FALSE))
    plain(...)
  })
  value <- force(code)
  expect_gt(calls(), 0)
  value
}

test_that("fits are the same if garbage is collected at every allocation", {
  short <- method_gibbs(chains = 2, iter = 8, warmup = 4)
  point <- function(method, ...) function() quick_fit(abs(x), ..., method = method)
  x <- unname(small_data())
  runs <- list(
    gaussian_gibbs_cpp = function() quick_fit(x, method = short),
    logistic_gibbs_cpp = function() quick_logistic(x > 0, method = short),
    choice_gibbs_cpp = function() quick_choice(method = short),
    topics_cpp = function() suppressMessages(quick_topics(round(abs(x) * 3), method = short)),
    cascade_cpp = function() quick_cascade(x, method = short),
    nmf_gibbs_cpp = function() fit_nmf(abs(x), 2, method = short, seed = 1, verbose = FALSE),
    nmf_icm_cpp = function() fit_nmf(abs(x), 2, method = method_icm(), seed = 1, verbose = FALSE),
    meibp_cpp = point(method_meibp(), loadings = "nonnegative"),
    variational_cpp = point(method_variational(max_features = 3)),
    beam_cpp = point(method_beam(5), sigma_x = 0.5, sigma_a = 1, prior = prior_ibp(2))
  )
  for (name in sized("nmf_icm_cpp", names(runs))) {
    expect_identical(collecting(name, runs[[name]]()), runs[[name]](), label = name)
  }
})
