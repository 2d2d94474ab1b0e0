#' Kept draws of the feature matrix
#'
#' Objects of class `feature_draws` contain all kept draws of the feature matrix Z, one bit per
#' entry.
#'
#' @param x An object of class `feature_draws`, as [feature_draws()] returns it.
#' @param i For `x[[i]]` one whole number from 1 to `length(x)`. For `x[i]` any index of a vector of
#'   that length. The draws of the first chain come first. A draw that does not exist is an error.
#' @param ... Ignored.
#' @return
#' * `x[[i]]` is draw `i`: an integer matrix of zeros and ones with the row names of the data. Its
#'   columns are `f1`, `f2`, ... by decreasing number of ones. Known features ([prior_fixed()]) keep
#'   their order and names.
#' * `x[i]` is an object of class `feature_draws` with some of the draws.
#' * `as.list(x)` is a list with all draws as matrices, and `length(x)` is their number.
#' * `format(x)` and `print(x)` describe the draws in one line.
#'
#' Columns of different draws with the same name need not be the same feature. Draws are unchanged,
#' so a feature can appear as its complement in another draw; see Complements in [features()].
#' @name feature_draws-class
#' @examples
#' fit <- fit_gaussian(block_images(30), method = method_gibbs(chains = 1, iter = 200), seed = 1)
#' z <- feature_draws(fit)
#' z
#' head(z[[1]])
#' # the posterior distribution of the number of features
#' table(sapply(as.list(z), ncol))
NULL

# names: Names of known features, which keep their order; otherwise NULL.
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
  which <- tryCatch(seq_along(x)[i], error = function(e) NA)
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
  features <- if (length(x) > 0) paste(" and", range_of(fields$sizes, "feature"))
  sprintf(
    "%s of a binary matrix with %s%s (%s)", counted(length(x), "draw"),
    counted(fields$rows, "row"), features %||% "",
    format(structure(length(fields$bits), class = "object_size"), "auto")
  )
}

range_of <- function(sizes, what) {
  ends <- range(sizes)
  if (ends[1] == ends[2]) counted(ends[1], what) else paste(ends[1], "to", counted(ends[2], what))
}

#' @rdname feature_draws-class
#' @export
print.feature_draws <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

select_draws <- function(draws, which) {
  fields <- unclass(draws)
  sizes <- bytes_of_columns(fields$sizes, fields$rows)
  if (!isTRUE(sum(sizes) == length(fields$bits))) {
    abort("the kept draws are damaged in their bits.")
  }
  ends <- cumsum(sizes)
  starts <- ends - sizes
  bits <- lapply(which, function(d) fields$bits[starts[d] + seq_len(ends[d] - starts[d])])
  fields$bits <- as.raw(unlist(bits))
  fields$sizes <- fields$sizes[which]
  structure(fields, class = "feature_draws")
}

# Columns by decreasing size, equal ones in left order, named f1, f2, ...
label_features <- function(z, row_names) {
  z <- left_order(z)
  z <- z[, order(-colSums(z)), drop = FALSE]
  dimnames(z) <- list(row_names, paste0("f", seq_len(ncol(z)), recycle0 = TRUE))
  z
}
