#' Choice probabilities
#'
#' For a fit by [fit_choice()]: the probability that one item is chosen over another (Miller,
#' Griffiths and Jordan 2008, eq. 9, with lapses), simulated counts, and the probabilities of counts
#' that were left out.
#'
#' @param object,fit A fit by [fit_choice()].
#' @param newdata (data frame or `NULL`) Pairs of items in the columns `item1` and `item2`, given by
#'   name or, unless the names are themselves numbers, by number. `posterior_predict()` and
#'   `posterior_epred()` also read `n`, the number of judgements of each pair (by default 1).
#'   `NULL`, the default: all pairs.
#' @param type (string) `"response"` (default): choice probabilities. `"features"`: the point
#'   estimate of Z, [features()], with a row per item; `newdata` must then be `NULL`.
#' @param interval (string) `"none"` (default) or `"credible"`: also the ends of the central
#'   posterior interval of each choice probability. A number is deprecated; use `level`.
#' @param level (number in (0, 1)) Probability of these intervals, 0.9 by default.
#' @param ndraws (positive integer, `Inf` or `NULL`) Number of evenly spaced draws to return.
#'   `NULL`, the default, means all, or at most 1000 for `log_lik()`; `Inf` means all. See [ndraws].
#' @param actual (matrix or data frame) The full counts, in the form of `wins` of [fit_choice()],
#'   with the items in the order of the data.
#' @param ... Must be empty.
#' @return
#' * `predict()` without `newdata`, and `fitted()`: a numeric matrix, items x items, of the
#'   posterior mean probability, lapses included, that the item in the row is chosen over the item
#'   in the column, with `NA` on the diagonal. With `newdata`: a vector of probabilities that
#'   `item1` is chosen. With `interval`: a tibble with columns `item1`, `item2`, `.fitted`, `.lower`
#'   and `.upper`. Means and intervals are computed from all saved draws.
#' * `residuals()`: a matrix, items x items, of the observed share of choices minus `fitted()`; `NA`
#'   if a pair was not judged.
#' * `posterior_predict()`: a matrix, draws x judged pairs (or pairs of `newdata`), of how often the
#'   first item is chosen in as many judgements as the pair had. Pairs are in column-major order of
#'   the lower triangle of `wins`, named `"b-a"`; the first item, b, comes later in the data.
#'   `posterior_epred()`: the expected numbers of choices, in the same form.
#' * [`simulate()`][posterior_predict.buffet_fit]: a list of `nsim` matrices like `wins`, with the
#'   same number of judgements of each pair.
#' * `log_lik()`: a matrix, draws x judged pairs, of log binomial probabilities.
#' * `heldout_density()`: a vector of the log posterior predictive probability of the counts of
#'   every pair that was left out and judged in `actual`; `NA` if `actual` lacks a pair.
#' @inherit prior_pibp references
#' @seealso `vignette("choices")` compares models by pairs that are left out.
#' @examples
#' # leave out the judgements of one pair
#' wins <- celebrities
#' wins["LBJ", "BB"] <- wins["BB", "LBJ"] <- NA
#' fit <- fit_choice(wins, method = method_gibbs(chains = 1, iter = 1000), seed = 1)
#' # the probability that the person in the row is chosen over the person in the column
#' round(predict(fit), 2)
#' # the pair that was left out
#' predict(fit, data.frame(item1 = "LBJ", item2 = "BB"), interval = "credible")
#' heldout_density(fit, celebrities)
#' @name predict.fit_choice
#' @aliases fitted.fit_choice residuals.fit_choice
NULL

