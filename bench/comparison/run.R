# Runs every method on every data set, one after the other, and writes the tables of
# vignettes/methods-compared.Rmd. Runs whose results are in build/comparison/runs are not repeated.
# Arguments: data sets, all of them where there are none.

published <- c("meibp", "bnmf", "bnmf draws", "f-vibp", "i-vibp", "imf", "inmf")
sampled <- c("aibp", "ugibbs")
truncated <- c("t-aibp", "t-ugibbs")
slow <- c("inmf", truncated)

#' Every method with every K, 0 for no limit, from several starts of at most so many seconds
runs_of <- function(data, method, K, starts, seconds) {
  all <- expand.grid(
    start = seq_len(starts), K = K, method = method, data = data, stringsAsFactors = FALSE
  )
  all$seconds <- seconds
  all[c("data", "method", "K", "start", "seconds")]
}

real <- function(data) {
  sizes <- c(10, 25, 50)
  rbind(
    runs_of(data, c("meibp", "bnmf", "bnmf draws", "imf"), sizes, 2, 10),
    # These are annealed for a hundred iterations before they can end.
    runs_of(data, c("f-vibp", "i-vibp"), sizes, 1, 45),
    runs_of(data, "meibp default", 25, 1, 45),
    runs_of(data, slow, sizes, 1, 10),
    runs_of(data, "beam", 10, 1, 10),
    runs_of(data, sampled, 0, 1, 10)
  )
}

plan <- rbind(
  runs_of("small", c(published, sampled, truncated, "meibp raw", "aibp raw"), 20, 5, 60),
  runs_of("small", c("meibp default", "bnmf default", "f-vibp default"), 20, 5, 60),
  runs_of("small", c("aibp default", "ugibbs default"), 0, 1, 60),
  runs_of("small", c("beam", "beam default"), 20, 1, 60),
  real("faces"),
  real("films"),
  runs_of("faces", "beam", c(25, 50), 1, 10),
  runs_of("large", c("meibp", "meibp default"), 50, 1, 400),
  runs_of("large", c("bnmf", "inmf", sampled), 50, 1, 20)
)

columns <- c(
  "data", "method", "K", "start", "iteration", "seconds", "training", "per_entry", "features",
  "state"
)

#' Its points, from a file that earlier runs may have left
measure <- function(run) {
  name <- paste(run$data, gsub(" ", "_", run$method), run$K, run$start, sep = "-")
  file <- file.path("build/comparison/runs", paste0(name, ".csv"))
  if (!file.exists(file)) {
    message(name)
    partial <- paste0(file, ".part")
    arguments <- c(run$data, shQuote(run$method), run$K, run$start, run$seconds)
    failed <- system2("build/comparison/compare", arguments, stdout = partial)
    if (failed != 0) stop(name, " failed")
    file.rename(partial, file)
  }
  read.csv(file, header = FALSE, col.names = columns)
}

write_table <- function(points, name) {
  points$seconds <- signif(points$seconds, 4)
  points$per_entry <- round(points$per_entry, 4)
  file <- sprintf("../vignettes/comparison-%s.csv", name)
  write.csv(points, file, row.names = FALSE, quote = FALSE, na = "")
}

wanted <- commandArgs(trailingOnly = TRUE)
if (length(wanted) > 0) plan <- plan[plan$data %in% wanted, ]
dir.create("build/comparison/runs", showWarnings = FALSE, recursive = TRUE)
all <- lapply(split(plan, seq_len(nrow(plan))), measure)
if (length(wanted) == 0) {
  write_table(do.call(rbind, lapply(all, function(p) p[nrow(p), ])), "ends")
  curves <- do.call(rbind, all)
  curves <- curves[curves$data %in% c("small", "large"), ]
  write_table(curves[c("data", "method", "start", "seconds", "per_entry")], "curves")
}
