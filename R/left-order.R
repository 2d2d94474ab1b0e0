#' Left-ordered form of a binary matrix
#'
#' Sorts the columns of a binary matrix from left to right in decreasing order of the binary numbers
#' that they spell, with the most significant digit in the first row. Matrices that differ only in
#' the order of their columns have the same left-ordered form, which represents all of them
#' (Griffiths and Ghahramani 2011, section 2.2). Empty columns come last.
#'
#' @param z (binary matrix) Zeros and ones with at least one row: a numeric or logical matrix, a
#'   data frame, or a sparse matrix of the package Matrix.
#' @return An integer matrix with the rows of `z` and all of its columns in the new order, with
#'   their names. Equal columns keep their order.
#' @references Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an
#'   introduction and review. *Journal of Machine Learning Research* 12, 1185-1224.
#' @seealso [dibp()]: its class `"lof"` gives the probability of the left-ordered form.
#' @examples
#' set.seed(1)
#' z <- rbeta_bernoulli(6, 4, alpha = 2)
#' left_order(z)
#' # the order of the columns of z does not matter
#' identical(left_order(z), left_order(z[, 4:1]))
#' @export
left_order <- function(z) {
  z <- check_binary_matrix(z)
  # Sorting strings needs memory for common prefixes, so these are short.
  starts <- seq(1, nrow(z), by = 1000)
  keys <- lapply(starts, \(i) column_keys(z[i:min(i + 999, nrow(z)), , drop = FALSE]))
  z[, do.call(order, c(keys, list(decreasing = TRUE, method = "radix"))), drop = FALSE]
}

column_keys <- function(z) {
  digits <- as.raw(48L + z)
  dim(digits) <- dim(z)
  vapply(seq_len(ncol(z)), \(k) rawToChar(digits[, k]), "")
}
