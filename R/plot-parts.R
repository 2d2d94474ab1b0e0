# What the pictures are put together from.

plain_theme <- function() {
  ggplot2::theme_minimal(base_size = 11) +
    ggplot2::theme(panel.grid = ggplot2::element_blank())
}

#' A matrix as a data frame of row, column and value
#' @noRd
long_matrix <- function(m) {
  data.frame(row = as.vector(row(m)), column = as.vector(col(m)), value = as.vector(m))
}

row_scale <- function(n) {
  ggplot2::scale_y_reverse(expand = c(0, 0), breaks = whole_breaks(n), minor_breaks = NULL)
}

#' Names under columns where they can be read, else numbers
#' @noRd
column_scale <- function(names) {
  n <- length(names)
  if (n > 0 && n <= 20) {
    return(ggplot2::scale_x_continuous(breaks = seq_len(n), labels = names, expand = c(0, 0)))
  }
  ggplot2::scale_x_continuous(expand = c(0, 0))
}

whole_breaks <- function(n) {
  breaks <- pretty(c(1, n))
  unique(c(1, breaks[breaks > 1 & breaks <= n & breaks %% 1 == 0]))
}

signed_fill <- function(name, values) {
  ggplot2::scale_fill_gradient2(
    name = name, low = "#2166ac", mid = "white", high = "#b2182b", midpoint = 0,
    limits = range(0, values, na.rm = TRUE)
  )
}

#' Rows of a matrix as images, read row by row
#' @noRd
image_frame <- function(m, dim) {
  names <- rownames(m) %||% as.character(seq_len(nrow(m)))
  pixel <- seq_len(prod(dim)) - 1
  data.frame(
    panel = factor(rep(names, each = prod(dim)), unique(names)),
    y = pixel %/% dim[2] + 1, x = pixel %% dim[2] + 1, value = as.vector(t(m))
  )
}

grey_fill <- function() ggplot2::scale_fill_gradient(name = NULL, low = "black", high = "white")

plot_images <- function(m, dim) draw_images(image_frame(m, dim))

draw_images <- function(frame, fill = grey_fill()) {
  ggplot2::ggplot(frame, ggplot2::aes(.data$x, .data$y, fill = .data$value)) +
    ggplot2::geom_raster() +
    fill +
    ggplot2::scale_y_reverse() +
    ggplot2::coord_fixed(expand = FALSE) +
    plain_theme() +
    ggplot2::theme(axis.text = ggplot2::element_blank(), axis.title = ggplot2::element_blank())
}

#' Texts of at most so many characters, cut in the middle where those that are cut at the end would
#' be the same
#' @noRd
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
