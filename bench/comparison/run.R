# Runs every method on every data set, and rewrites the tables of vignettes/methods-compared.Rmd
# after every run. Runs that are in the tables with the same time limit are not repeated, so the
# script can be interrupted at any time and continued, even on another machine. Without the tables
# and build/comparison/runs, everything is run.
#   Rscript comparison/run.R [data set ...]
# With MC_CORES=2, two runs are made in parallel. Times are processor times.

#' Every method with every K (0 for no limit), from several starts, with a time limit for each run
#' in seconds
runs_of <- function(data, method, size, starts, allowed = 3600) {
  expand.grid(
    method = method, K = size, data = data, start = seq_len(starts), allowed = allowed,
    stringsAsFactors = FALSE
  )
}

published <- c("meibp", "bnmf", "bnmf draws", "f-vibp", "i-vibp", "imf", "inmf")
truncated <- c("t-aibp", "t-ugibbs")
sampled <- c("aibp", "ugibbs")
real <- c("faces", "films", "piano")
sizes <- c(10, 25, 50)

# The slowest runs are last.
plan <- rbind(
  runs_of("small", c("beam", "beam default"), 20, 1),
  runs_of("small", c(published, truncated, sampled), 20, 5),
  runs_of("small", c("meibp by sweeps", "meibp raw", "aibp raw"), 20, 5),
  runs_of("small", c("meibp default", "bnmf default", "f-vibp default", "meibp + aibp"), 20, 5),
  runs_of("small", paste(sampled, "default"), 0, 5),
  runs_of(real, "beam", sizes, 1),
  runs_of(real, c(published, "meibp by sweeps", truncated), sizes, 3),
  runs_of(real, "meibp default", 25, 3),
  runs_of(c("faces", "piano"), sampled, 0, 3),
  runs_of(c("faces", "piano"), "meibp + aibp", sizes, 3),
  # Without a limit, the samplers add features to the films until they are stopped, even if they
  # start from MEIBP.
  runs_of("films", "meibp + aibp", 10, 1, 600),
  runs_of("films", sampled, 0, 1, 120),
  # On the large set, an iteration of MEIBP row by row takes a quarter of an hour, so it is not run.
  runs_of("large", c("meibp default", "bnmf"), 50, 1),
  runs_of("large", "meibp by sweeps", 50, 1, 400),
  runs_of("large", sampled, 50, 1, 120),
  runs_of("large", "inmf", 50, 1, 20)
)

columns <- c(
  "data", "method", "K", "start", "iteration", "seconds", "training", "per_entry", "features",
  "state"
)
of_curves <- c("data", "method", "K", "start", "seconds", "per_entry")
file_of <- function(run) {
  name <- paste(run$data, gsub(" ", "_", run$method), run$K, run$start, sep = "-")
  file.path("build/comparison/runs", paste0(name, ".csv"))
}
table_of <- function(name) sprintf("../vignettes/comparison-%s.csv", name)
key_of <- function(d) do.call(paste, d[c("data", "method", "K", "start")])
rows_of <- function(run, table) table[key_of(table) == key_of(run), ]
rows_in <- function(plan) split(plan, seq_len(nrow(plan)))

#' The current table, or a table without rows if it does not exist
read_table <- function(name, columns) {
  if (file.exists(table_of(name))) return(read.csv(table_of(name)))
  as.data.frame(setNames(replicate(length(columns), character()), columns))
}

#' Writes the file of a run from the tables
restore <- function(run, ends, curves) {
  end <- rows_of(run, ends[ends$allowed == run$allowed, ])
  if (file.exists(file_of(run)) || nrow(end) == 0) return()
  way <- rows_of(run, curves[curves$seconds < end$seconds, ])
  unknown <- setdiff(columns, of_curves)
  way <- cbind(way, matrix(NA, nrow(way), length(unknown), dimnames = list(NULL, unknown)))
  points <- rbind(way[columns], end[columns])
  write.table(points, file_of(run), sep = ",", row.names = FALSE, col.names = FALSE, quote = FALSE)
}

#' Makes a run unless it already has a file
measure <- function(run) {
  file <- file_of(run)
  if (file.exists(file)) return()
  partial <- paste0(file, ".part")
  arguments <- c(run$data, shQuote(run$method), run$K, run$start, run$allowed)
  failed <- system2("build/comparison/compare", arguments, stdout = partial)
  if (failed != 0) stop(file, " failed")
  file.rename(partial, file)
  message(format(Sys.time(), "%H:%M "), basename(file))
  write_tables()
}

write_table <- function(points, name) {
  points$seconds <- signif(points$seconds, 4)
  points$per_entry <- round(points$per_entry, 4)
  partial <- tempfile(tmpdir = dirname(table_of(name)))
  write.csv(points, partial, row.names = FALSE, quote = FALSE, na = "")
  file.rename(partial, table_of(name))
}

#' Writes both tables from the runs that have a file, and from those in the existing tables that
#' have none
write_tables <- function() {
  done <- plan[file.exists(file_of(plan)), ]
  points <- lapply(rows_in(done), function(run) {
    points <- read.csv(file_of(run), header = FALSE, col.names = columns)
    cbind(points, allowed = run$allowed)
  })
  waiting <- setdiff(key_of(plan), key_of(done))
  as_they_were <- function(old) old[key_of(old) %in% waiting, ]
  ends <- do.call(rbind, c(lapply(points, tail, 1), list(as_they_were(ends_before))))
  curves <- do.call(rbind, points)[of_curves]
  curves <- rbind(curves[curves$data %in% c("small", "large"), ], as_they_were(curves_before))
  write_table(ends[order(match(key_of(ends), key_of(plan))), ], "ends")
  write_table(curves[order(match(key_of(curves), key_of(plan)), curves$seconds), ], "curves")
}

dir.create("build/comparison/runs", showWarnings = FALSE, recursive = TRUE)
ends_before <- read_table("ends", c(columns, "allowed"))
curves_before <- read_table("curves", of_curves)
wanted <- commandArgs(trailingOnly = TRUE)
runs <- rows_in(if (length(wanted) > 0) plan[plan$data %in% wanted, ] else plan)
for (run in runs) restore(run, ends_before, curves_before)
invisible(parallel::mclapply(runs, measure, mc.preschedule = FALSE))
