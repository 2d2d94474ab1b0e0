# Predictions of what was left out, against those under the truth.

test_that("left-out data are matched by name, and other names are refused", {
  short <- method_gibbs(chains = 1, iter = 20)
  x <- withr::with_seed(1, sim_images(12))
  dimnames(x) <- list(paste0("row", 1:12), paste0("column", 1:36))
  at <- seq(1, 400, 20)
  fits <- list(
    fit_gaussian(replace(x, at, NA), method = short, seed = 1, verbose = FALSE),
    fit_mixed(
      as.data.frame(replace(x, at, NA)), c(column4 = "gaussian"),
      method = short, seed = 1, verbose = FALSE
    )
  )
  for (fit in fits) {
    known <- heldout_density(fit, as.data.frame(x))
    expect_length(known, 20)
    expect_identical(heldout_density(fit, as.data.frame(x[12:1, 36:1])), known)
    rownames(x)[1] <- "other"
    expect_error(heldout_density(fit, as.data.frame(x)), "no row names or those of the data")
    rownames(x)[1] <- "row1"
  }
  expect_identical(heldout_density(fits[[1]], unname(x)), heldout_density(fits[[1]], x))
  colnames(x)[2:3] <- "twice"
  expect_error(
    heldout_density(fits[[1]], x),
    "`actual` must have no column names or those of the data, not others"
  )
})

test_that("left-out tokens are matched by the names of documents and words", {
  d <- withr::with_seed(1, sim_topics(10, 8, alpha = 2, gamma = 2, lengths = 20)$dtm)
  dimnames(d) <- list(letters[1:10], LETTERS[1:8])
  left_out <- d
  left_out@x <- as.numeric(left_out@x > 2)
  method <- method_gibbs(chains = 1, iter = 20, thin = 1)
  fit <- fit_topics(d - left_out, method = method, seed = 1, verbose = FALSE)
  known <- heldout_density(fit, left_out)
  expect_identical(sort(heldout_density(fit, left_out[10:1, 8:1])), sort(known))
  expect_identical(heldout_density(fit, left_out[10:1, 8:1]), known)
})
