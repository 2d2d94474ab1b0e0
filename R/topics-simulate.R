#' Draw documents from the focused topic model
#'
#' `sim_topics()` draws documents from the model that [fit_topics()] fits: the counts of words, and
#' all parameters from which they were drawn.
#'
#' The topics of a document are given by a row of a binary matrix b from the Indian buffet process
#' ([ribp()]). Topic k has a size phi_k ~ Gamma(`gamma`, 1) and a distribution over words beta_k ~
#' Dirichlet(`eta`, ..., `eta`). Document m has n_mk words of topic k, each drawn from beta_k. The
#' distribution of n_mk depends on `lengths`:
#'
#' * `NULL`, as in the paper: n_mk ~ Poisson(lambda_mk) and lambda_mk ~ Gamma(b_mk phi_k, 1). The
#'   length of a document is random, with mean sum_k b_mk phi_k, so documents of a hundred
#'   words need a `gamma` of about 100 / `alpha`. A document may be empty. M documents have
#'   Poisson(alpha (1 + 1/2 + ... + 1/M)) topics in total.
#' * Numbers: the n_mk are multinomial, with the length of the document as their total and the
#'   probabilities theta_m ~ Dirichlet(b_m1 phi_1, b_m2 phi_2, ...). Every document must then have a
#'   topic, so b is drawn from the Indian buffet process given that no row is empty. There are
#'   more topics than without this condition, many more if `alpha` is small.
#'
#' @param documents,words (positive integers) Number of documents, M, and of different words, V.
#' @param alpha (positive number) Mean number of topics per document, before empty rows are ruled
#'   out (default 1).
#' @param gamma (positive number) Shape of the gamma distribution of the sizes of topics, and
#'   therefore their mean (default 1).
#' @param eta (positive number) Parameter of the Dirichlet distribution of the words of a topic
#'   (default 0.1). The smaller it is, the fewer words make up a topic.
#' @param lengths (positive integers or `NULL`) Numbers of words in the documents: one number for
#'   all, or one for each document. `NULL` (default): lengths are random.
#' @return A list. Topics are numbered in the order in which they appear. Every topic is in some
#'   document, but may have no words.
#'   \describe{
#'     \item{`dtm`}{The data: a `dgCMatrix` of counts, documents x words, with row names `d1`, `d2`,
#'       ... and column names `w1`, `w2`, ...}
#'     \item{`topics`}{b: an integer matrix of zeros and ones, documents x topics; topics are named
#'       `t1`, `t2`, ...}
#'     \item{`counts`}{n: an integer matrix, documents x topics, of the numbers of words.}
#'     \item{`loadings`}{beta: a matrix, topics x words, whose rows sum to 1.}
#'     \item{`phi`}{The sizes of the topics, a vector.}
#'     \item{`pi`}{The probabilities of the topics, a vector. Each is drawn given b from Beta(c_k, 1
#'       + M - c_k), with c_k the number of documents that have topic k.}
#'   }
#' @inherit fit_topics references
#' @examples
#' set.seed(1)
#' drawn <- sim_topics(documents = 10, words = 50, alpha = 3, gamma = 5)
#' drawn$dtm[1:3, 1:8]
#' # which documents have which topics
#' drawn$topics
#' @export
sim_topics <- function(documents, words, alpha = 1, gamma = 1, eta = 0.1, lengths = NULL) {
  documents <- check_count(documents, "documents")
  words <- check_count(words, "words")
  alpha <- check_positive(alpha, "alpha")
  gamma <- check_positive(gamma, "gamma")
  eta <- check_positive(eta, "eta")
  if (!is.null(lengths)) {
    valid <- is.numeric(lengths) && !is.object(lengths) && length(lengths) %in% c(1, documents) &&
      all(is.finite(lengths) & lengths >= 1 & lengths == floor(lengths))
    if (!valid) {
      must <- sprintf("be NULL, one whole number of at least 1 or one for each of %d", documents)
      stop_argument("lengths", must, lengths)
    }
    lengths <- rep_len(as.double(lengths), documents)
    if (sum(lengths) > .Machine$integer.max) {
      stop_argument("lengths", "have a sum below 2^31", was = format(sum(lengths)))
    }
  }
  mean <- alpha * sum(1 / seq_len(documents))
  check_matrix_size(max(documents, words), mean, "alpha", alpha)
  free <- is.null(lengths)
  b <- if (free) draw_ibp(documents, alpha, 1, 0) else draw_ibp_without_gaps(documents, alpha)
  n_topics <- ncol(b)
  # Uses Gamma(a) = Gamma(a + 1) U^(1/a) on the log scale, because gamma variables underflow for
  # small a.
  log_shape <- log(gamma)
  wait <- pmin(exp(log(stats::rexp(n_topics)) - log_shape), .Machine$double.xmax)
  log_phi <- log(stats::rgamma(n_topics, exp(log_shape) + 1)) - wait
  loadings <- draw_dirichlet(matrix(log(eta), n_topics, words))
  counts <- if (free) {
    shapes <- b * rep(exp(log_phi), each = documents)
    # A variable that is 0 for the shape 0
    drawn <- stats::rpois(length(shapes), stats::rgamma(length(shapes), shapes))
    if (!isTRUE(sum(as.double(drawn)) <= .Machine$integer.max)) {
      stop_argument("gamma", "be small enough for fewer than 2^31 words in total", gamma)
    }
    matrix(as.integer(drawn), documents, n_topics)
  } else {
    theta <- draw_dirichlet(log(b) + rep(log_phi, each = documents))
    draw <- function(m) stats::rmultinom(1, as.integer(lengths[m]), theta[m, ])
    drawn <- vapply(seq_len(documents), draw, integer(n_topics))
    matrix(drawn, documents, n_topics, byrow = TRUE)
  }
  taken <- colSums(b)
  pi <- stats::rbeta(n_topics, taken, 1 + documents - taken)
  d <- paste0("d", seq_len(documents))
  w <- paste0("w", seq_len(words))
  of <- topic_names(n_topics)
  list(
    dtm = `dimnames<-`(draw_words(counts, loadings), list(d, w)),
    topics = `dimnames<-`(b, list(d, of)), counts = `dimnames<-`(counts, list(d, of)),
    loadings = `dimnames<-`(loadings, list(of, w)),
    # Clamp values to the range of positive doubles.
    phi = stats::setNames(pmax(exp(log_phi), .Machine$double.xmin), of),
    pi = stats::setNames(pi, of)
  )
}

