# Columns by the factor that they load most on; within a factor from the largest loading to the
# smallest
order_columns <- function(loadings) {
  most <- max.col(t(abs(loadings)), ties.method = "first")
  order(most, -loadings[cbind(most, seq_along(most))])
}

plot_factor_loadings <- function(common, dim, scaled = FALSE) {
  a <- common$loadings
  if (nrow(a) == 0) return(plot_no_factor(common, "Loadings"))
  units <- if (scaled) paste0("Loadings are ", in_deviations_text, ".")
  caption <- factor_caption(units, describe_single(common), describe_rare(common))
  if (!is.null(dim)) {
    which <- if (common$chosen) seq_len(nrow(a))
    return(plot_images(a, dim, which, "factor") + ggplot2::labs(caption = caption))
  }
  order <- order_columns(a)
  names <- (colnames(a) %||% seq_len(ncol(a)))[order]
  data <- long_matrix(t(a[, order, drop = FALSE]))
  data$probability <- 1
  if (!is.null(common$probability)) {
    data$probability <- as.vector(t(common$probability[, order, drop = FALSE]))
  }
  side <- sqrt(data$probability)
  ggplot2::ggplot(data, ggplot2::aes(.data$column, .data$row)) +
    ggplot2::geom_tile(fill = "grey95", colour = "white", linewidth = 0.3) +
    ggplot2::geom_tile(
      ggplot2::aes(fill = .data$value), width = 0.96 * side, height = 0.96 * side
    ) +
    loading_numbers(data, dim = dim(a)) +
    signed_fill("loading", data$value) +
    ggplot2::labs(
      x = "factor and share of the variance explained",
      y = if (length(names) > 40) "columns, by the factor they load most on",
      title = "Loadings", caption = caption,
      subtitle = if (!is.null(common$probability)) {
        "Tile area: probability that the loading is not zero in draws that have the factor"
      }
    ) +
    plain_theme() +
    factor_names(common$explained) +
    rows_down(names) +
    ggplot2::theme(axis.title.x.top = ggplot2::element_text(margin = ggplot2::margin(b = 8)))
}

# Numbers in the tiles of loadings with probability above 1/2, if there is room
loading_numbers <- function(data, dim) {
  if (dim[1] > 10 || dim[2] > 25) return(NULL)
  data <- data[data$probability >= 0.5, ]
  dark <- abs(data$value) > 0.55 * max(abs(data$value))
  ggplot2::geom_text(
    ggplot2::aes(label = sprintf("%.2f", round(.data$value, 2) + 0)), data,
    colour = ifelse(dark, "white", "grey20"), size = 3
  )
}

factor_names <- function(explained) {
  labels <- sprintf("%s\n%s", names(explained), whole_per_cent(explained))
  columns_across(labels, position = "top")
}
