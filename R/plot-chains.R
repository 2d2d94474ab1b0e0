plot_chains <- function(fit) {
  chains <- dim(fit$internal$scalars)[2]
  if (chains == 1) {
    stop_argument("x", "be a fit of several chains for this plot", was = "one of a single chain")
  }
  joint <- mean_log_joints(fit)
  ranked <- order(-joint)
  kept <- dim(fit$internal$scalars)[1]
  z <- lapply(ranked, function(chain) {
    fit$feature_draws[[medoid_of(fit, (chain - 1) * kept + seq_len(kept))]]
  })
  data <- matched_features(z, both = traits_of(fit)$complements)
  found <- table(factor(data$feature, seq_len(max(0, data$feature))))
  # Features found by more chains are placed farther to the left.
  shown <- order(-found)
  data$column <- match(data$feature, shown)
  # A feature found by only one chain has no overlap.
  data$overlap[found[data$feature] == 1] <- NA
  labels <- sprintf("%d: %.1f", ranked, joint[ranked])
  data$chain <- factor(labels[data$chain], rev(labels))
  said <- sprintf(
    "%d of %d are in all chains, %d in only one (grey)", sum(found == chains), length(found),
    sum(found == 1)
  )
  draw_chains(data, ifelse(shown <= ncol(z[[1]]), shown, ""), traits_of(fit)$side) +
    labs(subtitle = if (length(found) == 0) "None" else said)
}

# The features of several matrices as a data frame, in which matched features share a number
# both: True if a feature and its complement are equivalent.
matched_features <- function(z, both = FALSE) {
  known <- z[[1]][, 0, drop = FALSE]
  found <- list()
  for (chain in seq_along(z)) {
    if (both) z[[chain]] <- label_features(coded_like(z[[chain]], known), NULL)
    overlap <- jaccard(known, z[[chain]])
    feature <- match_greedily(overlap)
    new <- is.na(feature)
    feature[new] <- ncol(known) + seq_len(sum(new))
    known <- cbind(known, z[[chain]][, new, drop = FALSE])
    found[[chain]] <- data.frame(
      chain = rep(chain, length(feature)), feature = feature, share = colMeans(z[[chain]]),
      overlap = diag(jaccard(known[, feature, drop = FALSE], z[[chain]])), row.names = NULL
    )
  }
  do.call(rbind, found)
}

# For all pairs of columns, the share of rows with both features among the rows with at least one
jaccard <- function(a, b) {
  both <- crossprod(a, b)
  both / (outer(colSums(a), colSums(b), `+`) - both)
}

# Matches rows to columns in decreasing order of overlap; NA for columns whose overlap is never
# above one half
match_greedily <- function(overlap) {
  rows <- rep(NA_integer_, ncol(overlap))
  while (any(overlap > 0.5)) {
    pair <- arrayInd(which.max(overlap), dim(overlap))
    rows[pair[2]] <- pair[1]
    overlap[pair[1], ] <- 0
    overlap[, pair[2]] <- 0
  }
  rows
}

# side: What the rows of the features represent.
draw_chains <- function(data, names, side) {
  n <- length(names)
  few <- n <= 12
  at <- unique(round(seq(1, n, length.out = min(n, 30))))
  ggplot(data, aes(.data$column, .data$chain, fill = .data$overlap)) +
    geom_tile(colour = "white", linewidth = if (few) 1 else 0.3) +
    (if (few) {
      geom_text(aes(
        label = whole_per_cent(.data$share), colour = ifelse(is.na(.data$overlap), "black", "white")
      ), size = 3)
    }) +
    scale_colour_identity() +
    scale_fill_gradient(
      name = "overlap", low = "#6baed6", high = "#053061", na.value = "grey80", limits = c(0.5, 1)
    ) +
    scale_x_continuous(
      breaks = at, labels = names[at], expand = c(0, 0), guide = guide_axis(check.overlap = TRUE)
    ) +
    scale_y_discrete(limits = levels(data$chain)) +
    labs(
      x = "feature, by its number in the best chain", y = "chain: mean log joint",
      title = "Features that chains have found",
      caption = if (few) sprintf("Numbers: share of the %ss that have the feature.", side)
    ) +
    plain_theme()
}

