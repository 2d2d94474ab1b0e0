# Makes vignettes/samplers-compared.csv, which compares the three samplers of fit_gaussian() on the
# 120 data sets of Teh, Gorur and Ghahramani (2007). One run of all chains takes between a quarter
# of an hour and an hour.
#
#   Rscript data-raw/samplers-compared.R 5     # five runs of every chain
#
# Runs are saved in build/samplers-compared, with one file per chain, so a second call continues
# where the first one ended. Delete the files of a sampler after changing it. The table includes
# only complete runs.

library(buffet)

runs <- as.integer(c(commandArgs(trailingOnly = TRUE), "1")[1])
warmup <- 1000
iterations <- 15000
cache <- "build/samplers-compared"
dir.create(cache, recursive = TRUE, showWarnings = FALSE)

settings <- expand.grid(
  data_set = 1:5, sigma_a2 = c(1, 2, 4, 8), alpha = 1:2, D = 1:3, KEEP.OUT.ATTRS = FALSE
)
samplers <- c("collapsed", "uncollapsed", "slice")

simulate_data <- function(case) {
  set.seed(case)
  s <- settings[case, ]
  z <- ribp(100, s$alpha)
  loadings <- matrix(rnorm(ncol(z) * s$D, sd = sqrt(s$sigma_a2)), ncol(z))
  list(z = z, x = z %*% loadings + rnorm(100 * s$D))
}

# The processor time of this process, which does not include waiting for other processes.
processor_seconds <- function(expr) {
  before <- proc.time()
  force(expr)
  sum((proc.time() - before)[c("user.self", "sys.self")])
}

# Numbers of features in all sweeps after the warm-up, and the seconds of these sweeps. The time of
# the work after the last sweep, measured by a call that adds no sweeps, is subtracted.
run_chain <- function(case, sampler, run) {
  data <- simulate_data(case)
  method <- method_gibbs(
    chains = 1, iter = warmup + iterations, warmup = warmup, cores = 1, sampler = sampler
  )
  all <- processor_seconds(
    fit <- fit_gaussian(
      data$x, sigma_x = 1, sigma_a = sqrt(settings$sigma_a2[case]), method = method,
      init = list(features = data$z), seed = 1000 * run + case, verbose = FALSE
    )
  )
  after <- processor_seconds(update(fit, iter = method$iter, verbose = FALSE))
  list(
    n = as.integer(as_draws_df(fit)$n_features),
    seconds = (all - after) * iterations / (warmup + iterations)
  )
}

file_of <- function(case, run, sampler) {
  file.path(cache, sprintf("run-%d-%03d-%s.rds", run, case, sampler))
}

for (run in seq_len(runs)) {
  for (case in order(settings$data_set)) {
    for (sampler in samplers) {
      file <- file_of(case, run, sampler)
      if (!file.exists(file)) saveRDS(run_chain(case, sampler, run), file)
    }
  }
}

# 1 + 2 x the sum of the autocorrelations up to lag 2500, around the mean over all runs.
autocorrelation_time <- function(n) {
  covariances <- apply(n - mean(n), 2, function(one) {
    acf(one, lag.max = 2500, type = "covariance", demean = FALSE, plot = FALSE)$acf
  })
  covariances <- rowMeans(covariances)
  1 + 2 * sum(covariances[-1]) / covariances[1]
}

summarise <- function(case, sampler, complete) {
  chains <- lapply(complete, function(run) readRDS(file_of(case, run, sampler)))
  n <- sapply(chains, `[[`, "n")
  seconds <- mean(sapply(chains, `[[`, "seconds"))
  tau <- length(n) / posterior::ess_basic(n)
  data.frame(
    sampler, settings[case, c("D", "alpha", "sigma_a2", "data_set")],
    runs = length(complete), iterations, seconds = signif(seconds, 4),
    autocorrelation_time = signif(tau, 4),
    autocorrelation_time_2500 = signif(autocorrelation_time(n), 4),
    effective_per_second = signif(iterations / tau / seconds, 4),
    n_features_mean = signif(mean(n), 5), n_features_sd = signif(sd(n), 5)
  )
}

is_complete <- function(run) {
  files <- outer(seq_len(nrow(settings)), samplers, function(case, s) file_of(case, run, s))
  all(file.exists(files))
}
complete <- Filter(is_complete, seq_len(runs))
table <- do.call(rbind, lapply(seq_len(nrow(settings)), function(case) {
  do.call(rbind, lapply(samplers, summarise, case = case, complete = complete))
}))
write.csv(table, "vignettes/samplers-compared.csv", row.names = FALSE, quote = FALSE)
