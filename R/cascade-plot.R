#' Plots of a cascading belief network
#'
#' @param x A fit by [fit_cascade()].
#' @param type (string) What is shown. Without `type` it is `"network"`.
#'   * `"network"`: the network of the point estimate, with the layers above one another and edges
#'     coloured by their weights. If there are more than 60 visible units, these are left out;
#'   * `"loadings"`: the effects of the units of a hidden layer on the visible units; with `dim` as
#'     images. For layer 1 they are [loadings_of()], for deeper layers the product of the weights of
#'     all layers below;
#'   * `"widths"`: box plots of the number of units in each hidden layer over the kept draws, for
#'     each chain;
#'   * `"trace"`: the scalars over the sweeps of each chain, with the warm-up shaded. Scalars of
#'     layers above the second are left out;
#'   * `"fit"`: observed, reconstructed and residual data; with `dim` some rows as images;
#'   * `"chains"`: the units of layer 1 that each chain has found, matched by their children, as
#'     features are for [fit_gaussian()][plot.buffet_fit].
#' @param layer (positive integer) Hidden layer whose `"loadings"` are shown, 1 by default.
#' @param which (whole numbers, names such as `"f3"` and `"l2.1"`, or `NULL`) Units of that layer
#'   that `"loadings"` show; an error for other types. `NULL`, the default, is all of them, or the
#'   first 24 as images.
#' @param ... Must be empty.
#' @inheritParams plot.buffet_fit
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot`.
#' @examples
#' x <- block_images(40)
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_cascade(x, method = method, init = init_cascade(c(6, 2)), seed = 1)
#' plot(fit)
#' # how the units of layer 1 affect the pixels
#' plot(fit, "loadings", dim = c(6, 6))
#' # the number of units in each layer
#' plot(fit, "widths")
#' @export
plot.fit_cascade <- function(x, type = c(
                               "network", "loadings", "widths", "trace", "fit", "chains"
                             ), dim = NULL, rows = NULL, layer = 1, which = NULL, ...) {
  check_no_more(...)
  type <- check_choice(type, eval(formals()$type), "type")
  dim <- check_dim(dim, ncol(model_data(x)))
  rows <- check_rows(rows, nrow(model_data(x)))
  layer <- check_count(layer, "layer")
  check_unasked(which, "which", type, "loadings")
  switch(type,
    network = plot(network(x)),
    loadings = plot_receptive(x, dim, layer, which),
    widths = plot_widths(x),
    trace = plot_trace(x, Filter(Negate(is_deep), scalar_names(x))),
    fit = plot_fit(x, dim, rows),
    chains = plot_chains(x) + ggplot2::labs(
      x = "unit, by its number in the best chain", title = "Units of layer 1 that chains have found"
    )
  )
}

receptive_fields <- function(fit, layer) {
  net <- network(fit)
  depth <- length(net) - 1
  if (depth == 0) {
    must <- "be a fit whose point estimate has a hidden unit for this picture"
    stop_argument("x", must, was = "one without")
  }
  if (layer > depth) {
    must <- sprintf("be at most %d, the hidden layers of the point estimate", depth)
    stop_argument("layer", must, layer)
  }
  weights <- lapply(net[seq_len(layer)], function(part) as.matrix(part$weights))
  Reduce(function(below, above) above %*% below, weights)
}

plot_receptive <- function(fit, dim, layer, which) {
  title <- sprintf("What units of layer %d do to the visible ones", layer)
  fields <- receptive_fields(fit, layer)
  colnames(fields) <- colnames(model_data(fit))
  which <- check_shown(which, rownames(fields), "which")
  if (is.null(dim)) return(plot_loadings(fields, dim, which, "unit") + ggplot2::labs(title = title))
  plot_images(fields, dim, which, "unit", signed_fill("weight", fields)) +
    ggplot2::labs(title = title) +
    ggplot2::theme(panel.border = ggplot2::element_rect(fill = NA, colour = "grey80"))
}

plot_widths <- function(fit) {
  names <- grep("^width_", scalar_names(fit), value = TRUE)
  if (length(names) == 0) {
    stop_argument("x", "be a fit with a hidden unit in some draw", was = "one without")
  }
  chains <- factor(rep(seq_len(dim(fit$internal$scalars)[2]), each = dim(fit$internal$scalars)[1]))
  data <- do.call(rbind, lapply(seq_along(names), function(m) {
    data.frame(layer = m, width = scalar(fit, names[m]), chain = chains)
  }))
  ggplot2::ggplot(data, ggplot2::aes(factor(.data$layer), .data$width, colour = .data$chain)) +
    ggplot2::geom_boxplot(outlier.size = 0.5) +
    ggplot2::scale_colour_viridis_d(end = 0.85) +
    ggplot2::scale_y_continuous(breaks = whole_numbers) +
    ggplot2::labs(x = "layer", y = "units", title = "Widths of the hidden layers") +
    plain_theme()
}
