# Documents for topic models, and their saved draws, decoded independently of the package.

#' Calls fit_topics() for a short run, without messages
quick_topics <- function(dtm, ..., method = short_chains(), seed = 1) {
  fit_topics(dtm, ..., method = method, seed = seed, verbose = FALSE)
}
short_chains <- function(chains = 1, iter = 60, thin = 5, ...) {
  method_gibbs(chains, iter, thin = thin, ...)
}

#' Thirty documents of three different lengths
topic_corpus <- function() {
  withr::with_seed(31, sim_topics(30, 15, alpha = 2, gamma = 2, lengths = rep(c(4, 9, 20), 10))$dtm)
}
#' The same documents without names; two of them are empty
topic_gaps <- function() {
  x <- unname(as.matrix(topic_corpus()))
  x[c(2, 17), ] <- 0
  x
}

topics_given <- function() {
  once("topics given", quick_topics(topic_corpus(), method = short_chains(2, 200)))
}
topics_gaps <- function() once("topics gaps", suppressMessages(quick_topics(topic_gaps())))
topics_model <- function() {
  once("topics model", quick_topics(topic_gaps(), lengths = "model", gamma = gamma_prior(2, 1)))
}
topics_fixed <- function() {
  once("topics fixed", quick_topics(
    topic_corpus(), gamma = 1.5, eta = 0.2, prior = prior_ibp(2), method = short_chains(moves = 0)
  ))
}
topic_fits <- function() {
  list(given = topics_given(), gaps = topics_gaps(), model = topics_model(), fixed = topics_fixed())
}

#' Decodes numbers stored with seven bits per byte; only the last byte of each number is below 128
numbers_in <- function(bytes) {
  bytes <- as.integer(bytes)
  number <- cumsum(c(0, utils::head(bytes < 128, -1))) + 1
  place <- stats::ave(number, number, FUN = seq_along) - 1
  unname(c(tapply(bytes %% 128 * 128^place, number, sum)))
}

#' A draw as it is saved: counts (words: topics x words; documents: topics x documents), choices z
#' (documents x topics), pi, phi, and the weight in each document of topics without tokens (silent:
#' documents x topics)
naive_topics <- function(fit, draw) {
  size <- unclass(fit$feature_draws)$sizes
  counts <- size[draw]
  ends <- cumsum(fit$internal$byte_counts)
  left <- fit$internal$draws_bytes[seq(ends[draw] - fit$internal$byte_counts[draw] + 1, ends[draw])]
  next_bytes <- function(n) {
    taken <- utils::head(left, n)
    left <<- utils::tail(left, -n)
    taken
  }
  next_numbers <- function(n) {
    if (n == 0) return(numeric())
    numbers_in(next_bytes(which(as.integer(left) < 128)[n]))
  }
  next_row <- function(n) {
    pairs <- matrix(next_numbers(2 * next_numbers(1)), 2)
    replace(numeric(n), cumsum(pairs[1, ]) + 1, pairs[2, ])
  }
  rows <- function(n) t(vapply(seq_len(counts), \(k) next_row(n), numeric(n)))
  words <- rows(ncol(model_data(fit)))
  documents <- rows(nrow(model_data(fit)))
  silent <- matrix(0, nrow(model_data(fit)), 0)
  for (one in seq_len(next_numbers(1))) {
    phi <- readBin(next_bytes(4), "double", size = 4)
    silent <- cbind(silent, phi * next_row(nrow(silent)))
  }
  before <- 2 * sum(size[seq_len(draw - 1)] + 1)
  atoms <- matrix(fit$internal$draws_loadings[before + seq_len(2 * counts)], 2)
  list(
    words = matrix(words, counts), documents = matrix(documents, counts),
    z = draw_features_cpp(unclass(fit$feature_draws), draw), pi = atoms[1, ], phi = atoms[2, ],
    silent = silent, eta = scalar(fit, "eta")[draw]
  )
}

#' The displayed draw, with topics in display order
naive_point <- function(fit) {
  naive <- naive_topics(fit, fit$internal$point)
  shown <- match(topic_table(fit)$pi, naive$pi)
  rows <- function(part) part[shown, , drop = FALSE]
  list(
    words = rows(naive$words), documents = rows(naive$documents),
    z = naive$z[, shown, drop = FALSE], pi = naive$pi[shown], phi = naive$phi[shown],
    silent = naive$silent, eta = naive$eta
  )
}

naive_beta <- function(naive) {
  (naive$words + naive$eta) / (rowSums(naive$words) + ncol(naive$words) * naive$eta)
}
naive_theta <- function(naive) {
  theta <- t(naive$documents + t(naive$z) * naive$phi)
  theta / as.vector(colSums(naive$documents) + naive$z %*% naive$phi + rowSums(naive$silent))
}
#' The probabilities of words in documents. In a document that has chosen no topic, all words are
#' equally probable.
naive_word_shares <- function(naive, theta = naive_theta(naive)) {
  beta <- naive_beta(naive)
  known <- theta %*% beta
  out <- known + (1 - rowSums(theta)) / ncol(beta)
  out[is.nan(out) & colSums(naive$documents) == 0] <- 1 / ncol(beta)
  out
}

#' Documents that are new to the fit
silent_documents <- function(fit) {
  naive <- naive_point(fit)
  held <- if (fit$internal$model$lengths == "given") as.matrix(model_data(fit)) else naive$z
  rowSums(held) == 0
}

topic_plots <- c("presence", "topics", "trace", "n_features", "features")
