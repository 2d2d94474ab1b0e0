# Blocks of matrices in files and in shared memory.

x <- bare(easy_data())
holes <- unname(easy_holes())
ends <- c(12, 24, 30)

hdf5_file <- function(..., env = parent.frame()) {
  skip_if_not_installed("hdf5r")
  path <- withr::local_tempfile(fileext = ".h5", .local_envir = env)
  file <- hdf5r::H5File$new(path, mode = "w")
  file$create_group("a")
  for (name in ...names()) file[[name]] <- list(...)[[name]]
  file$close_all()
  path
}

test_that("an HDF5 dataset is read as R sees it, or transposed", {
  path <- hdf5_file(`a/x` = holes, `t` = t(holes), whole = matrix(c(NA, 1:59), 10) + 0)
  expect_blocks_of(row_blocks(path, "a/x", rows = 12), holes, ends)
  expect_blocks_of(row_blocks(path, "t", rows = 12, transpose = TRUE), holes, ends)
  expect_travels(row_blocks(path, "a/x", 12))
  expect_travels(row_blocks(path, "t", 7, TRUE))
  expect_identical(read_block(row_blocks(path, "whole"), 1), matrix(c(NA, 1:59), 10) + 0)
  withr::local_dir(dirname(path))
  blocks <- row_blocks(basename(path), "a/x")
  withr::local_dir("/")
  expect_identical(read_block(blocks, 1), holes)
})

test_that("what is no HDF5 dataset of numbers is refused in one line", {
  path <- hdf5_file(
    x = holes, line = 1:3, letters = matrix(letters[1:4], 2), cube = array(0, c(2, 2, 2)),
    nan = matrix(c(1, NaN, 2, 3), 2)
  )
  text <- withr::local_tempfile(lines = "no such thing")
  expect_refusals(
    \(v) row_blocks(v, "x"), "read", list("gone", tempdir(), c(path, path), NA_character_, text)
  )
  names <- list("gone", "a/gone", "a", "line", "cube", "", NA, 1, NULL, c("x", "x"))
  expect_refusals(\(v) row_blocks(path, v), "name", names)
  expect_refusals(\(v) row_blocks(path, "x", v), "rows", list(0, 1.5, "a", NA, c(1, 2)))
  expect_refusals(\(v) row_blocks(path, "x", transpose = v), "transpose", list(NULL, NA, 1, "a"))
  expect_error(row_blocks(path, "letters"), "^`block 1 of read` must be a numeric matrix")
  expect_error(
    row_blocks(path, "nan", rows = 1), "^`block 2 of read` must have finite .*the first at row 1"
  )
  expect_error(row_blocks(path, "x", blocks = 2), "^`blocks` must be left out")
  expect_error(row_blocks(tempdir(), "x"), "for a folder of Parquet files give arrow::open_dataset")
  blocks <- row_blocks(path, "x")
  file <- hdf5r::H5File$new(path, mode = "a")
  file$link_delete("x")
  file[["x"]] <- holes[1:20, ]
  file$close_all()
  expect_error(quick_point(blocks), "^`read` must still have the rows and columns that it had in ")
  unlink(path)
  expect_error(quick_point(blocks), "^`read` must still have its file .*, not without it\\.$")
})

test_that("delayed matrices are read", {
  skip_if_not_installed("HDF5Array")
  stored <- suppressMessages(HDF5Array::writeHDF5Array(x, withr::local_tempfile(), "x"))
  expect_blocks_of(row_blocks(stored, rows = 12), unname(x), ends)
  delayed <- t(t(stored) * 2)
  expect_blocks_of(row_blocks(delayed, 12), unname(x * 2), ends)
  expect_travels(row_blocks(delayed, 12))
  expect_error(row_blocks(delayed, "a"), "^`rows` must be one whole number")
  expect_error(row_blocks(delayed, blocks = 2), "^`blocks` must be left out")
  expect_error(row_blocks(delayed[0, ]), "^`read` must have at least one row and one ")
})

