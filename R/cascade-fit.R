#' Fit a cascading Indian buffet process belief network
#'
#' The infinitely wide and deep sparse belief network of Adams, Wallach and Ghahramani (2010).
#' Columns of the data are the visible units of a network; each has some of the units of a hidden
#' layer above for parents, these have parents in a layer above them, and so on. Which units there
#' are, and which is whose parent, has a cascading Indian buffet process for a prior,
#' [prior_cascade()]: the number of layers, their widths and all edges are learned.
#'
#' @details
#' Layer 0 is the visible one. In pre-activations x, whose activations are
#' \eqn{u = \tanh(x / 2)}, unit k of layer m has in row n
#' \deqn{x^{(m)}_{nk} \sim N\Big(g^{(m)}_k + \sum_j z^{(m)}_{kj} w^{(m)}_{kj} u^{(m+1)}_{nj},\;
#' 1 / \nu^{(m)}_k\Big),}
#' with \eqn{z^{(m)}} a row per unit of layer m and a column per unit of layer m + 1. Data in
#' `range` are the visible activations, scaled to (-0.98, 0.98). Weights w, biases g and precisions
#' are of each layer's own laws: w ~ N(mu, 1/rho), rho ~ Gamma(1, 1), mu ~ N(0, 1/rho), and g
#' likewise; the precisions ~ Gamma(2, b), b ~ Gamma(1, 0.1), none above 1e6 (of constant columns
#' they would grow without limit: noise is at least about 5e-4 of the range). The paper leaves these open, and has
#' for `alpha` a uniform law, whose conditionals are not closed; gamma laws are.
#'
#' ## Sampler
#' A sweep goes up the layers. In each, units propose births and deaths of parents that they alone
#' have, new ones drawn from the prior with all of their ancestors (of the visible layer 20 units a
#' sweep do, or a tenth of them where that is more); then every unit draws its edges with the
#' weights integrated out, one at a time, its bias and weights jointly, and its precision; then the
#' activations of the layer above are drawn, given parents and children, by the method's `sampler`:
#' * `"slice"`: univariate slice sampling, whose cost does not depend on the number of children;
#' * `"multiple_try"`: Metropolis with five proposals from the parents, as in the paper;
#' * `"elliptical"`: elliptical slice sampling.
#'
#' The acceptance of births and deaths that is printed in the paper lacks factors; with those that
#' the prior asks for, the chain leaves the posterior as it is. The number of units moves slowly,
#' because a unit drawn from the prior is seldom a good one: look at `plot(fit, "trace")`, and do
#' not take it for an estimate. Starting without a unit takes very long.
#'
#' ## Memory
#' A kept draw has the whole network and the activations of all rows, in single precision: 4 bytes
#' for each, and about 5 for an edge. That is why `thin` is 10 here.
#'
#' @param x (numeric matrix or data frame, N x D) Data, rows independent given the network. `NA`:
#'   missing, drawn with all else.
#' @param range (two increasing numbers) What the data can be; `NULL`: from the least to the largest
#'   entry. Entries outside of it are an error.
#' @param prior [prior_cascade()], whose limits are those of the chains, which are never wider or
#'   deeper.
#' @param method [method_gibbs()], its `sampler` `"slice"` (default), `"multiple_try"` or
#'   `"elliptical"`.
#'   `max_features` limits the width of layer 1.
#' @param init Where to start. `NULL`: layer 1 has a unit for every principal component of the data
#'   that stands out of noise, after a rotation to few columns each; layer 2 has those of their
#'   scores, and so on. Or a random network by [init_cascade()]; or an earlier fit to data of the
#'   same size, whose last draws the chains go on from, in turn.
#' @param seed,verbose,file As in [fit_gaussian()].
#' @param ... Must be empty, but for `alpha`, `alpha_deep` and `concentration`, which were arguments
#'   of `fit_cascade()` before 0.8.0 and are those of [prior_cascade()]: in the place of `prior`,
#'   with a message.
#' @return An object of class `c("fit_cascade", "fit_mcmc", "buffet_fit")`. Besides what
#'   [buffet_fit] lists it answers [network()]. Its features are the edges from the visible units,
#'   the columns of the data, to those of layer 1: [features()] is D x K. The point estimate is the
#'   draw of highest log joint density of those that have the most probable number of layers.
#' @references
#' Adams, R. P., Wallach, H. M. and Ghahramani, Z. (2010). Learning the structure of deep sparse
#' graphical models. *AISTATS*, 1-8. <https://arxiv.org/abs/1001.0160>
#' @seealso [rcascade()] draws networks, [predict.fit_cascade()], [plot.fit_cascade()]
#' @examples
#' x <- block_images(40)
#' method <- method_gibbs(chains = 2, iter = 200, thin = 10)
#' fit <- fit_cascade(x, method = method, init = init_cascade(c(6, 2)), seed = 1)
#' fit
#' network(fit)
#' plot(fit, "loadings", dim = c(6, 6))
#' @export
fit_cascade <- function(x, range = NULL, prior = prior_cascade(),
                        method = method_gibbs(iter = 500, thin = 10), init = NULL, seed = NULL,
                        verbose = TRUE, file = NULL, ...) {
  x <- check_data_matrix(x)
  prior <- with_parts(check_cascade_prior(prior), !missing(prior), ...)
  model <- new_model("cascade", list(x = x),
    range = check_range(range, x), prior = prior, loading_width = 0
  )
  fit_model(model, method, init, seed, verbose, file)
}

