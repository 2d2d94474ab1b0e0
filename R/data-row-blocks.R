#' Data that are read block by block
#'
#' Describes data that are too large for memory, so that [fit_gaussian()] can read them in blocks.
#' With [method_meibp()], [method_variational()] or [method_power_ep()], every iteration reads each
#' block of rows once and keeps one block in memory at a time. [method_gibbs()] and the workers of a
#' cluster ([distributed]) read each block once and keep it; the sampler is then `"parallel"`.
#'
#' @param read (function, Arrow dataset or matrix) The source of the data, as described below.
#' @param blocks (positive integer) Number of blocks that the function reads.
#' @param rows (positive integer or `NULL`) Rows per block; the last block may have fewer. `NULL`
#'   (default): as many as fit in 16 MB, but at least 1000. For Arrow datasets see below.
#' @param ... Must be empty.
#' @return An object of class `row_blocks` with methods for `dim()` and `dimnames()`. All blocks are
#'   read to check them. The object contains no data except row names and, for a function, the
#'   contents of its environment. It can be saved or sent to another process, which opens the files
#'   itself.
#'
#' @section Functions:
#' `read(i)` returns block `i`: a numeric matrix, data frame or sparse `Matrix`. All blocks must
#' have the same columns, and every call with the same `i` must return the same block. `NA` is a
#' missing entry. In another process (a worker of a cluster or a future) the function sees only the
#' environment in which it was created: create it inside another function or in `local()`, and write
#' `pkg::fun()`. `vignette("beyond-one-machine")` has examples for HDF5 files and for matrices from
#' the packages bigmemory, ff and DelayedArray.
#'
#' @section Arrow datasets: Pass the result of `arrow::open_dataset()` for local files in the
#' Parquet or Arrow IPC (Feather) format, or some of its columns, selected as in `dataset[, c("a",
#' "b")]` or with `dplyr::select()`. All columns must be numeric or logical; null is a missing
#' entry, and NaN is an error. A block consists of whole row groups (Parquet) or record batches
#' (IPC): as many as contain at most `rows` rows in total, but at least one. The largest row group
#' therefore determines how much memory is needed, and the number of row groups limits how many
#' workers can share the rows; see `max_rows_per_group` of `arrow::write_dataset()`. Partition keys
#' that are stored only in the names of folders cannot be used; select the other columns.
#'
#' @section Matrices:
#' A matrix, data frame or sparse `Matrix` is cut into blocks of `rows` rows. The object then
#' contains the data, so this is useful only for trying out blocks.
#'
#' @examples
#' x <- sim_images(1000)
#'
#' # a function that reads one of two files
#' file <- tempfile()
#' saveRDS(x[1:500, ], paste0(file, 1))
#' saveRDS(x[501:1000, ], paste0(file, 2))
#' blocks <- row_blocks(function(i) readRDS(paste0(file, i)), 2)
#' blocks
#' # the fit is the same as for the matrix
#' fit <- fit_gaussian(blocks, "nonnegative", method = method_meibp(), seed = 1)
#' fit
#'
#' # Parquet files: two row groups of 250 rows make a block
#' if (requireNamespace("arrow", quietly = TRUE)) {
#'   arrow::write_dataset(as.data.frame(x), folder <- tempfile(), max_rows_per_group = 250)
#'   print(row_blocks(arrow::open_dataset(folder), rows = 500))
#' }
#' @export
row_blocks <- function(read, ...) UseMethod("row_blocks")

#' @export
row_blocks.default <- function(read, rows = NULL, ...) {
  if (!is_table_like(read)) {
    stop_argument("read", "be a function of one number, an Arrow dataset or a matrix", read)
  }
  check_no_more(...)
  x <- data_matrix(read, "read", sparse = TRUE)
  rows <- check_block_rows(rows, ncol(x))
  block <- function(i) x[seq((i - 1) * rows + 1, min(i * rows, nrow(x))), , drop = FALSE]
  new_row_blocks(block, ceiling(nrow(x) / rows), "block %d of read")
}

#' @rdname row_blocks
#' @usage \method{row_blocks}{function}(read, blocks, ...)
#' @export
row_blocks.function <- function(read, blocks, ...) {
  check_no_more(...)
  new_row_blocks(read, check_count(blocks, "blocks"), "read(%d)")
}

