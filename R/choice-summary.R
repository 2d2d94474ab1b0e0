#' @rdname summary.fit_mcmc
#' @param aspects (positive integer) For [fit_choice()]: number of sets of items in the table
#'   `aspects`, 10 by default.
#' @export
summary.fit_choice <- function(object, aspects = 10, ...) {
  check_no_more(...)
  aspects <- check_count(aspects, "aspects")
  out <- summary.fit_mcmc(object)
  out$aspects <- aspect_table(object, aspects)
  out$worth <- worth_table(object, 0.9)
  class(out) <- c("summary_fit_choice", class(out))
  out
}

aspect_table <- function(fit, most) {
  weights <- as.double(fit$internal$draws_loadings)
  found <- choice_shares_cpp(unclass(fit$feature_draws), weights, most)
  ends <- interval_ends(found$shares, 0.9)
  tibble::tibble(
    items = apply(found$sets == 1, 2, \(has) paste(item_names(fit)[has], collapse = ", ")),
    probability = colMeans(found$shares > 0), share = colMeans(found$shares), q5 = ends[1, ],
    q95 = ends[2, ]
  )
}

shorten <- function(text, most = 40) {
  long <- nchar(text) > most
  text[long] <- paste0(substr(text[long], 1, most - 3), "...")
  text
}

worth_table <- function(fit, conf_level) {
  pairs <- all_pairs(n_rows(fit))
  worth <- matrix(0, length(fit$feature_draws), n_rows(fit))
  over_blocks(seq_along(fit$feature_draws), draws_in_block(fit), function(some, first) {
    p <- choice_probabilities(fit, pairs, some)
    for (item in seq_len(n_rows(fit))) {
      won <- rowSums(p[, pairs[, 1] == item, drop = FALSE])
      won <- won + rowSums(1 - p[, pairs[, 2] == item, drop = FALSE])
      worth[some, item] <<- won / (n_rows(fit) - 1)
    }
  })
  ends <- interval_ends(worth, conf_level)
  tibble::tibble(
    item = item_names(fit), estimate = colMeans(worth), std.error = apply(worth, 2, stats::sd),
    conf.low = ends[1, ], conf.high = ends[2, ]
  )
}

#' @export
print.summary_fit_choice <- function(x, ...) {
  lines <- utils::capture.output(print.summary_fit_mcmc(x))
  # If there are too many lines, drop the title of the scalars first, and then the worth of items.
  if (length(lines) > 17) lines <- setdiff(lines, title_of_scalars)
  if (length(lines) <= 16) {
    worth <- x$worth[order(-x$worth$estimate), ]
    items <- sprintf("%s %.2f", shorten_apart(worth$item, 20), worth$estimate)
    of_first <- function(n) {
      paste0("Worth of items: ", toString(c(items[seq_len(n)], if (n < length(items)) "...")))
    }
    shown <- length(items)
    while (nchar(of_first(shown)) > 80 && shown > 1) shown <- shown - 1
    lines <- c(lines, of_first(shown))
  }
  cat(lines, sep = "\n")
  if (nrow(x$aspects) == 0) return(invisible(x))
  cat("Aspects with the largest share of the weight (q5 to q95: its 90 % interval):\n")
  # Print at most twenty lines in total.
  table <- as.data.frame(utils::head(x$aspects, max(1, min(5, 18 - length(lines)))))
  table$items <- shorten(table$items)
  numbers <- names(table) != "items"
  table[numbers] <- lapply(table[numbers], fixed, decimals = 3)
  print(table, row.names = FALSE, right = FALSE)
  invisible(x)
}

#' @rdname tidy.buffet_fit
#' @export
tidy.fit_choice <- function(x, matrix = c("scalars", "features", "loadings", "worth"),
                            conf.level = 0.9, conf.int = TRUE, ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "features", "loadings", "worth"), "matrix")
  if (matrix != "worth") return(tidy.buffet_fit(x, matrix, conf.level, conf.int))
  conf.level <- check_conf(conf.level, conf.int)
  with_interval(worth_table(x, conf.level), conf.int)
}

#' @export
augment.fit_choice <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_more(...)
  if (!is.null(newdata)) {
    fitted <- predict(x, newdata)
    return(tibble::as_tibble(cbind(own_frame(newdata), .fitted = fitted), .name_repair = "unique"))
  }
  pairs <- observed_pairs(x)
  items <- item_names(x)
  total <- pair_counts(x, pairs)
  wins <- model_data(x)[pairs]
  fitted <- mean_probabilities(x, pairs)
  tibble::tibble(
    item1 = items[pairs[, 1]], item2 = items[pairs[, 2]], wins = wins, n = total, .fitted = fitted,
    .resid = wins / total - fitted
  )
}

