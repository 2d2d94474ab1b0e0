#' Compare fits by left-out entries
#'
#' Ranks fits to the same data by the mean log predictive density of the entries that were left out
#' of all of them, with standard errors of the differences. Set random entries of the data to `NA`,
#' fit the models, and pass the full data as `actual`.
#'
#' The log densities are from [heldout_density()]; for choices an entry is a
#' [pair][predict.fit_choice], and for topics a [token][heldout_density.fit_topics]. Some entries
#' are hard to predict for every model; this cancels in the entry-by-entry differences between two
#' fits. Entries in the same row share its features, so the differences are summed within each row
#' (document) before their standard deviation is computed. With one entry per row, `se` is the
#' standard deviation of the differences divided by the square root of their number.
#'
#' `se` does not include Monte Carlo error: fit a model twice, with different seeds, to see how
#' large it is. As a rule of thumb, a difference of less than two standard errors does not
#' distinguish two fits.
#'
#' Densities of numbers and probabilities of categories or counts are on different scales. An error
#' is raised if a column has densities in one fit and probabilities in another.
#'
#' @param ... Two or more fits to the same data with the same entries left out. Fits are named by
#'   their argument names, or else by their expressions. A list of fits is also accepted.
#' @param actual (as in [heldout_density()]) The full data; for topics the counts that were left
#'   out. This argument must be named. Entries that are `NA` here are not compared.
#' @param x The result of `compare_heldout()`.
#' @return A data frame of class `heldout_comparison` with one row per fit, best first:
#'   * `fit`: its name;
#'   * `log_density`: the mean, not the sum, of the log densities of the left-out entries;
#'   * `difference`: `log_density` minus the best fit's `log_density`, at most 0;
#'   * `se`: the standard error of `difference`, 0 for the best fit; `NA` if all entries are from
#'     one row or a density is 0;
#'   * `entries`: the number of entries compared.
#'
#'   `plot()` returns a `ggplot` of the differences, with two standard errors on either side.
#' @seealso `vignette("comparing-fits")`, which explains why other measures are not suitable
#' @examples
#' set.seed(1)
#' x <- sim_images(50)
#' holes <- x
#' holes[sample(length(x), 180)] <- NA
#' method <- method_gibbs(chains = 1, iter = 300)
#' normal <- fit_gaussian(holes, method = method, seed = 1)
#' # two features are too few for these images
#' two <- fit_gaussian(holes, prior = prior_beta_bernoulli(2), method = method, seed = 1)
#' compared <- compare_heldout(normal, two, actual = x)
#' compared
#' plot(compared)
#' @export
compare_heldout <- function(..., actual) {
  fits <- check_compared(rlang::dots_list(..., .named = TRUE))
  check_given(actual, "actual", "the full data, as in `compare_heldout(fit1, fit2, actual = x)`")
  held <- do.call(cbind, lapply(fits, heldout_density, actual = actual))
  known <- rowSums(is.na(held)) == 0
  if (!any(known)) stop_argument("actual", "have an entry that was left out", was = "NA throughout")
  held <- held[known, , drop = FALSE]
  units <- heldout_units(fits[[1]], actual, length(known))[known]
  score <- colMeans(held)
  difference <- held - held[, which.max(score)]
  out <- data.frame(
    fit = names(fits), log_density = unname(score), difference = unname(colMeans(difference)),
    se = unname(apply(difference, 2, clustered_error, units)), entries = nrow(held)
  )
  out <- out[order(-out$log_density), ]
  rownames(out) <- NULL
  structure(out, class = c("heldout_comparison", "data.frame"))
}

# Standard error of a mean of values that are independent between units but not within units
clustered_error <- function(values, unit) {
  sums <- rowsum(values - mean(values), unit)
  error <- sqrt(sum(sums^2) * length(sums) / (length(sums) - 1)) / length(values)
  if (is.finite(error)) error else NA_real_
}

# The row or document of each element of heldout_density(). In choice models, every pair is a unit.
heldout_units <- function(fit, actual, n) {
  if (inherits(fit, "fit_choice")) return(seq_len(n))
  if (!inherits(fit, "fit_topics")) return(missing_entries(model_data(fit))[, 1])
  tokens <- in_data_order(check_dtm(actual, "actual"), model_data(fit))
  rep(tokens@i, tokens@x)
}

