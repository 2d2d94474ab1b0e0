#' Inference by Gibbs sampling
#'
#' Describes how chains are run: how many, how long, which sampler. Give it to `method` of a
#' `fit_*()` function.
#'
#' @param chains (positive integer) Number of chains. Each has its own stream of random numbers and
#'   its own starting point.
#' @param iter (positive integer) Sweeps of each chain, warm-up included. One sweep visits every
#'   entry of the feature matrix once, and makes the moves of whole features and hyperparameters.
#' @param warmup (non-negative integer, less than `iter`) Sweeps at the beginning that are not kept.
#' @param thin (positive integer) Every `thin`-th sweep is kept.
#' @param cores (positive integer) Threads that run the chains. The result does not depend on it.
#' @param sampler (string or `NULL`) `NULL` is the likelihood's default. [fit_gaussian()] has
#'   `"collapsed"` (normal loadings only), `"uncollapsed"` and `"slice"` (not with [prior_pibp()]);
#'   see there. [fit_logistic()] has `"uncollapsed"` and `"neal"`, [fit_choice()] `"uncollapsed"`,
#'   [fit_topics()] `"collapsed"`, [fit_cascade()] `"slice"`, `"multiple_try"` and `"elliptical"`.
#' @param refresh (non-negative integer or `NULL`) The progress bar is redrawn after this many more
#'   sweeps; `NULL`: after a hundredth of `iter`; 0 shows none.
#' @param max_features (positive integer or `NULL`) Most features that the chains may have. The
#'   posterior is then that given that there are no more: every move to more is refused, and all
#'   else, the draws of `alpha` among it, stays as it is. These are the truncated samplers that Reed
#'   and Ghahramani (2013) compare; a sweep costs no more than that many features ask for, which
#'   with real data, that no number of features explains entirely, can be what keeps a chain within
#'   reach. What new rows have besides, in `predict()`, is not limited. `NULL`: as many as the prior
#'   has.
#' @param moves (non-negative integer or `NULL`) Only for [fit_topics()]: Metropolis moves of every
#'   document's set of topics a sweep; `NULL` is 1.
#' @return An object of class `method_gibbs`, for the `method` argument of [fit_gaussian()],
#'   [fit_logistic()], [fit_choice()], [fit_nmf()], [fit_topics()] and [fit_cascade()].
#' @references
#' Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#' maximization. *ICML*. <https://arxiv.org/abs/1304.3285>
#' @examples
#' method_gibbs(chains = 2, iter = 500)
#' method_gibbs(max_features = 10)
#' @export
method_gibbs <- function(chains = 4, iter = 2000, warmup = floor(iter / 2), thin = 1,
                         cores = getOption("mc.cores", 1L), sampler = NULL, refresh = NULL,
                         max_features = NULL, moves = NULL) {
  chains <- check_count(chains, "chains")
  iter <- check_count(iter, "iter")
  warmup <- check_count(warmup, "warmup", lower = 0)
  thin <- check_count(thin, "thin")
  if (warmup >= iter) stop_argument("warmup", sprintf("be less than `iter` (%d)", iter), warmup)
  if (iter %/% thin <= warmup %/% thin) {
    stop_argument("thin", "leave at least one sweep after the warm-up", thin)
  }
  new_method_gibbs(
    chains, iter, warmup, thin, check_count(cores, "cores"),
    if (!is.null(sampler)) check_string(sampler, "sampler"),
    if (!is.null(refresh)) check_count(refresh, "refresh", 0),
    if (!is.null(max_features)) check_count(max_features, "max_features"),
    if (!is.null(moves)) check_count(moves, "moves", 0)
  )
}

new_method_gibbs <- function(chains, iter, warmup, thin, cores, sampler, refresh, max_features,
                             moves) {
  structure(
    list(
      chains = chains, iter = iter, warmup = warmup, thin = thin, cores = cores,
      sampler = sampler, refresh = refresh, max_features = max_features, moves = moves
    ),
    class = c("method_gibbs", "buffet_method")
  )
}

#' @export
format.method_gibbs <- function(x, ...) {
  sprintf(
    "%s Gibbs: %d chain%s of %d sweeps (%d warm-up)%s%s%s",
    x$sampler %||% "default", x$chains, if (x$chains == 1) "" else "s", x$iter, x$warmup,
    if (x$thin > 1) sprintf(", thin %d", x$thin) else "",
    if (!is.null(x$max_features)) sprintf(", at most %d features", x$max_features) else "",
    if (!is.null(x$moves)) sprintf(", %d move%s", x$moves, if (x$moves == 1) "" else "s") else ""
  )
}

#' @exportS3Method
#' @noRd
samples.method_gibbs <- function(method) TRUE

#' @exportS3Method
#' @noRd
check_model.method_gibbs <- function(method, model) {
  choose_sampler(choose_moves(method, model), model)
}

choose_moves <- function(method, model) {
  default <- moves_of(model)
  if (is.null(default) && !is.null(method$moves)) {
    stop_argument("moves", "be NULL: only fit_topics() has such moves", method$moves)
  }
  method["moves"] <- list(method$moves %||% default)
  method
}

#' The sampler that a model will use, by name
#' @noRd
choose_sampler <- function(method, model) {
  samplers <- samplers_of(model)
  sampler <- method$sampler %||% samplers[1]
  if (!sampler %in% samplers) {
    known <- paste(encodeString(samplers, quote = "\""), collapse = ", ")
    must <- if (length(samplers) == 1) paste("be", known) else paste("be one of", known)
    stop_argument("sampler", paste(must, "for this likelihood and prior"), sampler)
  }
  method$sampler <- sampler
  method
}

#' @exportS3Method
#' @noRd
fit_by.method_gibbs <- function(method, model, starts, control) {
  run <- new_run(method, model, starts, control)
  new_fit_mcmc(run_to_end(run, run_sweeps, control$file, control$verbose), run)
}