#' Plots of a fit to choices
#'
#' @param x A fit by [fit_choice()].
#' @param type (string) What to plot, by default `"worth"`.
#'   * `"worth"`: how often each item would be chosen over another item picked at random, with the
#'     highest at the top: posterior mean and central 95 % interval.
#'     [summary()][summary.fit_choice] gives the formula;
#'   * `"features"`: the point estimate of Z in left-ordered form, with features in columns and
#'     items in rows;
#'   * `"weights"`: the sets of items with the largest shares of the total weight. Each is shown
#'     with the posterior mean and the central 90 % interval of its share, as in
#'     [summary()][summary.fit_choice], and coloured by the posterior probability that some feature
#'     has exactly these items;
#'   * `"fit"`: the observed share of choices in each pair against the predicted probability. Lines
#'     are 90 % intervals of the share in the same number of replicated judgements;
#'   * `"tree"` (without features that all items have, which affect no choice), `"trace"`,
#'     `"n_features"`, `"coassignment"`, `"chains"`: as for [fit_gaussian()][plot.buffet_fit].
#' @param which (whole numbers, names such as `"f3"`, or `NULL`) Features to show with `"features"`
#'   and `"tree"`; not allowed for other types. `NULL`, the default, means all of them, but
#'   `"features"` shows features with the same items only once, and leaves out those that all or no
#'   items have.
#' @param ... Must be empty.
#' @inheritSection plot.buffet_fit Names
#' @return A `ggplot`.
#' @examples
#' fit <- fit_choice(celebrities, prior = prior_pibp(celebrity_tree),
#'   method = method_gibbs(chains = 1, iter = 1000), seed = 1)
#' # how often each celebrity would be chosen
#' plot(fit)
#' # which sets of celebrities have a feature in common, and its weight
#' plot(fit, "weights")
#' # features that a profession shares originate on the branch that leads to it
#' plot(fit, "tree")
#' @export
plot.fit_choice <- function(x, type = c(
                              "worth", "features", "weights", "fit", "tree", "trace",
                              "n_features", "coassignment", "chains"
                            ), which = NULL, ...) {
  check_no_more(...)
  without <- without_types(x)
  type <- check_type(type, eval(formals()$type), without)
  which <- check_which(which, type, c("features", "tree"), colnames(x$features), without)
  switch(type,
    worth = plot_worth(x),
    features = plot_seen_features(x, NULL, which),
    weights = plot_weights(x),
    fit = plot_choice_fit(x),
    tree = plot_tree_fit(x, which, \(z) colSums(z) < nrow(z)) +
      labs(subtitle = if (is.null(which)) "without features of all items, which affect no choice"),
    plot.buffet_fit(x, type)
  )
}

plot_worth <- function(fit) {
  data <- worth_table(fit, 0.95)
  data <- data[order(-data$estimate), ]
  data$rank <- seq_len(nrow(data))
  # With many items, names alternate between the two sides of the plot.
  two <- nrow(data) > most_rows / 2
  named <- split(data$rank, if (two) 2 - data$rank %% 2 else 1)
  named <- lapply(named, \(at) at[every_kth(length(at), most_rows)])
  names_of <- function(at) shorten_apart(data$item[at], if (two) 20 else 30)
  ggplot(data, aes(.data$estimate, .data$rank)) +
    geom_vline(xintercept = 0.5, colour = "grey80") +
    geom_linerange(
      aes(xmin = .data$conf.low, xmax = .data$conf.high), colour = "grey60", linewidth = 0.8
    ) +
    geom_point(size = if (two) 1.5 else 2.5) +
    labs(
      x = "probability of being chosen over another item (mean and 95 % interval)", y = NULL,
      title = "Worth of the items"
    ) +
    scale_y_reverse(
      breaks = named[[1]], labels = names_of, minor_breaks = NULL, expand = expansion(add = 0.6),
      sec.axis = if (two) dup_axis(breaks = named[[2]], labels = names_of) else waiver()
    ) +
    lined_theme() +
    theme(axis.text.y = element_text(size = name_size(length(named[[1]]), room_of_rows)))
}

plot_weights <- function(fit, most = 20) {
  data <- aspect_table(fit, most)
  data$items <- factor(data$items, rev(data$items))
  ggplot(data, aes(.data$share, .data$items)) +
    geom_linerange(aes(xmin = .data$q5, xmax = .data$q95), colour = "grey60", linewidth = 0.8) +
    geom_point(aes(colour = .data$probability), size = 2.5) +
    scale_colour_viridis_c(
      name = "probability\nof a feature", limits = c(0, 1), end = 0.9, direction = -1
    ) +
    (if (nrow(data) > 0) scale_y_discrete(labels = \(text) shorten_apart(text, 40))) +
    labs(x = "share of the total weight (mean and 90 % interval)", y = NULL, title = "Aspects") +
    lined_theme()
}

plot_choice_fit <- function(fit) {
  pairs <- observed_pairs(fit)
  counts <- pair_counts(fit, pairs)
  ndraws <- most_draws(fit, tail_ndraws)
  replicated <- sweep(posterior_predict(fit, ndraws = ndraws), 2, counts, `/`)
  interval <- interval_ends(replicated, 0.9)
  data <- data.frame(
    observed = model_data(fit)[pairs] / counts, predicted = mean_probabilities(fit, pairs),
    lower = interval[1, ], upper = interval[2, ]
  )
  ends <- range(data)
  ggplot(data, aes(.data$predicted, .data$observed)) +
    geom_abline(colour = "grey70") +
    geom_linerange(aes(ymin = .data$lower, ymax = .data$upper), colour = "grey60") +
    geom_point() +
    coord_fixed(xlim = ends, ylim = ends) +
    labs(
      x = "predicted probability", y = "observed share", title = "Observed against predicted",
      subtitle = "with 90 % intervals of the predicted share"
    ) +
    lined_theme()
}