check_compared <- function(fits) {
  if (length(fits) == 1 && is.list(fits[[1]]) && !is.object(fits[[1]])) {
    fits <- fits[[1]]
    names <- rlang::names2(fits)
    names(fits) <- ifelse(names == "", sprintf("fit%d", seq_along(fits)), names)
  }
  wrong <- which(!vapply(fits, inherits, NA, "buffet_fit"))
  if (length(wrong) > 0) {
    stop_argument("...", "be fits by fit_*() functions", fits[[wrong[1]]],
      cure = "`actual` must be named", meant = nearest_name(names(fits)[wrong[1]], "actual")
    )
  }
  if (length(fits) < 2) stop_argument("...", "be at least two fits", was = length(fits))
  again <- anyDuplicated(names(fits))
  if (again) {
    was <- sprintf("%s twice", describe_scalar(names(fits)[again]))
    stop_argument("...", "be fits with different names", was = was)
  }
  first <- comparable_data(fits[[1]])
  if (first$kind != "fit_topics" && nrow(first$left_out) == 0) {
    cure <- "set random entries (for choices, pairs) to NA and fit again"
    was <- "fits to complete data"
    stop_argument("...", "be fits with entries left out", was = was, cure = cure)
  }
  for (name in names(fits)[-1]) {
    other <- comparable_data(fits[[name]])
    must <- incomparable(first, other)
    if (is.null(must)) next
    was <- sprintf("%s and %s", describe_scalar(names(fits)[1]), describe_scalar(name))
    stop_argument("...", must, was = was)
  }
  fits
}

# The reason why two fits cannot be compared, as a requirement that they do not meet, or NULL
incomparable <- function(a, b) {
  if (a$kind != b$kind) return("be fits to the same kind of data (choices, documents or a table)")
  same_entries <- identical(dim(a$x), dim(b$x)) && identical(a$left_out, b$left_out)
  if (!same_entries) return("be fits with the same entries left out")
  largest <- max(abs(a$x), 0, na.rm = TRUE)
  if (max(abs(a$x - b$x), 0, na.rm = TRUE) > 1e-8 * largest) return("be fits to the same data")
  unlike <- unique(a$left_out[(a$discrete != b$discrete)[a$left_out[, 2]], 2])
  if (length(unlike) == 0) return(NULL)
  columns <- in_words("column", unlike, a$names)
  sprintf("have only probabilities or only densities in the %s", columns)
}

# The data of a fit in their own units (with levels of factors as 0, 1, ...), the positions of the
# missing entries, and whether the held-out density of each column is a probability
comparable_data <- function(fit) {
  x <- in_memory(fit, "compare_heldout()")
  kind <- intersect(c("fit_choice", "fit_topics"), class(fit))
  discrete <- rep(inherits(fit, c("fit_logistic", "fit_choice", "fit_topics")), ncol(x))
  left_out <- missing_entries(x)
  if (inherits(fit, "fit_mixed")) {
    columns <- fit$internal$model$data$columns
    discrete <- !vapply(columns, `[[`, "", "family") %in% c("gaussian", "lognormal")
    coded <- vapply(columns, function(column) is.character(column$levels), NA)
    for (j in which(!coded)) x[, j] <- decode_column(columns[[j]], x[, j])
  }
  for (of in category_items(fit$internal$model)) {
    discrete[of$column] <- TRUE
    if (is.character(of$levels)) x[, of$column] <- x[, of$column] - 1
  }
  for (of in Filter(is_count, fit$internal$model$others)) discrete[of$column] <- TRUE
  list(
    x = x, left_out = left_out, kind = c(kind, "table")[1], discrete = discrete,
    names = colnames(x)
  )
}

#' @rdname compare_heldout
#' @export
print.heldout_comparison <- function(x, ...) {
  text <- "Mean log density of %s, and differences from the best fit:\n"
  cat(sprintf(text, counted(x$entries[1], "left-out value")))
  shown <- setdiff(names(x), "entries")
  print.data.frame(x[shown], digits = 3, row.names = FALSE)
  invisible(x)
}

#' @rdname compare_heldout
#' @export
plot.heldout_comparison <- function(x, ...) {
  check_no_more(...)
  frame <- data.frame(
    fit = factor(x$fit, rev(x$fit)), difference = x$difference,
    reach = ifelse(is.na(x$se), 0, 2 * x$se)
  )
  ggplot(frame, aes(.data$difference, .data$fit)) +
    geom_vline(xintercept = 0, colour = "grey60") +
    geom_linerange(aes(
      xmin = .data$difference - .data$reach, xmax = .data$difference + .data$reach
    )) +
    geom_point() +
    labs(
      x = sprintf("mean log density, relative to \"%s\" (lines: two standard errors)", x$fit[1]),
      y = NULL, title = "Fits compared by left-out entries"
    ) +
    lined_theme()
}
