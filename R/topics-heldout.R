#' How probable left out tokens were
#'
#' For tokens of the documents of a fit that it was not given.
#'
#' @param fit A fit by [fit_topics()].
#' @param actual The tokens that were left out, as counts: documents x words as the data of the fit,
#'   the same documents and words in the same order.
#' @param ndraws (positive integer, `Inf` or `NULL`) Average over this many evenly spaced draws. `NULL`:
#'   1000, `Inf`: all. See [ndraws].
#' @return A numeric vector: the log predictive probability of every token that was left out, word
#'   by word and in each by document, a word that a document lacks twice two equal numbers. `NA` for
#'   documents of which the fit knows nothing. The mean over draws is taken of probabilities.
#' @examples
#' set.seed(1)
#' d <- rftm(60, 40, alpha = 3, gamma = 2, lengths = 30)
#' left_out <- d$dtm
#' left_out@x <- as.numeric(rbinom(length(left_out@x), as.integer(left_out@x), 0.2))
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_topics(d$dtm - left_out, method = method, seed = 1)
#' exp(-mean(heldout_density(fit, left_out)))
#' @export
heldout_density.fit_topics <- function(fit, actual, ndraws = NULL) {
  if (missing(actual)) stop("`actual` must be given: the tokens left out.", call. = FALSE)
  x <- check_dtm(actual, "actual")
  size <- dim(fit$model$data$x)
  if (!identical(dim(x), size)) {
    must <- sprintf("have %d documents and %d words, as the data", size[1], size[2])
    stop_argument("actual", must, was = describe_dtm(x))
  }
  which <- check_ndraws(ndraws, fit, tail_ndraws)
  density <- mean_over(which, function(draw) {
    parts <- topic_parts(fit, draw)
    at_tokens(topic_shares(parts, fit), parts, x)
  })
  rep(log(density), x@x)
}
