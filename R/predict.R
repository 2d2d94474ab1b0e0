#' Posterior mean predictions
#'
#' `predict()` returns posterior means of the data, for the rows of the data or for new rows, or the
#' features of these rows. `fitted()` is `predict()` for the rows of the data, and `residuals()` are
#' the data minus `fitted()`.
#'
#' @param object A fit by [fit_gaussian()], [fit_logistic()] or [fit_factor()].
#' @param newdata (matrix or data frame, as `x` of [fit_gaussian()] or `y` of [fit_logistic()], or
#'   `NULL`) New rows with the columns of the data; a vector is one row. `NULL` (default): the rows
#'   of the data. Columns are matched by name where both have names, and further columns are left
#'   out; otherwise they are matched by position. Where column names of the data are not unique, or
#'   some of them are missing, `newdata` must have the same names in the same order, or none.
#'   Missing entries (`NA`) are predicted from the observed entries of their row. Fits with
#'   [prior_pibp()] or [prior_fixed()] refuse new rows: these have no place on the tree, and their
#'   features are not known.
#' @param type (string) `"response"` (default): the posterior mean of the signal `z A` of each row,
#'   on the scale of the data; for binary data the probability that an entry is 1. `"features"`: the
#'   point estimate [features()]; for new rows the posterior probability that the row has each of
#'   these features, given the draw that `features()` shows.
#' @param ndraws (positive integer, `Inf` or `NULL`) For `newdata`: average over this many evenly
#'   spaced draws; `NULL` (default) and `Inf` average over all. For intervals: how many draws their
#'   ends are quantiles of, by default 1000. See [ndraws]. `type = "features"` does not use it.
#' @param interval (string) `"none"` (default). `"credible"`: the result also has the ends of the
#'   central posterior interval of the mean of each entry. `"predictive"`: those of the interval of
#'   the entry itself; see [Intervals][predictive_interval.buffet_fit].
#' @param level (number in (0, 1)) Probability of these intervals (default 0.9).
#' @param ... Must be empty.
#' @return A numeric matrix with a row per row of `newdata` (or of the data). `"response"`,
#'   `fitted()` and `residuals()` have a column per column of the data, `"features"` a column per
#'   feature. Rows and columns are named where those of the data are. `residuals()` is `NA` where an
#'   entry is missing. With `interval` the result is a data frame with a row per entry: `row` and
#'   `column` (their names or numbers), `.fitted`, `.lower` and `.upper`. `.fitted` is what
#'   `predict()` returns without `interval`. A fit to [row_blocks()] has no `residuals()`, which
#'   need the data in memory.
#' @details
#' ## Fits by sampling
#' Means are over every kept draw. For the rows of the data the mean is exact given the features and
#' the other parameters of each draw. These are the weights of [fit_logistic()], all parameters of
#' [fit_factor()], and the loadings of [fit_gaussian()] if they are nonnegative, if
#' `noise = "column"`, or if the data are [row_blocks()]. Other normal loadings are integrated out.
#' The sampler `"parallel"` also draws them, and [posterior_epred()] returns the means given these
#' draws.
#'
#' For new rows the features are sampled given each draw. Up to eight features are drawn at once to
#' begin with; for more features nine passes over pairs of them, at temperatures from 256 down to 1,
#' find a state. Then 20 Gibbs sweeps follow, whose last ten are averaged. For `"features"` there
#' are 1000 sweeps given one draw, whose last 500 are averaged. The sweeps allow for features that
#' only the new row has. The draws are those given the data; they are not reweighted by the new row.
#' The result for a row is the same at every call, whichever other rows are given, because its
#' random numbers come from the row and the seed of the fit. Rows are sampled in as many threads as
#' the option `mc.cores` says (1 if it is not set); the result does not depend on it.
#'
#' Given a draw, the normal loadings of [fit_gaussian()] are integrated out: they have their
#' posterior given the data and the observed entries of the new row, also where the data have
#' missing entries. Other loadings, and weights, are those of the draw, and what the new row would
#' say of them does not count: nonnegative loadings, `noise = "column"`, fits to [row_blocks()], and
#' all of [fit_logistic()] and [fit_factor()].
#'
#' With sparse loadings, the default of [fit_factor()], rows have factors but no features. The
#' factors of a new row are normal given its observed entries, so that the response is exact given
#' the draws. `type = "features"` is an error for new rows there.
#'
#' ## Fits by optimisation
#' A fit by [method_meibp()] or [method_beam()] has one estimate of Z, and a new row gets features
#' that are 0 or 1. With [method_meibp()] these are the features of greatest bound that its search
#' `"climb"` finds, from no feature and from all features. With [method_beam()] they are the most
#' probable ones. Only features of the fit are considered. The response is the sum of their mean
#' loadings, and nothing is random. With [method_variational()] or [method_power_ep()] a new row has
#' probabilities of features, those that raise the bound most from where that search ends.
#' @examples
#' set.seed(1)
#' x <- block_images(60)
#' fit <- fit_gaussian(x[1:50, ], method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' # half of the entries of ten new images are hidden, and predicted from the others
#' new <- x[51:60, ]
#' hidden <- matrix(runif(length(new)) < 0.5, nrow(new))
#' new[hidden] <- NA
#' # the error is between that of the column means and the noise, 0.5
#' sqrt(mean((predict(fit, new) - x[51:60, ])[hidden]^2))
#' # where the entries may be
#' head(predict(fit, new[1:2, ], interval = "predictive"))
#' sqrt(mean((rep(colMeans(x[1:50, ]), each = 10) - x[51:60, ])[hidden]^2))
#' # how probable the features are in the first three of these images
#' round(predict(fit, new[1:3, ], type = "features"), 2)
#' @aliases predict.fit_gaussian predict.fit_logistic predict.fit_factor
#' @export
predict.buffet_fit <- function(object, newdata = NULL, type = c("response", "features"),
                               ndraws = NULL, interval = c("none", "credible", "predictive"),
                               level = 0.9, ...) {
  check_no_more(...)
  type <- check_choice(type, c("response", "features"), "type")
  interval <- check_interval(interval, object, type)
  level <- check_number(level, "level", 0, 1, "()")
  which <- check_mean_ndraws(ndraws, object, newdata, interval)
  if (interval != "none") return(predict_interval(object, newdata, ndraws, interval, level))
  if (type == "features") return(predict_features(object, newdata))
  if (is.null(newdata)) return(fitted(object))
  expect_rows(object, new_row_data(object, newdata), which)
}

