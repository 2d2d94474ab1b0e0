#' Left-ordered form of a binary matrix
#'
#' Sorts the columns as binary numbers whose most significant digit is in the first row, largest
#' first. Matrices that differ only by the order of their columns have the same left-ordered form,
#' so it represents them all (Griffiths and Ghahramani 2011, section 2.2). Empty columns come last.
#'
#' @param z Matrix of zeros and ones with at least one row: numeric, integer or logical matrix, data
#'   frame, or sparse matrix of the Matrix package.
#' @return An integer matrix with the rows of `z` and its columns in the new order, with their
#'   names. Equal columns keep their order.
#' @references
#' Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and
#' review. *Journal of Machine Learning Research* 12, 1185-1224.
#' @seealso [dibp()], whose class `"lof"` is the probability of the left-ordered form.
#' @examples
#' set.seed(1)
#' left_order(rbeta_bernoulli(6, 4, alpha = 2))
#' @export
left_order <- function(z) {
  z <- check_binary_matrix(z)
  # Sorting strings takes a kilobyte for every digit that columns agree in, so these are short.
  starts <- seq(1, nrow(z), by = 1000)
  keys <- lapply(starts, \(i) column_keys(z[i:min(i + 999, nrow(z)), , drop = FALSE]))
  z[, do.call(order, c(keys, list(decreasing = TRUE, method = "radix"))), drop = FALSE]
}

#' Every column as a string of digits: exact for any number of rows, unlike a number
#' @noRd
column_keys <- function(z) {
  digits <- as.raw(48L + z)
  dim(digits) <- dim(z)
  vapply(seq_len(ncol(z)), \(k) rawToChar(digits[, k]), "")
}
