#' Plots of a fit to choices
#'
#' @param x A fit by [fit_choice()].
#' @param type (string) What is shown. Without `type` it is `"features"`.
#'   * `"features"`: the point estimate of Z in left-ordered form, with features across and items
#'     downwards;
#'   * `"weights"`: the sets of items with the largest shares of the total weight. Each has the
#'     posterior mean and the central 90 % interval of its share, as in
#'     [summary()][summary.fit_choice], and the colour is the posterior probability that these items
#'     have a feature in common;
#'   * `"fit"`: the observed share of choices in each pair against the predicted probability. Lines
#'     are 90 % intervals of the share in as many replicated judgements;
#'   * `"tree"`: the point estimate next to the tree (only with [prior_pibp()]). Labels on the
#'     branches show where each feature must have begun, by the number of its column in
#'     [features()]. A feature of items that are not all below one branch has begun on several
#'     branches. Features of all items, on which no choice depends, are left out;
#'   * `"trace"`, `"n_features"`, `"coassignment"`, `"chains"`: as for
#'     [fit_gaussian()][plot.buffet_fit].
#' @param which (whole numbers, names such as `"f3"`, or `NULL`) Features that `"features"` and
#'   `"tree"` show; an error for other types. `NULL`, the default, is all of them.
#' @param ... Must be empty.
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot`.
#' @examples
#' fit <- fit_choice(celebrities, prior = prior_pibp(celebrity_tree),
#'   method = method_gibbs(chains = 1, iter = 1000), seed = 1)
#' # which sets of celebrities have a feature in common, and how much it weighs
#' plot(fit, "weights")
#' # features that a profession shares begin on the branch that leads to it
#' plot(fit, "tree")
#' @export
plot.fit_choice <- function(x, type = c(
                              "features", "weights", "fit", "tree", "trace", "n_features",
                              "coassignment", "chains"
                            ), which = NULL, ...) {
  check_no_more(...)
  without <- without_types(x)
  type <- check_type(type, eval(formals()$type), without)
  which <- check_which(which, type, c("features", "tree"), colnames(x$features), without)
  switch(type,
    features = plot_features(x$features, NULL, which),
    weights = plot_weights(x),
    fit = plot_choice_fit(x),
    tree = plot_tree_fit(x, which, of_some_items) +
      ggplot2::labs(
        subtitle = if (is.null(which)) "but for those of all items, on which no choice depends"
      ),
    trace = plot_trace(x),
    n_features = plot_n_features(x),
    coassignment = plot_coassignment(coassignment(x), traits_of(x)$side),
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
  ndraws <- most_draws(fit, tail_ndraws)
  replicated <- sweep(posterior_predict(fit, ndraws = ndraws), 2, counts, `/`)
  interval <- interval_ends(replicated, 0.9)
  data <- data.frame(
    observed = model_data(fit)[pairs] / counts,
    predicted = mean_probabilities(fit, pairs),
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
