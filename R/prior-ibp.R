#' The Indian buffet process as a prior over features
#'
#' A prior on binary matrices with a row per object and an unbounded number of columns, called
#' *features*. The number of features is learned from the data.
#'
#' In the metaphor of the buffet, rows are customers who arrive one after the other, and features
#' are dishes. Customer n takes a dish that m earlier customers took with probability (m - d) / (n -
#' 1 + c). The customer then takes a Poisson number of new dishes, whose mean is
#' \deqn{\alpha \frac{\Gamma(1 + c) \, \Gamma(n - 1 + c + d)}{\Gamma(n + c) \, \Gamma(c + d)},}{
#' alpha G(1 + c) G(n - 1 + c + d) / (G(n + c) G(c + d)), G the gamma function,}
#' where c is the `concentration` and d the `discount`. Three cases are common.
#'
#' * c = 1 and d = 0 (default): the process of Griffiths and Ghahramani. The probability of an old
#'   dish is m / n, and the mean number of new dishes is alpha / n.
#' * d = 0: the two-parameter process of Ghahramani, Griffiths and Sollich. The probability of an
#'   old dish is m / (n - 1 + c), and the mean number of new dishes is alpha c / (n - 1 + c).
#' * d > 0: the three-parameter process of Teh and Gorur. The number of features grows as a power of
#'   the number of rows.
#'
#' The order of the rows does not matter, and every row has Poisson(alpha) features.
#'
#' @param alpha (positive number or [gamma_prior()]) Mean number of features in a row. A number
#'   fixes it; with a `gamma_prior()` it is learned (default `gamma_prior(1, 1)`).
#' @param concentration (number above `-discount`, or [gamma_prior()]) A number fixes the
#'   concentration (default 1); with a `gamma_prior()` it is learned. With small values, rows share
#'   their features; with large values, they have different ones.
#' @param discount (number in \[0, 1)) The exponent of the power law (default 0: no power law). It
#'   is not learned.
#' @return An object of class `prior_ibp`, for the `prior` argument of all `fit_*()` functions
#'   except [fit_nmf()] and [fit_cascade()]. [fit_topics()] needs `concentration = 1` and
#'   `discount = 0`. [method_variational()] and [method_power_ep()] need `discount = 0`, and all
#'   optimisation methods need a number as `concentration`. The object has methods for `format()`,
#'   `print()` and [simulate()][simulate.buffet_prior].
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224, sections 4 and 7.1.
#'
#' Ghahramani, Z., Griffiths, T. L. and Sollich, P. (2007). Bayesian nonparametric latent feature
#' models. *Bayesian Statistics* 8, 201-226.
#'
#' Teh, Y. W. and Gorur, D. (2009). Indian buffet processes with power-law behavior. *Advances in
#' Neural Information Processing Systems* 22.
#' @seealso [ribp()] and [dibp()] for the distribution itself, [prior_pibp()] for rows on a tree,
#'   [prior_attraction()] for rows with known distances, [prior_beta_bernoulli()] for a fixed number
#'   of features, [prior_fixed()] for known features.
#' @examples
#' prior_ibp()
#' prior_ibp(alpha = 2, concentration = gamma_prior(1, 1), discount = 0.25)
#' # four rows: the columns are in order of their first ones
#' simulate(prior_ibp(alpha = 2), rows = 4, seed = 1)[[1]]
#' @export
prior_ibp <- function(alpha = gamma_prior(1, 1), concentration = 1, discount = 0) {
  alpha <- check_hyper(alpha, "alpha")
  discount <- check_number(discount, "discount", 0, 1, "[)")
  concentration <- check_concentration(concentration, discount, learnable = TRUE)
  structure(
    list(alpha = alpha, concentration = concentration, discount = discount),
    class = c("prior_ibp", "exchangeable_prior", "buffet_prior")
  )
}

check_concentration <- function(x, discount, learnable = FALSE) {
  if (learnable && is_gamma_prior(x)) return(x)
  number <- is_scalar_number(x)
  if (number && x > -discount && x <= 1e300) return(as.double(x))
  must <- c(
    "be one number above", format(-discount), if (number && x > 1e300) "and at most 1e300",
    if (learnable) "or a gamma_prior()"
  )
  stop_argument("concentration", paste(must, collapse = " "), x)
}

