# The long form of the cascade's tests: real images, which are not part of the package.
#   BUFFET_EXTENDED_TESTS=true BUFFET_FACES=olivetti.rda Rscript tools/test.R faces

test_that("faces are completed better than by principal components after 100 sweeps", {
  skip_if_not(extended(), "a long form")
  path <- Sys.getenv("BUFFET_FACES")
  script <- test_path("..", "..", "bench", "cascade", "baselines.R")
  skip_if_not(file.exists(path) && file.exists(script), "no faces")
  with_faces <- new.env()
  sys.source(script, with_faces)
  faces <- with_faces$read_faces(path)
  x <- with_faces$shrink_faces(faces$x, 16)
  parts <- with_faces$split_faces(faces$subject, "image")
  actual <- x[parts$test, ]
  holes <- with_faces$hide_bottom(actual)
  fit <- fit_cascade(
    x[parts$training, ], seed = 1, verbose = FALSE,
    method = method_gibbs(chains = 2, iter = 100, thin = 5)
  )
  error <- function(filled) with_faces$rmse_hidden(filled, actual)[["rmse"]]
  principal <- with_faces$principal(x[parts$training, ], 60)
  for (k in c(30, 60)) {
    expect_lt(error(predict(fit, holes)), error(with_faces$complete_ppca(principal, holes, k)))
  }
})
