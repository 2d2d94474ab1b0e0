#' Fit a cascading Indian buffet process belief network
#'
#' Fits the sparse belief network of unbounded width and depth of Adams, Wallach and Ghahramani
#' (2010). The columns of the data are the visible units of the network. Each visible unit has
#' parents among the units of a hidden layer above it, these have parents in the next layer, and so
#' on. The prior on the network is a cascading Indian buffet process, [prior_cascade()]: the number
#' of layers, their widths and all edges are learned.
#'
#' @details
#' Layer 0 is the visible layer. A unit has a pre-activation x and the activation \eqn{u = \tanh(x /
#' 2)}. The pre-activation of unit k of layer m in row n is
#' \deqn{x^{(m)}_{nk} \sim N\Big(g^{(m)}_k + \sum_j z^{(m)}_{kj} w^{(m)}_{kj} u^{(m+1)}_{nj},\;
#' 1 / \nu^{(m)}_k\Big),}
#' where \eqn{z^{(m)}} is a binary matrix with a row per unit of layer m and a column per unit of
#' layer m + 1. The data are the visible activations, scaled from `range` to (-0.98, 0.98).
#'
#' Every layer has its own priors of the weights w, the biases g and the precisions: w ~ N(mu,
#' 1/rho) with rho ~ Gamma(1, 1) and mu ~ N(0, 1/rho), the same for g, and precisions ~ Gamma(2, b)
#' with b ~ Gamma(1, 0.1). No precision exceeds 1e6, because the precision of a constant column
#' would grow without limit; the standard deviation of the noise is therefore at least about 5e-4 of
#' the range. The paper does not specify these priors. It has a uniform prior for `alpha`, which has
#' no closed conditional; gamma priors have one.
#'
#' ## Sampler
#' A sweep of [method_gibbs()] goes up the layers. In each layer it has four steps:
#'
#' * Births and deaths: units propose to gain or lose parents that no other unit has. A new parent
#'   is drawn from the prior with all of its ancestors. In the visible layer 20 units per sweep make
#'   a proposal, or a tenth of the units if that is more.
#' * Edges: every unit draws its edges one at a time, with the weights integrated out.
#' * Parameters: every unit draws its bias and weights jointly, then its precision.
#' * Activations: the activations of the layer above are drawn given their parents and children, by
#'   the `sampler` of the method:
#'   * `"slice"`: univariate slice sampling, at a cost that does not depend on the number of
#'     children;
#'   * `"multiple_try"`: Metropolis with five proposals from the parents, as in the paper;
#'   * `"elliptical"`: elliptical slice sampling.
#'
#' The acceptance probability of births and deaths that the paper prints lacks some factors of the
#' prior. Here they are included, so that the chain leaves the posterior invariant.
#'
#' The number of units changes slowly, because a unit that is drawn from the prior is seldom a good
#' one. Look at `plot(fit, "trace")`, and do not take the number of units for an estimate. A chain
#' that starts without hidden units takes very long.
#'
#' ## Memory
#' A kept draw has the whole network and the activations of all rows in single precision: 4 bytes
#' per activation and about 5 bytes per edge. That is why `thin` is 10 by default.
#'
#' @param x (numeric matrix or data frame, N x D) The data. Rows are independent given the network.
#'   `NA` is a missing entry; missing entries are drawn with everything else. Names of rows are
#'   unique or missing.
#' @param range (two increasing numbers or `NULL`) Smallest and largest value that the data can
#'   have. `NULL`, the default, takes the smallest and the largest entry of `x`. Entries outside the
#'   range are an error.
#' @param prior ([prior_cascade()]) The prior with all of its hyperparameters, and with limits on
#'   the width and depth of the chains.
#' @param method [method_gibbs()], by default with 500 sweeps of which every 10th is kept. Its
#'   `sampler` is `"slice"` (default), `"multiple_try"` or `"elliptical"`. Its `max_features` limits
#'   the width of layer 1.
#' @param init Where chains start:
#'   * `NULL`, the default: layer 1 has a unit for every principal component of the data that stands
#'     out from the noise, after a rotation that lets each affect few columns. Layer 2 is made in
#'     the same way from the scores of layer 1, and so on.
#'   * [init_cascade()]: a random network.
#'   * An earlier fit to data of the same size: chain 1 starts from the last draw of its chain 1,
#'     and so on, cycling if there are more chains.
#' @param seed,verbose,file As in [fit_gaussian()].
#' @param ... Must be empty, apart from `alpha`, `alpha_deep` and `concentration`, which were
#'   arguments of `fit_cascade()` before 0.8.0 and are now those of [prior_cascade()]: given instead
#'   of `prior`, they still work, with a message.
#' @return An object of class `c("fit_cascade", "fit_mcmc", "buffet_fit")`. It is read by the
#'   functions that [buffet_fit] lists and by [network()]. Its features are the edges from the
#'   visible units to the units of layer 1, so [features()] is D x K. The point estimate is the draw
#'   with the highest log joint density of those that have the most probable number of hidden
#'   layers.
#' @references Adams, R. P., Wallach, H. M. and Ghahramani, Z. (2010). Learning the structure of
#'   deep sparse graphical models. *AISTATS*, 1-8. <https://arxiv.org/abs/1001.0160>
#' @seealso [rcascade()] draws networks, [predict.fit_cascade()], [plot.fit_cascade()]
#' @examples
#' x <- block_images(40)
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_cascade(x, method = method, init = init_cascade(c(6, 2)), seed = 1)
#' fit
#' network(fit)
#' # how the units of layer 1 affect the pixels
#' plot(fit, "loadings", dim = c(6, 6))
#' @export
fit_cascade <- function(x, range = NULL, prior = prior_cascade(),
                        method = method_gibbs(iter = 500, thin = 10), init = NULL, seed = NULL,
                        verbose = TRUE, file = NULL, ...) {
  check_given(x, "x")
  arguments <- mget(setdiff(names(formals()), "..."))
  x <- check_data_matrix(x)
  prior <- with_parts(check_cascade_prior(prior), !missing(prior), ...)
  arguments$prior <- prior
  traits <- new_traits(x, c("slice", "multiple_try", "elliptical"),
    side = "visible unit", rows = list(n = ncol(x), names = colnames(x))
  )
  model <- new_model("cascade", list(x = x), traits,
    range = check_range(range, x), prior = prior,
    loading_width = 0
  )
  fit_model(model, arguments, match.call())
}

