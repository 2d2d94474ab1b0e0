# Results of other programs on small problems, for tests/testthat/test-peers.R:
#
#   Rscript data-raw/peers.R PyIBP.py
#
# * eba 1.10-1 from CRAN (Wickelmaier): elimination by aspects by maximum likelihood.
# * PyIBP (Andrzejewski), https://github.com/davidandrzej/PyIBP, commit 011ecb4: log densities of
#   features and of data given features, from its methods logIBP(), calcM(), logPX() and logFact().
#   The file is in Python 2 (2to3 helps); these four methods were run unchanged, in Python 3.11 with
#   numpy 1.24.2 and scipy 1.10.1, called by peers.py.
# * NMF from scikit-learn 1.2.1, also called by peers.py.
#
# The tests require none of these programs.

folder <- "tests/testthat/peers"

#' Probabilities of choices given the aspects (numbers) of each item: estimates and fitted counts
by_eba <- function(aspects) {
  data <- new.env()
  utils::data("celebrities", package = "eba", envir = data)
  fit <- eba::OptiPt(data$celebrities, aspects)
  p <- fit$fitted / (fit$fitted + t(fit$fitted))
  list(
    version = as.character(utils::packageVersion("eba")), aspects = aspects,
    weights = unname(stats::coef(fit)), probabilities = unname(p), log_lik = fit$logL.eba
  )
}

alone <- as.list(1:9)
professions <- Map(c, 1:9, rep(10:12, each = 3))
saveRDS(
  list(alone = by_eba(alone), tree = by_eba(professions)), file.path(folder, "eba.rds"), version = 2
)

#' One feature matrix from each class, for some rows and up to `most` features. The rows with a
#' feature are the bits of a number, and these numbers are in increasing order.
all_features <- function(rows, most) {
  kinds <- seq_len(2^rows - 1)
  of_size <- function(k) {
    if (k == 0) return(list(integer()))
    sets <- utils::combn(length(kinds) + k - 1, k, simplify = FALSE)
    lapply(sets, function(set) kinds[set - seq_along(set) + 1])
  }
  unlist(lapply(0:most, of_size), recursive = FALSE)
}

write_problems <- function() {
  set.seed(1)
  x <- matrix(round(stats::rnorm(6, 0, 1.5), 2), 3)
  utils::write.csv(x, file.path(folder, "pyibp-x.csv"), row.names = FALSE)
  kinds <- vapply(all_features(3, 4), paste, "", collapse = " ")
  writeLines(kinds, file.path(folder, "pyibp-features.txt"))
  weights <- matrix(round(stats::rexp(20), 2), 10)
  loadings <- matrix(round(stats::rexp(12), 2), 2)
  x <- round(weights %*% loadings + stats::rnorm(60, 0, 0.1), 2)
  utils::write.csv(x, file.path(folder, "nmf-x.csv"), row.names = FALSE)
}

write_problems()
arguments <- c("data-raw/peers.py", folder, commandArgs(trailingOnly = TRUE))
if (system2(Sys.getenv("PYTHON", "python3"), arguments) != 0) stop("peers.py failed")