# source: A value from which block_from() reads data; equal sources give the same data.
# name: Format for the names of blocks in messages.
new_row_blocks <- function(source, blocks, name) {
  first <- check_data_matrix(block_from(source, 1L), sprintf(name, 1), sparse = TRUE)
  x <- list(source = source, name = name, columns = ncol(first), column_names = colnames(first))
  rm(first)
  summaries <- lapply(seq_len(blocks), function(i) {
    block <- read_block(x, i)
    names <- list(colnames(block), x$column_names)
    if (all(lengths(names) > 0) && !identical(names[[1]], names[[2]])) {
      must <- paste("have the same column names as", sprintf(name, 1))
      stop_argument(sprintf(name, i), must, was = "different ones")
    }
    list(
      rows = nrow(block), row_names = rownames(block), observed = count_observed(block),
      squares = sum((if (isS4(block)) block@x else block)^2, na.rm = TRUE),
      moments = moments_of(block), hash = rlang::hash(block)
    )
  })
  of_blocks <- function(what, type) vapply(summaries, `[[`, type, what)
  x$sizes <- of_blocks("rows", 1L)
  row_names <- unlist(lapply(summaries, `[[`, "row_names"))
  # Row names are kept only if all blocks have them.
  x["row_names"] <- list(if (length(row_names) == sum(x$sizes)) row_names)
  check_unique(x$row_names, "read", "give unique row names or none")
  x$observed <- sum(of_blocks("observed", 0))
  x$squares <- sum(of_blocks("squares", 0))
  parts <- of_blocks("moments", numeric(3))
  mean <- sum(parts["n", ] * parts["mean", ]) / max(1, x$observed)
  squares <- sum(parts["squares", ] + parts["n", ] * (parts["mean", ] - mean)^2)
  x$moments <- c(n = x$observed, mean = mean, squares = squares)
  x$hashes <- of_blocks("hash", "")
  structure(x, class = "row_blocks")
}

block_from <- function(source, i) {
  if (inherits(source, "source_arrow")) return(block_of_arrow(source, i))
  tryCatch(source(i), error = function(e) {
    abort(sprintf("`read(%d)` failed: %s", i, one_line(conditionMessage(e))))
  })
}

read_block <- function(x, i) {
  name <- sprintf(x$name, i)
  block <- check_data_matrix(block_from(x$source, i), name, sparse = TRUE)
  if (ncol(block) != x$columns) {
    as <- if (i == 1) "it had before" else paste(sprintf(x$name, 1), "has")
    must <- sprintf("have %d columns, as %s", x$columns, as)
    stop_argument(name, must, was = describe_size(block))
  }
  block
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
print.row_blocks <- print_lines

# Data in the form that the core needs: a centred matrix, or blocks of rows. A worker owns the
# blocks `own`.
core_data <- function(data) {
  x <- data$x
  if (!is_in_blocks(x)) return(centred(data))
  own <- x$own %||% seq_along(x$sizes)
  read <- function(b) {
    i <- own[b]
    block <- read_block(x, i)
    # If the data have changed, the bound is meaningless and might never converge.
    if (rlang::hash(block) != x$hashes[i]) {
      stop_argument(sprintf(x$name, i), "be the same at every call", was = "something else")
    }
    block
  }
  list(read = read, sizes = x$sizes[own], columns = x$columns)
}

# Default number of rows per block; 2^21 doubles take 16 MB
check_block_rows <- function(rows, columns) {
  if (is.null(rows)) return(max(1000, 2^21 %/% columns))
  check_count(rows, "rows")
}

in_memory <- function(fit, what) {
  if (is_in_blocks(model_data(fit))) {
    abort(what, " needs data in memory: the fit is to row_blocks().")
  }
  model_data(fit)
}

# row_blocks() for Arrow datasets. The smallest parts of a file that can be read separately are row
# groups (Parquet) and record batches (IPC). Both are called groups here, and blocks consist of
# groups.

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
  harmless <- c(
    ".data", "selected_columns", "filtered_rows", "group_by_vars", "drop_empty_groups",
    "arrange_vars", "arrange_desc"
  )
  simple <- inherits(read$.data, "Dataset") && all(names(unclass(read)) %in% harmless) &&
    isTRUE(read$filtered_rows) && length(read$arrange_vars) == 0
  columns <- if (simple) vapply(read$selected_columns, function(column) column$field_name, "")
  if (!simple || !all(nzchar(columns))) {
    must <- "be a dataset to which at most select() has been applied"
    stop_argument("read", must, was = "another dplyr query")
  }
  dataset_blocks(read$.data, columns, rows)
}

