# Starts and monitors children that run cases (child.R).

# A case is interrupted after this many seconds. The child is killed after ten times as many.
sanitized <- nzchar(Sys.getenv("ASAN_OPTIONS"))
patience <- if (sanitized) 15 else 3

# Memory limit of a child, in MB. Sanitizers have their own limit, and need an unlimited address
# space.
memory <- 4000

folder <- tempfile("fuzz")
dir.create(folder)
pool_file <- file.path(folder, "pool.rds")
notes_file <- file.path(folder, "notes")
errors_file <- file.path(folder, "errors")

start_child <- function(seed, from, to) {
  unlink(notes_file)
  limit <- if (!sanitized) sprintf("ulimit -v %d; ", memory * 1024L)
  command <- paste0(limit, 'ulimit -c 0; TZ=UTC exec Rscript tests/fuzz/child.R "$@"')
  numbers <- format(c(seed, from, to), scientific = FALSE, trim = TRUE)
  processx::process$new("sh", c("-c", command, "child", pool_file, notes_file, numbers),
    stdout = NULL, stderr = errors_file
  )
}

#' The records of a child: verdicts, named by case number; "begins" if a case has no verdict yet
read_notes <- function() {
  if (!file.exists(notes_file)) return(NULL)
  fields <- strsplit(readLines(notes_file, warn = FALSE), "\t", fixed = TRUE)
  verdicts <- trimws(vapply(fields, `[[`, "", 2))
  stats::setNames(verdicts, vapply(fields, `[[`, "", 1))
}

#' Waits until the child ends. Returns NULL if it ended on its own, and otherwise how it ended.
watch <- function(child) {
  size <- -1
  while (child$is_alive()) {
    child$wait(100)
    now <- max(0, file.size(notes_file), na.rm = TRUE)
    if (now != size) {
      size <- now
      since <- Sys.time()
      interrupted <- FALSE
    }
    waited <- as.numeric(Sys.time() - since, units = "secs")
    # Until a child has started a case, there is no case to interrupt.
    if (now > 0 && waited > patience && !interrupted) interrupted <- child$interrupt()
    if (waited > 10 * patience) {
      child$kill()
      return("hangs, although it was interrupted")
    }
  }
  status <- child$get_exit_status()
  if (status != 0) sprintf("the process died, with status %d: %s", status, last_errors())
}

telling <- "ERROR: Address|runtime error|caught |^address |terminate |^ ?[1-4]: |#[0-9] .*buffet"

#' The lines of the child's output that give the reason
last_errors <- function() {
  lines <- readLines(errors_file, warn = FALSE)
  told <- grep(telling, lines)
  lines <- if (length(told)) lines[told] else utils::tail(lines, 3)
  paste(trimws(utils::head(lines, 6)), collapse = " | ")
}
