# row_blocks() of HDF5 files, and of the delayed matrices of Bioconductor, which often are views of
# such files.

#' @rdname row_blocks
#' @order 3
#' @export
row_blocks.character <- function(read, name, rows = NULL, transpose = FALSE, ...) {
  check_no_more(...)
  is_file <- length(read) == 1 && !is.na(read) && file.exists(read) && !dir.exists(read)
  if (!is_file) {
    must <- "be the path of an HDF5 file (for a folder of Parquet files give arrow::open_dataset())"
    stop_argument("read", must, read)
  }
  name <- check_string(name, "name")
  transpose <- check_flag(transpose, "transpose")
  check_package("hdf5r", "An HDF5 file")
  source <- structure(
    list(path = normalizePath(read), name = name, transpose = transpose), class = "source_hdf5"
  )
  source$size <- with_dataset(source, function(dataset) dataset$dims)
  cut_rows(source, if (transpose) rev(source$size) else source$size, rows)
}

#' What `f` gives of the opened dataset of a source
#' @noRd
with_dataset <- function(source, f) {
  file <- tryCatch(hdf5r::H5File$new(source$path, mode = "r"), error = function(e) {
    stop_argument("read", "be an HDF5 file that can be opened", source$path)
  })
  on.exit(file$close())
  dataset <- tryCatch(file[[source$name]], error = function(e) NULL)
  # Not close_all(), which collects garbage.
  if (!is.null(dataset)) on.exit(dataset$close(), add = TRUE, after = FALSE)
  if (!inherits(dataset, "H5D") || length(dataset$dims) != 2) {
    must <- paste("be that of a dataset with two dimensions in", basename(source$path))
    stop_argument("name", must, source$name)
  }
  f(dataset)
}

#' @exportS3Method
#' @noRd
read_rows.source_hdf5 <- function(source, rows) {
  check_package("hdf5r", "An HDF5 file")
  check_still_there(source$path)
  with_dataset(source, function(dataset) {
    if (!identical(dataset$dims, source$size)) refuse_changed(source$path)
    if (source$transpose) t(dataset[, rows, drop = FALSE]) else dataset[rows, , drop = FALSE]
  })
}

#' @rdname row_blocks
#' @order 4
#' @export
row_blocks.DelayedMatrix <- function(read, rows = NULL, ...) {
  check_no_more(...)
  cut_rows(structure(list(x = read), class = "source_delayed"), dim(read), rows)
}

#' @exportS3Method
#' @noRd
read_rows.source_delayed <- function(source, rows) {
  # Another process may not have loaded the methods.
  check_package(attr(class(source$x), "package"), "A DelayedMatrix")
  as.matrix(source$x[rows, , drop = FALSE])
}
