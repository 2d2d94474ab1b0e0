#' Start a cascade from a random network
#'
#' Chains of [fit_cascade()] start by default from a network that has as many units as stand out
#' from the noise. `init_cascade()` lets them start from a random network with given widths. Chains
#' keep the widths that they start with for hundreds of sweeps: too few units become mixtures of the
#' true ones, and units that are too many fit noise.
#'
#' @param widths (positive whole numbers) Numbers of units in the hidden layers, from layer 1
#'   upwards. The default is 70 units in layer 1 and 20 in layer 2; `integer()` is no hidden layer.
#'   More layers or units than the prior and `max_features` of the method allow are an error in
#'   [fit_cascade()].
#' @param density (number in (0, 1]) Probability of an edge between a unit and a unit of the layer
#'   above, 0.3 by default. Edges are added so that every unit has a parent and every parent a
#'   child. The weights of edges are drawn from N(0, 0.3^2).
#' @return An object of class `init_cascade`, for the argument `init` of [fit_cascade()]. It has
#'   methods for `format()` and `print()`.
#' @examples
#' init_cascade()
#' # 6 units in layer 1 and 2 in layer 2, for the small images of block_images()
#' init <- init_cascade(c(6, 2))
#' method <- method_gibbs(chains = 1, iter = 100, thin = 10)
#' fit <- fit_cascade(block_images(30), method = method, init = init, seed = 1)
#' network(fit)
#' @export
init_cascade <- function(widths = c(70, 20), density = 0.3) {
  whole <- is.numeric(widths) && all(vapply(widths, is_whole, NA)) && all(widths >= 1)
  if (!whole) stop_argument("widths", "be positive whole numbers", widths)
  density <- check_number(density, "density", 0, 1, "(]")
  structure(list(widths = as.integer(widths), density = density), class = "init_cascade")
}

#' @export
format.init_cascade <- function(x, ...) {
  if (length(x$widths) == 0) return("Start without a hidden unit")
  sprintf(
    "Random start with hidden layers of %s units, edges with probability %g",
    paste(x$widths, collapse = ", "), x$density
  )
}

#' @export
print.init_cascade <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

# One list per chain: widths and density, `from_data`, or the bytes of a draw
#' @exportS3Method
check_starts.cascade_model <- function(model, init, method) {
  most <- method$max_features %||% .Machine$integer.max
  if (is.null(init)) return(rep(list(list(from_data = TRUE)), method$chains))
  if (inherits(init, "init_cascade")) {
    check_widths(init$widths, model$prior, most)
    return(rep(list(unclass(init)), method$chains))
  }
  if (!inherits(init, "fit_cascade")) {
    stop_argument("init", "be NULL, init_cascade() or a fit by fit_cascade()", init)
  }
  if (!identical(dim(model_data(init)), dim(model$data$x))) {
    must <- paste("be a fit to data of", describe_size(model$data$x))
    stop_argument("init", must, was = paste("one to", describe_size(model_data(init))))
  }
  starts <- lapply(last_of_chains(init), function(last) {
    check_widths(cascade_widths(init, last), model$prior, most)
    list(bytes = select_bytes(init, last))
  })
  rep_len(starts, method$chains)
}

check_widths <- function(widths, prior, most) {
  refuse <- function(limit, name, what, was) {
    must <- sprintf("have at most %d %s, as `%s` says", limit, what, name)
    if (was > limit) stop_argument("init", must, was = sprintf("one with %d", was))
  }
  refuse(prior$max_layers, "max_layers", "hidden layers", length(widths))
  refuse(prior$max_units, "max_units", "hidden units", sum(widths))
  if (length(widths) > 0) refuse(most, "max_features", "units in layer 1", widths[1])
}

cascade_widths <- function(fit, draw) {
  names <- grep("^width_", dimnames(fit$internal$scalars)[[3]], value = TRUE)
  widths <- vapply(names, function(name) scalar(fit, name)[draw], 0)
  unname(as.integer(widths[widths > 0]))
}
