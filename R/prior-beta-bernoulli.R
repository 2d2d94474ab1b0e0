#' A finite number of features: the beta-Bernoulli prior
#'
#' A prior on binary matrices with K = `n_features` columns. Each feature has its own probability
#' pi_k ~ Beta(alpha c / K, c), where c is the `concentration`, and the entries are z_ik ~
#' Bernoulli(pi_k). As K grows, this becomes the Indian buffet process, [prior_ibp()].
#'
#' @param n_features (positive integer) Number of features, K, including features that no row has.
#' @param alpha (positive number or [gamma_prior()]) A number fixes alpha; with a
#'   `gamma_prior()` it is learned (default `gamma_prior(1, 1)`). A row has
#'   alpha / (1 + alpha / K) features on average, which is close to alpha if K is large.
#' @param concentration (positive number or [gamma_prior()]) A number fixes c (default 1); with
#'   a `gamma_prior()` it is learned. With small values, rows share their features; with large
#'   values, they have different ones.
#' @return An object of class `prior_beta_bernoulli`, for the `prior` argument of [fit_gaussian()],
#'   [fit_logistic()], [fit_mixed()], [fit_factor()] and [fit_choice()]. It has methods for
#'   `format()`, `print()` and [simulate()][simulate.buffet_prior].
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224, sections 2 and 7.1.
#' @seealso [rbeta_bernoulli()] and [dbeta_bernoulli()] for the distribution itself.
#' @examples
#' prior_beta_bernoulli(10)
#' # three columns, some of which may be empty
#' simulate(prior_beta_bernoulli(3, alpha = 2), rows = 4, seed = 1)[[1]]
#' @export
prior_beta_bernoulli <- function(n_features, alpha = gamma_prior(1, 1), concentration = 1) {
  n_features <- check_count(n_features, "n_features")
  alpha <- check_hyper(alpha, "alpha")
  concentration <- check_hyper(concentration, "concentration")
  fixed <- function(x) if (is_learned(x)) 1 else x
  check_beta_shapes(fixed(alpha), fixed(concentration), n_features)
  structure(
    list(n_features = n_features, alpha = alpha, concentration = concentration),
    class = c("prior_beta_bernoulli", "exchangeable_prior", "buffet_prior")
  )
}

#' @export
format.prior_beta_bernoulli <- function(x, ...) format_prior("beta-Bernoulli", unclass(x))

#' @exportS3Method
draw_features.prior_beta_bernoulli <- function(prior, rows) {
  rows <- check_count(rows, "rows")
  hyper <- lapply(prior_hyperparameters(prior), draw_hyper)
  z <- draw_beta_bernoulli(rows, prior$n_features, hyper$alpha, hyper$concentration)
  structure(z, alpha = hyper$alpha, concentration = hyper$concentration)
}

#' @exportS3Method
prior_n_features.prior_beta_bernoulli <- function(prior, rows, n) {
  grid <- expand.grid(alpha = hyper_grid(prior$alpha), c = hyper_grid(prior$concentration))
  a <- grid$alpha * grid$c / prior$n_features
  held <- -expm1(lbeta(a, rows + grid$c) - lbeta(a, grid$c))
  average(lapply(held, \(p) stats::dbinom(n, prior$n_features, p)))
}