#' @export
format.prior_ibp <- function(x, ...) {
  with_default <- c(concentration = 1, discount = 0)
  shown <- Filter(\(name) !identical(x[[name]], with_default[[name]]), names(with_default))
  format_prior("IBP", unclass(x)[c("alpha", shown)])
}

#' @exportS3Method
draw_features.prior_ibp <- function(prior, rows) {
  rows <- check_count(rows, "rows")
  hyper <- lapply(prior_hyperparameters(prior), draw_hyper)
  z <- draw_ibp(rows, hyper$alpha, hyper$concentration, prior$discount)
  structure(z, alpha = hyper$alpha, concentration = hyper$concentration)
}

#' @exportS3Method
prior_n_features.prior_ibp <- function(prior, rows, n) {
  average(lapply(hyper_grid(prior$concentration), function(concentration) {
    poisson_features(prior$alpha, sum(ibp_rates(rows, concentration, prior$discount)), n)
  }))
}

# Draws from the Indian buffet process given that no row is empty
# Drawing whole matrices until one of them has no empty row is hopeless for small alpha and many
# rows. But given the probabilities pi_k of the dishes, the rows are independent, and each is empty
# with probability q = prod_k (1 - pi_k). So only the distribution of pi changes:
# 1. Row 1 has at least one dish, so its number of dishes is a Poisson variable given that it is not
# 0.
# 2. The other M - 1 rows then all have dishes with probability (1 - q)^(M - 1). pi is drawn from
# its law times q^-theta and accepted with probability proportional to q^theta (1 - q)^(M - 1).
# theta has about the value with the highest acceptance rate. For 10,000 rows the rate is about 0.1
# if alpha is near 0, and 0.4 to 0.9 if alpha is between 10 and 100.
# 3. Each of the other rows is drawn given pi until it is not empty.
# The law of pi times q^-theta is the law of a process with concentration c = 1 - theta and
# intensity alpha pi^-1 (1 - pi)^(c - 1). Row 1 takes a dish with probability pi. So it takes
# Poisson(alpha / c) dishes with pi ~ Beta(1, c), and leaves dishes with intensity alpha pi^-1 (1 -
# pi)^c.
draw_ibp_without_gaps <- function(rows, alpha) {
  # In this case, a row is empty with probability at most exp(-100).
  if (alpha > 100) return(draw_ibp(rows, alpha, 1, 0))
  others <- rows - 1
  # Maximum of log q^theta (1 - q)^others, which is attained at q = theta / (theta + others).
  log_peak <- function(theta) {
    if (others == 0) return(0)
    theta * log(theta / (theta + others)) - others * log1p(theta / others)
  }
  # The acceptance rate is inversely proportional to the product of the mean of q^-theta, over
  # matrices in which row 1 has a dish, and the maximum of q^theta (1 - q)^others.
  log_cost <- function(theta) {
    c <- 1 - theta
    log(-expm1(-alpha / c)) + alpha * (digamma(1) - digamma(c)) + log_peak(theta)
  }
  theta <- stats::optimize(log_cost, c(0, 1), tol = 0.01)$minimum
  c <- 1 - theta
  repeat {
    # Dishes are represented by -log(1 - pi), which stays accurate when pi rounds to 1. Row 1 takes
    # at least one dish. The first is the first event of a Poisson process on (0, alpha / c), and
    # the number of later events is the number of its other dishes.
    first <- -log1p(stats::runif(1) * expm1(-alpha / c))
    taken <- stats::rexp(1L + stats::rpois(1, max(alpha / c - first, 0)), c)
    # Dishes that row 1 does not take: of the dishes with intensity alpha pi^-1, for which log pi is
    # uniform, each is kept with probability (1 - pi)^c. There are infinitely many, but the
    # probability that any row takes a dish with pi below 1e-20 is negligible.
    lowest <- log(1e-20)
    left <- -log1p(-exp(lowest * stats::runif(stats::rpois(1, -alpha * lowest))))
    left <- left[stats::runif(length(left)) < exp(-c * left)]
    log_q <- -sum(taken, left)
    log_chance <- theta * log_q + others * log1p(-exp(log_q)) - log_peak(theta)
    if (log(stats::runif(1)) < log_chance) break
  }
  fill_rows(rows, -expm1(-c(taken, left)), length(taken))
}

