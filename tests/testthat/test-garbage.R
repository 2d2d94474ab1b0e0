# What the glue gives R survives R's collection of garbage, wherever it comes.

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

test_that("fits are what they are where garbage is collected all the time", {
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
  for (name in sized(c("gaussian_gibbs_cpp", "nmf_icm_cpp", "beam_cpp"), names(runs))) {
    expect_identical(collecting(name, runs[[name]]()), runs[[name]](), label = name)
  }
})