draw_words <- function(counts, loadings) {
  n_words <- ncol(loadings)
  drawn <- lapply(seq_len(ncol(counts)), function(k) {
    on <- which(counts[, k] > 0)
    n <- counts[on, k]
    # Draw token by token, or use multinomials if documents have more tokens than words on average
    if (sum(n) < length(n) * n_words) {
      word <- sample.int(n_words, sum(n), replace = TRUE, prob = loadings[k, ])
      return(list(document = rep(on, n), word = word, n = rep(1L, sum(n))))
    }
    n <- vapply(n, \(count) stats::rmultinom(1, count, loadings[k, ])[, 1], integer(n_words))
    word <- rep(seq_len(n_words), length(on))
    list(document = rep(on, each = n_words), word = word, n = as.vector(n))
  })
  part <- function(name) as.integer(unlist(lapply(drawn, `[[`, name)))
  size <- c(nrow(counts), n_words)
  x <- as.double(part("n"))
  Matrix::drop0(Matrix::sparseMatrix(part("document"), part("word"), x = x, dims = size))
}

# Draws rows from Dirichlet distributions with the given log parameters
# Rows are drawn like the weights in sim_topics(), but only differences within a row matter. If all
# values of a row underflow, the row is shifted, which gives all of the weight to the largest value.
draw_dirichlet <- function(log_shape) {
  if (length(log_shape) == 0) return(log_shape)
  log_wait <- log(stats::rexp(length(log_shape))) - log_shape
  log_wait <- log_wait - pmax(apply(log_wait, 1, min) - 600, 0)
  log_gamma <- log(stats::rgamma(length(log_shape), exp(log_shape) + 1)) - exp(log_wait)
  weight <- exp(log_gamma - apply(log_gamma, 1, max))
  weight / rowSums(weight)
}

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

# Shares of words in topics, followed by the shares in `silent` topics without tokens
# words: Matrix of counts, topics x words.
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

# weights: Matrix, documents x topics.
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
  of_tokens <- function(entries) rep(entries, rows@x)
  words <- of_tokens(rep(seq_len(ncol(rows)), diff(rows@p)))
  tokens <- unname(split(words, factor(of_tokens(rows@i + 1L), seq_along(lengths))))
  function(draw) {
    parts <- topic_parts(fit, draw)
    known <- draw_word_gammas(parts$words, parts$eta)
    new <- fold_in(fit, draw, rows, list(sweeps = fold_sweeps, seed = draw_seed(), apart = apart))
    documents <- lapply(seq_along(lengths), function(m) {
      state <- list(weights = new$weights[[m]], topics = new$topics[[m]], words = tokens[[m]])
      seeded(new$seeds[m], draw_new_document(state, known, parts$eta))
    })
    rows_of <- function(what) do.call(rbind, lapply(documents, `[[`, what))
    list(mean = rows_of("mean"), data = rows_of("data"))
  }
}

# Gamma variables with shapes counts + eta, topics x words, as list(beta, size): the shares and the
# sums. draw_new_document() adds the tokens of each document.
draw_word_gammas <- function(words, eta) {
  list(
    beta = draw_words_of_topics(words, eta),
    size = stats::rgamma(nrow(words), rowSums(words) + ncol(words) * eta)
  )
}

# state: Weights of the topics of the document, starting with the topics of the fit, and the topics
# and words of its tokens.
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

tabulate_sums <- function(at, values, n) {
  as.vector(tapply(values, factor(at, seq_len(n)), sum, default = 0))
}
