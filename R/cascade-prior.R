#' The cascading Indian buffet process as a prior over networks
#'
#' A prior on layered networks of unbounded depth and width. The visible units have an unknown
#' number of parents, which have parents in turn, and so on until a layer is empty.
#'
#' The edges from each layer to its parents form a binary matrix from the Indian buffet process
#' ([prior_ibp()]): its rows are the units of the layer and its columns are their parents.
#' See [rcascade()] for details and [cascade_width()] for the distribution of the number of parents
#' of a layer. The mean number grows so slowly with the number of units that every cascade ends.
#'
#' **The alphas of the deep layers need a tight prior with a small mean.** The cascade ends when a
#' layer draws no parents, and a mean number of parents above 1 makes that rare. Above 70 visible
#' units there are 4.4 hidden layers on average if every alpha is 1, 34 if every alpha is 2, and 915
#' if every alpha is 3. If every alpha has the prior Gamma(2, 2), there are 2.9 layers with 10 units
#' in all; with the broad Gamma(1, 0.2) there are 13 layers with 216 units. Data contain little
#' information about edges in deep layers, so a fit with such a prior keeps adding layers.
#' [cascade_depth()] computes these numbers for any prior.
#'
#' @param alpha (positive number or [gamma_prior()]) Mean number of parents of a visible unit. A
#'   number fixes it; with a `gamma_prior()` it is learned (default `gamma_prior(1, 0.1)`, with mean
#'   10).
#' @param alpha_deep (positive number or [gamma_prior()]) Mean number of parents of a hidden unit. A
#'   number is used for all hidden layers. With a `gamma_prior()` (default `gamma_prior(2, 2)`, with
#'   mean 1) every hidden layer has its own mean, drawn from this prior.
#' @param concentration (positive number or [gamma_prior()]) A number fixes the concentration
#'   (default 1); with a `gamma_prior()` it is learned. All layers share it. With small values,
#'   units share their parents; with large values, they have different ones.
#' @param max_layers,max_units (positive integers) Largest numbers of hidden layers (default 50) and
#'   of hidden units in all layers (default 2000). The posterior of a fit is conditional on these
#'   limits. A draw from the prior that exceeds them raises an error.
#' @return An object of class `prior_cascade`, for the `prior` argument of [fit_cascade()] only. It
#'   has methods for `format()` and `print()`, and [simulate()][simulate.buffet_prior] draws
#'   networks from it, as [rcascade()] does.
#' @inherit fit_cascade references
#' @seealso [rcascade()] and [dcascade()] for the distribution itself, [cascade_depth()] for the
#'   expected numbers of layers and units.
#' @examples
#' prior_cascade()
#' prior_cascade(alpha = 2, alpha_deep = 0.5, concentration = gamma_prior(2, 2))
#' # a network above six visible units
#' simulate(prior_cascade(alpha = 2), rows = 6, seed = 1)[[1]]
#' @export
prior_cascade <- function(alpha = gamma_prior(1, 0.1), alpha_deep = gamma_prior(2, 2),
                          concentration = 1, max_layers = 50, max_units = 2000) {
  parts <- list(
    alpha = check_cascade_alpha(alpha, "alpha"),
    alpha_deep = check_cascade_alpha(alpha_deep, "alpha_deep"),
    concentration = check_hyper(concentration, "concentration"),
    max_layers = check_count(max_layers, "max_layers"),
    max_units = check_count(max_units, "max_units")
  )
  structure(parts, class = c("prior_cascade", "buffet_prior"))
}

# Larger expected networks do not fit in memory
check_cascade_alpha <- function(x, name) {
  x <- check_hyper(x, name)
  mean <- prior_mean(x)
  if (mean > 1e4) stop_argument(name, "be, or have a mean of, at most 10000", mean)
  x
}

#' @export
format.prior_cascade <- function(x, ...) {
  shown <- c("alpha", "alpha_deep", if (!identical(x$concentration, 1)) "concentration")
  format_prior("cascading IBP", unclass(x)[shown])
}

#' @exportS3Method
prior_spec.prior_cascade <- function(prior, rows = NULL, side = "row") {
  stop_argument("prior", "be a prior over a feature matrix, such as prior_ibp()", prior)
}

#' @exportS3Method
draw_features.prior_cascade <- function(prior, rows) draw_cascade(check_count(rows, "rows"), prior)

