# The parts of a fit that are passed to the core must be consistent. An inconsistent part must raise
# an error that names it, so that the core never reads memory beyond its end.

expect_damaged <- function(code, part) {
  text <- sprintf("^the (fit is damaged in its|kept draws are damaged in their) %s\\.$", part)
  expect_error(code, text)
}

#' A fit with some parts changed
changed <- function(known, ...) {
  parts <- list(...)
  known[names(parts)] <- parts
  known
}

test_that("draws whose sizes differ from the recorded sizes are rejected before any is read", {
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

test_that("inconsistent trees and sparse matrices are rejected", {
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

#' Evaluates `code`, with garbage collection at every allocation in the calls to this C++ function
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
  skip_if_quick()
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
  for (name in names(runs)) {
    expect_identical(collecting(name, runs[[name]]()), runs[[name]](), label = name)
  }
})
