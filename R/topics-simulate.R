# Documents from a fit by fit_topics(), and their densities, through the generics of
# posterior-predict.R and predict.R.

#' @exportS3Method
mean_response.fit_topics <- function(fit, which) {
  mean_known_words(fit, which) * Matrix::rowSums(model_data(fit))
}

#' @exportS3Method
log_densities.fit_topics <- function(fit, x, draw) {
  x <- as.matrix(x)
  out <- x * log(known_words(fit, draw))
  out[x == 0] <- 0
  out
}

#' @exportS3Method
draw_data.fit_topics <- function(fit, draw) {
  out <- draw_counts(draw_mean(fit, draw), Matrix::rowSums(model_data(fit)))
  dimnames(out) <- data_names(fit)
  out
}

draw_counts <- function(mean, lengths) {
  for (m in which(lengths > 0)) mean[m, ] <- stats::rmultinom(1, lengths[m], mean[m, ])
  mean
}

# Shares of words in topics, and last in `silent` ones without a token
# words: Counts, topics x words.
draw_words_of_topics <- function(words, eta, silent = 0) {
  draw_dirichlet(log(rbind(words, matrix(0, silent, ncol(words))) + eta))
}

#' @exportS3Method
draw_mean.fit_topics <- function(fit, draw) {
  parts <- topic_parts(fit, draw)
  weights <- cbind(topic_weights(parts), parts$silent)
  lengths <- Matrix::rowSums(model_data(fit))
  beta <- draw_words_of_topics(parts$words, parts$eta, ncol(parts$silent))
  draw_documents(weights, lengths, beta)
}

# weights: Documents x topics.

draw_documents <- function(weights, lengths, beta) {
  filled <- which(lengths > 0)
  out <- matrix(0, length(lengths), ncol(beta))
  theta <- draw_dirichlet(log(weights[filled, , drop = FALSE]))
  out[filled, ] <- lengths[filled] * theta %*% beta
  out
}

#' @exportS3Method
new_row_drawer.fit_topics <- function(fit, rows, apart) {
  lengths <- Matrix::rowSums(rows)
  tokens <- split_words(rows)
  function(draw) {
    parts <- topic_parts(fit, draw)
    known <- draw_word_gammas(parts$words, parts$eta)
    plan <- list(sweeps = fold_sweeps, seed = draw_seed(), apart = apart)
    new <- fold_in(fit, draw, rows, plan)
    documents <- lapply(seq_along(lengths), function(m) {
      state <- list(weights = new$weights[[m]], topics = new$topics[[m]], words = tokens[[m]])
      seeded(new$seeds[m], draw_new_document(state, known, parts$eta))
    })
    rows_of <- function(what) do.call(rbind, lapply(documents, `[[`, what))
    list(mean = rows_of("mean"), data = rows_of("data"))
  }
}

split_words <- function(x) {
  tokens <- function(entries) rep(entries, x@x)
  word <- tokens(rep(seq_len(ncol(x)), diff(x@p)))
  unname(split(word, factor(tokens(x@i + 1L), seq_len(nrow(x)))))
}

# Gamma variables with shapes counts + eta, topics x words, as list(beta, size): shares and sums. A
# document adds its own tokens
draw_word_gammas <- function(words, eta) {
  list(
    beta = draw_words_of_topics(words, eta),
    size = stats::rgamma(nrow(words), rowSums(words) + ncol(words) * eta)
  )
}

# list(mean, data) of a document
# state: Weights of the topics of the document, first the topics of the fit, and topics and words of
# its tokens.
# known: The topics of the fit, from draw_word_gammas().
draw_new_document <- function(state, known, eta) {
  n_words <- ncol(known$beta)
  n_fresh <- length(state$weights) - length(known$size)
  fresh <- draw_word_gammas(matrix(0, n_fresh, n_words), eta)
  own <- stats::rgamma(length(state$words), 1)
  size <- c(known$size, fresh$size)
  added <- tabulate_sums(state$topics, own, length(size))
  theta <- as.vector(draw_dirichlet(log(t(state$weights))))
  kept <- ifelse(added > 0, theta * size / (size + added), theta)
  mean <- kept %*% rbind(known$beta, fresh$beta)
  of_tokens <- (theta / (size + added))[state$topics] * own
  length <- length(state$words)
  mean <- length * (mean + tabulate_sums(state$words, of_tokens, n_words))
  list(mean = mean, data = draw_counts(mean, length))
}

# Sums of values of 1, 2, ..., n
tabulate_sums <- function(at, values, n) {
  as.vector(tapply(values, factor(at, seq_len(n)), sum, default = 0))
}
