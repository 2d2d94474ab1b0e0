# The cost of a fit on the workers of a cluster. The times of computation and of exchanges in one
# iteration are measured with one worker, and used in a model of the rows, columns, features and
# workers. The model is compared with measured times for 1 to 4 workers, and is then used to predict
# times for larger clusters.
#
#   Rscript bench/scale/scale.R [rows columns features]
#
# The numbers are written to vignettes/scale-measured.csv and vignettes/scale-expected.csv.
#
# If there are more workers than cores, workers share cores. The model then expects their
# computation to take workers / cores times as long, and the table says so.

library(buffet)
internals <- asNamespace("buffet")

now <- function() proc.time()[["elapsed"]]

# Wraps a function of the package in another function.
around <- function(name, wrap) {
  inner <- get(name, internals)
  unlockBinding(name, internals)
  assign(name, wrap(inner), internals)
}

# Every exchange of a fit: the time at which its answers arrived, the seconds that the slowest
# worker computed, the bytes that one worker sent and received, and the number of iterations made.
exchanges <- NULL
around("exchange", function(inner) {
  function(cl, fun, args, resumes) {
    answers <- inner(cl, fun, args, resumes)
    if (!is.list(answers[[1]])) return(answers)
    sent <- if (is.raw(args[[1]])) args[[1]]
    exchanges[[length(exchanges) + 1]] <<- data.frame(
      at = now(), compute = max(vapply(answers, `[[`, 0, "seconds")),
      bytes = length(answers[[1]]$request) + length(sent),
      done = if (is.null(answers[[1]]$status)) 0 else unlist(answers[[1]]$status)[1]
    )
    answers
  }
})

# Makes the answers of a worker report the time that they took.
time_answers <- function() {
  internals <- asNamespace("buffet")
  inner <- internals$member_request_cpp
  unlockBinding("member_request_cpp", internals)
  assign("member_request_cpp", function(member, reply) {
    begun <- proc.time()[["elapsed"]]
    answer <- inner(member, reply) # nolint: object_usage_linter. A variable, not a function of R.
    c(answer, seconds = proc.time()[["elapsed"]] - begun)
  }, internals)
  NULL
}
environment(time_answers) <- baseenv()

# Workers draw blocks of rows themselves, so no process has all rows. The features are close to the
# true ones.
block_rows <- 4096

# A function whose environment contains only its arguments, for sending to a worker.
alone <- function(f, ...) {
  environment(f) <- list2env(list(...), parent = baseenv())
  f
}

draw_features <- alone(function(i, rows, features) {
  set.seed(i)
  matrix(stats::runif(rows * features) < 0.3, rows)
})

draw_blocks <- function(rows, columns, features) {
  set.seed(1)
  a <- 2 * matrix(abs(rnorm(features * columns)) * (runif(features * columns) < 0.3), features)
  blocks <- ceiling(rows / block_rows)
  sizes <- pmin(block_rows, rows - block_rows * (seq_len(blocks) - 1))
  read <- alone(function(i) {
    z <- draw_features(i, sizes[i], nrow(a))
    z %*% a + stats::rnorm(sizes[i] * ncol(a))
  }, a = a, sizes = sizes, draw_features = draw_features)
  z <- do.call(rbind, lapply(seq_len(blocks), function(i) draw_features(i, sizes[i], features)))
  flipped <- sample(length(z), length(z) / 50)
  z[flipped] <- !z[flipped]
  list(x = row_blocks(read, blocks), z = z, rows = rows, columns = columns, features = features)
}

methods <- list(
  MEIBP = function(features) method_meibp(max_features = features, tol = 1e-12),
  Gibbs = function(features) {
    method_gibbs(1, 30, warmup = 10, sampler = "parallel", max_features = features + 5)
  }
)

options(socketOptions = "no-delay")

make_cluster <- function(workers) {
  cl <- parallelly::makeClusterPSOCK(workers, rscript_libs = .libPaths())
  parallel::clusterCall(cl, function(paths) {
    .libPaths(paths)
    loadNamespace("buffet")
    NULL
  }, .libPaths())
  parallel::clusterCall(cl, time_answers)
  cl
}

# Sums over the exchanges of each iteration. A single worker may make several iterations before its
# next request; the row is then their mean.
sum_iterations <- function(exchanges) {
  exchanges$seconds <- c(0, diff(exchanges$at))
  exchanges$exchanges <- 1
  of_all <- exchanges[c("seconds", "compute", "bytes", "exchanges")]
  sums <- rowsum(of_all, exchanges$done, reorder = FALSE)
  done <- unique(exchanges$done)
  sums <- sums[-length(done), ] / diff(done)
  sums[done[-length(done)] >= 2 & done[-1] < max(done), ]
}

