#' Summary of a fit to choices
#'
#' @param object A fit by [fit_choice()].
#' @param aspects (positive integer) How many sets of items to show.
#' @param ... Must be empty.
#' @return An object of class `summary_fit_choice`: what [summary()][summary.fit_mcmc] of any fit by
#'   sampling has and, in `aspects`, a data frame with a row per set of items: `items`;
#'   `probability` that some feature has just these; `share`, the posterior mean of the share of all
#'   weight that the features of these items have, 0 where there are none, with the ends of its
#'   central 90 % interval, `q5` and `q95`. Those of largest share come first. Shares leave out
#'   features of all items, on which no choice depends. Printed with the largest five, or
#'   as many as twenty lines hold.
#' @examples
#' fit <- fit_choice(celebrities, method = method_gibbs(chains = 2, iter = 3000), seed = 1)
#' summary(fit)
#' summary(fit, aspects = 20)$aspects
#' @export
summary.fit_choice <- function(object, aspects = 10, ...) {
  check_no_more(...)
  aspects <- check_count(aspects, "aspects")
  out <- summary.fit_mcmc(object)
  out$aspects <- aspect_table(object, aspects)
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
  vapply(seq_len(ncol(z)), function(k) paste(names[z[, k] == 1], collapse = " "), "")
}

#' @export
print.summary_fit_choice <- function(x, ...) {
  lines <- utils::capture.output(print.summary_fit_mcmc(x))
  # The empty line goes where there is no room for an aspect.
  if (length(lines) > 17) lines <- lines[nzchar(lines)]
  cat(lines, sep = "\n")
  if (nrow(x$aspects) == 0) return(invisible(x))
  cat("Aspects with the largest share of the weight:\n")
  # Twenty lines in all.
  table <- as.data.frame(utils::head(x$aspects, max(1, min(5, 18 - length(lines)))))
  table$items <- shorten(table$items)
  numbers <- names(table) != "items"
  table[numbers] <- lapply(table[numbers], fixed, decimals = 3)
  print(table, row.names = FALSE, right = FALSE)
  invisible(x)
}
