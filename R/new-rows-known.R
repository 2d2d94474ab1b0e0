# New rows where loadings are those of a draw, and those of features that only the row has are
# drawn: nonnegative loadings of numbers, weights of binary data. What an entry says of one such
# loading is known in closed form, or summed.

#' @param x NA where missing.
#' @param loadings K x D.
#' @param base What a row without features has in every column.
#' @param entries The class: what its entries are.
#' @noRd
known_rows <- function(x, loadings, base, sigma_a, prior, entries, ...) {
  structure(
    c(list(x = x, loadings = loadings, base = base, sigma_a = sigma_a), prior, list(...)),
    class = c(entries, "known_rows")
  )
}

#' Log density of every entry given its signal; that of one loading more integrated out, less that;
#' and a draw of this loading
#' @noRd
entry_log_densities <- function(law, x, signal) UseMethod("entry_log_densities")
log_gain_of_own <- function(law, x, signal) UseMethod("log_gain_of_own")
draw_own_loadings <- function(law, x, signal) UseMethod("draw_own_loadings")

#' @param own list(count, of every row; loadings, rows x D x most_own; sum, of these, rows x D).
#' @noRd
signal_of <- function(law, z, own) {
  z %*% law$loadings + own$sum + rep(law$base, each = nrow(z))
}

#' @exportS3Method
#' @noRd
row_log_densities.known_rows <- function(law, z, own) {
  rowSums(entry_log_densities(law, law$x, signal_of(law, z, own)), na.rm = TRUE)
}

#' Births and deaths: which is tried is decided by a coin, which of them dies by a fair lot, and the
#' loadings of one that is born are drawn given the rest, so that what decides is the ratio of
#' densities with these integrated out
#' @exportS3Method
#' @noRd
draw_own.known_rows <- function(law, z, own) {
  size <- dim(law$x)
  if (is.null(own)) {
    loadings <- array(0, c(size, most_own))
    return(list(count = numeric(size[1]), loadings = loadings, sum = matrix(0, size[1], size[2])))
  }
  for (n in 1:2) own <- draw_one_own(law, z, own)
  own
}

#' One birth, death or draw of the loadings of one feature in every row
#' @noRd
draw_one_own <- function(law, z, own) {
  rows <- nrow(z)
  move <- sample(c("birth", "death", "again"), rows, replace = TRUE)
  at <- ifelse(move == "birth", own$count + 1, ceiling(stats::runif(rows) * own$count))
  tried <- which(at >= 1 & at <= most_own)
  if (length(tried) == 0) return(own)
  move <- move[tried]
  x <- law$x[tried, , drop = FALSE]
  places <- cbind(tried[row(x)], as.vector(col(x)), at[tried][row(x)])
  held <- matrix(own$loadings[places], length(tried))
  rest <- signal_of(law, z, own)[tried, , drop = FALSE] - held
  gain <- rowSums(log_gain_of_own(law, x, rest), na.rm = TRUE)
  before <- own$count[tried] - (move == "death")
  log_ratio <- law$log_own[pmin(before + 2, most_own + 1)] - law$log_own[before + 1] + gain
  log_ratio <- ifelse(move == "again", Inf, ifelse(move == "birth", log_ratio, -log_ratio))
  done <- log(stats::runif(length(tried))) < log_ratio
  held[done & move == "death", ] <- 0
  taken <- done & move != "death"
  if (any(taken)) {
    held[taken, ] <- draw_own_loadings(law, x[taken, , drop = FALSE], rest[taken, , drop = FALSE])
  }
  own$loadings[places] <- held
  own$count[tried] <- own$count[tried] + done * ((move == "birth") - (move == "death"))
  own <- close_gaps(own, tried[done & move == "death"], at)
  if (any(done)) own$sum <- rowSums(own$loadings, dims = 2)
  own
}

#' The last of a row's features takes the place of one that died
#' @noRd
close_gaps <- function(own, rows, at) {
  for (i in rows) {
    last <- own$count[i] + 1
    own$loadings[i, , at[i]] <- own$loadings[i, , last]
    own$loadings[i, , last] <- 0
  }
  own
}