predict_features <- function(fit, newdata) {
  if (is.null(newdata)) return(fit$features)
  features_of_new(fit, new_row_data(fit, newdata))
}

# What is expected of new rows, as predict() shows it
# rows: As new_row_data() has them.
expect_rows <- function(fit, rows, which, ...) UseMethod("expect_rows")

#' @exportS3Method
expect_rows.buffet_fit <- function(fit, rows, which, ...) {
  out <- from_model_units(fit, new_response(fit, rows, which, ...))
  dimnames(out) <- list(rownames(rows), colnames(model_data(fit)))
  out
}

# Features of new rows, or their weights, as predict() shows them
features_of_new <- function(fit, rows) {
  if (inherits(fit, "fit_nmf")) {
    weights <- new_weights(fit, rows, fit$internal$point, 250L)$weights
    out <- t(weights)[, component_order(fit), drop = FALSE]
    dimnames(out) <- list(rownames(rows), component_names(fit))
    return(out)
  }
  out <- new_features(fit, rows)
  dimnames(out) <- list(rownames(rows), colnames(fit$features))
  out
}

# New rows of a fit whose prior speaks of such
checked_rows <- function(newdata, fit) {
  check_new_rows(fit$internal$model$prior, newdata)
  check_newdata(newdata, fit)
}

# Features of new rows, rows x K, as the point estimate has them
new_features <- function(fit, rows) {
  if (inherits(fit, "fit_factor") && of_columns(fit$internal$model)) {
    stop_argument("type", "be \"response\" for new rows where loadings are sparse", "features")
  }
  if (inherits(fit, "fit_point")) {
    return(point_rows(fit$method, fit, in_model_units(fit, rows))$features)
  }
  z <- drawn_features(fit)
  out <- t(new_rows(fit, rows, fit$internal$point, row_plan(fit, 1000))$features)
  if (traits_of(fit)$complements) {
    flipped <- complements_cpp(z, z[, 0, drop = FALSE])
    z <- flip_columns(z, flipped)
    out <- flip_columns(out, flipped)
  }
  out[, match_columns(fit$features, z), drop = FALSE]
}

