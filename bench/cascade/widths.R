# The three experiments of Adams, Wallach and Ghahramani (2010): how deep and how wide cascading
# networks become, and how well they complete the lower halves of images. Handwritten digits with 16
# x 16 pixels replace the MNIST digits.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/cascade/widths.R
# The images are in the package RnavGraphImageData. Takes about an hour on one core. Fits that are
# already in the tables are not repeated.
#
# vignettes/cascade-widths.csv: one row for each chain of a fit, with means over the second half of
# its saved draws, and with `rhat`, over the chains, of the number of units in layer 1 and of the
# log likelihood.
# vignettes/cascade-errors.csv: errors on hidden pixels; see baselines.R.

source("bench/cascade/baselines.R")

images_of <- function(name) {
  held <- new.env()
  utils::data(list = name, package = "RnavGraphImageData", envir = held)
  unname(t(as.matrix(held[[name]]))) / 255
}

#' Training and test images, with pixels in row order
image_sets <- list(
  # Every eighth image is a test image.
  faces = function() {
    x <- images_of("faces")
    x <- x[, as.vector(t(matrix(seq_len(ncol(x)), sqrt(ncol(x)))))]
    parts <- split_faces(rep(seq_len(40), each = 10))
    list(training = x[parts$training, ], test = x[parts$test, ])
  },
  # Of the 1,100 images of each digit, the first 50 are training images and the next ten are test
  # images.
  digits = function() {
    x <- images_of("digits")
    place <- (seq_len(nrow(x)) - 1) %% 1100
    list(training = x[place < 50, ], test = x[place >= 50 & place < 60, ])
  },
  # Frames of a film of one face. Of the 1,965 frames, 100 evenly spaced ones are test images.
  frey = function() {
    x <- images_of("frey")
    test <- round(seq(10, 1955, length.out = 100))
    list(training = x[-test, ], test = x[test, ])
  }
)

fit_images <- function(training) {
  buffet::fit_cascade(
    training, range = c(0, 1), seed = 1, verbose = FALSE,
    method = buffet::method_gibbs(iter = 500, thin = 10)
  )
}

#' Means over the second half of the draws, for each chain
chain_rows <- function(fit) {
  draws <- as.data.frame(posterior::as_draws_df(fit))
  rhat <- function(name) posterior::rhat(sapply(split(draws[[name]], draws$.chain), identity))
  late <- draws[draws$.iteration > max(draws$.iteration) / 2, ]
  names <- c("n_layers", paste0("width_", 1:3), "n_edges_1", "log_lik")
  late[setdiff(names, names(late))] <- 0
  late[names][is.na(late[names])] <- 0
  means <- stats::aggregate(late[names], list(chain = late$.chain), mean)
  data.frame(
    signif(means, 6), rhat_width = round(rhat("width_1"), 2),
    rhat_log_lik = round(rhat("log_lik"), 2)
  )
}

error_row <- function(method, filled, test) {
  data.frame(method = method, t(round(rmse_hidden(filled, test), 5)))
}

baseline_rows <- function(parts) {
  holes <- hide_bottom(parts$test)
  rbind(
    error_row("mean image", complete_mean(parts$training, holes), parts$test),
    error_row("nearest neighbour", complete_nearest(parts$training, holes, 1), parts$test),
    error_row("nearest neighbours 5", complete_nearest(parts$training, holes, 5), parts$test),
    error_row("ridge 1", complete_ridge(parts$training, holes, 1), parts$test),
    error_row("ridge 10", complete_ridge(parts$training, holes, 10), parts$test)
  )
}

#' Adds rows to a table
add_rows <- function(name, data, rows) {
  file <- sprintf("vignettes/cascade-%s.csv", name)
  before <- if (file.exists(file)) utils::read.csv(file)
  utils::write.csv(rbind(before, cbind(data = data, rows)), file, row.names = FALSE)
}

is_done <- function(data) {
  file <- "vignettes/cascade-errors.csv"
  file.exists(file) && data %in% utils::read.csv(file)$data
}

run_experiment <- function(data) {
  parts <- image_sets[[data]]()
  fit <- fit_images(parts$training)
  print(fit)
  filled <- predict(fit, hide_bottom(parts$test), ndraws = Inf)
  add_rows("widths", data, chain_rows(fit))
  add_rows("errors", data, rbind(baseline_rows(parts), error_row("cascade", filled, parts$test)))
}

for (data in c("digits", "frey", "faces")) if (!is_done(data)) run_experiment(data)
