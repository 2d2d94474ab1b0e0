#' Plots of a fit to a data frame
#'
#' @param x A fit by [fit_mixed()].
#' @param type (string) What to plot, by default `"effects"`.
#'   * `"effects"`: the effects of features on columns, with a panel for each feature and column. A
#'     panel compares the observed entries of the rows that have the feature in the point estimate
#'     [features()] with the rows that do not. It shows densities of numbers (on a
#'     logarithmic axis for log-normal columns), and shares of counts, of whole numbers with few
#'     values, and of categories (if there are more than six categories, of those whose shares
#'     differ most). Groups of fewer than eight numbers are shown as ticks. Above the panel is the
#'     effect from [tidy()][tidy.fit_mixed], with the other features held fixed: the amount added,
#'     the factor that multiplies the median or mean, or the change in the probability of the
#'     category that changes most;
#'   * `"patterns"`: the combinations of features that rows have, one per line (the 20 most common);
#'   * `"loadings"`: [loadings_of()] the features, but with numbers (or their logarithms) in
#'     standard deviations of the column, which makes columns with different units comparable.
#'     Other columns are as in `tidy(fit, scale = "weight")`;
#'   * `"features"`, `"trace"`, `"n_features"`, `"coassignment"`, `"tree"`, `"chains"`: as for
#'     [fit_gaussian()][plot.buffet_fit].
#' @param columns (names or `NULL`) Columns whose effects to show, in this order; not allowed for
#'   other types. `NULL`, the default, shows for each feature the four columns that it affects most,
#'   or five if at most three features are shown.
#' @param which (whole numbers, names such as `"f3"`, or `NULL`) Features to show with `"effects"`,
#'   `"patterns"`, `"loadings"`, `"features"` and `"tree"`, in this order; not allowed for other
#'   types. `NULL`, the default, means all of them or, for `"effects"`, which has a row of panels
#'   per feature, the first six. All but `"tree"` then leave out features that do not
#'   distinguish rows.
#' @param ... Must be empty.
#' @inheritSection plot.buffet_fit Features that are left out
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot`. The plot of `"effects"` with 24 panels needs about 9 x 9 inches.
#' @examples
#' fit <- fit_mixed(iris, method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # rows with a feature compared with rows without it
#' plot(fit)
#' plot(fit, columns = c("Species", "Petal.Length"), which = 1:2)
#' # which features occur together in flowers
#' plot(fit, "patterns")
#' @export
plot.fit_mixed <- function(x, type = c(
                             "effects", "patterns", "features", "loadings", "trace", "n_features",
                             "coassignment", "tree", "chains"
                           ), columns = NULL, which = NULL, ...) {
  check_no_more(...)
  without <- without_types(x)
  type <- check_type(type, eval(formals()$type), without)
  check_unasked(columns, "columns", type, "effects")
  columns <- check_shown(columns, names(x$internal$model$data$columns), "columns", numbers = FALSE)
  some <- c("effects", "patterns", "features", "loadings", "tree")
  which <- check_which(which, type, some, colnames(x$features), without)
  switch(type,
    effects = plot_effects(x, columns, which),
    patterns = plot_patterns(x, which),
    loadings = plot_mixed_weights(x, which),
    plot.buffet_fit(x, type, which = which)
  )
}

# Chooses the panels. Returns a data frame of feature and column, both as numbers, and the text of
# the effect
# which: Numbers of features.
# add: The matrix from shown_features().
choose_panels <- function(fit, columns, which, add) {
  all <- fit$internal$model$data$columns
  z <- fit$features
  effects <- tidy_effects(fit, "response", 0.9, which, joint_weights(fit, add))
  each <- if (length(which) <= 3) 5 else 4
  do.call(rbind, lapply(which, function(k) {
    of_columns <- lapply(names(all), function(name) {
      effects$estimate[effects$feature == colnames(z)[k] & effects$column == name]
    })
    size <- unlist(Map(effect_size, all, of_columns, as.data.frame(model_data(fit))))
    shown <- columns %||% utils::head(order(-size), each)
    told <- unlist(Map(tell_effect, all[shown], of_columns[shown]))
    data.frame(feature = k, column = shown, told = told, row.names = NULL)
  }))
}

# Draws of weights, in which each feature named by a row of `add` has the joint effect of all
# features with the same rows
joint_weights <- function(fit, add) {
  w <- mixed_weights(fit)
  bias <- fit$internal$model$bias
  shown <- match(rownames(add), colnames(fit$features))
  copies <- setdiff(which(colSums(abs(add)) > 0), shown)
  if (length(copies) == 0) return(w)
  of_features <- w[, bias + seq_len(ncol(add)), , drop = FALSE]
  w[, bias + shown, ] <- apply(of_features, 3, \(draw) tcrossprod(draw, add))
  # The complement of a feature is 1 minus the feature.
  for (k in copies[colSums(add)[copies] < 0]) w[, 1, ] <- w[, 1, ] + w[, bias + k, ]
  w[, bias + copies, ] <- 0
  w
}

# Size of an effect, from 0 to 1. It approximates the total variation distance between the
# distributions with and without the feature.
effect_size <- function(column, estimate, code) {
  if (!is.null(column$levels)) {
    # If there are two values, only the second is listed.
    return(sum(abs(estimate)) / (if (length(estimate) == 1) 1 else 2))
  }
  apart <- switch(column$family,
    gaussian = abs(estimate) / column$scale, lognormal = abs(log(estimate)) / column$scale,
    negative_binomial = , poisson = abs(log(estimate)) / stats::sd(log1p(code), na.rm = TRUE),
    abs(estimate) / stats::sd(decode_column(column, code), na.rm = TRUE)
  )
  2 * stats::pnorm(apart / 2) - 1
}

tell_effect <- function(column, estimate) {
  if (is.null(column$levels)) {
    ratio <- column$family %in% c("lognormal", "negative_binomial", "poisson")
    number <- vapply(signif(estimate, if (ratio) 3 else 2), format, "", digits = 3)
    return(if (ratio) paste("\u00d7", number) else paste0(if (estimate > 0) "+", number))
  }
  most <- which.max(abs(estimate))
  levels <- shorten_apart(as.character(column$levels), 14)
  sprintf("P(%s) %+.2f", utils::tail(levels, length(estimate))[most], estimate[most])
}

plot_mixed_weights <- function(fit, which) {
  a <- t(mean_mixed_weights(fit))
  if (nrow(a) == 0) return(plot_no_feature("Loadings"))
  seen <- shown_features(fit, which, added = " (their weights are summed)")
  draw_loadings(seen$add %*% a, "weight,\nnumbers\nstandardised") +
    labs(caption = factor_caption(seen$note))
}

plot_patterns <- function(fit, which, most = 20) {
  seen <- shown_features(fit, which)
  z <- fit$features[, seen$which, drop = FALSE]
  if (ncol(z) == 0) return(plot_no_feature("Which features occur together"))
  pattern <- do.call(paste0, as.data.frame(z))
  counts <- sort(table(factor(pattern, unique(pattern))), decreasing = TRUE)
  shown <- utils::head(counts, most)
  has <- z[match(names(shown), pattern), , drop = FALSE]
  has <- has[, colSums(has) > 0, drop = FALSE]
  tiles <- long_matrix(has)
  width <- max(ncol(has), 6)
  bars <- data.frame(row = seq_along(shown), count = as.vector(shown))
  bars$end <- ncol(has) + 1 + width * bars$count / max(bars$count)
  said <- counted(length(counts), "combination")
  if (length(shown) < length(counts)) {
    said <- sprintf(
      "The %d most common of %d combinations, which %s of the rows have",
      length(shown), length(counts), whole_per_cent(sum(shown) / sum(counts))
    )
  }
  ggplot(tiles, aes(.data$column, .data$row)) +
    geom_tile(aes(fill = factor(.data$value)), colour = "white", width = 0.9, height = 0.85) +
    scale_fill_manual(values = c("0" = "grey93", "1" = "grey15"), guide = "none") +
    geom_rect(
      aes(xmin = ncol(has) + 1, xmax = .data$end, ymin = .data$row - 0.4, ymax = .data$row + 0.4),
      bars, inherit.aes = FALSE, fill = "#2166ac"
    ) +
    geom_text(
      aes(.data$end, .data$row, label = .data$count), bars,
      inherit.aes = FALSE, hjust = -0.25, size = 3
    ) +
    scale_x_continuous(
      breaks = c(seq_len(ncol(has)), ncol(has) + 1.5), labels = c(colnames(has), "rows"),
      position = "top", expand = expansion(add = c(0.2, 0.15 * width))
    ) +
    scale_y_reverse(breaks = NULL, expand = expansion(add = 0.2)) +
    labs(
      x = NULL, y = NULL, title = "Which features occur together", subtitle = said,
      caption = factor_caption(
        seen$note, if (ncol(has) < ncol(z)) "Features that are in none of these are left out."
      )
    ) +
    plain_theme()
}

plot_no_feature <- function(title, text = "The point estimate has no feature") {
  ggplot() +
    annotate("text", x = 0, y = 0, label = text, colour = "grey40") +
    labs(title = title) +
    theme_void(base_size = 11)
}

# Draws panels with their own axes in one plot. A ggplot has only one scale per axis, so panel p is
# drawn in [2 p, 2 p + 1]^2, and the breaks and labels of its axes are looked up by p.
plot_effects <- function(fit, columns, which) {
  title <- "Effects of features on columns"
  if (ncol(fit$features) == 0) return(plot_no_feature(title))
  seen <- shown_features(fit, which, added = " (their effects are summed)")
  shown <- which %||% utils::head(seen$which, 6)
  panels <- choose_panels(fit, columns, shown, seen$add)
  z <- fit$features
  all <- fit$internal$model$data$columns
  drawn <- Map(function(k, j) {
    entries <- split(model_data(fit)[, j], factor(z[, k], 0:1))
    new_panel(all[[j]], lapply(entries, function(code) code[!is.na(code)]))
  }, panels$feature, panels$column)
  short <- shorten_apart(names(all), 17)[panels$column]
  label <- sprintf("%s: %s\n%s", colnames(z)[panels$feature], short, panels$told)
  label <- factor(seq_along(label), labels = label)
  shapes <- do.call(rbind, lapply(seq_along(drawn), function(p) {
    shapes <- drawn[[p]]$shapes
    data.frame(
      x = 2 * p + shapes$x, y = 2 * p + shapes$y, group = paste(p, shapes$group),
      rows = factor(ifelse(shapes$has, "with", "without"), c("without", "with")),
      kind = shapes$kind, label = label[p]
    )
  }))
  corners <- expand.grid(panel = seq_along(drawn), end = 0:1)
  corners$label <- label[corners$panel]
  corners$at <- 2 * corners$panel + corners$end
  per_line <- table(panels$feature)[1]
  sizes <- sprintf("%s: %d", colnames(z)[shown], as.integer(colSums(z)[shown]))
  draw_panels(shapes, corners, drawn, min(per_line, 6)) +
    labs(
      x = NULL, y = NULL, title = title,
      subtitle = "Entries of rows with and without a feature, and its effect, other features equal",
      caption = factor_caption(
        sprintf("Rows that have each feature, of %d: %s", nrow(z), toString(sizes)),
        describe_left_out(length(shown), length(seen$which), "features"), seen$note
      )
    )
}

# shapes: Corners of polygons, by `group`.
# corners: The extent of each panel.
draw_panels <- function(shapes, corners, drawn, per_line) {
  colours <- c(without = "grey55", with = "#2166ac")
  ggplot(shapes, aes(.data$x, .data$y)) +
    geom_blank(aes(.data$at, .data$at), corners) +
    geom_polygon(
      aes(group = .data$group, fill = .data$rows, colour = .data$rows, alpha = .data$kind),
      linewidth = 0.3
    ) +
    # Several panels may share a label.
    facet_wrap(~label,
      ncol = per_line, scales = "free", labeller = \(labels) lapply(labels, as.character)
    ) +
    scale_fill_manual(name = NULL, values = colours, drop = FALSE) +
    scale_colour_manual(name = NULL, values = colours, drop = FALSE) +
    scale_alpha_manual(values = c(density = 0.35, bar = 0.85, tick = 1), guide = "none") +
    scale_x_continuous(
      breaks = panel_breaks(drawn, "x"), labels = panel_labels(drawn, "x"), expand = expansion(0.03)
    ) +
    scale_y_continuous(
      breaks = panel_breaks(drawn, "y"), labels = panel_labels(drawn, "y"), expand = expansion(0.02)
    ) +
    plain_theme() +
    theme(
      legend.position = "top", legend.justification = "left",
      legend.margin = margin(0, 0, 0, 0), legend.key.size = unit(0.35, "cm"),
      # Strip text may be wider than the panel.
      strip.text = element_text(hjust = 0, size = 7), strip.clip = "off",
      plot.margin = margin(5.5, 22, 5.5, 5.5),
      axis.text = element_text(size = 6.5), axis.text.y = element_text(size = 6),
      axis.line.x = element_line(colour = "grey70", linewidth = 0.3),
      panel.spacing.x = unit(0.45, "cm"), panel.spacing.y = unit(0.3, "cm")
    )
}

panel_breaks <- function(drawn, axis) {
  function(limits) {
    p <- floor(mean(limits) / 2)
    2 * p + drawn[[p]][[axis]]$at
  }
}

panel_labels <- function(drawn, axis) {
  function(breaks) {
    unlist(lapply(breaks, function(at) {
      p <- floor(at / 2 + 1e-6)
      own <- drawn[[p]][[axis]]
      own$labels[which.min(abs(own$at - (at - 2 * p)))]
    }))
  }
}

# entries: Two coded vectors, for the rows without and with the feature.
# Returns list(shapes, x, y): the corners of polygons in the unit square (x, y, group, has, kind),
# and the axes, each of them list(at, labels).
new_panel <- function(column, entries) {
  if (!is.null(column$levels)) return(category_panel(column, entries))
  values <- lapply(entries, function(code) decode_column(column, code))
  all <- unlist(values)
  # Whole numbers with few enough distinct values to have one bar each
  few <- all(abs(all - round(all)) < 1e-6) && diff(range(all)) < 15
  if (is_count(column) || few) return(count_panel(lapply(values, round)))
  logarithmic <- column$family == "lognormal"
  if (logarithmic) values <- lapply(values, log10)
  density_panel(values, logarithmic)
}

# An axis on which every other label is dropped until the remaining labels fit
new_axis <- function(at, labels) {
  while (length(at) > 2 && sum(nchar(labels) + 1) > 22) {
    kept <- seq(1, length(at), by = 2)
    at <- at[kept]
    labels <- labels[kept]
  }
  list(at = at, labels = labels)
}

no_axis <- list(at = double(), labels = character())

density_panel <- function(values, logarithmic) {
  range <- range(unlist(values))
  range <- range + c(-0.08, 0.08) * diff(range)
  unit <- function(v) (v - range[1]) / diff(range)
  curves <- lapply(values, function(v) {
    if (length(v) >= 8) {
      stats::density(v, adjust = 1.2, n = 128, from = range[1], to = range[2])[c("x", "y")]
    }
  })
  top <- max(0, unlist(lapply(curves, `[[`, "y")))
  shapes <- Map(function(curve, v, has) {
    if (is.null(curve)) {
      n <- length(v)
      return(data.frame(
        x = rep(unit(v), each = 4) + rep(c(-1, 1, 1, -1) * 0.006, n), y = rep(c(0, 0, 0.2, 0.2), n),
        group = paste(rep(has, 4 * n), rep(seq_len(n), each = 4)), has = rep(has, 4 * n),
        kind = rep("tick", 4 * n)
      ))
    }
    n <- length(curve$x)
    data.frame(
      x = unit(curve$x[c(1, seq_len(n), n)]), y = c(0, curve$y / top, 0), group = has, has = has,
      kind = "density"
    )
  }, curves, values, c(FALSE, TRUE))
  at <- axis_values(range, logarithmic)
  list(
    shapes = do.call(rbind, unname(shapes)),
    x = new_axis(unit(if (logarithmic) log10(at) else at), short_numbers(at)), y = no_axis
  )
}

count_panel <- function(values) {
  range <- range(unlist(values))
  width <- max(1, ceiling((diff(range) + 1) / 15))
  bins <- ceiling((diff(range) + 1) / width)
  shares <- vapply(values, function(v) {
    tabulate(floor((v - range[1]) / width) + 1, bins) / max(1, length(v))
  }, double(bins))
  bars <- paired_bars(matrix(shares, bins), 0.42)
  at <- axis_values(range, FALSE)
  at <- at[at == round(at)]
  list(
    shapes = data.frame(x = bars$at, y = bars$size, bars[c("group", "has", "kind")]),
    x = new_axis(((at - range[1]) / width + 0.5 / width) / bins, short_numbers(at)), y = no_axis
  )
}

# Corners of the bars without and with the feature, side by side: `at`, positions across the bars,
# and `size`, positions along them
# shares: Matrix with two columns.
# width: Width of a bar, in units of the width of a pair including the gap after it.
paired_bars <- function(shares, width) {
  n <- nrow(shares)
  do.call(rbind, lapply(0:1, function(has) {
    from <- (rep(seq_len(n), each = 4) - 1 + 0.5 - width + width * has) / n
    data.frame(
      at = from + c(0, width, width, 0) / n,
      size = as.vector(outer(c(0, 0, 1, 1), shares[, has + 1])) / max(shares),
      group = paste(has, rep(seq_len(n), each = 4)), has = has == 1, kind = "bar"
    )
  }))
}

category_panel <- function(column, entries, most = 6) {
  n <- length(column$levels)
  shares <- vapply(entries, function(code) tabulate(code + 1, n) / max(1, length(code)), double(n))
  shown <- sort(utils::head(order(-abs(shares[, 2] - shares[, 1])), most))
  shares <- shares[shown, ]
  n <- length(shown)
  top <- max(shares)
  bars <- paired_bars(shares, 0.4)
  at <- axis_values(c(0, top), FALSE)
  names <- shorten_apart(as.character(column$levels), 17)
  list(
    shapes = data.frame(x = bars$size, y = 1 - bars$at, bars[c("group", "has", "kind")]),
    x = new_axis(at / top, whole_per_cent(at)),
    y = list(at = 1 - (seq_len(n) - 0.5) / n, labels = names[shown])
  )
}

# About three round numbers within a range (a range of log10 values if the axis is logarithmic)
axis_values <- function(range, logarithmic) {
  within <- function(at) at[at >= range[1] & at <= range[2]]
  if (!logarithmic) return(within(pretty(range, 3)))
  powers <- seq(floor(range[1]), ceiling(range[2]))
  of <- function(at, most) 10^at[seq(1, length(at), by = ceiling(length(at) / most))]
  if (length(within(powers)) >= 3) return(of(within(powers), 5))
  some <- within(log10(outer(c(1, 2, 5), 10^powers)))
  if (length(some) >= 3) return(of(some, 4))
  at <- pretty(10^range, 3)
  at[at >= 10^range[1] & at <= 10^range[2]]
}

short_numbers <- function(x) {
  vapply(signif(x, 6), function(v) {
    format(v, digits = 6, scientific = v != 0 && abs(log10(abs(v))) >= 6)
  }, "")
}