test_that("a big.matrix is read, in shared memory or in a file", {
  skip_if_not_installed("bigmemory")
  withr::local_options(bigmemory.allow.dimnames = TRUE, bigmemory.typecast.warning = FALSE)
  shared <- bigmemory::as.big.matrix(easy_holes())
  expect_blocks_of(row_blocks(shared, 12), easy_holes(), ends)
  expect_travels(row_blocks(shared, 12))
  withr::local_dir(withr::local_tempdir())
  dir.create("data")
  filed <- bigmemory::as.big.matrix(
    holes, backingpath = "data", backingfile = "x.bin", descriptorfile = "x.desc"
  )
  blocks <- row_blocks(filed, 12)
  expect_blocks_of(blocks, holes, ends)
  expect_travels(blocks)
  dimnames(filed) <- list(paste0("r", 1:30), letters[1:6])
  named <- `dimnames<-`(holes, dimnames(filed))
  part <- function() bigmemory::sub.big.matrix(filed, firstRow = 3, lastRow = 28, firstCol = 2)
  parts <- row_blocks(part(), 12)
  expect_blocks_of(parts, named[3:28, -1], c(12, 24, 26))
  expect_travels(parts)
  # Objects of bigmemory that were saved have pointers to nothing, which crash R where they are
  # used.
  expect_identical(unserialize(serialize(parts, NULL)), row_blocks(part(), 12))
  expect_named(unclass(parts$source)$source, c("descriptor", "names"))
  counts <- bigmemory::as.big.matrix(matrix(c(NA, 1:5), 3), type = "short")
  expect_identical(read_block(row_blocks(counts), 1), matrix(c(NA, 1:5), 3) + 0)
})

test_that("a big.matrix that cannot be read is refused in one line", {
  skip_if_not_installed("bigmemory")
  own <- bigmemory::as.big.matrix(x, shared = FALSE)
  expect_error(row_blocks(own), "^`read` must be a shared big.matrix, not one with shared = FALSE")
  shared <- bigmemory::as.big.matrix(unname(x))
  away <- unserialize(serialize(shared, NULL))
  expect_error(row_blocks(away), "^`read` must be a big.matrix of this session, not one of another")
  blocks <- unserialize(serialize(row_blocks(shared), NULL))
  expect_identical(read_block(blocks, 1), unname(x))
  rm(shared)
  gc()
  expect_error(
    read_block(blocks, 1), "^`read` must be held by the process that made it, not gone from "
  )
  folder <- withr::local_tempdir()
  filed <- bigmemory::as.big.matrix(
    unname(x), backingpath = folder, backingfile = "x.bin", descriptorfile = "x.desc"
  )
  blocks <- unserialize(serialize(row_blocks(filed), NULL))
  unlink(file.path(folder, "x.bin"))
  expect_error(
    read_block(blocks, 1), "^`read` must still have its file .*x.bin, not without it\\.$"
  )
})

test_that("an ff matrix is read, open or closed", {
  skip_if_not_installed("ff")
  stored <- ff::as.ff(easy_holes())
  blocks <- row_blocks(stored, 12)
  expect_blocks_of(blocks, easy_holes(), ends)
  expect_travels(blocks)
  close(stored)
  expect_silent(expect_blocks_of(row_blocks(stored, 12), easy_holes(), ends))
  expect_false(ff::is.open(stored))
  # The process that has read a temporary file has not removed it.
  expect_true(file.exists(ff::filename(stored)))
  expect_identical(suppressMessages(stored[1, 1]), holes[1, 1])
  by_row <- ff::as.ff(holes, dimorder = 2:1)
  expect_blocks_of(row_blocks(by_row, 12), holes, ends)
  ff::delete(by_row)
  blocks <- unserialize(serialize(blocks, NULL))
  ff::delete(stored)
  expect_error(read_block(blocks, 1), "^`read` must still have its file .*, not without it\\.$")
})

test_that("blocks are of 16 MB and of 1000 rows at least", {
  expect_identical(check_block_rows(NULL, 20), 104857)
  expect_identical(check_block_rows(NULL, 1e4), 1000)
  expect_identical(check_block_rows(1, 20), 1L)
})

test_that("160 MB of an HDF5 file are never in memory together", {
  skip_if_quick()
  small <- hdf5_file(x = matrix(1, 10, 20))
  large <- hdf5_file(x = matrix(stats::rnorm(2e7), 1e6))
  expect_lt(peak_of_blocks(function(path) buffet::row_blocks(path, "x"), c(small, large)), 100)
})
