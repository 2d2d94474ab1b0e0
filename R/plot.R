#' Plots of a fit
#'
#' @param x A fit by [fit_gaussian()], [fit_logistic()] or [fit_nmf()].
#' @param type (string) What to plot, by default `"features"`. For [fit_nmf()] it is `"loadings"`,
#'   the default, `"fit"` or `"trace"`.
#'   * `"features"`: the point estimate of Z in left-ordered form, with features across and rows
#'     downwards;
#'   * `"loadings"`: [loadings_of()] these features; with `dim` as images. With `scale = TRUE` in
#'     the fit they are in standard deviations of the columns;
#'   * `"trace"`: every scalar over the sweeps of each chain, with the warm-up shaded. For a fit by
#'     optimisation it is [objective()];
#'   * `"n_features"`: the posterior of the number of features, and its prior (only for fits by
#'     sampling);
#'   * `"coassignment"`: [coassignment()], the mean number of features that rows share, with the
#'     rows in clustered order;
#'   * `"fit"`: observed, reconstructed and residual data. For binary data these are the entries,
#'     the probabilities of a 1 and their difference. With `dim` some rows are shown as images;
#'   * `"tree"`: the point estimate next to the tree (only with [prior_pibp()]). Labels on the
#'     branches show where each feature, numbered by its column in [features()], must have
#'     originated, on one branch or several;
#'   * `"chains"`: the features that each chain has found, for a fit with several chains. Every
#'     chain has a row with its own point estimate; the chain with the highest mean `log_joint` is
#'     at the top. Features in one column are matched: of the rows of the data that have the topmost
#'     feature of the column or the feature of the tile, more than half have both. The colour shows
#'     this share (the Jaccard index), and the number in a tile the share of all rows that have its
#'     feature. Features that fewer chains have found are farther to the right. Columns that have
#'     no number below them are not among the [features()] of the [best_chain()].
#' @param dim (two positive integers or `NULL`) Height and width of the images, if rows of the data
#'   or loadings are to be drawn as images. Pixels are read row by row, and the product must be the
#'   number of columns. `NULL`, the default, draws no images.
#' @param rows (whole numbers or `NULL`) Rows of the data to show as images with `"fit"`. `NULL`,
#'   the default, means the first four.
#' @param which (whole numbers, names such as `"f3"`, or `NULL`) Features to show with `"features"`,
#'   `"loadings"` and `"tree"`. `NULL`, the default, means all of them, or the first 24 if they are
#'   drawn as images or lines; see Features that are left out.
#' @param geom (string) How `"loadings"` are drawn without `dim`: `"tile"`, the default, or
#'   `"line"`, a curve per feature, for columns with an order, such as spectra and time series. The
#'   horizontal axis shows the number in each column name if the names are otherwise identical
#'   (`900 nm`, `902 nm`, ...), and otherwise the position of the column.
#' @param ... Must be empty. For `autoplot()`, the arguments of `plot()`.
#'
#' @section Features that are left out:
#' A feature that all rows or no rows have does not distinguish rows, and if several features are in
#' the same rows, only the sum of their loadings can be learned. By default the former are left out,
#' and the latter are drawn once, with their loadings or effects added up. With biases, features
#' that divide the rows in the same two groups count as equal: the loadings of a complement are
#' subtracted. A caption says how many features were left out. If no feature divides the rows, all
#' are shown.
#'
#' @section Names:
#' If the data have row and column names, these label the axes. If there are many, only every
#' second, third, ... name is shown. Rows run downwards and features across. In plots of loadings
#' the columns of the data run downwards.
#'
#' @return A `ggplot`.
#' @examples
#' set.seed(1)
#' fit <- fit_gaussian(sim_images(40), method = method_gibbs(chains = 2, iter = 600), seed = 1)
#' # which images have which features
#' plot(fit)
#' # the features as images: they should be the four pictures of sim_images()
#' plot(fit, "loadings", dim = c(6, 6))
#' # the features that each of the two chains has found
#' plot(fit, "chains")
#' @aliases plot.fit_gaussian plot.fit_logistic
#' @export
plot.buffet_fit <- function(x, type = c(
                              "features", "loadings", "trace", "n_features", "coassignment", "fit",
                              "tree", "chains"
                            ), dim = NULL, rows = NULL, which = NULL, geom = c("tile", "line"),
                            ...) {
  check_no_more(...)
  check_format(x)
  without <- without_types(x)
  type <- check_type(type, eval(formals()$type), without)
  rows <- check_rows(rows, nobs(x))
  dim <- check_dim(dim, ncol(model_data(x)))
  geom <- check_geom(geom, type, dim)
  some <- c("features", "loadings", "tree")
  which <- check_which(which, type, some, colnames(x$features), without)
  switch(type,
    features = plot_seen_features(x, traits_of(x)$side, which),
    loadings = plot_seen_loadings(x, dim, which, geom),
    trace = plot_course(x),
    n_features = plot_n_features(x),
    coassignment = plot_coassignment(coassignment(x), traits_of(x)$side),
    fit = plot_fit(x, dim, rows),
    tree = plot_tree_fit(x, which),
    chains = plot_chains(x)
  )
}