# Row 1 has the first `taken` dishes. Each other row draws dishes with probabilities p until it has
# at least one.
fill_rows <- function(rows, p, taken) {
  at <- cbind(rep(1L, taken), seq_len(taken))
  empty <- seq_len(rows)[-1]
  while (length(empty) > 0) {
    takers <- stats::rbinom(length(p), length(empty), p)
    chosen <- unlist(lapply(takers, \(n) sample.int(length(empty), n)))
    at <- rbind(at, cbind(empty[chosen], rep(seq_along(p), takers)))
    empty <- setdiff(empty, at[, 1])
  }
  dishes <- unique(at[order(at[, 1]), 2])
  z <- matrix(0L, rows, length(dishes))
  z[cbind(at[, 1], match(at[, 2], dishes))] <- 1L
  z
}

# Prior probabilities of the numbers of non-empty features
# Learned hyperparameters are integrated out: alpha of an Indian buffet process in closed form,
# which gives a negative binomial distribution, and the others over 200 quantiles of their priors.
prior_n_features <- function(prior, rows, n) UseMethod("prior_n_features")

poisson_features <- function(alpha, mean_per_alpha, n) {
  if (!is_learned(alpha)) return(stats::dpois(n, alpha * mean_per_alpha))
  stats::dnbinom(n, alpha$shape, alpha$rate / (alpha$rate + mean_per_alpha))
}

hyper_grid <- function(hyper) {
  if (!is_learned(hyper)) return(hyper)
  stats::qgamma((seq_len(200) - 0.5) / 200, hyper$shape, hyper$rate)
}

average <- function(each) Reduce(`+`, each) / length(each)

limited_n_features <- function(prior, rows, n, most) {
  if (is.null(most)) return(prior_n_features(prior, rows, n))
  total <- sum(prior_n_features(prior, rows, seq(0, min(most, 1e5))))
  ifelse(n > most, 0, prior_n_features(prior, rows, n)) / total
}

#' The Indian buffet process distribution
#'
#' `ribp()` draws binary matrices from the Indian buffet process (IBP) with one, two or three
#' parameters, and `dibp()` gives their probabilities. `ribp_sticks()` draws the probabilities of
#' its columns in decreasing order.
#'
#' [prior_ibp()] defines the process. Let r_n be the mean number of new dishes of customer n if
#' `alpha` is 1, c the `concentration` and d the `discount`. The defaults give the one-parameter
#' process, r_n = 1/n.
#'
#' Consider a matrix with N rows and K+ non-empty columns, whose column k has m_k ones. Its
#' probability is
#' \deqn{\alpha^{K_+} e^{-\alpha\sum_n r_n} \prod_k \frac{\Gamma(1 + c)\Gamma(m_k - d)
#' \Gamma(N - m_k + c + d)}{\Gamma(1 - d)\Gamma(c + d)\Gamma(N + c)}}{
#' alpha^K+ exp(-alpha sum_n r_n)
#'   prod_k G(1 + c) G(m_k - d) G(N - m_k + c + d) / (G(1 - d) G(c + d) G(N + c)),}
#' divided by a number that depends on `class`:
#' \describe{
#'   \item{`"lof"`}{The product of K_h! over the different columns h, with K_h the number of columns
#'     equal to h. All matrices with the same left-ordered form ([left_order()]) are one outcome.}
#'   \item{`"shifted"`}{K+!. The order of the columns matters, as if it had been drawn uniformly at
#'     random.}
#'   \item{`"ordered"`}{The product over n of K_1^(n)!, with K_1^(n) the number of columns whose
#'     first one is in row n. The outcome is the matrix that the sequential buffet, and therefore
#'     `ribp()`, produces, with dishes in order of appearance. The probability is 0 for a matrix
#'     whose columns are in another order or include empty ones.} } For `"lof"` and `"shifted"`,
#'     empty columns of `z` are ignored, because the process has infinitely many of them.
#'
#' The k-th largest probability of a column of the one-parameter process is the product of nu_1,
#' ..., nu_k, with independent nu_l ~ Beta(alpha, 1) (Teh, Gorur and Ghahramani 2007, *AISTATS*,
#' 556-563, eq. 5). Its mean is (alpha / (1 + alpha))^k.
#'
#' @param rows (positive integer) Number of rows, N.
#' @param z (numeric, integer or logical matrix, data frame, or sparse matrix of the Matrix package)
#'   A matrix of zeros and ones with at least one row.
#' @param alpha (positive number) Mean number of dishes per row.
#' @param concentration (number above `-discount`) Small values make rows share their dishes; large
#'   values have the opposite effect. The default is 1.
#' @param discount (number in \[0, 1)) Exponent of the power law of the number of dishes (default 0:
#'   no power law).
#' @param class (string) Which matrices count as the same outcome: `"lof"` (default), `"shifted"` or
#'   `"ordered"`.
#' @param log (flag) Return the logarithm of the probability? The default is `FALSE`.
#' @return `ribp()`: an integer matrix of zeros and ones, `rows` x K+, with dishes in order of
#'   appearance. K+ is random and may be 0. `dibp()`: one number. `ribp_sticks()`: `n` decreasing
#'   probabilities. Very small ones underflow to 0.
#' @inherit prior_ibp references
#' @seealso [prior_ibp()] for its use as a prior, [rbeta_bernoulli()] for a fixed number of columns.
#' @examples
#' set.seed(3)
#' z <- ribp(4, alpha = 2)
#' z
#' # the probability of all matrices with the left-ordered form of z, and of z itself
#' dibp(z, alpha = 2)
#' dibp(z, alpha = 2, class = "ordered")
#' ribp_sticks(5, alpha = 3)
#' @export
ribp <- function(rows, alpha, concentration = 1, discount = 0) {
  rows <- check_count(rows, "rows")
  alpha <- check_positive(alpha, "alpha")
  discount <- check_number(discount, "discount", 0, 1, "[)")
  draw_ibp(rows, alpha, check_concentration(concentration, discount), discount)
}

