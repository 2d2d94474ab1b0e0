# Matrices that are outside memory, cut into blocks of rows: what row_blocks() reads of a source is
# read_rows(), which opens the source again where it has come from another process.

#' @param source What read_rows() has a method for; no more than a handle, or a path.
#' @param size Rows and columns of the source.
#' @noRd
cut_rows <- function(source, size, rows) {
  if (any(size == 0)) {
    was <- describe_size(array(0, size))
    stop_argument("read", "have at least one row and one column", was = was)
  }
  rows <- check_block_rows(rows, size[2])
  cut <- structure(list(source = source, n = size[1], rows = rows), class = "cut_source")
  new_row_blocks(cut, ceiling(size[1] / rows), "block %d of read")
}

#' @exportS3Method
#' @noRd
block_from.cut_source <- function(source, i) {
  first <- (i - 1) * source$rows + 1
  read_rows(source$source, seq(first, min(first + source$rows - 1, source$n)))
}

#' Some of the rows of a source as check_data_matrix() takes them
#' @noRd
read_rows <- function(source, rows) UseMethod("read_rows")

#' 16 MB are 2^21 doubles
#' @noRd
check_block_rows <- function(rows, columns) {
  if (is.null(rows)) return(max(1000, 2^21 %/% columns))
  check_count(rows, "rows")
}

#' @param package What `what` is read by.
#' @noRd
check_package <- function(package, what) {
  if (!requireNamespace(package, quietly = TRUE)) {
    stop(sprintf("%s needs the package %s, which is not installed.", what, package), call. = FALSE)
  }
}

#' Files may have been moved since row_blocks() was called
#' @noRd
check_still_there <- function(path) {
  if (file.exists(path)) return(invisible())
  stop_argument("read", paste("still have its file", path), was = "without it")
}

refuse_changed <- function(file) {
  must <- paste("still have the rows and columns that it had in", file)
  stop_argument("read", must, was = "a file that has changed")
}
