# Rows that are not in the data, drawn given each draw of a fit: their features, what these make of
# them, and noise. predict() averages what the core finds; here single states are needed.

#' What draws new rows given a draw of a fit
#' @param rows As new_row_data() has them.
#' @return A function of a draw that gives list(mean, data), rows x what posterior_epred() and
#'   posterior_predict() have, on the data's scale.
#' @noRd
new_row_drawer <- function(fit, rows) UseMethod("new_row_drawer")

#' New rows in the form of the data
#' @noRd
new_row_data <- function(fit, newdata) UseMethod("new_row_data")

#' @exportS3Method
#' @noRd
new_row_data.buffet_fit <- function(fit, newdata) checked_rows(newdata, fit)

#' Draws of new rows, draws x rows x columns: their `"mean"` or `"data"`
#' @noRd
stack_new_rows <- function(fit, newdata, ndraws, what, default = default_ndraws) {
  which <- check_ndrawn(ndraws, fit, default)
  rows <- new_row_data(fit, newdata)
  drawer <- new_row_drawer(fit, rows)
  size <- dim(rows)
  values <- over_draws(which, function(draw) drawer(draw)[[what]], matrix(0, size[1], size[2]))
  names <- list(rownames(rows), colnames(fit$model$data$x), NULL)
  aperm(array(values, c(size, length(which)), names), c(3, 1, 2))
}

#' One number that governs the random numbers of the core
#' @noRd
draw_seed <- function() sample.int(.Machine$integer.max, 1)

#' What the prior says of one more row given a draw: log odds of the features that `counts` rows
#' have, and log probabilities of 0, 1, ... features of its own
#' @noRd
law_of_next <- function(fit, draw, counts) {
  prior <- fit$model$prior
  names <- names(prior_hyperparameters(prior))
  hyper <- lapply(stats::setNames(names, names), function(name) scalar(fit, name)[draw])
  next_row_law(prior, hyper, nobs(fit), counts)
}

#' The same of an exchangeable prior with these hyperparameters
#' @return list(log_odds, log_own), the latter of 0 to most_own.
#' @noRd
next_row_law <- function(prior, hyper, rows, counts) UseMethod("next_row_law")

#' No new row has more features of its own
#' @noRd
most_own <- 12L

#' The temperatures at which features of new rows cool down, as in the core, and how often they are
#' then drawn
#' @noRd
new_row_temperatures <- 2^(8:0)
new_row_sweeps <- 10

#' Features of new rows, drawn given a draw
#'
#' @param law What a draw says of them: a list with `log_odds`, of the features of the data, and
#'   methods for row_log_densities() and draw_own().
#' @return list(z, own): rows x features of the data, and the features of their own as the law has
#'   them.
#' @noRd
draw_row_features <- function(law, rows) {
  own <- draw_own(law, matrix(0, rows, length(law$log_odds)), NULL)
  z <- cooled_features(law, rows, own)
  for (sweep in seq_len(new_row_sweeps)) {
    for (k in sample.int(ncol(z))) z <- draw_states(law, z, own, k, 1)
    own <- draw_own(law, z, own)
  }
  list(z = z, own = own)
}

#' Where the draws begin: up to eight features are drawn at once. Of more each is drawn with another in
#' turn while they cool down, since features whose sums are alike do not change places one at a time
#' @noRd
cooled_features <- function(law, rows, own) {
  z <- matrix(0, rows, length(law$log_odds))
  if (ncol(z) == 0) return(z)
  if (ncol(z) <= 8) return(draw_states(law, z, own, seq_len(ncol(z)), 1))
  for (temperature in new_row_temperatures) {
    for (k in seq_len(ncol(z))) {
      other <- (k - 1 + sample.int(ncol(z) - 1, 1)) %% ncol(z) + 1
      z <- draw_states(law, z, own, c(k, other), temperature)
    }
  }
  z
}

#' A column of each row in proportion to its weights: where the sum of log weight and Gumbel noise is
#' largest
#' @noRd
draw_columns <- function(log_weights) {
  max.col(log_weights - log(stats::rexp(length(log_weights))))
}

#' Draws some features of every row given all others
#' @noRd
draw_states <- function(law, z, own, which, temperature) {
  states <- as.matrix(expand.grid(rep(list(0:1), length(which))))
  log_p <- vapply(seq_len(nrow(states)), function(s) {
    z[, which] <- rep(states[s, ], each = nrow(z))
    sum(states[s, ] * law$log_odds[which]) + row_log_densities(law, z, own)
  }, numeric(nrow(z)))
  log_p <- matrix(log_p, nrow(z))
  z[, which] <- states[draw_columns(log_p / temperature), ]
  z
}

#' Log densities of rows with features z and those of their own
#' @noRd
row_log_densities <- function(law, z, own) UseMethod("row_log_densities")

#' Features that only the new row has, drawn given the others; those it starts with where `own` is
#' NULL
#' @noRd
draw_own <- function(law, z, own) UseMethod("draw_own")