#' The cascading Indian buffet process distribution
#'
#' `rcascade()` draws networks from the cascading Indian buffet process, and `dcascade()` gives
#' their probabilities. [prior_cascade()] uses this distribution as a prior.
#'
#' Layer 0 consists of the visible units. The units of layer m are the rows of a binary matrix from
#' the Indian buffet process ([ribp()]). Its columns are the units of layer m + 1, and its ones are
#' the edges between these layers, so a unit has Poisson(alpha) parents. The cascade ends with
#' the first empty layer. Every matrix is put into left-ordered form ([left_order()]) before the
#' next one is drawn, because the units of a layer are exchangeable.
#'
#' The probability of a network is a product over its matrices. Each contributes the probability of
#' its left-ordered class, `dibp(class = "lof")`. The empty matrix above the last layer, which has K
#' units, contributes exp(-alpha H(K)), where H(K) is the sum of c / (c + i - 1) over i = 1, ..., K,
#' and c is the `concentration`. The probabilities of all lists of left-ordered matrices therefore
#' sum to 1. A matrix that is not left-ordered has the probability of its left-ordered form. If
#' alpha has a [gamma_prior()], the alpha of each layer is integrated out.
#'
#' @param units (whole number from 1 to 1e6) Number of visible units. `dcascade()` needs it only if
#'   `z` is a plain empty list; by default, `NULL`, it is taken from `z`.
#' @param alpha (positive number or [gamma_prior()]) Mean number of parents of a visible unit. For a
#'   `gamma_prior()`, `rcascade()` draws the number, and `dcascade()` integrates over it.
#' @param alpha_deep (positive number or [gamma_prior()]) Mean number of parents of a hidden unit
#'   (default `alpha`). Under a `gamma_prior()` each hidden layer has its own.
#' @param concentration (positive number) The concentration of all layers (default 1).
#' @param max_layers,max_units (positive integers) A draw with more hidden layers (default 50), or
#'   more hidden units in all layers (default 2000), raises an error.
#' @param z (object of class `cascade`, or list) The network: a list of matrices of zeros and ones
#'   without empty columns, each with as many rows as the one before it has columns.
#' @param log (flag) Return the logarithm of the probability? The default is `FALSE`.
#' @return `rcascade()`: an object of class `cascade`, a list with an integer matrix of zeros and
#'   ones per hidden layer. Element m + 1 has a row per unit of layer m and a column per unit of
#'   layer m + 1; the list is empty if there are no hidden units. Its attributes are `units`;
#'   `alpha`, one number per hidden layer and one for the empty layer; and `concentration`.
#'   `dcascade()`: one number. `plot()`: a `ggplot` of the units as dots and the edges as lines. The
#'   visible units are in the lowest row, and each layer is above the one before it. Units are
#'   numbered in layers of up to 12 units. If there are more than 60 visible units, only every
#'   second, third, ... name is shown. Edges to and from layers of more than 200 units are left out,
#'   as noted in the subtitle.
#' @inherit fit_cascade references
#' @seealso [prior_cascade()], and [cascade_depth()] for expected numbers of layers and units.
#' @examples
#' set.seed(6)
#' z <- rcascade(8, alpha = 1.5, alpha_deep = 0.8)
#' z
#' # the parents of the eight visible units
#' z[[1]]
#' dcascade(z, alpha = 1.5, alpha_deep = 0.8, log = TRUE)
#' dcascade(z, alpha = gamma_prior(2, 2), log = TRUE)
#' plot(z)
#' @export
rcascade <- function(units, alpha, alpha_deep = alpha, concentration = 1, max_layers = 50,
                     max_units = 2000) {
  units <- check_count(units, "units")
  if (units > 1e6) stop_argument("units", "be at most 1e6", units)
  alpha <- check_hyper(alpha, "alpha")
  alpha_deep <- check_hyper(alpha_deep, "alpha_deep")
  concentration <- check_positive(concentration, "concentration")
  draw_cascade(units, prior_cascade(alpha, alpha_deep, concentration, max_layers, max_units))
}

