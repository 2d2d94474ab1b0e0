# Predictions of what was left out, against those under the truth.

#' Mean log density of the entries left out under the true features, loadings at their posterior
density_under_truth <- function(holes, images) {
  sigma_a <- sqrt(mean(attr(images, "loadings")^2))
  given <- naive_conditional(holes, attr(images, "features"), 0.5, sigma_a)
  hidden <- is.na(holes)
  mean(stats::dnorm(images[hidden], given$mean[hidden], sqrt(given$variance[hidden]), log = TRUE))
}

images_with_holes <- function(seed) {
  images <- withr::with_seed(seed, sim_images(100))
  list(images = images, holes = with_holes(matrix(images, 100), 360, seed))
}

#' What fits lose by not knowing them, averaged over data sets
loss <- function(seeds, sampler, ...) {
  mean(vapply(seeds, function(seed) {
    data <- images_with_holes(seed)
    method <- method_gibbs(chains = 1, iter = 700, warmup = 350, sampler = sampler)
    fit <- quick_fit(data$holes, ..., method = method, seed = seed)
    density_under_truth(data$holes, data$images) - mean(heldout_density(fit, data$images))
  }, 0))
}

# Even with the loadings known, not to know the features costs 0.01.
test_that("entries left out of the images are predicted as well as under the truth", {
  seeds <- seq_len(sized(5, 10))
  fixed <- loss(seeds, "collapsed", sigma_x = 0.5)
  learned <- loss(seeds, "collapsed")
  expect_lt(fixed, 0.02)
  expect_lt(learned, 0.02)
  expect_gt(min(fixed, learned), 0)
})

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