#' @rdname plot.buffet_fit
#' @param object A fit, as `x`.
#' @export
autoplot.buffet_fit <- function(object, ...) plot(object, ...)

check_type <- function(type, all, without = NULL) {
  has <- setdiff(all, without)
  if (identical(type, "line") && "loadings" %in% has) {
    stop_argument("type", "be a kind of plot", type, cure = line_cure)
  }
  check_choice(if (identical(type, all)) has else type, has, "type")
}

without_types <- function(fit) {
  check_format(fit)
  point <- inherits(fit, "fit_point")
  c(
    if (point) c("n_features", "tree", "chains") else if (is.null(fit$prior$tree)) "tree",
    if (inherits(fit, "fit_mixed")) "fit"
  )
}

check_dim <- function(dim, columns) {
  if (is.null(dim)) return(NULL)
  whole <- length(dim) == 2 && is_whole(dim[1]) && is_whole(dim[2])
  if (!whole || any(dim < 1) || prod(dim) != columns) {
    must <- sprintf("be two positive whole numbers with product %d, the number of columns", columns)
    two <- is.numeric(dim) && length(dim) == 2
    stop_argument("dim", must, was = if (two) paste(dim, collapse = " x ") else describe_value(dim))
  }
  as.integer(dim)
}

check_rows <- function(rows, n) {
  if (is.null(rows)) return(NULL)
  valid <- is.numeric(rows) && length(rows) > 0 && all(rows %in% seq_len(n))
  if (!valid) stop_argument("rows", sprintf("be whole numbers from 1 to %d", n), rows)
  as.integer(rows)
}

plot_features <- function(z, side = "row", which = NULL) {
  z <- left_order(z[, which %||% seq_len(ncol(z)), drop = FALSE])
  data <- long_matrix(z)
  said <- sprintf("from left to right by the first %s that has them; f1 is the largest", side)
  ggplot(data, aes(.data$column, .data$row, fill = factor(.data$value))) +
    geom_raster() +
    scale_fill_manual(values = c("0" = "grey93", "1" = "grey15"), guide = "none") +
    labs(
      x = "feature", y = side, title = "Features in left-ordered form",
      subtitle = if (ncol(z) == 0) no_feature_text else said
    ) +
    plain_theme() +
    rows_down(rownames(z), nrow(z)) +
    columns_across(colnames(z))
}

plot_seen_features <- function(fit, side, which) {
  seen <- shown_features(fit, which)
  plot_features(fit$features, side, seen$which) + labs(caption = factor_caption(seen$note))
}

plot_coassignment <- function(shared, side) {
  n <- nrow(shared)
  order <- if (n > 2) stats::hclust(stats::dist(shared))$order else seq_len(n)
  data <- long_matrix(shared[order, order, drop = FALSE])
  ggplot(data, aes(.data$column, .data$row, fill = .data$value)) +
    geom_raster() +
    scale_fill_viridis_c(name = "shared\nfeatures") +
    coord_fixed() +
    labs(
      x = sprintf("%ss, in clustered order", side), y = sprintf("%ss, in the same order", side),
      title = sprintf("Features that %ss share", side)
    ) +
    plain_theme() +
    (if (is.null(rownames(shared))) {
      list(
        scale_y_reverse(expand = c(0, 0), breaks = NULL),
        scale_x_continuous(expand = c(0, 0), breaks = NULL)
      )
    } else {
      names <- rownames(shared)[order]
      list(rows_down(names), columns_across(names, most = most_rows, room = 215))
    })
}

plot_n_features <- function(fit) {
  counts <- scalar(fit, "n_features")
  shown <- seq(max(0, min(counts) - 2), max(counts) + 2)
  data <- data.frame(
    n = rep(shown, 2), law = rep(c("posterior", "prior"), each = length(shown)),
    probability = c(
      vapply(shown, function(n) mean(counts == n), 0),
      limited_n_features(fit$prior, traits_of(fit)$rows$n, shown, fit$method$max_features)
    )
  )
  ggplot(data, aes(.data$n, .data$probability, fill = .data$law)) +
    geom_col(position = "dodge") +
    scale_fill_manual(values = c(posterior = "grey20", prior = "grey75"), name = NULL) +
    scale_x_continuous(breaks = whole_numbers) +
    labs(x = "number of features", y = "probability", title = "How many features") +
    plain_theme()
}

