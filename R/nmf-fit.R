#' Fit a Bayesian nonnegative matrix factorisation
#'
#' Fits the model of Schmidt, Winther and Hansen (2009): every row of the data is a sum of
#' nonnegative components with nonnegative weights, plus noise. The number of components is given.
#' The model is the parametric counterpart of [fit_gaussian()] with nonnegative loadings: it has
#' weights in place of binary features, and a given rank in place of a learned number of features.
#'
#' @details
#' The model is
#' \deqn{X = W A + E, \quad w_{ik} \sim \mathrm{Exp}(\lambda_w), \quad
#' a_{kd} \sim \mathrm{Exp}(\lambda_a), \quad E_{id} \sim N(0, \sigma_x^2),}
#' where W is N x R, A is R x D, and \eqn{1/\sigma_x^2 \sim \mathrm{Gamma}(k, \theta)} if it is
#' learned. Given everything else an entry of W is normal, truncated to \[0, Inf), with
#' \deqn{\mathrm{mean} = \frac{\sum_d r_{id} a_{kd} - \sigma_x^2 \lambda_w}{\sum_d a_{kd}^2}, \quad
#' \mathrm{variance} = \frac{\sigma_x^2}{\sum_d a_{kd}^2},}
#' where \eqn{r_{id} = x_{id} - \sum_{l \ne k} w_{il} a_{ld}}. The same holds for an entry of A.
#' Given the factors, \eqn{\sigma_x^2} is inverse gamma with shape \eqn{k + n/2} and scale
#' \eqn{\theta + S/2}, where n is the number of observed entries and S the sum of their squared
#' residuals. All sums are over observed entries.
#'
#' ## Methods
#' * [method_icm()], the default for complete data, sets each unknown in turn to its conditional
#'   mode: W and A to \eqn{\max(0, \mathrm{mean})}, \eqn{\sigma_x^2} to
#'   \eqn{(\theta + S/2) / (k + n/2 + 1)}. The result is a mode of the joint density
#'   \eqn{p(X, W, A, \sigma_x^2)}, whose logarithm [objective()] returns for every iteration. There
#'   are many modes, so use `restarts`. A component that becomes zero stays zero.
#' * [method_gibbs()], the default if an entry is missing, draws from the conditional distributions.
#'   Its `sampler` is `"uncollapsed"`. Missing entries are predicted by means over draws. A mode
#'   fits the noise of rows and columns with few entries, and can then predict the missing ones
#'   worse than the means of the columns do.
#'
#' A message names rows and columns without any entry. Nothing but their prior is known about their
#' weights or loadings: with [method_gibbs()] they are drawn from it, and with [method_icm()] they
#' are its mean, 1 / `rate_w` or 1 / `rate_a`, rather than its mode 0.
#'
#' The data do not say how the size of a component is divided between its weights and its loadings.
#' Both methods update this division in a step of its own, by its mode or by a draw.
#'
#' An iteration costs the two products \eqn{X A'} and \eqn{X' W}, 4 N D R operations, and R^2
#' operations for every row and column. Rows with different missing entries each need their own
#' \eqn{A A'}. It is computed once for each pattern of missing entries, and for columns likewise. If
#' every row has its own pattern, this costs about R^2 operations for every missing entry.
#'
#' ## Labels
#' Components have no order. Chains may exchange them or be in different modes, so means of W and of
#' A over draws have no meaning. For a fit by sampling [loadings_of()] and [weights_of()] are
#' therefore those of the single draw with the highest `log_joint`. [fitted()], predictions and
#' densities do not depend on labels; they are averages over draws.
#'
#' ## Scale
#' By default priors are scaled by the data. With s the standard deviation of the observed entries,
#' \eqn{\lambda_w = 1}, \eqn{\lambda_a = 1/s}, and \eqn{1/\sigma_x^2} has the prior
#' \eqn{\mathrm{Gamma}(1, s^2)}, so that loadings and noise are in the units of the data: the fit of
#' `c * x` is the fit of `x` in units of c. Only the product of the two rates affects the fit.
#' Negative entries are allowed, as noise, and a warning says if there are many. Fitted values are
#' nonnegative.
#'
#' @param x (numeric matrix, data frame or sparse `Matrix`, N x D) The data, one observation per
#'   row. `NA` is a missing entry. At least one entry must be observed. A sparse matrix is not made
#'   dense; entries that are not stored are zero, not missing. Names of rows are unique or missing.
#' @param rank (positive integer) R, the number of components, at most 5000.
#' @param sigma_x (positive number, [gamma_prior()] or `NULL`) Standard deviation of the noise. A
#'   number fixes it; with a `gamma_prior()`, the prior of the precision 1/sigma_x^2, it is learned.
#'   `NULL`, the default, is a prior that is scaled by the data; see Scale.
#' @param rate_w,rate_a (number in \[1e-50, 1e50\] or `NULL`) Rates of the exponential priors of W
#'   and A, whose means are their inverses. `NULL`, the default, is 1 for W and the inverse of the
#'   standard deviation of the data for A.
#' @param method [method_icm()], [method_gibbs()] or `NULL`, the default: `method_icm()` if `x` is
#'   complete, and `method_gibbs()`, with a message, if entries are missing. A draw of the latter
#'   keeps (N + D) R numbers.
#' @param init Where to start: `NULL` (default) for random factors, different ones for each chain
#'   and restart; an earlier fit of the same rank and size; or a list with some of the elements
#'   `weights` (N x R), `loadings` (R x D) and, if it is learned, `sigma_x`. For chains also an
#'   unnamed list of such lists, one per chain.
#' @inheritParams fit_gaussian
#' @return An object of class `c("fit_nmf", "fit_point", "buffet_fit")`, or
#'   `c("fit_nmf", "fit_mcmc", "buffet_fit")` with [method_gibbs()]. It is read by the functions
#'   that [buffet_fit] lists, except for those about binary features, and by [weights_of()]. If the
#'   run is interrupted, the fit has the best point or the draws so far, with a warning. Fits with
#'   the same seed have the same draws.
#' @references Schmidt, M. N., Winther, O. and Hansen, L. K. (2009). Bayesian non-negative matrix
#'   factorization. *Independent Component Analysis and Signal Separation*, 540-547.
#'   \doi{10.1007/978-3-642-00599-2_68}
#'
#' Gillis, N. and Glineur, F. (2012). Accelerated multiplicative updates and hierarchical ALS
#' algorithms for nonnegative matrix factorization. *Neural Computation* 24, 1085-1105.
#'
#' Reed, C. and Ghahramani, Z. (2013). Scaling the Indian buffet process via submodular
#' maximization. *ICML*. <https://arxiv.org/abs/1304.3285> (where it is the baseline)
#' @seealso [weights_of()], [predict()][predict.fit_nmf], [plot()][plot.fit_nmf]
#' @examples
#' set.seed(1)
#' x <- block_images(60)
#' missing <- seq(1, 36, by = 2)
#' true <- x[1, missing]
#' x[1, missing] <- NA
#' fit <- fit_nmf(x, rank = 4, method = method_icm(restarts = 3), seed = 1)
#' fit
#' # the missing pixels of the first image, and what they were
#' round(rbind(completed = fitted(fit)[1, missing], true), 1)
#' # the components are the four pictures that the images were made of
#' plot(fit, "loadings", dim = c(6, 6))
#'
#' # the noise, with its uncertainty
#' chains <- fit_nmf(x, 4, method = method_gibbs(chains = 2, iter = 400), init = fit, seed = 1)
#' summary(chains)
#' @export
fit_nmf <- function(x, rank, sigma_x = NULL, rate_w = NULL, rate_a = NULL,
                    method = NULL, init = NULL, seed = NULL, verbose = TRUE, file = NULL, ...) {
  check_no_others("fit_nmf", ...)
  check_given(x, "x")
  check_given(rank, "rank")
  arguments <- mget(setdiff(names(formals()), "..."))
  x <- check_data_matrix(x, "x", sparse = TRUE)
  if (count_observed(x) == 0) {
    stop_argument("x", "have an entry that is not missing", was = "NA throughout")
  }
  spread <- spread_of(x)
  model <- new_model("nmf", list(x = x), new_traits(x, "uncollapsed", normal_noise = TRUE),
    rank = check_rank(rank),
    sigma = list(sigma_x = check_noise(sigma_x %||% scaled_prior(spread), x)),
    rate_w = if (is.null(rate_w)) 1 else check_rate(rate_w, "rate_w"),
    rate_a = if (is.null(rate_a)) 1 / spread else check_rate(rate_a, "rate_a"),
    loading_width = sum(dim(x))
  )
  if (is.null(method)) method <- default_nmf_method(x)
  fit_model(model, arguments, match.call(), method)
}

