#' Expected width and depth of cascades
#'
#' These functions compute the expected size of networks from the cascading Indian buffet process
#' ([prior_cascade()]) above a layer of `k` units. `cascade_width()` returns the mean number of
#' units in the next layer. `cascade_depth()` returns the mean number of hidden layers and the mean
#' total number of hidden units.
#'
#' A layer of k units has Poisson(alpha H(k)) parents, where H(k) is the sum of c / (c + i - 1) over
#' i = 1, ..., k, and c is the `concentration`. The mean width of the next layer is therefore alpha
#' H(k). If alpha has a gamma prior, the number of parents is negative binomial, and alpha is
#' replaced by its prior mean. The widths of the layers form a Markov chain that ends at 0. With the
#' transition probabilities P(k, j) and sums over j >= 1,
#'
#' layers(k) = sum_j P(k, j) (1 + layers(j)), units(k) = sum_j P(k, j) (j + units(j)).
#'
#' The chain is truncated at a state so high that the relative change in the results is below 1e-12.
#' It is solved by the state reduction of Grassmann, Taksar and Heyman, which uses no subtractions.
#' The depth is therefore accurate however large it is.
#'
#' @param k (whole numbers) Number of units of the layer. For `cascade_width()` a vector of whole
#'   numbers from 0 to 1e7, for `cascade_depth()` one whole number from 1 to 1e7.
#' @param alpha (positive number or [gamma_prior()]) Mean number of parents of a unit. With a
#'   `gamma_prior()` every layer draws its own alpha from that prior.
#' @param concentration (positive number) The concentration of the process, 1 by default. With large
#'   values, units share fewer parents, so layers are wider.
#' @return `cascade_width()`: a numeric vector with the mean width for each `k`.
#'
#'   `cascade_depth()`: a numeric vector with the elements `layers` and `units`. The computation
#'   takes a few seconds with 1500 states. An error is raised if more are needed, as with the
#'   broadest gamma priors and with thousands of units and a large `concentration`, or if the depth
#'   exceeds the largest double, as with a fixed `alpha` above about 99.
#' @references Adams, R. P., Wallach, H. M. and Ghahramani, Z. (2010). Learning the structure of
#'   deep sparse graphical models. *AISTATS*, 1-8.
#'
#' Grassmann, W. K., Taksar, M. I. and Heyman, D. P. (1985). Regenerative analysis and steady state
#' distributions for Markov chains. *Operations Research* 33, 1107-1116.
#' @seealso [rcascade()]
#' @examples
#' # the mean width grows with the logarithm of the number of units below
#' cascade_width(c(1, 10, 100), alpha = 2)
#' # the depth above 70 visible units explodes with alpha ...
#' sapply(c(0.5, 1, 2, 3), function(alpha) cascade_depth(70, alpha))
#' # ... and with the breadth of its prior: both priors have mean 1
#' cascade_depth(70, gamma_prior(2, 2))
#' cascade_depth(70, gamma_prior(1, 1))
#' @export
cascade_width <- function(k, alpha, concentration = 1) {
  check_given(k, "k")
  valid <- is.numeric(k) && !is.object(k) && all(is.finite(k) & k >= 0 & k <= 1e7 & k %% 1 == 0)
  if (!valid) stop_argument("k", "be whole numbers from 0 to 1e7", k)
  alpha <- check_hyper(alpha, "alpha")
  widths <- mean_widths(k, alpha, check_positive(concentration, "concentration"))
  if (!all(is.finite(widths))) {
    was <- format(alpha, digits = 15)
    stop_argument("alpha", "be small enough for a finite mean width", was = was)
  }
  widths
}

mean_widths <- function(k, alpha, concentration) {
  prior_mean(alpha) * c(0, cumsum(ibp_rates(max(k, 1), concentration, 0)))[k + 1]
}

