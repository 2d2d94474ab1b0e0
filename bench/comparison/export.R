# Writes the real data sets as compare.cpp reads them. Their folder and that to write into are the
# arguments. Which entries are hidden does not depend on the session: fixed seeds.
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(Matrix))

load_from <- function(name) {
  found <- new.env()
  load(file.path(arguments[1], paste0(name, ".rda")), found)
  get(name, found)
}

#' Rows and columns from 1; a matrix with one observation a row
write_problem <- function(x, rows, columns, name) {
  file <- file(file.path(arguments[2], paste0(name, ".bin")), "wb")
  on.exit(close(file))
  writeBin(c(dim(x), length(columns), length(rows)), file)
  writeBin(as.integer(c(columns, rows) - 1), file)
  writeBin(as.vector(t(x)), file)
}

# Half of the images of each person lack their lower half; pixels go along the rows of the image.
set.seed(1)
olivetti <- load_from("olivetti")
faces <- as.matrix(olivetti)
people <- split(seq_len(nrow(faces)), attr(olivetti, "subject"))
half <- sort(unlist(lapply(people, function(i) sample(i, length(i) / 2))))
write_problem(faces, half, seq(ncol(faces) / 2 + 1, ncol(faces)), "faces")

# Rated or not, films in random order; a quarter of the users is hidden in the last half of them.
set.seed(2)
rated <- as.matrix(load_from("movielens") != 0) + 0
rated <- rated[sample(nrow(rated)), ]
last <- seq(ceiling(nrow(rated) / 2) + 1, nrow(rated))
write_problem(rated, last, sort(sample(ncol(rated), round(ncol(rated) / 4))), "films")
