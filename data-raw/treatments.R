# The tables in vignettes/articles/treatments-in-texts.Rmd: treatments found by fit_mixed() and by
# texteffect (Fong & Grimmer 2016), mostly with five seeds, for the same halves of 500 biographies.
#   Rscript data-raw/treatments.R biosample.tab.gz
# texteffect does not accept NA. To infer its features from some of the words, its own code is used
# with a fit that excludes the other words. Runs of fit_mixed() are saved in build/treatments.
library(buffet)

texts <- read.table(gzfile(commandArgs(trailingOnly = TRUE)[[1]]), header = TRUE)
set.seed(1)
train <- sample(nrow(texts), nrow(texts) / 2)
test <- setdiff(seq_len(nrow(texts)), train)
words <- names(texts)[-1]
word_sd <- apply(texts[train, words], 2, sd)
fifths <- split(words, rep(1:5, length.out = length(words)))
seeds <- 1:5

rmse <- function(predicted, actual) sqrt(mean((predicted - actual)^2))

#' The central 90 % interval of the number of features
k_range <- function(fit) {
  k <- quantile(posterior::extract_variable(fit, "n_features"), c(0.05, 0.95))
  list(k_lower = k[[1]], k_upper = k[[2]])
}

#' Features of the training half and, without the outcome, of the test half, with the errors
by_buffet <- function(seed, iter) {
  hidden <- function(columns) replace(texts[test, ], columns, NA)
  families <- c(resp = "gaussian", stats::setNames(rep("poisson", length(words)), words))
  started <- proc.time()
  fit <- fit_mixed(texts[train, ], families,
    method = method_gibbs(4, iter), seed = seed, verbose = FALSE
  )
  seconds <- (proc.time() - started)[["user.self"]]
  loadings <- coef(fit)[, words, drop = FALSE]
  set.seed(seed)
  predicted <- function(columns) as.matrix(predict(fit, hidden(columns), ndraws = 100)[columns])
  errors <- vapply(fifths, function(part) {
    given <- predict(fit, hidden(c("resp", part)), ndraws = 50)[part]
    mean(scale(given - texts[test, part], FALSE, word_sd[part])^2)
  }, 0)
  out <- list(
    train = features(fit), test = predict(fit, hidden("resp"), type = "features") > 0.5,
    loadings = loadings, seconds = seconds,
    rmse_outcome = rmse(predicted("resp"), texts$resp[test]), rmse_words = sqrt(mean(errors)),
    rhat = glance(fit)$rhat_max, exclusivity = NA
  )
  c(out, k_range(fit))
}

#' A row for the table of runs, with only some of the columns
without_run <- function(method, ...) {
  out <- replace(of_run(names(runs)[1], 1), -(1:2), NA)
  out$method <- method
  replace(out, ...names(), list(...))
}

#' Fits normal noise to counts, which are not normal, and returns numbers of features in short runs
by_normal <- function(name, ...) {
  started <- proc.time()
  fit <- fit_gaussian(as.matrix(texts[train, ]),
    scale = TRUE, method = method_gibbs(1, 100), seed = 1, verbose = FALSE, ...
  )
  k <- k_range(fit)
  without_run(name,
    k_lower = k$k_lower, k_upper = k$k_upper, seconds = (proc.time() - started)[["user.self"]]
  )
}

#' The same fit without some of the words
without <- function(fit, part) {
  kept <- !words %in% part
  fit$phi <- fit$phi[, kept, drop = FALSE]
  fit$big.Phi <- lapply(fit$big.Phi, function(s) s[kept, kept])
  fit$meanX <- fit$meanX[kept]
  fit$sdX <- fit$sdX[kept]
  fit
}

by_texteffect <- function(seed, k) {
  set.seed(seed)
  started <- proc.time()
  fit <- texteffect::sibp(texts[words], texts$resp, k,
    alpha = 4, sigmasq.n = 0.8, train.ind = train, silent = TRUE
  )
  seconds <- (proc.time() - started)[["user.self"]]
  infer <- function(fit, columns) {
    set.seed(seed)
    texteffect:::infer_Z(fit, texts[columns])
  }
  probabilities <- infer(fit, words)
  errors <- vapply(fifths, function(part) {
    given <- infer(without(fit, part), setdiff(words, part))
    predicted <- given %*% fit$phi[, match(part, words), drop = FALSE]
    mean((predicted - scale(texts[test, part], fit$meanX[part], fit$sdX[part]))^2)
  }, 0)
  list(
    train = fit$nu > 0.5, test = probabilities > 0.5,
    loadings = matrix(fit$phi, k, dimnames = list(NULL, words)), seconds = seconds,
    rmse_outcome = rmse(fit$meanY + fit$sdY * probabilities %*% fit$m, texts$resp[test]),
    rmse_words = sqrt(mean(errors)), k_lower = k, k_upper = k, rhat = NA,
    exclusivity = texteffect::sibp_exclusivity(fit, texts[words])
  )
}

