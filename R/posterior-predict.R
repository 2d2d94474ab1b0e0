#' Draws from the posterior predictive distribution, and pointwise log likelihoods
#'
#' `posterior_predict()` and `simulate()` draw replicates of the data, `posterior_epred()` returns
#' their means without noise, and `log_lik()` and `logLik()` return log likelihoods.
#'
#' @details
#' These functions use the following parameters, besides the features of each draw.
#'
#' * [fit_gaussian()] by sampling, with normal loadings: the sampler integrates the loadings out.
#'   They are therefore drawn here, from their normal distribution given the features of the draw
#'   and the data.
#' * Fits by sampling, everything else: the values that belong to the draw. These are nonnegative
#'   loadings; the loadings of [fit_gaussian()] with `noise = "column"` or with the sampler
#'   `"parallel"`; the weights and biases of [fit_logistic()]; the loadings and factors of
#'   [fit_factor()]; the weights and loadings of [fit_nmf()]; and the activations of
#'   [fit_cascade()].
#' * [fit_topics()]: the topics of all tokens. The shares of topics in documents and the
#'   probabilities of words in topics are drawn given these; documents keep their lengths.
#' * [fit_gaussian()] by optimisation: the single estimate of Z (or, with [method_variational()] and
#'   [method_power_ep()], features drawn from their probabilities), the single estimate of
#'   `sigma_x`, and loadings drawn from their posterior, anew for each draw.
#' * [fit_nmf()] with [method_icm()]: the mode, which is a single draw. `log_lik()` has one row by
#'   default.
#'
#' Loadings that a fit does not hold are drawn anew at every call, from R's random number generator;
#' call `set.seed()` first to repeat a result.
#'
#' @param object A fit by [fit_gaussian()], [fit_logistic()], [fit_factor()], [fit_nmf()],
#'   [fit_topics()] or [fit_cascade()]. `simulate()` of a cascade has
#'   [a page of its own][simulate.fit_cascade], and so have all of these functions for
#'   [mixed columns][predict.fit_mixed] and for [choices][predict.fit_choice].
#' @param newdata (as in [predict()][predict.buffet_fit], or `NULL`) New rows, which
#'   `posterior_predict()` and `posterior_epred()` draw; see New rows. `NULL` (default): the rows of
#'   the data.
#' @param ndraws (positive integer, `Inf` or `NULL`) How many evenly spaced draws to use. `NULL`
#'   (default): all, or at most 1000 for `log_lik()`. `Inf`: all. A fit by optimisation is drawn
#'   from 1000 times by default, and `Inf` is an error. See [ndraws]. It is an error if there is not
#'   enough memory for so many draws.
#' @param nsim (positive integer) Number of simulated data sets (default 1). Each is from a draw
#'   that is chosen at random.
#' @param by (string) What a column of `log_lik()` is: an observed `"entry"` of the data (default),
#'   or a `"row"`.
#' @param seed (whole number or `NULL`) The seed of this call, after which R's generator is put back
#'   where it was. `NULL` (default): the call goes on with R's random numbers as they are. As in
#'   [stats::simulate()].
#' @param ... Must be empty.
#' @return
#' * `posterior_predict()`: an array, draws x N x D, of replicated data with the features of each
#'   draw. The replicates of binary data are 0 and 1. With `newdata` N is the number of its rows.
#' * `posterior_epred()`: an array of the same size with the mean of every entry given all
#'   parameters of the draw, without the noise. For binary data it is the probability of a 1, for
#'   documents the expected count.
#' * `simulate()`: a list of `nsim` N x D matrices, replicates as those of `posterior_predict()`.
#'   Its attribute `"seed"` is the state of the generator before the call, or `seed`.
#' * `log_lik()`: a matrix, draws x observed entries (in column-major order) or draws x N. It has
#'   the log density of each entry or row given the features, loadings and `sigma_x` of the draw.
#'   For binary data it is the log probability given the features, weights and biases; for a
#'   document it is the count of a word times the log probability of the word.
#'   [loo::loo()][loo.fit_mcmc] takes the fit itself; see the section *Leaving one out*.
#' * `logLik()`: an object of class `logLik`, the log likelihood of the point estimate [features()].
#'   For a fit by sampling this is the `log_lik` that [as_draws()][as_draws.fit_mcmc] has for that
#'   draw. For a linear-Gaussian fit by optimisation it is the log density at the mean features,
#'   mean loadings and estimated `sigma_x`. Its degrees of freedom are `NA`, because the number of
#'   parameters is not fixed.
#'
#' `log_lik()` needs data in memory and refuses a fit to [row_blocks()]; so does `logLik()` of a fit
#' by optimisation.
#' @section New rows:
#' Given each draw of the fit, a new row gets features (or factors, weights or activations) that are
#' drawn given its observed entries; features that only this row has are included. Its means follow
#' from these, and with noise a replicate of all of its entries. Over the draws, missing entries
#' have their posterior predictive distribution, and [predict()][predict.buffet_fit] is the mean.
#'
#' Features are sampled as [predict()][predict.buffet_fit] does, and the state after its 20 sweeps
#' is taken. Loadings mean what they mean there: normal loadings of [fit_gaussian()] are integrated
#' out given the data and the new row, other loadings are those of the draw. With a fit by
#' optimisation a new row has the features that `predict()` finds, or features drawn from their
#' probabilities; with [method_icm()] its weights are their mode.
#'
#' A new document of [fit_topics()] gets topics by the chain that
#' [predict()][predict.fit_topics] runs given its words, and the state after 100 sweeps is taken.
#' Its shares of topics and the probabilities of words in topics are drawn given this state and the
#' documents of the fit. A topic that no document of the fit has a token of has words of its own in
#' every new document. The mean and the replicate are of as many words as the document has.
#'
#' New rows that `predict()` refuses are refused here too. `log_lik()` has no new rows for any
#' model, because it is given the features, which these do not have. Random numbers are those of R:
#' call `set.seed()` first to repeat a result.
#' @section Leaving one out:
#' `loo::loo()` estimates from `log_lik()` how well each point would be predicted without it. The
#' estimate can be relied on for points whose Pareto k is at most 0.7, and continuous data have too
#' few of these. For the scaled `USArrests`, `swiss`, `iris`, `mtcars` and `trees` k was above 0.7
#' for 38, 34, 43, 26 and 42 % of the entries, and for 78, 81, 84, 66 and 81 % of the rows. The
#' reason is that the features of a row are its own parameters. Without the row nothing is known of
#' them, and without one of only a few entries too little is known. Entries do better where dozens
#' of columns are well explained by the features, as in images.
#'
#' Look at `loo::pareto_k_table()`. Where k is large for more than a few per cent of the points,
#' compare models by K-fold cross-validation instead. Set a tenth of the entries to `NA` at random,
#' fit, ask [heldout_density()] how probable these entries were, and repeat this for the other
#' tenths. To leave out whole rows, fit to the other rows. `vignette("comparing-fits")` does both.
#' @seealso [pp_check()][pp_check.buffet_fit] plots replicates beside the data.
#' @examples
#' set.seed(1)
#' x <- block_images(30)
#' fit <- fit_gaussian(x, method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # replicated data vary about as much as the data do
#' replicates <- posterior_predict(fit, ndraws = 100)
#' dim(replicates)
#' quantile(apply(replicates, 1, sd), c(0.05, 0.95))
#' sd(x)
#' # without the noise they vary less
#' mean(apply(posterior_epred(fit, ndraws = 100), 1, sd))
#' # the lower halves of two new images, given the upper halves
#' new <- block_images(2)
#' new[, 19:36] <- NA
#' dim(posterior_predict(fit, newdata = new, ndraws = 10))
#' logLik(fit)
#' @name posterior_predict.buffet_fit
#' @aliases posterior_predict.fit_gaussian posterior_predict.fit_logistic
NULL

