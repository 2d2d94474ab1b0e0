# Completions of the lower halves of faces by other methods, for the vignette on cascades.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/cascade/baselines.R FILE
# FILE contains the 400 faces of AT&T Laboratories Cambridge as the sparse matrix `olivetti`, 400 x
# 4096, with grey values in [0, 1]. There are ten consecutive images of each person, with pixels in
# row order. The attribute `subject` is a factor with 40 levels. Takes a minute or two on one core.
#
# vignettes/faces-baselines.csv: root mean squared errors on hidden pixels, for grey values
# in [0, 1] without clipping. `rmse` is over all test images, and `median_rmse` is the median over
# single images. `side` is in pixels; for `split`, see split_faces(). Each `method` has a `setting`:
#
# * mean image: the mean of the training images;
# * PPCA: `setting` principal components; "PPCA, best K" has the K of 1, 2, 3, 5, 10, 20, ..., 200
#   that is best on the test images themselves, which is too optimistic; "PPCA, K by hold-out" has
#   the K that is best on held-out training images, a seventh at a time;
# * nearest neighbours: the mean of the `setting` training images whose upper halves are closest;
# * ridge: linear regression of lower halves on upper halves with an intercept. Pixels are centred
#   at the means of the training images and not scaled. The penalty is `setting` times the sum of
#   the squares of all coefficients except the intercept.
#
# vignettes/faces-completed-baselines.rds: `images` has, as bytes, the test images of the split by
# image at 32 x 32, completed by each method. The names are the method and, if it was not chosen
# from data, its setting ("ridge 10"). `truth` has the original images.
#
# If this file is sourced, it only defines functions.

#' The images, with one row per image, and the people in them
read_faces <- function(path) {
  loadNamespace("Matrix")
  held <- new.env()
  load(path, envir = held)
  list(x = as.matrix(held$olivetti), subject = attr(held$olivetti, "subject"))
}

#' Images of side x side pixels, which are means over square blocks
shrink_faces <- function(x, side) {
  block <- sqrt(ncol(x)) / side
  stopifnot(block == round(block))
  rows <- kronecker(diag(side), rep(1 / block, block))
  x %*% kronecker(rows, rows)
}

#' Splits images into test and training images, and assigns each training image to one of seven
#' parts
#' By image, every eighth image is a test image, so everybody is in both sets. By person, the last
#' eighth of the people is left out. The seven parts are made in the same way.
split_faces <- function(subject, by = c("image", "person")) {
  by <- match.arg(by)
  person <- as.integer(subject)
  part <- switch(by,
    image = (seq_along(subject) - 1) %% 8 + 1,
    person = ceiling(8 * person / max(person))
  )
  list(test = which(part == 8), training = which(part < 8), fold = part[part < 8])
}

#' Hides the lower half of images
hide_bottom <- function(x) {
  x[, seq(ncol(x) / 2 + 1, ncol(x))] <- NA
  x
}

#' Errors of completed images on their lower halves
rmse_hidden <- function(filled, actual) {
  hidden <- seq(ncol(actual) / 2 + 1, ncol(actual))
  squares <- rowMeans((filled - actual)[, hidden, drop = FALSE]^2)
  c(rmse = sqrt(mean(squares)), median_rmse = stats::median(sqrt(squares)))
}

## Completions of the images `holes`, which all lack the same pixels, based on the complete images
## `training`.

fill <- function(holes, guess) {
  holes[is.na(holes)] <- guess
  holes
}

observed <- function(holes) !is.na(holes[1, ])

complete_mean <- function(training, holes) {
  hidden <- !observed(holes)
  fill(holes, rep(colMeans(training[, hidden]), each = nrow(holes)))
}

complete_nearest <- function(training, holes, k) {
  seen <- observed(holes)
  closest <- apply(holes[, seen], 1, function(image) {
    order(colSums((t(training[, seen]) - image)^2))[seq_len(k)]
  })
  closest <- matrix(closest, k)
  guess <- apply(closest, 2, function(i) colMeans(training[i, !seen, drop = FALSE]))
  fill(holes, t(guess))
}

complete_ridge <- function(training, holes, lambda) {
  seen <- observed(holes)
  centre <- colMeans(training)
  training <- training - rep(centre, each = nrow(training))
  upper <- training[, seen]
  # In dual form, there are as many equations as training images
  kernel <- tcrossprod(upper)
  diag(kernel) <- diag(kernel) + lambda
  between <- tcrossprod(holes[, seen] - rep(centre[seen], each = nrow(holes)), upper)
  guess <- between %*% solve(kernel, training[, !seen])
  fill(holes, guess + rep(centre[!seen], each = nrow(holes)))
}

#' The first `most` principal components, with variances estimated by maximum likelihood
principal <- function(training, most) {
  centre <- colMeans(training)
  training <- training - rep(centre, each = nrow(training))
  parts <- eigen(tcrossprod(training) / nrow(training), symmetric = TRUE)
  first <- seq_len(most)
  scale <- rep(sqrt(nrow(training) * parts$values[first]), each = ncol(training))
  list(
    centre = centre, variances = parts$values[first], total = sum(parts$values),
    directions = crossprod(training, parts$vectors[, first]) / scale
  )
}

