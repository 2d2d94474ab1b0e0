#' Posterior mean predictions
#'
#' `predict()` returns posterior means of the data, for the rows of the data or for new rows, or the
#' features of these rows. `fitted()` is `predict()` for the rows of the data, and `residuals()` are
#' the data minus `fitted()`.
#'
#' @param object A fit by [fit_gaussian()], [fit_logistic()], [fit_factor()] or [fit_nmf()].
#' @param newdata (matrix or data frame with the columns of the data, for [fit_nmf()] also a sparse
#'   matrix, or `NULL`) New rows; a vector is one row. `NULL`, the default: the rows of the data.
#'   Columns are matched by name if both have unique names, and extra columns are ignored; otherwise
#'   by position. Missing entries are predicted from the observed entries of their row.
#' @param type (string) `"response"` (default): the posterior mean of the signal `z A`, in the units
#'   of the data, or the probability of a 1. `"features"`: the point estimate [features()]; for new
#'   rows the probability of each of these features, given the draw that `features()` shows.
#'   `"weights"` ([fit_nmf()]): the weights `w` of each row in the reconstruction `w A`, in the
#'   columns of [weights_of()].
#' @param ndraws (positive integer, `Inf` or `NULL`) For `newdata`: average over this many evenly
#'   spaced draws; `NULL`, the default, and `Inf` average over all. For intervals: the number of
#'   draws whose quantiles are the ends of the intervals, 1000 by default. See [ndraws].
#' @param interval (string) `"none"` (default). `"credible"`: also the ends of the central posterior
#'   interval of the mean of each entry. `"predictive"`: of the entry itself; see
#'   [Intervals][predictive_interval.buffet_fit].
#' @param level (number in (0, 1)) Probability of these intervals, 0.9 by default.
#' @param ... Must be empty.
#' @return A numeric matrix with a row per row of `newdata` (or of the data) and a column per column
#'   of the data or, for `"features"`, per feature, with their names. `residuals()` has `NA` for
#'   missing entries. With `interval` the result is a data frame with a row per entry: `row` and
#'   `column` (names or numbers), `.fitted` (what `predict()` returns without `interval`), `.lower`
#'   and `.upper`.
#'
#' Fits with [prior_pibp()], [prior_attraction()] or [prior_fixed()] refuse new rows, which have no
#' place on the tree, no distances to other rows or no known features. Fits to [row_blocks()] have
#' no `residuals()`.
#' @details
#' Means are taken over all saved draws. For the rows of the data they are exact given the features
#' and the other parameters of each draw; normal loadings of [fit_gaussian()] are integrated out if
#' `noise = "common"` and the data are in memory.
#'
#' For new rows of a fit by sampling the features are sampled given each draw: the start is drawn
#' jointly for up to eight features, or annealed if there are more or if [fit_factor()] has weights
#' that are not normal, and the last ten of 20 Gibbs sweeps are averaged (for `"features"` the last
#' 500 of 1000). Features that only the new row has are included. The draws are not reweighted by
#' the new row, but normal loadings that are integrated out are conditioned on the observed entries
#' of the new row as well as on the data. With sparse loadings, the default of [fit_factor()], rows
#' have factors, which are normal given the observed entries (sampled with `families`), and `type =
#' "features"` is an error for new rows.
#'
#' With a fit by optimisation a new row gets the features with the greatest bound found by the
#' search `"climb"` of [method_meibp()], or the most probable ones with [method_beam()]; with
#' [method_variational()] and [method_power_ep()] it gets probabilities of features. The response is
#' the sum of their mean loadings.
#'
#' With [method_icm()] the weights of a new row of [fit_nmf()] are their mode given the loadings and
#' the noise of the fit, or their prior mean if the row has no observed entry. With [method_gibbs()]
#' they are sampled given each draw, starting at their mode. Every weight is first visited 12 times;
#' then every fourth of 20 further visits enters the mean. `"weights"` are means of 250 such values
#' given the draw that [weights_of()] shows. `type = "weights"` and fits by [method_icm()], which
#' have one estimate and no intervals, do not use `ndraws`.
#' @seealso [seeds] for why a row gets the same result on every call.
#' @examples
#' set.seed(1)
#' x <- sim_images(60)
#' fit <- fit_gaussian(x[1:50, ], method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' # half of the entries of ten new images are missing and are predicted from the others
#' new <- x[51:60, ]
#' missing <- matrix(runif(length(new)) < 0.5, nrow(new))
#' new[missing] <- NA
#' # the error lies between the error of the column means and the noise level, 0.5
#' sqrt(mean((predict(fit, new) - x[51:60, ])[missing]^2))
#' sqrt(mean((rep(colMeans(x[1:50, ]), each = 10) - x[51:60, ])[missing]^2))
#' # intervals for the missing entries
#' head(predict(fit, new[1:2, ], interval = "predictive"))
#' # how probable the features are in the first three of these images
#' round(predict(fit, new[1:3, ], type = "features"), 2)
#' @aliases predict.fit_gaussian predict.fit_logistic
#' @export
predict.buffet_fit <- function(object, newdata = NULL, type = c("response", "features"),
                               ndraws = NULL, interval = c("none", "credible", "predictive"),
                               level = 0.9, ...) {
  check_no_more(...)
  type <- check_choice(type, c("response", "features"), "type")
  predict_matrix(object, newdata, type, ndraws, interval, level)
}

