# Objects that no function of the package returns: damaged fits, draws and saved runs, and S4
# objects that would not pass validity checks.

flip_bits <- function(bytes, n = 1) {
  at <- sample.int(length(bytes), n, replace = TRUE)
  replace(bytes, at, xor(bytes[at], as.raw(2^sample(0:7, n, replace = TRUE))))
}

#' A damaged vector: bits are flipped, or the vector is truncated, extended, emptied, converted to
#' another type, or filled with unusual numbers
damaged_vector <- function(v) {
  n <- length(v)
  if (n == 0) return(raw(1))
  odd <- c(NA, NaN, Inf, -1, 0, 1e9, 1e300, .Machine$integer.max)
  switch(sample.int(6, 1),
    if (is.raw(v)) flip_bits(v, sample.int(3, 1)) else replace(v, sample.int(n, 1), sample(odd, 1)),
    utils::head(v, sample.int(n, 1) - 1), c(v, v), v[0], rev(v),
    if (is.raw(v)) as.integer(v) else suppressWarnings(as.integer(v))
  )
}

#' Damages one field, at any depth
damaged_field <- function(x) {
  if (!is.list(x)) return(if (is.atomic(x) && !is.null(x)) restore(damaged_vector(x), x) else x)
  fields <- unclass(x)
  if (length(fields) == 0) return(x)
  at <- sample.int(length(fields), 1)
  fields[at] <- list(if (stats::runif(1) < 0.1) NULL else damaged_field(fields[[at]]))
  restore(fields, x)
}

#' Restores the attributes of a value if they still fit
restore <- function(value, like) {
  if (length(value) == length(like)) attributes(value) <- attributes(like)
  else if (is.list(like)) class(value) <- class(like)
  value
}

#' A fit or draws with one damaged field
damaged <- function(x, seed) {
  set.seed(seed)
  damaged_field(x)
}

#' A sparse matrix with one damaged slot
broken <- function(x, seed) {
  set.seed(seed)
  slots <- intersect(methods::slotNames(x), c("i", "j", "p", "x", "Dim"))
  name <- sample(slots, 1)
  value <- damaged_vector(methods::slot(x, name))
  attr(x, name) <- value
  x
}

broken_tree <- function(tree, seed) {
  set.seed(seed)
  damaged_field(tree)
}
