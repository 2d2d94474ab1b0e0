# Documents from a fit by fit_topics(), and their densities, through the generics of
# posterior-predict.R and predict.R.

#' @exportS3Method
#' @noRd
mean_response.fit_topics <- function(fit, which) {
  known_documents(fit, "words", which) * Matrix::rowSums(fit$model$data$x)
}

#' @exportS3Method
#' @noRd
name_fitted.fit_topics <- function(fit) "expected"

#' @exportS3Method
#' @noRd
log_densities.fit_topics <- function(fit, x, draw) {
  x <- as.matrix(x)
  out <- x * log(known_documents(fit, "words", draw))
  out[x == 0] <- 0
  out
}

#' Documents of the same lengths with the topics of a draw, their shares and words drawn anew
#' @exportS3Method
#' @noRd
draw_data.fit_topics <- function(fit, draw) {
  out <- draw_counts(draw_mean(fit, draw), Matrix::rowSums(fit$model$data$x))
  dimnames(out) <- data_names(fit)
  out
}

#' Counts of words given what is expected of them
#' @noRd
draw_counts <- function(mean, lengths) {
  for (m in which(lengths > 0)) mean[m, ] <- stats::rmultinom(1, lengths[m], mean[m, ])
  mean
}

#' Shares of words in topics, and last in `silent` ones without a token
#' @param words Counts, topics x words.
#' @noRd
draw_words_of_topics <- function(words, eta, silent = 0) {
  draw_dirichlet(log(rbind(words, matrix(0, silent, ncol(words))) + eta))
}

#' Expected counts of documents of the same lengths, with the topics of a draw
#' @exportS3Method
#' @noRd
draw_mean.fit_topics <- function(fit, draw) {
  parts <- topic_parts(fit, draw)
  weights <- cbind(topic_weights(parts), parts$silent)
  lengths <- Matrix::rowSums(fit$model$data$x)
  beta <- draw_words_of_topics(parts$words, parts$eta, ncol(parts$silent))
  draw_documents(weights, lengths, beta)
}

#' Expected counts of documents whose shares of topics are drawn
#' @param weights Of topics, documents x topics.
#' @param beta Topics x words.
#' @noRd
draw_documents <- function(weights, lengths, beta) {
  filled <- which(lengths > 0)
  out <- matrix(0, length(lengths), ncol(beta))
  theta <- draw_dirichlet(log(weights[filled, , drop = FALSE]))
  out[filled, ] <- lengths[filled] * theta %*% beta
  out
}

#' @exportS3Method
#' @noRd
new_row_data.fit_topics <- function(fit, newdata) match_words(newdata, fit)

#' Each document with random numbers of its own
#' @exportS3Method
#' @noRd
new_row_drawer.fit_topics <- function(fit, rows, apart) {
  lengths <- Matrix::rowSums(rows)
  function(draw) {
    parts <- topic_parts(fit, draw)
    beta <- draw_words_of_topics(parts$words, parts$eta)
    plan <- list(sweeps = fold_sweeps, seed = draw_seed(), apart = apart)
    new <- fold_in(fit, draw, rows, plan)
    documents <- lapply(seq_along(lengths), function(m) {
      seeded(new$seeds[m], draw_new_document(new$weights[[m]], lengths[m], beta, parts$eta))
    })
    rows_of <- function(what) do.call(rbind, lapply(documents, `[[`, what))
    list(mean = rows_of("mean"), data = rows_of("data"))
  }
}

#' list(mean, data) of a document, whose last topics no token of the fit is assigned to
#' @noRd
draw_new_document <- function(weights, length, beta, eta) {
  fresh <- draw_words_of_topics(beta[0, , drop = FALSE], eta, length(weights) - nrow(beta))
  mean <- draw_documents(t(weights), length, rbind(beta, fresh))
  list(mean = mean, data = draw_counts(mean, length))
}
