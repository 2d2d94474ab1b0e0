# Displays of major factors: tables of loadings, scree plots and item curves.

#' @export
print.major_factors <- function(x, ..., most = Inf) {
  shares <- sort(x$number, decreasing = TRUE)
  shown <- utils::head(shares[round(100 * shares) > 0], 4)
  number <- sprintf("%s (%s)", names(shown), whole_per_cent(shown))
  explained <- if (nrow(x$variance) > 0) {
    n <- nrow(x$variance)
    of <- whole_per_cent(c(sum(x$variance$share), mean(x$columns$minor)))
    verb <- if (n == 1) "explains" else "explain"
    sprintf("; %d %s %s of the variance, minor factors %s", n, verb, of[1], of[2])
  }
  cat_wrapped("Major factors: ", paste0(toString(number), explained))
  if (nrow(x$variance) == 0) return(invisible(x))
  cat(sprintf("Loadings (%s, blank below .3), h2: communality, u2: uniqueness\n", x$rotate))
  print_loadings(x, most)
  invisible(x)
}

# Numbers of at most `most` columns, sorted by the factor that each column loads most on. As far as
# possible, there are equally many for each factor. Columns that have only loadings below `blank`
# come last.
# l: Loadings, columns x factors.
columns_by_factor <- function(l, most, blank = 0) {
  first <- max.col(abs(l), "first")
  size <- abs(l[cbind(seq_along(first), first)])
  first[size < blank] <- ncol(l) + 1
  rank <- stats::ave(-size, first, FUN = \(s) rank(s, ties.method = "first"))
  shown <- utils::head(order(first > ncol(l), rank, -size), most)
  shown[order(first[shown], -size[shown])]
}

# Prints the table of loadings of at most `most` columns
print_loadings <- function(x, most = Inf) {
  n <- nrow(x$variance)
  l <- matrix(x$loadings$estimate, ncol = n)
  fitting <- max(1, (getOption("width") - 36) %/% 6)
  order <- columns_by_factor(l, most, blank = 0.3)
  number <- function(m) sub("^(-?)0", "\\1", sprintf("%.2f", m))
  cells <- matrix(ifelse(abs(l) < 0.3, "", number(l)), ncol = n)
  of <- x$columns
  table <- cbind(
    cells[, seq_len(min(n, fitting)), drop = FALSE], number(of$communality), number(of$minor),
    number(of$uniqueness)
  )[order, , drop = FALSE]
  sums <- number(x$variance$sum_of_squares)[seq_len(min(n, fitting))]
  shares <- number(x$variance$share)[seq_len(min(n, fitting))]
  table <- rbind(table, c(sums, "", "", ""), c(shares, "", "", ""))
  dimnames(table) <- list(
    c(shorten_apart(of$column[order], 15), "sum of squares", "share"),
    c(x$variance$factor[seq_len(min(n, fitting))], "h2", "minor", "u2")
  )
  print(table, quote = FALSE, right = TRUE)
  left <- nrow(of) - length(order)
  if (left > 0) cat(sprintf("... and %s: `major_factors(fit)`\n", counted(left, "more column")))
}

# For sparse loadings, the point estimate is shown as its major factors.
#' @export
print.fit_factor <- function(x, ...) {
  check_format(x)
  if (!of_columns(x$internal$model)) return(NextMethod())
  cat(format(x), sep = "\n")
  print_still(x)
  major <- rotate_draws(x)
  print(structure(describe_major(x, major), class = "major_factors"), most = 30)
  invisible(x)
}

# Eigenvalues of the correlation matrix of the columns, and of its common part, as matrices,
# dimensions x draws
scree_draws <- function(fit, most) {
  s <- lapply(major_which(fit), function(draw) standard_factors(fit, draw)$s)
  first <- function(values) c(values, numeric(most))[seq_len(most)]
  list(
    total = vapply(s, function(s) {
      r <- tcrossprod(s)
      diag(r) <- 1
      first(eigen(r, TRUE, only.values = TRUE)$values)
    }, numeric(most)),
    common = vapply(s, function(s) first(if (ncol(s) > 0) svd(s, 0, 0)$d^2), numeric(most))
  )
}

