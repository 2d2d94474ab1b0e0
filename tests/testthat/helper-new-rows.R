# New rows given one draw of a small fit.

small_z <- cbind(c(1, 1, 1, 0, 0, 1), c(0, 1, 0, 1, 0, 1))

#' Every pattern of the features of the data and up to 12 of a row's own, with their log prior
next_cases <- function(z, s, most = 12) {
  n <- nrow(z)
  on <- colSums(z) / (n + 1)
  cases <- as.matrix(expand.grid(c(rep(list(0:1), ncol(z)), list(0:most))))
  log_p <- apply(cases, 1, function(case) {
    bits <- case[seq_len(ncol(z))]
    sum(ifelse(bits == 1, log(on), log(1 - on))) +
      stats::dpois(case[[ncol(z) + 1]], s[["alpha"]] / (n + 1), log = TRUE)
  })
  list(bits = cases[, seq_len(ncol(z)), drop = FALSE], own = cases[, ncol(z) + 1], log_p = log_p)
}

#' Draws, one a row, with their products
moments_of <- function(draws) {
  cbind(draws, t(apply(draws, 1, function(row) as.vector(row %o% row))))
}
