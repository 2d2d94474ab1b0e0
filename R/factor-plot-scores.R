# Factor scores of rows as a picture.

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
        if (two && has_few_names(scores)) "Names that would overlap are left out."
      )
    ) +
    ggplot2::theme_minimal(base_size = 11) +
    (if (!two && nrow(scores) > 30) {
      ggplot2::theme(axis.text.y = ggplot2::element_text(size = 7))
    })
}

plot_two_scores <- function(common) {
  scores <- common$scores[, 1:2]
  # Where names overlap, that of the row farther out is shown.
  scores <- scores[order(-rowSums(scores^2)), , drop = FALSE]
  data <- data.frame(x = scores[, 1], y = scores[, 2])
  ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey80") +
    ggplot2::geom_vline(xintercept = 0, colour = "grey80") +
    ggplot2::geom_point(colour = "#2166ac", alpha = 0.6) +
    (if (has_few_names(scores)) {
      ggplot2::geom_text(
        ggplot2::aes(label = rownames(scores)), size = 3, vjust = -0.7, check_overlap = TRUE
      )
    }) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(0.1)) +
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(0.07)) +
    ggplot2::labs(x = describe_factor(common, 1), y = describe_factor(common, 2))
}

plot_one_score <- function(common) {
  order <- order(common$scores[, 1])
  data <- data.frame(score = common$scores[order, 1], rank = seq_along(order))
  named <- has_few_names(common$scores)
  ggplot2::ggplot(data, ggplot2::aes(.data$score, .data$rank)) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey80") +
    ggplot2::geom_point(colour = "#2166ac", alpha = 0.6) +
    ggplot2::scale_y_continuous(
      breaks = if (named) data$rank, labels = if (named) rownames(common$scores)[order],
      minor_breaks = NULL
    ) +
    ggplot2::labs(x = describe_factor(common, 1), y = if (!named) "rows, in order of their score")
}

has_few_names <- function(scores) !is.null(rownames(scores)) && nrow(scores) <= 60

#' A factor, what it explains, and up to three columns that load most on it
#' @noRd
describe_factor <- function(common, k) {
  loadings <- common$loadings[k, ]
  first <- sprintf(
    "%s, %s of the variance", rownames(common$loadings)[k], whole_per_cent(common$explained[k])
  )
  most <- utils::head(order(-abs(loadings)), 3)
  most <- most[abs(loadings[most]) > max(abs(loadings)) / 2]
  if (is.null(names(loadings))) return(first)
  signs <- ifelse(loadings[most] > 0, "+", "-")
  paste0(first, "\n", paste(signs, shorten(names(loadings)[most], 20), collapse = "  "))
}
