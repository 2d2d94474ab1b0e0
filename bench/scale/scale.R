# What a fit on the workers of a cluster costs: compute and exchange of an iteration are measured
# here, put into a model of rows, columns, features and workers, and the model is compared with what
# is measured at 1 to 4 workers, then read off for clusters that are not here.
#
#   Rscript bench/scale/scale.R [rows columns features]      writes bench/scale/scale.csv and .md
#
# More workers than cores take turns on them: their compute is expected to take workers / cores
# times as long, and such rows of the table say so.

library(buffet)
options(socketOptions = "no-delay")
internals <- asNamespace("buffet")
`%||%` <- rlang::`%||%`

now <- function() proc.time()[["elapsed"]]

# Replaces a function of the package by one around it.
around <- function(name, wrap) {
  inner <- get(name, internals)
  unlockBinding(name, internals)
  assign(name, wrap(inner), internals)
}

# What the exchanges of a fit took: when they were answered, the seconds that the slowest worker
# computed, bytes that one worker sent and received, and where the fit was.
exchanges <- NULL
around("team_answer_cpp", function(inner) {
  function(asked, save, stop) {
    answer <- inner(asked, save, stop)
    exchanges <<- rbind(exchanges, data.frame(
      at = now(), compute = max(answer$seconds), bytes = length(asked[[1]]) + length(answer$answer),
      all_rows = isTRUE(answer$status[2] != 0), done = answer$status[1] %||% 0
    ))
    answer
  }
})

draw <- function(rows, columns, features) {
  set.seed(1)
  z <- matrix(runif(rows * features) < 0.3, rows)
  a <- matrix(abs(rnorm(features * columns)) * (runif(features * columns) < 0.3), features)
  2 * z %*% a + rnorm(rows * columns)
}

# The iterations of one fit over all rows: means of an iteration. What comes before, the search for a
# start on 2,000 rows, does not depend on how many there are.
measure <- function(x, features, workers) {
  cl <- parallelly::makeClusterPSOCK(workers, useXDR = FALSE)
  on.exit(parallel::stopCluster(cl))
  parallel::clusterEvalQ(cl, loadNamespace("buffet"))
  exchanges <<- NULL
  method <- method_meibp(max_features = features, tol = 1e-12)
  fit_gaussian(x, "nonnegative", method = method, seed = 1, verbose = FALSE, cl = cl)
  at <- exchanges[exchanges$all_rows, ]
  iterations <- diff(range(at$done))
  asked <- at[-1, ]
  seconds <- diff(range(at$at))
  data.frame(
    rows = nrow(x), columns = ncol(x), features = features, workers = workers,
    iterations = iterations, exchanges = nrow(asked) / iterations,
    megabytes = sum(asked$bytes) / 1e6 / iterations, seconds = seconds / iterations,
    compute = sum(asked$compute) / iterations,
    exchange = (seconds - sum(asked$compute)) / iterations,
    start = min(at$at) - exchanges$at[1]
  )
}

# Seconds of an exchange of so many bytes with so many workers: fixed, a worker, and a byte of each.
exchange_law <- function() {
  echoes <- do.call(rbind, lapply(1:3, function(workers) {
    cl <- parallelly::makeClusterPSOCK(workers, useXDR = FALSE)
    on.exit(parallel::stopCluster(cl))
    parallel::clusterEvalQ(cl, loadNamespace("buffet"))
    do.call(rbind, lapply(c(1e3, 1e5, 1e6, 4e6), function(bytes) {
      args <- rep(list(list(raw(bytes))), workers)
      ask <- function() internals$ask_all(cl, internals$echo, args)
      took <- replicate(15, system.time(ask())[["elapsed"]])
      data.frame(workers = workers, bytes = 2 * bytes, seconds = mean(sort(took)[3:10]))
    }))
  }))
  nonnegative(cbind(1, echoes$workers, echoes$workers * echoes$bytes), echoes$seconds)
}

# Least squares with coefficients that are not negative, relative errors.
nonnegative <- function(terms, seconds) {
  scale <- colSums(abs(terms / seconds))
  value <- function(log_b) {
    sum((log(terms %*% exp(log_b)) - log(seconds))^2)
  }
  start <- log(length(seconds) / scale / ncol(terms))
  exp(optim(start, value, control = list(maxit = 5000, reltol = 1e-12))$par)
}

# Seconds of an iteration: of compute, which rows share, and of exchange with all members one after
# the other or along a tree.
predict_scale <- function(base, law, at, cores = Inf) {
  bytes <- base$bytes * at$columns * at$features
  turns <- pmax(1, at$workers / cores)
  data.frame(
    compute = (base$fixed + base$row * at$rows / at$workers) * turns,
    exchange = base$exchanges * (law[1] + at$workers * (law[2] + bytes * law[3])),
    tree = base$exchanges * log2(2 * at$workers) * (law[1] + law[2] + bytes * law[3])
  )
}

size <- as.numeric(commandArgs(TRUE))
if (length(size) == 0) size <- c(1e5, 500, 30)
cores <- parallel::detectCores()
law <- exchange_law()
cat(sprintf("an exchange: %.2g s, and %.2g s a worker, and %.2g s a megabyte of each\n",
  law[1], law[2], law[3] * 1e6))

x <- draw(size[1], size[2], size[3])
half <- measure(x[seq_len(size[1] / 2), ], size[3], 1)
measured <- do.call(rbind, lapply(1:4, function(workers) measure(x, size[3], workers)))
one <- measured[1, ]
row <- (one$compute - half$compute) / (size[1] / 2)
base <- list(
  exchanges = one$exchanges, row = row, fixed = max(0, one$compute - row * size[1]),
  bytes = one$megabytes * 1e6 / one$exchanges / size[2] / size[3]
)
expected <- predict_scale(base, law, measured, cores)
measured$expected <- expected$compute + expected$exchange
measured$ratio <- measured$seconds / measured$expected
measured$note <- ifelse(measured$workers > cores, "workers take turns on the cores", "")
print(measured, digits = 3)

elsewhere <- expand.grid(
  rows = c(size[1], 1e7, 1e9), columns = size[2], features = size[3], workers = c(2, 16, 128, 1024)
)
elsewhere <- cbind(elsewhere, predict_scale(base, law, elsewhere))
elsewhere$passes <- elsewhere$exchange > elsewhere$compute
print(elsewhere, digits = 3)
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
write.csv(measured, file.path(here, "scale-measured.csv"), row.names = FALSE)
write.csv(elsewhere, file.path(here, "scale-expected.csv"), row.names = FALSE)
