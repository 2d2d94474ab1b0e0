#' Data frames from a fit
#'
#' `tidy()` returns the parameters of a fit in a long table, `glance()` a summary of the fit in one
#' row, and `augment()` the data together with what the fit learned about each row.
#'
#' @param x A fit by any `fit_*()` function.
#' @param data Ignored: the fit contains its data.
#' @param newdata (as in [predict()][predict.buffet_fit], or `NULL`) New rows for `augment()`.
#'   `NULL`, the default: the rows of the data.
#' @param matrix (string) What each row describes. `"scalars"` (default): a scalar parameter.
#'   `"features"`: an entry of [features()] that is 1. `"loadings"`: an entry of [loadings_of()].
#'   `"beta"` ([fit_topics()]): the probability of a word in a topic, [loadings_of()]. `"gamma"`:
#'   the expected share of a topic in a document, [predict()][predict.fit_topics]. `"weights"`
#'   ([fit_nmf()]): an entry of [weights_of()]. `"edges"` ([fit_cascade()]): an edge of the
#'   [network()]. `"worth"` ([fit_choice()]): an item, with its [worth][summary.fit_choice].
#' @param conf.level (number in (0, 1)) Probability of the central posterior intervals, 0.9 by
#'   default.
#' @param conf.int (flag) Include the ends of intervals, `conf.low` and `conf.high`, in tables of
#'   estimates? `TRUE` by default.
#' @param ... Must be empty.
#' @return Tibbles.
#'
#' `tidy()` has these columns:
#' * `"scalars"`: `term`, `estimate`, `std.error`, `conf.low` and `conf.high`: posterior means,
#'   standard deviations and intervals. A fit by optimisation has no `std.error`.
#' * `"features"`: `row` and `feature`; for a fit by sampling also `stability`, the share of draws,
#'   and `chains`, the number of chains that have the feature; see [stability].
#' * `"loadings"`: `feature`, `column` and `value`; for sparse loadings also `probability`, the
#'   probability that the loading is not 0; for [fit_logistic()] also `std.error`, `conf.low` and
#'   `conf.high` given the features. For [fit_choice()] `value` is the weight of the feature as a
#'   share of the sum of weights.
#' * `"beta"`: `topic`, `term` and `beta`, and `"gamma"`: `document`, `topic` and `gamma`, named as
#'   in tidytext, from the draw that [features()] shows. If lengths are given, documents without
#'   words have `NA`. `"features"` of topics has `document` and `topic`.
#' * `"weights"`: `row`, `component` and `value`. `"loadings"` of [fit_nmf()] also have `component`,
#'   in place of `feature`.
#' * `"edges"`: `layer` (of the child; 0 for visible units), `child`, `parent` and `weight`.
#' * `"worth"`: `item`, in the order of the data, and the columns of `"scalars"` after `term`.
#'
#' `glance()` has one row:
#' * `nobs`, the number of rows of the data; `n_columns`; and `n_features`, the number of features
#'   in [features()], which is the most probable number. A fit by sampling also has the posterior
#'   probability of this number, `n_features_prob`, and the ends of the central 90 % interval,
#'   `n_features_lower` and `n_features_upper`. Report the interval if the probability is below 1/2.
#'   For [fit_choice()] `nobs` is the number of judged pairs and `n_columns` the number of items.
#' * The posterior means of the other scalars, or their estimates, except `n_ones` and
#'   `concentration`. For [fit_cascade()] these are `n_layers`, `n_edges_1`, `log_lik` and
#'   `log_joint`, and `n_features` is the number of units in layer 1 of the point estimate.
#'   [fit_nmf()] has the `rank` in place of the number of features.
#' * For a fit by sampling `chains`, `draws`, `rhat_max` and `ess_bulk_min`, the worst diagnostics.
#' * For a fit by optimisation `bound` (`log_joint` for [method_icm()]), the last value of
#'   [objective()], `iterations` and `finished`, which is `FALSE` if the fit was interrupted.
#'
#' `augment()` has the columns of the data and these:
#' * `.rownames`, if rows have names other than 1, 2, ...
#' * The features of each row: `.f1`, `.f2`, ... For [fit_factor()] and [fit_nmf()] (`.c1`, ...)
#'   these are [weights_of()]; [fit_cascade()] has none.
#' * `.resid`, the root mean square of the residuals of the row, in the units of the data (not for
#'   [fit_mixed()] and [fit_factor()] with `families`).
#'
#' With `newdata` it returns these rows with the predicted mean of every column (`.fitted_` and the
#' name or number of the column) and the probabilities of the features of each row (`.f1`, ...) or
#' its weights (`.c1`, ... for [fit_nmf()]). Fits with sparse loadings and cascades have no such
#' features.
#'
#' For [fit_choice()] a row is a judged pair: `item1`, `item2`, `wins` of `item1`, `n` judgements,
#' `.fitted`, the probability that `item1` is chosen, and `.resid`, the observed share minus
#' `.fitted`. For [fit_topics()] a row is a document and a word that occurs in it: `document`,
#' `term`, `count` and `.topic`, the most probable topic of the word in this document. Columns whose
#' names are missing, not unique or already taken are renamed, with a message.
#' @seealso [tidy()][tidy.fit_mixed] for mixed columns, [topic_table()]
#' @examples
#' set.seed(1)
#' fit <- fit_gaussian(sim_images(30), method = method_gibbs(chains = 2, iter = 200), seed = 1)
#' tidy(fit)
#' head(tidy(fit, "features"))
#' glance(fit)
#' head(augment(fit)[c(".rownames", ".f1", ".f2", ".f3", ".resid")], 3)
#' @export
tidy.buffet_fit <- function(x, matrix = c("scalars", "features", "loadings"), conf.level = 0.9,
                            conf.int = TRUE, ...) {
  check_no_more(...)
  check_format(x)
  matrix <- check_choice(matrix, c("scalars", "features", "loadings"), "matrix")
  conf.level <- check_conf(conf.level, conf.int)
  switch(matrix,
    scalars = with_interval(tidy_scalars(x, conf.level), conf.int),
    features = tidy_features(x),
    loadings = if (inherits(x, "fit_logistic")) {
      with_interval(without_errors(tidy_logistic_loadings(x, conf.level), x), conf.int)
    } else {
      tidy_loadings(loadings_of(x))
    }
  )
}

