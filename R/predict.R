#' Posterior mean predictions
#'
#' @param object A fit by [fit_gaussian()].
#' @param newdata `NULL` for the rows of the data, or new rows with the same columns (as `x` of
#'   [fit_gaussian()]); matched by name where both have names, else by position. `NA` entries are
#'   completed from the observed ones of their row. Not with [prior_pibp()]: new rows have no place
#'   on its tree.
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
#'
#'   A fit by [method_meibp()] has one estimate of Z. The features of a new row are then 0 or 1:
#'   those of greatest bound that the search `"climb"` finds, from none and from all, with the
#'   features of the fit and no others. The response is their mean loadings, and nothing is random.
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
  if (inherits(object$prior, "prior_pibp")) {
    stop_argument("newdata", "be NULL: new rows have no place on the tree of the prior", newdata)
  }
  rows <- check_newdata(newdata, object$data$x)
  if (type == "features") {
    out <- new_features(object, rows)
    dimnames(out) <- list(rownames(rows), colnames(features(object)))
    return(out)
  }
  out <- new_response(object, rows, which) + rep(object$data$means, each = nrow(rows))
  dimnames(out) <- list(rownames(rows), colnames(object$data$x))
  out
}

#' Features of new rows, rows x K, and the mean of their response before the column means are added
#' @noRd
new_features <- function(fit, rows) UseMethod("new_features")
new_response <- function(fit, rows, which) UseMethod("new_response")

#' @exportS3Method
#' @noRd
new_features.fit_mcmc <- function(fit, rows) {
  shown <- match_columns(features(fit), draw_features_cpp(unclass(fit$draws), fit$point))
  t(new_rows(fit, rows, fit$point, sweeps = 1000)$features)[, shown, drop = FALSE]
}

#' @exportS3Method
#' @noRd
new_response.fit_mcmc <- function(fit, rows, which) {
  t(new_rows(fit, rows, which, sweeps = 20)$response)
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
  counts <- unclass(fit$draws)$sizes * fit$loading_width
  ends <- cumsum(as.double(counts))
  unlist(lapply(which, function(d) {
    fit$draws_loadings[ends[d] - counts[d] + seq_len(counts[d])]
  }))
}

#' Positions in `of` of the columns of `z`, the same columns in another order
#' @noRd
match_columns <- function(z, of) {
  key <- function(m) apply(unname(m), 2, rlang::hash)
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
  # A variational posterior can be drawn from as often as one likes.
  if (inherits(fit, "fit_point")) return(rep(1L, ndraws))
  if (ndraws > draws) stop_argument("ndraws", sprintf("be at most %d", draws), ndraws)
  unique(round(seq(1, draws, length.out = ndraws)))
}

#' @rdname predict.fit_gaussian
#' @importFrom stats fitted
#' @export
fitted.fit_gaussian <- function(object, ndraws = NULL, ...) {
  check_no_more(...)
  which <- check_ndraws(ndraws, object)
  out <- mean_response(object, which) + rep(object$data$means, each = nobs(object))
  dimnames(out) <- dimnames(object$data$x)
  out
}

#' Mean of Z A over some draws, N x D
#' @noRd
mean_response <- function(fit, which) UseMethod("mean_response")

#' @exportS3Method
#' @noRd
mean_response.fit_mcmc <- function(fit, which) {
  if (!can_smooth(fit)) return(t(gaussian_fitted_cpp(fit_draws(fit, which))))
  # With more columns than rows it is cheaper to average the N x N matrices that smooth the data.
  x <- as.matrix(centred(fit$data))
  crossprod(gaussian_fitted_cpp(fit_draws(fit, which, diag(nrow(x)))), x)
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
  as.matrix(in_memory(object, "residuals()")) - fitted(object)
}
