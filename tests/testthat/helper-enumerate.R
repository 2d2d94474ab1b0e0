# Enumeration of binary matrices, independent of the package.

#' All binary matrices with n rows and k columns
all_matrices <- function(n, k) {
  lapply(seq_len(2^(n * k)) - 1, \(code) matrix((code %/% 2^(seq_len(n * k) - 1)) %% 2, n, k))
}

#' One matrix from every left-ordered class with n rows and k non-empty columns
all_classes <- function(n, k) {
  if (k == 0) return(list(matrix(0, n, 0)))
  histories <- rev(seq_len(2^n - 1))
  picks <- utils::combn(length(histories) + k - 1, k) - (seq_len(k) - 1)
  lapply(seq_len(ncol(picks)), \(j) from_histories(histories[picks[, j]], n))
}

#' Columns as binary numbers, with the first row as the most significant bit
from_histories <- function(h, n) {
  matrix(vapply(h, \(x) (x %/% 2^((n - 1):0)) %% 2, double(n)), n, length(h))
}
to_histories <- function(z) as.vector(2^((nrow(z) - 1):0) %*% z)

#' Expects drawn matrices, whose columns may be in any order, to have the probabilities of these
#' classes
expect_classes <- function(drawn, classes, mass) {
  key <- function(z) paste(sort(to_histories(z), decreasing = TRUE), collapse = " ")
  names <- vapply(classes, key, "")
  seen <- vapply(drawn, key, "")
  seen <- factor(ifelse(seen %in% names, seen, "more"), c(names, "more"))
  expect_chisq(as.vector(table(seen)), c(mass, 1 - sum(mass)))
}

permutations <- function(k) {
  if (k <= 1) return(list(seq_len(k)))
  unlist(lapply(permutations(k - 1), \(p) lapply(0:(k - 1), \(at) append(p, k, at))), FALSE)
}

#' The distinct matrices obtained by reordering the columns of z
reorderings <- function(z) unique(lapply(permutations(ncol(z)), \(p) z[, p, drop = FALSE]))

#' The r_n of the three-parameter process, from the printed formula
printed_rates <- function(n, c, d) {
  i <- seq_len(n)
  gamma(1 + c) * gamma(i - 1 + c + d) / (gamma(i + c) * gamma(c + d))
}

ibp_variants <- list(c(c = 1, d = 0), c(c = 2.5, d = 0), c(c = 0.7, d = 0.4), c(c = -0.2, d = 0.5))