# ...: Further arguments, which are passed to expect_rows().
predict_matrix <- function(fit, newdata, type, ndraws, interval, level, ...) {
  interval <- check_interval(interval, fit, type)
  level <- check_number(level, "level", 0, 1, "()")
  which <- check_mean_ndraws(ndraws, fit, newdata, interval)
  if (interval != "none") return(predict_interval(fit, newdata, ndraws, interval, level))
  if (type != "response") return(predict_features(fit, newdata))
  if (is.null(newdata)) return(fitted(fit))
  expect_rows(fit, new_row_data(fit, newdata), which, ...)
}

predict_features <- function(fit, newdata) {
  if (is.null(newdata)) return(if (inherits(fit, "fit_nmf")) weights_of(fit) else fit$features)
  features_of_new(fit, new_row_data(fit, newdata))
}

# rows: The result of new_row_data(), or NULL.
expect_rows <- function(fit, rows, which, ...) {
  if (inherits(fit, "fit_mixed")) return(expect_columns(fit, rows, which, ...))
  out <- most_probable(fit, expect_predictors(fit, rows, which, ...))
  dimnames(out) <- list(rownames(rows), colnames(model_data(fit)))
  out
}

# Expected values of rows, or of the rows of the data if `rows` is NULL. For unordered categories of
# fit_factor() they are probabilities.
expect_predictors <- function(fit, rows, which, ...) {
  if (is.null(rows)) return(from_model_units(fit, mean_response(fit, which)))
  from_model_units(fit, new_response(fit, rows, which, ...))
}

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