#' The finite beta-Bernoulli distribution of binary matrices
#'
#' `rbeta_bernoulli()` draws binary matrices with a fixed number of columns, and `dbeta_bernoulli()`
#' gives their probabilities.
#'
#' [prior_beta_bernoulli()] defines the distribution. With the probabilities pi_k integrated out,
#' the probability of a matrix with N rows is
#' \deqn{P(Z) = \prod_{k=1}^K \frac{B(m_k + a, N - m_k + c)}{B(a, c)},}{
#' P(Z) = prod_k B(m_k + a, N - m_k + c) / B(a, c),}
#' where a = alpha c / K, m_k is the number of ones in column k and B is the beta function
#' (Griffiths and Ghahramani 2011, section 2). Let K_h be the number of columns equal to h, the
#' empty column included, and let K+ be the number of columns that are not empty. The result depends
#' on `class`:
#' \describe{
#'   \item{`"lof"`}{P(Z) times K! divided by the product of all K_h!, the probability of the set of
#'     matrices with the same left-ordered form ([left_order()]).}
#'   \item{`"shifted"`}{P(Z) times the binomial coefficient K over K+, the probability of the set of
#'     matrices with the same non-empty columns in the same order.}
#'   \item{`"ordered"`}{P(Z), the probability of this particular matrix.} }
#'
#' @inheritParams ribp
#' @param n_features (positive integer) Number of columns, K, including empty ones. For
#'   `dbeta_bernoulli()` it is at least `ncol(z)`, which is the default; empty columns are added to
#'   `z` to make up this number.
#' @param alpha (positive number) A row has alpha / (1 + alpha / K) ones on average.
#' @param concentration (positive number) Small values make rows share their columns; large values
#'   have the opposite effect. The default is 1.
#' @return `rbeta_bernoulli()`: an integer matrix of zeros and ones, `rows` x `n_features`, with its
#'   empty columns. `dbeta_bernoulli()`: one number.
#' @inherit prior_beta_bernoulli references
#' @examples
#' set.seed(1)
#' z <- rbeta_bernoulli(5, 3, alpha = 2)
#' z
#' dbeta_bernoulli(z, alpha = 2, class = "ordered", log = TRUE)
#' # with many columns it is almost the Indian buffet process
#' c(dbeta_bernoulli(z, alpha = 2, n_features = 1e5), dibp(z, alpha = 2))
#' @export
rbeta_bernoulli <- function(rows, n_features, alpha, concentration = 1) {
  rows <- check_count(rows, "rows")
  n_features <- check_count(n_features, "n_features")
  alpha <- check_positive(alpha, "alpha")
  concentration <- check_positive(concentration, "concentration")
  check_beta_shapes(alpha, concentration, n_features)
  draw_beta_bernoulli(rows, n_features, alpha, concentration)
}

# The log gamma function must be finite at the shapes of the beta distribution of each feature.
check_beta_shapes <- function(alpha, concentration, n_features) {
  if (max(concentration, alpha / n_features * concentration) <= 1e300) return(invisible())
  name <- if (alpha > concentration) "alpha" else "concentration"
  must <- "be such that `concentration` and alpha * concentration / n_features are at most 1e300"
  stop_argument(name, must, if (name == "alpha") alpha else concentration)
}

draw_beta_bernoulli <- function(rows, n_features, alpha, concentration) {
  check_matrix_size(rows, n_features, "n_features", n_features)
  p <- stats::rbeta(n_features, alpha * concentration / n_features, concentration)
  matrix(as.integer(stats::runif(rows * n_features) < rep(p, each = rows)), rows, n_features)
}

#' @rdname rbeta_bernoulli
#' @export
dbeta_bernoulli <- function(z, alpha, concentration = 1, n_features = ncol(z),
                            class = c("lof", "shifted", "ordered"), log = FALSE) {
  z <- check_binary_matrix(z)
  alpha <- check_positive(alpha, "alpha")
  concentration <- check_positive(concentration, "concentration")
  n_features <- check_count(n_features, "n_features", lower = max(1, ncol(z)))
  check_beta_shapes(alpha, concentration, n_features)
  class <- check_choice(class, c("lof", "shifted", "ordered"), "class")
  log <- check_flag(log, "log")
  out <- log_dbeta_bernoulli(used_columns(z), alpha, concentration, n_features, class)
  if (log) out else exp(out)
}

# z: Matrix without its empty columns; `n_features` includes them.
log_dbeta_bernoulli <- function(z, alpha, concentration, n_features, class) {
  a <- alpha * concentration / n_features
  n <- nrow(z)
  m <- colSums(z)
  n_empty <- n_features - ncol(z)
  # log B(m + a, n - m + c) - log B(a, c) for m >= 1 as rising factorials, which do not cancel.
  steps <- seq_len(n) - 1
  log_ones <- cumsum(log(a + steps))
  log_zeros <- cumsum(c(0, log(concentration + steps)))
  log_columns <- log_ones[m] + log_zeros[n - m + 1] - sum(log(a + concentration + steps))
  log_matrix <- sum(log_columns)
  if (n_empty > 0) {
    # log1p() is needed because the rounding error is multiplied by n_empty
    log_matrix <- log_matrix - n_empty * sum(log1p(a / (concentration + steps)))
  }
  if (class == "ordered") return(log_matrix)
  log_matrix + lchoose(n_features, ncol(z)) + lfactorial(ncol(z)) - log_orders(z, class)
}
