# The table in vignettes/articles/distances.Rmd: log densities of left-out entries under prior_ibp()
# and prior_attraction(), for the same splits.
#   Rscript data-raw/distances.R
library(buffet)

places <- function(x, labels) {
  d <- as.matrix(dist(x))
  dimnames(d) <- list(labels, labels)
  d / mean(d[upper.tri(d)])
}
states <- places(as.data.frame(state.center), state.name)
days <- as.matrix(airquality[1:4])
rownames(days) <- format(as.Date("1973-05-01") + seq_len(nrow(days)) - 1)

set.seed(1)
moved <- sample(50)
cases <- list(
  "USArrests" = list(x = as.matrix(USArrests), distance = states),
  "USArrests, states shuffled" = list(
    x = as.matrix(USArrests),
    distance = structure(states[moved, moved], dimnames = dimnames(states))
  ),
  "state.x77" = list(x = state.x77, distance = states),
  "airquality" = list(x = days, distance = places(seq_len(nrow(days)), rownames(days)))
)

one_split <- function(name, split) {
  case <- cases[[name]]
  set.seed(split)
  known <- which(!is.na(case$x))
  hidden <- sample(known, round(length(known) / 5))
  holes <- replace(case$x, hidden, NA)
  rmse <- function(fit) {
    sqrt(mean((scale(fitted(fit) - case$x, FALSE, apply(case$x, 2, sd, na.rm = TRUE))[hidden])^2))
  }
  priors <- list(ibp = prior_ibp(), attraction = prior_attraction(case$distance))
  do.call(rbind, lapply(names(priors), function(prior) {
    started <- proc.time()
    fit <- fit_gaussian(holes,
      scale = TRUE, prior = priors[[prior]], method = method_gibbs(2, 1000), seed = split,
      verbose = FALSE
    )
    seconds <- (proc.time() - started)[["user.self"]]
    draws <- posterior::as_draws_matrix(fit)
    log_density <- suppressMessages(heldout_density(fit, case$x))
    data.frame(
      data = name, split = split, prior = prior,
      log_density = signif(mean(log_density, na.rm = TRUE), 6),
      rmse = signif(rmse(fit), 4), features = mean(draws[, "n_features"]),
      temperature = if (prior == "attraction") signif(mean(draws[, "temperature"]), 3) else NA,
      seconds = round(seconds, 2)
    )
  }))
}

every <- expand.grid(name = names(cases), split = 1:12, stringsAsFactors = FALSE)
table <- do.call(rbind, Map(one_split, every$name, every$split))
write.csv(table[order(table$data), ], "vignettes/distances.csv", row.names = FALSE)
