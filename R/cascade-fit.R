#' Fit a cascading Indian buffet process belief network
#'
#' @description
#' The columns of the data are the visible units of a sparse belief network of unbounded width and
#' depth (Adams, Wallach and Ghahramani 2010). Each unit has parents among the units of the layer
#' above it. The pre-activation of unit k of layer m in row n is
#' \deqn{x^{(m)}_{nk} \sim N\Big(g^{(m)}_k + \sum_j z^{(m)}_{kj} w^{(m)}_{kj} u^{(m+1)}_{nj},\;
#' 1 / \nu^{(m)}_k\Big), \quad u = \tanh(x / 2),}
#' where the binary matrix \eqn{z^{(m)}} has a row per unit of layer m and a column per unit of
#' layer m + 1. The number of layers, their widths and all edges are learned. The default fit of
#' `volcano`, 87 x 61, takes about 2 s on one core.
#'
#' @details
#' ## Is it for my data?
#' Use it for images or profiles with features of features, to inspect the network or to simulate
#' new rows. If one layer of features is enough, [fit_gaussian()] and [fit_factor()] mix better. The
#' number of units changes slowly, because a unit drawn from the prior rarely fits the data: look at
#' `plot(fit, "trace")`, and do not use the number of units as an estimate.
#'
#' The data are the visible activations, scaled from `range` to (-0.98, 0.98). Rows are independent
#' given the network.
#'
#' @section Priors:
#' The prior on the network is a cascading Indian buffet process; see [prior_cascade()]. Every layer
#' has its own priors for the weights w, the biases g and the precisions: w ~ N(mu, 1/rho) with rho
#' ~ Gamma(1, 1) and mu ~ N(0, 1/rho), the same for g, and precisions ~ Gamma(2, b) with b ~
#' Gamma(1, 0.1). No precision exceeds 1e6, so the standard deviation of the noise is at least 1e-3
#' before tanh(x / 2), which is 2.6e-4 of the range in its middle and less near its ends. The paper
#' has priors of this form, but does not state their numbers. It uses a uniform prior for `alpha`;
#' here the prior of `alpha` is a gamma distribution, which is conjugate.
#'
#' @param x (numeric matrix or data frame, N x D) The data, one observation per row; `NA` is a
#'   [missing entry][missing_values]. Row names must be unique or missing.
#' @param range (two increasing numbers or `NULL`) Smallest and largest value that the data can
#'   have. `NULL`, the default, takes the smallest and the largest entry of `x`.
#' @param prior ([prior_cascade()]) The prior, including limits on the size of the network.
#' @param method [method_gibbs()], by default with 500 sweeps, of which every 10th is saved, to
#'   limit memory use. Its `max_features` limits the width of layer 1. See [samplers].
#' @param init Where chains start: `NULL`, the default; [init_cascade()], a random network; or an
#'   earlier fit to data of the same size. See [init].
#' @inheritParams fit_gaussian
#' @param ... Must be empty. `alpha`, `alpha_deep` and `concentration`, which are now arguments of
#'   [prior_cascade()], still work in place of `prior`, with a message.
#' @return A fit of class `fit_cascade` and `fit_mcmc`; see [buffet_fit] and [network()]. Its
#'   features are the edges from the visible units to layer 1, so [features()] is D x K.
#' @references Adams, R. P., Wallach, H. M. and Ghahramani, Z. (2010). Learning the structure of
#'   deep sparse graphical models. *AISTATS*, 1-8. <https://arxiv.org/abs/1001.0160>
#' @seealso [rcascade()], which draws networks, [predict.fit_cascade()], [plot.fit_cascade()],
#'   `vignette("networks")`
#' @examples
#' # the profiles of a volcano, from a small network
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_cascade(volcano, method = method, init = init_cascade(c(6, 2)), seed = 1)
#' fit
#' network(fit)
#' # how the units of layer 1 affect the 61 points of a profile
#' plot(fit, "loadings")
#' @export
fit_cascade <- function(x, range = NULL, prior = prior_cascade(),
                        method = method_gibbs(iter = 500, thin = 10), init = NULL, seed = NULL,
                        verbose = TRUE, file = NULL, ...) {
  arguments <- fit_arguments("fit_cascade")
  x <- check_data_matrix(x)
  if (!inherits(prior, "prior_cascade")) stop_argument("prior", "be a prior_cascade()", prior)
  prior <- with_parts(prior, !missing(prior), ...)
  arguments$prior <- prior
  traits <- new_traits(x, c("slice", "multiple_try", "elliptical"),
    side = "visible unit", rows = list(n = ncol(x), names = colnames(x))
  )
  model <- new_model("cascade", list(x = x), traits,
    range = check_range(range, x), prior = prior, loading_width = 0
  )
  fit_model(model, arguments, match.call())
}

