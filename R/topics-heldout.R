#' Predictive probability of left-out tokens
#'
#' How probable the tokens were that were left out of the documents of a fit. [perplexity()] is for
#' new documents.
#'
#' @param fit A fit by [fit_topics()].
#' @param actual The tokens that were left out, as counts, documents x words, in any form that
#'   [fit_topics()] takes. Documents and words must be the same as in the fit. They are
#'   matched by name if both have names, and otherwise in the same order; another size is an
#'   error.
#' @param ... Must be empty.
#' @return A numeric vector with one element per token that was left out: its log predictive
#'   probability. The tokens are ordered by words, and those of a word by documents. If a document
#'   has left-out tokens of the same word, their elements are equal. Elements are `NA` for documents
#'   of which the fit knows no token if `lengths = "given"`. An element is the log of the mean
#'   probability over every kept draw.
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' # leave out about a fifth of all tokens
#' left_out <- d$dtm
#' left_out@x <- as.numeric(rbinom(length(left_out@x), as.integer(left_out@x), 0.2))
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_topics(d$dtm - left_out, method = method, seed = 1)
#' # their perplexity: a model that knows nothing has 40, the number of words
#' exp(-mean(heldout_density(fit, left_out)))
#' @export
heldout_density.fit_topics <- function(fit, actual, ...) {
  check_no_more(...)
  if (missing(actual)) abort("`actual` must be given: the tokens left out.")
  x <- check_dtm(actual, "actual")
  size <- dim(model_data(fit))
  if (!identical(dim(x), size)) {
    must <- sprintf("have %d documents and %d words, as the data", size[1], size[2])
    stop_argument("actual", must, was = describe_dtm(x))
  }
  x <- in_data_order(x, model_data(fit))
  density <- mean_over(seq_along(fit$feature_draws), function(draw) {
    parts <- topic_parts(fit, draw)
    at_tokens(known_in(parts, fit), parts, x)
  })
  rep(log(density), x@x)
}