check_conf <- function(conf_level, conf_int) {
  refuse_probability(conf_int, "conf.int", "be TRUE or FALSE", "conf.level")
  check_flag(conf_int, "conf.int")
  check_number(conf_level, "conf.level", 0, 1, "()")
}

with_interval <- function(table, conf_int) {
  if (conf_int) table else table[setdiff(names(table), c("conf.low", "conf.high"))]
}

# Sets errors and intervals to NA for features that no chain has, in a table of estimates given the
# point estimate
without_errors <- function(table, fit) {
  lone <- colnames(fit$features)[stability(fit)$chains == 0]
  table[table$feature %in% lone, c("std.error", "conf.low", "conf.high")] <- NA_real_
  table
}

tidy_scalars <- function(fit, conf_level) {
  if (inherits(fit, "fit_point")) return(tidy_factors(fit, conf_level))
  draws <- posterior::as_draws_matrix(fit)
  tail <- (1 - conf_level) / 2
  of_each <- function(statistic, ...) unname(apply(draws, 2, statistic, ...))
  tibble::tibble(
    term = colnames(draws), estimate = of_each(mean), std.error = of_each(stats::sd),
    conf.low = of_each(stats::quantile, tail), conf.high = of_each(stats::quantile, 1 - tail)
  )
}

tidy_features <- function(fit, names = c("row", "feature")) {
  z <- fit$features
  on <- which(z == 1, arr.ind = TRUE, useNames = FALSE)
  held <- list((rownames(z) %||% seq_len(nrow(z)))[on[, 1]], as.character(colnames(z)[on[, 2]]))
  of_feature <- lapply(stability(fit), `[`, on[, 2])
  tibble::tibble(!!!stats::setNames(held, names), !!!of_feature)
}

tidy_loadings <- function(a, names = c("feature", "column", "value")) {
  out <- tidy_matrix(a, names, as.character(rownames(a)))
  out$probability <- as.vector(attr(a, "probability"))
  out
}

# A matrix in long format, with one row per entry
tidy_matrix <- function(m, names, rows = rownames(m) %||% seq_len(nrow(m)),
                        columns = colnames(m) %||% seq_len(ncol(m))) {
  entries <- list(rep(rows, ncol(m)), rep(columns, each = nrow(m)), as.vector(m))
  tibble::as_tibble(stats::setNames(entries, names))
}