# One iteration of a fit, as lower quartiles over its iterations, because other work on the machine
# can only make them slower. The first two iterations and the last one are left out.
measure <- function(data, method, workers) {
  cl <- make_cluster(workers)
  on.exit(parallel::stopCluster(cl))
  exchanges <<- list()
  loadings <- if (method == "MEIBP") "nonnegative" else "normal"
  suppressWarnings(fit_gaussian(data$x, loadings, gamma_prior(1, 1), gamma_prior(1, 1),
    method = methods[[method]](data$features), init = data$z, seed = 1, verbose = FALSE, cl = cl
  ))
  sums <- sum_iterations(do.call(rbind, exchanges))
  figures <- vapply(sums, quantile, 1, 0.25, names = FALSE)
  data.frame(
    method = method, rows = data$rows, columns = data$columns, features = data$features,
    workers = workers, iterations = nrow(sums), exchanges = figures[["exchanges"]],
    megabytes = figures[["bytes"]] / 1e6, seconds = figures[["seconds"]],
    compute = figures[["compute"]], exchange = figures[["seconds"]] - figures[["compute"]]
  )
}

# Seconds of an exchange, as a function of the numbers of bytes and workers: a constant, a term per
# worker, and a term per byte of each worker. The workers echo what they receive.
exchange_law <- function(workers = 1:3, sizes = c(1e3, 1e5, 1e6, 4e6)) {
  echoes <- do.call(rbind, lapply(workers, function(w) {
    cl <- make_cluster(w)
    on.exit(parallel::stopCluster(cl))
    do.call(rbind, lapply(sizes, function(bytes) {
      args <- rep(list(raw(bytes)), w)
      took <- replicate(25, {
        system.time(parallel::clusterApply(cl, args, identity))[["elapsed"]]
      })
      # Clocks have a resolution of milliseconds, so this is the mean of the middle values.
      data.frame(workers = w, bytes = 2 * bytes, seconds = mean(sort(took)[5:20]))
    }))
  }))
  print(echoes, digits = 3)
  fit_law(cbind(1, echoes$workers, echoes$workers * echoes$bytes), echoes$seconds)
}

# Nonnegative coefficients, fitted by least squares on the log scale.
fit_law <- function(terms, seconds) {
  start <- log(mean(seconds) / colMeans(terms) / ncol(terms))
  misfit <- function(log_b) sum((log(terms %*% exp(log_b)) - log(seconds))^2)
  exp(optim(start, misfit, control = list(maxit = 5000, reltol = 1e-12))$par)
}

# Computation in an iteration, per row and per worker, is estimated from one worker with a quarter
# of the rows and with all rows. Exchanges are taken from two workers, because a single worker has
# fewer of them.
calibrate <- function(quarter, one, two) {
  row <- (one$compute - quarter$compute) / (one$rows - quarter$rows)
  data.frame(
    method = one$method, row = row, fixed = max(0, one$compute - row * one$rows),
    exchanges = two$exchanges, bytes = two$megabytes * 1e6 / two$exchanges
  )
}

# Seconds of an iteration, which consist of the computation, divided among the workers, and the
# exchange. The current exchange contacts one worker after another; the alternative is a tree of
# workers.
predict_scale <- function(base, law, rows, workers, cores = Inf) {
  turns <- pmax(1, workers / cores)
  data.frame(
    compute = (base$fixed + base$row * rows / workers) * turns,
    exchange = base$exchanges * (law[1] + workers * (law[2] + base$bytes * law[3])),
    tree = base$exchanges * ceiling(log2(workers + 1)) * (law[1] + law[2] + base$bytes * law[3])
  )
}

compare <- function(size, method, law, cores) {
  data <- draw_blocks(size[1], size[2], size[3])
  quarter <- measure(draw_blocks(size[1] / 4, size[2], size[3]), method, 1)
  measured <- do.call(rbind, lapply(1:4, function(w) measure(data, method, w)))
  base <- calibrate(quarter, measured[1, ], measured[2, ])
  expected <- predict_scale(base, law, measured$rows, measured$workers, cores)
  measured$expected <- expected$compute + expected$exchange
  measured$ratio <- measured$seconds / measured$expected
  measured$efficiency <- measured$seconds[1] / measured$seconds / pmin(measured$workers, cores)
  measured$take_turns <- measured$workers > cores
  list(measured = measured, base = base)
}

read_off <- function(size, base, law) {
  at <- expand.grid(workers = c(2, 16, 128, 1024), rows = c(size[1], 1e7, 1e9))
  cbind(
    method = base$method, at, columns = size[2], features = size[3],
    predict_scale(base, law, at$rows, at$workers)
  )
}

main <- function(size) {
  cores <- parallel::detectCores()
  law <- exchange_law()
  cat(sprintf("an exchange: %.2g s, and %.2g s a worker, and %.2g s a megabyte of each\n",
    law[1], law[2], law[3] * 1e6
  ))
  found <- lapply(names(methods), function(m) compare(size, m, law, cores))
  measured <- do.call(rbind, lapply(found, `[[`, "measured"))
  expected <- do.call(rbind, lapply(found, function(f) read_off(size, f$base, law)))
  print(measured, digits = 3)
  print(expected, digits = 3)
  write.csv(measured, "vignettes/scale-measured.csv", row.names = FALSE)
  write.csv(expected, "vignettes/scale-expected.csv", row.names = FALSE)
}

arguments <- commandArgs(TRUE)
if (!file.exists("vignettes")) stop("run this in the folder of the package.", call. = FALSE)
size <- as.numeric(arguments)
main(if (length(size) == 3) size else c(32 * block_rows, 200, 20))
