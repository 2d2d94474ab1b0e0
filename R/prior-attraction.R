#' The attraction Indian buffet distribution as a prior over features
#'
#' A prior on binary matrices whose rows have known pairwise distances. Rows that are close to each
#' other tend to share their features, and the number of features is distributed as under the Indian
#' buffet process.
#'
#' Rows enter one after the other, as customers of a buffet. The n-th row, i, takes a dish that
#' earlier rows have taken with probability
#' \deqn{\frac{n - 1}{n} \, \frac{\sum_{j \textrm{ with the dish}} s(i, j)}{\sum_j s(i, j)},}{
#' (n - 1) / n * (sum of s(i, j) over earlier rows j with the dish) /
#'   (sum of s(i, j) over all earlier rows j),}
#' and then Poisson(alpha / n) new dishes (Warr and others 2022). The similarity s(i, j) of two rows
#' at distance d is exp(-t d) or, with `decay = "reciprocal"`, d^-t, where t is the `temperature`.
#' The number of features is Poisson(alpha (1 + 1/2 + ... + 1/N)) for every temperature.
#' Temperature 0 gives the Indian buffet process, [prior_ibp()]. At high temperatures a row copies
#' the features of the nearest row that entered before it.
#'
#' The order in which rows enter matters unless the temperature is 0. By default the order has a
#' uniform prior and is sampled: swaps of two rows are proposed in every sweep.
#' `decay = "exponential"` is not invariant to the unit of the distances: for the default prior of
#' `temperature`, scale them to a mean of about 1, as in `d / mean(d)`.
#'
#' Only [method_gibbs()] supports this prior. It adds O(N) to the cost of each entry of Z, and O(N^2
#' K) per sweep for the temperature and the order; every chain stores N^2 numbers. Fits round the
#' share of each earlier row in the similarities to a multiple of 2^-50, at least 2^-50. The prior
#' has no distances to new rows, so `predict()` refuses `newdata`: fit new rows together with the
#' others, with `NA` for their unknown entries.
#'
#' @param distance (`dist` object or numeric matrix) Distances between the rows, from
#'   [stats::dist()] or as a symmetric matrix with zeros on its diagonal. They are matched to the
#'   rows of the data by name if both have names, otherwise by position. For [fit_choice()] they are
#'   between items, for [fit_factor()] with sparse loadings between columns. They must come from
#'   another source: if they are computed from the data themselves, many features explain noise.
#' @param alpha (positive number or [gamma_prior()]) Mean number of features in a row. A number
#'   fixes it; with a `gamma_prior()` it is learned (default `gamma_prior(1, 1)`).
#' @param temperature (number of at least 0 or [gamma_prior()]) How much distances matter. A number
#'   fixes it; with a `gamma_prior()` it is learned (default `gamma_prior(2, 1)`).
#' @param decay (string) `"exponential"` (default) or `"reciprocal"`, which needs distances above 0.
#' @param order (`NULL` or a permutation of 1, ..., N) The rows of `distance` in the order in which
#'   they enter. `NULL`, the default, samples it.
#' @return An object of class `prior_attraction`, for the `prior` argument of [fit_gaussian()],
#'   [fit_logistic()], [fit_mixed()], [fit_factor()] and [fit_choice()]. It has methods for
#'   `format()`, `print()` and [simulate()][simulate.buffet_prior].
#' @references Warr, R. L., Dahl, D. B., Meyer, J. M. and Lui, A. (2022). The attraction Indian
#' buffet distribution. *Bayesian Analysis* 17, 931-967. \doi{10.1214/21-BA1279}
#' @seealso [rattraction()] and [dattraction()] for the distribution itself, [prior_pibp()] for rows
#'   on a tree.
#' @examples
#' # arrests in the states of the USA, with a prior under which nearby states share features
#' d <- dist(cbind(state.center$x, state.center$y))
#' attr(d, "Labels") <- state.name
#' prior <- prior_attraction(d / mean(d))
#' prior
#' fit <- fit_gaussian(scale(USArrests),
#'   sigma_x = 0.7, prior = prior, method = method_gibbs(2, 1000), seed = 1
#' )
#' # how much distance matters: temperature 0 would be the Indian buffet process
#' posterior_interval(fit)["temperature", ]
#' plot(fit, "features")
#' @export
prior_attraction <- function(distance, alpha = gamma_prior(1, 1), temperature = gamma_prior(2, 1),
                             decay = c("exponential", "reciprocal"), order = NULL) {
  decay <- check_choice(decay, c("exponential", "reciprocal"), "decay")
  distance <- check_distance(distance, decay)
  structure(
    list(
      distance = distance, alpha = check_hyper(alpha, "alpha"),
      temperature = check_temperature(temperature, learnable = TRUE), decay = decay,
      order = if (!is.null(order)) check_order(order, nrow(distance))
    ),
    class = c("prior_attraction", "buffet_prior")
  )
}