# If row i is the first to take a dish, the urn of the dish for later rows is Beta(1 - d, i - 1 + c
# + d), so a whole column can be drawn at once.
draw_ibp <- function(rows, alpha, concentration, discount) {
  new <- stats::rpois(rows, alpha * ibp_rates(rows, concentration, discount))
  check_matrix_size(rows, sum(as.double(new)), "alpha", alpha)
  first <- rep(seq_len(rows), new)
  p <- stats::rbeta(length(first), 1 - discount, first - 1 + concentration + discount)
  draw_column <- function(k) {
    i <- first[k]
    c(integer(i - 1), 1L, as.integer(stats::runif(rows - i) < p[k]))
  }
  matrix(vapply(seq_along(first), draw_column, integer(rows)), rows, length(first))
}

# r_1, ..., r_rows by a recursion, which does not suffer from cancellation as log gamma functions do
ibp_rates <- function(rows, concentration, discount) {
  n <- seq_len(rows - 1)
  cumprod(c(1, (n - 1 + concentration + discount) / (n + concentration)))
}

#' @rdname ribp
#' @export
dibp <- function(z, alpha, concentration = 1, discount = 0,
                 class = c("lof", "shifted", "ordered"), log = FALSE) {
  z <- check_binary_matrix(z)
  alpha <- check_positive(alpha, "alpha")
  discount <- check_number(discount, "discount", 0, 1, "[)")
  concentration <- check_concentration(concentration, discount)
  class <- check_choice(class, c("lof", "shifted", "ordered"), "class")
  log <- check_flag(log, "log")
  out <- log_dibp(z, alpha, concentration, discount, class)
  if (log) out else exp(out)
}

log_dibp <- function(z, alpha, concentration, discount, class) {
  # Dishes must be in order of appearance, and none may be empty.
  if (class == "ordered" && (any(colSums(z) == 0) || is.unsorted(first_ones(z)))) return(-Inf)
  z <- used_columns(z)
  n <- nrow(z)
  m <- colSums(z)
  log_columns <- lbeta(m - discount, n - m + concentration + discount) -
    lbeta(1 - discount, concentration + discount)
  ncol(z) * log(alpha) - alpha * sum(ibp_rates(n, concentration, discount)) + sum(log_columns) -
    log_orders(z, class)
}

# Log of the factor by which the probability of a class is divided
log_orders <- function(z, class) {
  counts_of <- function(x) tabulate(match(x, unique(x)))
  counts <- switch(class,
    lof = counts_of(column_keys(z)),
    shifted = ncol(z),
    ordered = counts_of(first_ones(z))
  )
  sum(lfactorial(counts))
}

used_columns <- function(z) z[, colSums(z) > 0, drop = FALSE]

first_ones <- function(z) vapply(seq_len(ncol(z)), \(k) which.max(z[, k]), 1L)
