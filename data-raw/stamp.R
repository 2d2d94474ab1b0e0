# Records in data-raw/stamps.csv when tables in the vignettes were made, and with which version of
# the package.
#   Rscript data-raw/stamp.R SCRIPT TABLE ...
arguments <- commandArgs(trailingOnly = TRUE)
file <- "data-raw/stamps.csv"
new <- data.frame(
  table = arguments[-1], script = arguments[1],
  version = read.dcf("DESCRIPTION", "Version")[[1]], date = format(Sys.Date())
)
stamps <- if (file.exists(file)) utils::read.csv(file, colClasses = "character")
stamps <- rbind(stamps[!stamps$table %in% new$table, ], new)
utils::write.csv(stamps[order(stamps$table), ], file, row.names = FALSE, quote = FALSE)
