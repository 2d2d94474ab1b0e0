# Compares the time of one sweep of fit_factor() and of the R package mmBPFA (Jones 2020), which has
# a similar model, on the same data: processor time per sweep, from runs of two lengths, three times
# each in turns. mmBPFA 1.0, commit 761a9ba of https://github.com/EandrewJones/mmBPFA, starts with 5
# factors; its dependency on tidyverse was removed, and purrr and tibble attached.
#   Rscript data-raw/mmbpfa.R TABLE.csv
library(buffet)
library(purrr)
library(tibble)

set.seed(1)
scores <- matrix(rnorm(900), 300) %*% (matrix(rbinom(36, 1, 0.4) * rnorm(36, 0, 1.5), 3))
latent <- scores + rnorm(3600)
items <- matrix(as.numeric(cut(latent, c(-Inf, -1.5, -0.5, 0.5, 1.5, Inf))), 300)
colnames(items) <- paste0("item", 1:12)
sets <- list(
  "swiss, 47 x 6" = list(x = as.matrix(swiss) + 0, mode = "mixed", families = NULL),
  "simulated items, 300 x 12" = list(x = items, mode = "fixed", families = "ordinal")
)

processor <- function(code) sum(system.time(code)[1:2])

mmbpfa_for <- function(set, iterations) {
  invisible(utils::capture.output(suppressWarnings(mmBPFA::mmBPFA_sampler(
    set$x, set$mode, K_start = 5, pre_sparse = 1, warmup = 1, iter = iterations, thin = 5, seed = 1
  ))))
}

buffet_for <- function(set, iterations) {
  method <- method_gibbs(chains = 1, iter = iterations, warmup = 1, cores = 1, moves = NULL)
  data <- if (is.null(set$families)) set$x else as.data.frame(set$x)
  suppressWarnings(fit_factor(
    data, set$families, scale = is.null(set$families), method = method, seed = 1, verbose = FALSE
  ))
}

#' Milliseconds per sweep from two lengths, so that what a run takes once does not count
per_sweep <- function(run, set, n) (processor(run(set, 2 * n)) - processor(run(set, n))) * 1000 / n

row_of <- function(name) {
  set <- sets[[name]]
  times <- replicate(3, c(per_sweep(buffet_for, set, 2000), per_sweep(mmbpfa_for, set, 75)))
  data.frame(
    data = name, buffet_ms = median(times[1, ]), mmbpfa_ms = median(times[2, ]),
    ratio = median(times[2, ] / times[1, ])
  )
}

rows <- do.call(rbind, lapply(names(sets), row_of))
rows[-1] <- signif(rows[-1], 3)
print(rows)
utils::write.csv(rows, commandArgs(TRUE)[1], row.names = FALSE)
