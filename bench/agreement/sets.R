# The real data for the benchmark of agreement. Data sets in packages are read from the packages'
# sources on CRAN, so no package needs to be installed. The faces are read from shared data;
# see ../README.md.

sources <- "build/agreement/sources"

#' A data set in a package, by name
package_data <- function(package, name) {
  dir.create(sources, recursive = TRUE, showWarnings = FALSE)
  file <- file.path(sources, package, "data", paste0(name, ".rda"))
  if (!file.exists(file)) {
    archive <- Sys.glob(file.path(sources, sprintf("%s_*.tar.gz", package)))
    if (length(archive) == 0) {
      archive <- utils::download.packages(package, sources, type = "source", quiet = TRUE)[, 2]
    }
    utils::untar(archive, file.path(package, "data", basename(file)), exdir = sources)
  }
  held <- new.env()
  load(file, held)
  held[[name]]
}

base_data <- function(name, package = "datasets") getExportedValue(package, name)

#' The numeric columns of a data frame that are not constant, scaled
scaled <- function(x) {
  x <- as.data.frame(x)
  x <- as.matrix(x[vapply(x, is.numeric, NA)])
  varies <- apply(x, 2, stats::sd, na.rm = TRUE) > 0
  x <- scale(x[, varies])
  matrix(x, nrow(x), dimnames = list(NULL, colnames(x)))
}

counts <- function(x) log1p(as.matrix(x))

#' Columns that are scaled to a root mean square of 1, but not centred
sized <- function(x) {
  x <- as.matrix(x)
  x <- x[, colSums(x^2) > 0]
  sweep(x, 2, sqrt(colMeans(x^2)), "/")
}

present <- function(x) {
  x <- (as.matrix(x) > 0) * 1L
  x[, colMeans(x) > 0.05 & colMeans(x) < 1]
}

log_returns <- function(x) diff(log(as.matrix(x)))

#' 400 faces, in which each pixel is the mean of (64 / side)^2 pixels
faces <- function(side) {
  held <- new.env()
  load(file.path(Sys.getenv("DATA", "../../shared/data"), "olivetti.rda"), held)
  x <- as.matrix(held$olivetti)
  block <- rep(seq_len(side), each = 64 / side)
  cell <- rep((seq_len(side) - 1) * side, each = 64 / side)
  place <- as.vector(outer(block, cell, "+"))
  t(rowsum(t(x), place)) / (64 / side)^2
}

numeric_sets <- list(
  USArrests = function() scaled(base_data("USArrests")),
  swiss = function() scaled(base_data("swiss")),
  state.x77 = function() scaled(base_data("state.x77")),
  attitude = function() scaled(base_data("attitude")),
  longley = function() scaled(base_data("longley")),
  EuStockMarkets = function() scaled(log_returns(base_data("EuStockMarkets"))[1:500, ]),
  iris = function() scaled(base_data("iris")),
  mtcars = function() scaled(base_data("mtcars")),
  airquality = function() scaled(base_data("airquality")[1:4]),
  Boston = function() scaled(base_data("Boston", "MASS")),
  crabs = function() scaled(base_data("crabs", "MASS")[-3]),
  biopsy = function() scaled(base_data("biopsy", "MASS")),
  painters = function() scaled(base_data("painters", "MASS")),
  Glass = function() scaled(package_data("mlbench", "Glass")),
  Sonar = function() scaled(package_data("mlbench", "Sonar")),
  Ionosphere = function() scaled(package_data("mlbench", "Ionosphere")),
  Vehicle = function() scaled(package_data("mlbench", "Vehicle")),
  doubs = function() scaled(package_data("ade4", "doubs")$env),
  olympic = function() scaled(package_data("ade4", "olympic")$tab),
  varespec = function() scaled(counts(package_data("vegan", "varespec"))),
  dune = function() scaled(counts(package_data("vegan", "dune"))),
  mite = function() scaled(counts(package_data("vegan", "mite"))),
  faces16 = function() scaled(faces(16))
)

nonnegative_sets <- list(
  USArrests = function() sized(base_data("USArrests")),
  varespec = function() sized(counts(package_data("vegan", "varespec"))),
  dune = function() sized(package_data("vegan", "dune")),
  mite = function() sized(counts(package_data("vegan", "mite"))),
  fish = function() sized(package_data("ade4", "doubs")$fish)
)

votes <- function() {
  x <- package_data("mlbench", "HouseVotes84")[-1]
  vapply(x, function(vote) as.integer(vote == "y"), integer(nrow(x)))
}

zoo <- function() {
  x <- package_data("mlbench", "Zoo")
  vapply(x[vapply(x, is.logical, NA)], as.integer, integer(nrow(x)))
}

binary_sets <- list(
  HouseVotes84 = votes,
  Zoo = zoo,
  dune = function() present(package_data("vegan", "dune")),
  mite = function() present(package_data("vegan", "mite")),
  fish = function() present(package_data("ade4", "doubs")$fish)
)

#' Traits for the tips of a tree
tree_set <- function(name, traits) {
  held <- package_data("ade4", name)
  tree <- ape::compute.brlen(ape::read.tree(text = as.character(held$tre)), method = "Grafen")
  x <- scaled(held[[traits]])
  rownames(x) <- rownames(held[[traits]])
  list(x = x, tree = tree)
}

tree_sets <- list(
  ungulates = function() tree_set("ungulates", "tab"),
  mjrochet = function() tree_set("mjrochet", "tab")
)

#' Counts of how often each item was chosen over each other item
choice_sets <- list(
  celebrities = function() package_data("eba", "celebrities"),
  drugrisk = function() apply(package_data("eba", "drugrisk"), 1:2, sum),
  heaviness = function() apply(package_data("eba", "heaviness"), 1:2, sum),
  schoolsubjects = function() package_data("eba", "schoolsubjects")$boys
)

#' Words with at least three letters that occur in at least 5 and at most half of the documents
inaugural <- function() {
  text <- as.character(unclass(package_data("quanteda", "data_corpus_inaugural")))
  words <- lapply(strsplit(tolower(text), "[^a-z]+"), function(w) w[nchar(w) > 2])
  among <- table(unlist(lapply(words, unique)))
  kept <- names(among)[among >= 5 & among <= length(text) / 2]
  count <- function(w) tabulate(match(w, kept), length(kept))
  counts <- t(vapply(words, count, 0L[seq_along(kept)]))
  colnames(counts) <- kept
  Matrix::Matrix(counts, sparse = TRUE)
}
