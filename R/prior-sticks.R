#' Stick lengths of the Indian buffet process
#'
#' Draws the probabilities of the features of an Indian buffet process in decreasing order, as the
#' lengths of a stick that is broken again and again.
#'
#' @details
#' The k-th largest probability, mu_(k), is the product of nu_1, ..., nu_k, with independent nu_l ~
#' Beta(alpha, 1) (Teh, Gorur and Ghahramani 2007, eq. 5). Its mean is (alpha / (1 + alpha))^k.
#'
#' @param n (positive integer) Number of sticks, the largest probabilities.
#' @param alpha (positive number) Mean number of features of a row.
#' @return A numeric vector of `n` decreasing probabilities. Very small ones underflow to 0.
#' @references
#' Teh, Y. W., Gorur, D. and Ghahramani, Z. (2007). Stick-breaking construction for the Indian
#' buffet process. *Proceedings of AISTATS* 2, 556-563.
#' @seealso [ribp()] draws matrices whose columns have such probabilities.
#' @examples
#' set.seed(1)
#' ribp_sticks(5, alpha = 3)
#' # means over many draws, and by the formula
#' round(rowMeans(replicate(2000, ribp_sticks(5, alpha = 3))), 2)
#' round((3 / 4)^(1:5), 2)
#' @export
ribp_sticks <- function(n, alpha) {
  n <- check_count(n, "n")
  alpha <- check_positive(alpha, "alpha")
  ibp_sticks_cpp(n, alpha)
}
