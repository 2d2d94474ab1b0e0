# Writes olivetti.rda and movielens.rda, which other scripts here read, into a folder.
#   Rscript data-raw/data-sets.R folder
#
# * olivetti, 400 x 4096, a dgCMatrix: the faces of AT&T Laboratories Cambridge, ten consecutive
#   images of each person, 64 x 64 pixels row by row, with grey values divided by the largest value.
#   They come with RnavGraphImageData (CRAN), column by column. The attribute `subject` identifies
#   the person.
# * movielens, 3867 x 610, a dgCMatrix: whole ratings from 1 to 5, films by users, 0 where a user
#   did not rate. It is the data set with that name in the development version of RcppML on GitHub
#   (zdebruine/RcppML; CRAN's version does not have it), made from GroupLens' ml-latest-small. Its
#   help does not say how 75,238 of these ratings were chosen.
folder <- commandArgs(trailingOnly = TRUE)
if (length(folder) != 1) stop("usage: Rscript data-raw/data-sets.R folder")
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

#' A data set of a package, or NULL if there is none
data_of <- function(name, package) {
  if (!requireNamespace(package, quietly = TRUE)) return()
  held <- new.env()
  suppressWarnings(utils::data(list = name, package = package, envir = held))
  held[[name]]
}

write_faces <- function() {
  faces <- data_of("faces", "RnavGraphImageData")
  if (is.null(faces)) stop("install.packages(\"RnavGraphImageData\") provides the faces")
  x <- unname(t(as.matrix(faces)))
  by_row <- as.vector(t(matrix(seq_len(4096), 64)))
  olivetti <- Matrix::Matrix(x[, by_row] / max(x), sparse = TRUE)
  attr(olivetti, "subject") <- factor(rep(seq_len(40), each = 10))
  save(olivetti, file = file.path(folder, "olivetti.rda"), compress = "xz")
}

write_films <- function() {
  movielens <- data_of("movielens", "RcppML")
  if (is.null(movielens)) {
    return(message("movielens.rda is not written: RcppML has no data set `movielens`."))
  }
  stopifnot(identical(dim(movielens), c(3867L, 610L)), Matrix::nnzero(movielens) == 75238)
  save(movielens, file = file.path(folder, "movielens.rda"), compress = "xz")
}

write_faces()
write_films()
