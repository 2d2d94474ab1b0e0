# Groups of the files of an Arrow dataset: row groups (Parquet) and record batches (IPC).

#' The schema, the number of groups, the functions rows(groups) and tables(groups); numbers from 1
#' @noRd
open_groups <- function(source, file) UseMethod("open_groups")

#' @exportS3Method
#' @noRd
open_groups.source_parquet <- function(source, file) {
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

#' What the reader numbers from 0 is not columns but their parts without parts
#' @noRd
leaves_of <- function(columns, schema) {
  counts <- vapply(schema$fields, function(field) count_leaves(field$type), 1)
  as.integer(cumsum(counts)[match(columns, names(schema))] - 1)
}

count_leaves <- function(type) {
  if (type$num_fields == 0) return(1)
  sum(vapply(type$fields(), function(field) count_leaves(field$type), 1))
}

#' @exportS3Method
#' @noRd
open_groups.source_ipc <- function(source, file) {
  reader <- arrow::RecordBatchFileReader$create(arrow::mmap_open(file))
  batch <- function(group) reader$get_batch(group - 1L)
  list(
    schema = reader$schema, groups = reader$num_record_batches,
    rows = function(groups) vapply(groups, function(group) batch(group)$num_rows, 1),
    tables = function(groups) lapply(groups, batch)
  )
}

#' @exportS3Method
#' @noRd
block_from.source_arrow <- function(source, i) {
  check_package("arrow", "An Arrow dataset")
  # What Arrow holds is not counted as memory of R, which would let it pile up.
  if (arrow::default_memory_pool()$bytes_allocated > 2^26) gc()
  groups <- source$blocks[[i]]
  files <- unique(groups$file)
  tables <- lapply(files, function(file) read_groups(source, groups[groups$file == file, ]))
  bind_tables(unlist(tables, recursive = FALSE), source$columns, sum(groups$rows))
}

#' Tables of groups of one file, which may have been written anew since row_blocks() was called
#' @noRd
read_groups <- function(source, groups) {
  file <- groups$file[1]
  check_still_there(file)
  # Arrow's own messages do not name the file.
  reader <- tryCatch(open_groups(source, file), error = function(e) refuse_changed(file))
  as_before <- all(source$columns %in% names(reader$schema)) && max(groups$group) <= reader$groups
  if (!as_before) refuse_changed(file)
  tables <- tryCatch(reader$tables(groups$group), error = function(e) {
    stop(sprintf("%s cannot be read: %s", file, conditionMessage(e)), call. = FALSE)
  })
  found <- sum(vapply(tables, function(table) table$num_rows, 1))
  if (found != sum(groups$rows)) refuse_changed(file)
  tables
}

#' One matrix, a column after the other so that no more than one is there twice
#' @noRd
bind_tables <- function(tables, columns, rows) {
  numbers_of <- function(table, column) as.double(table[[column]]$as_vector())
  bind <- function(column) unlist(lapply(tables, numbers_of, column))
  values <- vapply(columns, bind, double(rows))
  dim(values) <- c(rows, length(columns))
  colnames(values) <- names(columns)
  values
}