draw_cascade <- function(units, prior) {
  concentration <- draw_hyper(prior$concentration)
  layers <- list()
  alphas <- numeric()
  rows <- units
  room <- prior$max_units
  repeat {
    alpha <- draw_hyper(if (length(layers) == 0) prior$alpha else prior$alpha_deep)
    alphas <- c(alphas, alpha)
    rates <- ibp_rates(rows, concentration, 0)
    # Capping the mean is harmless: every limit is below 1e10.
    width <- stats::rpois(1, min(alpha * sum(rates), 1e10))
    if (width == 0) break
    larger <- c(max_layers = length(layers) == prior$max_layers, max_units = width > room)
    if (any(larger)) {
      must <- "be larger for this draw, or the alphas smaller (see cascade_depth())"
      name <- names(which(larger))[1]
      stop_argument(name, must, prior[[name]])
    }
    # As in draw_ibp(), the rows in which columns start are independent given `width`.
    first <- sample.int(rows, width, replace = TRUE, prob = rates)
    p <- stats::rbeta(width, 1, first - 1 + concentration)
    distance <- outer(seq_len(rows), first, `-`)
    taken <- stats::runif(rows * width) < rep(p, each = rows)
    layers <- c(layers, list(left_order((distance == 0 | (distance > 0 & taken)) + 0L)))
    rows <- width
    room <- room - width
  }
  structure(layers, units = units, alpha = alphas, concentration = concentration, class = "cascade")
}

#' @rdname rcascade
#' @export
dcascade <- function(z, alpha, alpha_deep = alpha, concentration = 1, log = FALSE, units = NULL) {
  if (!is.list(z) || is.data.frame(z)) {
    stop_argument("z", "be a list of matrices of zeros and ones", z)
  }
  name <- sprintf("z[[%d]]", seq_along(z))
  layers <- Map(function(layer, name) {
    layer <- check_binary_matrix(layer, name)
    empty <- which(colSums(layer) == 0)
    was <- sprintf("none in column %d", empty[1])
    if (length(empty) > 0) stop_argument(name, "have a one in every column", was = was)
    size <- describe_size(layer)
    if (ncol(layer) == 0) stop_argument(name, "have at least one column", was = size)
    layer
  }, unclass(z), name)
  if (is.null(units)) units <- if (length(layers) > 0) nrow(layers[[1]]) else attr(z, "units")
  rows <- check_count(units, "units")
  for (m in seq_along(layers)) {
    if (nrow(layers[[m]]) != rows) {
      must <- sprintf("have %s, one per unit of the layer", counted(rows, "row"))
      stop_argument(name[m], must, was = describe_size(layers[[m]]))
    }
    rows <- ncol(layers[[m]])
  }
  layers <- c(layers, list(matrix(0L, rows, 0)))
  alpha <- check_hyper(alpha, "alpha")
  alpha_deep <- check_hyper(alpha_deep, "alpha_deep")
  concentration <- check_positive(concentration, "concentration")
  log <- check_flag(log, "log")
  alphas <- c(list(alpha), rep(list(alpha_deep), length(layers) - 1))
  out <- sum(mapply(log_layer, layers, alphas, concentration))
  if (log) out else exp(out)
}

# Alpha affects only the number of columns, which is Poisson, or negative binomial if alpha is
# integrated out over a gamma prior.
log_layer <- function(z, alpha, concentration) {
  if (!is_learned(alpha)) return(log_dibp(z, alpha, concentration, 0, "lof"))
  width <- ncol(z)
  mean_per_alpha <- sum(ibp_rates(nrow(z), concentration, 0))
  mean <- min(alpha$shape / alpha$rate * mean_per_alpha, 1e300)
  log_dibp(z, 1, concentration, 0, "lof") - stats::dpois(width, mean_per_alpha, log = TRUE) +
    stats::dnbinom(width, alpha$shape, mu = mean, log = TRUE)
}

#' @export
format.cascade <- function(x, ...) {
  line <- function(what, numbers) {
    strwrap(paste(what, paste(numbers, collapse = ", ")), width = 80, exdent = 2)
  }
  c(
    sprintf(
      "Cascade above %s: %s", counted(attr(x, "units"), "visible unit"),
      paste(cascade_counts(x), collapse = ", ")
    ),
    if (length(x) > 0) line("widths", vapply(x, ncol, 1L)),
    if (length(x) > 0) line("edges", vapply(x, sum, 1))
  )
}

cascade_counts <- function(layers) {
  c(
    counted(length(layers), "hidden layer"), counted(sum(vapply(layers, ncol, 1L)), "unit"),
    counted(sum(vapply(layers, sum, 1)), "edge")
  )
}

#' @export
print.cascade <- print_lines
