# Recovery of sparse factors from data frames with 500 rows and 20 ordinal, 10 binary, 10 normal and
# 5 count columns. There are 4 factors, and a quarter of the loadings are nonzero.
#   R_LIBS=build/library Rscript data-raw/family-recovery.R [data sets] [sweeps] [first seed]
library(buffet)

draw_set <- function(seed, n = 500, k = 4) {
  set.seed(seed)
  size <- 45
  repeat {
    z <- matrix(runif(size * k) < 0.25, size)
    if (all(colSums(z) >= 3)) break
  }
  loadings <- z * runif(size * k, 0.7, 1.5) * sample(c(-1, 1), size * k, TRUE)
  loadings[41:45, ] <- loadings[41:45, ] / 2
  scores <- matrix(rnorm(n * k), n)
  eta <- tcrossprod(scores, loadings)
  u <- eta + rnorm(n * size)
  x <- as.data.frame(u)
  x[1:20] <- lapply(1:20, function(j) ordered(findInterval(u[, j], c(-1, 0, 1))))
  x[21:30] <- lapply(21:30, function(j) u[, j] > rnorm(1, 0, 0.5))
  x[41:45] <- lapply(41:45, function(j) rnbinom(n, 3, mu = exp(1.5 + eta[, j])))
  names(x) <- paste0("v", seq_len(size))
  # Loadings are converted to the scale of the draws, because fit_factor() scales numeric columns.
  loadings[31:40, ] <- loadings[31:40, ] / apply(u[, 31:40], 2, sd)
  list(x = x, loadings = loadings)
}

# Area under the ROC curve if `score` predicts `truth`
area <- function(score, truth) {
  ranks <- rank(score)
  (sum(ranks[truth]) - sum(truth) * (sum(truth) + 1) / 2) / (sum(truth) * sum(!truth))
}

recover <- function(seed, iter) {
  set <- draw_set(seed)
  families <- setNames(rep("negative_binomial", 5), paste0("v", 41:45))
  time <- system.time(fit <- suppressMessages(suppressWarnings(fit_factor(
    set$x, families,
    method = method_gibbs(chains = 2, iter = iter, max_iter = iter), seed = seed, verbose = FALSE
  ))))
  sizes <- posterior::extract_variable(posterior::as_draws(fit), "n_common")
  draws <- lapply(seq_along(fit$feature_draws), buffet:::factor_draw, fit = fit)
  # The loadings in each draw are matched to the true factors, with their signs; 0 if there is no
  # match.
  matched <- vapply(draws, function(one) {
    to <- buffet:::match_signed(set$loadings, one$loadings)
    out <- 0 * set$loadings
    found <- to$to > 0
    out[, found] <- sweep(one$loadings[, to$to[found], drop = FALSE], 2, to$sign[found], "*")
    out
  }, set$loadings)
  ends <- apply(matched, 1:2, quantile, c(0.05, 0.95))
  nonzero <- set$loadings != 0
  covered <- ends[1, , ] <= set$loadings & set$loadings <= ends[2, , ]
  c(
    seed = seed, k = as.integer(names(which.max(table(sizes)))),
    rhat_k = posterior::rhat(posterior::extract_variable_matrix(
      posterior::as_draws(fit), "n_common"
    )),
    auc = area(apply(matched != 0, 1:2, mean), nonzero), covered_nonzero = mean(covered[nonzero]),
    covered_all = mean(covered), covered_counts = mean(covered[41:45, ][nonzero[41:45, ]]),
    seconds = unname(time["elapsed"])
  )
}

arguments <- commandArgs(TRUE)
sets <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L
iter <- if (length(arguments) > 1) as.integer(arguments[2]) else 1000L
first <- if (length(arguments) > 2) as.integer(arguments[3]) else 1L
for (seed in first + seq_len(sets) - 1L) print(round(recover(seed, iter), 3))
