# The bytes of the file in which a run is kept: what saveRDS() writes, and after them a seal, their
# hash. readRDS() reads up to the seal. Here nothing is read before the seal is found right: bytes
# that were altered by chance can crash R. A seal is no signature, so what was read is taken for
# plain values, or not at all: no method and no promise in it is ever called.

#' The end of a file with these bytes: which layout it has, and their hash
#' @noRd
seal_of <- function(bytes) charToRaw(paste0(layout, rlang::hash(bytes)))

#' That of files
#' @noRd
layout <- "buffet-2"

#' How long a seal is, in bytes
#' @noRd
seal_size <- nchar(layout) + 32L

#' What is saved in a file, as plain values; otherwise an error
#' @noRd
read_checkpoint <- function(file) {
  # That of a pipe or a device is 0: one that is opened would wait, or never end.
  size <- file.size(file)
  if (is.na(size) || size <= seal_size) stop_other_file(file)
  parts <- tryCatch(read_parts(file), error = identity, warning = identity)
  if (inherits(parts, "condition")) {
    stop_argument("file", "be a file that can be read", was = describe_scalar(basename(file)))
  }
  if (!identical(utils::head(parts$seal, nchar(layout)), charToRaw(layout))) stop_other_file(file)
  if (!identical(parts$seal, seal_of(parts$bytes))) stop_damaged(file, "bytes")
  tryCatch(plain_list(unserialize(parts$bytes)), error = function(e) NULL) %||%
    stop_damaged(file, "values")
}

#' All up to its end: another process may have replaced it by a longer one since its size was asked
#' @noRd
read_parts <- function(file) {
  con <- file(file, "rb")
  on.exit(close(con))
  blocks <- list()
  while (length(block <- readBin(con, "raw", 2^20)) > 0) blocks <- c(blocks, list(block))
  bytes <- unlist(blocks)
  list(bytes = utils::head(bytes, -seal_size), seal = utils::tail(bytes, seal_size))
}

#' A list of plain values without its class, or NULL
#'
#' Values are passed on, never given a name: by its name R would evaluate a promise.
#' @noRd
plain_list <- function(x) {
  if (typeof(x) == "list" && is_plain(unclass(x))) unclass(x)
}

#' Vectors and lists of these, without classes
#' @noRd
is_plain <- function(x) {
  kinds <- c("NULL", "logical", "integer", "double", "character", "raw", "list")
  if (!typeof(x) %in% kinds) return(FALSE)
  has <- attributes(x)
  if (!all(names(has) %in% c("names", "dim", "dimnames"))) return(FALSE)
  all(vapply(has, is_plain, NA)) && (typeof(x) != "list" || all(vapply(x, is_plain, NA)))
}

stop_other_file <- function(file) {
  was <- sprintf("%s, another file or one that was cut", describe_scalar(basename(file)))
  stop_argument("file", "be new or hold an earlier run of this fit", was = was)
}

stop_damaged <- function(file, part) {
  was <- sprintf("%s, which is damaged in its %s", describe_scalar(basename(file)), part)
  stop_argument("file", "be whole (give another file, or remove it)", was = was)
}

#' Replaces the file as a whole. NULL, or why it failed: a full disk is but a warning of R's
#' @noRd
write_checkpoint <- function(file, saved) {
  file <- followed(file)
  new <- name_beside(file)
  on.exit(unlink(new, expand = FALSE))
  tryCatch(
    {
      bytes <- serialize(structure(saved, class = "buffet_checkpoint"), NULL)
      write_parts(new, list(bytes, seal_of(bytes)))
      file.rename(new, file)
      NULL
    },
    error = conditionMessage, warning = conditionMessage
  )
}

write_parts <- function(file, parts) {
  con <- file(file, "wb")
  open <- TRUE
  on.exit(if (open) close(con))
  for (part in parts) writeBin(part, con)
  open <- FALSE
  # What is left in R's buffer is written now, and R says nothing of a full disk.
  if (!identical(close(con) %||% 0L, 0L)) stop("not all of it could be written.", call. = FALSE)
}

#' The file that a symbolic link leads to: it is written to, and the link stays
#' @noRd
followed <- function(file) {
  for (n in 1:40) {
    to <- Sys.readlink(file)
    if (is.na(to) || !nzchar(to)) break
    file <- if (startsWith(to, "/")) to else file.path(dirname(file), to)
  }
  file
}

#' A name in the file's directory that no other process uses
#' @noRd
name_beside <- function(file) tempfile(paste0(basename(file), part_ending), dirname(file))

#' What follows the name of a file in that of one that is not yet whole
#' @noRd
part_ending <- ".part-"

#' Bytes that the name of a file may have: file systems take 255, of which name_beside() needs some
#' @noRd
longest_name <- 220L

#' Bytes of a path: systems take 4096, with a directory that `~` stands for
#' @noRd
longest_path <- 3800L

#' Removes what processes that were killed while they saved have left beside the file
#' @noRd
remove_leftovers <- function(file) {
  file <- followed(file)
  start <- paste0(basename(file), part_ending)
  there <- list.files(dirname(file), all.files = TRUE)
  left <- there[startsWith(there, start)]
  left <- left[grepl("^[0-9a-f]+$", substring(left, nchar(start) + 1))]
  unlink(file.path(dirname(file), left), expand = FALSE)
}
