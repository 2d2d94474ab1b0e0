test_that("draws are chosen among those that there are", {
  draws <- feature_draws(small_fit())
  expect_length(draws[2:3], 2)
  expect_length(draws[-1], length(draws) - 1)
  for (i in list(length(draws) + 1, NA, "a")) expect_error(draws[i], "^`i` must be among the \\d+ draws")
})
