# Topics found again where how many documents have a topic and how much of them it fills are
# separate: rare and common topics, minor and dominant ones.

design <- list(
  pi = rep(c(0.04, 0.04, 0.5, 0.5), 4), phi = rep(c(4, 40, 4, 40), 4),
  kind = rep(c("rare minor", "rare dominant", "common minor", "common dominant"), 4)
)

#' Documents of the model with known topics; the last ones are new
decoupled <- function(seed, documents, new = 200, words = 500) {
  withr::with_seed(seed, {
    beta <- draw_dirichlet(matrix(log(0.05), 16, words))
    rows <- documents + new
    z <- matrix(stats::rbinom(rows * 16, 1, rep(design$pi, each = rows)), rows)
    dtm <- draw_words(draw_free_counts(z, design$phi, 1), beta)
  })
  fitted <- seq_len(documents)
  list(beta = beta, dtm = dtm[fitted, ], new = dtm[-fitted, ])
}

#' Perplexity of new documents where everything is known, their topics and choices excepted
known_perplexity <- function(data, seed, sweeps = 100) {
  counts <- round(data$beta * 1e7)
  entries <- unlist(apply(counts, 1, function(n) {
    at <- which(n > 0)
    c(length(at), rbind(diff(c(1, at)), n[at]))
  }))
  fixed <- function(value) list(value = value, learned = FALSE, shape = 1, rate = 1)
  known <- list(
    lengths = "model", alpha = fixed(1e-9), gamma = fixed(1), eta = fixed(1e-9),
    max_features = .Machine$integer.max, counts = as_bytes(c(entries, rep(0, 16), 0)),
    atoms = cbind(rbind(design$pi, design$phi), c(log(2), nrow(data$dtm)))
  )
  parts <- withr::with_seed(seed, split_tokens(data$new, 0.5))
  plan <- list(ell = log(1.5), sweeps = sweeps, moves = 5, apart = FALSE)
  new <- topic_fold_cpp(parts$seen, known, plan, c(seed, 1L))
  density <- at_tokens(new[c("per_word", "flat")], list(words = counts, eta = 1e-9), parts$rest)
  exp(-sum(parts$rest@x * log(density)) / sum(parts$rest@x))
}

#' Of each true topic that of the fit which is most like it
match_topics <- function(fit, beta) {
  unit <- function(m) m / sqrt(rowSums(m^2))
  cosine <- unit(beta) %*% t(unit(loadings_of(fit)))
  data.frame(at = max.col(cosine, "first"), cosine = apply(cosine, 1, max))
}

expect_decoupled <- function(data, fit, seed, most) {
  found <- match_topics(fit, data$beta)
  expect_true(all(found$cosine[design$phi == 40] > 0.5))
  expect_identical(anyDuplicated(found$at[design$phi == 40]), 0L)
  table <- topic_table(fit)[found$at, ]
  mean_of <- function(what, kind) mean(table[[what]][design$kind == kind & found$cosine > 0.5])
  expect_lt(mean_of("presence", "rare dominant"), 0.1)
  expect_gt(mean_of("share", "rare dominant"), 0.2)
  expect_gt(mean_of("presence", "common minor"), 0.3)
  expect_lt(mean_of("share", "common minor"), 0.15)
  perplexity <- perplexity(fit, data$new, seed = seed)
  known <- known_perplexity(data, seed)
  expect_lt(perplexity / known, most)
  expect_gt(perplexity / known, 0.99)
}

test_that("rare topics that fill documents and common ones that do not are told apart", {
  data <- decoupled(1, 600)
  method <- method_gibbs(1, 200, warmup = 150, thin = 10, moves = 5)
  for (lengths in sized("model", c("given", "model"))) {
    fit <- suppressMessages(quick_topics(data$dtm, lengths, method = method))
    expect_decoupled(data, fit, 1, 1.04)
  }
})

test_that("they are in other documents too", {
  skip_if_not(extended())
  for (seed in 2:5) {
    data <- decoupled(seed, 600)
    for (lengths in c("given", "model")) {
      method <- method_gibbs(2, 400, warmup = 300, thin = 10, moves = 5)
      fit <- suppressMessages(quick_topics(data$dtm, lengths, method = method))
      expect_decoupled(data, fit, seed, 1.04)
    }
  }
})