#' @rdname predict.fit_choice
#' @export
predict.fit_choice <- function(object, newdata = NULL, type = c("response", "features"),
                               interval = c("none", "credible", "predictive"), level = 0.9, ...) {
  check_no_more(...)
  if (is.numeric(interval)) {
    level <- check_number(interval, "interval", 0, 1, "()")
    lifecycle::deprecate_soft(
      "1.0.0", I("Passing a number as `interval` to `predict()`"),
      I("`interval = \"credible\", level = `")
    )
    interval <- "credible"
  }
  level <- check_number(level, "level", 0, 1, "()")
  type <- check_choice(type, c("response", "features"), "type")
  interval <- check_interval(interval, object, type)
  if (type == "features") {
    if (!is.null(newdata)) {
      stop_argument("newdata", "be NULL for the features of the items", newdata)
    }
    return(object$features)
  }
  pairs <- if (is.null(newdata)) all_pairs(n_rows(object)) else check_pairs(newdata, object)
  estimate <- mean_probabilities(object, pairs)
  if (interval == "none" && !is.null(newdata)) return(estimate)
  if (interval == "none") {
    out <- replace(model_data(object), TRUE, NA)
    out[pairs] <- estimate
    out[pairs[, 2:1, drop = FALSE]] <- 1 - estimate
    return(out)
  }
  items <- item_names(object)
  # Pairs are processed in blocks, because all draws of a block are in memory at once.
  draws <- seq_along(object$feature_draws)
  ends <- matrix(0, 2, nrow(pairs))
  over_blocks(seq_len(nrow(pairs)), max(1, 1e7 %/% length(draws)), function(some, first) {
    p <- choice_probabilities(object, pairs[some, , drop = FALSE], draws)
    ends[, some] <<- interval_ends(p, level)
  })
  tibble::tibble(
    item1 = items[pairs[, 1]], item2 = items[pairs[, 2]], .fitted = estimate,
    .lower = ends[1, ], .upper = ends[2, ]
  )
}

mean_probabilities <- function(fit, pairs) {
  mean_over_blocks(seq_along(fit$feature_draws), draws_in_block(fit), function(some, first) {
    colMeans(choice_probabilities(fit, pairs, some))
  })
}

# Probabilities that the first item of each pair is chosen, as a matrix, draws x pairs
choice_probabilities <- function(fit, pairs, which) {
  choice_probabilities_cpp(
    unclass(select_draws(fit$feature_draws, which)), as.double(select_loadings(fit, which)),
    fit$internal$model$epsilon, pairs
  )
}

# End points of the central interval of every column, 2 x columns
interval_ends <- function(draws, prob) {
  at <- c((1 - prob) / 2, (1 + prob) / 2)
  vapply(seq_len(ncol(draws)), function(j) stats::quantile(draws[, j], at, names = FALSE), at)
}

check_pairs <- function(newdata, fit) {
  if (!is.data.frame(newdata) || !all(c("item1", "item2") %in% names(newdata))) {
    stop_argument("newdata", "be NULL or a data frame with columns item1 and item2", newdata)
  }
  # Items are given by name or by number. If all names are numbers, a number is read as a name.
  named <- suppressWarnings(as.numeric(item_names(fit)))
  numbers <- if (anyNA(named)) seq_len(n_rows(fit)) else named
  pairs <- vapply(unclass(newdata)[c("item1", "item2")], function(items) {
    if (is.factor(items)) items <- as.character(items)
    found <- match(items, if (is.numeric(items)) numbers else item_names(fit))
    if (anyNA(found)) {
      must <- sprintf("have items of the data (%s, ...)", describe_scalar(item_names(fit)[1]))
      stop_argument("newdata", must, items[is.na(found)][1])
    }
    found
  }, integer(nrow(newdata)))
  pairs <- matrix(pairs, ncol = 2)
  same <- which(pairs[, 1] == pairs[, 2])
  if (length(same) > 0) {
    was <- sprintf("the same in row %d", same[1])
    stop_argument("newdata", "have two different items in every row", was = was)
  }
  pairs
}

#' @export
fitted.fit_choice <- function(object, ...) {
  check_no_more(...)
  predict(object)
}

#' @export
residuals.fit_choice <- function(object, ...) {
  check_no_more(...)
  wins <- model_data(object)
  observed <- wins / (wins + t(wins))
  observed[is.nan(observed)] <- NA
  observed - fitted(object)
}

#' @rdname predict.fit_choice
#' @export
posterior_epred.fit_choice <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  of_judged_pairs(object, newdata, ndraws, function(counts, p) counts * p)
}