plot_trace <- function(fit, variables = scalar_names(fit)) {
  warmup <- fit$internal$warmup_scalars[, , variables, drop = FALSE]
  kept <- fit$internal$scalars[, , variables, drop = FALSE]
  data <- rbind(trace_frame(warmup, fit$method, TRUE), trace_frame(kept, fit$method, FALSE))
  data$variable <- factor(data$variable, variables)
  recorded <- nrow(warmup)
  early <- if (recorded < fit$method$warmup %/% fit$method$thin) {
    "the search at its beginning is not recorded"
  }
  said <- paste(c(if (recorded > 0) "The warm-up is shaded", early), collapse = "; ")
  ggplot(data, aes(.data$sweep, .data$value, colour = .data$chain)) +
    (if (min(data$sweep, Inf) <= fit$method$warmup) {
      annotate("rect",
        xmin = min(data$sweep), xmax = fit$method$warmup, ymin = -Inf, ymax = Inf, fill = "grey90"
      )
    }) +
    geom_line(linewidth = 0.3) +
    facet_wrap(~variable, scales = "free_y", ncol = 2) +
    scale_colour_viridis_d(end = 0.85) +
    scale_y_continuous(guide = guide_axis(check.overlap = TRUE)) +
    labs(y = NULL, title = "Trace", subtitle = sub("^(.)", "\\U\\1", said, perl = TRUE)) +
    plain_theme()
}

trace_frame <- function(scalars, method, before) {
  size <- dim(scalars)
  last <- method$warmup %/% method$thin
  records <- if (before) last - size[1] + seq_len(size[1]) else last + seq_len(size[1])
  data.frame(
    sweep = rep(records * method$thin, size[2] * size[3]),
    chain = factor(rep(rep(seq_len(size[2]), each = size[1]), size[3])),
    variable = rep(dimnames(scalars)[[3]], each = size[1] * size[2]), value = as.vector(scalars)
  )
}

plot_course <- function(fit) {
  if (inherits(fit, "fit_mcmc")) return(plot_trace(fit))
  data <- data.frame(iteration = seq_along(fit$internal$trace), bound = fit$internal$trace)
  ggplot(data[is.finite(data$bound), ], aes(.data$iteration, .data$bound)) +
    geom_step() +
    labs(y = NULL, title = name_objective(fit$method)[[1]]) +
    plain_theme()
}

every_kth <- function(n, most) if (n > 0) seq(1, n, by = ceiling(n / most)) else integer()

# Text size, in points, of n names that share `room`: at most the usual size, and always legible
name_size <- function(n, room) min(8.8, max(4.5, room / n))

# Largest number of row names, and the height in points that they share, chosen so that they do not
# overlap even in a plot of 7 x 3.5 inches
most_rows <- 40
room_of_rows <- 220

# A vertical axis of rows, starting at the top, with numbers if the rows have no names
rows_down <- function(names, n = length(names), position = "left") {
  whole <- pretty(c(1, n))
  whole <- unique(c(1, whole[whole > 1 & whole <= n & whole %% 1 == 0]))
  at <- if (is.null(names) && n > 0) whole else every_kth(n, most_rows)
  list(
    scale_y_reverse(
      breaks = at, labels = if (is.null(names)) as.character(at) else shorten_apart(names[at], 30),
      expand = c(0, 0), minor_breaks = NULL, position = position
    ),
    theme(axis.text.y = element_text(size = name_size(length(at), room_of_rows)))
  )
}

# A horizontal axis of columns, with vertical names if they would otherwise overlap, and with
# numbers if the columns have no names
# room: Width in points that the names share in a plot of 7 x 5 inches.
columns_across <- function(names, at = seq_along(names), most = 60, room = 300,
                           position = "bottom", expand = c(0, 0), ...) {
  if (is.null(names)) return(scale_x_continuous(breaks = whole_numbers, expand = expand, ...))
  shown <- every_kth(length(names), most)
  labels <- shorten_apart(names[shown], 25)
  n <- length(shown)
  # A character is about half as wide as it is tall.
  lying <- room / (0.52 * n * (1 + max(0, nchar(unlist(strsplit(labels, "\n"))))))
  text <- if (n == 0 || lying >= 6) {
    element_text(size = min(8.8, lying))
  } else {
    element_text(
      angle = 90, hjust = if (position == "top") 0 else 1, vjust = 0.5, size = name_size(n, room)
    )
  }
  list(
    scale_x_continuous(
      breaks = at[shown], labels = labels, position = position, expand = expand,
      minor_breaks = NULL, ...
    ),
    theme(axis.text.x = text)
  )
}
