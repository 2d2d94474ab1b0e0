# Names from before version 1.0.0 still work, with a deprecation warning.

# This test must come first, because each of these warnings is given only once every eight hours.
test_that("a call with an old argument gives a warning", {
  withr::local_options(lifecycle_verbosity = NULL)
  # While a package is tested, its own calls count as calls by the user.
  withr::local_envvar(TESTTHAT_PKG = NA)
  calls <- list(
    quote(buffet::method_meibp(threads = 2)), quote(buffet::method_icm(threads = 2)),
    quote(buffet::method_variational(threads = 2)), quote(buffet::method_power_ep(threads = 2))
  )
  for (call in calls) {
    expect_warning(eval(call, globalenv()), class = "lifecycle_warning_deprecated")
  }
})

test_that("functions with old names call the functions with new names", {
  withr::local_options(lifecycle_verbosity = "warning")
  at_seed <- function(call) withr::with_seed(1, call)
  expect_warning(old <- at_seed(block_images(5)), class = "lifecycle_warning_deprecated")
  expect_identical(old, at_seed(sim_images(5)))
  expect_warning(old <- at_seed(object_photos(2, 10, 10)), "sim_photos\\(\\)")
  expect_identical(old, at_seed(sim_photos(2, 10, 10)))
  expect_warning(old <- at_seed(rftm(3, 4, lengths = 5)), "sim_topics\\(\\)")
  expect_identical(old, at_seed(sim_topics(3, 4, lengths = 5)))
})

test_that("arguments with old names set the arguments with new names", {
  withr::local_options(lifecycle_verbosity = "warning")
  choice <- quick_choice(method = method_gibbs(1, 20))
  expect_warning(old <- predict(choice, interval = 0.8), "`interval = \"credible\", level = `")
  expect_identical(old, predict(choice, interval = "credible", level = 0.8))
  for (method in list(method_meibp, method_icm, method_variational, method_power_ep)) {
    expect_warning(old <- method(threads = 2), "`cores` argument")
    expect_identical(old, method(cores = 2))
  }
  expect_warning(old <- method_gibbs(regroup = FALSE), "`restart_stuck` argument")
  expect_identical(old, method_gibbs(restart_stuck = FALSE))
})
