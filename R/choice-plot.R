#' Pictures of a fit to choices
#'
#' @param x A fit by [fit_choice()].
#' @param type (string)
#'   * `"features"`: the point estimate of Z in left-ordered form, a column a feature;
#'   * `"weights"`: the sets of items that have the largest share of all weight, with the posterior
#'     mean and central 90 % interval of that share, as [summary()][summary.fit_choice] has it;
#'   * `"fit"`: observed share of choices against its prediction, with 90 % intervals of the share
#'     that as many judgements would have;
#'   * `"tree"`: the point estimate beside the tree of a [prior_pibp()], and on the branches the
#'     features that must have begun there (a feature of rows that no one branch leads to has begun
#'     on several). The numbers are those of the columns of [features()], `f1, f2, ...`; features of
#'     all items, on which no choice depends, are left out;
#'   * `"trace"`, `"n_features"`, `"coassignment"`, `"chains"`: as for
#'     [fit_gaussian()][plot.buffet_fit].
#' @param ... Must be empty.
#' @return A `ggplot`.
#' @examples
#' fit <- fit_choice(celebrities, prior = prior_pibp(celebrity_tree),
#'   method = method_gibbs(chains = 2, iter = 1000), seed = 1)
#' plot(fit, "weights")
#' plot(fit, "tree")
#' @export
plot.fit_choice <- function(x, type = c(
                              "features", "weights", "fit", "tree", "trace", "n_features",
                              "coassignment", "chains"
                            ), ...) {
  check_no_more(...)
  types <- eval(formals()$type)
  if (!identical(type, types)) types <- setdiff(types, without_types(x))
  switch(check_choice(type, types, "type"),
    features = plot_features(features(x), item_scale(item_names(x)), NULL),
    weights = plot_weights(x),
    fit = plot_choice_fit(x),
    tree = plot_tree_fit(x, of_some_items) +
      ggplot2::labs(subtitle = "but for those of all items, on which no choice depends"),
    trace = plot_trace(x),
    n_features = plot_n_features(x),
    coassignment = plot_coassignment(coassignment(x), feature_side(x)),
    chains = plot_chains(x)
  )
}

of_some_items <- function(z) colSums(z) < nrow(z)

#' Items down the side of a picture, the first at the top
#' @noRd
item_scale <- function(names) {
  if (length(names) > 40) return(row_scale(length(names)))
  ggplot2::scale_y_reverse(
    breaks = seq_along(names), labels = names, expand = c(0, 0), minor_breaks = NULL
  )
}

plot_weights <- function(fit, most = 20) {
  data <- aspect_table(fit, most)
  data$items <- factor(data$items, rev(data$items))
  ggplot2::ggplot(data, ggplot2::aes(.data$share, .data$items)) +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = .data$q5, xmax = .data$q95), colour = "grey60", linewidth = 0.8
    ) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$probability), size = 2.5) +
    ggplot2::scale_colour_viridis_c(
      name = "probability\nof a feature", limits = c(0, 1), end = 0.9, direction = -1
    ) +
    (if (nrow(data) > 0) ggplot2::scale_y_discrete(labels = shorten)) +
    ggplot2::labs(
      x = "share of all weight (mean and 90 % interval)", y = NULL, title = "Aspects"
    ) +
    ggplot2::theme_minimal(base_size = 11)
}

plot_choice_fit <- function(fit) {
  pairs <- observed_pairs(fit)
  counts <- pair_counts(fit, pairs)
  replicated <- sweep(posterior_predict(fit), 2, counts, `/`)
  ends <- interval_ends(replicated, 0.9)
  data <- data.frame(
    observed = fit$model$data$x[pairs] / counts,
    predicted = colMeans(choice_probabilities(fit, pairs)), lower = ends[1, ], upper = ends[2, ]
  )
  ggplot2::ggplot(data, ggplot2::aes(.data$predicted, .data$observed)) +
    ggplot2::geom_abline(colour = "grey70") +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), colour = "grey60"
    ) +
    ggplot2::geom_point() +
    ggplot2::coord_fixed() +
    ggplot2::labs(
      x = "predicted probability", y = "observed share", title = "Observed against predicted",
      subtitle = "with 90 % intervals of the predicted share"
    ) +
    ggplot2::theme_minimal(base_size = 11)
}
