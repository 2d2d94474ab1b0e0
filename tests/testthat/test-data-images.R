test_that("the loadings are the pictures in the paper", {
  picture <- "
    . 1 . 2 2 2
    1 1 1 2 . 2
    . 1 . 2 2 2
    3 . . 4 4 4
    3 3 . . 4 .
    3 3 3 . 4 ."
  pixels <- scan(text = gsub("\\.", "0", picture), quiet = TRUE)
  loadings <- attr(sim_images(1), "loadings")
  expect_equal(unname(loadings), t(sapply(1:4, \(k) as.double(pixels == k))))
  expect_equal(rownames(loadings), c("plus", "box", "staircase", "T"))
})

test_that("an image is the sum of its pictures plus noise with standard deviation sigma", {
  set.seed(1)
  clean <- sim_images(7, sigma = 0)
  mean_of <- function(x) attr(x, "features") %*% attr(x, "loadings")
  expect_equal(clean, mean_of(clean), ignore_attr = TRUE)
  noisy <- sim_images(500, sigma = 0.7)
  noise <- as.vector(noisy - mean_of(noisy))
  expect_gt(ks.test(noise, "pnorm", 0, 0.7)$p.value, 1e-4)
})

test_that("the attributes with the truth have the shapes and names of the data", {
  x <- sim_images(12)
  expect_identical(dim(x), c(12L, 36L))
  expect_identical(rownames(x), paste0("image", 1:12))
  expect_identical(rownames(attr(x, "features")), rownames(x))
  expect_type(attr(x, "features"), "integer")
  expect_identical(attr(x, "image"), c(6L, 6L))
  expect_identical(dim(sim_images()), c(100L, 36L))
})

test_that("prob is the probability of each picture", {
  set.seed(1)
  z <- attr(sim_images(4000, prob = c(0, 0.2, 0.9, 1)), "features")
  expect_identical(unname(colMeans(z)[c(1, 4)]), c(0, 1))
  expect_mean(z[, 2], 0.2, sqrt(0.16))
  expect_mean(z[, 3], 0.9, 0.3)
  expect_mean(attr(sim_images(4000), "features")[, 3], 0.5, 0.5)
})