#' @export
format.prior_attraction <- function(x, ...) {
  of_rows <- sprintf("AIBD(distances of %s, ", counted(nrow(x$distance), "row"))
  law <- sub("AIBD(", of_rows, fixed = TRUE, format_prior("AIBD", x[c("alpha", "temperature")]))
  notes <- c(
    if (x$decay != "exponential") paste("decay =", x$decay), if (!is.null(x$order)) "order given"
  )
  law[1] <- sub(")$", paste0(c("", notes, ")"), collapse = ", "), law[1])
  law[1] <- sub(", )", ")", law[1], fixed = TRUE)
  law
}

#' @exportS3Method
prior_spec.prior_attraction <- function(prior, rows = NULL, side = "row") {
  of <- match_distance(prior$distance, rows, side)
  new_prior_spec("attraction",
    alpha = hyper_spec(prior$alpha), temperature = hyper_spec(prior$temperature),
    distance = exponents(prior$distance[of, of, drop = FALSE], prior$decay),
    order = match(prior$order %||% seq_along(of), of) - 1L, samples_order = is.null(prior$order),
    max_features = .Machine$integer.max
  )
}

# Puts the rows of a distance matrix in the order of the rows of the data
match_distance <- function(distance, rows, side, of = "the data") {
  if (!is.null(rows$names) && !is.null(rownames(distance))) {
    lost <- setdiff(rows$names, rownames(distance))
    if (length(lost) > 0) {
      must <- sprintf("have the %s names of %s", side, of)
      stop_argument("distance", must, was = sprintf("none for \"%s\"", lost[1]))
    }
    more <- setdiff(rownames(distance), rows$names)
    if (length(more) > 0) {
      names <- paste0(if (side == "row") "row" else "col", "names(", sub("the data", "x", of), ")")
      names <- gsub("`", "", names, fixed = TRUE)
      stop_argument("distance", sprintf("be between the %ss of %s only", side, of),
        was = sprintf("to \"%s\"", more[1]),
        cure = sprintf("`as.matrix(distance)[%1$s, %1$s]` are their distances", names)
      )
    }
    return(match(rows$names, rownames(distance)))
  }
  if (nrow(distance) != rows$n) {
    must <- sprintf("be between the %ss of %s (%d)", side, of, rows$n)
    stop_argument("distance", must, was = sprintf("between %d", nrow(distance)))
  }
  seq_len(rows$n)
}

#' @exportS3Method
draw_features.prior_attraction <- function(prior, rows) {
  check_drawn_rows(rows, nrow(prior$distance), "the number of rows of `distance`")
  alpha <- draw_hyper(prior$alpha)
  temperature <- draw_hyper(prior$temperature)
  z <- draw_attraction(prior$distance, alpha, temperature, prior$decay, prior$order)
  structure(z, alpha = alpha, temperature = temperature)
}

#' @exportS3Method
prior_n_features.prior_attraction <- function(prior, rows, n) {
  poisson_features(prior$alpha, sum(1 / seq_len(nrow(prior$distance))), n)
}