plot_scree <- function(fit) {
  columns <- predictor_count(fit)
  if (columns > 500) {
    must <- "be another type for fits with more than 500 columns"
    stop_argument("type", must, "scree", cure = "`major_factors(fit)$eigenvalues` has them")
  }
  shown <- min(columns, 30)
  draws <- scree_draws(fit, shown)
  kinds <- c("all variance", "common variance")
  data <- do.call(rbind, Map(function(draws, kind) {
    cbind(dimension = seq_len(shown), major_table(matrix(draws, shown)), kind = kind)
  }, draws, kinds))
  data$kind <- factor(data$kind, kinds)
  ggplot(data, aes(.data$dimension, .data$estimate, colour = .data$kind)) +
    geom_hline(yintercept = 1, colour = "grey60", linewidth = 0.3) +
    geom_line(linewidth = 0.4) +
    geom_linerange(aes(ymin = .data$conf.low, ymax = .data$conf.high), linewidth = 0.8) +
    geom_point(aes(shape = .data$kind), size = 1.6, fill = "white") +
    scale_colour_manual(values = stats::setNames(c("#2166ac", "grey45"), kinds), name = NULL) +
    scale_shape_manual(values = stats::setNames(c(19, 21), kinds), name = NULL) +
    scale_x_continuous(breaks = whole_numbers, minor_breaks = NULL) +
    scale_y_continuous(limits = c(0, NA)) +
    labs(
      x = "dimension", y = "eigenvalue (mean and 90 % interval)", title = "Scree plot",
      subtitle = "Dimensions above the line (all variance) have more variance than one column"
    ) +
    lined_theme() +
    theme(legend.position = c(0.98, 0.95), legend.justification = c(1, 1))
}

# Numbers of at most 12 of the ordinal columns: those that load most on each major factor
choose_items <- function(major, items) {
  l <- apply(major$loadings, 1:2, mean)[items, , drop = FALSE]
  items[columns_by_factor(l, 12)]
}

plot_items <- function(fit, which) {
  ordinal <- fit$internal$model$ordinal
  which <- check_shown(which, names(ordinal), "which", FALSE, "names of ordinal columns")
  at <- vapply(ordinal, places, 1L)
  major <- rotate_draws(fit)
  title <- "Item characteristic curves"
  if (major$n == 0) return(plot_no_feature(title, "The fit has no major factor"))
  shown <- if (is.null(which)) choose_items(major, unname(at)) else unname(at[which])
  cuts <- standard_cuts(fit, major$which)
  data <- do.call(rbind, lapply(shown, item_curves, fit, major, cuts))
  data$item <- factor(data$item, unique(data$item))
  left <- if (is.null(which)) describe_left_out(length(shown), length(at), "items")
  ggplot(data, aes(.data$score, .data$estimate, group = .data$category)) +
    geom_ribbon(
      aes(ymin = .data$conf.low, ymax = .data$conf.high, fill = .data$place), alpha = 0.25
    ) +
    geom_line(aes(colour = .data$place)) +
    facet_wrap(~item) +
    scale_colour_viridis_c(end = 0.75, guide = "none") +
    scale_fill_viridis_c(end = 0.75, guide = "none") +
    geom_text(aes(label = .data$category, colour = .data$place), data[data$top, ],
      vjust = -0.4, hjust = "inward", size = 2.8
    ) +
    scale_y_continuous(limits = c(0, 1.15), breaks = c(0, 0.5, 1)) +
    labs(
      x = "score on the major factor on which the item loads most", y = "probability",
      title = title, caption = factor_caption(left),
      subtitle = "Probability of each answer and 90 % interval; panels name the factor and loading"
    ) +
    lined_theme()
}

# Thresholds of ordinal columns in each draw, for utilities with variance 1
standard_cuts <- function(fit, which) {
  lapply(which, function(draw) {
    items <- standardised(factor_draw(fit, draw))$items[names(fit$internal$model$ordinal)]
    lapply(items, `[[`, "cuts")
  })
}

# Probabilities of the answers to an item as functions of the score on the factor that the item
# loads most on, with the other factors integrated out: posterior means and intervals. If there are
# two categories, only the probability of the second is returned.
item_curves <- function(column, fit, major, cuts = standard_cuts(fit, major$which),
                        scores = seq(-3, 3, 0.1)) {
  name <- names_of_predictors(fit)[column]
  mean <- rowMeans(matrix(major$loadings[column, , ], major$n))
  factor <- which.max(abs(mean))
  levels <- as.character(fit$internal$model$ordinal[[name]]$levels)
  drawn <- vapply(seq_along(major$which), function(i) {
    l <- major$loadings[column, factor, i]
    below <- stats::pnorm(outer(-l * scores, cuts[[i]][[name]], `+`) / sqrt(1 - l^2))
    below[, -1] - below[, -ncol(below)]
  }, matrix(0, length(scores), length(levels)))
  shown <- if (length(levels) == 2) 2 else seq_along(levels)
  table <- major_table(matrix(drawn[, shown, ], length(scores) * length(shown)))
  loading <- sub("0.", ".", sprintf("%.2f", mean[factor]), fixed = TRUE)
  curves <- cbind(
    item = sprintf("%s (M%d, %s)", name, factor, loading), score = scores,
    category = rep(levels[shown], each = length(scores)),
    place = rep((shown - 1) / (length(levels) - 1), each = length(scores)), table
  )
  # Each curve is labelled at its highest point.
  highest <- tapply(curves$estimate, curves$place, max)[as.character(curves$place)]
  curves$top <- length(shown) > 1 & curves$estimate == highest & abs(curves$score) < 2.95 |
    curves$score %in% range(scores) & curves$estimate == highest
  curves
}
