#' Draws of the scalars of a fit
#'
#' The saved draws of the scalar quantities of a fit by sampling, in the formats of posterior, coda
#' and base R. These quantities do not depend on how features are labelled, so their means and Rhat
#' are meaningful.
#'
#' @param x,object A fit by sampling, that is, with [method_gibbs()].
#' @param ... Arguments of `posterior::subset_draws()`, such as `variable`. Must be empty for
#'   `posterior_interval()`; otherwise ignored.
#' @return
#' * `as_draws()`, `as_draws_array()` and so on: the draws in the formats of posterior.
#' * `as.array()`: a plain array, iterations x chains x variables, as for bayesplot. `as.matrix()`
#'   and `as.data.frame()`: draws x variables, with the draws of the first chain first.
#' * `coda::as.mcmc.list()`: the draws in the format of coda; `coda::as.mcmc()`: the same, only for
#'   a fit with a single chain.
#' * `posterior_interval()`: a matrix, variables x 2, of the ends of the intervals.
#' * `posterior::subset_draws()`: some of the draws, as a `draws_array`; `posterior::rhat()`,
#'   `posterior::ess_bulk()` and `posterior::ess_tail()`: a named vector, one number per variable.
#' * `ndraws()`, `nchains()`, `niterations()`: the total number of draws, the number of chains, and
#'   the number of draws per chain; `variables()`: the names of the variables.
#' @section Variables:
#'
#' * `n_features`: the number of features that at least one row has; `n_ones`: the number of ones in
#'   Z.
#' * `n_common`: the number of factors that two or more columns share (rows with `sparse =
#'   "factors"`); `variance`: the mean variance of an entry under the model ([fit_factor()]).
#' * `n_layers`, `width_1`, ..., `n_edges_1`, ...: the number of hidden layers, their units, and
#'   their edges to the layer below, 0 if there is no such layer; `alpha_0`, ...: the alphas of the
#'   edges from the visible units, layer 1, ... to their parents ([fit_cascade()]).
#' * `alpha`, `concentration` and `temperature` of the prior; `gamma` and `eta` of [fit_topics()].
#' * `sigma_x`: the standard deviation of the noise, in the units of the model (scaled columns if
#'   `scale = TRUE`); the root mean square if every column has its own. `sigma_a`, `sigma_w`,
#'   `sigma_b`: the standard deviations of loadings (of factors if loadings are sparse), weights and
#'   biases.
#' * `log_lik`: the log density of the observed entries, in the units of the data, given Z and the
#'   hyperparameters of the draw. It is also conditional on the loadings in [fit_gaussian()] if they
#'   are nonnegative or the sampler is `"parallel"`, on the weights (and biases) in [fit_factor()],
#'   [fit_logistic()], [fit_mixed()] and [fit_choice()], and on weights and loadings in [fit_nmf()]
#'   and in [fit_factor()] with families. In [fit_topics()] it is conditional on the topics of all
#'   tokens, and in [fit_cascade()] on the activations of layer 1 and the parameters of the visible
#'   units.
#' * `log_joint`: `log_lik` plus the log probability of the left-ordered class of Z (unless it is
#'   known) and the log densities of everything that is learned or that `log_lik` is conditional on.
#'
#' @examples
#' set.seed(1)
#' fit <- fit_gaussian(sim_images(30), method = method_gibbs(chains = 2, iter = 600), seed = 1)
#' # the images are sums of 4 features, and their noise has standard deviation 0.5
#' colMeans(as.matrix(fit))
#' posterior_interval(fit, prob = 0.9)
#' @name as_draws.fit_mcmc
#' @aliases subset_draws.buffet_fit as.mcmc.list.buffet_fit as.mcmc.buffet_fit
#' @export
as_draws.buffet_fit <- function(x, ...) {
  if (inherits(x, "fit_point")) stop_no_sampling(x, "x")
  check_format(x)
  posterior::as_draws_array(x$internal$scalars[, , scalar_names(x), drop = FALSE])
}

#' @rdname as_draws.fit_mcmc
#' @export
as.matrix.buffet_fit <- function(x, ...) {
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
as.data.frame.buffet_fit <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  as.data.frame(as.matrix(x))
}

