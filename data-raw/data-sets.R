# Writes olivetti.rda and movielens.rda, which other scripts in data-raw read, to a folder.
#   Rscript data-raw/data-sets.R folder
#
# * olivetti, 400 x 4096, a dgCMatrix: the faces of AT&T Laboratories Cambridge. There are ten
#   consecutive images of each person, with 64 x 64 pixels in row order, and grey values divided by
#   the largest value. The images are from RnavGraphImageData (CRAN), which has the pixels in column
#   order. The attribute `subject` identifies the person.
# * movielens, 3867 x 610, a dgCMatrix: whole ratings from 1 to 5, films by users, and 0 where a
#   user did not rate a film. It is the data set of this name in the development version of RcppML
#   on GitHub (zdebruine/RcppML; CRAN's version does not have it), which was made from GroupLens'
#   ml-latest-small. Its help page does not say how 75,238 of these ratings were chosen.
folder <- commandArgs(trailingOnly = TRUE)
if (length(folder) != 1) stop("usage: Rscript data-raw/data-sets.R folder")
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

#' A data set of a package, or NULL if the package does not have it
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
