#' A fit as data frames
#'
#' @param x A fit.
#' @param data Ignored; the fit knows its data.
#' @param newdata `NULL` for the rows of the data, or new rows, as [predict()][predict.buffet_fit]
#'   takes them.
#' @param matrix (string) `"scalars"`: one row a scalar. `"features"`: one row an entry of
#'   [features()] that is 1. `"loadings"`: one row an entry of [loadings_of()], of
#'   sparse loadings with the `probability` that it is not 0.
#' @param conf.level (number in (0, 1)) Probability of the central posterior intervals.
#' @param ... Must be empty.
#' @return Tibbles.
#'   * `tidy()`: `term`, `estimate` (posterior mean), `std.error` (posterior sd; not of fits by
#'     optimisation), `conf.low`, `conf.high` (of their variational posteriors); or `row`,
#'     `feature`; or `feature`, `column`, `value`.
#'   * `glance()`: one row with the numbers of observations, columns and features, those of
#'     [features()], whose number is the most probable one, posterior means, and the worst
#'     diagnostics, or the `bound`, its `iterations` and whether they have `finished`. Observations of [fit_choice()] are judged pairs, columns are items.
#'   * `augment()`: the data with the features of each row (`.f1`, `.f2`, ...; of [fit_factor()] its
#'     factors, [weights_of()]) and the root mean
#'     square of its residuals (`.resid`; `NaN` where all entries are missing). Columns whose names
#'     are missing or not unique are renamed, with a message; so are `.f1` or `.resid` where the data
#'     have columns of that name. Factors and logical columns of [fit_logistic()] are given back as
#'     such. Of [fit_mixed()] the data as they were given, and no `.resid`.
#'     Of [fit_choice()] a row a judged pair: `item1`, `item2`, `wins` of item1, `n` judgements,
#'     `.fitted` probability that item1 is chosen, `.resid`, observed share minus that.
#'
#'     With `newdata` these rows as they were given, what [predict()][predict.buffet_fit] expects of
#'     each column (`.fitted_` and its name or number), and of each row the probabilities of its
#'     features (`.f1`, ...), or its weights (`.c1`, ... of [fit_nmf()]); of sparse loadings and
#'     cascades none. Of [fit_choice()] the pairs and `.fitted`.
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 2, iter = 200), seed = 1)
#' tidy(fit)
#' glance(fit)
#' augment(fit, newdata = block_images(2))
#' @export
# nolint start: object_name_linter. broom's names.
tidy.buffet_fit <- function(x, matrix = c("scalars", "features", "loadings"), conf.level = 0.9,
                            ...) {
  check_no_more(...)
  matrix <- check_choice(matrix, c("scalars", "features", "loadings"), "matrix")
  conf.level <- check_number(conf.level, "conf.level", 0, 1, "()")
  switch(matrix,
    scalars = tidy_scalars(x, conf.level),
    features = tidy_features(features(x)),
    loadings = tidy_loadings(loadings_of(x))
  )
}
# nolint end

#' Estimates of a fit's scalars and their central intervals
#' @noRd
tidy_scalars <- function(fit, conf_level) UseMethod("tidy_scalars")

#' @exportS3Method
#' @noRd
tidy_scalars.fit_mcmc <- function(fit, conf_level) {
  draws <- posterior::as_draws_matrix(fit)
  tail <- (1 - conf_level) / 2
  of_each <- function(statistic, ...) unname(apply(draws, 2, statistic, ...))
  tibble::tibble(
    term = colnames(draws), estimate = of_each(mean), std.error = of_each(stats::sd),
    conf.low = of_each(stats::quantile, tail), conf.high = of_each(stats::quantile, 1 - tail)
  )
}

tidy_features <- function(z) {
  on <- which(z == 1, arr.ind = TRUE, useNames = FALSE)
  tibble::tibble(
    row = (rownames(z) %||% seq_len(nrow(z)))[on[, 1]],
    feature = as.character(colnames(z)[on[, 2]])
  )
}

tidy_loadings <- function(a) {
  tibble::tibble(
    feature = as.character(rep(rownames(a), ncol(a))),
    column = rep(colnames(a) %||% seq_len(ncol(a)), each = nrow(a)), value = as.vector(a),
    probability = if (!is.null(attr(a, "probability"))) as.vector(attr(a, "probability"))
  )
}

#' @rdname tidy.buffet_fit
#' @export
glance.buffet_fit <- function(x, ...) {
  check_no_more(...)
  means <- rlang::set_names(glance_scalars(x))
  tibble::tibble(
    nobs = nobs(x), n_columns = ncol(x$model$data$x), !!!glance_size(x),
    !!!lapply(means, function(name) mean(scalar(x, name))), !!!glance_run(x)
  )
}

#' How large the model is
#' @noRd
glance_size <- function(fit) UseMethod("glance_size")

#' @exportS3Method
#' @noRd
glance_size.buffet_fit <- function(fit) list(n_features = point_size(fit))

#' Scalars whose means glance() gives
#' @noRd
glance_scalars <- function(fit) UseMethod("glance_scalars")

#' @exportS3Method
#' @noRd
glance_scalars.buffet_fit <- function(fit) {
  setdiff(scalar_names(fit), c("n_features", "n_ones", "concentration"))
}

#' How the run ended
#' @noRd
glance_run <- function(fit) UseMethod("glance_run")

#' @exportS3Method
#' @noRd
glance_run.fit_mcmc <- function(fit) {
  draws <- as_draws(fit)
  list(
    chains = posterior::nchains(draws), draws = posterior::ndraws(draws),
    rhat_max = worst(scalar_rhats(fit), max),
    ess_bulk_min = worst(summary_table(draws, "ess_bulk")$ess_bulk, min)
  )
}

#' The worst diagnostic of the scalars that vary
#' @noRd
worst <- function(values, which) if (all(is.na(values))) NA_real_ else which(values, na.rm = TRUE)

#' @rdname tidy.buffet_fit
#' @export
augment.buffet_fit <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_more(...)
  if (!is.null(newdata)) return(augment_new(x, newdata))
  frame <- beside_features(x, data_given(x))
  frame <- cbind(frame, .resid = sqrt(rowMeans(residuals(x)^2, na.rm = TRUE)))
  # Columns without a name of their own get one, and a message says so.
  tibble::as_tibble(frame, .name_repair = "unique")
}

#' The data as a data frame, as they were given
#' @noRd
data_given <- function(fit) UseMethod("data_given")

#' @exportS3Method
#' @noRd
data_given.buffet_fit <- function(fit) as.data.frame(as.matrix(in_memory(fit, "augment()")))

#' A data frame between the names of its rows and what is learned of each
#' @noRd
beside_features <- function(fit, frame) {
  held <- row_columns(fit)
  colnames(held) <- paste0(".", colnames(held), recycle0 = TRUE)
  names <- rownames(fit$model$data$x)
  if (!is.null(names)) frame <- cbind(.rownames = names, frame)
  cbind(frame, held)
}

#' What augment() says of each row beside its residuals, as a matrix with named columns
#' @noRd
row_columns <- function(fit) UseMethod("row_columns")

#' @exportS3Method
#' @noRd
row_columns.buffet_fit <- function(fit) features(fit)
