#' Plots of a fit to a data frame
#'
#' @param x A fit by [fit_mixed()].
#' @param type (string) What is shown. Without `type` it is `"effects"`.
#'   * `"effects"`: the effects of features on columns, with a panel for each feature and column. A
#'     panel compares the observed entries of the rows that have the feature in the point estimate
#'     [features()] with the rows that do not. It shows densities of numbers (on a
#'     logarithmic axis for log-normal columns), and shares of counts, of few whole numbers and of
#'     categories (of more than six categories those whose shares differ most). Groups of fewer than
#'     eight numbers are shown as ticks. Above the panel is the effect by [tidy()][tidy.fit_mixed],
#'     with the other features held fixed: what is added, the factor by which the median or mean is
#'     multiplied, or the change in probability of the category for which it is largest;
#'   * `"patterns"`: the combinations of features that rows have, one per line, the 20 most common;
#'   * `"loadings"`: [loadings_of()] the features, but with numbers (or their logarithms) in
#'     standard deviations of the column, so that columns with different units can be compared.
#'     Other columns are as in `tidy(fit, scale = "weight")`;
#'   * `"features"`, `"trace"`, `"n_features"`, `"coassignment"`, `"tree"`, `"chains"`: as for
#'     [fit_gaussian()][plot.buffet_fit].
#' @param columns (names or `NULL`) Columns whose effects are shown, in this order; an error for
#'   other types. `NULL`, the default, is for each feature the four columns on which it acts most,
#'   or five if at most three features are shown.
#' @param which (whole numbers, names such as `"f3"`, or `NULL`) Features that `"effects"`,
#'   `"patterns"`, `"loadings"`, `"features"` and `"tree"` show, in this order; an error for other
#'   types. `NULL`, the default, is all of them, or the six that most rows have for `"effects"`,
#'   which has a line per feature.
#' @param ... Must be empty.
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot`. That of `"effects"` with 24 panels needs about 9 x 9 inches.
#' @examples
#' fit <- fit_mixed(iris, method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' # rows with a feature against rows without it
#' plot(fit)
#' plot(fit, columns = c("Species", "Petal.Length"), which = 1:2)
#' # which features flowers have together
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
    patterns = plot_patterns(x$features, which),
    loadings = plot_mixed_weights(x, which),
    plot.buffet_fit(x, type, which = which)
  )
}

# The panels: a data frame of feature, column (numbers) and the text of the effect
choose_panels <- function(fit, columns, which) {
  all <- fit$internal$model$data$columns
  z <- fit$features
  which <- first_panels(which, ncol(z), most = 6)
  effects <- tidy_effects(fit, "response", 0.9, which)
  each <- if (length(which) <= 3) 5 else 4
  do.call(rbind, lapply(which, function(k) {
    of_columns <- lapply(names(all), function(name) {
      effects$estimate[effects$feature == colnames(z)[k] & effects$column == name]
    })
    size <- unlist(Map(function(column, estimate, code) effect_size(column, estimate, code),
      all, of_columns, as.data.frame(model_data(fit))
    ))
    shown <- columns %||% utils::head(order(-size), each)
    told <- unlist(Map(tell_effect, all[shown], of_columns[shown]))
    data.frame(feature = k, column = shown, told = told, row.names = NULL)
  }))
}

# Size of an effect from 0 to 1: about the total variation distance between the distributions with
# and without the feature

effect_size <- function(column, estimate, code) {
  if (!is.null(column$levels)) {
    # With two values only the second is listed.
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
  a <- a[which %||% seq_len(nrow(a)), , drop = FALSE]
  draw_loadings(a, "weight,\nnumbers\nstandardised")
}

plot_patterns <- function(z, which, most = 20) {
  z <- z[, which %||% seq_len(ncol(z)), drop = FALSE]
  if (ncol(z) == 0) return(plot_no_feature("Which features rows have together"))
  pattern <- do.call(paste0, as.data.frame(z))
  counts <- sort(table(factor(pattern, unique(pattern))), decreasing = TRUE)
  shown <- utils::head(counts, most)
  has <- z[match(names(shown), pattern), , drop = FALSE]
  has <- has[, colSums(has) > 0, drop = FALSE]
  tiles <- long_matrix(has)
  width <- max(ncol(has), 6)
  bars <- data.frame(row = seq_along(shown), count = as.vector(shown))
  bars$end <- ncol(has) + 1 + width * bars$count / max(bars$count)
  ggplot2::ggplot(tiles, ggplot2::aes(.data$column, .data$row)) +
    ggplot2::geom_tile(
      ggplot2::aes(fill = factor(.data$value)), colour = "white", width = 0.9, height = 0.85
    ) +
    ggplot2::scale_fill_manual(values = c("0" = "grey93", "1" = "grey15"), guide = "none") +
    ggplot2::geom_rect(
      ggplot2::aes(
        xmin = ncol(has) + 1, xmax = .data$end, ymin = .data$row - 0.4, ymax = .data$row + 0.4
      ), bars,
      inherit.aes = FALSE, fill = "#2166ac"
    ) +
    ggplot2::geom_text(
      ggplot2::aes(.data$end, .data$row, label = .data$count), bars,
      inherit.aes = FALSE, hjust = -0.25, size = 3
    ) +
    ggplot2::scale_x_continuous(
      breaks = c(seq_len(ncol(has)), ncol(has) + 1.5), labels = c(colnames(has), "rows"),
      position = "top", expand = ggplot2::expansion(add = c(0.2, 0.15 * width))
    ) +
    ggplot2::scale_y_reverse(breaks = NULL, expand = ggplot2::expansion(add = 0.2)) +
    ggplot2::labs(
      x = NULL, y = NULL, title = "Which features rows have together",
      subtitle = describe_patterns(shown, counts),
      caption = if (ncol(has) < ncol(z)) "Features that none of these has are left out."
    ) +
    plain_theme()
}

describe_patterns <- function(shown, counts) {
  if (length(shown) == length(counts)) return(counted(length(counts), "combination"))
  sprintf(
    "The %d most common of %d combinations, which %s of the rows have",
    length(shown), length(counts), whole_per_cent(sum(shown) / sum(counts))
  )
}

plot_no_feature <- function(title) {
  text <- "The point estimate has no feature"
  ggplot2::ggplot() +
    ggplot2::annotate("text", x = 0, y = 0, label = text, colour = "grey40") +
    ggplot2::labs(title = title) +
    ggplot2::theme_void(base_size = 11)
}
