# Function names that are familiar to users of other packages.

test_that("generics are re-exported, so the order in which packages are attached does not matter", {
  from <- list(
    generics = c("augment", "glance", "tidy"),
    posterior = paste0("as_draws", c("", "_array", "_df", "_list", "_matrix", "_rvars")),
    rstantools = c(
      "bayes_R2", "log_lik", "posterior_epred", "posterior_interval", "posterior_predict",
      "predictive_interval", "prior_summary"
    )
  )
  for (package in names(from)) {
    for (name in from[[package]]) {
      expect_identical(
        getExportedValue("buffet", name), getExportedValue(package, name), label = name
      )
    }
  }
})

test_that("methods for generics of rstantools are registered with them, not only visible here", {
  methods <- asNamespace("rstantools")[[".__S3MethodsTable__."]]
  for (name in c("bayes_R2", "posterior_epred", "posterior_predict", "predictive_interval")) {
    expect_true(exists(paste0(name, ".buffet_fit"), methods), label = name)
  }
})

test_that("help pages list names that other packages use for different functions", {
  told <- list(NLP = "features", tidyr = "complete", mice = "complete")
  packages <- c(
    "NLP", "tm", "posterior", "tidyr", "dplyr", "purrr", "tibble", "ggplot2", "loo", "generics",
    "rstantools", "ape", "coda", "Matrix", "broom", "mice", "slam", "topicmodels", "caret",
    "recipes", "igraph", "brms", "rstanarm", "quanteda", "tidytext", "stats", "utils", "base",
    "methods", "graphics"
  )
  told$topicmodels <- "perplexity"
  for (package in packages) {
    if (!requireNamespace(package, quietly = TRUE)) next
    shared <- intersect(getNamespaceExports("buffet"), getNamespaceExports(package))
    differ <- Filter(function(name) {
      !identical(getExportedValue("buffet", name), getExportedValue(package, name))
    }, shared)
    expect_setequal(as.character(differ), as.character(told[[package]]))
  }
})

test_that("posterior diagnoses and subsets the draws of a fit variable by variable", {
  fit <- small_fit()
  draws <- as_draws(fit)
  summary <- posterior::summarise_draws(draws, "rhat", "ess_bulk", "ess_tail")
  for (name in c("rhat", "ess_bulk", "ess_tail")) {
    statistic <- getExportedValue("posterior", name)
    expected <- stats::setNames(as.double(summary[[name]]), summary$variable)
    expect_equal(statistic(fit), expected, label = name)
    expect_error(statistic(easy_point()), "^`x` must be a fit by sampling")
  }
  some <- posterior::subset_draws(fit, variable = "alpha", chain = 2)
  expect_identical(as.vector(some), as.vector(draws[, 2, "alpha"]))
  expect_identical(dim(some), c(300L, 1L, 1L))
  expect_error(posterior::subset_draws(easy_point()), "^`x` must be a fit by sampling")
})
