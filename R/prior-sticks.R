#' Stick lengths of the Indian buffet process
#'
#' The probabilities of the features of an Indian buffet process in decreasing order, as a stick of
#' length 1 that is broken again and again: mu_(k) is the product of nu_1, ..., nu_k with
#' independent nu_l ~ Beta(alpha, 1) (Teh, Gorur and Ghahramani 2007, eq. 5). The mean of mu_(k) is
#' (alpha / (1 + alpha))^k.
#'
#' @param n Number of sticks: one whole number of at least 1.
#' @param alpha One positive number.
#' @return A vector of `n` probabilities, decreasing; far down they underflow to 0.
#' @references
#' Teh, Y. W., Gorur, D. and Ghahramani, Z. (2007). Stick-breaking construction for the Indian
#' buffet process. *Proceedings of AISTATS* 2, 556-563.
#' @seealso [ribp()], whose matrices have columns with these probabilities, summed out.
#' @examples
#' set.seed(1)
#' ribp_sticks(5, alpha = 3)
#' @export
ribp_sticks <- function(n, alpha) {
  n <- check_count(n, "n")
  alpha <- check_positive(alpha, "alpha")
  # -log(nu) is exponential with rate alpha
  exp(-cumsum(stats::rexp(n)) / alpha)
}
