#' Posterior mean predictions
#'
#' @param object A fit by [fit_gaussian()].
#' @param newdata `NULL` for the rows of the data, or new rows with the same columns (as `x` of
#'   [fit_gaussian()]); matched by name where both have names, else by position. `NA` entries are
#'   completed from the observed ones of their row.
#' @param type (string) `"response"`: the mean of the row's own `z A` given the row and the data, on
#'   the data's scale. `"features"`: [features()]; for `newdata` the posterior probability of each
#'   of
#'   these features, given the draw that `features()` shows.
#' @param ndraws (positive integer or `NULL`) Average over this many evenly spaced draws; `NULL`:
#'   over all. Not used for features.
#' @param ... Ignored.
#' @return A matrix with a row per row and a column per column of the data (`"response"`) or per
#'   feature (`"features"`).
#' @details For the rows of the data the mean is exact given the draws of Z. For new rows the
#'   features are sampled given each draw: five climbing passes and 20 Gibbs sweeps, the last ten
#'   averaged (1000 sweeps for `"features"`), features that only the new row has included; the
#'   draws themselves are those given the data, not reweighted by the new row. The
#'   result is the same at every call: its random numbers come from the fit's seed.
#' @examples
#' x <- block_images(60)
#' fit <- fit_gaussian(x[1:50, ], method = method_gibbs(chains = 1, iter = 300), seed = 1)
#' half <- x[51:60, ]
#' half[, 19:36] <- NA
#' completed <- predict(fit, half)
#' sqrt(mean((completed - x[51:60, ])[, 19:36]^2))
#' @export
predict.fit_gaussian <- function(object, newdata = NULL, type = c("response", "features"),
                                 ndraws = NULL, ...) {
  check_no_more(...)
  type <- check_choice(type, c("response", "features"), "type")
  which <- check_ndraws(ndraws, object)
  if (is.null(newdata)) {
    return(if (type == "features") features(object) else fitted(object, ndraws = ndraws))
  }
  rows <- check_newdata(newdata, object$data$x)
  if (type == "features") {
    new <- new_rows(object, rows, object$point, sweeps = 1000)
    shown <- match_columns(features(object), draw_features_cpp(unclass(object$draws), object$point))
    out <- t(new$features)[, shown, drop = FALSE]
    dimnames(out) <- list(rownames(rows), colnames(features(object)))
    return(out)
  }
  out <- t(new_rows(object, rows, which, sweeps = 20)$response) +
    rep(object$data$means, each = nrow(rows))
  dimnames(out) <- list(rownames(rows), colnames(object$data$x))
  out
}

new_rows <- function(fit, rows, which, sweeps) {
  known <- c(fit_draws(fit, which), list(
    prior = prior_spec(fit$prior, nobs(fit) + 1),
    hyper = rbind(scalar(fit, "alpha")[which], scalar(fit, "concentration")[which])
  ))
  gaussian_new_rows_cpp(known, t(rows) - fit$data$means, sweeps, fit$seed)
}

#' Draws of a fit for what the core computes from them
#' @noRd
fit_draws <- function(fit, which, x = centred(fit$data)) {
  list(
    x = x, draws = unclass(select_draws(fit$draws, which)),
    sigma = rbind(scalar(fit, "sigma_x")[which], scalar(fit, "sigma_a")[which]),
    nonnegative = fit$loadings == "nonnegative", loadings = as.double(select_loadings(fit, which))
  )
}

select_loadings <- function(fit, which) {
  if (length(fit$draws_loadings) == 0) return(double())
  counts <- unclass(fit$draws)$sizes * ncol(fit$data$x)
  ends <- cumsum(as.double(counts))
  unlist(lapply(which, function(d) {
    fit$draws_loadings[ends[d] - counts[d] + seq_len(counts[d])]
  }))
}

#' Positions in `of` of the columns of `z`, the same columns in another order
#' @noRd
match_columns <- function(z, of) {
  key <- function(m) apply(m, 2, paste, collapse = "")
  if (ncol(z) == 0) return(integer())
  keys <- make.unique(key(of))
  match(make.unique(key(z)), keys)
}

check_newdata <- function(newdata, x) {
  if (is.null(dim(newdata)) && is.numeric(newdata) && length(newdata) == ncol(x)) {
    newdata <- matrix(newdata, 1)
  }
  rows <- check_data_matrix(newdata, "newdata")
  if (ncol(rows) != ncol(x)) {
    stop_argument("newdata", sprintf("have %d columns, as the data", ncol(x)), newdata)
  }
  if (!is.null(colnames(rows)) && !is.null(colnames(x))) {
    lost <- setdiff(colnames(x), colnames(rows))
    if (length(lost) > 0) {
      must <- sprintf("have the columns of the data (\"%s\" is missing)", lost[1])
      stop_argument("newdata", must, newdata)
    }
    return(rows[, colnames(x), drop = FALSE])
  }
  rows
}

#' Which draws to use
#' @noRd
check_ndraws <- function(ndraws, fit) {
  draws <- length(fit$draws)
  if (is.null(ndraws)) return(seq_len(draws))
  ndraws <- check_count(ndraws, "ndraws")
  if (ndraws > draws) stop_argument("ndraws", sprintf("be at most %d", draws), ndraws)
  unique(round(seq(1, draws, length.out = ndraws)))
}

#' @rdname predict.fit_gaussian
#' @importFrom stats fitted
#' @export
fitted.fit_gaussian <- function(object, ndraws = NULL, ...) {
  check_no_more(...)
  which <- check_ndraws(ndraws, object)
  x <- centred(object$data)
  mean <- if (can_smooth(object)) {
    # With more columns than rows it is cheaper to average the N x N matrices that smooth the data.
    crossprod(gaussian_fitted_cpp(fit_draws(object, which, diag(nrow(x)))), as.matrix(x))
  } else {
    t(gaussian_fitted_cpp(fit_draws(object, which)))
  }
  out <- mean + rep(object$data$means, each = nrow(x))
  dimnames(out) <- dimnames(x)
  out
}

can_smooth <- function(fit) {
  x <- fit$data$x
  ncol(x) > nrow(x) && fit$loadings == "normal" && count_observed(x) == prod(dim(x))
}

#' @rdname predict.fit_gaussian
#' @importFrom stats residuals
#' @export
residuals.fit_gaussian <- function(object, ...) {
  check_no_more(...)
  as.matrix(object$data$x) - fitted(object)
}