#' @rdname posterior_predict.buffet_fit
#' @export
posterior_predict.buffet_fit <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  if (is.null(newdata)) return(stack_draws(object, ndraws, draw_data))
  stack_new_rows(object, newdata, ndraws, "data")
}

#' @rdname posterior_predict.buffet_fit
#' @importFrom rstantools posterior_epred
#' @export
posterior_epred.buffet_fit <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  if (is.null(newdata)) return(stack_draws(object, ndraws, draw_mean))
  stack_new_rows(object, newdata, ndraws, "mean")
}

# What a function of a fit and a draw, an N x D matrix, gives for some draws: draws x N x D
stack_draws <- function(fit, ndraws, of_draw) {
  which <- check_ndrawn(ndraws, fit)
  size <- dim(model_data(fit))
  values <- over_draws(which, function(draw) of_draw(fit, draw), matrix(0, size[1], size[2]))
  dim(values) <- c(size, length(which))
  dimnames(values) <- c(data_names(fit) %||% list(NULL, NULL), list(NULL))
  aperm(values, c(3, 1, 2))
}

#' @rdname posterior_predict.buffet_fit
#' @export
log_lik.buffet_fit <- function(object, by = c("entry", "row"), ndraws = NULL, ...) {
  check_no_new_rows(...)
  by <- check_choice(by, c("entry", "row"), "by")
  pointwise_log_lik(object, check_ndrawn(ndraws, object, tail_ndraws), by)
}

