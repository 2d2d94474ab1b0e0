#' Draws of a fit's scalars
#'
#' The kept draws of the quantities that relabelling the features leaves alone, for the tools of
#' posterior, bayesplot and coda.
#'
#' @param x,object A fit by sampling.
#' @param ... Ignored.
#' @return `as_draws()` and its kin give a draws object of posterior; `as.matrix()` a plain matrix
#'   of draws x variables, `as.data.frame()` a plain data frame of the same, the draws of the first
#'   chain first; `coda::as.mcmc.list()` an `mcmc.list`, `coda::as.mcmc()`, of one chain only, an
#'   `mcmc`; `posterior_interval()` a matrix, a row a variable, of the ends of its interval.
#'   `ndraws()`, `nchains()`, `niterations()` (draws of each chain) and `variables()` say
#'   what there is. The variables are, those of them that the model has,
#'   * `n_features`: features held by some row; `n_ones`: ones in Z;
#'   * of [fit_cascade()] in their place `n_layers`, hidden layers; `width_1`, `width_2`, ..., their
#'     units, and `n_edges_1`, ..., edges to them from the layer below, both 0 where a draw has no such
#'     layer; `alpha_0`, `alpha_1`, ..., the alphas of these edges;
#'   * `alpha`; `concentration`, unless it is fixed at 1; `gamma` and `eta` of [fit_topics()];
#'   * `sigma_x`, of [fit_gaussian()] (with `noise = "column"` the root mean square of those of the
#'     columns) and [fit_nmf()]; `sigma_a`, of that and of [fit_logistic()]; `sigma_b`, the standard
#'     deviation of the biases of [fit_logistic()];
#'   * `log_lik`: log density of the observed entries given Z, with normal loadings integrated out,
#'     or, where these are nonnegative or the sampler is `"parallel"`, given Z and loadings; of
#'     [fit_logistic()] log probability of the observed entries given Z, weights and biases; of
#'     [fit_choice()] log probability of the counts given Z
#'     and the weights; of [fit_topics()] log probability of the words given the topics of all tokens,
#'     the words of topics integrated out; of [fit_nmf()] log density given weights, loadings and
#'     `sigma_x`; of [fit_cascade()] log density of the observed data given the activations of layer
#'     1; of [fit_mixed()] log density of the observed entries, in the units of the data, given Z,
#'     weights and biases;
#'   * `log_joint`: that plus the log probability of the left-ordered class of Z (none where Z is
#'     known) and the log densities of what is learned, weights, biases and those loadings included
#'     that `log_lik` is given; of [fit_topics()] also those of the topics of tokens, choices and
#'     weights, topics without a token included where lengths are given; of [fit_cascade()] those of
#'     activations, weights, biases and precisions of all layers, its structure taken as sets of
#'     units.
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 2, iter = 200), seed = 1)
#' as_draws(fit)
#' colMeans(as.matrix(fit))
#' ndraws(fit)
#' @importFrom posterior as_draws
#' @export
#' @srrstats {BS6.5} In part: no picture of its own; bayesplot::mcmc_combo() of the draws has both.
as_draws.fit_mcmc <- function(x, ...) {
  posterior::as_draws_array(x$scalars[, , scalar_names(x), drop = FALSE])
}

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior as_draws_array
#' @export
as_draws_array.fit_mcmc <- function(x, ...) as_draws(x)

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior as_draws_df
#' @export
as_draws_df.fit_mcmc <- function(x, ...) posterior::as_draws_df(as_draws(x))

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior as_draws_matrix
#' @export
as_draws_matrix.fit_mcmc <- function(x, ...) posterior::as_draws_matrix(as_draws(x))

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior as_draws_list
#' @export
as_draws_list.fit_mcmc <- function(x, ...) posterior::as_draws_list(as_draws(x))

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior as_draws_rvars
#' @export
as_draws_rvars.fit_mcmc <- function(x, ...) posterior::as_draws_rvars(as_draws(x))

#' @rdname as_draws.fit_mcmc
#' @export
as.matrix.fit_mcmc <- function(x, ...) {
  draws <- as_draws(x)
  matrix(draws, ncol = dim(draws)[3], dimnames = list(NULL, posterior::variables(draws)))
}

#' @rdname as_draws.fit_mcmc
#' @param row.names,optional Ignored.
#' @export
as.data.frame.fit_mcmc <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  as.data.frame(as.matrix(x))
}

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior ndraws
#' @export
ndraws.fit_mcmc <- function(x) length(x$draws)

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior nchains
#' @export
nchains.fit_mcmc <- function(x) dim(x$scalars)[2]

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior niterations
#' @export
niterations.fit_mcmc <- function(x) dim(x$scalars)[1]

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior variables
#' @export
variables.fit_mcmc <- function(x, ...) scalar_names(x)

#' @rdname as_draws.fit_mcmc
#' @exportS3Method coda::as.mcmc.list
as.mcmc.list.fit_mcmc <- function(x, ...) { # nolint: object_name_linter.
  draws <- as_draws(x)
  from <- x$method$thin * (x$method$warmup %/% x$method$thin + 1)
  one_chain <- function(chain) {
    names <- list(NULL, posterior::variables(draws))
    values <- matrix(draws[, chain, ], nrow(draws), dimnames = names)
    coda::mcmc(values, start = from, thin = x$method$thin)
  }
  coda::mcmc.list(lapply(seq_len(posterior::nchains(draws)), one_chain))
}

#' @rdname as_draws.fit_mcmc
#' @exportS3Method coda::as.mcmc
as.mcmc.fit_mcmc <- function(x, ...) { # nolint: object_name_linter.
  chains <- nchains.fit_mcmc(x)
  if (chains > 1) {
    must <- "be a fit of one chain for as.mcmc(); coda::as.mcmc.list() takes several"
    stop_argument("x", must, was = sprintf("one of %d", chains))
  }
  as.mcmc.list.fit_mcmc(x)[[1]]
}

#' @rdname as_draws.fit_mcmc
#' @param prob (number in (0, 1)) Probability of the central posterior intervals.
#' @importFrom rstantools posterior_interval
#' @export
posterior_interval.fit_mcmc <- function(object, prob = 0.9, ...) {
  check_no_more(...)
  prob <- check_number(prob, "prob", 0, 1, "()")
  posterior_interval(as.matrix(object), prob = prob)
}
