#' Summary of a fit to choices
#'
#' @param object A fit by [fit_choice()].
#' @param aspects (positive integer) How many sets of items to show.
#' @param ... Must be empty.
#' @return An object of class `summary_fit_choice`: what [summary()][summary.fit_mcmc] of any fit by
#'   sampling has and
#'   * `aspects`, a data frame with a row per set of items: `items`, their names with commas between;
#'   `probability` that some feature has just these; `share`, the posterior mean of the share of all
#'   weight that the features of these items have, 0 where there are none, with the ends of its
#'   central 90 % interval, `q5` and `q95`. Those of largest share come first. Shares leave out
#'   features of all items, on which no choice depends;
#'   * `worth`, a data frame with a row per item, as `tidy(object, "worth")` gives it.
#'
#'   Printed with the largest five aspects, or as many as twenty lines hold, and the items of highest
#'   worth on one line.
#' @details
#' The worth of item i among n is the probability that it is chosen over another item that is picked
#' at random,
#' \deqn{\frac{1}{n - 1} \sum_{j \ne i} P(i \mbox{ is chosen over } j),}
#' with the probabilities of [predict()][predict.fit_choice], lapses included. It is between 0 and 1,
#' and 1/2 on average over the items. Unlike a sum of weights it is the same for all weights and
#' features that mean the same choices. Mean and interval are over the draws, at most 1000 of them,
#' evenly spaced.
#' @examples
#' fit <- fit_choice(celebrities, method = method_gibbs(chains = 2, iter = 3000), seed = 1)
#' summary(fit)
#' summary(fit, aspects = 20)$aspects
#' tidy(fit, "worth")
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

#' The sets of items with the largest share of the weight
#' @noRd
aspect_table <- function(fit, most) {
  found <- choice_shares_cpp(unclass(fit$draws), as.double(fit$draws_loadings), most)
  ends <- interval_ends(found$shares, 0.9)
  tibble::tibble(
    items = item_sets(found$sets, item_names(fit)), probability = colMeans(found$shares > 0),
    share = colMeans(found$shares), q5 = ends[1, ], q95 = ends[2, ]
  )
}

#' Texts of at most so many characters
#' @noRd
shorten <- function(text, most = 40) {
  long <- nchar(text) > most
  text[long] <- paste0(substr(text[long], 1, most - 3), "...")
  text
}

item_sets <- function(z, names) {
  vapply(seq_len(ncol(z)), function(k) paste(names[z[, k] == 1], collapse = ", "), "")
}

#' The probability of each item to be chosen over another one, on average over these
#' @noRd
worth_table <- function(fit, conf_level) {
  pairs <- all_pairs(n_rows(fit))
  p <- choice_probabilities(fit, pairs, check_ndraws(NULL, fit, tail_ndraws))
  worth <- vapply(seq_len(n_rows(fit)), function(item) {
    won <- rowSums(p[, pairs[, 1] == item, drop = FALSE])
    (won + rowSums(1 - p[, pairs[, 2] == item, drop = FALSE])) / (n_rows(fit) - 1)
  }, numeric(nrow(p)))
  worth <- matrix(worth, nrow(p))
  ends <- interval_ends(worth, conf_level)
  tibble::tibble(
    item = item_names(fit), estimate = colMeans(worth), std.error = apply(worth, 2, stats::sd),
    conf.low = ends[1, ], conf.high = ends[2, ]
  )
}

#' @export
print.summary_fit_choice <- function(x, ...) {
  lines <- utils::capture.output(print.summary_fit_mcmc(x))
  # The title goes where there is no room for an aspect, then the items' worth.
  if (length(lines) > 16) lines <- setdiff(lines, title_of_scalars)
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

#' The items of highest worth, as many as a line holds
#' @noRd
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

#' The rows of Z are items
#' @exportS3Method
#' @noRd
feature_side.fit_choice <- function(fit) "item"
