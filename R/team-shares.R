# Which rows each worker has.

#' Shares of rows for so many workers
#'
#' @param data The data of a model.
#' @return One list(x, share, rows) a worker, with fewer workers than wished for where there are
#'   fewer blocks: its rows, what the core is told of them, and how many they are.
#' @noRd
shares_of <- function(data, workers) {
  x <- centred(data)
  sizes <- block_sizes(x)
  workers <- min(workers, length(sizes))
  ends <- round(length(sizes) * seq_len(workers) / workers)
  first <- c(0L, ends[-workers])
  Map(function(from, to, member) {
    list(
      x = rows_of_blocks(x, sizes, from, to),
      share = list(
        members = workers, member = member, rows = sum(sizes), first_block = as.integer(from),
        block_rows = sizes[1]
      ),
      rows = as.integer(sum(sizes[(from + 1):to]))
    )
  }, first, ends, seq_len(workers) - 1L)
}

#' Rows of each of the blocks that data come in
#' @noRd
block_sizes <- function(x) {
  if (is_in_blocks(x)) return(x$sizes)
  size <- block_rows_cpp(nrow(x))
  blocks <- ceiling(nrow(x) / size)
  c(rep(size, blocks - 1L), nrow(x) - (blocks - 1L) * size)
}

#' The blocks after number `from` and up to number `to`
#' @noRd
rows_of_blocks <- function(x, sizes, from, to) {
  if (!is_in_blocks(x)) {
    rows <- sum(sizes[seq_len(from)]) + seq_len(sum(sizes[(from + 1):to]))
    return(x[rows, , drop = FALSE])
  }
  x$own <- (from + 1):to
  x["row_names"] <- list(NULL)
  x
}