#' @rdname as_draws.fit_mcmc
#' @export
ndraws.buffet_fit <- function(x) posterior::ndraws(as_draws(x))

#' @rdname as_draws.fit_mcmc
#' @export
nchains.buffet_fit <- function(x) posterior::nchains(as_draws(x))

#' @rdname as_draws.fit_mcmc
#' @export
niterations.buffet_fit <- function(x) posterior::niterations(as_draws(x))

#' @rdname as_draws.fit_mcmc
#' @export
variables.buffet_fit <- function(x, ...) posterior::variables(as_draws(x))

#' @exportS3Method posterior::subset_draws
subset_draws.buffet_fit <- function(x, ...) posterior::subset_draws(as_draws(x), ...)

# posterior's default methods mistake a fit for a vector of draws and return a meaningless number.

#' @exportS3Method posterior::rhat
rhat.buffet_fit <- function(x, ...) apply(as_draws(x), 3, posterior::rhat)

#' @exportS3Method posterior::ess_bulk
ess_bulk.buffet_fit <- function(x, ...) apply(as_draws(x), 3, posterior::ess_bulk)

#' @exportS3Method posterior::ess_tail
ess_tail.buffet_fit <- function(x, ...) apply(as_draws(x), 3, posterior::ess_tail)

#' @exportS3Method coda::as.mcmc.list
as.mcmc.list.buffet_fit <- function(x, ...) { # nolint: object_name_linter.
  draws <- as_draws(x)
  from <- x$method$thin * (x$method$warmup %/% x$method$thin + 1)
  one_chain <- function(chain) {
    names <- list(NULL, posterior::variables(draws))
    values <- matrix(draws[, chain, ], nrow(draws), dimnames = names)
    coda::mcmc(values, start = from, thin = x$method$thin)
  }
  coda::mcmc.list(lapply(seq_len(posterior::nchains(draws)), one_chain))
}

#' @exportS3Method coda::as.mcmc
as.mcmc.buffet_fit <- function(x, ...) { # nolint: object_name_linter.
  chains <- nchains.buffet_fit(x)
  if (chains > 1) {
    must <- "be a fit of one chain for as.mcmc(); coda::as.mcmc.list() takes several"
    stop_argument("x", must, was = sprintf("one of %d", chains))
  }
  as.mcmc.list.buffet_fit(x)[[1]]
}

#' @rdname as_draws.fit_mcmc
#' @param prob (number in (0, 1)) Probability of the central posterior intervals, 0.9 by default.
#' @export
posterior_interval.buffet_fit <- function(object, prob = 0.9, ...) {
  if (inherits(object, "fit_point")) stop_no_sampling(object, "object")
  check_no_more(...)
  prob <- check_number(prob, "prob", 0, 1, "()")
  posterior_interval(as.matrix(object), prob = prob)
}

# Splits the results of a chain into `kept`, the draws that all chains have, and `further`, which
# update() also needs: later draws, the state of the chain and all of its scalars
split_chain <- function(chain, kept, model) {
  sizes <- utils::head(chain$sizes, kept)
  counts <- list(
    sizes = kept, bits = sum(bytes_of(sizes, model$traits$rows$n)),
    loadings = sum(loading_counts(model, sizes)),
    bytes = sum(as.double(utils::head(chain$byte_counts, kept))), byte_counts = kept
  )
  after <- function(x, n) x[seq_along(x) > n]
  list(
    kept = Map(utils::head, chain[names(counts)], counts),
    further = c(
      list(scalars = chain$scalars), Map(after, chain[names(counts)], counts),
      chain[c("state", "regrouped", "moves")]
    )
  )
}

# Number of bytes of columns of Z, each of which is padded to words of 64 bits
bytes_of <- function(columns, rows) 8 * ceiling(rows / 64) * as.double(columns)

# Count of numbers stored per draw: `loading_width` for each feature, and also for each of
# `loading_extra` further rows, such as a bias
loading_counts <- function(model, sizes) {
  (sizes + (model$loading_extra %||% 0)) * as.double(model$loading_width)
}

