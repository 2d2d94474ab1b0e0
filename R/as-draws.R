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
#' * `as_draws()`, `as_draws_array()`, `as_draws_df()`, `as_draws_matrix()`, `as_draws_list()` and
#'   `as_draws_rvars()`: the draws in the formats of posterior, by default a `draws_array`.
#' * `as.array()`: a plain array, iterations x chains x variables, which bayesplot takes.
#'   `as.matrix()` and `as.data.frame()`: draws x variables, the draws of the first chain first.
#' * `coda::as.mcmc.list()`: an `mcmc.list`. `coda::as.mcmc()`: an `mcmc`; several chains are an
#'   error.
#' * `posterior_interval()`: a matrix, variables x 2, of the ends of each interval, with columns
#'   named such as `"5%"` and `"95%"`.
#' * `ndraws()`: the number of draws of all chains together; `nchains()`: the number of chains;
#'   `niterations()`: the number of draws per chain; `variables()`: the names of the variables.
#' @section Variables:
#' A fit has those of these variables that its model has:
#'
#' * `n_features`: the number of features that at least one row has; `n_ones`: the number of ones in
#'   Z.
#' * `n_common`: the number of factors that two or more columns share (rows with `sparse =
#'   "factors"`); `variance`: the mean variance of an entry under the model ([fit_factor()]).
#' * `n_layers`, `width_1`, `width_2`, ..., `n_edges_1`, ...: the number of hidden layers, their
#'   units, and their edges to the layer below, 0 if a draw does not have the layer; `alpha_0`,
#'   `alpha_1`, ...: the alphas of the edges from the visible units, layer 1, ... to their parents
#'   ([fit_cascade()], in place of `n_features` and `n_ones`).
#' * `alpha` and `concentration` of the prior; `concentration` is left out if it is fixed at 1.
#'   `gamma` and `eta` of [fit_topics()].
#' * `sigma_x`: the standard deviation of the noise, in the units of the model (scaled columns if
#'   `scale = TRUE`); the root mean square if every column has its own.
#' * `sigma_a`: the standard deviation of the loadings ([fit_gaussian()]), factors ([fit_factor()];
#'   loadings if these are not sparse) or weights ([fit_logistic()]); `sigma_w`: of the weights
#'   ([fit_mixed()]); `sigma_b`: of the biases.
#' * `log_lik`: the log density of the observed entries, in the units of the data, given the
#'   hyperparameters of the draw and the quantities in the table.
#' * `log_joint`: `log_lik` plus the log probability of the left-ordered class of Z (unless it is
#'   known) and the log densities of everything that is learned or that `log_lik` is conditional on.
#'   For [fit_topics()] this includes the topics of all tokens and the choices and weights of
#'   topics; for [fit_cascade()] the activations and parameters of all layers, whose units have no
#'   order.
#'
#' | fit | `log_lik` is conditional on |
#' |---|---|
#' | [fit_gaussian()] | Z; also the loadings if they are nonnegative or the sampler is `"parallel"` |
#' | [fit_factor()] | Z and its weights |
#' | [fit_logistic()], [fit_mixed()] | Z, the weights and the biases |
#' | [fit_choice()] | Z and the weights |
#' | [fit_topics()] | the topics of all tokens |
#' | [fit_cascade()] | the activations of layer 1 and the parameters of the visible units |
#' | [fit_nmf()] | the weights and the loadings |
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
