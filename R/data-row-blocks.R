#' Data that are read block by block
#'
#' Data too large for memory, for [fit_gaussian()] with [method_meibp()]: a function that reads one
#' block of rows at a time, from a file or from a file-backed matrix, such as those of bigmemory,
#' filematrix, ff, HDF5Array or arrow. Every iteration of the fit reads every block once.
#'
#' @param read (function) `read(i)` gives block `i`: a numeric matrix, data frame or sparse
#'   `Matrix` with the same columns for every `i`, and always the same for one `i`. `NA` is a missing
#'   entry.
#' @param blocks (positive integer) Number of blocks.
#' @return An object of class `row_blocks` with `dim()` and `dimnames()`. All blocks are read once to
#'   check them.
#' @examples
#' file <- tempfile()
#' x <- block_images(1000)
#' saveRDS(x[1:500, ], paste0(file, 1))
#' saveRDS(x[501:1000, ], paste0(file, 2))
#' blocks <- row_blocks(function(i) readRDS(paste0(file, i)), 2)
#' blocks
#' fit <- fit_gaussian(blocks, "nonnegative", method = method_meibp(), seed = 1)
#' fit
#' @export
row_blocks <- function(read, blocks) {
  if (!is.function(read)) stop_argument("read", "be a function of one number", read)
  blocks <- check_count(blocks, "blocks")
  first <- check_data_matrix(read(1L), "read(1)", sparse = TRUE)
  summaries <- lapply(seq_len(blocks), function(i) summarise_block(read, i, first))
  sum_of <- function(name) sum(vapply(summaries, `[[`, 0, name))
  row_names <- unlist(lapply(summaries, `[[`, "row_names"))
  sizes <- vapply(summaries, `[[`, 1L, "rows")
  if (length(row_names) != sum(sizes)) row_names <- NULL
  again <- anyDuplicated(row_names)
  if (again) {
    was <- sprintf("%s more than once", describe_scalar(row_names[again]))
    stop_argument("read", "give unique row names", was = was)
  }
  structure(
    list(
      read = read, sizes = sizes, columns = ncol(first), row_names = row_names,
      column_names = colnames(first), observed = sum_of("observed"), squares = sum_of("squares"),
      hashes = vapply(summaries, `[[`, "", "hash")
    ),
    class = "row_blocks"
  )
}

summarise_block <- function(read, i, first) {
  x <- read_block(read, i, ncol(first))
  names <- list(colnames(x), colnames(first))
  if (all(lengths(names) > 0) && !identical(names[[1]], names[[2]])) {
    stop_argument(sprintf("read(%d)", i), "have the column names of read(1)", was = "others")
  }
  list(
    rows = nrow(x), row_names = rownames(x), observed = count_observed(x),
    squares = sum((if (isS4(x)) x@x else x)^2, na.rm = TRUE), hash = rlang::hash(x)
  )
}

read_block <- function(read, i, columns) {
  name <- sprintf("read(%d)", i)
  x <- check_data_matrix(read(i), name, sparse = TRUE)
  if (ncol(x) != columns) {
    stop_argument(name, sprintf("have %d columns, as read(1)", columns), was = describe_size(x))
  }
  x
}

#' @export
dim.row_blocks <- function(x) c(sum(x$sizes), x$columns)

#' @export
dimnames.row_blocks <- function(x) {
  names <- list(x$row_names, x$column_names)
  if (any(lengths(names))) names
}

#' @export
format.row_blocks <- function(x, ...) {
  sprintf(
    "Data of %s in %d block%s", describe_size(x), length(x$sizes),
    if (length(x$sizes) == 1) "" else "s"
  )
}

#' @export
print.row_blocks <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

is_in_blocks <- function(x) inherits(x, "row_blocks")

#' Data as the core takes them: a matrix, or blocks of rows, their means subtracted. Of the blocks a
#' worker takes its `own`
#' @noRd
core_data <- function(data) {
  x <- data$x
  if (!is_in_blocks(x)) return(centred(data))
  own <- x$own %||% seq_along(x$sizes)
  read <- function(b) {
    i <- own[b]
    block <- read_block(x$read, i, x$columns)
    # With other data than before the bound means nothing, and may never settle.
    if (rlang::hash(block) != x$hashes[i]) {
      stop_argument(sprintf("read(%d)", i), "give the same at every call", was = "something else")
    }
    block
  }
  list(read = read, sizes = x$sizes[own], columns = x$columns)
}

#' What identifies the data of a run
#' @noRd
data_key <- function(x) if (is_in_blocks(x)) x$hashes else x

#' Data in memory for what needs them
#' @noRd
in_memory <- function(fit, what) {
  if (is_in_blocks(fit$model$data$x)) {
    stop(what, " needs data in memory: the fit is of row_blocks().", call. = FALSE)
  }
  fit$model$data$x
}
