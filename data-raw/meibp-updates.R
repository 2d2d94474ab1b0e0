# Compares the two schedules of method_meibp(update = ) by their bounds and processor times for the
# same 20 seeds. For updates after sweeps, the comparison also includes runs with three restarts,
# which take about as long as updates after rows. Writes vignettes/meibp-updates.csv in about five
# minutes.
#   Rscript data-raw/meibp-updates.R FILE
# FILE contains the faces, as in bench/cascade/baselines.R.
library(buffet)
source("bench/cascade/baselines.R")

faces <- read_faces(commandArgs(trailingOnly = TRUE)[1])$x

#' Nonnegative data with noise and K features, each of which 40 % of the rows have
draw <- function(rows, columns, k, sigma_x) {
  z <- matrix(rbinom(rows * k, 1, 0.4), rows)
  z %*% matrix(abs(rnorm(k * columns)), k) + rnorm(rows * columns, sd = sigma_x)
}

set.seed(1)
sets <- list(
  "clear, 500 x 100" = draw(500, 100, 10, 0.5), "noisy, 500 x 100" = draw(500, 100, 10, 2),
  "pictures, 1000 x 36" = unclass(sim_images(1000, 0.7)),
  "faces, 400 x 256" = shrink_faces(faces, 16)
)
runs <- expand.grid(
  seed = 1:20, schedule = c("sweep 1", "sweep 3", "row 1"), data = names(sets),
  stringsAsFactors = FALSE
)
runs$update <- sub(" .*", "", runs$schedule)
runs$restarts <- as.integer(sub(".* ", "", runs$schedule))
table <- do.call(rbind, lapply(seq_len(nrow(runs)), function(r) {
  run <- runs[r, ]
  method <- method_meibp(20, run$restarts, 1e-5, update = run$update)
  seconds <- system.time(
    fit <- fit_gaussian(
      sets[[run$data]], "nonnegative", gamma_prior(1, 1), gamma_prior(1, 1), method = method,
      seed = run$seed, verbose = FALSE
    )
  )[["user.self"]]
  message(run$data, ", ", run$schedule, ", ", run$seed, ": ", round(seconds, 1), " s")
  data.frame(
    run[c("data", "update", "restarts", "seed")], seconds = signif(seconds, 4),
    bound = round(max(objective(fit)), 2), features = ncol(features(fit))
  )
}))
utils::write.csv(table, "vignettes/meibp-updates.csv", row.names = FALSE, quote = c(1, 2))
