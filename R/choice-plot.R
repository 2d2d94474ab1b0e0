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
#' @param which (whole numbers or names, such as `"f3"`) Features that `"features"` and `"tree"`
#'   show. Default all.
#' @param ... Must be empty.
#' @inheritSection plot.buffet_fit Names
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
                            ), which = NULL, ...) {
  check_no_more(...)
  without <- without_types(x)
  type <- check_type(type, eval(formals()$type), without)
  which <- check_which(which, type, c("features", "tree"), colnames(features(x)), without)
  switch(type,
    features = plot_features(features(x), NULL, which),
    weights = plot_weights(x),
    fit = plot_choice_fit(x),
    tree = plot_tree_fit(x, which, of_some_items) +
      ggplot2::labs(
        subtitle = if (is.null(which)) "but for those of all items, on which no choice depends"
      ),
    trace = plot_trace(x),
    n_features = plot_n_features(x),
    coassignment = plot_coassignment(coassignment(x), feature_side(x)),
    chains = plot_chains(x)
  )
}

of_some_items <- function(z) colSums(z) < nrow(z)

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
    (if (nrow(data) > 0) ggplot2::scale_y_discrete(labels = \(text) shorten_apart(text, 40))) +
    ggplot2::labs(
      x = "share of all weight (mean and 90 % interval)", y = NULL, title = "Aspects"
    ) +
    lined_theme()
}

plot_choice_fit <- function(fit) {
  pairs <- observed_pairs(fit)
  counts <- pair_counts(fit, pairs)
  replicated <- sweep(posterior_predict(fit), 2, counts, `/`)
  interval <- interval_ends(replicated, 0.9)
  data <- data.frame(
    observed = fit$model$data$x[pairs] / counts,
    predicted = colMeans(choice_probabilities(fit, pairs)),
    lower = interval[1, ], upper = interval[2, ]
  )
  ends <- range(data)
  ggplot2::ggplot(data, ggplot2::aes(.data$predicted, .data$observed)) +
    ggplot2::geom_abline(colour = "grey70") +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), colour = "grey60"
    ) +
    ggplot2::geom_point() +
    ggplot2::coord_fixed(xlim = ends, ylim = ends) +
    ggplot2::labs(
      x = "predicted probability", y = "observed share", title = "Observed against predicted",
      subtitle = "with 90 % intervals of the predicted share"
    ) +
    lined_theme()
}
