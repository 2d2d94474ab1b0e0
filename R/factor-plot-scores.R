plot_scores <- function(common) {
  scores <- common$scores
  if (ncol(scores) == 0) return(plot_no_factor(common, "Factor scores"))
  two <- ncol(scores) > 1
  picture <- if (two) plot_two_scores(common) else plot_one_score(common)
  picture +
    ggplot2::labs(
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
  # If names overlap, the name of the row farther out is shown.
  scores <- scores[order(-rowSums(scores^2)), , drop = FALSE]
  data <- data.frame(x = scores[, 1], y = scores[, 2])
  names <- shorten_apart(utils::head(as.character(rownames(scores)), 60), 25)
  ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey80") +
    ggplot2::geom_vline(xintercept = 0, colour = "grey80") +
    ggplot2::geom_point(colour = "#2166ac", alpha = 0.6) +
    (if (length(names) > 0) {
      ggplot2::geom_text(
        ggplot2::aes(label = names), utils::head(data, length(names)), size = 3, vjust = -0.7,
        check_overlap = TRUE
      )
    }) +
    # Room for half of a name at either end.
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(0.05 + 0.006 * max(0, nchar(names)))) +
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(0.07)) +
    ggplot2::labs(x = describe_factor(common, 1), y = describe_factor(common, 2, 45)) +
    lined_theme()
}

plot_one_score <- function(common) {
  order <- order(common$scores[, 1])
  data <- data.frame(score = common$scores[order, 1], rank = seq_along(order))
  names <- rownames(common$scores)[order]
  ggplot2::ggplot(data, ggplot2::aes(.data$score, .data$rank)) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey80") +
    ggplot2::geom_point(colour = "#2166ac", alpha = 0.6) +
    ggplot2::labs(
      x = describe_factor(common, 1), y = if (is.null(names)) "rows, in order of their score"
    ) +
    lined_theme() +
    rows_up(names)
}

# A factor, its share of the variance, and up to three columns that load most on it
describe_factor <- function(common, k, line = 80) {
  loadings <- common$loadings[k, ]
  first <- sprintf(
    "%s, %s of the variance", rownames(common$loadings)[k], whole_per_cent(common$explained[k])
  )
  most <- utils::head(order(-abs(loadings)), 3)
  most <- most[abs(loadings[most]) > max(abs(loadings)) / 2]
  if (is.null(names(loadings))) return(first)
  signs <- ifelse(loadings[most] > 0, "+", "-")
  columns <- paste(signs, shorten(names(loadings)[most], 20))
  long <- sum(nchar(columns) + 2) > line
  paste0(first, "\n", paste(columns, collapse = if (long) "\n" else "  "))
}