#' @rdname cascade_width
#' @export
cascade_depth <- function(k, alpha, concentration = 1) {
  if (!(is_whole(k) && k >= 1 && k <= 1e7)) {
    stop_argument("k", "be one whole number from 1 to 1e7", k)
  }
  alpha <- check_hyper(alpha, "alpha")
  concentration <- check_positive(concentration, "concentration")
  most <- 1500
  states <- max(16, enough_states(mean_widths(k, alpha, concentration), alpha, most))
  # Add states until the truncation error is negligible.
  while (states <= most) {
    out <- depth_within(states, k, alpha, concentration)
    if (!all(is.finite(out))) break
    if (out[["last"]] * states <= 1e-13 * out[["layers"]]) return(out[c("layers", "units")])
    states <- if (states < most) min(ceiling(1.5 * states), most) else Inf
  }
  must <- sprintf("be small enough for at most %d states and a finite depth", most)
  stop_argument("alpha", must, was = format(alpha, digits = 15))
}

# The first width above which all probabilities are negligible, or Inf if that width exceeds `most`.
# Under a gamma prior with a tiny shape, layers are rare but huge.
enough_states <- function(mean, alpha, most) {
  if (!isTRUE(mean < 1e6)) return(Inf)
  above <- width_tail(0:most, mean, alpha)
  c(which(above <= min(1e-16, 1e-13 * above[1])) - 1, Inf)[1]
}

# Depth of the chain of widths truncated at `states`.
# Returns c(layers, units, last). `last` is the expected number of visits to the last state,
# which bounds the truncation error.
depth_within <- function(states, k, alpha, concentration) {
  means <- mean_widths(c(seq_len(states), k), alpha, concentration)
  # Probabilities of the widths 0, ..., states, with one row per mean. The last column also includes
  # all larger widths.
  widths <- rep(seq_len(states) - 1, each = length(means))
  learned <- is_learned(alpha)
  p <- if (learned) stats::dnbinom(widths, alpha$shape, mu = means) else stats::dpois(widths, means)
  p <- cbind(matrix(p, length(means)), width_tail(states - 1, means, alpha))
  rewards <- cbind(layers = width_tail(0, means, alpha), units = means, last = p[, states + 1])
  from_k <- states + 1
  totals <- total_rewards(p[-from_k, , drop = FALSE], rewards[-from_k, , drop = FALSE])
  rewards[from_k, ] + drop(p[from_k, -1] %*% totals)
}

width_tail <- function(width, means, alpha) {
  if (!is_learned(alpha)) return(stats::ppois(width, means, lower.tail = FALSE))
  stats::pnbinom(width, alpha$shape, mu = means, lower.tail = FALSE)
}

# Expected total rewards, earned at every visit to a state, until absorption in state 0.
# State reduction (GTH) eliminates states from the last one down, and accounts for visits to them in
# the probabilities and rewards of the states below. It is accurate because it uses only
# off-diagonal probabilities and no subtraction. States are eliminated in blocks, so most of the
# work is matrix products.
# p: Matrix, n x (n + 1), of transitions from the states 1, ..., n to 0, 1, ..., n.
# rewards: Matrix with n rows.
total_rewards <- function(p, rewards) {
  n <- nrow(p)
  paid <- n + 1 + seq_len(ncol(rewards))
  p <- cbind(p, rewards)
  for (block in rev(split(seq_len(n), (seq_len(n) - 1) %/% 32))) {
    above <- seq_len(block[1] - 1)
    # Eliminate states from the rows of the block, and from the transitions of earlier rows into it.
    for (state in rev(block)) {
      to <- c(seq_len(state), paid)
      p[state, to] <- p[state, to] / sum(p[state, seq_len(state)])
      inside <- block[block < state]
      p[inside, to] <- p[inside, to] + outer(p[inside, state + 1], p[state, to])
      into <- inside + 1
      p[above, into] <- p[above, into] + outer(p[above, state + 1], p[state, into])
    }
    kept <- c(seq_len(block[1]), paid)
    p[above, kept] <- p[above, kept, drop = FALSE] +
      p[above, block + 1, drop = FALSE] %*% p[block, kept, drop = FALSE]
  }
  for (state in seq_len(n)[-1]) {
    below <- seq_len(state - 1)
    p[state, paid] <- p[state, paid] + p[state, below + 1] %*% p[below, paid, drop = FALSE]
  }
  p[, paid, drop = FALSE]
}
