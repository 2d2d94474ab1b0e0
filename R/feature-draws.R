#' Kept draws of a feature matrix, compact
#'
#' Holds binary matrices with the same rows, eight entries to a byte.
#'
#' @param x An object of class `feature_draws`, from [feature_draws()].
#' @param i (whole number) Which draw, or draws for `[`; the draws of the first chain come first.
#' @param ... Ignored.
#' @return `x[[i]]` is draw `i`, an integer matrix with the row names of the data and columns `f1,
#'   f2, ...` by decreasing size, or known features ([prior_fixed()]) as they were given; `x[i]`
#'   some of the draws, `as.list(x)` all as matrices, `length(x)` their number.
#' @name feature_draws-class
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' z <- feature_draws(fit)
#' length(z)
#' head(z[[1]])
NULL

#' @param names Of features that are known and keep their order; otherwise NULL.
#' @noRd
new_feature_draws <- function(rows, sizes, bits, row_names, names = NULL) {
  structure(
    list(rows = rows, sizes = sizes, bits = bits, row_names = row_names, names = names),
    class = "feature_draws"
  )
}

#' @rdname feature_draws-class
#' @export
length.feature_draws <- function(x) length(unclass(x)$sizes)

#' @rdname feature_draws-class
#' @export
`[[.feature_draws` <- function(x, i) {
  i <- check_count(i, "i")
  if (i > length(x)) stop_argument("i", sprintf("be at most %d", length(x)), i)
  fields <- unclass(x)
  z <- draw_features_cpp(fields, i)
  if (is.null(fields$names)) return(label_features(z, fields$row_names))
  dimnames(z) <- list(fields$row_names, fields$names)
  z
}

#' @rdname feature_draws-class
#' @export
`[.feature_draws` <- function(x, i) {
  which <- seq_along(x)[i]
  if (anyNA(which)) stop_argument("i", sprintf("be among the %d draws", length(x)), i)
  select_draws(x, which)
}

#' @rdname feature_draws-class
#' @export
as.list.feature_draws <- function(x, ...) lapply(seq_len(length(x)), function(i) x[[i]])

#' @rdname feature_draws-class
#' @export
format.feature_draws <- function(x, ...) {
  fields <- unclass(x)
  sprintf(
    "%d draws of a binary matrix with %d rows and %s features (%s)", length(x), fields$rows,
    range_of(fields$sizes), format(structure(length(fields$bits), class = "object_size"), "auto")
  )
}

range_of <- function(sizes) paste(unique(range(sizes)), collapse = " to ")

#' @rdname feature_draws-class
#' @export
print.feature_draws <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' Only some of the draws
#' @noRd
select_draws <- function(draws, which) {
  fields <- unclass(draws)
  bytes <- 8 * ceiling(fields$rows / 64)
  ends <- cumsum(fields$sizes) * bytes
  starts <- ends - fields$sizes * bytes
  bits <- lapply(which, function(d) fields$bits[starts[d] + seq_len(ends[d] - starts[d])])
  fields$bits <- as.raw(unlist(bits))
  fields$sizes <- fields$sizes[which]
  structure(fields, class = "feature_draws")
}

#' Columns by decreasing size, equal ones in left order, named f1, f2, ...
#' @noRd
#' @srrstats {UL3.0} Features are f1, f2, ... by decreasing size.
label_features <- function(z, row_names) {
  z <- left_order(z)
  z <- z[, order(-colSums(z)), drop = FALSE]
  dimnames(z) <- list(row_names, paste0("f", seq_len(ncol(z)), recycle0 = TRUE))
  z
}
