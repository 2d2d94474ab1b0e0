# Simulation-based calibration of every model, for vignettes/articles/calibration.Rmd. 200 data sets
# are drawn from each model and fitted, using code that the tests also use. Takes hours on one core.
#   Rscript data-raw/calibration.R           all models that are not in the tables
#   Rscript data-raw/calibration.R factor    one model
# The ranks of each model are saved in data-raw/calibration, so a run that was stopped can be
# continued, even in another clone. At the end, the ranks of models with all data sets are written
# to vignettes/calibration.csv.
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
folder <- "data-raw/calibration"
dir.create(folder, FALSE, TRUE)

#' Fits the data sets of a model that have not been fitted yet
run_model <- function(name) {
  file <- file.path(folder, paste0(name, ".csv"))
  done <- if (file.exists(file)) read.csv(file)$set
  for (set in setdiff(seq_len(sets), done)) {
    row <- data.frame(set = set, t(helpers$calibration_ranks(cases[[name]], set)))
    write.table(row, file, sep = ",", append = file.exists(file), col.names = !file.exists(file),
      row.names = FALSE, quote = FALSE
    )
  }
}

#' The saved ranks of a model, with one row per data set
kept_ranks <- function(file) {
  ranks <- read.csv(file)
  ranks[order(ranks$set), ]
}

#' The number of sweeps of a chain, as text
sweeps_of <- function(case) {
  given <- unclass(case$arguments$method)$iter
  if (is.null(given)) "default" else as.character(given)
}

#' Writes the tables: the models, with 0 data sets if a model is not complete, and the ranks of each
#' quantity of a model in the order of the data sets. Rows of models that have no ranks here are
#' kept.
write_tables <- function(ranks) {
  quantities <- lapply(ranks, function(r) setdiff(names(r), c("set", "rhat")))
  models <- data.frame(
    model = names(cases), call = vapply(cases, `[[`, "", "call"),
    prior = vapply(cases, `[[`, "", "prior"),
    sweeps = vapply(cases, sweeps_of, ""), data_sets = sets * names(cases) %in% names(ranks),
    rhat_above = vapply(ranks[names(cases)], function(r) mean(r$rhat > 1.05, na.rm = TRUE), 0)
  )
  known <- read.csv("vignettes/calibration-models.csv")
  known <- known[known$data_sets > 0 & !known$model %in% names(ranks), ]
  at <- match(known$model, models$model)
  models[at, c("data_sets", "rhat_above")] <- known[c("data_sets", "rhat_above")]
  table <- data.frame(
    model = rep(names(ranks), lengths(quantities)), quantity = unlist(quantities),
    ranks = unlist(Map(function(r, q) vapply(r[q], paste, "", collapse = " "), ranks, quantities))
  )
  before <- read.csv("vignettes/calibration.csv")
  table <- rbind(before[before$model %in% known$model, ], table)
  table <- table[order(match(table$model, names(cases))), ]
  write.csv(models, "vignettes/calibration-models.csv", row.names = FALSE)
  write.csv(table, "vignettes/calibration.csv", row.names = FALSE)
}

#' The ranks of the models for which all data sets have been fitted
complete_ranks <- function() {
  files <- file.path(folder, paste0(names(cases), ".csv"))
  ranks <- lapply(setNames(files[file.exists(files)], names(cases)[file.exists(files)]), kept_ranks)
  Filter(function(r) nrow(r) == sets, ranks)
}

chosen <- commandArgs(trailingOnly = TRUE)
kept <- unique(read.csv("vignettes/calibration.csv")$model)
for (name in if (length(chosen) > 0) chosen else setdiff(names(cases), kept)) run_model(name)
write_tables(complete_ranks())