#' Features that at least ten texts in each half have and at least ten lack
common <- function(run) {
  has <- rbind(colSums(run$train == 1), colSums(run$test))
  which(apply(has, 2, function(n) all(n >= 10 & length(test) - n >= 10)))
}

#' For each feature of a run, the largest correlation with a feature of another run (0 if there is
#' none), averaged over the features
agreement <- function(run, others) {
  z <- run$test[, common(run), drop = FALSE]
  mean(vapply(others, function(other) {
    r <- suppressWarnings(abs(cor(z, cbind(other$test[, common(other), drop = FALSE], FALSE))))
    mean(apply(replace(r, is.na(r), 0), 1, max))
  }, 0))
}

#' Effects of the common features on the outcome in the test half
effects <- function(run) {
  chosen <- common(run)
  if (length(chosen) == 0) return(NULL)
  z <- run$test[, chosen, drop = FALSE] + 0
  fit <- lm(texts$resp[test] ~ z)
  top <- apply(run$loadings[chosen, , drop = FALSE], 1, function(a) {
    paste(names(sort(a, decreasing = TRUE))[1:3], collapse = ", ")
  })
  interval <- confint(fit)[-1, , drop = FALSE]
  data.frame(
    words = top, train = colSums(run$train)[chosen], test = colSums(z), effect = coef(fit)[-1],
    lower = interval[, 1], upper = interval[, 2], row.names = NULL
  )
}

kept <- function(seed, iter) {
  file <- sprintf("build/treatments/%d-%d.rds", iter, seed)
  if (!file.exists(file)) saveRDS(by_buffet(seed, iter), file)
  readRDS(file)
}
dir.create("build/treatments", showWarnings = FALSE)
runs <- list(
  "fit_mixed(), 400 sweeps" = lapply(seeds, kept, iter = 400),
  "fit_mixed(), 2000 sweeps" = lapply(1, kept, iter = 2000),
  "texteffect, K = 2" = lapply(seeds, by_texteffect, k = 2),
  "texteffect, K = 5" = lapply(seeds, by_texteffect, k = 5),
  "texteffect, K = 10" = lapply(seeds, by_texteffect, k = 10)
)
of_run <- function(name, seed) {
  run <- runs[[name]][[seed]]
  numbers <- c(
    "k_lower", "k_upper", "rhat", "seconds", "rmse_outcome", "rmse_words", "exclusivity"
  )
  data.frame(
    method = name, seed = seed, features = length(common(run)), lapply(run[numbers], signif, 4),
    agreement = signif(agreement(run, runs[[name]][-seed]), 3)
  )
}
of_effects <- function(name, seed) {
  out <- effects(runs[[name]][[seed]])
  if (is.null(out)) return(NULL)
  out[4:6] <- round(out[4:6], 2)
  cbind(method = name, seed = seed, out)
}
table_of <- function(f) {
  do.call(rbind, Map(f, rep(names(runs), lengths(runs)), sequence(lengths(runs))))
}
mean_of <- colMeans(texts[train, ])
errors <- scale(texts[test, ], mean_of, FALSE)
others <- rbind(
  without_run("means of the training half",
    rmse_outcome = signif(rmse(errors[, "resp"], 0), 4),
    rmse_words = signif(rmse(t(errors[, words]) / word_sd, 0), 4)
  ),
  by_normal("fit_gaussian()"), by_normal("fit_gaussian(noise = \"column\")", noise = "column"),
  by_normal("fit_gaussian(sigma_x = sqrt(0.8))", sigma_x = sqrt(0.8))
)
write.csv(rbind(table_of(of_run), others), "vignettes/treatments-runs.csv", row.names = FALSE)
write.csv(table_of(of_effects), "vignettes/treatments-effects.csv", row.names = FALSE)
