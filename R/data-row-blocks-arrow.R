# row_blocks() of Arrow datasets. What can be read of a file without all before it are its row
# groups (Parquet) and record batches (IPC): both are called groups here, and blocks are of these.

#' @rdname row_blocks
#' @order 5
#' @export
row_blocks.Dataset <- function(read, rows = NULL, ...) {
  check_no_more(...)
  dataset_blocks(read, names(read), rows)
}

#' @rdname row_blocks
#' @order 6
#' @export
row_blocks.arrow_dplyr_query <- function(read, rows = NULL, ...) {
  check_no_more(...)
  if (!only_selects(read)) {
    must <- "be a dataset to which at most select() has been applied"
    stop_argument("read", must, was = "another query of dplyr")
  }
  columns <- vapply(read$selected_columns, function(column) column$field_name, "")
  dataset_blocks(read$.data, columns, rows)
}

only_selects <- function(query) {
  harmless <- c(
    ".data", "selected_columns", "filtered_rows", "group_by_vars", "drop_empty_groups",
    "arrange_vars", "arrange_desc"
  )
  inherits(query$.data, "Dataset") && all(names(unclass(query)) %in% harmless) &&
    isTRUE(query$filtered_rows) && length(query$arrange_vars) == 0 &&
    all(vapply(query$selected_columns, function(column) nzchar(column$field_name), NA))
}

#' @param columns Their names in the files, named as they shall be called.
#' @noRd
dataset_blocks <- function(dataset, columns, rows) {
  check_package("arrow", "An Arrow dataset")
  source <- dataset_source(dataset, columns)
  check_fields(source, dataset$schema)
  rows <- check_block_rows(rows, length(columns))
  groups <- do.call(rbind, lapply(dataset$files, function(file) list_groups(source, file)))
  groups <- groups[groups$rows > 0, ]
  if (NROW(groups) == 0) {
    stop_argument("read", "have at least one row and one column", was = "without rows")
  }
  source$blocks <- split(groups, pack_groups(groups$rows, rows))
  new_row_blocks(source, length(source$blocks), "block %d of read")
}

dataset_source <- function(dataset, columns) {
  is_local <- inherits(dataset, "FileSystemDataset") &&
    inherits(dataset$filesystem, "LocalFileSystem")
  format <- if (is_local) dataset$format$type
  if (!isTRUE(format %in% c("parquet", "ipc"))) {
    was <- if (is_local) paste("of", format) else describe_value(dataset)
    stop_argument("read", "be a dataset of local files, Parquet or Arrow IPC", was = was)
  }
  if (length(columns) == 0) stop_argument("read", "have at least one column", was = "without")
  if (is.null(names(columns))) names(columns) <- columns
  structure(list(columns = columns), class = c(paste0("source_", format), "source_arrow"))
}

#' @param schema Of a dataset or of a file.
#' @noRd
check_fields <- function(source, schema) {
  lacking <- setdiff(source$columns, names(schema))
  if (length(lacking)) {
    must <- sprintf("have the column %s in every file", describe_scalar(lacking[1]))
    stop_argument("read", must, was = "in some only, or as a partition key of folder names")
  }
  numbers <- "^(u?int(8|16|32|64)|float|double|bool|decimal.*)$"
  for (column in source$columns) {
    type <- schema$GetFieldByName(column)$type$ToString()
    if (!grepl(numbers, type)) {
      was <- sprintf("the %s column %s", type, describe_scalar(column))
      stop_argument("read", "have numeric columns only", was = was)
    }
  }
}

#' The groups of one file and their rows
#' @noRd
list_groups <- function(source, file) {
  reader <- open_groups(source, file)
  check_fields(source, reader$schema)
  numbers <- seq_len(reader$groups)
  data.frame(file = rep(file, reader$groups), group = numbers, rows = reader$rows(numbers))
}

#' The number of the block that each group belongs to: one group, or the next as well as long as
#' `limit` is kept to
#' @noRd
pack_groups <- function(sizes, limit) {
  block <- integer(length(sizes))
  filled <- Inf
  for (i in seq_along(sizes)) {
    starts <- filled + sizes[i] > limit
    block[i] <- max(block) + starts
    filled <- sizes[i] + if (starts) 0 else filled
  }
  block
}
