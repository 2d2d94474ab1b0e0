# fit_*() and update() warn where chains do not agree.

x <- withr::with_seed(1, block_images(20))
method <- method_gibbs(chains = 2, iter = 20)

test_that("a run whose chains do not agree ends with one warning, which says what to do", {
  local_rhat_warnings()
  run <- with_warnings(quick_fit(x, method = method))
  expect_length(run$warned, 1)
  expect_match(
    run$warned, "^The chains .* \\(Rhat up to [0-9.]+, above 1.05\\)\\. .*`update\\(fit, "
  )
  found <- tryCatch(quick_fit(x, method = method), warning = identity)
  expect_s3_class(found, "buffet_rhat_warning")
  expect_null(conditionCall(found))
  quiet <- function(code) suppressWarnings(code, classes = "buffet_rhat_warning")
  expect_no_warning(fit <- quiet(quick_fit(x, method = method)))
  expect_no_warning(capture.output(print(fit)))
  expect_warning(summary(fit), class = "buffet_rhat_warning")
})

test_that("where warnings are errors, a fit is kept by its file alone, as the help says", {
  local_rhat_warnings()
  file <- withr::local_tempfile(fileext = ".rds")
  kept <- function() quick_fit(x, method = method, file = file)
  # testthat hears warnings before options(warn = 2) would make errors of them.
  expect_error(tryCatch(kept(), warning = \(w) stop(conditionMessage(w))), "Rhat")
  fit <- suppressWarnings(quick_fit(x, method = method))
  expect_identical(suppressWarnings(kept()), fit)
  told <- "options(warn = 2) makes an error of the warning that chains do not agree (Rhat)"
  expect_help("fit_gaussian", told)
})

test_that("what it advises can be pasted, and each advice makes a fit", {
  local_rhat_warnings()
  for (iter in c(20, 60)) {
    warned <- with_warnings(fit <- quick_fit(x, method = method_gibbs(chains = 2, iter = iter)))$warned  # nolint: line_length_linter.
    code <- regmatches(warned, gregexpr("`update[^`]+`", warned))[[1]]
    expect_gt(length(code), 0)
    for (line in gsub("`", "", code)) {
      again <- suppressMessages(suppressWarnings(eval(str2lang(line), list(fit = fit))))
      expect_s3_class(again, "fit_gaussian")
    }
  }
})

test_that("update() warns too, and chains that agree or are alone are silent", {
  local_rhat_warnings()
  fit <- suppressWarnings(quick_fit(x, method = method))
  expect_warning(update(fit, iter = 30, verbose = FALSE), class = "buffet_rhat_warning")
  expect_no_warning(quick_fit(x, method = method_gibbs(chains = 1, iter = 20)))
  expect_no_warning(
    fit_gaussian(x, "nonnegative", method = method_meibp(4), seed = 1, verbose = FALSE)
  )
  local_function("rhat_of", function(values) 1.04)
  expect_no_warning(quick_fit(x, method = method))
  local_function("rhat_of", function(values) 1.06)
  expect_warning(quick_fit(x, method = method), "Rhat up to 1.06", class = "buffet_rhat_warning")
})

test_that("a step of a recipe warns as it is trained", {
  skip_if_not_installed("recipes")
  local_rhat_warnings()
  local_function("rhat_of", function(values) 2)
  data <- data.frame(x[, 1:4])
  step <- step_ibp(recipes::recipe(~., data), recipes::all_predictors(), method = method, seed = 1)
  expect_match(with_warnings(recipes::prep(step))$warned, "^The chains .*Rhat", all = FALSE)
})