# columns: Names of the columns in the files, named by the names of the columns in the data.
dataset_blocks <- function(dataset, columns, rows) {
  rlang::check_installed("arrow", "to read an Arrow dataset.")
  is_local <- inherits(dataset, "FileSystemDataset") &&
    inherits(dataset$filesystem, "LocalFileSystem")
  format <- if (is_local) dataset$format$type
  if (!isTRUE(format %in% c("parquet", "ipc"))) {
    was <- if (is_local) paste("of", format) else describe_value(dataset)
    stop_argument("read", "be a dataset of local files, Parquet or Arrow IPC", was = was)
  }
  if (length(columns) == 0) stop_argument("read", "have at least one column", was = "none")
  if (is.null(names(columns))) names(columns) <- columns
  source <- structure(list(columns = columns), class = c(paste0("source_", format), "source_arrow"))
  check_fields(source, dataset$schema)
  rows <- check_block_rows(rows, length(columns))
  groups <- do.call(rbind, lapply(dataset$files, function(file) {
    reader <- open_groups(source, file)
    check_fields(source, reader$schema)
    numbers <- seq_len(reader$groups)
    data.frame(file = rep(file, reader$groups), group = numbers, rows = reader$rows(numbers))
  }))
  groups <- groups[groups$rows > 0, ]
  if (NROW(groups) == 0) stop_argument("read", "have at least one row and one column", was = "none")
  source$blocks <- split(groups, pack_groups(groups$rows, rows))
  new_row_blocks(source, length(source$blocks), "block %d of read")
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

# Block number of each group. A block is a single group, or several consecutive groups with at most
# `limit` rows in total.
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

# Returns list(schema, groups, rows(groups), tables(groups)), in which groups are numbered from 1
open_groups <- function(source, file) {
  if (inherits(source, "source_ipc")) {
    reader <- arrow::RecordBatchFileReader$create(arrow::mmap_open(file))
    batch <- function(group) reader$get_batch(group - 1L)
    return(list(
      schema = reader$schema, groups = reader$num_record_batches,
      rows = function(groups) vapply(groups, function(group) batch(group)$num_rows, 1),
      tables = function(groups) lapply(groups, batch)
    ))
  }
  reader <- arrow::ParquetFileReader$create(file, mmap = FALSE)
  schema <- reader$GetSchema()
  rows_of <- function(group) reader$ReadRowGroup(group - 1L, 0L)$num_rows
  # The reader selects leaf fields, which are numbered from 0, not columns.
  count_leaves <- function(type) {
    if (type$num_fields == 0) return(1)
    sum(vapply(type$fields(), function(field) count_leaves(field$type), 1))
  }
  list(
    schema = schema, groups = reader$num_row_groups,
    rows = function(groups) vapply(groups, rows_of, 1),
    tables = function(groups) {
      counts <- vapply(schema$fields, function(field) count_leaves(field$type), 1)
      leaves <- cumsum(counts)[match(source$columns, names(schema))] - 1
      list(reader$ReadRowGroups(groups - 1L, as.integer(leaves)))
    }
  )
}

read_groups <- function(source, groups) {
  file <- groups$file[1]
  refuse_changed <- function(e) {
    must <- paste("still have the rows and columns that it had in", file)
    stop_argument("read", must, was = "different ones")
  }
  # Files may have been moved since row_blocks() was called.
  if (!file.exists(file)) abort("`read` needs the file ", file, ", which does not exist.")
  # Arrow's own error messages do not name the file.
  reader <- tryCatch(open_groups(source, file), error = refuse_changed)
  as_before <- all(source$columns %in% names(reader$schema)) && max(groups$group) <= reader$groups
  if (!as_before) refuse_changed()
  tables <- tryCatch(reader$tables(groups$group), error = function(e) {
    abort(sprintf("%s cannot be read: %s", file, conditionMessage(e)))
  })
  found <- sum(vapply(tables, function(table) table$num_rows, 1))
  if (found != sum(groups$rows)) refuse_changed()
  tables
}

block_of_arrow <- function(source, i) {
  rlang::check_installed("arrow", "to read an Arrow dataset.")
  # R does not count Arrow's memory, so it would not collect garbage in time.
  if (arrow::default_memory_pool()$bytes_allocated > 2^26) gc()
  groups <- source$blocks[[i]]
  files <- unique(groups$file)
  tables <- lapply(files, function(file) read_groups(source, groups[groups$file == file, ]))
  tables <- unlist(tables, recursive = FALSE)
  rows <- sum(groups$rows)
  # Columns are bound one at a time, so at most one of them is in memory twice.
  values <- vapply(source$columns, function(column) {
    unlist(lapply(tables, function(table) as.double(table[[column]]$as_vector())))
  }, double(rows))
  dim(values) <- c(rows, length(source$columns))
  colnames(values) <- names(source$columns)
  values
}