#' The attraction Indian buffet distribution
#'
#' `rattraction()` draws binary matrices from the attraction Indian buffet distribution, and
#' `dattraction()` gives their probabilities. [prior_attraction()] defines the distribution.
#'
#' Let x_n be the number of dishes that the n-th row is the first to take, p_nk its probability of
#' taking dish k of the earlier rows, and let z_nk be 1 if it does and 0 otherwise. `dattraction()`
#' is the probability of the left-ordered class of `z` given the order of the rows,
#' \deqn{\frac{1}{\prod_h K_h!} \prod_{n=1}^N (\alpha / n)^{x_n} e^{-\alpha / n}
#' \prod_k p_{nk}^{z_{nk}} (1 - p_{nk})^{1 - z_{nk}},}{
#' 1 / prod_h K_h! * prod_n (alpha / n)^x_n exp(-alpha / n)
#'   prod_k p_nk^z_nk (1 - p_nk)^(1 - z_nk),}
#' where k runs over the dishes of earlier rows, and K_h is the number of columns equal to h. Empty
#' columns are ignored. At temperature 0 it equals [dibp()].
#'
#' @inheritParams ribp
#' @param distance (`dist` object or numeric matrix) Distances between the rows, as in
#'   [prior_attraction()]. `dattraction()` matches them to the rows of `z` by name if both have
#'   names, otherwise by position.
#' @param alpha (positive number) Mean number of dishes per row.
#' @param temperature (number of at least 0) How much distances matter.
#' @param decay (string) `"exponential"` (default) or `"reciprocal"`.
#' @param order (permutation of 1, ..., N) The rows of `distance` in the order in which they enter;
#'   for `dattraction()` the rows of `z`, by default in the given order. `NULL`, the default of
#'   `rattraction()`, draws the order uniformly.
#' @return `rattraction()`: an integer matrix of zeros and ones with a row per row of `distance` and
#'   K+ columns with dishes in order of appearance. K+ is random and may be 0. `dattraction()`: one
#'   number.
#' @inherit prior_attraction references
#' @examples
#' set.seed(1)
#' # five places on a line, the last two far from the others
#' d <- dist(c(a = 0, b = 0.1, c = 0.2, d = 2, e = 2.1))
#' z <- rattraction(d, alpha = 2, temperature = 3)
#' z
#' dattraction(z, d, alpha = 2, temperature = 3, log = TRUE)
#' @export
rattraction <- function(distance, alpha, temperature, decay = c("exponential", "reciprocal"),
                        order = NULL) {
  decay <- check_choice(decay, c("exponential", "reciprocal"), "decay")
  distance <- check_distance(distance, decay)
  alpha <- check_positive(alpha, "alpha")
  temperature <- check_temperature(temperature)
  if (!is.null(order)) order <- check_order(order, nrow(distance))
  draw_attraction(distance, alpha, temperature, decay, order)
}

draw_attraction <- function(distance, alpha, temperature, decay, order) {
  rows <- nrow(distance)
  order <- order %||% sample.int(rows)
  log_s <- -temperature * exponents(distance, decay)[order, order, drop = FALSE]
  new <- stats::rpois(rows, alpha / seq_len(rows))
  check_matrix_size(rows, sum(as.double(new)), "alpha", alpha)
  z <- matrix(0L, rows, sum(new))
  begun <- cumsum(new)
  for (n in seq_len(rows)) {
    old <- seq_len(begun[n] - new[n])
    earlier <- seq_len(n - 1)
    s <- exp(log_s[n, earlier] - max(log_s[n, earlier], -Inf))
    p <- (n - 1) / n * crossprod(z[earlier, old, drop = FALSE], s / sum(s))
    z[n, old] <- as.integer(stats::runif(length(old)) < p)
    z[n, begun[n] - new[n] + seq_len(new[n])] <- 1L
  }
  z[order, ] <- z
  dimnames(z) <- if (!is.null(rownames(distance))) list(rownames(distance), NULL)
  z
}

#' @rdname rattraction
#' @export
dattraction <- function(z, distance, alpha, temperature, decay = c("exponential", "reciprocal"),
                        order = seq_len(nrow(z)), log = FALSE) {
  z <- check_binary_matrix(z)
  decay <- check_choice(decay, c("exponential", "reciprocal"), "decay")
  distance <- check_distance(distance, decay)
  alpha <- check_positive(alpha, "alpha")
  temperature <- check_temperature(temperature)
  order <- check_order(order, nrow(z))
  log <- check_flag(log, "log")
  rows <- list(n = nrow(z), names = rownames(z))
  of <- match_distance(distance, rows, "row", of = "`z`")[order]
  log_s <- -temperature * exponents(distance[of, of, drop = FALSE], decay)
  z <- used_columns(z)[order, , drop = FALSE]
  out <- log_attraction(z, log_s, alpha) - log_orders(z, "lof")
  if (log) out else exp(out)
}

