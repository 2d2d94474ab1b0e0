# row_blocks() of matrices of the packages bigmemory and ff.

#' @rdname row_blocks
#' @order 7
#' @export
row_blocks.big.matrix <- function(read, rows = NULL, ...) {
  check_no_more(...)
  check_package("bigmemory", "A big.matrix")
  if (bigmemory::is.nil(read@address)) {
    stop_argument("read", "be a big.matrix of this session", was = "one of another, without data")
  }
  if (!bigmemory::is.shared(read)) {
    stop_argument("read", "be a shared big.matrix", was = "one with shared = FALSE")
  }
  source <- list(descriptor = lasting_descriptor(read), names = dimnames(read))
  # Shared memory is there as long as somebody has it.
  if (!bigmemory::is.filebacked(read)) source$x <- read
  cut_rows(structure(source, class = "source_bigmemory"), dim(read), rows)
}

#' A descriptor whose file is found from any working directory
#' @noRd
lasting_descriptor <- function(x) {
  descriptor <- bigmemory::describe(x)
  folder <- descriptor@description$dirname
  if (!is.null(folder)) descriptor@description$dirname <- file.path(normalizePath(folder), "")
  descriptor
}

#' @exportS3Method
#' @noRd
read_rows.source_bigmemory <- function(source, rows) {
  check_package("bigmemory", "A big.matrix")
  # Pointers do not survive the way into another process.
  gone <- is.null(source$x) || bigmemory::is.nil(source$x@address)
  x <- if (gone) attach_matrix(source$descriptor) else source$x
  block <- x[rows, , drop = FALSE]
  # A part of another big.matrix has lost its names where it is attached.
  names <- list(source$names[[1]][rows], source$names[[2]])
  if (any(lengths(names))) dimnames(block) <- names
  block
}

attach_matrix <- function(descriptor) {
  at <- descriptor@description
  if (!is.null(at$dirname)) check_still_there(file.path(at$dirname, at$filename))
  tryCatch(bigmemory::attach.big.matrix(descriptor), error = function(e) {
    stop_argument("read", "be held by the process that made it", was = "gone from shared memory")
  })
}

#' @rdname row_blocks
#' @order 8
#' @export
row_blocks.ff_matrix <- function(read, rows = NULL, ...) {
  check_no_more(...)
  check_package("ff", "An ff matrix")
  cut_rows(structure(list(x = read), class = "source_ff"), dim(read), rows)
}

#' @exportS3Method
#' @noRd
read_rows.source_ff <- function(source, rows) {
  check_package("ff", "An ff matrix")
  x <- source$x
  if (!ff::is.open(x)) {
    check_still_there(ff::filename(x))
    open(x, readonly = TRUE)
    on.exit(close(x))
  }
  x[rows, , drop = FALSE]
}