#' @exportS3Method
#' @noRd
samplers_of.cascade_model <- function(model) c("slice", "multiple_try", "elliptical")

#' The rows of Z are the visible units
#' @exportS3Method
#' @noRd
feature_rows.cascade_model <- function(model) {
  x <- model$data$x
  list(n = ncol(x), names = colnames(x))
}

check_cascade_prior <- function(prior) {
  if (!inherits(prior, "prior_cascade")) stop_argument("prior", "be a prior_cascade()", prior)
  prior
}

#' The default prior with hyperparameters that were given in its place
#' @noRd
with_parts <- function(prior, is_given, ...) {
  if (...length() == 0) return(prior)
  parts <- list(...)
  known <- names(prior_hyperparameters(prior))
  unknown <- setdiff(names(parts) %||% "", known)
  if (length(unknown) > 0) {
    shown <- if (nzchar(unknown[1])) sprintf("`%s`", unknown[1]) else "A further argument"
    stop(shown, " must be left out: fit_cascade() has no such argument.", call. = FALSE)
  }
  if (is_given) {
    stop_argument("prior", sprintf("be left out where `%s` is given", names(parts)[1]), prior)
  }
  message(sprintf("A part of the prior: write `prior = prior_cascade(%s = )`.", names(parts)[1]))
  fields <- unclass(prior)
  fields[names(parts)] <- parts
  do.call(prior_cascade, fields)
}

check_range <- function(range, x) {
  entries <- if (all(is.na(x))) c(0, 0) else base::range(x, na.rm = TRUE)
  if (is.null(range)) {
    if (entries[1] == entries[2]) {
      must <- "be given, as the data have no two different entries"
      stop_argument("range", must, was = "NULL")
    }
    return(check_extent(entries))
  }
  two <- is.numeric(range) && length(range) == 2 && all(is.finite(range))
  if (!two || range[1] >= range[2]) {
    stop_argument("range", "be two finite increasing numbers", range)
  }
  if (any(x < range[1] | x > range[2], na.rm = TRUE)) {
    must <- sprintf("have entries within `range` (%g to %g)", range[1], range[2])
    stop_argument("x", must, was = sprintf("one from %g to %g", entries[1], entries[2]))
  }
  check_extent(as.double(range))
}

#' Neither what is scaled nor the scale may leave doubles
#' @noRd
check_extent <- function(range) {
  if (max(abs(range)) > 1e100 || range[2] - range[1] < 1e-100) {
    must <- "have ends of at most 1e100 in size that are at least 1e-100 apart"
    stop_argument("range", must, was = sprintf("%g to %g", range[1], range[2]))
  }
  range
}

#' @exportS3Method
#' @noRd
sweep_chains.cascade_model <- function(model, method, plan, watch) {
  x <- model$data$x
  range <- model$range
  data <- list(
    x = unname(preactivations(x, range)), log_slopes = sum(log_slope(x[!is.na(x)], range))
  )
  cascade_cpp(data, cascade_spec(model, method), plan, watch)
}

#' The model as the core reads it
#' @noRd
cascade_spec <- function(model, method) {
  prior <- model$prior
  list(
    alpha = hyper_spec(prior$alpha), alpha_deep = hyper_spec(prior$alpha_deep),
    concentration = hyper_spec(prior$concentration), max_layers = prior$max_layers,
    max_units = prior$max_units, max_features = method$max_features %||% .Machine$integer.max,
    births = as.integer(max(20, ncol(model$data$x) %/% 10)), sampler = method$sampler
  )
}

#' @exportS3Method
#' @noRd
likelihood_parameters.fit_cascade <- function(fit) NULL

#' The draw of highest log joint density of those that have as many layers as most have
#' @exportS3Method
#' @noRd
point_draw.fit_cascade <- function(fit) {
  usual <- usual_draws(fit, trusted_draws(fit))
  usual[which.max(scalar(fit, "log_joint")[usual])]
}

#' @exportS3Method
#' @noRd
model_sizes.fit_cascade <- function(fit) list(scalar(fit, "n_layers"))
