test_that("a failed allocation in the core raises an error with the size of the fit", {
  fit <- small_fit()
  text <- paste(
    "^fit_gaussian\\(\\) ran out of memory: [0-9]+ rows and [0-9]+ columns,",
    "[0-9]+ chains? of [0-9]+ saved draws; a larger `thin` needs less\\.$"
  )
  failed <- list(list(failure = "std::bad_alloc"))
  expect_error(drop_failed(failed, list(model = fit$internal$model, method = fit$method)), text)
  local_function("fit_by", function(...) stop("vector::_M_default_append"))
  expect_error(quick_fit(small_data()), text)
  local_function("fit_by", function(...) stop("another"))
  expect_error(quick_fit(small_data()), "^another$")
})

test_that("running out of memory elsewhere in the core raises the same error", {
  skip_on_os(c("windows", "mac"))
  code <- paste0(
    ".libPaths(", deparse1(.libPaths()), "); x <- matrix(1:0, 200, 3); ",
    "method <- buffet::method_variational(max_features = 30000, restarts = 1); ",
    "cat(tryCatch(buffet::fit_gaussian(x, method = method), error = conditionMessage))"
  )
  out <- system2("sh", c("-c", shQuote(sprintf(
    "ulimit -v 2500000; %s -e %s", file.path(R.home("bin"), "Rscript"), shQuote(code)
  ))), stdout = TRUE, stderr = FALSE)
  expect_match(out, "fit_gaussian() ran out of memory: 200 rows and 3 columns.", fixed = TRUE)
})