plot_fit <- function(fit, dim, rows) {
  x <- as.matrix(in_memory(fit, "this plot"))
  parts <- list(observed = x, fitted = fitted(fit), residual = residuals(fit))
  items <- has_items(fit)
  scaled <- is_scaled(fit$internal$model) || items
  # Columns that are scaled or have different families share one colour scale.
  if (items) {
    each <- function(of_columns) rep(of_columns, each = nrow(x))
    mean <- each(colMeans(x, na.rm = TRUE))
    sd <- each(apply(x, 2, stats::sd, na.rm = TRUE))
    parts[1:2] <- lapply(parts[1:2], function(m) (m - mean) / sd)
    parts$residual <- parts$residual / sd
  } else if (scaled) {
    parts[1:2] <- lapply(parts[1:2], in_model_units, fit = fit)
    parts$residual <- in_deviations(fit, parts$residual)
  }
  names(parts)[2] <- traits_of(fit)$fitted
  if (!is.null(dim)) {
    shown <- first_panels(rows, nrow(x), most = 4)
    images <- do.call(rbind, lapply(names(parts), function(part) {
      frame <- image_frame(parts[[part]][shown, , drop = FALSE], dim)
      cbind(frame, part = factor(part, names(parts)))
    }))
    left <- if (is.null(rows)) describe_left_out(length(shown), nrow(x), "rows", "rows")
    return(draw_images(images) + facet_grid(part ~ panel) + labs(title = "Fit", subtitle = left))
  }
  data <- do.call(rbind, lapply(names(parts), function(part) {
    cbind(long_matrix(parts[[part]]), part = factor(part, names(parts)))
  }))
  ggplot(data, aes(.data$column, .data$row, fill = .data$value)) +
    geom_raster() +
    facet_wrap(~part) +
    signed_fill("value", data$value) +
    labs(x = "column", y = "row", title = "Fit", subtitle = if (scaled) in_deviations_text) +
    plain_theme() +
    rows_down(rownames(x), nrow(x)) +
    columns_across(colnames(x), most = 30, room = 120)
}

plain_theme <- function() lined_theme() + theme(panel.grid = element_blank())

lined_theme <- function() {
  theme_minimal(base_size = 11) +
    theme(plot.title.position = "plot", plot.caption.position = "plot")
}

# A matrix as a data frame with columns row, column and value
long_matrix <- function(m) {
  data.frame(row = as.vector(row(m)), column = as.vector(col(m)), value = as.vector(m))
}

whole_numbers <- function(range) unique(round(pretty(range)))

signed_fill <- function(name, values) {
  scale_fill_gradient2(
    name = name, low = "#2166ac", mid = "white", high = "#b2182b", midpoint = 0,
    limits = range(0, values, na.rm = TRUE)
  )
}

# Shortens texts. They are cut in the middle if cutting them at the end would make texts equal.
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

# Numbers of the selected features, or NULL if the plot chooses them
# types: The types of plots that can show a selection.
check_which <- function(which, type, types, names, without = NULL) {
  check_unasked(which, "which", type, setdiff(types, without))
  check_shown(which, names, "which")
}

check_unasked <- function(x, name, type, types) {
  if (is.null(x) || type %in% types) return(invisible())
  quoted <- encodeString(types, quote = "\"")
  one <- length(types) == 1
  must <- paste("be NULL unless `type` is", if (!one) "one of", paste(quoted, collapse = ", "))
  stop_argument(name, gsub(" +", " ", must), x)
}

check_shown <- function(x, names, name, numbers = TRUE, what = NULL) {
  if (is.null(x)) return(NULL)
  known <- if (is.character(x)) names else if (is.numeric(x) && numbers) seq_along(names)
  at <- if (is.object(x) || is.null(known)) NA else match(x, known)
  what <- what %||%
    if (numbers) "names or numbers of features of the fit" else "names of columns of the data"
  if (length(at) == 0 || anyNA(at)) {
    # The first unknown element, or all elements
    one <- is.atomic(x) && length(x) == length(at) && anyNA(at)
    stop_argument(name, paste("be", what), if (one) x[is.na(at)][[1]] else x)
  }
  again <- anyDuplicated(at)
  if (again) {
    was <- paste(describe_value(x[[again]]), "twice")
    stop_argument(name, paste("be", what, "without repetition"), was = was)
  }
  at
}

first_panels <- function(which, n, most = 24) which %||% seq_len(min(n, most))

describe_left_out <- function(shown, n, what, argument = "which") {
  if (shown < n) sprintf("%d of %d %s; `%s` chooses others", shown, n, what, argument)
}