check_cascade_prior <- function(prior) {
  if (!inherits(prior, "prior_cascade")) stop_argument("prior", "be a prior_cascade()", prior)
  prior
}

# The default prior with hyperparameters that were given in its place
with_parts <- function(prior, is_given, ...) {
  if (...length() == 0) return(prior)
  parts <- list(...)
  known <- names(prior_hyperparameters(prior))
  unknown <- !(names(parts) %||% rep("", length(parts))) %in% known
  do.call(check_no_others, c("fit_cascade", parts[unknown]), quote = TRUE)
  if (is_given) {
    stop_argument("prior", sprintf("be left out if `%s` is given", names(parts)[1]), prior)
  }
  text <- "`%1$s` belongs to the prior: write `prior = prior_cascade(%1$s = )`."
  message(sprintf(text, names(parts)[1]))
  fields <- unclass(prior)
  fields[names(parts)] <- parts
  do.call(prior_cascade, fields, quote = TRUE)
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

# Neither what is scaled nor the scale may leave doubles
check_extent <- function(range) {
  if (max(abs(range)) > 1e100 || range[2] - range[1] < 1e-100) {
    must <- "have ends of at most 1e100 in size that are at least 1e-100 apart"
    stop_argument("range", must, was = sprintf("%g to %g", range[1], range[2]))
  }
  range
}

#' @exportS3Method
sweep_chains.cascade_model <- function(model, method, plan, watch) {
  x <- model$data$x
  range <- model$range
  data <- list(
    x = unname(preactivations(x, range)), log_slopes = sum(log_slope(x[!is.na(x)], range))
  )
  cascade_cpp(data, cascade_spec(model, method), plan, watch)
}

# The model as the core reads it
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
further_priors.fit_cascade <- function(fit) {
  prior <- fit$internal$model$prior
  normal <- "N(mu, 1/rho), rho ~ Gamma(shape = 1, rate = 1), mu ~ N(0, 1/rho), of each layer"
  noise <- paste(
    "Gamma(shape = 2, rate = b) on 1/sigma^2 of each unit, at most 1e6,",
    "b ~ Gamma(shape = 1, rate = 0.1) of each layer"
  )
  limits <- unlist(unclass(prior)[c("max_layers", "max_units")])
  rbind(
    prior_row(c("weights", "biases", "sigma"), c(normal, normal, noise)),
    prior_row(names(limits), format(limits, trim = TRUE), FALSE),
    prior_row("range", describe_hyper(fit$internal$model$range), FALSE)
  )
}
