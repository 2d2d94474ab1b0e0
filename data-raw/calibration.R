# Simulation-based calibration of every model, for vignettes/articles/calibration.Rmd: 200 data sets
# of each are drawn and fitted, by the code that the tests use too. Hours of one core.
#   Rscript data-raw/calibration.R           all models, then vignettes/calibration*.csv
#   Rscript data-raw/calibration.R factor    one model, whose ranks are kept
# Ranks are kept by model in build/calibration, so that a run that was stopped goes on.
library(buffet)

helpers <- new.env(parent = asNamespace("buffet"))
for (name in c("gaussian", "choice", "cascade")) {
  sys.source(sprintf("tests/testthat/helper-%s.R", name), helpers)
}
for (file in list.files("tests/testthat", "^helper-calibration.*[.]R$", full.names = TRUE)) {
  sys.source(file, helpers)
}
cases <- evalq(calibration_cases(), helpers)
sets <- 200
folder <- "build/calibration"
dir.create(folder, FALSE, TRUE)

#' Ranks of a model, a row a data set
run_model <- function(name) {
  file <- file.path(folder, paste0(name, ".csv"))
  done <- if (file.exists(file)) read.csv(file)$set
  for (set in setdiff(seq_len(sets), done)) {
    row <- data.frame(set = set, t(helpers$calibration_ranks(cases[[name]], set)))
    write.table(row, file, sep = ",", append = file.exists(file), col.names = !file.exists(file),
      row.names = FALSE, quote = FALSE
    )
  }
  ranks <- read.csv(file)
  ranks[order(ranks$set), ]
}

#' Sweeps of a chain, in words
sweeps_of <- function(case) {
  given <- unclass(case$arguments$method)$iter
  if (is.null(given)) "default" else as.character(given)
}

#' Tables: of models, and the ranks of each of their quantities in the order of the data sets
write_tables <- function(ranks) {
  quantities <- lapply(ranks, function(r) setdiff(names(r), c("set", "rhat")))
  models <- data.frame(
    model = names(cases), call = vapply(cases, `[[`, "", "call"),
    prior = vapply(cases, `[[`, "", "prior"),
    sweeps = vapply(cases, sweeps_of, ""),
    rhat_above = vapply(ranks, function(r) mean(r$rhat > 1.05, na.rm = TRUE), 0)
  )
  table <- data.frame(
    model = rep(names(ranks), lengths(quantities)), quantity = unlist(quantities),
    ranks = unlist(Map(function(r, q) vapply(r[q], paste, "", collapse = " "), ranks, quantities))
  )
  write.csv(models, "vignettes/calibration-models.csv", row.names = FALSE)
  write.csv(table, "vignettes/calibration.csv", row.names = FALSE)
}

chosen <- commandArgs(trailingOnly = TRUE)
ranks <- lapply(setNames(nm = if (length(chosen) > 0) chosen else names(cases)), run_model)
if (length(chosen) == 0) write_tables(ranks)
