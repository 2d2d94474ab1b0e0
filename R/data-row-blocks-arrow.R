# row_blocks() for Arrow datasets. The parts of a file that can be read on their own are row groups
# (Parquet) and record batches (IPC). Both are called groups here; blocks consist of groups.

#' @rdname row_blocks
#' @export
row_blocks.Dataset <- function(read, rows = NULL, ...) {
  check_no_more(...)
  dataset_blocks(read, names(read), rows)
}

#' @rdname row_blocks
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

# columns: Names of the columns in the files; `names(columns)` are their names in the data.
dataset_blocks <- function(dataset, columns, rows) {
  rlang::check_installed("arrow", "to read an Arrow dataset.")
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

list_groups <- function(source, file) {
  reader <- open_groups(source, file)
  check_fields(source, reader$schema)
  numbers <- seq_len(reader$groups)
  data.frame(file = rep(file, reader$groups), group = numbers, rows = reader$rows(numbers))
}

# Block number of each group. A block is one group, or several in succession if they have at most
# `limit` rows in total
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

# list(schema, groups, rows(groups), tables(groups)); groups are numbered from 1
open_groups <- function(source, file) {
  if (inherits(source, "source_ipc")) open_batches(file) else open_row_groups(source, file)
}

open_row_groups <- function(source, file) {
  reader <- arrow::ParquetFileReader$create(file, mmap = FALSE)
  schema <- reader$GetSchema()
  rows_of <- function(group) reader$ReadRowGroup(group - 1L, 0L)$num_rows
  list(
    schema = schema, groups = reader$num_row_groups,
    rows = function(groups) vapply(groups, rows_of, 1),
    tables = function(groups) {
      list(reader$ReadRowGroups(groups - 1L, leaves_of(source$columns, schema)))
    }
  )
}

# The reader selects leaf fields, numbered from 0, rather than columns
leaves_of <- function(columns, schema) {
  counts <- vapply(schema$fields, function(field) count_leaves(field$type), 1)
  as.integer(cumsum(counts)[match(columns, names(schema))] - 1)
}

count_leaves <- function(type) {
  if (type$num_fields == 0) return(1)
  sum(vapply(type$fields(), function(field) count_leaves(field$type), 1))
}

open_batches <- function(file) {
  reader <- arrow::RecordBatchFileReader$create(arrow::mmap_open(file))
  batch <- function(group) reader$get_batch(group - 1L)
  list(
    schema = reader$schema, groups = reader$num_record_batches,
    rows = function(groups) vapply(groups, function(group) batch(group)$num_rows, 1),
    tables = function(groups) lapply(groups, batch)
  )
}

read_groups <- function(source, groups) {
  file <- groups$file[1]
  check_still_there(file)
  # Arrow's own messages do not name the file.
  reader <- tryCatch(open_groups(source, file), error = function(e) refuse_changed(file))
  as_before <- all(source$columns %in% names(reader$schema)) && max(groups$group) <= reader$groups
  if (!as_before) refuse_changed(file)
  tables <- tryCatch(reader$tables(groups$group), error = function(e) {
    abort(sprintf("%s cannot be read: %s", file, conditionMessage(e)))
  })
  found <- sum(vapply(tables, function(table) table$num_rows, 1))
  if (found != sum(groups$rows)) refuse_changed(file)
  tables
}

# Binds tables into one matrix, column by column, so only one column at a time is in memory twice
bind_tables <- function(tables, columns, rows) {
  numbers_of <- function(table, column) as.double(table[[column]]$as_vector())
  bind <- function(column) unlist(lapply(tables, numbers_of, column))
  values <- vapply(columns, bind, double(rows))
  dim(values) <- c(rows, length(columns))
  colnames(values) <- names(columns)
  values
}

# Files may have been moved since row_blocks() was called
check_still_there <- function(path) {
  if (file.exists(path)) return(invisible())
  stop_argument("read", paste("still have its file", path), was = "without it")
}

refuse_changed <- function(file) {
  must <- paste("still have the rows and columns that it had in", file)
  stop_argument("read", must, was = "a file that has changed")
}

block_of_arrow <- function(source, i) {
  rlang::check_installed("arrow", "to read an Arrow dataset.")
  # R does not see Arrow's memory, so it would not collect garbage in time.
  if (arrow::default_memory_pool()$bytes_allocated > 2^26) gc()
  groups <- source$blocks[[i]]
  files <- unique(groups$file)
  tables <- lapply(files, function(file) read_groups(source, groups[groups$file == file, ]))
  bind_tables(unlist(tables, recursive = FALSE), source$columns, sum(groups$rows))
}
