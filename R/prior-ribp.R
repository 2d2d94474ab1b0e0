#' The Indian buffet process distribution
#'
#' `ribp()` draws binary matrices from the Indian buffet process (IBP) with one, two or three
#' parameters, and `dibp()` gives their probabilities.
#'
#' @details
#' In the metaphor of the buffet, rows are customers and columns are dishes. Customer n takes a dish
#' that m earlier customers took with probability (m - d) / (n - 1 + c), and then Poisson(alpha r_n)
#' new dishes, with
#' \deqn{r_n = \frac{\Gamma(1 + c) \, \Gamma(n - 1 + c + d)}{\Gamma(n + c) \, \Gamma(c + d)},}{
#' r_n = G(1 + c) G(n - 1 + c + d) / (G(n + c) G(c + d)), G the gamma function,}
#' where c is the `concentration` and d the `discount` (Teh and Gorur 2009). The defaults are the
#' one-parameter process, r_n = 1/n.
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
#'     first one is in row n. The outcome is the matrix that the sequential buffet, and so `ribp()`,
#'     produces, with dishes in order of appearance. The probability is 0 for a matrix with other
#'     columns: in another order, or empty.}
#' }
#' For `"lof"` and `"shifted"`, empty columns of `z` are ignored, because the process has infinitely
#' many of them.
#'
#' @param rows (positive integer) Number of rows, N.
#' @param z (numeric, integer or logical matrix, data frame, or sparse matrix of the Matrix package)
#'   A matrix of zeros and ones with at least one row.
#' @param alpha (positive number) Mean number of dishes of a row.
#' @param concentration (number above `-discount`) Small values make rows share their dishes, large
#'   values keep them apart. The default is 1.
#' @param discount (number in \[0, 1)) Exponent of the power law of the number of dishes (default 0:
#'   there is none).
#' @param class (string) Which matrices count as the same outcome: `"lof"` (default), `"shifted"` or
#'   `"ordered"`.
#' @param log (flag) Return the logarithm of the probability? The default is `FALSE`.
#' @return `ribp()`: an integer matrix of zeros and ones, `rows` x K+, with dishes in order of
#'   appearance. K+ is random and may be 0. `dibp()`: one number.
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224.
#'
#' Ghahramani, Z., Griffiths, T. L. and Sollich, P. (2007). Bayesian nonparametric latent feature
#' models. *Bayesian Statistics* 8, 201-226.
#'
#' Teh, Y. W. and Gorur, D. (2009). Indian buffet processes with power-law behavior. *Advances in
#' Neural Information Processing Systems* 22.
#' @seealso [prior_ibp()] for its use as a prior, [rbeta_bernoulli()] for a fixed number of columns,
#'   [ribp_sticks()] for the stick-breaking representation.
#' @examples
#' set.seed(3)
#' z <- ribp(4, alpha = 2)
#' z
#' # the probability of all matrices with the left-ordered form of z, and of z itself
#' dibp(z, alpha = 2)
#' dibp(z, alpha = 2, class = "ordered")
#' # under the three-parameter process
#' dibp(z, alpha = 2, concentration = 3, discount = 0.5, log = TRUE)
#' @export
ribp <- function(rows, alpha, concentration = 1, discount = 0) {
  rows <- check_count(rows, "rows")
  alpha <- check_positive(alpha, "alpha")
  discount <- check_discount(discount)
  draw_ibp(rows, alpha, check_concentration(concentration, discount), discount)
}

# Given that its first taker is row i, the urn of a dish is Beta(1 - d, i - 1 + c + d) on later
# rows, so a column can be drawn at once
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

# r_1, ..., r_rows by a recursion without cancellation, unlike log gamma functions
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
  discount <- check_discount(discount)
  concentration <- check_concentration(concentration, discount)
  class <- check_choice(class, c("lof", "shifted", "ordered"), "class")
  log <- check_flag(log, "log")
  out <- log_dibp(z, alpha, concentration, discount, class)
  if (log) out else exp(out)
}

log_dibp <- function(z, alpha, concentration, discount, class) {
  if (class == "ordered" && !is_sequential(z)) return(-Inf)
  z <- used_columns(z)
  n <- nrow(z)
  m <- colSums(z)
  log_columns <- lbeta(m - discount, n - m + concentration + discount) -
    lbeta(1 - discount, concentration + discount)
  ncol(z) * log(alpha) - alpha * sum(ibp_rates(n, concentration, discount)) + sum(log_columns) -
    log_orders(z, class)
}

# Log of the number by which a class is divided
log_orders <- function(z, class) {
  counts <- switch(class,
    lof = table_counts(column_keys(z)),
    shifted = ncol(z),
    ordered = table_counts(first_ones(z))
  )
  sum(lfactorial(counts))
}

table_counts <- function(x) tabulate(match(x, unique(x)))

used_columns <- function(z) z[, colSums(z) > 0, drop = FALSE]

# True if dishes are in order of appearance and none is empty
is_sequential <- function(z) all(colSums(z) > 0) && !is.unsorted(first_ones(z))

first_ones <- function(z) vapply(seq_len(ncol(z)), \(k) which.max(z[, k]), 1L)