with_parts <- function(prior, is_given, ...) {
  if (...length() == 0) return(prior)
  parts <- list(...)
  known <- names(prior_hyperparameters(prior))
  unknown <- !(names(parts) %||% rep("", length(parts))) %in% known
  if (any(unknown)) do.call(check_no_others, c("fit_cascade", parts[unknown]), quote = TRUE)
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
      stop_argument("range", "be given, because all entries of the data are equal", was = "NULL")
    }
    range <- entries
  }
  two <- is.numeric(range) && length(range) == 2 && all(is.finite(range))
  if (!two || range[1] >= range[2]) {
    stop_argument("range", "be two finite increasing numbers", range)
  }
  if (any(x < range[1] | x > range[2], na.rm = TRUE)) {
    must <- sprintf("have entries within `range` (%g to %g)", range[1], range[2])
    stop_argument("x", must, was = sprintf("one from %g to %g", entries[1], entries[2]))
  }
  # Neither the scaled data nor the scale may overflow.
  if (max(abs(range)) > 1e100 || range[2] - range[1] < 1e-100) {
    must <- "have ends of at most 1e100 in size that are at least 1e-100 apart"
    stop_argument("range", must, was = sprintf("%g to %g", range[1], range[2]))
  }
  as.double(range)
}

#' @exportS3Method
sweep_chains.cascade_model <- function(model, method, plan, watch) {
  x <- model$data$x
  range <- model$range
  data <- list(
    x = unname(preactivations(x, range)), log_slopes = sum(log_slope(x[!is.na(x)], range))
  )
  prior <- model$prior
  spec <- list(
    alpha = hyper_spec(prior$alpha), alpha_deep = hyper_spec(prior$alpha_deep),
    concentration = hyper_spec(prior$concentration), max_layers = prior$max_layers,
    max_units = prior$max_units, max_features = method$max_features %||% .Machine$integer.max,
    births = as.integer(max(20, ncol(x) %/% 10)), sampler = method$sampler
  )
  cascade_cpp(data, spec, plan, watch)
}

#' @exportS3Method
further_priors.fit_cascade <- function(fit) {
  prior <- fit$internal$model$prior
  normal <- "N(mu, 1/rho), rho ~ Gamma(shape = 1, rate = 1), mu ~ N(0, 1/rho) in each layer"
  noise <- paste(
    "Gamma(shape = 2, rate = b) on 1/sigma^2 of each unit, at most 1e6,",
    "b ~ Gamma(shape = 1, rate = 0.1) in each layer"
  )
  limits <- unlist(unclass(prior)[c("max_layers", "max_units")])
  rbind(
    prior_row(c("weights", "biases", "sigma"), c(normal, normal, noise)),
    prior_row(names(limits), format(limits, trim = TRUE), FALSE),
    prior_row("range", describe_hyper(fit$internal$model$range), FALSE)
  )
}

# The data as activations of visible units. The range of the data is mapped to (-0.98, 0.98),
# because pre-activations at -1 and 1 are infinite.
activations <- function(v, range) 0.98 * (2 * (v - range[1]) / (range[2] - range[1]) - 1)

preactivations <- function(v, range) {
  u <- activations(v, range)
  log1p(u) - log1p(-u)
}

from_activations <- function(u, range) range[1] + (range[2] - range[1]) * (u / 0.98 + 1) / 2

# Log derivative of the pre-activation with respect to the data
log_slope <- function(v, range) {
  u <- activations(v, range)
  log(2) - log1p(-u^2) + log(2 * 0.98 / (range[2] - range[1]))
}

