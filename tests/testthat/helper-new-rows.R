# New rows given one draw of a small fit.

small_z <- cbind(c(1, 1, 1, 0, 0, 1), c(0, 1, 0, 1, 0, 1))

#' Every pattern of the features of the data, combined with up to 12 singletons of the new row, with
#' their log prior probabilities
#' @param size The number of features of a finite model.
next_cases <- function(z, alpha, most = 12, concentration = 1, discount = 0, size = Inf) {
  finite <- is.finite(size)
  rows <- nrow(z) + 1
  a <- if (finite) alpha * concentration / size else -discount
  total <- rows - 1 + concentration + if (finite) a else 0
  on <- (colSums(z) + a) / total
  cases <- as.matrix(expand.grid(
    c(rep(list(0:1), ncol(z)), list(0:min(most, size - ncol(z))))
  ))
  bits <- cases[, seq_len(ncol(z)), drop = FALSE]
  own <- cases[, ncol(z) + 1]
  log_own <- if (finite) {
    stats::dbinom(own, size - ncol(z), a / total, log = TRUE)
  } else {
    stats::dpois(own, alpha * printed_rates(rows, concentration, discount)[rows], log = TRUE)
  }
  list(bits = bits, own = own, log_p = drop(bits %*% log(on) + (1 - bits) %*% log1p(-on)) + log_own)
}

#' Draws, one per row, with their products as additional columns
moments_of <- function(draws) {
  cbind(draws, t(apply(draws, 1, function(row) as.vector(row %o% row))))
}
