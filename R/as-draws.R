#' Draws of the scalars of a fit
#'
#' The kept draws of the scalar quantities of a fit by sampling, in the formats of posterior, coda
#' and base R. These quantities do not depend on how the features are labelled, so their means,
#' quantiles and Rhat have a meaning.
#'
#' @param x,object A fit by sampling, that is, with [method_gibbs()]. A fit by optimisation is an
#'   error.
#' @param ... Ignored. For `posterior_interval()` it must be empty.
#' @return
#' * `as_draws()` and `as_draws_array()` return a `draws_array` of posterior, iterations x chains x
#'   variables. `as_draws_df()`, `as_draws_matrix()`, `as_draws_list()` and `as_draws_rvars()`
#'   return the same draws in the other formats of posterior.
#' * `as.array()` returns a plain array, iterations x chains x variables, which bayesplot takes.
#' * `as.matrix()` returns a numeric matrix, draws x variables, with the variables as column names.
#'   The draws of the first chain come first. `as.data.frame()` returns the same as a data frame.
#' * `coda::as.mcmc.list()` returns an `mcmc.list` with one `mcmc` per chain. `coda::as.mcmc()`
#'   returns an `mcmc`; a fit with several chains is an error.
#' * `posterior_interval()` returns a numeric matrix, variables x 2: the lower and the upper end of
#'   each interval. Its columns are named by their probabilities, such as `"5%"` and `"95%"`.
#' * `ndraws()` is the number of draws of all chains together, `nchains()` the number of chains, and
#'   `niterations()` the number of draws per chain. `variables()` returns the names of the
#'   variables.
#' @section Variables:
#' A fit has those of the following variables that its model has. The matrix Z says which rows have
#' which features.
#'
#' * `n_features`: the number of features that at least one row has; `n_ones`: the number of ones in
#'   Z. A fit by [fit_nmf()] has neither.
#' * `n_layers`, only for [fit_cascade()], which has these variables in place of the two above: the
#'   number of hidden layers; `width_1`, `width_2`, ...: the number of units in each hidden layer;
#'   `n_edges_1`, `n_edges_2`, ...: the number of edges between that layer and the layer below. Both
#'   are 0 in a draw that does not have the layer. `alpha_0`, `alpha_1`, ...: the alphas of the
#'   edges from layer 0 (the visible units), layer 1, ... to their parents.
#' * `n_common` and `variance`, only for [fit_factor()]: the number of factors that two or more
#'   columns share (two or more rows with `sparse = "factors"`), and the mean variance of an entry
#'   under the model.
#' * `alpha` and `concentration`: the hyperparameters of the prior of Z, if it has them.
#'   `concentration` is left out if it is fixed at 1.
#' * `gamma` and `eta`, only for [fit_topics()].
#' * `sigma_x`: the standard deviation of the noise, for [fit_gaussian()], [fit_factor()] and
#'   [fit_nmf()]. If every column has its own, `sigma_x` is their root mean square. With `scale =
#'   TRUE` it is that of the scaled columns.
#' * `sigma_a`: the standard deviation of the loadings of [fit_gaussian()], of the factors of
#'   [fit_factor()] (of the loadings with `sparse = "factors"`) and of the weights of
#'   [fit_logistic()]; `sigma_w`: that of the weights of [fit_mixed()]; `sigma_b`: that of the
#'   biases of [fit_logistic()] and [fit_mixed()].
#' * `log_lik`: the log density of the observed entries, in the units of the data. What it is
#'   conditional on depends on the model; see below.
#' * `log_joint`: `log_lik` plus the log probability of the left-ordered class of Z and the log
#'   densities of everything that is learned. If `log_lik` is conditional on loadings, weights or
#'   biases, their log densities are included. If Z is known, its probability is not. For
#'   [fit_topics()] the sum includes the topics of all tokens, the choices of topics and the weights
#'   of topics; with `lengths = "given"` it also includes topics without a token. For
#'   [fit_cascade()] it includes the activations, weights, biases and precisions of all layers, and
#'   the units of a layer count as a set without an order.
#'
#' The density `log_lik` is conditional on the hyperparameters of the draw and on these quantities:
#'
#' * [fit_gaussian()]: Z. The loadings are integrated out if they are normal. If they are
#'   nonnegative or the sampler is `"parallel"`, `log_lik` is conditional on the loadings, too.
#' * [fit_factor()]: Z and its weights. The factors are integrated out (with `sparse = "factors"`
#'   the loadings).
#' * [fit_logistic()] and [fit_mixed()]: Z, the weights and the biases.
#' * [fit_choice()]: Z and the weights. `log_lik` is the log probability of the counts.
#' * [fit_topics()]: the topics of all tokens. The words of the topics are integrated out, and
#'   `log_lik` is the log probability of the words.
#' * [fit_cascade()]: the activations of layer 1 and the parameters of the visible units.
#' * [fit_nmf()]: the weights and the loadings.
#' @examples
#' set.seed(1)
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 2, iter = 600), seed = 1)
#' as_draws(fit)
#' # the posterior means; the images are sums of 4 features with noise of standard deviation 0.5
#' colMeans(as.matrix(fit))
#' # each of the two chains keeps the second half of its 600 sweeps
#' c(draws = ndraws(fit), chains = nchains(fit), per_chain = niterations(fit))
#' posterior_interval(fit, prob = 0.9)
#' @importFrom posterior as_draws
#' @export
as_draws.fit_mcmc <- function(x, ...) {
  check_format(x)
  posterior::as_draws_array(x$internal$scalars[, , scalar_names(x), drop = FALSE])
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
#' @export
as.array.fit_mcmc <- function(x, ...) {
  draws <- as_draws(x)
  names <- list(iteration = NULL, chain = NULL, variable = posterior::variables(draws))
  array(draws, dim(draws), names)
}

#' @rdname as_draws.fit_mcmc
#' @param row.names,optional Ignored; they are arguments of the generic.
#' @export
as.data.frame.fit_mcmc <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  as.data.frame(as.matrix(x))
}

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior ndraws
#' @export
ndraws.fit_mcmc <- function(x) length(x$feature_draws)

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior nchains
#' @export
nchains.fit_mcmc <- function(x) dim(x$internal$scalars)[2]

#' @rdname as_draws.fit_mcmc
#' @importFrom posterior niterations
#' @export
niterations.fit_mcmc <- function(x) dim(x$internal$scalars)[1]

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
#' @param prob (number in (0, 1)) Probability of the central posterior intervals, 0.9 by default.
#' @importFrom rstantools posterior_interval
#' @export
posterior_interval.fit_mcmc <- function(object, prob = 0.9, ...) {
  check_no_more(...)
  prob <- check_number(prob, "prob", 0, 1, "()")
  posterior_interval(as.matrix(object), prob = prob)
}