# Features of new rows, rows x K, with the same coding as the point estimate
new_features <- function(fit, rows) {
  if (inherits(fit, "fit_factor") && of_columns(fit$internal$model)) {
    stop_argument("type", "be \"response\" for new rows if loadings are sparse", "features")
  }
  if (inherits(fit, "fit_point")) {
    return(point_rows(fit$method, fit, in_model_units(fit, rows))$features)
  }
  z <- drawn_features(fit)
  out <- t(new_rows(fit, rows, fit$internal$point, row_plan(fit, 1000))$features)
  if (traits_of(fit)$complements) {
    flipped <- complements_cpp(z, z[, 0, drop = FALSE])
    z[, flipped] <- 1L - z[, flipped]
    out[, flipped] <- 1 - out[, flipped]
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

# Returns list(response, features) for new rows, with one column per row, averaged over draws. If
# `plan$drawn`, the list also has a drawn mean and drawn data.
new_rows <- function(fit, rows, which, plan, ...) UseMethod("new_rows")

# The prior of one additional row, with one row per draw of its hyperparameters
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

mean_over <- function(which, of_draw) {
  mean_over_blocks(which, 1, function(draw, first) of_draw(draw))
}

# Mean over all draws of a function that returns means over blocks of draws
# size: Number of draws per block; all draws of a block must fit into memory.
# of_some: Function of the draws in a block and of the number of draws before them.
mean_over_blocks <- function(which, size, of_some) {
  sum <- 0
  over_blocks(which, size, function(some, first) {
    sum <<- sum + length(some) * of_some(some, first)
  })
  sum / length(which)
}

# The log of a mean over all draws, from a function that returns the logs of means over blocks
log_mean_over_blocks <- function(which, size, of_some) {
  log_sum <- -Inf
  over_blocks(which, size, function(some, first) {
    log_sum <<- log_add(log_sum, log(length(some)) + of_some(some))
  })
  log_sum - log(length(which))
}

# The log of the mean of exp(of_draw(draw)) over draws
log_mean_over <- function(which, of_draw) {
  Reduce(function(sum, draw) log_add(sum, of_draw(draw)), which, -Inf) - log(length(which))
}

over_blocks <- function(which, size, of_some) {
  tick <- draws_ticker(length(which))
  for (at in split(seq_along(which), (seq_along(which) - 1) %/% size)) {
    of_some(which[at], at[1] - 1L)
    tick(length(at))
  }
}

# Logarithm of the sum of exp(x) and exp(y)
log_add <- function(x, y) {
  larger <- pmax(x, y)
  larger[larger == -Inf] <- 0
  larger + log(exp(x - larger) + exp(y - larger))
}

# Number of draws of a fit that are read at a time, which is smaller for larger data
draws_in_block <- function(fit) max(1, min(100, 1e7 %/% prod(dim(model_data(fit)))))

# Number of draws for which new rows are sampled between updates of the progress bar
new_rows_in_block <- function(fit, rows) {
  min(draws_in_block(fit), max(1, 1e5 %/% max(1, length(rows))))
}

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
  check_format(object)
  all <- seq_along(object$feature_draws)
  out <- most_probable(object, expect_predictors(object, NULL, all))
  dimnames(out) <- data_names(object)
  out
}

# Dimnames of the data, or NULL if there are no names (sparse matrices always have a list)
data_names <- function(fit) {
  names <- dimnames(model_data(fit))
  if (any(lengths(names) > 0)) names
}

# Mean over some draws of Z A in the units of the model, or of a probability, as an N x D matrix
mean_response <- function(fit, which) UseMethod("mean_response")

#' @rdname predict.buffet_fit
#' @importFrom stats residuals
#' @export
residuals.buffet_fit <- function(object, ...) {
  check_no_more(...)
  as.matrix(in_memory(object, "residuals()")) - fitted(object)
}

# New rows that are drawn given each draw of a fit: their features, means and noise. predict()
# averages over states, but these functions need single states.
# rows: The result of new_row_data().
# apart: See row_plan().
# Returns a function of a draw that gives list(mean, data) as required by posterior_epred() and
# posterior_predict(). How many numbers it takes from R's generator does not depend on the rows.
new_row_drawer <- function(fit, rows, apart) UseMethod("new_row_drawer")

# Checks new rows and converts them to the same form as the data
new_row_data <- function(fit, newdata) {
  if (inherits(fit, "fit_topics")) return(match_words(newdata, fit))
  if (!inherits(fit, c("fit_nmf", "fit_cascade"))) {
    check_new_rows(fit$internal$model$prior, newdata)
  }
  rows <- check_newdata(newdata, fit)
  if (inherits(fit, "fit_cascade")) within_range(rows, fit$internal$model$range) else rows
}

# sweeps: Number of Gibbs sweeps given each draw. The last half of the sweeps is averaged.
# drawn: True to draw rows as well as means.
# apart: True if equal rows are drawn independently. Otherwise the random numbers of a row depend
# only on its entries and the seed.
# first: Number of draws before these. Every draw has its own random numbers.
row_plan <- function(fit, sweeps = 20, seed = fit$seed, drawn = FALSE, apart = FALSE,
                     first = 0L) {
  list(
    sweeps = sweeps, seed = seed, drawn = drawn, apart = apart, first = first,
    threads = check_count(getOption("mc.cores", 1L), "mc.cores")
  )
}

#' @exportS3Method
# For models in which the core draws new rows
new_row_drawer.buffet_fit <- function(fit, rows, apart) {
  function(draw) {
    plan <- row_plan(fit, seed = draw_seed(), drawn = TRUE, apart = apart)
    drawn <- new_rows(fit, rows, draw, plan)[c("mean", "data")]
    lapply(drawn, function(values) from_model_units(fit, t(values)))
  }
}

# The number and the names of the columns of drawn means or drawn data
drawn_columns <- function(fit, what) {
  if (what == "mean") return(list(n = predictor_count(fit), names = names_of_predictors(fit)))
  list(n = ncol(model_data(fit)), names = colnames(model_data(fit)))
}

# Draws a seed for the core
draw_seed <- function() sample.int(.Machine$integer.max, 1)