#' @rdname tidy.buffet_fit
#' @export
glance.buffet_fit <- function(x, ...) {
  check_no_more(...)
  check_format(x)
  found <- x$internal
  rank <- found$model$rank
  size <- if (is.null(rank)) glance_size(x) else list(rank = rank)
  scalars <- if (inherits(x, "fit_cascade")) {
    c("n_layers", "n_edges_1", "log_lik", "log_joint")
  } else {
    setdiff(scalar_names(x), c("n_features", "n_ones", "concentration"))
  }
  means <- lapply(rlang::set_names(scalars), function(name) mean(scalar(x, name)))
  run <- if (inherits(x, "fit_point")) {
    shown <- intersect(c("converged", "finished"), names(found))
    c(list(iterations = length(found$trace)), found[shown])
  } else {
    draws <- as_draws(x)
    list(
      chains = posterior::nchains(draws), draws = posterior::ndraws(draws),
      rhat_max = worst(scalar_rhats(x), max),
      ess_bulk_min = worst(summary_table(draws, "ess_bulk")$ess_bulk, min)
    )
  }
  tibble::tibble(nobs = nobs(x), n_columns = ncol(model_data(x)), !!!size, !!!means, !!!run)
}

# Size of the point estimate, its posterior probability, and the 90 % interval of the size
glance_size <- function(fit) {
  n <- point_size(fit)
  if (inherits(fit, "fit_point")) return(list(n_features = n))
  drawn <- scalar(fit, "n_features")[trusted_draws(fit)]
  ends <- size_interval(drawn)
  list(
    n_features = n, n_features_prob = mean(drawn == n), n_features_lower = ends[1],
    n_features_upper = ends[2]
  )
}

worst <- function(values, which) if (all(is.na(values))) NA_real_ else which(values, na.rm = TRUE)

#' @rdname tidy.buffet_fit
#' @export
augment.buffet_fit <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_more(...)
  if (!is.null(newdata)) return(augment_new(x, newdata))
  frame <- x$internal$model$data$frame
  frame <- if (is.null(frame)) {
    as.data.frame(as.matrix(in_memory(x, "augment()")))
  } else {
    own_frame(frame)
  }
  coding <- x$internal$model$data$coding
  if (!is.null(coding)) frame[] <- Map(decode_responses, frame, rep_len(coding, ncol(frame)))
  frame <- beside_features(x, frame)
  # Residuals of columns of different families have no common unit.
  if (!inherits(x, "fit_mixed") && !has_families(x$internal$model)) {
    frame <- cbind(frame, .resid = sqrt(rowMeans(residuals(x)^2, na.rm = TRUE)))
  }
  # as_tibble() reports new names in a message.
  tibble::as_tibble(frame, .name_repair = "unique")
}

# Binds the row names on the left and everything that is learned about each row on the right
beside_features <- function(fit, frame) {
  check_format(fit)
  held <- if (inherits(fit, c("fit_factor", "fit_nmf"))) {
    weights_of(fit)
  } else if (inherits(fit, "fit_cascade")) {
    matrix(0, nobs(fit), 0)
  } else {
    fit$features
  }
  colnames(held) <- paste0(".", colnames(held), recycle0 = TRUE)
  cbind(beside_names(rownames(model_data(fit)), frame), held)
}

# Adds the row names, unless they are only 1, 2, ...
beside_names <- function(names, frame) {
  if (is.null(names) || identical(names, as.character(seq_along(names)))) return(frame)
  cbind(.rownames = names, frame)
}

augment_new <- function(fit, newdata) {
  rows <- new_row_data(fit, newdata)
  frame <- if (is.data.frame(newdata)) own_frame(newdata) else as.data.frame(as.matrix(rows))
  fitted <- as.data.frame(expect_rows(fit, rows, seq_along(fit$feature_draws)), optional = TRUE)
  columns <- colnames(model_data(fit)) %||% seq_len(ncol(fitted))
  names(fitted) <- paste0(".fitted_", columns)
  # If the loadings are sparse, the factors are integrated out.
  none <- inherits(fit, "fit_cascade") ||
    inherits(fit, "fit_factor") && of_columns(fit$internal$model)
  held <- if (none) matrix(0, nrow(rows), 0) else features_of_new(fit, rows)
  colnames(held) <- paste0(".", colnames(held), recycle0 = TRUE)
  rownames(held) <- NULL
  frame <- cbind(beside_names(rownames(rows), frame), fitted, held)
  rownames(frame) <- NULL
  tibble::as_tibble(frame, .name_repair = "unique")
}
