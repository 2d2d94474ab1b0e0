# Data outside memory: blocks read in this process and in another process, and fits to them.

#' Blocks that contain some of the rows, each block converted by `form`
in_blocks <- function(x, ends = c(10, 30), form = identity) {
  starts <- c(0, ends[-length(ends)]) + 1
  row_blocks(function(i) form(x[starts[i]:ends[i], , drop = FALSE]), length(ends))
}

#' Blocks that end at the same rows contain the same data, and give the same fit as blocks from a
#' function
expect_blocks_of <- function(blocks, x, ends) {
  by_function <- in_blocks(x, ends)
  parts <- setdiff(names(by_function), c("source", "name"))
  expect_identical(unclass(blocks)[parts], unclass(by_function)[parts])
  expect_output(print(blocks), sprintf(" in %d block", length(ends)))
  fits <- lapply(list(blocks, by_function), quick_point)
  expect_identical(fitted(fits[[1]]), fitted(fits[[2]]))
  expect_identical(objective(fits[[1]]), objective(fits[[2]]))
}

#' A new process must be able to read the same data, having received only a small object
expect_travels <- function(blocks) {
  skip_if_not_installed("callr")
  bytes <- serialize(blocks, NULL)
  expect_lt(length(bytes), 20000)
  there <- callr::r(function(bytes) {
    x <- unserialize(bytes)
    read <- utils::getFromNamespace("read_block", "buffet")
    lapply(seq_along(x$sizes), function(i) suppressMessages(read(x, i)))
  }, list(bytes), libpath = .libPaths())
  expect_identical(there, lapply(seq_along(blocks$sizes), read_block, x = blocks))
}
