# The three experiments of Adams, Wallach and Ghahramani (2010): how deep and how wide cascading
# networks become, and how well they complete the lower halves of images. With handwritten digits
# of 16 x 16 pixels in place of those of MNIST.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/cascade/widths.R
# The images come with the package RnavGraphImageData. About two hours of one core. Fits that the
# tables have are not made again.
#
# vignettes/cascade-widths.csv: a row for each chain of a fit: means over the second half of its
# kept draws. `start`: "data", the default, or "random", init_cascade(); `rhat` of the number of
# units of layer 1 and of the log likelihood, over the chains; `seconds` of the fit, on one core.
# vignettes/cascade-errors.csv: errors on hidden pixels, see baselines.R.

source("bench/cascade/baselines.R")

images_of <- function(name) {
  held <- new.env()
  utils::data(list = name, package = "RnavGraphImageData", envir = held)
  unname(t(as.matrix(held[[name]]))) / 255
}

#' Training and test images, pixels row by row
image_sets <- list(
  # Every eighth picture is a test picture.
  faces = function() {
    x <- images_of("faces")
    x <- x[, as.vector(t(matrix(seq_len(ncol(x)), sqrt(ncol(x)))))]
    parts <- split_faces(rep(seq_len(40), each = 10))
    list(training = x[parts$training, ], test = x[parts$test, ])
  },
  # 1,100 images of each digit: the first 50 and the ten after them.
  digits = function() {
    x <- images_of("digits")
    place <- (seq_len(nrow(x)) - 1) %% 1100
    list(training = x[place < 50, ], test = x[place >= 50 & place < 60, ])
  },
  # Frames of a film of one face: 100 of the 1,965, evenly spaced, are test images.
  frey = function() {
    x <- images_of("frey")
    test <- round(seq(10, 1955, length.out = 100))
    list(training = x[-test, ], test = x[test, ])
  }
)

starts <- list(data = function() NULL, random = buffet::init_cascade)

fit_images <- function(training, start) {
  seconds <- system.time(
    fit <- buffet::fit_cascade(
      training, range = c(0, 1), seed = 1, verbose = FALSE, init = starts[[start]](),
      method = buffet::method_gibbs(iter = 500, thin = 10)
    )
  )[["elapsed"]]
  list(fit = fit, seconds = seconds)
}

#' Means of each chain over the second half of its draws
chain_rows <- function(run) {
  draws <- as.data.frame(posterior::as_draws_df(run$fit))
  rhat <- function(name) posterior::rhat(sapply(split(draws[[name]], draws$.chain), identity))
  late <- draws[draws$.iteration > max(draws$.iteration) / 2, ]
  names <- c("n_layers", paste0("width_", 1:3), "n_edges_1", "log_lik")
  late[setdiff(names, names(late))] <- 0
  late[names][is.na(late[names])] <- 0
  means <- stats::aggregate(late[names], list(chain = late$.chain), mean)
  data.frame(
    signif(means, 6), rhat_width = round(rhat("width_1"), 2),
    rhat_log_lik = round(rhat("log_lik"), 2), seconds = round(run$seconds)
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

#' Adds rows to a table, under the columns `key`
add_rows <- function(name, key, rows) {
  file <- sprintf("vignettes/cascade-%s.csv", name)
  before <- if (file.exists(file)) utils::read.csv(file)
  utils::write.csv(rbind(before, cbind(key, rows)), file, row.names = FALSE)
}

has_rows <- function(name, data, start) {
  file <- sprintf("vignettes/cascade-%s.csv", name)
  if (!file.exists(file)) return(FALSE)
  table <- utils::read.csv(file)
  any(table$data == data & table$start == start)
}

run_experiment <- function(data, start) {
  if (has_rows("errors", data, start)) return()
  parts <- image_sets[[data]]()
  run <- fit_images(parts$training, start)
  print(run$fit)
  rows <- chain_rows(run)
  print(rows)
  filled <- predict(run$fit, hide_bottom(parts$test), ndraws = Inf)
  key <- data.frame(data = data, start = start)
  add_rows("widths", key, rows)
  add_rows("errors", key, error_row("cascade", filled, parts$test))
}

for (data in names(image_sets)) {
  if (!has_rows("errors", data, "none")) {
    key <- data.frame(data = data, start = "none")
    add_rows("errors", key, baseline_rows(image_sets[[data]]()))
  }
}
for (start in names(starts)) for (data in c("digits", "frey", "faces")) run_experiment(data, start)