select_bytes <- function(fit, which) {
  if (length(fit$internal$byte_counts) == 0) return(NULL)
  ends <- cumsum(as.double(fit$internal$byte_counts))
  first <- ends[which[1]] - fit$internal$byte_counts[which[1]]
  fit$internal$draws_bytes[first + seq_len(ends[which[length(which)]] - first)]
}

# names: Names of known features, which keep their order; otherwise NULL.
new_feature_draws <- function(rows, sizes, bits, row_names, names = NULL) {
  structure(
    list(rows = rows, sizes = sizes, bits = bits, row_names = row_names, names = names),
    class = "feature_draws"
  )
}

#' @rdname features
#' @param x An object of class `feature_draws`, as returned by `feature_draws()`.
#' @param i For `x[[i]]` one whole number from 1 to `length(x)`. For `x[i]` any index of a vector of
#'   that length. The draws of the first chain come first. An index of a draw that does not exist
#'   raises an error.
#' @param ... Ignored.
#' @export
length.feature_draws <- function(x) length(unclass(x)$sizes)

#' @rdname features
#' @export
`[[.feature_draws` <- function(x, i) {
  i <- check_count(i, "i")
  if (i > length(x)) stop_argument("i", sprintf("be at most %d", length(x)), i)
  fields <- unclass(x)
  z <- draw_features_cpp(fields, i)
  if (is.null(fields$names)) return(label_features(z, fields$row_names))
  dimnames(z) <- list(fields$row_names, fields$names)
  z
}

#' @rdname features
#' @export
`[.feature_draws` <- function(x, i) {
  which <- tryCatch(seq_along(x)[i], error = function(e) NA)
  if (anyNA(which)) stop_argument("i", sprintf("be among the %d draws", length(x)), i)
  select_draws(x, which)
}

#' @rdname features
#' @export
as.list.feature_draws <- function(x, ...) lapply(seq_len(length(x)), function(i) x[[i]])

#' @rdname features
#' @export
format.feature_draws <- function(x, ...) {
  fields <- unclass(x)
  ends <- unique(range(fields$sizes, 0[length(x) == 0]))
  features <- if (length(x) > 0) {
    paste(" and", paste(c(ends[-length(ends)], counted(max(ends), "feature")), collapse = " to "))
  }
  sprintf(
    "%s of a binary matrix with %s%s (%s)", counted(length(x), "draw"),
    counted(fields$rows, "row"), features %||% "",
    format(structure(length(fields$bits), class = "object_size"), "auto")
  )
}

#' @rdname features
#' @export
print.feature_draws <- print_lines

select_draws <- function(draws, which) {
  fields <- unclass(draws)
  sizes <- bytes_of(fields$sizes, fields$rows)
  if (!isTRUE(sum(sizes) == length(fields$bits))) abort("the kept draws are damaged in their bits.")
  starts <- cumsum(sizes) - sizes
  fields$bits <- as.raw(unlist(lapply(which, function(d) {
    fields$bits[starts[d] + seq_len(sizes[d])]
  })))
  fields$sizes <- fields$sizes[which]
  structure(fields, class = "feature_draws")
}

# Sorts columns by decreasing size, with equal sizes in left order, and names them f1, f2, ...
label_features <- function(z, row_names) {
  z <- left_order(z)
  z <- z[, order(-colSums(z)), drop = FALSE]
  dimnames(z) <- list(row_names, paste0("f", seq_len(ncol(z)), recycle0 = TRUE))
  z
}

