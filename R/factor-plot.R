#' Plots of a factor model
#'
#' The plots show the common factors of [features()], that is, the factors that two or more columns
#' share (two or more rows with `sparse = "factors"`). The factor that explains the most variance
#' comes first. Means, intervals and probabilities of a factor are computed from all draws in which
#' it has a match ([loadings_of()]).
#'
#' @param x A fit by [fit_factor()].
#' @param type (string) What to plot, by default `"loadings"`.
#'   * `"loadings"`: the loadings ([loadings_of()]) of the factors, with the columns ordered by the
#'     factor on which they load most. The area of a tile shows the probability that the loading is
#'     not 0 in the draws that have the factor; with `sparse = "factors"` it is 1. Loadings are
#'     standardised if columns have [families][factor_families]. With `dim`, they are drawn as
#'     images; with `geom = "line"`, as curves over the columns in the order of the data;
#'   * `"factors"`: the scores ([weights_of()]) of every row on the two factors that explain the
#'     most variance. Each axis names up to three columns that load most on its factor;
#'   * `"variance"`: the shares of the variance of all columns explained by each factor, by all
#'     other factors together and by the noise: posterior mean and central 90 % interval. A factor
#'     explains its mean square times the sum of its squared loadings;
#'   * `"scree"`: the eigenvalues of the correlation matrix of the columns, and of its common part,
#'     with their 90 % intervals; see [major_factors()] (only sparse loadings);
#'   * `"items"`: the probability of each answer to an ordinal item given the score on the
#'     [major factor][major_factors()] on which the item loads most (varimax). Other factors are
#'     integrated out. Items with two categories have one curve, for the second category;
#'   * `"features"`, `"trace"`, `"n_features"`, `"coassignment"`, `"fit"`, `"tree"`, `"chains"`: as
#'     for [fit_gaussian()][plot.buffet_fit].
#' @param which (whole numbers, names such as `"f3"`, or `NULL`) Factors to show with `"loadings"`,
#'   `"factors"` (one or two), `"variance"`, `"features"` and `"tree"`, in the given order; not
#'   allowed for other types. `NULL`, the default, means the common factors as described above, or
#'   the first 24 if they are drawn as images. For `"features"` and `"tree"` it means all features.
#'   For `"items"`: names of columns, by default those that load most on each factor, up to 12 in
#'   all.
#' @inheritParams plot.buffet_fit
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot`.
#' @examples
#' fit <- fit_factor(scale(swiss), method = method_gibbs(chains = 2, iter = 500), seed = 1)
#' # which variables load on which factor
#' plot(fit)
#' # the scores of the provinces on the two factors that explain the most variance
#' plot(fit, "factors")
#' @export
plot.fit_factor <- function(x, type = c(
                              "loadings", "factors", "variance", "scree", "items", "features",
                              "trace", "n_features", "coassignment", "fit", "tree", "chains"
                            ), dim = NULL, rows = NULL, which = NULL, geom = c("tile", "line"),
                            ...) {
  check_no_more(...)
  without <- c(
    without_types(x), if (!of_columns(x$internal$model)) c("scree", "items"),
    if (!has_items(x)) "items"
  )
  type <- check_type(type, eval(formals()$type), without)
  if (type == "items") return(plot_items(x, which))
  dim <- check_dim(dim, predictor_count(x))
  rows <- check_rows(rows, nobs(x))
  geom <- check_geom(geom, type, dim)
  some <- c("loadings", "factors", "variance", "features", "tree")
  which <- check_which(which, type, some, colnames(x$features), without)
  if (type == "factors" && length(which) > 2) {
    was <- sprintf("%d of them", length(which))
    stop_argument("which", "be one or two features for \"factors\"", was = was)
  }
  switch(type,
    loadings = plot_factor_loadings(
      common_factors(x, which), dim, is_scaled(x$internal$model), geom, has_items(x)
    ),
    factors = plot_scores(common_factors(x, which)),
    variance = plot_variance(common_factors(x, which)),
    scree = plot_scree(x),
    plot.buffet_fit(x, type, dim, rows, which)
  )
}

# The selected factors (by default, the common factors of the point estimate), sorted by decreasing
# variance. Returns a list: `loadings`, K x D; `scores`, N x K; `probability`, K x D, or NULL if the
# loadings are not sparse; `share`, the share of draws that have the factor; `explained`, the share
# of variance, and `parts`, the same for each draw; `single`, the number of factors left out;
# `side`, the side of the features; and `chosen`, true if the factors were selected by `which`.
common_factors <- function(fit, which = NULL) {
  z <- fit$features
  means <- mean_factors(fit)
  variance <- means$variance
  colnames(variance) <- c(colnames(z), "other factors", "noise")
  explained <- colMeans(variance[, colnames(z), drop = FALSE], na.rm = TRUE)
  common <- which(colSums(z) > 1)
  shown <- which %||% common[order(-explained[common])]
  others <- setdiff(seq_len(ncol(z)), shown)
  variance[, "other factors"] <- variance[, "other factors"] +
    rowSums(variance[, others, drop = FALSE], na.rm = TRUE)
  columns <- names_of_predictors(fit)
  names <- colnames(z)[shown]
  rows_of <- function(m) structure(t(m[, shown, drop = FALSE]), dimnames = list(names, columns))
  # Columns with families have no common unit.
  loadings <- if (has_items(fit)) means$loadings / means$sds else means$loadings
  list(
    loadings = rows_of(loadings),
    probability = if (of_columns(fit$internal$model)) rows_of(means$probability),
    scores = structure(
      means$weights[, shown, drop = FALSE], dimnames = list(rownames(model_data(fit)), names)
    ),
    share = means$share[shown], explained = explained[shown],
    parts = variance[, c(names, "other factors", "noise"), drop = FALSE],
    single = if (is.null(which)) length(others) else 0L, side = traits_of(fit)$side,
    chosen = !is.null(which)
  )
}

describe_single <- function(common) {
  if (common$single > 0) {
    sprintf("Left out: %s that only one %s has.", counted(common$single, "factor"), common$side)
  }
}

# The factors in a plot that are missing from a notable share of the draws, or NULL
describe_rare <- function(common, shown = seq_along(common$share)) {
  rare <- intersect(shown, which(common$share < 0.9))
  if (length(rare) == 0) return(NULL)
  found <- sprintf("%s (%s)", names(common$explained), whole_per_cent(common$share))[rare]
  sprintf("Found in less than 90 %% of draws: %s.", paste(found, collapse = ", "))
}

whole_per_cent <- function(x) sprintf("%.0f %%", 100 * x)

factor_caption <- function(...) {
  lines <- c(...)
  if (length(lines) > 0) paste(strwrap(lines, 90), collapse = "\n")
}

plot_no_factor <- function(common, title) {
  text <- sprintf("The point estimate has no factor\nthat two or more %ss share", common$side)
  plot_no_feature(title, text) +
    labs(caption = factor_caption(describe_single(common))) +
    theme(plot.margin = margin(6, 6, 6, 6))
}

plot_variance <- function(common) {
  parts <- common$parts
  quantiles <- apply(parts, 2, stats::quantile, c(0.05, 0.95), na.rm = TRUE)
  data <- data.frame(
    part = factor(colnames(parts), rev(colnames(parts))),
    mean = colMeans(parts, na.rm = TRUE), lower = quantiles[1, ], upper = quantiles[2, ],
    kind = rep(c("factor", "rest"), c(ncol(parts) - 2, 2))
  )
  other <- sprintf(
    "Other factors: those %s and those without a match in the point estimate.",
    if (common$chosen) "not selected" else paste("of a single", common$side)
  )
  ggplot(data, aes(.data$mean, .data$part, colour = .data$kind)) +
    geom_linerange(aes(xmin = .data$lower, xmax = .data$upper), linewidth = 0.8, alpha = 0.5) +
    geom_point(size = 2.5) +
    scale_colour_manual(values = c(factor = "#2166ac", rest = "grey40"), guide = "none") +
    scale_x_continuous(labels = as_per_cent, limits = c(0, NA)) +
    labs(
      x = "share of the variance (mean and 90 % interval)", y = NULL,
      title = "Variance that factors explain",
      caption = factor_caption(other, describe_rare(common))
    ) +
    lined_theme()
}

plot_factor_loadings <- function(common, dim, scaled = FALSE, geom = "tile", items = FALSE) {
  a <- common$loadings
  if (nrow(a) == 0) return(plot_no_factor(common, "Loadings"))
  which <- if (common$chosen) seq_len(nrow(a))
  if (geom == "line") {
    labels <- sprintf("%s, %s", names(common$explained), whole_per_cent(common$explained))
    shares <- "Percentages: the share of the variance that each factor explains."
    caption <- factor_caption(shares, describe_single(common), describe_rare(common))
    units <- if (items) "standardised" else if (scaled) in_deviations_text
    return(plot_lines(a, which, "factor", units, labels) + labs(caption = caption))
  }
  units <- if (items) {
    "Loadings are standardised: for columns, utilities and factors with variance 1."
  } else if (scaled) {
    paste0("Loadings are ", in_deviations_text, ".")
  }
  caption <- factor_caption(units, describe_single(common), describe_rare(common))
  if (!is.null(dim)) {
    return(plot_images(a, dim, which, "factor") + labs(caption = caption))
  }
  # Sort columns by the factor that they load most on, and within a factor by decreasing loading.
  most <- max.col(t(abs(a)), ties.method = "first")
  order <- order(most, -a[cbind(most, seq_along(most))])
  names <- (colnames(a) %||% seq_len(ncol(a)))[order]
  data <- long_matrix(t(a[, order, drop = FALSE]))
  data$probability <- 1
  if (!is.null(common$probability)) {
    data$probability <- as.vector(t(common$probability[, order, drop = FALSE]))
  }
  side <- sqrt(data$probability)
  labels <- sprintf("%s\n%s", names(common$explained), whole_per_cent(common$explained))
  # If there is room, print numbers in the tiles with a probability of at least 1/2.
  sure <- data[data$probability >= 0.5 & nrow(a) <= 10 & ncol(a) <= 25, ]
  dark <- abs(sure$value) > 0.55 * max(abs(sure$value), 0)
  ggplot(data, aes(.data$column, .data$row)) +
    geom_tile(fill = "grey95", colour = "white", linewidth = 0.3) +
    geom_tile(aes(fill = .data$value), width = 0.96 * side, height = 0.96 * side) +
    (if (nrow(sure) > 0) {
      geom_text(
        aes(label = sprintf("%.2f", round(.data$value, 2) + 0)), sure,
        colour = ifelse(dark, "white", "grey20"), size = 3
      )
    }) +
    signed_fill("loading", data$value) +
    labs(
      x = "factor and share of the variance explained",
      y = if (length(names) > 40) "columns, by the factor they load most on",
      title = "Loadings", caption = caption,
      subtitle = if (!is.null(common$probability)) {
        "Tile area: probability that the loading is not zero in draws that have the factor"
      }
    ) +
    plain_theme() +
    columns_across(labels, position = "top") +
    rows_down(names) +
    theme(axis.title.x.top = element_text(margin = margin(b = 8)))
}

# The two factors with the largest mean share of the variance, which is 0 in draws without them
first_two <- function(common) {
  two <- order(-common$explained * common$share)[1:2]
  common$loadings <- common$loadings[two, , drop = FALSE]
  common$scores <- common$scores[, two, drop = FALSE]
  common[c("share", "explained")] <- lapply(common[c("share", "explained")], `[`, two)
  common
}

plot_scores <- function(common) {
  scores <- common$scores
  if (ncol(scores) == 0) return(plot_no_factor(common, "Factor scores"))
  two <- ncol(scores) > 1
  if (two && !common$chosen) common <- first_two(common)
  picture <- if (two) plot_two_scores(common) else plot_one_score(common)
  picture +
    labs(
      title = "Factor scores",
      subtitle = if (!is.null(colnames(common$loadings))) {
        sprintf(
          "%s axis names the columns that load most on its factor, with their signs",
          if (two) "Each" else "The"
        )
      },
      caption = factor_caption(
        describe_rare(common, seq_len(1 + two)),
        if (two && !is.null(rownames(scores))) "Names that would overlap are left out."
      )
    )
}

plot_two_scores <- function(common) {
  scores <- common$scores[, 1:2]
  # If names overlap, only the name of the row farther from the origin is shown.
  scores <- scores[order(-rowSums(scores^2)), , drop = FALSE]
  data <- data.frame(x = scores[, 1], y = scores[, 2])
  names <- shorten_apart(utils::head(as.character(rownames(scores)), 60), 25)
  ggplot(data, aes(.data$x, .data$y)) +
    geom_hline(yintercept = 0, colour = "grey80") +
    geom_vline(xintercept = 0, colour = "grey80") +
    geom_point(colour = "#2166ac", alpha = 0.6) +
    (if (length(names) > 0) {
      geom_text(
        aes(label = names), utils::head(data, length(names)), size = 3, vjust = -0.7,
        check_overlap = TRUE
      )
    }) +
    # Leave room for half of a name at both ends.
    scale_x_continuous(expand = expansion(0.05 + 0.006 * max(0, nchar(names)))) +
    scale_y_continuous(expand = expansion(0.07)) +
    labs(x = describe_factor(common, 1), y = describe_factor(common, 2, 45)) +
    lined_theme()
}

plot_one_score <- function(common) {
  order <- order(common$scores[, 1])
  data <- data.frame(score = common$scores[order, 1], rank = seq_along(order))
  names <- rownames(common$scores)[order]
  at <- if (!is.null(names)) every_kth(length(names), most_rows)
  ggplot(data, aes(.data$score, .data$rank)) +
    geom_vline(xintercept = 0, colour = "grey80") +
    geom_point(colour = "#2166ac", alpha = 0.6) +
    labs(x = describe_factor(common, 1), y = if (is.null(names)) "rows, in order of their score") +
    lined_theme() +
    scale_y_continuous(
      breaks = at, labels = if (!is.null(names)) shorten_apart(names[at], 30), minor_breaks = NULL
    ) +
    theme(axis.text.y = element_text(size = name_size(length(at), room_of_rows)))
}

# Describes a factor by its share of the variance and by up to three columns that load most on it
describe_factor <- function(common, k, line = 80) {
  loadings <- common$loadings[k, ]
  first <- sprintf(
    "%s, %s of the variance", rownames(common$loadings)[k], whole_per_cent(common$explained[k])
  )
  most <- utils::head(order(-abs(loadings)), 3)
  most <- most[abs(loadings[most]) > max(abs(loadings)) / 2]
  if (is.null(names(loadings))) return(first)
  signs <- ifelse(loadings[most] > 0, "+", "-")
  columns <- paste(signs, shorten_apart(names(loadings)[most], 20))
  long <- sum(nchar(columns) + 2) > line
  paste0(first, "\n", paste(columns, collapse = if (long) "\n" else "  "))
}
