# Row blocks of Arrow datasets.

# This must be loaded here, because arrow warns developers about older versions of dplyr.
suppressWarnings(requireNamespace("arrow", quietly = TRUE))

skip_if_not_installed("arrow")
x <- unname(bare(easy_data()))
holes <- bare(easy_holes())
rownames(holes) <- NULL

#' A dataset in two files with 18 and 12 rows, in groups of 6 rows
stored <- function(data, format = "parquet", env = parent.frame()) {
  folder <- withr::local_tempdir(.local_envir = env)
  for (rows in list(1:18, 19:30)) {
    file <- file.path(folder, paste0("part-", rows[1] + 100, ".", format))
    part <- arrow::arrow_table(data[rows, , drop = FALSE])
    if (format == "parquet") arrow::write_parquet(part, file, chunk_size = 6)
    if (format == "ipc") {
      suppressWarnings(
        arrow::write_feather(part, file, chunk_size = 6, compression = "uncompressed")
      )
    }
  }
  arrow::open_dataset(folder, format = format)
}

test_that("blocks consist of whole groups in files, and null values are missing", {
  for (format in c("parquet", "ipc")) {
    dataset <- stored(as.data.frame(holes), format)
    expect_blocks_of(row_blocks(dataset, 6), holes, c(6, 12, 18, 24, 30))
    expect_blocks_of(row_blocks(dataset, 13), holes, c(12, 24, 30))
    expect_blocks_of(row_blocks(dataset, 1), holes, c(6, 12, 18, 24, 30))
    expect_blocks_of(row_blocks(dataset), holes, 30)
    expect_travels(row_blocks(dataset, 12))
  }
})

test_that("numbers of every type are read as doubles", {
  data <- data.frame(double = c(1.5, NA), integer = c(NA, 2L), logical = c(TRUE, NA))
  table <- arrow::arrow_table(data)
  table$large <- arrow::Array$create(c(2^32, NA))$cast(arrow::int64())
  small <- list(arrow::uint8(), arrow::int16(), arrow::float32(), arrow::decimal128(8, 2))
  for (type in small) table[[type$ToString()]] <- arrow::Array$create(c(7, NA))$cast(type)
  file <- withr::local_tempfile()
  arrow::write_parquet(table, file)
  blocks <- row_blocks(arrow::open_dataset(file))
  expect_equal(unname(read_block(blocks, 1)), cbind(
    c(1.5, NA), c(NA, 2), c(1, NA), c(2^32, NA), c(7, NA), c(7, NA), c(7, NA), c(7, NA)
  ))
  expect_identical(colnames(read_block(blocks, 1))[1:4], c(names(data), "large"))
})

test_that("some of the columns can be selected, and the others can have any type", {
  data <- data.frame(id = sprintf("row %d", 1:30), x)
  data$list <- lapply(1:30, function(i) data.frame(u = i, v = "a"))
  names(data)[2:7] <- letters[1:6]
  data <- data[c(1, 2, 8, 3:7)]
  named <- `colnames<-`(x, letters[1:6])
  for (format in c("parquet", "ipc")) {
    dataset <- stored(data, format)
    expect_error(
      row_blocks(dataset),
      "^`read` must have numeric columns only, not the string column \"id\"\\.$"
    )
    chosen <- row_blocks(dataset[, letters[1:6]], 12)
    expect_blocks_of(chosen, named, c(12, 24, 30))
    expect_travels(chosen)
    expect_identical(read_block(row_blocks(dataset[, c("f", "b")]), 1), named[, c("f", "b")])
  }
})

test_that("queries may only select columns", {
  skip_if_not_installed("dplyr")
  dataset <- stored(as.data.frame(`colnames<-`(x, letters[1:6])))
  renamed <- dplyr::select(dataset, last = "f", "b")
  expect_identical(read_block(row_blocks(renamed), 1), cbind(last = x[, 6], b = x[, 2]))
  others <- list(
    dplyr::filter(dataset, a > 0), dplyr::mutate(dataset, g = a + b), dplyr::arrange(dataset, a),
    utils::head(dplyr::select(dataset, "a")), dplyr::summarise(dataset, a = mean(a)),
    dplyr::select(dplyr::filter(dataset, a > 0), "a"), dplyr::select(arrow::arrow_table(a = 1), "a")
  )
  for (query in others) {
    expect_error(row_blocks(query), "^`read` must be a dataset to which at most select\\(\\) ")
  }
})

test_that("everything except a dataset of numbers in files is rejected with a one-line error", {
  expect_error(
    row_blocks(arrow::InMemoryDataset$create(arrow::arrow_table(a = 1))),
    "^`read` must be a dataset of local files, Parquet or Arrow IPC, not an object of class InMem"
  )
  expect_error(row_blocks(arrow::arrow_table(a = 1)), "^`read` must be a function .*Tab")
  folder <- withr::local_tempdir()
  utils::write.csv(x, file.path(folder, "x.csv"), row.names = FALSE)
  csv <- arrow::open_dataset(folder, format = "csv")
  expect_error(row_blocks(csv), "^`read` must be .* Parquet or Arrow IPC, not of (csv|text)\\.$")
  dataset <- stored(as.data.frame(x))
  expect_error(row_blocks(dataset, 0), "^`rows` must be one whole number")
  expect_error(row_blocks(dataset, blocks = 2), "^`blocks` must be left out")
  expect_error(row_blocks(dataset[, character()]), "^`read` must have at least one column, ")
  nothing <- withr::local_tempfile()
  arrow::write_parquet(data.frame(a = double()), nothing)
  expect_error(row_blocks(arrow::open_dataset(nothing)), "^`read` must have at least one row")
  expect_error(
    row_blocks(stored(data.frame(a = replace(x[, 1], 20, NaN))), 6),
    "^`block 4 of read` must have finite entries only, not 1 NaN .* \\(the first at row 2, column 1"
  )
})

test_that("columns that are not in every file are rejected by name", {
  folder <- withr::local_tempdir()
  arrow::write_dataset(data.frame(a = 1:4, year = c(1, 1, 2, 2)), folder, partitioning = "year")
  dataset <- arrow::open_dataset(folder)
  expect_error(
    row_blocks(dataset), "^`read` must have the column \"year\" in every file, not in some only, or"
  )
  expect_identical(read_block(row_blocks(dataset[, "a"]), 1), cbind(a = as.double(1:4)))
})

test_that("files that no longer exist are reported", {
  dataset <- stored(as.data.frame(x))
  blocks <- row_blocks(dataset, 6)
  unlink(dataset$files[2])
  expect_identical(dim(read_block(blocks, 1)), c(6L, 6L))
  expect_error(read_block(blocks, 5), "^`read` needs the file .*, which does not exist\\.$")
})
