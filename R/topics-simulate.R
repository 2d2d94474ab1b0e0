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
  parts <- topic_parts(fit, draw)
  weights <- cbind(topic_weights(parts), parts$silent)
  lengths <- Matrix::rowSums(fit$model$data$x)
  counts <- matrix(0L, nrow(weights), ncol(weights))
  filled <- which(lengths > 0)
  theta <- draw_dirichlet(log(weights[filled, , drop = FALSE]))
  for (n in seq_along(filled)) {
    counts[filled[n], ] <- stats::rmultinom(1, lengths[filled[n]], theta[n, ])
  }
  out <- matrix(0, nrow(counts), ncol(fit$model$data$x), dimnames = data_names(fit))
  beta <- draw_words_of_topics(parts)
  for (k in seq_len(ncol(counts))) {
    for (m in which(counts[, k] > 0)) {
      out[m, ] <- out[m, ] + stats::rmultinom(1, counts[m, k], beta[k, ])
    }
  }
  out
}

#' Shares of words in topics, those of topics without a token last
#' @noRd
draw_words_of_topics <- function(parts) {
  none <- matrix(0, ncol(parts$silent), ncol(parts$words))
  draw_dirichlet(log(rbind(parts$words, none) + parts$eta))
}

#' Expected counts of documents of the same lengths, with the topics of a draw
#' @exportS3Method
#' @noRd
draw_mean.fit_topics <- function(fit, draw) {
  parts <- topic_parts(fit, draw)
  x <- fit$model$data$x
  lengths <- Matrix::rowSums(x)
  filled <- which(lengths > 0)
  weights <- cbind(topic_weights(parts), parts$silent)
  theta <- draw_dirichlet(log(weights[filled, , drop = FALSE]))
  beta <- draw_words_of_topics(parts)
  out <- matrix(0, nrow(x), ncol(x))
  out[filled, ] <- lengths[filled] * theta %*% beta
  out
}

#' @exportS3Method
#' @noRd
new_row_data.fit_topics <- function(fit, newdata) match_words(newdata, fit)

#' @exportS3Method
#' @noRd
new_row_drawer.fit_topics <- function(fit, rows, apart) {
  must <- "be NULL for topics: predict(type = \"words\") has means of new documents, not draws"
  stop_argument("newdata", must, was = "new documents")
}