new_response <- function(fit, rows, which, ...) UseMethod("new_response")

#' @exportS3Method
new_response.fit_mcmc <- function(fit, rows, which) {
  mean_over_blocks(which, new_rows_in_block(fit, rows), function(some, first) {
    t(new_rows(fit, rows, some, row_plan(fit, first = first))$response)
  })
}

# list(response, features) of new rows, one a column, averaged over some draws; and with
# `plan$drawn` mean and data of rows that are drawn
new_rows <- function(fit, rows, which, plan, ...) UseMethod("new_rows")

# The prior of one more row, with the draws of its hyperparameters, a row each
prior_of_next <- function(fit, which) {
  model <- fit$internal$model
  names <- names(prior_hyperparameters(model$prior))
  draws <- lapply(names, function(name) scalar(fit, name)[which])
  list(prior = model$prior_spec, hyper = do.call(rbind, stats::setNames(draws, names)))
}

select_loadings <- function(fit, which) {
  if (length(fit$internal$draws_loadings) == 0) return(double())
  counts <- loading_counts(fit$internal$model, unclass(fit$feature_draws)$sizes)
  ends <- cumsum(counts)
  unlist(lapply(which, function(d) {
    fit$internal$draws_loadings[ends[d] - counts[d] + seq_len(counts[d])]
  }))
}

# The mean of what a function gives for some draws
mean_over <- function(which, of_draw) {
  tick <- draws_ticker(length(which))
  sum <- 0
  for (draw in which) {
    sum <- sum + of_draw(draw)
    tick()
  }
  sum / length(which)
}

# The same for a function that returns the mean over a block of draws
# size: Number of draws per block, all of which must fit into memory.
# of_some: A function of some draws and of how many there are before them.
mean_over_blocks <- function(which, size, of_some) {
  sum <- 0
  over_blocks(which, size, function(some, first) {
    sum <<- sum + length(some) * of_some(some, first)
  })
  sum / length(which)
}

# The log of the mean over draws, from a function that returns logs of means over blocks
log_mean_over_blocks <- function(which, size, of_some) {
  log_sum <- -Inf
  over_blocks(which, size, function(some, first) {
    log_sum <<- log_add(log_sum, log(length(some)) + of_some(some))
  })
  log_sum - log(length(which))
}

over_blocks <- function(which, size, of_some) {
  tick <- draws_ticker(length(which))
  for (at in split(seq_along(which), (seq_along(which) - 1) %/% size)) {
    of_some(which[at], at[1] - 1L)
    tick(length(at))
  }
}

# log(exp(x) + exp(y))
log_add <- function(x, y) {
  larger <- pmax(x, y)
  larger[larger == -Inf] <- 0
  larger + log(exp(x - larger) + exp(y - larger))
}

# Number of draws of a fit that are read at a time: fewer for larger data
draws_in_block <- function(fit) max(1, min(100, 1e7 %/% prod(dim(model_data(fit)))))

# Number of draws for which new rows are sampled between two updates of the progress bar
new_rows_in_block <- function(fit, rows) {
  min(draws_in_block(fit), max(1, 1e5 %/% max(1, length(rows))))
}

# Positions in `of` of the columns of `z`, the same columns in another order
match_columns <- function(z, of) {
  key <- function(m) apply(unname(m), 2, rlang::hash)
  if (ncol(z) == 0) return(integer())
  keys <- make.unique(key(of))
  match(make.unique(key(z)), keys)
}

#' @rdname predict.buffet_fit
#' @importFrom stats fitted
#' @export
fitted.buffet_fit <- function(object, ...) {
  check_no_more(...)
  out <- from_model_units(object, mean_response(object, seq_along(object$feature_draws)))
  dimnames(out) <- data_names(object)
  out
}

# Names of the rows and columns of the data, NULL where neither have any: sparse matrices have a
# list even so
data_names <- function(fit) {
  names <- dimnames(model_data(fit))
  if (any(lengths(names) > 0)) names
}

# Mean over some draws of Z A in the units of the model, or of a probability; N x D
mean_response <- function(fit, which) UseMethod("mean_response")

#' @rdname predict.buffet_fit
#' @importFrom stats residuals
#' @export
residuals.buffet_fit <- function(object, ...) {
  check_no_more(...)
  as.matrix(in_memory(object, "residuals()")) - fitted(object)
}
