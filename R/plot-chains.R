plot_chains <- function(fit) {
  chains <- dim(fit$internal$scalars)[2]
  if (chains == 1) {
    stop_argument("x", "be a fit of several chains for this picture", was = "one of a single chain")
  }
  joint <- mean_log_joints(fit)
  ranked <- order(-joint)
  z <- lapply(ranked, chain_features, fit = fit)
  data <- matched_features(z, both = traits_of(fit)$complements)
  found <- table(factor(data$feature, seq_len(max(0, data$feature))))
  # Features that more chains have found are farther to the left.
  shown <- order(-found)
  data$column <- match(data$feature, shown)
  # A feature of one chain overlaps with no other.
  data$overlap[found[data$feature] == 1] <- NA
  labels <- sprintf("%d: %.1f", ranked, joint[ranked])
  data$chain <- factor(labels[data$chain], rev(labels))
  draw_chains(data, ifelse(shown <= ncol(z[[1]]), shown, "")) +
    ggplot2::labs(subtitle = describe_found(found, length(z)))
}

# found: Number of chains that have each feature.
describe_found <- function(found, chains) {
  if (length(found) == 0) return("None")
  sprintf(
    "%d of %d are in all chains, %d in one only (grey)", sum(found == chains), length(found),
    sum(found == 1)
  )
}

chain_features <- function(fit, chain) {
  kept <- dim(fit$internal$scalars)[1]
  fit$feature_draws[[medoid_of(fit, (chain - 1) * kept + seq_len(kept))]]
}

# Features of several matrices as a data frame, in which matched features have equal numbers
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

# For all pairs of columns: among the rows that have either feature, the share that have both
jaccard <- function(a, b) {
  both <- crossprod(a, b)
  both / (outer(colSums(a), colSums(b), `+`) - both)
}

# The row matched to each column, the largest overlaps first; NA if none above 1/2 is left
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

draw_chains <- function(data, names) {
  few <- length(names) <= 12
  ggplot2::ggplot(data, ggplot2::aes(.data$column, .data$chain, fill = .data$overlap)) +
    ggplot2::geom_tile(colour = "white", linewidth = if (few) 1 else 0.3) +
    (if (few) {
      ggplot2::geom_text(
        ggplot2::aes(
          label = sprintf("%.0f %%", 100 * .data$share),
          colour = ifelse(is.na(.data$overlap), "black", "white")
        ),
        size = 3
      )
    }) +
    ggplot2::scale_colour_identity() +
    ggplot2::scale_fill_gradient(
      name = "overlap", low = "#6baed6", high = "#053061", na.value = "grey80", limits = c(0.5, 1)
    ) +
    feature_numbers(names) +
    ggplot2::scale_y_discrete(limits = levels(data$chain)) +
    ggplot2::labs(
      x = "feature, by its number in the best chain", y = "chain: mean log joint",
      title = "Features that chains have found",
      caption = if (few) "Numbers: share of the rows that have the feature."
    ) +
    plain_theme()
}

feature_numbers <- function(names) {
  n <- length(names)
  at <- unique(round(seq(1, n, length.out = min(n, 30))))
  ggplot2::scale_x_continuous(
    breaks = at, labels = names[at], expand = c(0, 0),
    guide = ggplot2::guide_axis(check.overlap = TRUE)
  )
}
