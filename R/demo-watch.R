# The chain of the tab "Watch": fit_gaussian() and update(), which goes on with the same chain.

#' A chain on simulated images after its first sweep, from one random feature
#'
#' `init` keeps the chain from searching a start, which would find most of what there is to see.
#'
#' @param moves Does the sampler make the moves that this package adds to it?
#' @return list(x: the images; fit).
#' @noRd
begin_chain <- function(images, noise, moves, seed) {
  seed <- check_seed(seed) %||% 1L
  x <- seeded(seed, block_images(images, noise))
  start <- seeded(seed, matrix(stats::rbinom(nrow(x), 1, 0.5)))
  method <- method_gibbs(chains = 1, iter = 1, warmup = 0, cores = 1, moves = if (!moves) 0)
  fit <- fit_gaussian(x, sigma_a = 1, method = method, init = start, seed = seed, verbose = FALSE)
  list(x = x, fit = fit)
}

go_on_chain <- function(fit, sweeps) {
  update(fit, iter = sweeps_made(fit) + sweeps, verbose = FALSE, cores = 1)
}

sweeps_made <- function(fit) nrow(fit$scalars)

#' A fit whose features and loadings are those of the last sweep
#' @noRd
at_last_sweep <- function(fit) {
  fit$point <- length(fit$draws)
  fit
}

#' Images beside each other, all in one panel, which is drawn several times as fast as one each
#'
#' @param m A row an image.
#' @param labels What stands above each.
#' @param across,down Images in a line, and lines: the picture has room for them all.
#' @noRd
plot_image_wall <- function(m, dim, labels, across, down) {
  frame <- image_frame(m, dim)
  place <- as.integer(frame$panel) - 1
  gap <- dim + c(2, 1)
  frame$x <- frame$x + place %% across * gap[2]
  frame$y <- frame$y + place %/% across * gap[1]
  at <- seq_along(labels) - 1
  text <- data.frame(
    x = at %% across * gap[2] + (dim[2] + 1) / 2, y = at %/% across * gap[1] - 0.3, label = labels
  )
  ggplot2::ggplot(frame, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$value)) +
    ggplot2::geom_text(ggplot2::aes(label = .data$label), data = text, size = 3) +
    # One scale for all sweeps: pixels of the pictures are 0 or 1.
    ggplot2::scale_fill_gradient(
      low = "black", high = "white", limits = c(-0.5, 1.5), guide = "none",
      oob = function(x, range) pmin(pmax(x, range[1]), range[2])
    ) +
    ggplot2::scale_y_reverse() +
    ggplot2::coord_fixed(
      xlim = c(0.5, across * gap[2] - 0.5), ylim = c(down * gap[1] - 1.5, -1), expand = FALSE
    ) +
    ggplot2::theme_void(base_size = 11) +
    ggplot2::theme(plot.title.position = "plot")
}

#' @param across Images in a line.
#' @noRd
plot_demo_images <- function(x, across = 8) {
  shown <- seq_len(min(8, nrow(x)))
  plot_image_wall(x[shown, , drop = FALSE], attr(x, "image"), shown, across, 8 / across) +
    ggplot2::labs(title = sprintf("The data: %d of %d images", length(shown), nrow(x)))
}

#' The features of the last sweep, at most 16, with how many images have each
#' @noRd
plot_demo_features <- function(fit, dim, across = 8) {
  now <- at_last_sweep(fit)
  z <- features(now)
  title <- sprintf("Features after %s: %d", counted(sweeps_made(fit), "sweep"), ncol(z))
  if (ncol(z) == 0) {
    return(ggplot2::ggplot() + ggplot2::theme_void() + ggplot2::labs(title = title))
  }
  shown <- first_panels(NULL, ncol(z), 16)
  labels <- paste0("in ", colSums(z)[shown])
  plot_image_wall(loadings_of(now)[shown, , drop = FALSE], dim, labels, across, 16 / across) +
    ggplot2::labs(title = paste0(title, if (ncol(z) > 16) ", the largest 16 shown"))
}

plot_demo_trace <- function(fit, truth) {
  sweep <- seq_len(sweeps_made(fit))
  names <- c("number of features", "log joint density")
  data <- data.frame(
    sweep = sweep, value = c(scalar(fit, "n_features"), scalar(fit, "log_joint")),
    of = factor(rep(names, each = length(sweep)), names)
  )
  true <- data.frame(value = truth, of = factor(names[1], names))
  ggplot2::ggplot(data, ggplot2::aes(.data$sweep, .data$value)) +
    ggplot2::geom_hline(
      ggplot2::aes(yintercept = .data$value), true, colour = demo_colours[["new"]], linetype = "22"
    ) +
    (if (length(sweep) > 1) ggplot2::geom_line(linewidth = 0.4)) +
    ggplot2::geom_point(data = data[data$sweep == max(sweep), ], size = 1.5) +
    ggplot2::facet_wrap(~of, scales = "free_y", ncol = 1) +
    ggplot2::scale_x_continuous(breaks = whole_numbers) +
    ggplot2::labs(
      y = NULL, title = "The chain so far",
      subtitle = sprintf("Dashed: the %d true pictures", truth)
    ) +
    lined_theme()
}