#' Start a cascade from a random network, and a topic model from random topics
#'
#' By default, chains of [fit_cascade()] start from a network with a unit for each component of the
#' data that stands out from the noise. `init_cascade()` lets them start from a random network with
#' given widths. Chains keep their initial widths for hundreds of sweeps: if there are too few
#' units, they become mixtures of the true ones, and superfluous units fit noise.
#'
#' With `init_topics()` every token starts in one of `n_topics` topics, chosen at random. Start with
#' too many rather than too few: [fit_topics()] loses superfluous topics more easily than it finds
#' new ones.
#'
#' @param widths (positive whole numbers) Numbers of units in the hidden layers, from layer 1
#'   upwards. The default is 70 units in layer 1 and 20 in layer 2; `integer()` means no hidden
#'   layer. [fit_cascade()] raises an error if there are more layers or units than the prior and
#'   `max_features` of the method allow.
#' @param density (number in (0, 1]) Probability of an edge between a unit and a unit of the layer
#'   above, 0.3 by default. Edges are added so that every unit has a parent and every parent a
#'   child. The weights of edges are drawn from N(0, 0.3^2).
#' @return An object of class `init_cascade` or `init_topics`, for the argument `init` of
#'   [fit_cascade()] or [fit_topics()].
#' @examples
#' init_cascade()
#' # 6 units in layer 1 and 2 in layer 2, for the small images of sim_images()
#' init <- init_cascade(c(6, 2))
#' method <- method_gibbs(chains = 1, iter = 100, thin = 10)
#' fit <- fit_cascade(sim_images(30), method = method, init = init, seed = 1)
#' network(fit)
#' init_topics(20)
#' @export
init_cascade <- function(widths = c(70, 20), density = 0.3) {
  whole <- is.numeric(widths) && all(vapply(widths, is_whole, NA)) && all(widths >= 1)
  if (!whole) stop_argument("widths", "be positive whole numbers", widths)
  density <- check_number(density, "density", 0, 1, "(]")
  structure(list(widths = as.integer(widths), density = density), class = "init_cascade")
}

#' @export
format.init_cascade <- function(x, ...) {
  if (length(x$widths) == 0) return("Start without hidden units")
  sprintf(
    "Random start with hidden layers of %s units, edges with probability %g",
    paste(x$widths, collapse = ", "), x$density
  )
}

#' @export
print.init_cascade <- print_lines

# Returns one list per chain, which contains widths and density, `from_data`, or the bytes of a draw
#' @exportS3Method
check_starts.cascade_model <- function(model, init, method) {
  most <- method$max_features %||% .Machine$integer.max
  if (is.null(init)) return(rep(list(list(from_data = TRUE)), method$chains))
  if (inherits(init, "init_cascade")) {
    check_widths(init$widths, model$prior, most)
    return(rep(list(unclass(init)), method$chains))
  }
  if (!inherits(init, "fit_cascade")) {
    stop_argument("init", "be NULL, init_cascade() or a fit by fit_cascade()", init)
  }
  check_same_size(init, model)
  starts <- lapply(last_of_chains(init), function(last) {
    check_widths(cascade_widths(init, last), model$prior, most)
    list(bytes = select_bytes(init, last))
  })
  rep_len(starts, method$chains)
}

check_widths <- function(widths, prior, most) {
  refuse <- function(limit, name, what, was) {
    must <- sprintf("have at most %d %s, as `%s` says", limit, what, name)
    if (was > limit) stop_argument("init", must, was = sprintf("one with %d", was))
  }
  refuse(prior$max_layers, "max_layers", "hidden layers", length(widths))
  refuse(prior$max_units, "max_units", "hidden units", sum(widths))
  if (length(widths) > 0) refuse(most, "max_features", "units in layer 1", widths[1])
}

cascade_widths <- function(fit, draw) {
  names <- grep("^width_", dimnames(fit$internal$scalars)[[3]], value = TRUE)
  widths <- vapply(names, function(name) scalar(fit, name)[draw], 0)
  unname(as.integer(widths[widths > 0]))
}
