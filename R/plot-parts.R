# Components of plots.

plain_theme <- function() lined_theme() + ggplot2::theme(panel.grid = ggplot2::element_blank())

# Titles begin at the edge of the plot, because long names leave no room
lined_theme <- function() {
  ggplot2::theme_minimal(base_size = 11) +
    ggplot2::theme(plot.title.position = "plot", plot.caption.position = "plot")
}

# A matrix as a data frame of row, column and value
long_matrix <- function(m) {
  data.frame(row = as.vector(row(m)), column = as.vector(col(m)), value = as.vector(m))
}

whole_breaks <- function(n) {
  if (n == 0) return(integer())
  breaks <- pretty(c(1, n))
  unique(c(1, breaks[breaks > 1 & breaks <= n & breaks %% 1 == 0]))
}

whole_numbers <- function(range) unique(round(pretty(range)))

signed_fill <- function(name, values) {
  ggplot2::scale_fill_gradient2(
    name = name, low = "#2166ac", mid = "white", high = "#b2182b", midpoint = 0,
    limits = range(0, values, na.rm = TRUE)
  )
}

# Rows of a matrix as images, read row by row
image_frame <- function(m, dim) {
  names <- make.unique(shorten_apart(rownames(m) %||% as.character(seq_len(nrow(m))), 20))
  pixel <- seq_len(prod(dim)) - 1
  data.frame(
    panel = factor(rep(names, each = prod(dim)), unique(names)),
    y = pixel %/% dim[2] + 1, x = pixel %% dim[2] + 1, value = as.vector(t(m))
  )
}

grey_fill <- function() ggplot2::scale_fill_gradient(name = NULL, low = "black", high = "white")

plot_images <- function(a, dim, which, what, fill = grey_fill()) {
  shown <- first_panels(which, nrow(a))
  draw_images(image_frame(a[shown, , drop = FALSE], dim), fill) +
    ggplot2::facet_wrap(~panel) +
    ggplot2::labs(
      title = "Loadings",
      subtitle = if (is.null(which)) describe_left_out(length(shown), nrow(a), paste0(what, "s"))
    )
}

draw_images <- function(frame, fill = grey_fill()) {
  ggplot2::ggplot(frame, ggplot2::aes(.data$x, .data$y, fill = .data$value)) +
    ggplot2::geom_raster() +
    fill +
    ggplot2::scale_y_reverse() +
    ggplot2::coord_fixed(expand = FALSE) +
    plain_theme() +
    ggplot2::theme(axis.text = ggplot2::element_blank(), axis.title = ggplot2::element_blank())
}

# Shortened texts, cut in the middle if texts cut at the end would be equal
shorten_apart <- function(text, most) {
  out <- shorten(text, most)
  same <- nchar(text) > most & out %in% out[duplicated(out)]
  ends <- nchar(text[same])
  half <- (most - 3) %/% 2
  out[same] <- paste0(
    substr(text[same], 1, most - 3 - half), "...", substr(text[same], ends - half + 1, ends)
  )
  out
}