# of: Function of the numbers of judgements and of the probabilities, draws x pairs.
of_judged_pairs <- function(fit, newdata, ndraws, of) {
  pairs <- if (is.null(newdata)) observed_pairs(fit) else check_pairs(newdata, fit)
  counts <- if (is.null(newdata)) {
    pair_counts(fit, pairs)
  } else {
    newdata[["n"]] %||% rep(1, nrow(pairs))
  }
  if (!(is.numeric(counts) && all(is.finite(counts) & counts >= 0))) {
    stop_argument("newdata", "have numbers of at least 0 in its column n", counts)
  }
  p <- choice_probabilities(fit, pairs, check_ndraws(ndraws, fit))
  out <- of(rep(counts, each = nrow(p)), p)
  matrix(out, nrow(p), dimnames = list(NULL, pair_names(fit, pairs)))
}

#' @rdname predict.fit_choice
#' @export
posterior_predict.fit_choice <- function(object, newdata = NULL, ndraws = NULL, ...) {
  check_no_more(...)
  of_judged_pairs(object, newdata, ndraws, draw_choices)
}

draw_choices <- function(n, p) {
  split <- which(n %% 1 != 0)
  if (length(split) > 0) {
    abort(
      "Choices of a pair with ", format(n[split[1]]), " judgements, which is not a whole number, ",
      "cannot be drawn: posterior_epred() returns their expected number."
    )
  }
  stats::rbinom(length(p), n, p)
}

#' @exportS3Method
draw_data.fit_choice <- function(fit, draw) {
  wins <- model_data(fit)
  pairs <- observed_pairs(fit)
  counts <- pair_counts(fit, pairs)
  wins[pairs] <- draw_choices(counts, choice_probabilities(fit, pairs, draw))
  wins[pairs[, 2:1, drop = FALSE]] <- counts - wins[pairs]
  wins
}

#' @rdname predict.fit_choice
#' @export
log_lik.fit_choice <- function(object, ndraws = NULL, ...) {
  check_no_new_rows(...)
  pointwise_log_lik(object, check_ndraws(ndraws, object, tail_ndraws), "pair")
}

# Log probabilities of the counts of each pair, draws x pairs
log_probabilities <- function(fit, wins, pairs, which) {
  p <- choice_probabilities(fit, pairs, which)
  won <- rep(wins[pairs], each = nrow(p))
  lost <- rep(wins[pairs[, 2:1, drop = FALSE]], each = nrow(p))
  # The binomial density computed from the beta density, because dbinom() accepts only integers.
  out <- stats::dbeta(p, won + 1, lost + 1, log = TRUE) - log1p(won + lost)
  matrix(out, nrow(p), dimnames = list(NULL, pair_names(fit, pairs)))
}

#' @rdname predict.fit_choice
#' @export
heldout_density.fit_choice <- function(fit, actual, ...) {
  check_no_more(...)
  check_given(actual, "actual", "the full counts")
  pairs <- all_pairs(n_rows(fit))
  pairs <- pairs[is.na(model_data(fit)[pairs]), , drop = FALSE]
  if (nrow(pairs) == 0) abort_argument("`fit` must be a fit to data with pairs left out.")
  given <- actual
  actual <- check_wins(given, "actual")
  if (!identical(dimnames(actual), dimnames(model_data(fit))) || nrow(actual) != n_rows(fit)) {
    stop_argument("actual", "have the items of the data in the same order", given)
  }
  # Leave out pairs that nobody has judged: their choices cannot be scored.
  pairs <- pairs[!(actual[pairs] + actual[pairs[, 2:1, drop = FALSE]]) %in% 0, , drop = FALSE]
  if (nrow(pairs) == 0) {
    stop_argument("actual", "have a judgement of at least one pair that was left out", was = "none")
  }
  log_mean_over_blocks(seq_along(fit$feature_draws), draws_in_block(fit), function(some) {
    log_p <- log_probabilities(fit, actual, pairs, some)
    largest <- apply(log_p, 2, max)
    largest + log(colMeans(exp(sweep(log_p, 2, largest))))
  })
}