# A mode predicts missing entries worse than the mean over draws does, and can be worse than the
# means of the columns
default_nmf_method <- function(x) {
  if (count_observed(x) == prod(dim(x))) return(method_icm())
  message("Sampling by method_gibbs(), because entries are missing; see `method`.")
  method_gibbs()
}

#' @exportS3Method
check_ready.nmf_model <- function(model) {
  warn_of_negative(model$data$x, "fit_factor()")
  tell_unobserved(model$data$x)
}

# Rows and columns of which no entry is observed
unobserved <- function(x) {
  missing <- is.na(x)
  list(
    rows = which(Matrix::rowSums(missing) == ncol(x)),
    columns = which(Matrix::colSums(missing) == nrow(x))
  )
}

# Names the rows and columns about which nothing is known
tell_unobserved <- function(x) {
  found <- unobserved(x)
  told <- c(
    if (length(found$rows) > 0) in_words("row", found$rows, rownames(x)),
    if (length(found$columns) > 0) in_words("column", found$columns, colnames(x))
  )
  if (length(told) == 0) return(invisible())
  message(
    "`x` has no entries in ", paste(told, collapse = " and "), ": what is predicted there is the ",
    "prior mean."
  )
}

check_rank <- function(rank) {
  rank <- check_count(rank, "rank")
  if (rank > 5000) stop_argument("rank", "be at most 5000", rank)
  rank
}

# With less noise than that all is rounding
check_noise <- function(sigma_x, x, name = "sigma_x") {
  sigma_x <- check_sigma(sigma_x, name)
  size <- root_mean_square(x)
  if (is.numeric(sigma_x) && sigma_x < 1e-12 * size) {
    must <- sprintf("be at least 1e-12 of the data's root mean square (%.3g)", size)
    stop_argument(name, must, sigma_x)
  }
  sigma_x
}

check_rate <- function(x, name) {
  x <- check_positive(x, name)
  if (x < 1e-50 || x > 1e50) stop_argument(name, "be between 1e-50 and 1e50", x)
  x
}

#' @exportS3Method
sweep_chains.nmf_model <- function(model, method, plan, watch) {
  nmf_gibbs_cpp(model$data$x, nmf_spec(model), plan, watch)
}

# The model as the core reads it
nmf_spec <- function(model) {
  c(
    unclass(model)[c("rank", "rate_w", "rate_a")],
    list(sigma_x = precision_spec(model$sigma$sigma_x))
  )
}