#' Probabilistic PCA (Tipping & Bishop 1999) with k components and maximum likelihood estimates.
#' Predicts the mean of the hidden pixels given the others.
complete_ppca <- function(components, holes, k) {
  seen <- observed(holes)
  first <- seq_len(k)
  variances <- components$variances[first]
  noise <- (components$total - sum(variances)) / (ncol(holes) - k)
  w <- components$directions[, first] * rep(sqrt(variances - noise), each = ncol(holes))
  dim(w) <- c(ncol(holes), k)
  precision <- crossprod(w[seen, , drop = FALSE])
  diag(precision) <- diag(precision) + noise
  from_mean <- t(holes[, seen]) - components$centre[seen]
  scores <- solve(precision, crossprod(w[seen, , drop = FALSE], from_mean))
  fill(holes, t(w[!seen, , drop = FALSE] %*% scores + components$centre[!seen]))
}

## Tables

component_grid <- c(1, 2, 3, 5, seq(10, 200, 10))

#' The errors of PPCA for every K in the grid
ppca_errors <- function(training, actual) {
  components <- principal(training, max(component_grid))
  holes <- hide_bottom(actual)
  vapply(component_grid, function(k) {
    rmse_hidden(complete_ppca(components, holes, k), actual)[["rmse"]]
  }, 0)
}

#' The K that completes held-out training images best
held_out_components <- function(training, fold) {
  errors <- vapply(sort(unique(fold)), function(f) {
    ppca_errors(training[fold != f, ], training[fold == f, ])
  }, component_grid)
  component_grid[which.min(rowMeans(errors^2))]
}

#' Completions by all baselines, as a list of list(method, setting, filled)
baselines <- function(training, actual, fold) {
  holes <- hide_bottom(actual)
  entry <- function(method, setting, filled) {
    list(method = method, setting = setting, filled = filled)
  }
  components <- principal(training, max(component_grid))
  ppca <- function(k, how = "") {
    entry(paste0("PPCA", how), k, complete_ppca(components, holes, k))
  }
  nearest <- function(k) entry("nearest neighbours", k, complete_nearest(training, holes, k))
  ridge <- function(lambda) entry("ridge", lambda, complete_ridge(training, holes, lambda))
  list(
    entry("mean image", NA, complete_mean(training, holes)),
    ppca(component_grid[which.min(ppca_errors(training, actual))], ", best K"),
    ppca(held_out_components(training, fold), ", K by hold-out"),
    ppca(60), ppca(120), nearest(1), nearest(5), ridge(1), ridge(10)
  )
}

#' All baselines for the faces from read_faces(), with side x side pixels
face_baselines <- function(faces, side, by) {
  x <- shrink_faces(faces$x, side)
  parts <- split_faces(faces$subject, by)
  baselines(x[parts$training, ], x[parts$test, ], parts$fold)
}

baseline_table <- function(faces, side, by, runs = face_baselines(faces, side, by)) {
  actual <- shrink_faces(faces$x, side)[split_faces(faces$subject, by)$test, ]
  rows <- lapply(runs, function(run) {
    error <- round(rmse_hidden(run$filled, actual), 5)
    data.frame(side, split = by, method = run$method, setting = run$setting, t(error))
  })
  do.call(rbind, rows)
}

#' The test images that are shown, by their positions: every eighth, six in total
shown_faces <- seq(4, 44, 8)

face_bytes <- function(x) array(as.raw(round(255 * pmin(pmax(x, 0), 1))), dim(x))

completed_pictures <- function(faces, runs) {
  shown <- split_faces(faces$subject, "image")$test[shown_faces]
  pictures <- lapply(runs, function(run) face_bytes(run$filled[shown_faces, ]))
  names(pictures) <- vapply(runs, function(run) {
    chosen <- is.na(run$setting) || grepl(", ", run$method)
    if (chosen) run$method else paste(run$method, run$setting)
  }, "")
  c(list(images = shown, truth = face_bytes(shrink_faces(faces$x, 32)[shown, ])), pictures)
}

write_baselines <- function(path) {
  faces <- read_faces(path)
  tables <- list()
  for (side in c(16, 32, 64)) {
    for (by in c("image", "person")) {
      runs <- face_baselines(faces, side, by)
      tables <- c(tables, list(baseline_table(faces, side, by, runs)))
      print(tables[[length(tables)]])
      if (side == 32 && by == "image") {
        pictures <- completed_pictures(faces, runs)
        saveRDS(pictures, "vignettes/faces-completed-baselines.rds", compress = "xz")
      }
    }
  }
  write.csv(do.call(rbind, tables), "vignettes/faces-baselines.csv", row.names = FALSE)
}

if (sys.nframe() == 0) write_baselines(commandArgs(trailingOnly = TRUE)[1])
