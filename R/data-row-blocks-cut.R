# Matrices that are outside memory, cut into blocks of rows: what row_blocks() reads of a source is
# read_rows(), which opens the source again where it has come from another process.

#' @param source What read_rows() has a method for; no more than a handle, or a path.
#' @param size Rows and columns of the source.
#' @noRd
cut_rows <- function(source, size, rows) {
  if (any(size == 0)) {
    was <- describe_size(matrix(0, size[1], size[2]))
    stop_argument("read", "have at least one row and one column", was = was)
  }
  rows <- check_block_rows(rows, size[2])
  new_row_blocks(row_reader(source, size[1], rows), ceiling(size[1] / rows), "block %d of read")
}

#' Has an environment of its own, since a process that it is sent to gets all of that
#' @noRd
row_reader <- function(source, n, rows) {
  force(source)
  function(i) read_rows(source, seq((i - 1) * rows + 1, min(i * rows, n)))
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
