test_that("the attributes with the truth have the shapes and names of the photos", {
  x <- sim_photos(12, 24, 32)
  z <- attr(x, "features")
  expect_identical(dim(x), c(12L, 768L))
  expect_identical(rownames(x), paste0("photo", 1:12))
  expect_identical(dimnames(z), list(rownames(x), c("mug", "book", "apple", "clock")))
  expect_type(z, "integer")
  expect_identical(attr(x, "image"), c(24L, 32L))
  expect_identical(as.list(formals(sim_photos)), list(n = 100, height = 240, width = 320))
})

test_that("photos of every size and shape can be simulated", {
  for (size in list(c(1, 1), c(1, 40), c(40, 1), c(3, 2), c(24, 32), c(60, 30), c(30, 90))) {
    x <- withr::with_seed(1, sim_photos(8, size[1], size[2]))
    expect_identical(dim(x), c(8L, as.integer(prod(size))))
    expect_true(all(is.finite(x)))
    expect_identical(attr(x, "image"), as.integer(size))
  }
})

# Least-squares images of the table and of each object, given the true features.
pictures <- function(x) {
  z <- cbind(table = 1, attr(x, "features"))
  solve(crossprod(z), crossprod(z, x))
}

test_that("each object is in its own quarter of the image and is present with probability 1/2", {
  x <- withr::with_seed(1, sim_photos(400, 48, 64))
  for (name in colnames(attr(x, "features"))) {
    expect_mean(attr(x, "features")[, name], 0.5, 0.5)
    change <- abs(matrix(pictures(x)[name, ], 48, 64, byrow = TRUE))
    quarters <- c(
      mug = sum(change[1:24, 1:32]), book = sum(change[1:24, 33:64]),
      apple = sum(change[25:48, 1:32]), clock = sum(change[25:48, 33:64])
    )
    expect_identical(names(which.max(quarters)), name)
    expect_gt(max(quarters), 2 * sort(quarters)[3])
  }
})
