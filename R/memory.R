# What is asked for is compared with the memory that there is before it is allocated.

#' Stop where something needs more memory than there is
#'
#' @param bytes What it needs at least.
#' @param what Its name, as it begins the message.
#' @param remedy What needs less, after a semicolon.
#' @noRd
check_memory <- function(bytes, what, remedy = NULL) {
  free <- free_memory()
  if (!isTRUE(bytes > free)) return(invisible())
  stop(
    sprintf("%s needs %s of memory, of which there are %s", what, in_bytes(bytes), in_bytes(free)),
    if (!is.null(remedy)) paste0("; ", remedy), ".",
    call. = FALSE
  )
}

in_bytes <- function(bytes) format(structure(bytes, class = "object_size"), "auto", standard = "SI")

#' Bytes that can still be allocated, as far as the system says: Inf where it does not
#' @noRd
free_memory <- function() min(free_of_system(), free_of_group(), free_of_process())

free_of_system <- function() 1024 * first_number("/proc/meminfo", "^MemAvailable:")

#' A limit of containers
#' @noRd
free_of_group <- function() {
  folder <- "/sys/fs/cgroup"
  used <- first_number(file.path(folder, "memory.current"), "", if_none = 0)
  cached <- first_number(file.path(folder, "memory.stat"), "^inactive_file ", if_none = 0)
  first_number(file.path(folder, "memory.max"), "") - used + cached
}

#' A limit of address space, as `ulimit -v` sets it
#' @noRd
free_of_process <- function() {
  used <- 1024 * first_number("/proc/self/status", "^VmSize:", if_none = 0)
  first_number("/proc/self/limits", "^Max address space") - used
}

#' The first number in the first line of a file that begins so; `if_none` where there is none
#' @noRd
first_number <- function(file, begins, if_none = Inf) {
  lines <- tryCatch(suppressWarnings(readLines(file)), error = function(e) character())
  line <- sub(begins, "", grep(begins, lines, value = TRUE)[1])
  number <- suppressWarnings(as.numeric(sub("^\\s*([0-9]+).*", "\\1", line)))
  if (is.na(number)) if_none else number
}

#' Evaluates what allocates as it goes, with words of R's own for a failure
#' @noRd
within_memory <- function(code, what) {
  tryCatch(code, error = function(e) {
    if (!is_out_of_memory(conditionMessage(e))) stop(e)
    stop(out_of_memory(what), call. = FALSE)
  })
}

#' The words of the C++ library
#' @noRd
is_out_of_memory <- function(text) {
  grepl("std::bad_alloc|std::bad_array_new_length|vector::_M_", text)
}

out_of_memory <- function(what) {
  sprintf("%s needs more memory than there is (%s are left).", what, in_bytes(free_memory()))
}