# Numbers with nonnegative loadings: half-normal ones of variance sigma_a^2.

#' @exportS3Method
#' @noRd
entry_log_densities.nonnegative_rows <- function(law, x, signal) {
  stats::dnorm(x, signal, rep(law$sigma_x, each = nrow(x)), log = TRUE)
}

#' The normal, truncated at 0, of one loading more
#' @noRd
own_nonnegative <- function(law, x, signal) {
  noise <- rep(law$sigma_x^2, each = nrow(x))
  seen <- !is.na(x)
  variance <- 1 / (1 / law$sigma_a^2 + seen / noise)
  list(location = variance * ifelse(seen, x - signal, 0) / noise, scale = sqrt(variance))
}

#' @exportS3Method
#' @noRd
log_gain_of_own.nonnegative_rows <- function(law, x, signal) {
  sigma_x <- rep(law$sigma_x, each = nrow(x))
  one <- own_nonnegative(law, x, signal)
  log(2) + stats::pnorm(one$location / one$scale, log.p = TRUE) +
    stats::dnorm(x, signal, sqrt(sigma_x^2 + law$sigma_a^2), log = TRUE) -
    stats::dnorm(x, signal, sigma_x, log = TRUE)
}

#' @exportS3Method
#' @noRd
draw_own_loadings.nonnegative_rows <- function(law, x, signal) {
  one <- own_nonnegative(law, x, signal)
  nonnegative_draw_cpp(one$location, matrix(one$scale, nrow(x)), draw_seed())
}

#' The signal of every entry, and a replicate of the entry
#' @noRd
draw_nonnegative_rows <- function(law) {
  state <- draw_row_features(law, nrow(law$x))
  mean <- signal_of(law, state$z, state$own)
  noise <- rep(law$sigma_x, each = nrow(mean))
  list(mean = mean, data = mean + noise * stats::rnorm(length(mean)))
}

# Binary data: weights that are N(0, sigma_a^2).

#' @exportS3Method
#' @noRd
entry_log_densities.binary_rows <- function(law, x, signal) {
  stats::plogis((2 * x - 1) * signal, log.p = TRUE)
}

#' Weights from -6 to 6 standard deviations, and their log prior probabilities
#' @noRd
own_grid <- function() {
  at <- seq(-6, 6, length.out = 61)
  log_p <- stats::dnorm(at, log = TRUE)
  list(at = at, log_p = log_p - log(sum(exp(log_p))))
}

#' Prior times likelihood on the grid, entries x grid; of missing entries the prior
#' @noRd
own_weights_on_grid <- function(law, x, signal) {
  grid <- own_grid()
  sign <- as.vector(2 * x - 1)
  likelihood <- stats::plogis(sign * outer(as.vector(signal), law$sigma_a * grid$at, `+`))
  likelihood[is.na(sign), ] <- 1
  likelihood * rep(exp(grid$log_p), each = length(sign))
}

#' @exportS3Method
#' @noRd
log_gain_of_own.binary_rows <- function(law, x, signal) {
  gain <- log(rowSums(own_weights_on_grid(law, x, signal)))
  matrix(gain, nrow(x)) - entry_log_densities(law, x, signal)
}

#' A point of the grid, moved within its cell
#' @exportS3Method
#' @noRd
draw_own_loadings.binary_rows <- function(law, x, signal) {
  weights <- own_weights_on_grid(law, x, signal)
  at <- draw_columns(log(weights))
  grid <- own_grid()
  moved <- grid$at[at] + (grid$at[2] - grid$at[1]) * (stats::runif(length(at)) - 0.5)
  matrix(law$sigma_a * moved, nrow(x))
}

#' The probability of a 1 of every entry, and a replicate of the entry
#' @noRd
draw_binary_rows <- function(law) {
  state <- draw_row_features(law, nrow(law$x))
  mean <- stats::plogis(signal_of(law, state$z, state$own))
  list(mean = mean, data = matrix(stats::rbinom(length(mean), 1, mean), nrow(mean)))
}
