# Cascading belief networks that are fitted to faces to complete their lower halves, for the
# vignette on Adams, Wallach and Ghahramani (2010).
#   Rscript bench/cascade/faces.R FILE
# For FILE, see baselines.R. All fits start from random networks and use two threads.
#
# vignettes/faces-cascades.csv: errors as in faces-baselines.csv, for means over `draws` draws, and
# the seconds for fitting and predicting. vignettes/faces-trace.csv: scalars of the fit at 32 x 32
# with the split by image. faces-pictures.rds: completions, fantasies and reconstructions as bytes,
# the network, and the fields of the units in two layers as bytes with their scales.

source("bench/cascade/baselines.R")

fit_faces <- function(x, seed = 1) {
  seconds <- system.time(
    fit <- buffet::fit_cascade(
      x, range = c(0, 1), seed = seed, verbose = FALSE, init = buffet::init_cascade(),
      method = buffet::method_gibbs(iter = 500, thin = 10, cores = 2)
    )
  )[["elapsed"]]
  list(fit = fit, seconds = seconds)
}

#' Errors of means over some draws, or over all draws if NULL
cascade_table <- function(run, parts, x) {
  actual <- x[parts$test, ]
  holes <- hide_bottom(actual)
  rows <- NULL
  for (draws in list(1, 10, NULL)) {
    seconds <- system.time(filled <- predict(run$fit, holes, ndraws = draws))[["elapsed"]]
    error <- round(rmse_hidden(filled, actual), 5)
    kept <- length(buffet::feature_draws(run$fit))
    rows <- rbind(rows, data.frame(
      draws = if (is.null(draws)) kept else draws, t(error),
      fit_seconds = round(run$seconds, 1), predict_seconds = round(seconds, 1)
    ))
  }
  filled[!is.na(holes)] <- holes[!is.na(holes)]
  list(rows = rows, filled = filled)
}

field_bytes <- function(fields) {
  most <- max(abs(fields))
  list(most = most, bytes = as.raw(round(127.5 * (fields / most + 1))), dim = dim(fields))
}

cascade_pictures <- function(run, filled, parts, x) {
  fit <- run$fit
  net <- buffet::network(fit)
  w0 <- as.matrix(net$layer_0$weights)
  deep <- as.matrix(net$layer_1$weights) %*% w0
  shown <- parts$test[shown_faces]
  # Weights in the file have one digit, because images do not show more.
  net$layer_0$weights@x <- signif(net$layer_0$weights@x, 1)
  list(
    images = shown, truth = face_bytes(x[shown, ]), completed = face_bytes(filled[shown_faces, ]),
    reconstructed = face_bytes(fitted(fit)[1:6, ]),
    observed = face_bytes(x[parts$training[1:6], ]),
    fantasies = face_bytes(simulate(fit, seed = 3, rows = 12, noise = FALSE)[[1]]),
    fields_1 = field_bytes(w0[seq_len(min(24, nrow(w0))), ]),
    fields_2 = field_bytes(deep[seq_len(min(12, nrow(deep))), ]), network = net
  )
}

write_trace <- function(fit) {
  names <- c("n_layers", paste0("width_", 1:3), paste0("n_edges_", 1:3), "log_lik", "log_joint")
  draws <- posterior::as_draws_df(fit)
  kept <- as.data.frame(draws)[intersect(c(".chain", ".iteration", names), names(draws))]
  utils::write.csv(kept, "vignettes/faces-trace.csv", row.names = FALSE)
}

write_cascades <- function(path, sides = c(16, 32, 64)) {
  faces <- read_faces(path)
  tables <- list()
  for (side in sides) {
    x <- shrink_faces(faces$x, side)
    for (by in c("image", "person")) {
      parts <- split_faces(faces$subject, by)
      run <- fit_faces(x[parts$training, ])
      result <- cascade_table(run, parts, x)
      tables <- c(tables, list(cbind(side, split = by, method = "cascade", result$rows)))
      print(tables[[length(tables)]])
      print(run$fit)
      if (side == 32 && by == "image") {
        pictures <- cascade_pictures(run, result$filled, parts, x)
        saveRDS(pictures, "vignettes/faces-pictures.rds", compress = "xz")
        write_trace(run$fit)
      }
      utils::write.csv(
        do.call(rbind, tables), "vignettes/faces-cascades.csv", row.names = FALSE
      )
    }
  }
}

if (sys.nframe() == 0) write_cascades(commandArgs(trailingOnly = TRUE)[1])