# As check_no_more(), of log_lik(), which in other packages has `newdata`
check_no_new_rows <- function(...) {
  if ("newdata" %in% names(list(...))) {
    why <- "log_lik() is given features, which are drawn with the data"
    instead <- "heldout_density() has log densities of what was left out"
    stop("`newdata` must be left out: ", why, "; ", instead, ".", call. = FALSE)
  }
  check_no_more(...)
}

# What log_lik() gives for some draws, draws x observed entries, rows or pairs of choices
pointwise_log_lik <- function(fit, which, by) {
  if (inherits(fit, "fit_choice")) {
    return(log_probabilities(fit, model_data(fit), observed_pairs(fit), which))
  }
  x <- as.matrix(in_memory(fit, "log_lik()"))
  observed <- which(!is.na(x))
  pointwise <- over_draws(which, function(draw) {
    densities <- log_densities(fit, x, draw)
    if (by == "entry") densities[observed] else rowSums(densities, na.rm = TRUE)
  }, numeric(if (by == "entry") length(observed) else nrow(x)))
  names <- if (by == "row") rownames(x)
  matrix(pointwise, length(which), byrow = TRUE, dimnames = list(NULL, names))
}

# As vapply(), with a bar where it takes long
over_draws <- function(which, of_draw, value) {
  tick <- draws_ticker(length(which))
  vapply(which, function(draw) {
    out <- of_draw(draw)
    tick()
    out
  }, value)
}

#' @rdname posterior_predict.buffet_fit
#' @export
simulate.buffet_fit <- function(object, nsim = 1, seed = NULL, ...) {
  check_no_more(...)
  check_format(object)
  nsim <- check_count(nsim, "nsim")
  seed <- check_seed(seed)
  seeded(seed, {
    which <- sample.int(length(object$feature_draws), nsim, replace = TRUE)
    lapply(which, function(d) draw_data(object, d))
  })
}

#' @rdname posterior_predict.buffet_fit
#' @importFrom stats logLik
#' @export
logLik.buffet_fit <- function(object, ...) {
  check_no_more(...)
  check_format(object)
  structure(
    point_log_lik(object),
    df = NA_integer_, nobs = nobs(object), class = "logLik"
  )
}

# Log likelihood of the point estimate
point_log_lik <- function(fit) {
  if (!inherits(fit, "fit_gaussian") || samples(fit$method)) {
    return(scalar(fit, "log_lik")[fit$internal$point])
  }
  # At the mean loadings and precision.
  x <- in_memory(fit, "logLik()")
  sigma_x <- rep(column_sigmas(fit, 1), each = nrow(x))
  sum(stats::dnorm(as.matrix(x), fitted(fit), sigma_x, log = TRUE), na.rm = TRUE)
}

# Data, N x D, from the model of one draw
draw_data <- function(fit, draw) UseMethod("draw_data")

# Mean of the data given all of one draw, N x D: without the noise
draw_mean <- function(fit, draw) UseMethod("draw_mean")

# Log densities, N x D, of data under the model of one draw
log_densities <- function(fit, x, draw) UseMethod("log_densities")

# Data drawn from, and log densities under, a model of every entry: its mean and sigma_x
draw_normal_entries <- function(model) {
  model$mean + stats::rnorm(length(model$mean), sd = model$sigma_x)
}

normal_log_densities <- function(model, x) {
  stats::dnorm(x, model$mean, model$sigma_x, log = TRUE)
}
