# Installs workflows and parsnip of CRAN, with those of their dependencies that are missing or too
# old, into a library of its own; where that fails a line says so, and tests that need them are
# skipped.
#
#   Rscript tools/workflows.R build/tidymodels

wanted <- c("workflows", "parsnip")

install_into <- function(path) {
  dir.create(path, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(path, .libPaths()))
  lacking <- function() wanted[!nzchar(vapply(wanted, function(p) system.file(package = p), ""))]
  if (length(lacking()) == 0) return(invisible())
  source("tools/cran-mirror.R")
  cat("workflows: installing into", path, "\n")
  try(utils::install.packages(lacking(), lib = path, quiet = TRUE))
  if (length(lacking()) > 0) cat("workflows: could not be installed, its test is skipped\n")
}

install_into(commandArgs(trailingOnly = TRUE))
