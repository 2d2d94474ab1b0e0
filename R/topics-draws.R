topic_draw <- function(fit, draw) {
  model <- topic_spec(fit$internal$model, fit$method)
  for (name in c("alpha", "gamma", "eta")) model[[name]]$value <- scalar(fit, name)[draw]
  c(model, list(
    counts = select_bytes(fit, draw), atoms = matrix(select_loadings(fit, draw), 2)
  ))
}

# The topics of a draw in shown order: counts of words (topics x words) and documents (documents x
# topics), probabilities pi, weights phi, choices z (documents x topics), and the weights in each
# document of chosen topics without tokens
topic_parts <- function(fit, draw) {
  known <- topic_draw(fit, draw)
  z <- features_of_draw(fit, draw)
  shown <- topic_order(fit, draw, z)
  counts <- topic_counts_cpp(known, dim(model_data(fit)))
  list(
    words = t(counts$words[, shown, drop = FALSE]),
    documents = counts$documents[, shown, drop = FALSE],
    pi = known$atoms[1, shown], phi = known$atoms[2, shown], z = z[, shown, drop = FALSE],
    silent = counts$silent * rep(counts$silent_phi, each = nrow(z)), eta = known$eta$value
  )
}

# The topics that a draw has chosen in every document, documents x topics, as they are kept
features_of_draw <- function(fit, draw) {
  draw_features_cpp(unclass(select_draws(fit$feature_draws, draw)), 1L)
}

# Shown order of the topics of a draw: for draws other than the point estimate, stored order
topic_order <- function(fit, draw, z = features_of_draw(fit, draw)) {
  if (draw == fit$internal$point) match_columns(fit$feature_draws[[draw]], z) else seq_len(ncol(z))
}

topic_names <- function(n) paste0("t", seq_len(n), recycle0 = TRUE)

# E beta given the topics of tokens, topics x words
word_shares <- function(parts) {
  words <- parts$words + parts$eta
  words / rowSums(words)
}

# E theta given the topics of tokens and the choices, documents x (topics + 1); the last column is
# the share of topics without tokens. NA for empty documents
topic_shares <- function(parts, fit) {
  weights <- cbind(topic_weights(parts), rowSums(parts$silent))
  nothing <- rowSums(weights) == 0
  weights[nothing, ncol(weights)] <- 1
  if (fit$internal$model$lengths == "given") weights[empty_documents(model_data(fit)), ] <- NA
  weights / rowSums(weights)
}

# n + b phi, documents x topics
topic_weights <- function(parts) {
  parts$documents + parts$z * rep(parts$phi, each = nrow(parts$z))
}

word_names <- function(fit) {
  x <- model_data(fit)
  colnames(x) %||% paste0("w", seq_len(ncol(x)))
}

document_names <- function(fit) {
  x <- model_data(fit)
  rownames(x) %||% as.character(seq_len(nrow(x)))
}

#' @exportS3Method
mean_loadings.fit_topics <- function(fit) {
  beta <- word_shares(topic_parts(fit, fit$internal$point))
  dimnames(beta) <- list(topic_names(nrow(beta)), colnames(model_data(fit)))
  beta
}