# Log probability of the matrix with its columns in order of appearance, times the factorials of the
# numbers of new dishes. Sums of similarities are computed on the log scale, which cannot underflow.
log_attraction <- function(z, log_s, alpha) {
  first <- first_ones(z)
  out <- sum(log(alpha / first)) - alpha * sum(1 / seq_len(nrow(z)))
  for (n in seq_len(nrow(z))[-1]) {
    old <- which(first < n)
    earlier <- seq_len(n - 1)
    taken <- log_s[n, earlier] + log(z[earlier, old, drop = FALSE])
    log_p <- log1p(-1 / n) + log_col_sums(taken) - log_col_sums(cbind(log_s[n, earlier]))
    log_q <- log(-expm1(log_p))
    out <- out + sum(ifelse(z[n, old] == 1, log_p, log_q))
  }
  out
}

log_col_sums <- function(x) {
  top <- apply(x, 2, max)
  top + log(colSums(exp(x - rep(top, each = nrow(x)))))
}

# Converts distances d to numbers x with similarities exp(-temperature x). The diagonal is not used.
exponents <- function(distance, decay) {
  if (decay == "exponential") return(distance)
  diag(distance) <- 1
  log(distance)
}

# A symmetric matrix, with names if the distances have names
check_distance <- function(distance, decay) {
  check_given(distance, "distance")
  if (inherits(distance, "dist")) {
    labels <- attr(distance, "Labels")
    distance <- as.matrix(distance)
    dimnames(distance) <- if (!is.null(labels)) list(labels, labels)
  }
  refuse <- function(must, ...) stop_argument("distance", must, ...)
  square <- is.matrix(distance) && is.numeric(distance) && nrow(distance) == ncol(distance)
  if (!square || nrow(distance) == 0) {
    refuse("be an object of class dist or a square numeric matrix", distance)
  }
  wrong <- !(is.finite(distance) & distance >= 0)
  refuse_entries(wrong, distance, "distance", "have finite entries of at least 0")
  wrong <- which(diag(distance) != 0)
  if (length(wrong) > 0) {
    refuse("have zeros on its diagonal", was = format(diag(distance)[wrong[1]], digits = 4))
  }
  if (!isSymmetric(unname(distance))) refuse("be symmetric", was = "a matrix that is not")
  if (decay == "reciprocal" && any(distance[upper.tri(distance)] == 0)) {
    refuse("have distances above 0 with `decay = \"reciprocal\"`", was = "0")
  }
  labels <- distance_names(dimnames(distance), nrow(distance))
  matrix(as.double(distance), nrow(distance), dimnames = if (!is.null(labels)) list(labels, labels))
}

distance_names <- function(names, rows) {
  if (!is.null(names[[1]]) && !is.null(names[[2]]) && !identical(names[[1]], names[[2]])) {
    must <- "have the same names for its rows and columns"
    stop_argument("distance", must, was = "different ones")
  }
  labels <- names[[1]] %||% names[[2]]
  # as.matrix() numbers the rows of a dist object without names.
  if (identical(labels, as.character(seq_len(rows)))) return(NULL)
  if (!is.null(labels)) check_unique(labels, "distance", "have unique row names")
  labels
}

check_temperature <- function(x, learnable = FALSE) {
  if (learnable && is_gamma_prior(x)) return(x)
  if (is_scalar_number(x) && x >= 0 && x <= held_range[2]) return(as.double(x))
  must <- paste("be one number of at least 0", if (learnable) "or a gamma_prior()")
  stop_argument("temperature", trimws(must), x)
}

check_order <- function(order, rows) {
  valid <- is.numeric(order) && length(order) == rows && setequal(order, seq_len(rows))
  if (!valid) stop_argument("order", sprintf("be a permutation of 1, ..., %d", rows), order)
  as.integer(order)
}