#' Number of draws that functions return
#'
#' The following posterior means are taken over all saved draws: [predict()][predict.buffet_fit],
#' `fitted()`, `residuals()`, `augment()`, [heldout_density()] and the [worth][summary.fit_choice]
#' of items. Functions that return draws, or quantiles of them, have the argument `ndraws`. The
#' *function* `ndraws(fit)`, which returns the number of draws of a fit by sampling, comes from
#' posterior; see [ndraws()][as_draws.fit_mcmc].
#'
#' A fit by sampling keeps 4000 draws by default, or fewer, but at least 500, if they need more than
#' 10 MB or in [fit_factor()] with families. A fit by [fit_topics()] keeps at least 400, a fit by
#' [fit_cascade()] 100. The argument `ndraws` is
#' * `NULL`, the default: all draws for [posterior_predict()][posterior_predict.buffet_fit] and
#'   `posterior_epred()`, `bayes_R2()`, and the mean that `predict()` returns for new rows; at most
#'   1000 evenly spaced draws for `log_lik()`, [loo()][loo.fit_mcmc] and the ends of
#'   [intervals][predictive_interval.buffet_fit];
#' * a whole number: this many draws, evenly spaced over all chains. It is an error if there are
#'   fewer;
#' * `Inf`: all draws.
#'
#' If an array of draws does not fit into memory, an error is raised; use a smaller `ndraws`. Means
#' need little memory whatever the number of draws, because draws are read in blocks.
#'
#' A fit by optimisation has one estimate. Means are computed from it directly.
#' `posterior_predict()`, `posterior_epred()` and `log_lik()` draw from its variational posterior
#' `ndraws` times: `NULL` means 1000, and `Inf` raises an error. These draws are independent.
#'
#' ## Time
#' Computing fitted values of 100 rows and 36 columns from 4000 draws takes less than a second. New
#' rows are sampled given each draw: 50 new rows and 4000 draws take up to 20 seconds of processor
#' time. With `options(mc.cores = )` they are sampled in that many threads, with the same result.
#' `predict(fit, newdata, ndraws = 200)` is faster and less accurate: the error is inversely
#' proportional to the square root of `ndraws`.
#'
#' Computations that take longer than two seconds show a progress bar if R runs in a terminal or in
#' RStudio, but not in knitr documents, logs or files. `options(cli.progress_show_after = Inf)`
#' turns it off.
#'
#' @name ndraws
#' @examples
#' fit <- fit_gaussian(sim_images(30), method = method_gibbs(chains = 1, iter = 600), seed = 1)
#' # draws x rows x columns
#' dim(posterior_epred(fit))
#' dim(posterior_epred(fit, ndraws = 100))
NULL

# Default number of draws for the end points of intervals and for log densities
tail_ndraws <- 1000

check_ndraws <- function(ndraws, fit, default = Inf) {
  ndraws <- check_any_ndraws(ndraws)
  if (is.null(ndraws)) ndraws <- if (length(fit$feature_draws) > default) default else Inf
  if (is.finite(ndraws)) choose_draws(fit, ndraws) else seq_along(fit$feature_draws)
}

# The draws that predict() averages over: all of them, or fewer if `ndraws` is given for new rows
check_mean_ndraws <- function(ndraws, fit, newdata, interval) {
  which <- check_ndraws(ndraws, fit)
  if (is.null(ndraws) || !is.null(newdata) || interval != "none") return(which)
  must <- "be NULL for the rows of the data, whose means are over every draw"
  stop_argument("ndraws", must, ndraws)
}

check_ndrawn <- function(ndraws, fit, default = Inf) {
  ndraws <- check_any_ndraws(ndraws)
  choose_draws(fit, if (is.null(ndraws)) most_draws(fit, default) else ndraws)
}

check_any_ndraws <- function(ndraws) {
  if (is.null(ndraws) || identical(ndraws, Inf)) return(ndraws)
  if (!is_whole(ndraws) || ndraws < 1) {
    stop_argument("ndraws", "be NULL, Inf or one whole number of at least 1", ndraws)
  }
  as.integer(ndraws)
}

most_draws <- function(fit, n) {
  if (inherits(fit, "fit_point")) min(n, tail_ndraws) else min(n, length(fit$feature_draws))
}

# Selects `ndraws` evenly spaced draws of a fit. A variational posterior can be sampled any number
# of times.
choose_draws <- function(fit, ndraws) {
  draws <- length(fit$feature_draws)
  if (inherits(fit, "fit_point")) {
    must <- "be a number: the draws of a fit by optimisation are unlimited"
    if (ndraws == Inf) stop_argument("ndraws", must, Inf)
    return(rep(1L, ndraws))
  }
  if (ndraws == Inf) return(seq_len(draws))
  if (ndraws > draws) stop_argument("ndraws", sprintf("be at most %d", draws), ndraws)
  evenly_spaced(seq_len(draws), ndraws)
}
