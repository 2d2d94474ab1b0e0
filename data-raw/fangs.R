# Compares features(estimate = "expected_loss") with the package fangs (Dahl, Johnson and Andros
# 2023), on the draws of ten fits and on the draws published with fangs. All losses are from
# fangs::compute_expected_loss() with a = 1. fangs is run with its default settings, repeatedly
# until it has used at least as much time as buffet, and its best estimate is used. Both run on one
# core.
# Rscript data-raw/fangs.R TABLE.csv
# This writes the table in five minutes. fangs 0.2.25 on CRAN requires Rust.

library(buffet)

#' A data set: binary features times loadings, plus noise
simulate <- function(n, columns, features, share, loadings, noise) {
  z <- matrix(rbinom(n * features, 1, share), n)
  a <- matrix(rnorm(features * columns, 0, loadings), features)
  z %*% a + rnorm(n * columns, 0, noise)
}

sets <- list(
  "images, 100 x 36" = \() sim_images(100),
  "noisy images, 100 x 36" = \() sim_images(100, sigma = 1),
  "strong features, 50 x 12" = \() simulate(50, 12, 3, 0.3, 2, 1.5),
  "overlapping features, 60 x 15" = \() simulate(60, 15, 6, 0.5, 1, 1),
  "weak features, 60 x 10" = \() simulate(60, 10, 4, 0.3, 0.7, 1),
  "many features, 300 x 60" = \() simulate(300, 60, 20, 0.3, 1, 1),
  "iris, 150 x 4" = \() scale(iris[1:4]),
  "USArrests, 50 x 4" = \() scale(USArrests),
  "swiss, 47 x 6" = \() scale(swiss)
)

#' Makes 1000 draws from one chain.
method <- method_gibbs(chains = 1, iter = 4000, warmup = 2000, thin = 2, cores = 1)

fit_of <- function(name) {
  set.seed(1)
  fit <- if (name == "celebrities, 9 items") {
    fit_choice(buffet::celebrities, method = method, seed = 1, verbose = FALSE)
  } else {
    fit_gaussian(sets[[name]](), method = method, seed = 1, verbose = FALSE)
  }
  stopifnot(!buffet:::traits_of(fit)$complements)
  fit
}

seconds_of <- function(code) system.time(code)[["elapsed"]]

loss_of <- function(z, draws) fangs::compute_expected_loss(draws, z, a = 1, nCores = 1)

#' The best result of as many runs as fit into the given time, or of one run if none does
run_fangs <- function(draws, seconds) {
  used <- runs <- 0
  best <- Inf
  first <- NULL
  while (runs == 0 || used < seconds) {
    used <- used + seconds_of(found <- fangs::fangs(draws, nCores = 1, quiet = TRUE))
    best <- min(best, loss_of(found$estimate, draws))
    runs <- runs + 1
    if (is.null(first)) first <- c(fangs_once = best, fangs_once_s = used)
  }
  c(first, fangs_best = best, fangs_runs = runs, fangs_s = used)
}

row_of <- function(name, draws, medoid, search) {
  seconds <- seconds_of(ours <- search())
  features <- vapply(draws, ncol, 1L)
  data.frame(
    draws = name, features = mean(features), medoid = loss_of(medoid, draws),
    buffet = loss_of(ours, draws), buffet_s = seconds, t(run_fangs(draws, seconds))
  )
}

row_of_fit <- function(name) {
  fit <- suppressWarnings(fit_of(name))
  all <- feature_draws(fit)
  draws <- lapply(seq_along(all), \(i) all[[i]] + 0)
  search <- \() suppressMessages(features(fit, estimate = "expected_loss")) + 0
  row_of(name, draws, suppressMessages(features(fit)) + 0, search)
}

#' The draws in fangs. The medoid is the draw with the smallest loss among the draws with the modal
#' K.
row_of_published <- function() {
  data <- new.env()
  utils::data("samplesFA", package = "fangs", envir = data)
  draws <- data$samplesFA
  sizes <- vapply(draws, ncol, 1L)
  modal <- draws[sizes == as.integer(names(which.max(table(sizes))))]
  medoid <- modal[[which.min(vapply(modal, loss_of, 0, draws))]]
  whole <- lapply(draws, \(z) matrix(as.integer(z), nrow(z)))
  bits <- lapply(whole, \(z) packBits(rbind(z, matrix(0L, -nrow(z) %% 64, ncol(z)))))
  fields <- list(rows = nrow(medoid), sizes = sizes, bits = unlist(bits))
  start <- matrix(as.integer(medoid), nrow(medoid))
  search <- \() buffet:::search_estimate_cpp(fields, start, 1, FALSE) + 0
  row_of("published with fangs, 20 rows", draws, medoid, search)
}

names <- c(names(sets), "celebrities, 9 items")
rows <- rbind(do.call(rbind, lapply(names, row_of_fit)), row_of_published())
rows[-1] <- signif(rows[-1], 6)
print(rows, digits = 5)
utils::write.csv(rows, commandArgs(TRUE)[1], row.names = FALSE)
stopifnot(rows$buffet <= rows$medoid)
