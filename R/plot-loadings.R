line_cure <- "`plot(fit, \"loadings\", geom = \"line\")` draws loadings as lines"

check_geom <- function(geom, type, dim) {
  geom <- check_choice(geom, c("tile", "line"), "geom")
  if (geom == "line" && type != "loadings") {
    stop_argument("geom", "be \"tile\" unless `type` is \"loadings\"", geom)
  }
  if (geom == "line" && !is.null(dim)) stop_argument("geom", "be \"tile\" if `dim` is given", geom)
  geom
}

plot_seen_loadings <- function(fit, dim, which, geom) {
  seen <- shown_features(fit, which, added = " (their loadings are summed)")
  a <- in_deviations(fit, seen$add %*% loadings_of(fit))
  chosen <- if (!is.null(which)) seq_len(nrow(a))
  plot_loadings(a, dim, chosen, scaled = is_scaled(fit$internal$model), geom = geom) +
    labs(caption = factor_caption(seen$note))
}

plot_loadings <- function(a, dim, which = NULL, what = "feature", scaled = FALSE, geom = "tile") {
  if (!is.null(dim) && nrow(a) > 0) return(plot_images(a, dim, which, what))
  units <- if (scaled) in_deviations_text
  if (geom == "line" && nrow(a) > 0) return(plot_lines(a, which, what, units))
  a <- a[which %||% seq_len(nrow(a)), , drop = FALSE]
  draw_loadings(a, "loading") +
    labs(x = what, subtitle = if (nrow(a) == 0) no_feature_text else units)
}

# Plots loadings as curves over the columns, with one panel per feature
plot_lines <- function(a, which, what, units = NULL, labels = rownames(a)) {
  shown <- first_panels(which, nrow(a))
  at <- column_positions(colnames(a), ncol(a))
  data <- data.frame(
    panel = factor(rep(shown, ncol(a)), shown, labels[shown]),
    at = rep(at$values, each = length(shown)), value = as.vector(a[shown, ])
  )
  left_out <- if (is.null(which)) describe_left_out(length(shown), nrow(a), paste0(what, "s"))
  ggplot(data, aes(.data$at, .data$value)) +
    geom_hline(yintercept = 0, colour = "grey70") +
    geom_line(colour = "#2166ac") +
    facet_wrap(~panel, ncol = if (length(shown) <= 6) 1) +
    scale_x_continuous(breaks = at$breaks, labels = at$labels) +
    labs(
      x = at$name, y = if (is.null(units)) "loading" else paste("loading,", units),
      title = "Loadings", subtitle = left_out
    ) +
    lined_theme()
}

# Positions of the columns, and the title of their axis. The positions are the numbers in the column
# names if the names differ only in these numbers, and otherwise 1, 2, ...
column_positions <- function(names, n) {
  parts <- regmatches(names, regexec("^([^0-9]*)([0-9]+[.]?[0-9]*)([^0-9]*)$", names))
  parts <- do.call(rbind, parts[lengths(parts) == 4])
  values <- suppressWarnings(as.numeric(names))
  if (anyNA(values) && NROW(parts) == n && nrow(unique(parts[, c(2, 4)])) == 1) {
    values <- as.numeric(parts[, 3])
  }
  if (length(values) == n && all(is.finite(values)) && !anyDuplicated(values)) {
    breaks <- pretty(values)
    return(list(
      values = values, name = "column, by the number in its name", breaks = breaks, labels = breaks
    ))
  }
  named <- !is.null(names) && n <= 24
  breaks <- if (named) seq_len(n) else whole_numbers(c(1, n))
  list(
    values = seq_len(n), name = "column, in the order of the data", breaks = breaks,
    labels = if (named) names else breaks
  )
}

# If scale = TRUE, all loadings are in standard deviations and share one colour scale.
in_deviations <- function(fit, m) m / rep(column_units(fit), each = nrow(m))

in_deviations_text <- "in standard deviations of the columns"

draw_loadings <- function(a, name) {
  data <- long_matrix(t(a))
  ggplot(data, aes(.data$column, .data$row, fill = .data$value)) +
    geom_raster() +
    signed_fill(name, data$value) +
    labs(x = "feature", y = "column", title = "Loadings") +
    plain_theme() +
    rows_down(colnames(a), ncol(a)) +
    columns_across(rownames(a))
}

image_frame <- function(m, dim) {
  names <- make.unique(shorten_apart(rownames(m) %||% as.character(seq_len(nrow(m))), 20))
  pixel <- seq_len(prod(dim)) - 1
  data.frame(
    panel = factor(rep(names, each = prod(dim)), unique(names)),
    y = pixel %/% dim[2] + 1, x = pixel %% dim[2] + 1, value = as.vector(t(m))
  )
}

grey_fill <- function() scale_fill_gradient(name = NULL, low = "black", high = "white")

plot_images <- function(a, dim, which, what, fill = grey_fill()) {
  shown <- first_panels(which, nrow(a))
  draw_images(image_frame(a[shown, , drop = FALSE], dim), fill) +
    facet_wrap(~panel) +
    labs(
      title = "Loadings",
      subtitle = if (is.null(which)) describe_left_out(length(shown), nrow(a), paste0(what, "s"))
    )
}

draw_images <- function(frame, fill = grey_fill()) {
  ggplot(frame, aes(.data$x, .data$y, fill = .data$value)) +
    geom_raster() +
    fill +
    scale_y_reverse() +
    coord_fixed(expand = FALSE) +
    plain_theme() +
    theme(axis.text = element_blank(), axis.title = element_blank())
}
