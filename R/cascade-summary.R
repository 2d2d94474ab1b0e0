#' @exportS3Method
describe_data.fit_cascade <- function(fit) {
  sprintf("Cascading belief network of %s", describe_matrix(model_data(fit)))
}

#' @exportS3Method
describe_result.fit_cascade <- function(fit, found) {
  widths <- cascade_widths(fit, fit$internal$point)
  point <- if (length(widths) == 0) {
    "The most probable draw has no layer."
  } else {
    sprintf(
      "Units of the most probable draw of %s, from layer 1 up: %s",
      counted(length(widths), "layer"), paste(widths, collapse = ", ")
    )
  }
  size <- describe_model_size("Hidden layers:", fit, "n_layers", found)
  c(size, strwrap(point, text_width(), exdent = 2))
}

#' @export
print.fit_cascade <- print_lines

# True for scalars of layers above the second, which appear only in as_draws() and tidy()
is_deep <- function(names) grepl("^(width|n_edges|alpha)_([3-9]|[0-9]{2,})$", names)

#' @export
summary.fit_cascade <- function(object, ...) {
  out <- NextMethod()
  out$table <- out$table[!is_deep(out$table$variable), ]
  shown <- !is_deep(out$names_constant)
  out$constant <- out$constant[shown]
  out$names_constant <- out$names_constant[shown]
  out
}

#' @rdname tidy.buffet_fit
#' @export
tidy.fit_cascade <- function(x, matrix = c("scalars", "edges"), conf.level = 0.9, conf.int = TRUE,
                             ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "edges"), "matrix")
  conf.level <- check_conf(conf.level, conf.int)
  if (matrix == "scalars") return(with_interval(tidy_scalars(x, conf.level), conf.int))
  net <- network(x)
  edges <- lapply(seq_along(net), function(m) {
    w <- methods::as(net[[m]]$weights, "TsparseMatrix")
    tibble::tibble(
      layer = rep(m - 1L, length(w@x)), child = as.character(colnames(w)[w@j + 1L]),
      parent = as.character(rownames(w)[w@i + 1L]), weight = w@x
    )
  })
  do.call(rbind, edges)
}

hidden_layers <- function(fit) {
  deepest <- max(scalar(fit, "n_layers"))
  names <- grep("^(width|n_edges|alpha)_", dimnames(fit$internal$scalars)[[3]], value = TRUE)
  layer <- as.integer(sub(".*_", "", names))
  fixed <- c(
    if (!is_learned(fit$prior$alpha)) "alpha_0",
    if (!is_learned(fit$prior$alpha_deep)) setdiff(grep("^alpha_", names, value = TRUE), "alpha_0")
  )
  c("n_features", names[layer > deepest], fixed)
}

#' Plots of a cascading belief network
#'
#' @param x A fit by [fit_cascade()].
#' @param type (string) What to plot, by default `"network"`.
#'   * `"network"`: the network of the point estimate, with the layers stacked vertically and the
#'     edges coloured by their weights. If there are more than 60 visible units and several hidden
#'     layers, the visible units are left out;
#'   * `"loadings"`: the effects of the units of a hidden layer on the visible units, drawn as
#'     images if `dim` is given. For layer 1 they are [loadings_of()]; for deeper layers they are
#'     the product of the weights of all layers below;
#'   * `"widths"`: box plots of the number of units in each hidden layer over the saved draws, for
#'     each chain;
#'   * `"trace"` (without layers above the second), `"fit"`, `"chains"` (units of layer 1, matched
#'     by their children): as for [fit_gaussian()][plot.buffet_fit].
#' @param layer (positive integer) Hidden layer whose `"loadings"` are shown, 1 by default.
#' @param which (whole numbers, names such as `"f3"` and `"l2.1"`, or `NULL`) Units of that layer to
#'   show with `"loadings"`; not allowed for other types. `NULL`, the default, means all of them, or
#'   the first 24 if they are drawn as images.
#' @inheritParams plot.buffet_fit
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot`.
#' @examples
#' method <- method_gibbs(chains = 1, iter = 200, thin = 10)
#' fit <- fit_cascade(sim_images(40), method = method, init = init_cascade(c(6, 2)), seed = 1)
#' plot(fit)
#' # how the units of layer 1 affect the pixels
#' plot(fit, "loadings", dim = c(6, 6))
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
    chains = plot_chains(x) + labs(
      x = "unit, by its number in the best chain", title = "Units of layer 1 that chains have found"
    )
  )
}

plot_receptive <- function(fit, dim, layer, which) {
  net <- network(fit)
  depth <- length(net) - 1
  if (depth == 0) {
    must <- "be a fit whose point estimate has a hidden unit for this plot"
    stop_argument("x", must, was = "one without")
  }
  if (layer > depth) {
    must <- sprintf("be at most %d, the number of hidden layers of the point estimate", depth)
    stop_argument("layer", must, layer)
  }
  weights <- lapply(net[seq_len(layer)], function(part) as.matrix(part$weights))
  fields <- Reduce(function(below, above) above %*% below, weights)
  colnames(fields) <- colnames(model_data(fit))
  which <- check_shown(which, rownames(fields), "which")
  plot <- if (is.null(dim)) {
    plot_loadings(fields, dim, which, "unit")
  } else {
    plot_images(fields, dim, which, "unit", signed_fill("weight", fields)) +
      theme(panel.border = element_rect(fill = NA, colour = "grey80"))
  }
  plot + labs(title = sprintf("Effects of the units of layer %d on the visible units", layer))
}

plot_widths <- function(fit) {
  names <- grep("^width_", scalar_names(fit), value = TRUE)
  if (length(names) == 0) {
    stop_argument("x", "be a fit with a hidden unit in at least one draw", was = "one without")
  }
  chains <- gl(nchains(fit), niterations(fit))
  data <- do.call(rbind, lapply(seq_along(names), function(m) {
    data.frame(layer = m, width = scalar(fit, names[m]), chain = chains)
  }))
  ggplot(data, aes(factor(.data$layer), .data$width, colour = .data$chain)) +
    geom_boxplot(outlier.size = 0.5) +
    scale_colour_viridis_d(end = 0.85) +
    scale_y_continuous(breaks = whole_numbers) +
    labs(x = "layer", y = "units", title = "Widths of the hidden layers") +
    plain_theme()
}
