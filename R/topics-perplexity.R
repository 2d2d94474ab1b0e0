#' How well new documents are predicted
#'
#' Document completion: of every document the topics are inferred from a part of its tokens, drawn
#' at random, and the others are predicted.
#'
#' @param fit A fit by [fit_topics()].
#' @param newdata New documents, as in [predict()][predict.fit_topics].
#' @param completion (number in (0, 1)) Share of a document's tokens that is seen, rounded up.
#' @param sweeps (positive integer) Sweeps of a chain of each document's own, for each draw. Fewer
#'   than 100 make the perplexity worse by a few per cent.
#' @param ndraws (positive integer) Over how many evenly spaced draws predictions are averaged; at
#'   most as many as there are.
#' @param seed (whole number or `NULL`) For which tokens are seen, as in [stats::simulate()].
#' @return One number, exp(-mean log p) over the tokens that were not seen, p their predictive
#'   probabilities; `ncol(dtm)` for a model that knows nothing. `NA` where no document has two
#'   tokens.
#' @details `perplexity()` of the package topicmodels is another function: where that was attached
#'   after buffet, write `buffet::perplexity()`.
#' @references Wallach, H. M., Murray, I., Salakhutdinov, R. and Mimno, D. (2009). Evaluation
#'   methods for topic models. *ICML*, section 5.
#' @seealso [heldout_density()][heldout_density.fit_topics] for left out tokens of the fit's own
#'   documents.
#' @examples
#' set.seed(1)
#' d <- rftm(80, 40, alpha = 3, gamma = 2, lengths = 30)
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_topics(d$dtm[1:60, ], method = method, seed = 1)
#' perplexity(fit, d$dtm[61:80, ], seed = 1)
#' @export
perplexity <- function(fit, newdata, completion = 0.5, sweeps = 100, ndraws = 5, seed = NULL) {
  check_topics(fit)
  if (missing(newdata)) stop("`newdata` must be given: new documents.", call. = FALSE)
  completion <- check_number(completion, "completion", 0, 1, "()")
  sweeps <- check_count(sweeps, "sweeps")
  which <- check_ndraws(min(check_count(ndraws, "ndraws"), length(fit$draws)), fit)
  seed <- check_seed(seed)
  x <- match_words(newdata, fit)
  parts <- seeded(seed, split_tokens(x, completion))
  if (length(parts$rest@x) == 0) return(NA_real_)
  plan <- list(sweeps = sweeps, seen = completion)
  density <- mean_over(which, function(draw) {
    at_tokens(fold_in(fit, draw, parts$seen, plan)$shares, topic_parts(fit, draw), parts$rest)
  })
  exp(-sum(parts$rest@x * log(density)) / sum(parts$rest@x))
}

#' Documents in two: a share of the tokens of each at random, and the rest
#' @noRd
split_tokens <- function(x, share) {
  entries <- methods::as(x, "TsparseMatrix")
  document <- rep(entries@i, entries@x) + 1L
  word <- rep(entries@j, entries@x) + 1L
  place <- stats::ave(stats::runif(length(document)), document, FUN = rank)
  seen <- place <= ceiling(share * tabulate(document, nrow(x)))[document]
  count <- function(which) {
    Matrix::sparseMatrix(i = document[which], j = word[which], x = 1, dims = dim(x))
  }
  list(seen = count(seen), rest = count(!seen))
}

#' The predictive probability of every entry of a sparse matrix, of shares as predictive_words()
#' @noRd
at_tokens <- function(shares, parts, x) {
  document <- x@i + 1L
  word <- rep(seq_len(ncol(x)), diff(x@p))
  beta <- t(word_shares(parts))
  known <- shares[, -ncol(shares), drop = FALSE]
  fresh <- shares[, ncol(shares)] / ncol(x)
  blocks <- split(seq_along(word), ceiling(seq_along(word) / 1e4))
  unlist(lapply(blocks, function(at) {
    rowSums(known[document[at], , drop = FALSE] * beta[word[at], , drop = FALSE]) +
      fresh[document[at]]
  }), use.names = FALSE)
}
