#' Summary of a fit to choices
#'
#' Adds to the summary of a fit by sampling the sets of items that share an aspect, and how often
#' each item is chosen over the others.
#'
#' @param object A fit by [fit_choice()].
#' @param aspects (positive integer) Number of sets of items in `aspects` (default 10).
#' @param ... Must be empty.
#' @return An object of class `summary_fit_choice`: a list with the elements of the
#'   [summary][summary.fit_mcmc] of any fit by sampling and, besides, two tibbles.
#'   * `aspects` has a row per set of items, those with the largest share first. `items` has their
#'     names, separated by commas. `probability` is the posterior probability that some feature has
#'     exactly these items. `share` is the posterior mean of the share of the sum of all weights
#'     that the features of these items have; it is 0 in draws without such a feature. `q5` and
#'     `q95` are the ends of its central 90 % interval. Features of all items do not count in these
#'     shares, because no choice depends on them.
#'   * `worth` has a row per item, as `tidy(object, "worth")` returns it.
#'
#'   It is printed in at most 20 lines, with the five largest aspects (or as many as there is room
#'   for) and the items of highest worth on one line.
#' @details
#' The worth of item i among n items is the probability that it is chosen over another item that is
#' picked at random,
#' \deqn{\frac{1}{n - 1} \sum_{j \ne i} P(i \mbox{ is chosen over } j),}{
#' 1 / (n - 1) sum over j other than i of P(i is chosen over j),}
#' with the probabilities of [predict()][predict.fit_choice], lapses included. It is between 0 and
#' 1, and its mean over the items is 1/2. Unlike a sum of weights, it is the same for all weights
#' and features that give the same choice probabilities. Its mean and interval are over every
#' kept draw.
#'
#' Chains that do not agree give a warning, as in [the summary][summary.fit_mcmc] of any fit by
#' sampling.
#' @seealso [tidy()][tidy.fit_choice], [plot()][plot.fit_choice]
#' @examples
#' fit <- fit_choice(celebrities, method = method_gibbs(chains = 1, iter = 3000), seed = 1)
#' # among the largest are aspects of the politicians (LBJ, HW, CDG) and the film stars (BB, ET, SL)
#' found <- summary(fit, aspects = 20)
#' found
#' found$aspects
#' # how often each person would be chosen
#' found$worth
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
    items = item_sets(found$sets, item_names(fit)), probability = colMeans(found$shares > 0),
    share = colMeans(found$shares), q5 = ends[1, ], q95 = ends[2, ]
  )
}

shorten <- function(text, most = 40) {
  long <- nchar(text) > most
  text[long] <- paste0(substr(text[long], 1, most - 3), "...")
  text
}

item_sets <- function(z, names) {
  vapply(seq_len(ncol(z)), function(k) paste(names[z[, k] == 1], collapse = ", "), "")
}

# The probability that each item is chosen over another one, averaged over the others
worth_table <- function(fit, conf_level) {
  pairs <- all_pairs(n_rows(fit))
  worth <- matrix(0, length(fit$feature_draws), n_rows(fit))
  over_blocks(seq_along(fit$feature_draws), draws_in_block(fit), function(some, first) {
    worth[some, ] <<- draw_worth(choice_probabilities(fit, pairs, some), pairs, n_rows(fit))
  })
  ends <- interval_ends(worth, conf_level)
  tibble::tibble(
    item = item_names(fit), estimate = colMeans(worth), std.error = apply(worth, 2, stats::sd),
    conf.low = ends[1, ], conf.high = ends[2, ]
  )
}

# The worth of items, draws x items, from the probabilities of all pairs
draw_worth <- function(p, pairs, items) {
  worth <- vapply(seq_len(items), function(item) {
    won <- rowSums(p[, pairs[, 1] == item, drop = FALSE])
    (won + rowSums(1 - p[, pairs[, 2] == item, drop = FALSE])) / (items - 1)
  }, numeric(nrow(p)))
  matrix(worth, nrow(p))
}

#' @export
print.summary_fit_choice <- function(x, ...) {
  lines <- utils::capture.output(print.summary_fit_mcmc(x))
  # If lines run out, drop the title, then the worth of items.
  if (length(lines) > 17) lines <- setdiff(lines, title_of_scalars)
  if (length(lines) <= 16) lines <- c(lines, worth_line(x$worth))
  cat(lines, sep = "\n")
  if (nrow(x$aspects) == 0) return(invisible(x))
  cat("Aspects with the largest share of the weight (q5 to q95: its 90 % interval):\n")
  # Twenty lines in all.
  table <- as.data.frame(utils::head(x$aspects, max(1, min(5, 18 - length(lines)))))
  table$items <- shorten(table$items)
  numbers <- names(table) != "items"
  table[numbers] <- lapply(table[numbers], fixed, decimals = 3)
  print(table, row.names = FALSE, right = FALSE)
  invisible(x)
}

worth_line <- function(worth, width = 80) {
  worth <- worth[order(-worth$estimate), ]
  items <- sprintf("%s %.2f", shorten(worth$item, 20), worth$estimate)
  title <- "Worth of items: "
  line <- paste0(title, paste(items, collapse = ", "))
  shown <- length(items)
  while (nchar(line) > width && shown > 1) {
    shown <- shown - 1
    line <- paste0(title, paste(c(items[seq_len(shown)], "..."), collapse = ", "))
  }
  line
}
